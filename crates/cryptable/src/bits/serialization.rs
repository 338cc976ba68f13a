//! Keys for values bit by bit as bytes: their parameters, around a key for circuits in its own wire format.

use cryptable_circuit::evaluation_key::CircuitEvaluationKey;
use cryptable_rlwe::wire::{BodyReader, ObjectType, WireError, peek_header, read_object};

use super::{EvaluationKey, Parameters};
use crate::error::Result;

/// Longest parameters in a file.
const MAX_PARAMETER_BYTES: u64 = 1 << 17;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Reads a key: its parameters, and the object inside.
fn open(bytes: &[u8], object_type: ObjectType, max_body: u64) -> Result<(Parameters, &[u8])> {
    let mut reader = BodyReader::new(read_object(bytes, object_type, None, max_body)?);
    let parameters = Parameters::from_bytes(reader.bytes("parameters", MAX_PARAMETER_BYTES)?)?;
    let (found, expected) = (peek_header(bytes)?.parameter_digest, parameters.digest());
    if found != expected {
        return Err(WireError::ParameterMismatch { expected, found }.into());
    }
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
        let object_type = ObjectType::BitsEvaluationKey;
        let (parameters, inner) = open(bytes, object_type, MAX_EVALUATION_KEY_BYTES)?;
        Self::new(parameters, CircuitEvaluationKey::from_bytes(inner)?)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::{self, Write};

    use cryptable_circuit::secret_key::CircuitSecretKey;
    use cryptable_rlwe::wire::{BodyWriter, ObjectWriter};
    use zeroize::Zeroizing;

    use super::*;
    use crate::bits::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    /// Room for a header, a checksum and two lengths.
    const OVERHEAD_BYTES: usize = 256;

    /// Writes a key around one for circuits.
    fn write(
        out: impl Write,
        object_type: ObjectType,
        parameters: &Parameters,
        inner: &[u8],
    ) -> io::Result<()> {
        let literal = parameters.to_bytes();
        // Two lengths of 8 bytes each.
        let length = (8 + literal.len() + 8 + inner.len()) as u64;
        let object = ObjectWriter::new(out, object_type, &parameters.digest(), length)?;
        let mut writer = BodyWriter::new(object);
        writer.bytes(&literal)?;
        writer.bytes(inner)?;
        writer.into_inner().finish()?;
        Ok(())
    }

    impl SecretKey {
        /// The key in its wire format: parameters, then the secrets as a key for circuits.
        ///
        /// # Panics
        /// Never: memory takes all bytes.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let inner = self.circuit().to_bytes();
            // Room for everything, so that no reallocation leaves a copy of the secret behind.
            let capacity = self.parameters().to_bytes().len() + inner.len() + OVERHEAD_BYTES;
            let mut bytes = Zeroizing::new(Vec::with_capacity(capacity));
            write(&mut *bytes, ObjectType::BitsSecretKey, self.parameters(), &inner)
                .expect("memory takes all bytes");
            bytes
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for values bit by bit.
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
            let (parameters, inner) = open(bytes, ObjectType::BitsSecretKey, MAX_SECRET_KEY_BYTES)?;
            Self::from_secret(parameters, CircuitSecretKey::from_bytes(inner)?)
        }

        /// Generates an evaluation key and writes it in its wire format: less than half the bytes that it takes in
        /// memory.
        ///
        /// # Errors
        /// If writing fails.
        pub fn write_evaluation_key(&self, out: &mut dyn Write) -> Result<()> {
            let mut inner = Vec::new();
            self.circuit().write_evaluation_key(&mut inner)?;
            Ok(write(out, ObjectType::BitsEvaluationKey, self.parameters(), &inner)?)
        }
    }
}
