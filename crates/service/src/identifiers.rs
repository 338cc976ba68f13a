//! Identifiers and tokens that cannot be guessed.

use std::io;

use cryptable_wire::hex;
use rand::TryRngCore;
use rand::rngs::OsRng;

/// Returns `BYTES` random bytes as hexadecimal digits.
pub(crate) fn random_hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    OsRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

/// Returns a new identifier.
pub(crate) fn new_id() -> io::Result<String> {
    random_hex::<16>()
}
