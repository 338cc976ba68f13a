//! Circuits, read from netlists or found in the library by name.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use cryptable::circuits::Circuit;
use cryptable::circuits::aes::SBox;
use cryptable::circuits::named::NamedCircuit;
use cryptable::circuits::netlist::{NetlistError, limits, read_blif_forms, read_yosys_json_forms};

use crate::args::circuit::NetlistArgs;
use crate::input_file;

/// Reads a netlist, whose format is known by its extension. If there is no such file, the name may be that of a circuit
/// of the library, which has several equivalent forms.
///
/// # Errors
/// If there is neither, or if the netlist is refused; the error names the file, and the line, cell or port.
pub fn read(args: &NetlistArgs) -> Result<Vec<Circuit>> {
    read_path(&args.netlist, args.top.as_deref(), args.s_box)
}

/// Same as [`read`], for the module `top` if there are several, and for AES with this form of its S-box.
pub fn read_path(path: &Path, top: Option<&str>, s_box: Option<SBox>) -> Result<Vec<Circuit>> {
    let name = input_file::name(path);
    let named = NamedCircuit::ALL.into_iter().find(|named| path == Path::new(named.name()));
    if let (Some(named), false) = (named, path.exists()) {
        ensure!(top.is_none(), "--top is for netlists, and {name} is a circuit of this program");
        let named = s_box.map_or(Some(named), |form| named.with_s_box(form));
        let named =
            named.with_context(|| format!("--s-box is for AES, and {name} has no S-box"))?;
        return Ok(named.variants());
    }
    ensure!(s_box.is_none(), "--s-box is for aes128 of this program, and {name} is a netlist");
    let extension = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    type Read = fn(&str, Option<&str>) -> Result<Vec<Circuit>, NetlistError>;
    let read: Read = match extension.as_deref() {
        Some("blif") => read_blif_forms,
        Some("json") => read_yosys_json_forms,
        _ => bail!(
            "{name}: a netlist's name ends in .blif or .json; circuits of this program are {}",
            NamedCircuit::ALL.map(NamedCircuit::name).join(", ")
        ),
    };
    let mut text = Vec::new();
    let limit = limits::MAX_BYTES as u64;
    // One byte more is read, so that the parser notices that the file is too long.
    let found = input_file::open(path)?.take(limit + 1).read_to_end(&mut text);
    found.with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8(text).with_context(|| format!("{name}: it is not UTF-8"))?;
    read(&text, top).with_context(|| name.clone())
}
