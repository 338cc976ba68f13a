//! Serialization of ciphertexts and parameters of every face.

use std::io;

use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::{Binding, Result};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, object_bytes, peek_header, read_object,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Longest body of a ciphertext, 16 GiB.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 34;

/// Returns a ciphertext in its wire format: the key's identifier, the output of `head`, the number and the shape of the
/// LWE ciphertexts, then masks or their seed, and bodies, in packed bits.
pub(crate) fn ciphertext_bytes(
    binding: &Binding,
    object_type: ObjectType,
    head: impl FnOnce(&mut BodyWriter<Vec<u8>>) -> io::Result<()>,
    values: &LweList,
) -> Vec<u8> {
    object_bytes(object_type, &binding.parameter_digest, |writer| {
        writer.raw(&binding.key_id.0)?;
        head(writer)?;
        writer.u64(values.len() as u64)?;
        writer.u32(values.mask_kind() as u32)?;
        values.shape().write(writer)?;
        values.write_words(writer)
    })
}

/// Reads the bytes of [`ciphertext_bytes`].
///
/// # Errors
/// If the bytes are not exactly one undamaged ciphertext of this type with at most `most` values.
pub(crate) fn read_ciphertext<H>(
    bytes: &[u8],
    object_type: ObjectType,
    most: usize,
    head: impl FnOnce(&mut BodyReader<'_>) -> Result<H>,
) -> Result<(Binding, H, LweList)> {
    let body = read_object(bytes, object_type, None, MAX_CIPHERTEXT_BYTES)?;
    let mut reader = BodyReader::new(body);
    let key_id = KeyId(reader.array("identifier of the key")?);
    let head = head(&mut reader)?;
    // Every value has a body of at least one bit, which bounds the number of values.
    let most = (8 * body.len()).min(most) as u64;
    let count = reader.u64_within("number of values", 0..=most)? as usize;
    let masks = MaskKind::read(&mut reader)?;
    let shape = LweShape::read(&mut reader)?;
    let values = LweList::read_words(&mut reader, shape, count, masks)?;
    reader.finish()?;
    let binding = Binding { parameter_digest: peek_header(bytes)?.parameter_digest, key_id };
    Ok((binding, head, values))
}

/// Returns the canonical bytes of parameters.
pub(crate) fn literal_bytes(literal: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(literal).expect("a literal serialises")
}

/// Reads parameters from their canonical bytes, which errors call `expected`.
///
/// # Errors
/// If the bytes are not the literal of such parameters.
pub(crate) fn read_literal<L: DeserializeOwned>(bytes: &[u8], expected: &'static str) -> Result<L> {
    let invalid = |error| WireError::invalid("parameters", error, expected);
    Ok(serde_json::from_slice(bytes).map_err(invalid)?)
}

/// Returns the BLAKE3 digest of parameters in the domain that `context` names.
pub(crate) fn digest(context: &str, literal: &impl Serialize) -> [u8; 32] {
    blake3::derive_key(context, &literal_bytes(literal))
}

/// Defines the methods that ciphertexts of all faces have, in an `impl` of a type with the fields `binding` and `values`.
macro_rules! bound_ciphertext {
    () => {
        /// Returns the number of values.
        #[must_use]
        pub fn count(&self) -> usize {
            self.values.len()
        }

        /// Returns the identifier of the client's key under which the values are encrypted.
        #[must_use]
        pub fn key_id(&self) -> cryptable_wire::KeyId {
            self.binding.key_id
        }

        /// Returns the digest of the parameters under which the values are encrypted.
        #[must_use]
        pub fn parameter_digest(&self) -> [u8; 32] {
            self.binding.parameter_digest
        }
    };
}
pub(crate) use bound_ciphertext;
