//! Objects within objects: parameters of several parts, and keys within shared bytes, such as a memory-mapped file.

use std::ops::Range;
use std::sync::Arc;

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{BodyReader, CHECKSUM_BYTES, HEADER_BYTES, WireError, body_bytes};

/// Longest encoding of one part of parameters, in bytes.
const MAX_PARAMETER_BYTES: u64 = 1 << 15;

/// Joins parts of parameters, each preceded by its length.
pub(crate) fn joined_parameters(parts: [Vec<u8>; 3]) -> Vec<u8> {
    body_bytes(|writer| parts.iter().try_for_each(|part| writer.bytes(part)))
}

/// Splits the output of [`joined_parameters`]; `names` names the parts in errors.
///
/// # Errors
/// If the number of parts differs.
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

/// A range of shared bytes.
pub(crate) struct Part {
    pub(crate) all: SharedBytes,
    pub(crate) range: Range<usize>,
}

impl Part {
    /// Returns the last part of an object, which is used in place: all bytes after those that `reader` has read and
    /// zeros up to a multiple of 8 bytes.
    ///
    /// # Errors
    /// If bytes are missing.
    pub(crate) fn last(
        all: &SharedBytes,
        reader: &mut BodyReader<'_>,
        name: &'static str,
    ) -> Result<Self, WireError> {
        let start = HEADER_BYTES + reader.words_in_place(name, 0)?.start;
        let range = start..(**all).as_ref().len() - CHECKSUM_BYTES;
        Ok(Self { all: Arc::clone(all), range })
    }
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &(*self.all).as_ref()[self.range.clone()]
    }
}

#[cfg(feature = "client")]
pub(crate) use writing::{ServerFile, pair_bytes};

#[cfg(feature = "client")]
mod writing {
    use std::io::Write;

    use cryptable_lattice::Result;
    use cryptable_ring::clear_stack;
    use cryptable_wire::{KeyId, ObjectType, ObjectWriter, body_bytes, secret_key_bytes};
    use zeroize::Zeroizing;

    /// Returns secret keys of two engines as one object: parameters, then both keys, each with its length.
    pub(crate) fn pair_bytes(
        object_type: ObjectType,
        digest: [u8; 32],
        parameters: &[u8],
        keys: [Zeroizing<Vec<u8>>; 2],
    ) -> Zeroizing<Vec<u8>> {
        let length = keys.iter().map(|key| 8 + key.len()).sum();
        let bytes = secret_key_bytes(object_type, &digest, parameters, length, |writer| {
            keys.iter().try_for_each(|key| writer.bytes(key))
        });
        clear_stack();
        bytes
    }

    /// A server's file without the largest key, which stands at its end.
    pub(crate) struct ServerFile<'a> {
        pub(crate) object_type: ObjectType,
        pub(crate) digest: [u8; 32],
        /// Parameters, or their name.
        pub(crate) parameters: &'a [u8],
        pub(crate) ids: [KeyId; 2],
        /// Smaller keys.
        pub(crate) parts: &'a [Vec<u8>],
    }

    impl ServerFile<'_> {
        /// Writes the file. `write_last` writes the largest key, of `last_bytes` bytes, while it generates it.
        ///
        /// # Errors
        /// If writing fails.
        pub(crate) fn write(
            self,
            out: &mut dyn Write,
            last_bytes: u64,
            write_last: impl FnOnce(&mut dyn Write) -> Result<()>,
        ) -> Result<()> {
            let head = body_bytes(|writer| {
                writer.bytes(self.parameters)?;
                self.ids.iter().try_for_each(|id| writer.raw(&id.0))?;
                self.parts.iter().try_for_each(|part| writer.bytes(part))?;
                // Writes no words, only their alignment.
                writer.words(&[])
            });
            let length = head.len() as u64 + last_bytes;
            let mut object = ObjectWriter::new(out, self.object_type, &self.digest, length)?;
            object.write_all(&head)?;
            write_last(&mut object)?;
            object.finish()?;
            Ok(())
        }
    }
}
