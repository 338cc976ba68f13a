//! The client's commands for columns of integers: encryption and decryption.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::integers::{
    self, AnyColumn, ColumnKind, ColumnWriter, DigitCiphertext, DigitDecryption, DigitEncryption,
};
use cryptable::{KeyKind, SecretKey};
use serde_json::json;
use zeroize::Zeroizing;

use super::column_file::ColumnFile;
use crate::args::{DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::commands::canaries::{Hidden, ResultCheck};
use crate::commands::decrypt::create;
use crate::commands::encrypt::open_input;
use crate::formats::csv::{Coding, ReadNote};
use crate::formats::domain::Domain;
use crate::formats::values::next_values;
use crate::input_file;
use crate::key_input::{self, EncryptionKey};
use crate::report::{self, Report, bytes, seconds};

/// Encrypts a file of integers, with the values of one ciphertext in memory at a time.
pub fn encrypt(global: Global, files: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    let start = Instant::now();
    let bits =
        files.bits.context("--as integers needs --bits: 8, 16, 32 or 64, or 1 for booleans")?;
    ensure!(bits > 1 || !files.signed, "booleans have no sign");
    let kind = ColumnKind::new(bits, files.signed)?;
    let domain = Domain { modulus: 1 << kind.bits(), signed: kind.is_signed() };
    let coding = Coding::open(files.dictionary.as_deref(), files.extend, domain)?;
    let mut values = open_input(files, coding.clone())?;
    let mut writer = ColumnWriter::new(atomic_file::create(&files.output, Access::Public)?);
    let room = key.parameters().lookups()?.values_per_part();
    let hidden = Hidden::among(files, key, Some(kind.bits()), domain, &mut values)?;
    let count = {
        let mut source: Box<dyn Iterator<Item = Result<u64>> + '_> = match &hidden {
            Some(hidden) => Box::new(hidden.list.iter().map(|&value| Ok(value))),
            None => Box::new(values.by_ref()),
        };
        encrypt_by(key, kind, room, &mut *source, &mut writer)?
    };
    ensure!(count > 0, "{} holds no values", input_file::name(&files.input));
    let own = hidden.as_ref().map_or(count, |hidden| hidden.own);
    let (canary_files, canaries) = hidden.map(|hidden| (hidden.files, hidden.report)).unzip();
    if let Coding::Words(book, _) = &coding {
        book.borrow().save()?;
    }
    let mut outputs: Vec<AtomicFile> = canary_files.unwrap_or_default();
    outputs.push(writer.finish()?);
    let output_bytes = *AtomicFile::commit_all(outputs, true)?.last().context("a file")?;
    key_input::warn_of_insecurity(global, &key.parameters(), files.key_file());
    report::note(global, values.note());
    let column = Done { values: own, kind, canaries, output_bytes };
    report_column(global, &files.output, column, values.note(), start)
}

/// Encrypts all values by whichever key there is, and returns their number.
fn encrypt_by(
    key: EncryptionKey<'_>,
    kind: ColumnKind,
    room: usize,
    source: &mut dyn Iterator<Item = Result<u64>>,
    out: &mut ColumnWriter<AtomicFile>,
) -> Result<u64> {
    let wrong_engine = "integers need keys for packed or single values";
    match (key, key.parameters().kind()) {
        (EncryptionKey::Secret(key), KeyKind::Packed) => {
            encrypt_all(key.packed()?, kind, room, source, out)
        }
        (EncryptionKey::Secret(key), _) => {
            encrypt_all(key.single().context(wrong_engine)?, kind, room, source, out)
        }
        (EncryptionKey::Public(key), KeyKind::Packed) => {
            encrypt_all(key.packed()?, kind, room, source, out)
        }
        (EncryptionKey::Public(key), _) => {
            encrypt_all(key.single().context(wrong_engine)?, kind, room, source, out)
        }
    }
}

