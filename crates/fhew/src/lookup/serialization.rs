//! Keys for single values as bytes, in the wire format: one header and one checksum, the parameters at the start of
//! the body.

use cryptable_lattice::ReadOptions;
use cryptable_lattice::error::Result;
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{BodyReader, KeyId, ObjectType, open_with_parameters};

use super::{EvaluationKey, Parameters};
use crate::keys::SeededEvaluationKey;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

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
    /// Reads a key from bytes, such as a memory-mapped file; masks are drawn from its seed. The key is expanded, so
    /// that the bytes are not needed any more.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for single values, or its parameters are insecure and
    /// that is not allowed.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that all engines share")]
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let (bytes, object_type) = ((*bytes).as_ref(), ObjectType::SingleEvaluationKey);
        let (parameters, mut reader) = open(bytes, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("identifier of the key")?);
        let packed = reader.bytes("bootstrapping keys", MAX_EVALUATION_KEY_BYTES)?;
        reader.finish()?;
        let keys = SeededEvaluationKey::from_bytes(parameters.fhew(), packed)?;
        Self::expand(parameters, key_id, &keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_wire::{secret_key_bytes, write_server_keys};
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::SecretKey as FhewSecret;
    use crate::lookup::SecretKey;

    /// Longest body of a secret key, 1 MiB.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient of every secret.
        ///
        /// # Panics
        /// Never: memory takes all bytes.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let parameters = self.parameters().to_bytes();
            let digest = self.parameters().digest();
            let bytes = self.fhew().coefficient_bytes();
            secret_key_bytes(ObjectType::SingleSecretKey, &digest, &parameters, bytes, |writer| {
                self.fhew().write_coefficients(writer)
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for single values, or its parameters are insecure
        /// and that is not allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let object_type = ObjectType::SingleSecretKey;
            let (parameters, mut reader) = open(bytes, object_type, MAX_SECRET_KEY_BYTES, options)?;
            let secret = FhewSecret::read_coefficients(parameters.fhew(), &mut reader)?;
            reader.finish()?;
            Ok(Self::from_secret(parameters, secret))
        }

        /// Generates an evaluation key and writes it in its wire format, less than half the bytes that it takes in
        /// memory. `progress` counts two steps: generation, and writing.
        ///
        /// # Errors
        /// If writing fails, or `progress` asks to stop.
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let steps = progress.steps(2)?;
            let keys = self.seeded_evaluation_key().to_bytes();
            steps.done()?;
            let (digest, bytes) = (self.parameters().digest(), self.parameters().to_bytes());
            let object_type = ObjectType::SingleEvaluationKey;
            write_server_keys(out, object_type, (&digest, &bytes), self.id(), &keys)?;
            steps.done()
        }
    }
}
