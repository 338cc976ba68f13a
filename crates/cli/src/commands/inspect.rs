//! `cryptable inspect`: descriptions of files without a key.

use std::path::Path;

use anyhow::{Context, Result};
use cryptable::circuits::EncryptedWordsSummary;
use cryptable::{Inspection, KeyId, ReadOptions};
use cryptable_frames::{Frame, FrameColumn};
use cryptable_wire::{ObjectType, hex, peek_header};
use serde_json::json;

use super::explain;
use super::parameters::{self, ParameterReport};
use crate::args::{Global, InspectArgs};
use crate::ciphertext_file::{ciphertexts, encryptions};
use crate::formats::domain::Domain;
use crate::report::{self, Report, bytes, counted};
use crate::{input_file, key_input, remedies};

/// Checks each file and reports on it.
///
/// # Errors
/// If a file cannot be read, is damaged, or is not one of this program; the other files are still reported.
pub fn run(global: Global, args: &InspectArgs) -> Result<()> {
    let mut bad = Vec::new();
    for path in &args.files {
        match inspect(path) {
            Ok(report) => report::result(global, &report)?,
            Err(error) => bad.push(error),
        }
    }
    let Some(last) = bad.pop() else { return Ok(()) };
    for error in &bad {
        report::error(global.json, "invalid", &remedies::message(error));
    }
    Err(last)
}

fn inspect(path: &Path) -> Result<Report> {
    let map = key_input::map(path)?;
    let name = || input_file::name(path);
    let found = cryptable::inspect(map.as_ref()).with_context(name)?;
    let parameters = match &found.conversion {
        Some(conversion) => Some(ParameterReport::of_conversion(conversion)),
        None => found.parameters.as_ref().map(ParameterReport::new),
    };
    // Why readers refuse the file by default.
    let warning = found.parameters.as_ref().and_then(|parameters| {
        parameters::warning(parameters.security_level(), parameters.value_failure_probability())
    });
    let digest = hex(&found.parameter_digest);
    let words = found.words.as_ref().map(of_words);
    let frame = of_frame(map.as_ref()).with_context(name)?;
    let contents = found.ciphertexts.as_ref().map(|summary| summary.contents);
    let id = |id: &KeyId| id.to_string();
    let [aes_key_id, key_id, new_owner] =
        [&found.aes_key_id, &found.key_id, &found.new_owner].map(|found| found.as_ref().map(id));
    let fields = json!({
        "file": input_file::shown(path).to_string_lossy(),
        "type": found.object,
        "bytes": found.bytes,
        "engine": found.engine,
        "parameter_digest": digest,
        // Identifier of the client's key: the object is this key, belongs to it, or is encrypted with it.
        "key_id": key_id,
        // Identifier of the client's key that decrypts the results of a key for a new owner.
        "new_owner": new_owner,
        "warning": warning,
        // Identifier of the AES key of a message, or in an encrypted key.
        "aes_key_id": aes_key_id,
        // Parameters of keys, which contain them, and of named sets, whose digest is in the file.
        "parameters": parameters,
        "values": found.values.map(|(values, _)| values),
        "modulus": found.values.map(|(_, modulus)| modulus),
        "signed": contents.map(|it| it.signed),
        "standalone": contents.map(|it| it.standalone),
        "ciphertexts": count_of(&found),
        // Whether nothing has been computed on the values yet.
        "fresh": found.fresh,
        "words": words.as_ref().map(|it| &it.fields),
        "frame": frame.as_ref().map(|it| &it.fields),
    });
    let warning = warning.map_or(String::new(), |warning| format!(", {warning}"));
    let (file, kind, size) = (name(), &found.object, bytes(found.bytes));
    let mut text = format!("{file}: {kind}{warning}, {size}\n");
    let line = |name: &str, value: String| format!("  {name:<12}{value}\n");
    text.extend(found.engine.map(|engine| line("engine", explain::engine(engine))));
    text += &line("parameters", format!("digest {digest}"));
    text.extend(parameters.map(|parameters| parameters.to_string()));
    text.extend(contents_of(&found).map(|contents| line("content", contents)));
    text.extend(words.into_iter().chain(frame).map(|it| it.text));
    let ids = [("AES key", aes_key_id), ("key", key_id), ("new owner", new_owner)];
    text.extend(ids.into_iter().filter_map(|(name, id)| Some(line(name, id?))));
    Ok(Report { fields: report::present(fields), text })
}

