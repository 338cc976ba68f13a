//! Sets of switching keys as parts of files: seed and stored words of each, in the order of the requests that a circuit
//! makes, so that no file says which keys it has.

use std::io::{self, Write};
use std::sync::Arc;

use cryptable_ring::Ring;
use cryptable_ring::random::Seed;
use cryptable_wire::{BodyReader, BodyWriter, HEADER_BYTES, WireError};

use crate::error::Result;
use crate::evaluation_keys::{EvaluationKeys, KeyRequest};
use crate::switching_key::{SharedBytes, SwitchingKey};

/// Counts the bytes of switching keys, padding included, without writing them.
///
/// # Errors
/// Those of the writer.
pub fn skip_switching_keys<W: Write>(
    writer: &mut BodyWriter<W>,
    requests: &[KeyRequest],
    degree: usize,
) -> io::Result<()> {
    requests.iter().try_for_each(|request| {
        writer.raw(&[0; Seed::BYTES])?;
        writer.skip_words(request.shape.half_words(degree))
    })
}

/// Writes a switching key: its seed, and its stored half.
///
/// # Errors
/// Those of the writer.
pub fn write_switching_key<W: Write>(
    writer: &mut BodyWriter<W>,
    key: &SwitchingKey,
) -> io::Result<()> {
    writer.raw(key.seed().as_bytes())?;
    writer.words(key.stored_words())
}

/// Demands as many bytes as the stored halves of these keys take: before anything is built of them.
///
/// # Errors
/// [`WireError::Truncated`].
pub fn check_switching_key_bytes(requests: &[KeyRequest], degree: usize, found: u64) -> Result<()> {
    let needed = requests.iter().map(|request| request.shape.stored_bytes(degree) as u64).sum();
    if found < needed {
        return Err(WireError::Truncated { name: "evaluation key", needed, found }.into());
    }
    Ok(())
}

/// Reads switching keys from the body of an object that starts at the first of `bytes`. Stored halves are not copied: they
/// are used where they lie.
///
/// # Errors
/// If bytes are missing or not aligned, or words are not below their primes.
pub fn read_switching_keys(
    ring: &Ring,
    requests: Vec<KeyRequest>,
    reader: &mut BodyReader<'_>,
    bytes: &SharedBytes,
) -> Result<EvaluationKeys> {
    let mut keys = EvaluationKeys::new();
    for request in requests {
        let seed = Seed::from_bytes(reader.array("seed of a switching key")?);
        let words = request.shape.half_words(ring.degree());
        let range = reader.words_in_place("words of a switching key", words)?;
        let (shared, offset) = (Arc::clone(bytes), HEADER_BYTES + range.start);
        let key = SwitchingKey::from_shared(ring, request.shape, seed, shared, offset).ok_or_else(
            || {
                let expected = "aligned words below their primes";
                WireError::invalid("a switching key", "other bytes", expected)
            },
        )?;
        keys.insert(request.purpose, key);
    }
    Ok(keys)
}
