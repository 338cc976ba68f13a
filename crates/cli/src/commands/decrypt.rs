//! `cryptable decrypt`.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::comparisons::Digits;
use cryptable::wide::words_of_bits;
use cryptable::{Ciphertext, Contents, Engine, Parameters, SecretKey, SecurityLevel};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::{CsvArgs, DecryptArgs, Global};
use crate::ciphertext_file;
use crate::formats::csv::Coding;
use crate::formats::domain::Domain;
use crate::formats::value_writer::{ValueWriter, WriteOptions};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds, values};
use crate::{atomic_file, input_file, key_input};

/// Decrypts a file of ciphertexts, one at a time.
///
/// # Errors
/// If a file cannot be read or written, or the ciphertexts are of another key.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    decrypt(global, args, |_, _| Ok(Layout::Values))
}

/// As [`run`], of what `compare run` gave, or `compare encrypt`: bits, or integers, which may be in digits.
///
/// # Errors
/// As [`run`]; if the key is of another engine, or digits are missing.
pub fn run_integers(global: Global, args: &DecryptArgs) -> Result<()> {
    decrypt(global, args, |parameters, modulus| {
        let sizes = parameters.packed()?.integer_digits();
        Ok(match modulus {
            2 => Layout::Values,
            modulus if modulus == parameters.input_modulus() => Layout::Integers(sizes),
            _ => Layout::Digits(sizes),
        })
    })
}

/// As [`run`], of what `wide lookup` gave, or `wide encrypt`: values of so many bits in words.
///
/// # Errors
/// As [`run`]; if the key is of another engine, or words are missing.
pub fn run_words(global: Global, args: &DecryptArgs, bits: u32) -> Result<()> {
    decrypt(global, args, |parameters, modulus| {
        parameters.packed()?;
        Ok(Layout::Words { count: words_of_bits(bits, modulus), bits })
    })
}

/// What a ciphertext of a file holds, with sizes of digits.
enum Layout {
    /// Values.
    Values,
    /// Integers with headroom.
    Integers(Vec<u64>),
    /// One digit of some integers; those that follow are in the next ones.
    Digits(Vec<u64>),
    /// One of so many words of values of so many bits.
    Words { count: usize, bits: u32 },
}

impl Layout {
    /// Ciphertexts of some integers.
    fn ciphertexts(&self) -> usize {
        match self {
            Self::Digits(sizes) => sizes.len(),
            Self::Words { count, .. } => *count,
            Self::Values | Self::Integers(_) => 1,
        }
    }

    /// The modulus of what is decrypted, of ciphertexts of this one.
    fn modulus(&self, modulus: u64) -> u128 {
        match self {
            Self::Values => modulus.into(),
            Self::Integers(sizes) | Self::Digits(sizes) => {
                sizes.iter().map(|&size| u128::from(size)).product()
            }
            Self::Words { bits, .. } => 1 << bits,
        }
    }

    /// What some ciphertexts hold.
    fn decrypt(&self, key: &SecretKey, found: Vec<Ciphertext>) -> Result<Zeroizing<Vec<u64>>> {
        Ok(match self {
            Self::Values => Zeroizing::new(key.decrypt(&found[0])?),
            Self::Integers(_) => {
                let mut values = Zeroizing::new(key.decrypt(&found[0])?);
                let modulus = self.modulus(found[0].modulus());
                values.iter_mut().for_each(|value| *value = (u128::from(*value) % modulus) as u64);
                values
            }
            Self::Words { .. } => {
                let words = found.iter().map(|word| Ok(word.packed()?[0].clone()));
                let words = words.collect::<cryptable::Result<Vec<_>>>()?;
                Zeroizing::new(key.packed()?.decrypt_words(&words)?)
            }
            Self::Digits(_) => {
                let digits = Digits::new(&key.lookup_parameters()?, found)?;
                key.decrypt_digits(&digits)?
            }
        })
    }
}

/// Starts the file of so many values that the arguments name.
///
/// # Errors
/// If the values do not fit the format, or the file cannot be created.
pub fn create(args: &DecryptArgs, domain: Domain, values: u64) -> Result<ValueWriter> {
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
    ValueWriter::create(&args.output, &options, values)
}

/// Whether values are signed, which their file says; checks that options do not say otherwise.
///
/// # Errors
/// If they do.
pub fn check_signs(args: &DecryptArgs, found: bool) -> Result<bool> {
    let input = || input_file::shown(&args.input).printable();
    ensure!(
        found || !args.signed,
        "--signed: {} holds unsigned values; encrypt and sum take --signed, and so does lookup for the outputs of tables",
        input()
    );
    ensure!(
        !found || args.dictionary.is_none(),
        "--dictionary: {} holds signed values, and words stand for unsigned ones",
        input()
    );
    Ok(found)
}

fn decrypt(
    global: Global,
    args: &DecryptArgs,
    layout: impl Fn(&Parameters, u64) -> Result<Layout>,
) -> Result<()> {
    let start = Instant::now();
    let key = key_input::read_secret_key(global, &args.secret)?;
    let mut reader = ciphertext_file::open(&args.input)?;
    let contents = reader.summary().contents;
    let parameters = key.lookup_parameters()?;
    let (engine, parameter_digest) = (parameters.engine(), parameters.digest());
    // Inputs and results have moduli of their own.
    let expected = Contents { engine, parameter_digest, key_id: key.id(), ..contents };
    ciphertext_file::check(&reader, &args.input, &expected, &args.secret)?;
    let input = input_file::shown(&args.input).printable();
    let layout = layout(&parameters, contents.modulus).with_context(|| input.to_string())?;
    let each = layout.ciphertexts();
    let (values, modulus) =
        (reader.summary().values / each as u64, layout.modulus(contents.modulus));
    let domain = Domain { modulus, signed: check_signs(args, contents.signed)? };
    let mut writer = create(args, domain, values)?;
    let mut found = Vec::with_capacity(each);
    while let Some(ciphertext) = reader.next_ciphertext().with_context(|| input.to_string())? {
        found.push(ciphertext);
        if found.len() == each {
            let found = std::mem::take(&mut found);
            writer.write(&layout.decrypt(&key, found).with_context(|| input.to_string())?)?;
        }
    }
    let missing = each - found.len();
    ensure!(found.is_empty(), "{input}: {missing} of {each} digits or words are missing");
    let output_bytes = writer.commit()?;
    key_input::warn_of_insecurity(global, &key, &args.secret);
    let report = Report {
        output: args.output.clone(),
        engine,
        security_level: parameters.security_level(),
        values,
        modulus,
        output_bytes,
        decrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    engine: Engine,
    security_level: SecurityLevel,
    values: u64,
    modulus: u128,
    output_bytes: u64,
    decrypt_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} below {}, {}, {}",
            atomic_file::shown(&self.output).printable(),
            values(self.values),
            self.modulus,
            bytes(self.output_bytes),
            seconds(self.decrypt_s)
        )
    }
}
