//! Identifiers and tokens that nobody guesses.

use std::io;

use cryptable_wire::hex;
use rand::TryRngCore;
use rand::rngs::OsRng;

/// So many random bytes in hexadecimal digits.
pub(crate) fn random_hex<const BYTES: usize>() -> io::Result<String> {
    let mut bytes = [0; BYTES];
    OsRng.try_fill_bytes(&mut bytes).map_err(io::Error::other)?;
    Ok(hex(&bytes))
}

/// A new identifier.
pub(crate) fn new_id() -> io::Result<String> {
    random_hex::<16>()
}
