//! `cryptable inspect`: descriptions of files without a key.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cryptable::circuits::EncryptedWordsSummary;
use cryptable::{Engine, ReadOptions};
use cryptable_frames::{ColumnType, Frame, FrameColumn};
use cryptable_wire::{ObjectType, hex, peek_header};
use serde::Serialize;

use super::explain;
use super::parameters::{self, ParameterReport};
use crate::args::{Global, InspectArgs};
use crate::ciphertext_file::{ciphertexts, encryptions};
use crate::printable::Printable as _;
use crate::report::{self, bytes, counted};
use crate::{file_kinds, input_file, key_input};

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
        report::error(global.json, "invalid", &file_kinds::message(error));
    }
    Err(last)
}

fn inspect(path: &Path) -> Result<Report> {
    let map = key_input::map(path)?;
    let shown = input_file::shown(path);
    let found = cryptable::inspect(map.as_ref()).with_context(|| shown.printable())?;
    Ok(Report {
        file: shown.to_path_buf(),
        kind: found.object,
        bytes: found.bytes,
        engine: found.engine,
        parameter_digest: hex(&found.parameter_digest),
        key_id: found.key_id.map(|id| id.to_string()),
        new_owner: found.new_owner.map(|id| id.to_string()),
        aes_key_id: found.aes_key_id.map(|id| id.to_string()),
        parameters: match &found.conversion {
            Some(conversion) => Some(ParameterReport::of_conversion(conversion)),
            None => found.parameters.as_ref().map(ParameterReport::new),
        },
        warning: found.parameters.as_ref().and_then(|parameters| {
            parameters::warning(parameters.security_level(), parameters.value_failure_probability())
        }),
        values: found.values.map(|(values, _)| values),
        modulus: found.values.map(|(_, modulus)| modulus),
        signed: found.ciphertexts.as_ref().map(|summary| summary.contents.signed),
        standalone: found.ciphertexts.as_ref().map(|summary| summary.contents.standalone),
        ciphertexts: match &found.ciphertexts {
            Some(summary) => Some(encryptions(summary)),
            // An AES message has values, but no homomorphic ciphertext.
            None => found.values.filter(|_| found.fresh.is_some()).map(|_| 1),
        },
        fresh: found.fresh,
        words: found.words.as_ref().map(WordsReport::new),
        frame: frame(map.as_ref()).with_context(|| shown.printable())?,
    })
}

/// Describes the columns of a frame; `None` for all other files.
fn frame(bytes: &[u8]) -> Result<Option<FrameReport>> {
    match peek_header(bytes) {
        Ok(header) if header.object_type == ObjectType::EncryptedFrame => {
            let frame = Frame::from_bytes(bytes, ReadOptions::default())?;
            let columns = frame.columns().iter().map(FrameColumnReport::new).collect();
            Ok(Some(FrameReport { rows: frame.rows(), columns }))
        }
        _ => Ok(None),
    }
}

/// The report of a frame.
#[derive(Serialize)]
struct FrameReport {
    rows: usize,
    columns: Vec<FrameColumnReport>,
}

/// The report of a column of a frame.
#[derive(Serialize)]
struct FrameColumnReport {
    name: String,
    modulus: u64,
    signed: bool,
    /// The modulus that values need, if it is known to be less.
    #[serde(skip_serializing_if = "Option::is_none")]
    values_needed: Option<u64>,
    /// Whether values may be missing.
    gaps: bool,
    /// Type of the values in the units that the frame states, if it does.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<ColumnType>,
    /// Column by whose values these are sums, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    sums_by: Option<String>,
    fresh: bool,
}

impl FrameColumnReport {
    fn new(column: &FrameColumn) -> Self {
        Self {
            name: column.name().into(),
            modulus: column.values().modulus(),
            signed: column.values().is_signed(),
            values_needed: Some(column.values_needed())
                .filter(|it| *it < column.values().modulus()),
            gaps: column.validity().is_some(),
            kind: column.units().map(|units| units.encoding().kind()),
            sums_by: column.groups().map(|groups| groups.column.clone()),
            fresh: column.values().is_fresh(),
        }
    }
}

