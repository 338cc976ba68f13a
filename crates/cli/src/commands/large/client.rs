//! Encryption of integers of engine `single`, and decryption of results.

use std::fs::File;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::large_values::{EncryptedIntegers, SmallValues};
use cryptable::{KeyParameters, SecretKey};
use cryptable_wire::ObjectType;
use serde_json::json;
use zeroize::Zeroizing;

use super::MORE_BITS;
use crate::args::{DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access};
use crate::commands::bridge::HEADROOM_BITS;
use crate::commands::decrypt;
use crate::commands::encrypt::open_input;
use crate::formats::csv::Coding;
use crate::formats::domain::Domain;
use crate::formats::values::next_values;
use crate::input_file;
use crate::key_input::{self, EncryptionKey, of_keygen};
use crate::report::{self, bytes, seconds};

/// Largest number of integers per file: a gigabyte of ciphertexts.
const MAX_INTEGERS: usize = 1 << 16;

/// Encrypts a file of integers, all at once.
pub fn encrypt(global: Global, args: &EncryptArgs, key: EncryptionKey<'_>) -> Result<()> {
    let start = Instant::now();
    let KeyParameters::LargeValues(parameters) = key.parameters() else {
        bail!("{}", of_keygen(args.key_file(), "compare"))
    };
    ensure!(
        args.canaries.file.is_none(),
        "--canaries: not supported for integers of --mode single"
    );
    ensure!(args.layout.is_none(), "--as: keys of keygen compare --mode single have one layout");
    let modulus = 1 << (parameters.bits() - MORE_BITS);
    let domain = Domain { modulus, signed: args.signed };
    let coding = Coding::open(args.dictionary.as_deref(), false, domain)?;
    let input = input_file::name(&args.input);
    let values = next_values(&mut open_input(args, coding)?, MAX_INTEGERS + 1)?;
    ensure!(values.len() <= MAX_INTEGERS, "{input}: more than {MAX_INTEGERS} integers");
    ensure!(!values.is_empty(), "{input} holds no values");
    let integers = values.iter().map(|&value| domain.integer(value) as i64);
    let integers = Zeroizing::new(integers.collect::<Vec<_>>());
    let encrypted: EncryptedIntegers = match key {
        EncryptionKey::Secret(key) => key.large_values()?.encrypt(&integers)?,
        EncryptionKey::Public(key) => key.encrypt_integers(&integers)?,
    };
    let size = atomic_file::write(&args.output, Access::Public, &encrypted.to_bytes(), true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    let encrypt_s = start.elapsed().as_secs_f64();
    let count = integers.len();
    let text = format!("{count} values below {modulus}, {}, {}", bytes(size), seconds(encrypt_s));
    let fields = json!({ "values": count, "modulus": modulus, "encrypt_s": encrypt_s });
    report::written(global, &args.output, size, fields, &text)
}

/// Decrypts integers, results of `bridge` or `compare`, or signs and comparisons of `compare`.
pub fn decrypt(
    global: Global,
    args: &DecryptArgs,
    key: &SecretKey,
    file: &File,
    object: ObjectType,
) -> Result<()> {
    let start = Instant::now();
    let name = || input_file::name(&args.input);
    let is_small = object == ObjectType::SmallValues;
    let job = if is_small { "compare" } else { "bridge" };
    let secret = key.large_values().with_context(|| of_keygen(args.secret(), job))?;
    let input = key_input::map_file(file, &args.input)?;
    let (values, modulus) = if is_small {
        let found = SmallValues::from_bytes(input.as_ref()).with_context(name)?;
        (Zeroizing::new(secret.decrypt_small(&found).with_context(name)?), found.modulus())
    } else {
        let found = EncryptedIntegers::from_bytes(input.as_ref()).with_context(name)?;
        let modulus = 1 << (secret.parameters().bits() - HEADROOM_BITS);
        let integers = Zeroizing::new(secret.decrypt(&found).with_context(name)?);
        let values = integers.iter().map(|integer| integer.rem_euclid(modulus) as u64);
        (Zeroizing::new(values.collect()), modulus as u64)
    };
    decrypt::write_values(global, args, &values, modulus.into(), start)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    Ok(())
}
