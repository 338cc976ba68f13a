//! `cryptable inspect`.

use std::fmt;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cryptable::{InspectedParameters, Parameters, ParametersLiteral};
use serde::Serialize;

use super::bits_plan::{BitsParameters, CircuitReport};
use super::plan::ciphertexts;
use super::single_plan::SingleParameters;
use super::warning;
use crate::args::{Global, InspectArgs};
use crate::container::{self, ContainerReader};
use crate::input_file;
use crate::mapped_file::MappedFile;
use crate::mode::Mode;
use crate::report::{self, bytes, hex};

/// Checks each file and reports on it.
///
/// # Errors
/// If a file cannot be read, is damaged, or is none of ours; the others are reported on all the same.
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
        report::error(global.json, "invalid", &format!("{error:#}"));
    }
    Err(last)
}

fn inspect(path: &Path) -> Result<Report> {
    let map = MappedFile::open(path)?;
    let shown = input_file::shown(path);
    if map.as_ref().starts_with(&container::MAGIC) {
        inspect_container(shown, map.as_ref())
    } else {
        inspect_object(shown, map.as_ref()).with_context(|| shown.display().to_string())
    }
}

fn inspect_container(path: &Path, file: &[u8]) -> Result<Report> {
    let mut reader = ContainerReader::new(Cursor::new(file), path)?;
    while reader.next_ciphertext()?.is_some() {}
    let header = reader.header();
    Ok(Report {
        file: path.to_path_buf(),
        kind: match header.contents.mode {
            Mode::Packed => "ciphertexts".into(),
            Mode::Single => "ciphertexts of single values".into(),
            Mode::Bits => "ciphertexts of values bit by bit".into(),
        },
        bytes: reader.bytes(),
        parameter_digest: hex(&header.contents.parameter_digest),
        parameters: None,
        modulus: Some(header.contents.modulus),
        values: Some(header.values),
        ciphertexts: Some(header.encryptions()),
        key_id: Some(hex(&header.contents.key_id.0)),
    })
}

fn inspect_object(path: &Path, file: &[u8]) -> Result<Report> {
    let found = cryptable::inspect(file)?;
    Ok(Report {
        file: path.to_path_buf(),
        kind: found.object,
        bytes: file.len() as u64,
        parameter_digest: hex(&found.parameter_digest),
        parameters: found.parameters.as_ref().and_then(ParameterReport::new),
        modulus: found.values.map(|(_, modulus)| modulus),
        values: found.values.map(|(count, _)| count as u64),
        ciphertexts: found.values.map(|_| 1),
        key_id: found.client.map(|client| hex(&client.0)),
    })
}

#[derive(Serialize)]
struct Report {
    file: PathBuf,
    #[serde(rename = "type")]
    kind: String,
    bytes: u64,
    parameter_digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<ParameterReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modulus: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ciphertexts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_id: Option<String>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ParameterReport {
    Packed {
        #[serde(flatten)]
        literal: Box<ParametersLiteral>,
        log2_modulus: f64,
        security_bits: f64,
        predicted_log2_fail: f64,
    },
    Single(SingleParameters),
    Bits(BitsParameters),
    Circuit(CircuitReport),
}

impl ParameterReport {
    fn new(parameters: &InspectedParameters) -> Option<Self> {
        Some(match parameters {
            InspectedParameters::Packed(parameters) => Self::packed(parameters),
            InspectedParameters::Single(parameters) => {
                Self::Single(SingleParameters::new(parameters))
            }
            InspectedParameters::Leveled(parameters) => Self::Bits(BitsParameters::new(parameters)),
            InspectedParameters::Transciphering(parameters) => {
                Self::Circuit(CircuitReport::new(parameters.circuit_bootstrapping()))
            }
            // What a later version of the library may add.
            _ => return None,
        })
    }

    fn packed(parameters: &Parameters) -> Self {
        Self::Packed {
            literal: Box::new(parameters.literal().clone()),
            log2_modulus: parameters.log2_modulus(),
            security_bits: parameters.security_bits(),
            predicted_log2_fail: parameters.failure().log2_fail(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, kind) = (self.file.display(), &self.kind);
        writeln!(f, "{file}: {kind}, {}", bytes(self.bytes))?;
        writeln!(f, "  parameters  digest {}", self.parameter_digest)?;
        if let Some(parameters) = &self.parameters {
            write!(f, "{parameters}")?;
        }
        if let (Some(values), Some(modulus)) = (self.values, self.modulus) {
            let count = ciphertexts(self.ciphertexts.unwrap_or(1));
            writeln!(f, "  content     {values} values below {modulus} in {count}")?;
        }
        if let Some(id) = &self.key_id {
            writeln!(f, "  key         {id}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ParameterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed { literal, log2_modulus, security_bits, predicted_log2_fail } => {
                writeln!(
                    f,
                    "              {}: table {} -> {}, ring degree {}, {} values a ciphertext",
                    literal.name,
                    literal.input_modulus,
                    literal.output_modulus,
                    literal.ring_degree,
                    literal.slots
                )?;
                writeln!(
                    f,
                    "              modulus of {log2_modulus:.0} bits, {}{security_bits:.1} bits of security, \
                     failures below 2^{predicted_log2_fail:.1}",
                    warning(*security_bits),
                )
            }
            Self::Circuit(circuit) => write!(f, "{circuit}"),
            Self::Bits(parameters) => {
                let BitsParameters { set, input_modulus, output_modulus, .. } = parameters;
                writeln!(
                    f,
                    "              {set}: table {input_modulus} -> {output_modulus}, bit by bit"
                )?;
                write!(f, "{}", parameters.circuit)
            }
            Self::Single(parameters) => {
                writeln!(
                    f,
                    "              {}: table {} -> {}, single values of dimension {}, ring degree {}",
                    parameters.method,
                    parameters.input_modulus,
                    parameters.output_modulus,
                    parameters.lwe_dimension,
                    parameters.ring_degree,
                )?;
                writeln!(
                    f,
                    "              moduli of {} and {:.0} bits, {}{:.1} bits of security, failures below 2^{:.1}",
                    parameters.log2_lwe_modulus,
                    parameters.log2_prime,
                    warning(parameters.security_bits),
                    parameters.security_bits,
                    parameters.log2_fail
                )
            }
        }
    }
}
