//! The client's commands for columns of integers: encryption and decryption.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::integers::{
    self, BooleanColumn, Column, ColumnKind, ColumnWriter, DigitCiphertext, DigitDecryption,
    DigitEncryption, IntegerColumn,
};
use cryptable::{KeyKind, SecretKey};
use serde::Serialize;
use zeroize::{Zeroize, Zeroizing};

use super::column_file::ColumnFile;
use super::with_integer;
use crate::args::{DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::commands::decrypt::create;
use crate::commands::encrypt::EncryptionKey;
use crate::formats::csv::{Coding, ReadNote};
use crate::formats::domain::Domain;
use crate::formats::values::{ValueOptions, Values, open_values};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input};

/// Encrypts a file of integers, with the values of one ciphertext in memory at a time.
///
/// # Errors
/// If a file cannot be read or written, or if a value is out of range.
pub fn encrypt(global: Global, files: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    let start = Instant::now();
    let bits =
        files.bits.context("--as integers takes --bits: 8, 16, 32 or 64, or 1 of booleans")?;
    ensure!(bits > 1 || !files.signed, "booleans have no sign");
    let kind = ColumnKind::new(bits, files.signed)?;
    let domain = Domain { modulus: 1 << kind.bits(), signed: kind.is_signed() };
    let coding = Coding::open(files.dictionary.as_deref(), files.extend, domain)?;
    let (format, column, csv) = (files.format, files.column.as_deref(), &files.csv);
    let options = ValueOptions { format, column, csv, coding: coding.clone() };
    let mut values = open_values(&files.input, &options)?;
    let mut writer = ColumnWriter::new(atomic_file::create(&files.output, Access::Public)?);
    let room = key.parameters().lookups()?.values_per_part();
    let (source, out) = (&mut values, &mut writer);
    let wrong_engine = "integers are of packed or single values";
    let count = match (key, key.parameters().kind()) {
        (EncryptionKey::Secret(key), KeyKind::Packed) => {
            encrypt_all(key.packed()?, kind, room, source, out)?
        }
        (EncryptionKey::Secret(key), _) => {
            encrypt_all(key.single().context(wrong_engine)?, kind, room, source, out)?
        }
        (EncryptionKey::Public(key), KeyKind::Packed) => {
            encrypt_all(key.packed()?, kind, room, source, out)?
        }
        (EncryptionKey::Public(key), _) => {
            encrypt_all(key.single().context(wrong_engine)?, kind, room, source, out)?
        }
    };
    ensure!(count > 0, "{} holds no values", input_file::shown(&files.input).printable());
    if let Coding::Words(book, _) = &coding {
        book.borrow().save()?;
    }
    let output_bytes = writer.finish()?.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), files.key_file());
    report::note(global, values.note());
    let report = Report {
        output: files.output.clone(),
        read: values.note().cloned(),
        values: count,
        kind: kind.to_string(),
        output_bytes,
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Encrypts all values of a file, and returns their number.
fn encrypt_all<S: DigitEncryption<Ciphertext: DigitCiphertext>>(
    key: &S,
    kind: ColumnKind,
    room: usize,
    values: &mut Values,
    writer: &mut ColumnWriter<AtomicFile>,
) -> Result<u64> {
    let mut total = 0;
    loop {
        let mut chunk = Zeroizing::new(Vec::with_capacity(room));
        for value in values.by_ref().take(room) {
            chunk.push(value?);
        }
        if chunk.is_empty() {
            return Ok(total);
        }
        total += chunk.len() as u64;
        if kind == ColumnKind::BOOLEANS {
            let booleans =
                Zeroizing::new(chunk.iter().map(|&value| value == 1).collect::<Vec<_>>());
            writer.push(&integers::encrypt_booleans(key, &booleans)?)?;
            continue;
        }
        with_integer!(kind, T => {
            let integers: Vec<T> =
                chunk.iter().map(|&value| integers::Integer::from_word(value)).collect();
            let integers = Zeroizing::new(integers);
            writer.push(&integers::encrypt(key, &integers)?)?;
        });
    }
}

/// Decrypts a file of integers or booleans.
///
/// # Errors
/// If a file cannot be read or written, or if the column has another key.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: File) -> Result<()> {
    let start = Instant::now();
    let (values, kind, output_bytes) = match key.kind() {
        KeyKind::Packed => decrypt_all(key, key.packed()?, args, file)?,
        _ => {
            let single = key.single().context("integers are of packed or single values")?;
            decrypt_all(key, single, args, file)?
        }
    };
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    let report = Report {
        output: args.output.clone(),
        read: None,
        values,
        kind: kind.to_string(),
        output_bytes,
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

fn decrypt_all<S: DigitDecryption<Ciphertext: DigitCiphertext>>(
    key: &SecretKey,
    secret: &S,
    args: &DecryptArgs,
    file: File,
) -> Result<(u64, ColumnKind, u64)> {
    let mut file = ColumnFile::<S::Ciphertext>::read(file, &args.input)?;
    file.check_key(key.parameters().digest(), key.id(), args.secret())?;
    let kind = file.summary().kind;
    ensure!(!args.signed || kind.is_signed(), "{}: {kind}, which have no sign", file.name());
    let domain = Domain { modulus: 1 << kind.bits(), signed: kind.is_signed() };
    let mut writer = create(args, domain, file.values())?;
    for _ in 0..file.parts() {
        writer.write(&decrypt_part(secret, &mut file, kind)?)?;
    }
    Ok((file.values(), kind, writer.commit()?))
}

/// Decrypts the next part of a file to words.
fn decrypt_part<S: DigitDecryption<Ciphertext: DigitCiphertext>>(
    secret: &S,
    file: &mut ColumnFile<S::Ciphertext>,
    kind: ColumnKind,
) -> Result<Zeroizing<Vec<u64>>> {
    fn words<T: Zeroize>(values: Vec<T>, word: impl Fn(&T) -> u64) -> Zeroizing<Vec<u64>>
    where
        Vec<T>: Zeroize,
    {
        let values = Zeroizing::new(values);
        Zeroizing::new(values.iter().map(word).collect())
    }
    fn next<C: DigitCiphertext, X: Column<C>>(file: &mut ColumnFile<C>) -> Result<X> {
        file.next_part()
    }
    if kind == ColumnKind::BOOLEANS {
        let column: BooleanColumn<S::Ciphertext> = next(file)?;
        return Ok(words(integers::decrypt_booleans(secret, &column)?, |&value| value.into()));
    }
    with_integer!(kind, T => {
        let column: IntegerColumn<T, S::Ciphertext> = next(file)?;
        Ok(words(integers::decrypt(secret, &column)?, |value| integers::Integer::to_word(*value)))
    })
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<ReadNote>,
    values: u64,
    #[serde(rename = "type")]
    kind: String,
    output_bytes: u64,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} values, {}, {}, {}",
            atomic_file::shown(&self.output).printable(),
            self.values,
            self.kind,
            bytes(self.output_bytes),
            seconds(self.seconds)
        )
    }
}
