//! Keys for single values as bytes: one object each, of parameters and then secrets or keys.

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::{BodyReader, ObjectType, open_with_parameters};

use super::evaluation_key::EvaluationKey;
use super::parameters::Parameters;
use crate::keys::{CircuitBootstrappingEvaluationKey, MAX_EVALUATION_KEY_BYTES};

/// Reads an object that starts with parameters, and leaves the rest.
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
    /// A key from its wire format, which may be a memory map: masks are drawn from its seed, and nothing of the bytes
    /// is kept.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for leveled values, or its parameters insecure and
    /// the options do not allow that.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let bytes: &[u8] = (*bytes).as_ref();
        let object_type = ObjectType::LeveledEvaluationKey;
        let (parameters, reader) = open(bytes, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
        let circuit = parameters.circuit_bootstrapping();
        let key = CircuitBootstrappingEvaluationKey::read(circuit, reader, options)?;
        Ok(Self::new(parameters, key))
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::{CircuitBootstrappingSecretKey, FileStart, MAX_SECRET_KEY_BYTES};
    use crate::lookup::secret_key::SecretKey;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient of every secret.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            self.secret().to_bytes(&FileStart {
                object_type: ObjectType::LeveledSecretKey,
                parameter_digest: self.parameters().digest(),
                parameters: &self.parameters().to_bytes(),
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for leveled values, or its parameters insecure and
        /// the options do not allow that.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let object_type = ObjectType::LeveledSecretKey;
            let (parameters, reader) = open(bytes, object_type, MAX_SECRET_KEY_BYTES, options)?;
            let circuit = parameters.circuit_bootstrapping();
            let secret = CircuitBootstrappingSecretKey::read(circuit, reader)?;
            Ok(Self::new(parameters, secret))
        }

        /// Draws an evaluation key and writes it in its wire format, with a seed in place of masks: less than half the
        /// bytes that it takes in memory.
        ///
        /// # Errors
        /// If writing fails; [`cryptable_lattice::Error::Cancelled`].
        pub fn write_evaluation_key(
            &self,
            out: &mut dyn Write,
            progress: Progress<'_>,
        ) -> Result<()> {
            let start = FileStart {
                object_type: ObjectType::LeveledEvaluationKey,
                parameter_digest: self.parameters().digest(),
                parameters: &self.parameters().to_bytes(),
            };
            self.secret().write_evaluation_key(out, &start, progress)
        }
    }
}