impl fmt::Display for FrameReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  content     {}:", counted(self.rows as u64, "row"))?;
        for column in &self.columns {
            let FrameColumnReport { name, modulus, .. } = column;
            let name = cryptable_wire::printable(name);
            let signed = if column.signed { ", signed" } else { "" };
            let gaps = if column.gaps { ", with gaps" } else { "" };
            let needed =
                column.values_needed.map_or(String::new(), |it| format!(", of {it} values"));
            let state = if column.fresh { "as encrypted" } else { "computed" };
            let sums = column.sums_by.as_ref().map_or(String::new(), |by| {
                format!(", partial sums by \"{}\"", cryptable_wire::printable(by))
            });
            writeln!(f, "    \"{name}\" modulo {modulus}{needed}{signed}{gaps}, {state}{sums}")?;
        }
        Ok(())
    }
}

/// The report of a file of encrypted words.
#[derive(Serialize)]
struct WordsReport {
    words: u64,
    words_of_ciphertext: u64,
    ciphertexts: u64,
    /// Name and number of bits of each port.
    ports: Vec<(String, usize)>,
    /// Smallest and largest number of levels of a bit.
    levels: (usize, usize),
}

impl WordsReport {
    fn new(summary: &EncryptedWordsSummary) -> Self {
        Self {
            words: summary.words,
            words_of_ciphertext: summary.batch_words,
            ciphertexts: summary.ciphertexts(),
            ports: summary.ports.iter().map(|port| (port.name.clone(), port.width)).collect(),
            levels: (
                summary.levels.iter().copied().min().unwrap_or(0),
                summary.levels.iter().copied().max().unwrap_or(0),
            ),
        }
    }
}

impl fmt::Display for WordsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = ciphertexts(self.ciphertexts);
        write!(f, "  content     {} words in {count} of a bit each:", self.words)?;
        for (index, (name, width)) in self.ports.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma} {}[{width}]", cryptable_wire::printable(name))?;
        }
        let (least, most) = self.levels;
        let levels = if least == most { format!("{most}") } else { format!("{least} to {most}") };
        writeln!(f, "; {levels} levels")
    }
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    file: PathBuf,
    #[serde(rename = "type")]
    kind: String,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<Engine>,
    parameter_digest: String,
    /// Identifier of the client's key that the object is, belongs to, or is encrypted with.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_id: Option<String>,
    /// Identifier of the client's key that decrypts what a key for a new owner makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_owner: Option<String>,
    /// The reason why readers refuse the file by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// Identifier of the AES key of a message, or in an encrypted key.
    #[serde(skip_serializing_if = "Option::is_none")]
    aes_key_id: Option<String>,
    /// Parameters, for keys, which contain them, and for named sets, of which files contain the digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ParameterReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modulus: Option<u64>,
    /// Whether the values of a file of ciphertexts are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    signed: Option<bool>,
    /// Whether each ciphertext of the file is marked as holding values of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    standalone: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertexts: Option<u64>,
    /// Whether nothing was computed on the values yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    fresh: Option<bool>,
    /// Content of a file of words for circuits.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<WordsReport>,
    /// Rows and columns of a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<FrameReport>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, kind) = (self.file.printable(), &self.kind);
        let warning = self.warning.as_ref().map_or(String::new(), |warning| format!(", {warning}"));
        writeln!(f, "{file}: {kind}{warning}, {}", bytes(self.bytes))?;
        if let Some(engine) = self.engine {
            writeln!(f, "  engine      {}", explain::engine(engine))?;
        }
        writeln!(f, "  parameters  digest {}", self.parameter_digest)?;
        if let Some(parameters) = &self.parameters {
            write!(f, "{parameters}")?;
        }
        if let (Some(values), Some(modulus)) = (self.values, self.modulus) {
            let count = self.ciphertexts.map(|count| format!(" in {}", ciphertexts(count)));
            let count = count.unwrap_or_default();
            let state = match self.fresh {
                Some(true) => ", as encrypted",
                Some(false) => ", computed",
                None => "",
            };
            let alone = match self.standalone {
                Some(true) => ", each ciphertext stands alone",
                _ => "",
            };
            let values = report::values(values);
            let range = match self.signed {
                Some(true) => format!("from -{} to {}", modulus / 2, modulus.div_ceil(2) - 1),
                _ => format!("below {modulus}"),
            };
            writeln!(f, "  content     {values} {range}{count}{state}{alone}")?;
        }
        if let Some(words) = &self.words {
            write!(f, "{words}")?;
        }
        if let Some(frame) = &self.frame {
            write!(f, "{frame}")?;
        }
        if let Some(id) = &self.aes_key_id {
            writeln!(f, "  AES key     {id}")?;
        }
        if let Some(id) = &self.key_id {
            writeln!(f, "  key         {id}")?;
        }
        if let Some(id) = &self.new_owner {
            writeln!(f, "  new owner   {id}")?;
        }
        Ok(())
    }
}
