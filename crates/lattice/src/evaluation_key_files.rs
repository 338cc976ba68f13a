//! Sets of switching keys as parts of files: seed and bodies of each, packed rows of residues, in the order of the
//! requests that a circuit makes, so that no file says which keys it has.

use std::io::{self, Write};
use std::sync::Arc;

use cryptable_ring::random::Seed;
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::{BodyReader, BodyWriter, HEADER_BYTES, WireError};

use crate::error::Result;
use crate::evaluation_keys::{EvaluationKeys, KeyRequest};
use crate::switching_key::{SharedBytes, StoredKey, SwitchingKey};

/// Counts the bytes of switching keys, padding included, without writing them.
///
/// # Errors
/// Those of the writer.
pub fn skip_switching_keys<W: Write>(
    writer: &mut BodyWriter<W>,
    requests: &[KeyRequest],
    moduli: &RingModuli,
) -> io::Result<()> {
    requests.iter().try_for_each(|request| {
        writer.raw(&[0; Seed::BYTES])?;
        writer.skip(request.shape.body_bytes(moduli));
        Ok(())
    })
}

/// Writes a switching key: its seed, and its bodies.
///
/// # Errors
/// Those of the writer.
pub fn write_switching_key<W: Write>(
    writer: &mut BodyWriter<W>,
    key: StoredKey<'_>,
) -> io::Result<()> {
    writer.raw(key.seed.as_bytes())?;
    writer.raw(key.rows)
}

/// Demands as many bytes as the bodies of these keys take: before anything is built of them.
///
/// # Errors
/// [`WireError::Truncated`].
pub fn check_switching_key_bytes(
    requests: &[KeyRequest],
    moduli: &RingModuli,
    found: u64,
) -> Result<()> {
    let bytes = requests.iter().map(|request| request.shape.stored_bytes(moduli) as u64);
    let needed = bytes.fold(0, u64::saturating_add);
    if found < needed {
        return Err(WireError::Truncated { name: "evaluation key", needed, found }.into());
    }
    Ok(())
}

/// Reads switching keys from the body of an object that starts at the first of `bytes`. Bodies are not copied: they
/// are used where they lie.
///
/// # Errors
/// If bytes are missing, or words are not below their primes.
pub fn read_switching_keys(
    ring: &Ring,
    requests: Vec<KeyRequest>,
    reader: &mut BodyReader<'_>,
    bytes: &SharedBytes,
) -> Result<EvaluationKeys> {
    let mut keys = EvaluationKeys::new();
    for request in requests {
        let seed = Seed::from_bytes(reader.array("seed of a switching key")?);
        let (shared, offset) = (Arc::clone(bytes), HEADER_BYTES + reader.position());
        reader.raw("rows of a switching key", request.shape.body_bytes(ring.moduli()))?;
        let key = SwitchingKey::from_shared(ring, request.shape, seed, shared, offset).ok_or_else(
            || {
                let expected = "words below their primes";
                WireError::invalid("a switching key", "other bytes", expected)
            },
        )?;
        keys.insert(request.purpose, key);
    }
    Ok(keys)
}
