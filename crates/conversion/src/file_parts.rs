//! Objects within objects: parameters of several parts, and keys within a file that is shared, such as a memory-mapped one.

use std::ops::Range;

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{BodyReader, WireError, body_bytes};

/// Longest part of parameters.
const MAX_PARAMETER_BYTES: u64 = 1 << 15;

/// Parts of parameters one after another, each with its length.
pub(crate) fn joined_parameters(parts: [Vec<u8>; 3]) -> Vec<u8> {
    body_bytes(|writer| parts.iter().try_for_each(|part| writer.bytes(part)))
}

/// The parts that [`joined_parameters`] joined, by their names in errors.
///
/// # Errors
/// If the number of parts is another.
pub(crate) fn split_parameters<'a>(
    bytes: &'a [u8],
    names: [&'static str; 3],
) -> Result<[&'a [u8]; 3], WireError> {
    let mut reader = BodyReader::new(bytes);
    let mut part = |index: usize| reader.bytes(names[index], MAX_PARAMETER_BYTES);
    let parts = [part(0)?, part(1)?, part(2)?];
    reader.finish()?;
    Ok(parts)
}

/// Name of a part in errors.
pub(crate) const PART: &str = "part of a key";

/// Some of the bytes that others share.
pub(crate) struct Part {
    pub(crate) all: SharedBytes,
    pub(crate) range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &(*self.all).as_ref()[self.range.clone()]
    }
}
