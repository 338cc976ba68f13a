//! Decryption of whole integers, the results of some operations of bridges.

use std::fs::File;
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::SecretKey;
use cryptable::large_values::EncryptedIntegers;
use zeroize::Zeroizing;

use super::plan::HEADROOM_BITS;
use crate::args::{DecryptArgs, Global};
use crate::commands::decrypt;
use crate::input_file;
use crate::key_input::{self, of_keygen};

/// Decrypts whole integers, such as maxima, and removes their headroom.
pub fn run(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    let start = Instant::now();
    let name = || input_file::name(&args.input);
    let secrets = key.large_values().with_context(|| of_keygen(args.secret(), "bridge"))?;
    let input = key_input::map_file(file, &args.input)?;
    let found = EncryptedIntegers::from_bytes(input.as_ref()).with_context(name)?;
    let modulus = 1 << (secrets.parameters().bits() - HEADROOM_BITS);
    let integers = Zeroizing::new(secrets.decrypt(&found).with_context(name)?);
    let values = integers.iter().map(|integer| integer.rem_euclid(modulus) as u64);
    let values = Zeroizing::new(values.collect::<Vec<_>>());
    decrypt::write_all(global, args, key, &values, modulus as u128, start)
}
