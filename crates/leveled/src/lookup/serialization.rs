//! Keys for values bit by bit as bytes: their parameters, around a key for circuits in its own wire format.

use crate::evaluation_key::CircuitEvaluationKey;
use cryptable_wire::{ObjectType, open_with_parameters};

use super::{EvaluationKey, Parameters};
use cryptable_lattice::error::Result;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Reads a key: its parameters, and the object inside.
fn open(bytes: &[u8], object_type: ObjectType, max_body: u64) -> Result<(Parameters, &[u8])> {
    let (read, digest) = (Parameters::from_bytes, Parameters::digest);
    let (parameters, mut reader) =
        open_with_parameters(bytes, object_type, max_body, read, digest)?;
    let inner = reader.bytes("key for circuits", max_body)?;
    reader.finish()?;
    Ok((parameters, inner))
}

impl EvaluationKey {
    /// A key from its wire format; masks are drawn from its seed.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for values bit by bit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::LeveledEvaluationKey;
        let (parameters, inner) = open(bytes, object_type, MAX_EVALUATION_KEY_BYTES)?;
        Self::new(parameters, CircuitEvaluationKey::from_bytes(inner)?)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use crate::secret_key::CircuitSecretKey;
    use cryptable_wire::{BodyWriter, ObjectWriter, secret_key_bytes};
    use zeroize::Zeroizing;

    use super::*;
    use crate::lookup::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then the secrets as a key for circuits.
        ///
        /// # Panics
        /// Never: memory takes all bytes.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let inner = self.circuit().to_bytes();
            let (parameters, digest) = (self.parameters().to_bytes(), self.parameters().digest());
            let object_type = ObjectType::LeveledSecretKey;
            secret_key_bytes(object_type, &digest, &parameters, inner.len(), |writer| {
                writer.bytes(&inner)
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for values bit by bit.
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
            let (parameters, inner) =
                open(bytes, ObjectType::LeveledSecretKey, MAX_SECRET_KEY_BYTES)?;
            Self::from_secret(parameters, CircuitSecretKey::from_bytes(inner)?)
        }

        /// Generates an evaluation key and writes it in its wire format: less than half the bytes that it takes in
        /// memory.
        ///
        /// # Errors
        /// If writing fails.
        pub fn write_evaluation_key(&self, out: &mut dyn Write) -> Result<()> {
            let (parameters, digest) = (self.parameters().to_bytes(), self.parameters().digest());
            let mut inner = Vec::new();
            self.circuit().write_evaluation_key(&mut inner)?;
            // Two lengths of 8 bytes each.
            let length = (8 + parameters.len() + 8 + inner.len()) as u64;
            let object_type = ObjectType::LeveledEvaluationKey;
            let mut writer = BodyWriter::new(ObjectWriter::new(out, object_type, &digest, length)?);
            writer.bytes(&parameters)?;
            writer.bytes(&inner)?;
            writer.into_inner().finish()?;
            Ok(())
        }
    }
}
