//! `cryptable decrypt`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::{coding, read_secret_key};
use crate::args::{CsvArgs, DecryptArgs, Global};
use crate::container::ContainerReader;
use crate::formats::domain::Domain;
use crate::formats::value_writer::{ValueWriter, WriteOptions};
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file};

/// Decrypts a file of ciphertexts, one at a time.
///
/// # Errors
/// If a file cannot be read or written, or the ciphertexts are of another key.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = read_secret_key(&args.secret)?;
    let mut reader = ContainerReader::open(&args.input)?;
    reader.check_parameters(key.mode(), key.parameter_digest(), &args.secret)?;
    let input = input_file::shown(&args.input).display();
    ensure!(
        reader.header().contents.key_id == key.id(),
        "{input}: encrypted under another secret key than {}",
        args.secret.display()
    );
    let (modulus, values) = (reader.header().contents.modulus, reader.header().values);
    let domain = Domain { modulus, signed: args.signed };
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
        coding: coding(args.dictionary.as_deref(), false, domain)?,
    };
    let mut writer = ValueWriter::create(&args.output, &options, values)?;
    while let Some(ciphertext) = reader.next_ciphertext()? {
        let plain = key.decrypt(&ciphertext).with_context(|| input.to_string())?;
        writer.write(&plain)?;
    }
    let report = Report {
        output: args.output.clone(),
        values,
        modulus,
        output_bytes: writer.commit()?,
        decrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
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
            atomic_file::shown(&self.output).display(),
            self.values,
            self.modulus,
            bytes(self.output_bytes),
            seconds(self.decrypt_s)
        )
    }
}
