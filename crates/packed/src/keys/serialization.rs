//! Keys as bytes: secret keys, and evaluation keys that are used where they lie.

use std::sync::Arc;

use cryptable_lattice::ReadOptions;
use cryptable_lattice::error::Result;
use cryptable_lattice::evaluation_key_files::{check_switching_key_bytes, read_switching_keys};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{BodyReader, KeyId, ObjectType, open_with_parameters};

use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

/// Longest body of an evaluation key, 64 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 36;

/// Checks an object that starts with its parameters: those, and the rest of its body.
fn open(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
    options: ReadOptions,
) -> Result<(Parameters, BodyReader<'_>)> {
    let read = |bytes: &[u8]| Parameters::from_bytes(bytes, options);
    open_with_parameters(bytes, object_type, max_body, read, Parameters::digest)
}

impl EvaluationKey {
    /// A key from its wire format. The stored halves of the switching keys are not copied: they are
    /// read from `bytes`, a memory-mapped file for one. Their masks are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, do not start at a multiple of 8, are of insecure
    /// parameters where those are not allowed, or take more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let (parameters, mut reader) =
            open(all, ObjectType::PackedEvaluationKey, MAX_EVALUATION_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        let (requests, degree) = (parameters.circuit().key_requests(), parameters.ring_degree());
        check_switching_key_bytes(&requests, degree, all.len() as u64)?;
        options.check_memory("evaluation key", parameters.key_memory_bytes() as u64)?;
        let ring = Arc::new(parameters.ring());
        let keys = read_switching_keys(&ring, requests, &mut reader, &bytes)?;
        reader.finish()?;
        Self::new(parameters, key_id, ring, keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_lattice::evaluation_key_files::{skip_switching_keys, write_switching_key};
    use cryptable_lattice::secret::TernarySecret;
    use cryptable_lattice::security::SecretDistribution;
    use cryptable_ring::clear_stack;
    use cryptable_wire::{
        BodyWriter, ObjectWriter, WireError, pack_ternary, secret_key_bytes, unpack_ternary,
    };
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::secret_key::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let bytes = Self::bytes_of(self.parameters(), self.secret());
            clear_stack();
            bytes
        }

        /// The wire format of a secret.
        pub(crate) fn bytes_of(
            parameters: &Parameters,
            secret: &TernarySecret,
        ) -> Zeroizing<Vec<u8>> {
            let packed = pack_ternary(secret.coefficients());
            let (digest, parameters) = (parameters.digest(), parameters.to_bytes());
            let bytes = 8 + packed.len();
            secret_key_bytes(ObjectType::PackedSecretKey, &digest, &parameters, bytes, |writer| {
                writer.bytes(&packed)
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, or it is of insecure parameters where those are not
        /// allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let (parameters, mut reader) =
                open(bytes, ObjectType::PackedSecretKey, MAX_SECRET_KEY_BYTES, options)?;
            // The checksum was computed there.
            clear_stack();
            let degree = parameters.ring_degree();
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

        /// Generates an evaluation key and writes it, one switching key at a time: parameters, the key identifier, then
        /// seed and words of every switching key. Progress counts switching keys.
        ///
        /// # Errors
        /// If writing fails, or [`cryptable_lattice::Error::Cancelled`].
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let (parameters, degree) =
                (self.parameters().to_bytes(), self.parameters().ring_degree());
            // The same writer as below, on nothing: counts the bytes, padding included.
            let mut length = BodyWriter::new(std::io::sink());
            length.bytes(&parameters)?;
            length.raw(&self.id().0)?;
            skip_switching_keys(&mut length, &self.parameters().circuit().key_requests(), degree)?;
            let digest = self.parameters().digest();
            let object_type = ObjectType::PackedEvaluationKey;
            let object = ObjectWriter::new(out, object_type, &digest, length.position())?;
            let mut writer = BodyWriter::new(object);
            writer.bytes(&parameters)?;
            writer.raw(&self.id().0)?;
            self.generate_keys(progress, |_, key| Ok(write_switching_key(&mut writer, &key)?))?;
            writer.into_inner().finish()?;
            Ok(())
        }
    }
}