/// Encrypts all values of a file, and returns their number.
fn encrypt_all<S: DigitEncryption<Ciphertext: DigitCiphertext>>(
    key: &S,
    kind: ColumnKind,
    room: usize,
    values: &mut dyn Iterator<Item = Result<u64>>,
    writer: &mut ColumnWriter<AtomicFile>,
) -> Result<u64> {
    let mut total = 0;
    while let chunk = next_values(values, room)?
        && !chunk.is_empty()
    {
        total += chunk.len() as u64;
        if kind == ColumnKind::BOOLEANS {
            let booleans =
                Zeroizing::new(chunk.iter().map(|&value| value == 1).collect::<Vec<_>>());
            writer.push(&integers::encrypt_booleans(key, &booleans)?)?;
            continue;
        }
        writer.push(&integers::encrypt_words(key, kind, &chunk)?)?;
    }
    Ok(total)
}

/// Decrypts a file of integers or booleans.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: File) -> Result<()> {
    let start = Instant::now();
    let decrypted = match key.kind() {
        KeyKind::Packed => decrypt_all(global, key, key.packed()?, args, file)?,
        _ => {
            let single = key.single().context("integers need keys for packed or single values")?;
            decrypt_all(global, key, single, args, file)?
        }
    };
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    report_column(global, &args.output, decrypted, None, start)
}

/// A column that was encrypted or decrypted.
struct Done {
    values: u64,
    kind: ColumnKind,
    canaries: Option<Report>,
    output_bytes: u64,
}

fn decrypt_all<S: DigitDecryption<Ciphertext: DigitCiphertext>>(
    global: Global,
    key: &SecretKey,
    secret: &S,
    args: &DecryptArgs,
    file: File,
) -> Result<Done> {
    let mut file = ColumnFile::<S::Ciphertext>::read(file, &args.input)?;
    file.check_key(key.parameters().digest(), key.id(), args.secret())?;
    let kind = file.summary().kind;
    ensure!(!args.signed || kind.is_signed(), "{}: {kind}, which have no sign", file.name());
    let domain = Domain { modulus: 1 << kind.bits(), signed: kind.is_signed() };
    let mut check = ResultCheck::open(global, args, key, domain, file.values())?;
    let values = check.as_ref().map_or(file.values(), ResultCheck::own_values);
    let mut writer = create(args, &args.output, domain, values)?;
    for _ in 0..file.parts() {
        let part = decrypt_part(secret, &mut file)?;
        match &mut check {
            Some(check) => check.push(&part),
            None => writer.write(&part)?,
        }
    }
    let canaries = check.map(|check| check.finish(&mut writer)).transpose();
    let canaries = canaries.with_context(|| file.name().to_string())?;
    Ok(Done { values, kind, canaries, output_bytes: writer.commit()? })
}

/// Decrypts the next part of a file to words.
fn decrypt_part<S: DigitDecryption<Ciphertext: DigitCiphertext>>(
    secret: &S,
    file: &mut ColumnFile<S::Ciphertext>,
) -> Result<Zeroizing<Vec<u64>>> {
    Ok(match file.next_part()? {
        AnyColumn::Integers(column) => Zeroizing::new(integers::decrypt_words(secret, &column)?),
        AnyColumn::Booleans(column) => {
            let values = Zeroizing::new(integers::decrypt_booleans(secret, &column)?);
            Zeroizing::new(values.iter().map(|&value| value.into()).collect())
        }
    })
}

/// Reports a column that was encrypted or decrypted.
fn report_column(
    global: Global,
    output: &Path,
    column: Done,
    read: Option<&ReadNote>,
    start: Instant,
) -> Result<()> {
    let Done { values, kind, canaries, output_bytes } = column;
    let time = start.elapsed().as_secs_f64();
    let mut text = format!("{values} values, {kind}, {}, {}", bytes(output_bytes), seconds(time));
    text.extend(canaries.as_ref().map(|canaries| format!("\n  {canaries}")));
    let mut fields = json!({ "values": values, "type": kind.to_string(), "seconds": time });
    report::add(&mut fields, json!({ "read": read }));
    report::extend(&mut fields, canaries);
    report::written(global, output, output_bytes, fields, &text)
}
