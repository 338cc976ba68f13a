//! Decryption of whole integers, the results of some operations of bridges.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::SecretKey;
use cryptable::large_values::EncryptedIntegers;
use serde::Serialize;
use zeroize::Zeroizing;

use super::plan::HEADROOM_BITS;
use crate::args::{DecryptArgs, Global};
use crate::commands::decrypt;
use crate::formats::domain::Domain;
use crate::key_input::{self, of_keygen};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file};

/// Decrypts whole integers, such as maxima, and removes their headroom.
///
/// # Errors
/// If a file cannot be read or written, or if the integers have another key.
pub fn run(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    let start = Instant::now();
    let name = || input_file::shown(&args.input).printable();
    let secrets = key.large_values().with_context(|| of_keygen(&args.secret, "bridge"))?;
    let input = key_input::map_file(file, &args.input)?;
    let found = EncryptedIntegers::from_bytes(input.as_ref()).with_context(name)?;
    let modulus = 1 << (secrets.parameters().bits() - HEADROOM_BITS);
    let integers = Zeroizing::new(secrets.decrypt(&found).with_context(name)?);
    let values = integers.iter().map(|integer| integer.rem_euclid(modulus) as u64);
    let values = Zeroizing::new(values.collect::<Vec<_>>());
    // The file does not state whether they are signed.
    let domain = Domain { modulus: modulus as u128, signed: args.signed };
    let mut writer = decrypt::create(args, domain, values.len() as u64)?;
    writer.write(&values)?;
    let report = Report {
        output: args.output.clone(),
        values: values.len(),
        modulus: modulus as u64,
        output_bytes: writer.commit()?,
        decrypt_s: start.elapsed().as_secs_f64(),
    };
    key_input::warn_of_insecurity(global, &key.parameters(), &args.secret);
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    values: usize,
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
