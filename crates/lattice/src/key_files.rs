//! Keys of engines whose server holds switching keys, as files: parameters, and a ternary secret; or parameters, the
//! client's identifier, and seed and words of every switching key.

use std::sync::Arc;

use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::{BodyReader, KeyId};

use crate::error::Result;
use crate::evaluation_key_files::{check_switching_key_bytes, read_switching_keys};
use crate::evaluation_keys::{EvaluationKeys, KeyRequest};
use crate::switching_key::SharedBytes;
use crate::trust::ReadOptions;

/// Longest body of an evaluation key, 64 GiB.
pub const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 36;

/// Longest body of a secret key.
pub const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

/// What parameters say of an evaluation key.
#[derive(Debug)]
pub struct ExpectedKeys {
    /// Its switching keys.
    pub requests: Vec<KeyRequest>,
    /// The moduli of their ring.
    pub moduli: RingModuli,
    /// Bytes of memory that they take.
    pub memory_bytes: u64,
}

/// What an evaluation key holds besides its parameters.
#[derive(Debug)]
pub struct EvaluationKeyBody {
    /// The client's key.
    pub key_id: KeyId,
    /// The ring, with the tables of all primes.
    pub ring: Arc<Ring>,
    /// All switching keys.
    pub keys: EvaluationKeys,
}

/// Reads an evaluation key behind its parameters; `bytes` is the whole file, in which bodies of switching keys are
/// used where they lie.
///
/// # Errors
/// If bytes are missing or left over, words are not below their primes, or the keys take more memory than the
/// options allow.
pub fn read_evaluation_key(
    bytes: &SharedBytes,
    mut reader: BodyReader<'_>,
    options: ReadOptions,
    expected: ExpectedKeys,
    ring: impl FnOnce() -> Arc<Ring>,
) -> Result<EvaluationKeyBody> {
    let key_id = KeyId(reader.array("key identifier")?);
    let length = (**bytes).as_ref().len() as u64;
    // Before anything is built: bytes that are too few for these parameters are refused.
    check_switching_key_bytes(&expected.requests, &expected.moduli, length)?;
    options.check_memory("evaluation key", expected.memory_bytes)?;
    let ring = ring();
    let keys = read_switching_keys(&ring, expected.requests, &mut reader, bytes)?;
    reader.finish()?;
    Ok(EvaluationKeyBody { key_id, ring, keys })
}

#[cfg(feature = "client")]
pub use client::{
    KeyFile, evaluation_key_body_bytes, read_ternary_secret, ternary_secret_bytes,
    write_evaluation_key,
};

#[cfg(feature = "client")]
mod client {
    use std::io::{self, Write};

    use cryptable_ring::clear_stack;
    use cryptable_wire::{
        BodyWriter, ObjectType, ObjectWriter, WireError, pack_ternary, secret_key_bytes,
        unpack_ternary,
    };
    use zeroize::Zeroizing;

    use super::*;
    use crate::evaluation_key_files::{skip_switching_keys, write_switching_key};
    use crate::secret::TernarySecret;
    use crate::security::SecretDistribution;
    use crate::switching_key::StoredKey;

    /// What the file of a key begins with.
    #[derive(Clone, Copy, Debug)]
    pub struct KeyFile<'a> {
        /// Type of the object.
        pub object_type: ObjectType,
        /// Digest of the parameters.
        pub digest: [u8; 32],
        /// Canonical bytes of the parameters.
        pub parameters: &'a [u8],
    }

    /// A secret key in its wire format: parameters, then two bits a coefficient.
    #[must_use]
    pub fn ternary_secret_bytes(file: KeyFile<'_>, secret: &TernarySecret) -> Zeroizing<Vec<u8>> {
        let packed = pack_ternary(secret.coefficients());
        let KeyFile { object_type, digest, parameters } = file;
        let bytes =
            secret_key_bytes(object_type, &digest, parameters, 8 + packed.len(), |writer| {
                writer.bytes(&packed)
            });
        clear_stack();
        bytes
    }

    /// Reads what [`ternary_secret_bytes`] wrote behind the parameters.
    ///
    /// # Errors
    /// If bytes are missing or left over, or are no uniform ternary secret of this degree.
    pub fn read_ternary_secret(mut reader: BodyReader<'_>, degree: usize) -> Result<TernarySecret> {
        // The checksum was computed there.
        clear_stack();
        let packed = reader.bytes("coefficients", degree as u64 / 4)?;
        let coefficients = unpack_ternary(packed, degree)?;
        reader.finish()?;
        let distribution = SecretDistribution::UniformTernary;
        TernarySecret::from_coefficients(coefficients, distribution)
            .ok_or_else(|| WireError::invalid("coefficients", "others", "a ternary secret").into())
    }

    /// Bytes of the body that [`write_evaluation_key`] writes: the same writer, on nothing, counts them, padding included.
    ///
    /// # Errors
    /// Never: nothing is written.
    pub fn evaluation_key_body_bytes(
        parameters: &[u8],
        requests: &[KeyRequest],
        moduli: &RingModuli,
    ) -> io::Result<u64> {
        let mut length = BodyWriter::new(io::sink());
        length.bytes(parameters)?;
        length.raw(&[0; KeyId::BYTES])?;
        skip_switching_keys(&mut length, requests, moduli)?;
        Ok(length.position())
    }

    /// Writes an evaluation key: parameters, the key identifier, then seed and words of every switching key, which
    /// `generate` hands over in the order of the requests.
    ///
    /// # Errors
    /// If writing fails, and those of `generate`.
    pub fn write_evaluation_key(
        out: &mut dyn Write,
        file: KeyFile<'_>,
        key_id: KeyId,
        (requests, moduli): (&[KeyRequest], &RingModuli),
        generate: impl FnOnce(&mut dyn FnMut(StoredKey<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let length = evaluation_key_body_bytes(file.parameters, requests, moduli)?;
        let object = ObjectWriter::new(out, file.object_type, &file.digest, length)?;
        let mut writer = BodyWriter::new(object);
        writer.bytes(file.parameters)?;
        writer.raw(&key_id.0)?;
        generate(&mut |key| Ok(write_switching_key(&mut writer, key)?))?;
        writer.into_inner().finish()?;
        Ok(())
    }
}
