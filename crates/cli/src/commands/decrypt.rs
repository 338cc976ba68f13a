//! `cryptable decrypt`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::read_secret_key;
use crate::args::{DecryptArgs, Global};
use crate::container::ContainerReader;
use crate::formats::ValueWriter;
use crate::report::{self, bytes, seconds};

/// Decrypts a file of ciphertexts, one at a time.
///
/// # Errors
/// If a file cannot be read or written, or the ciphertexts are of another key.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = read_secret_key(&args.key)?;
    let mut reader = ContainerReader::open(&args.input)?;
    reader.check_parameters(key.mode(), key.parameter_digest(), &args.key)?;
    ensure!(
        reader.header().contents.key_id == key.id(),
        "{}: encrypted under another secret key than {}",
        args.input.display(),
        args.key.display()
    );
    let (modulus, values) = (reader.header().contents.modulus, reader.header().values);
    let column = args.column.as_deref();
    let mut writer = ValueWriter::create(&args.output, args.format, column, modulus, values)?;
    while let Some(ciphertext) = reader.next_ciphertext()? {
        let plain = key.decrypt(&ciphertext).with_context(|| args.input.display().to_string())?;
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
            self.output.display(),
            self.values,
            self.modulus,
            bytes(self.output_bytes),
            seconds(self.decrypt_s)
        )
    }
}
