//! Keys for single values as bytes, in the wire format.

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::ObjectType;

use super::{EvaluationKey, Parameters};
use crate::keys::files::{FileParameters, read_evaluation_key};
use crate::parameters::Parameters as FhewParameters;

impl FileParameters for Parameters {
    #[cfg(feature = "client")]
    fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Self::from_bytes(bytes, options)
    }

    fn digest(&self) -> [u8; 32] {
        self.digest()
    }

    fn fhew(&self) -> &FhewParameters {
        self.fhew()
    }
}

impl EvaluationKey {
    /// Reads a key from bytes, such as a memory-mapped file; masks are drawn from its seed. The key is expanded, so
    /// that the bytes are not needed any more.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for single values, or its parameters are insecure and that is
    /// not allowed.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that all engines share")]
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let object_type = ObjectType::SingleEvaluationKey;
        let (parameters, key_id, keys) =
            read_evaluation_key::<Parameters>((*bytes).as_ref(), object_type, options)?;
        Self::expand(parameters, key_id, &keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::files::{read_secret_key, secret_key_file, write_evaluation_key};
    use crate::lookup::SecretKey;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient of every secret.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            secret_key_file(ObjectType::SingleSecretKey, self.parameters(), self.fhew())
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for single values, or its parameters are insecure and that is
        /// not allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let (parameters, secret) =
                read_secret_key(bytes, ObjectType::SingleSecretKey, options)?;
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
            let (object_type, secret) = (ObjectType::SingleEvaluationKey, (self.fhew(), self.id()));
            write_evaluation_key(out, object_type, self.parameters(), secret, progress)
        }
    }
}