/// Returns the number of ciphertexts.
fn count_of(found: &Inspection) -> Option<u64> {
    match &found.ciphertexts {
        Some(summary) => Some(encryptions(summary)),
        // An AES message has values, but no homomorphic ciphertext.
        None => found.values.filter(|_| found.fresh.is_some()).map(|_| 1),
    }
}

/// Describes the values of a file that has some.
fn contents_of(found: &Inspection) -> Option<String> {
    let (values, modulus) = found.values?;
    let contents = found.ciphertexts.as_ref().map(|summary| summary.contents);
    let count = count_of(found).map(|count| format!(" in {}", ciphertexts(count)));
    let state = match found.fresh {
        Some(true) => ", as encrypted",
        Some(false) => ", computed",
        None => "",
    };
    let stands_alone = contents.is_some_and(|it| it.standalone);
    let alone = if stands_alone { ", each ciphertext stands alone" } else { "" };
    let signed = contents.is_some_and(|it| it.signed);
    let range = Domain { modulus: modulus.into(), signed }.range();
    let (values, count) = (report::values(values), count.unwrap_or_default());
    Some(format!("{values} {range}{count}{state}{alone}"))
}

/// Describes the columns of a frame; `None` for all other files.
fn of_frame(bytes: &[u8]) -> Result<Option<Report>> {
    if !peek_header(bytes).is_ok_and(|it| it.object_type == ObjectType::EncryptedFrame) {
        return Ok(None);
    }
    let frame = Frame::from_bytes(bytes, ReadOptions::default())?;
    let columns: Vec<Report> = frame.columns().iter().map(of_column).collect();
    let fields = json!({
        "rows": frame.rows(),
        "columns": columns.iter().map(|column| &column.fields).collect::<Vec<_>>(),
    });
    let mut text = format!("  content     {}:\n", counted(frame.rows() as u64, "row"));
    text.extend(columns.into_iter().map(|column| column.text));
    Ok(Some(Report { fields, text }))
}

/// Describes a column of a frame.
fn of_column(column: &FrameColumn) -> Report {
    let (values, has_gaps) = (column.values(), column.validity().is_some());
    let (modulus, signed, fresh) = (values.modulus(), values.is_signed(), values.is_fresh());
    let needed = Some(column.values_needed()).filter(|it| *it < modulus);
    let sums_by = column.groups().map(|groups| &groups.column);
    let fields = json!({
        "name": column.name(),
        "modulus": modulus,
        "signed": signed,
        // The modulus that values need, if it is known to be less.
        "values_needed": needed,
        "gaps": has_gaps,
        // Type of the values in the units that the frame states, if it states any.
        "type": column.units().map(|units| units.encoding().kind()),
        // The column by whose values the sums are grouped, if these are sums.
        "sums_by": sums_by,
        "fresh": fresh,
    });
    let name = cryptable_wire::printable(column.name());
    let signed = if signed { ", signed" } else { "" };
    let gaps = if has_gaps { ", with gaps" } else { "" };
    let needed = needed.map_or(String::new(), |it| format!(", of {it} values"));
    let state = if fresh { "as encrypted" } else { "computed" };
    let sums = sums_by.map_or(String::new(), |by| {
        format!(", partial sums by \"{}\"", cryptable_wire::printable(by))
    });
    let text = format!("    \"{name}\" modulo {modulus}{needed}{signed}{gaps}, {state}{sums}\n");
    Report { fields: report::present(fields), text }
}

/// Describes a file of encrypted words.
fn of_words(summary: &EncryptedWordsSummary) -> Report {
    let least = summary.levels.iter().copied().min().unwrap_or(0);
    let most = summary.levels.iter().copied().max().unwrap_or(0);
    let ports: Vec<_> = summary.ports.iter().map(|port| (&port.name, port.width)).collect();
    let fields = json!({
        "words": summary.words,
        "words_of_ciphertext": summary.batch_words,
        "ciphertexts": summary.ciphertexts(),
        // Name and number of bits of each port.
        "ports": ports,
        // Smallest and largest number of levels of a bit.
        "levels": [least, most],
    });
    let port =
        |(name, width): &(&String, usize)| format!(" {}[{width}]", cryptable_wire::printable(name));
    let ports = ports.iter().map(port).collect::<Vec<_>>().join(",");
    let levels = if least == most { format!("{most}") } else { format!("{least} to {most}") };
    let (words, count) = (summary.words, ciphertexts(summary.ciphertexts()));
    let text = format!(
        "  content     {words} words in {count} of one bit each:{ports}; {levels} levels\n"
    );
    Report { fields, text }
}
