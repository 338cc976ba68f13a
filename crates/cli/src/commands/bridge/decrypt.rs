//! `cryptable bridge decrypt`: bits, whole integers, leveled values, and packed digits of those.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::engines::{integer_bridge, leveled};
use cryptable::integers::large_values::EncryptedIntegers;
use cryptable::{CIPHERTEXT_FILE_MAGIC, Ciphertext, Engine, SecretKey};
use serde::Serialize;
use zeroize::Zeroizing;

use super::plan::HEADROOM_BITS;
use crate::args::{DecryptArgs, Global};
use crate::ciphertext_file::{self, Reader};
use crate::commands::decrypt;
use crate::formats::domain::Domain;
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{atomic_file, input_file, key_input};

/// Values, and what they are below.
struct Found {
    values: Zeroizing<Vec<u64>>,
    modulus: u64,
    signed: bool,
}

/// Decrypts what `bridge run` gave.
///
/// # Errors
/// If a file cannot be read or written, or the ciphertexts are of other keys.
pub fn run(global: Global, args: &DecryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = super::read_secret_key(global, &args.secret)?;
    let name = || input_file::shown(&args.input).printable();
    let input = key_input::map(&args.input)?;
    let is_list = input.as_ref().starts_with(&CIPHERTEXT_FILE_MAGIC);
    let found = match &key {
        SecretKey::IntegerBridge(secrets) if !is_list => {
            let read = EncryptedIntegers::from_bytes(input.as_ref()).with_context(name)?;
            Found { signed: args.signed, ..whole_integers(secrets, &read).with_context(name)? }
        }
        _ => {
            let reader = ciphertext_file::open(&args.input)?;
            let contents = reader.summary().contents;
            decrypt::check_signs(args, contents.signed)?;
            let found = match &key {
                SecretKey::LeveledBridge(both) if contents.engine == Engine::Packed => {
                    packed_digits(reader, both.parameters().single(), &key)
                }
                _ => values(reader, &key),
            };
            found.with_context(name)?
        }
    };
    let domain = Domain { modulus: found.modulus.into(), signed: found.signed };
    let mut writer = decrypt::create(args, domain, found.values.len() as u64)?;
    writer.write(&found.values)?;
    let output_bytes = writer.commit()?;
    let report = Report {
        output: args.output.clone(),
        values: found.values.len(),
        modulus: found.modulus,
        output_bytes,
        decrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Results of maximum and the like, which leave their headroom.
fn whole_integers(secrets: &integer_bridge::SecretKey, found: &EncryptedIntegers) -> Result<Found> {
    let bits = secrets.parameters().single().bits() - HEADROOM_BITS;
    let modulus = 1 << bits;
    let integers = Zeroizing::new(secrets.single().decrypt(found)?);
    let values = integers.iter().map(|integer| integer.rem_euclid(modulus) as u64);
    // Files of them do not say whether they are signed.
    let values = Zeroizing::new(values.collect());
    Ok(Found { values, modulus: modulus as u64, signed: false })
}

/// Values of one engine.
fn values(mut reader: Reader, key: &SecretKey) -> Result<Found> {
    let summary = *reader.summary();
    let modulus = summary.contents.modulus;
    let mut values = Zeroizing::new(Vec::with_capacity(summary.values as usize));
    while let Some(ciphertext) = reader.next_ciphertext()? {
        values.extend_from_slice(&Zeroizing::new(key.decrypt(&ciphertext)?));
    }
    Ok(Found { values, modulus, signed: summary.contents.signed })
}

/// Decrypts leveled values whose digits are in packed ciphertexts.
fn packed_digits(
    mut reader: Reader,
    leveled: &leveled::Parameters,
    key: &SecretKey,
) -> Result<Found> {
    let summary = *reader.summary();
    let each = digits(leveled);
    let modulus = summary.contents.modulus;
    let mut values = Zeroizing::new(Vec::with_capacity(summary.values as usize));
    let mut places: Vec<Ciphertext> = Vec::with_capacity(each);
    while let Some(ciphertext) = reader.next_ciphertext()? {
        places.push(ciphertext);
        if places.len() == each {
            let mut whole = Zeroizing::new(vec![0; places[0].count()]);
            for place in places.drain(..).rev() {
                let digits = Zeroizing::new(key.decrypt(&place)?);
                ensure!(
                    digits.len() == whole.len(),
                    "digits of {} and {} values",
                    digits.len(),
                    whole.len()
                );
                whole.iter_mut().zip(&*digits).for_each(|(x, digit)| *x = *x * modulus + digit);
            }
            values.extend_from_slice(&whole);
        }
    }
    ensure!(places.is_empty(), "{} of {each} digits are missing", each - places.len());
    let (modulus, signed) = (leveled.output_modulus(), summary.contents.signed);
    Ok(Found { values, modulus, signed })
}

/// Ciphertexts of a result.
fn digits(leveled: &leveled::Parameters) -> usize {
    leveled.ciphertexts_of(leveled.output_modulus())
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
