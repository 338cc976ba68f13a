//! Keys as bytes: secret keys, and evaluation keys that are used where they lie.

use std::sync::Arc;

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{EvaluationKeys, SwitchingKey};
use cryptable_ring::random::Seed;
use cryptable_wire::{BodyReader, HEADER_BYTES, ObjectType, WireError, open_with_parameters};

use crate::{EvaluationKey, KeyId, Parameters};
use cryptable_lattice::error::Result;

/// Longest body of an evaluation key, 64 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 36;

/// Checks an object that starts with its parameters: those, and the rest of its body.
fn open(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
) -> Result<(Parameters, BodyReader<'_>)> {
    let (read, digest) = (Parameters::from_bytes, Parameters::digest);
    open_with_parameters(bytes, object_type, max_body, read, digest)
}

impl EvaluationKey {
    /// A key from its wire format. The stored halves of the switching keys are not copied: they are
    /// read from `bytes`, a memory-mapped file for one. The uniform halves are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, or do not start at a multiple of 8.
    pub fn from_shared(bytes: SharedBytes) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let (parameters, mut reader) =
            open(all, ObjectType::PackedEvaluationKey, MAX_EVALUATION_KEY_BYTES)?;
        let client = KeyId(reader.array("client key identifier")?);
        let ring = Arc::new(parameters.ring());
        let mut keys = EvaluationKeys::new();
        for request in parameters.circuit().key_requests() {
            let seed = Seed::from_bytes(reader.array("seed of a switching key")?);
            let words = request.shape.half_words(ring.degree());
            let range = reader.words_in_place("words of a switching key", words)?;
            let (shared, offset) = (Arc::clone(&bytes), HEADER_BYTES + range.start);
            let key = SwitchingKey::from_shared(&ring, request.shape, seed, shared, offset)
                .ok_or_else(|| {
                    let expected = "aligned words below their primes";
                    WireError::invalid("a switching key", "other bytes", expected)
                })?;
            keys.insert(request.purpose, key);
        }
        reader.finish()?;
        Self::new(parameters, client, ring, keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::secret::TernarySecret;
    use cryptable_lattice::security::SecretDistribution;
    use cryptable_wire::{
        BodyWriter, ObjectWriter, pack_ternary, secret_key_bytes, unpack_ternary,
    };
    use zeroize::Zeroizing;

    use super::*;
    use crate::secret_key::Progress;
    use crate::{Error, SecretKey};

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient.
        ///
        /// # Panics
        /// Never: memory takes all bytes.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let parameters = self.parameters().to_bytes();
            let packed = pack_ternary(self.secret().coefficients());
            let digest = self.parameters().digest();
            let bytes = 8 + packed.len();
            secret_key_bytes(ObjectType::PackedSecretKey, &digest, &parameters, bytes, |writer| {
                writer.bytes(&packed)
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key.
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
            let (parameters, mut reader) =
                open(bytes, ObjectType::PackedSecretKey, MAX_SECRET_KEY_BYTES)?;
            let degree = parameters.literal().ring_degree;
            let packed = reader.bytes("coefficients", degree as u64 / 4)?;
            let coefficients = unpack_ternary(packed, degree)?;
            reader.finish()?;
            let distribution = SecretDistribution::UniformTernary;
            TernarySecret::from_coefficients(coefficients, distribution)
                .map(|secret| Self::from_secret(parameters, secret))
                .ok_or_else(|| {
                    let expected = "a ternary secret";
                    WireError::invalid("coefficients", "others", expected).into()
                })
        }

        /// Generates an evaluation key and writes it, one switching key at a time.
        ///
        /// # Errors
        /// If writing fails.
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let parameters = self.parameters().to_bytes();
            let degree = self.parameters().literal().ring_degree;
            // The same writer as below, on nothing: counts the bytes, padding included.
            let mut length = BodyWriter::new(std::io::sink());
            length.bytes(&parameters)?;
            length.raw(&self.id().0)?;
            for request in self.parameters().circuit().key_requests() {
                length.raw(&[0; Seed::BYTES])?;
                length.skip_words(request.shape.half_words(degree))?;
            }
            let digest = self.parameters().digest();
            let object = ObjectWriter::new(
                out,
                ObjectType::PackedEvaluationKey,
                &digest,
                length.position(),
            )?;
            let mut writer = BodyWriter::new(object);
            writer.bytes(&parameters)?;
            writer.raw(&self.id().0)?;
            self.generate_keys::<Error>(progress, |_, key| {
                writer.raw(key.seed().as_bytes())?;
                Ok(writer.words(key.stored_words())?)
            })?;
            writer.into_inner().finish()?;
            Ok(())
        }
    }
}
