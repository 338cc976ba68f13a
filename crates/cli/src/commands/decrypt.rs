//! `cryptable decrypt`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::{Contents, Engine, SecurityLevel};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::{CsvArgs, DecryptArgs, Global};
use crate::ciphertext_file;
use crate::formats::csv::Coding;
use crate::formats::domain::Domain;
use crate::formats::value_writer::{ValueWriter, WriteOptions};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file, key_input};

/// Decrypts a file of ciphertexts, one at a time.
///
/// # Errors
/// If a file cannot be read or written, or the ciphertexts are of another key.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = key_input::read_secret_key(global, &args.secret)?;
    let mut reader = ciphertext_file::open(&args.input)?;
    let (contents, values) = (reader.summary().contents, reader.summary().values);
    let parameters = key.parameters();
    let (engine, parameter_digest) = (key.engine(), parameters.digest());
    // Inputs and results have moduli of their own.
    let expected = Contents { engine, parameter_digest, key_id: key.id(), ..contents };
    ciphertext_file::check(&reader, &args.input, &expected, &args.secret)?;
    let input = input_file::shown(&args.input).printable();
    let domain = Domain { modulus: contents.modulus, signed: args.signed };
    let options = WriteOptions {
        format: args.format,
        column: args.column.as_deref(),
        join: args.join.as_deref(),
        csv: &CsvArgs {
            header: args.header,
            no_header: args.no_header,
            delimiter: args.delimiter,
            missing: None,
        },
        coding: Coding::open(args.dictionary.as_deref(), false, domain)?,
    };
    let mut writer = ValueWriter::create(&args.output, &options, values)?;
    while let Some(ciphertext) = reader.next_ciphertext().with_context(|| input.to_string())? {
        let plain = Zeroizing::new(key.decrypt(&ciphertext).with_context(|| input.to_string())?);
        writer.write(&plain)?;
    }
    let output_bytes = writer.commit()?;
    let security_level = parameters.security_level();
    report::note(
        global,
        key_input::insecurity(security_level, parameters.failure_probability(), &args.secret)
            .as_ref(),
    );
    let report = Report {
        output: args.output.clone(),
        engine,
        security_level,
        values,
        modulus: contents.modulus,
        output_bytes,
        decrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    engine: Engine,
    security_level: SecurityLevel,
    values: u64,
    modulus: u64,
    output_bytes: u64,
    decrypt_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} values below {}, {}, {}",
            atomic_file::shown(&self.output).printable(),
            self.values,
            self.modulus,
            bytes(self.output_bytes),
            seconds(self.decrypt_s)
        )
    }
}
