//! Keys for single values as bytes, in the wire format: magic, type, version, digest of the parameters, checksum.

use cryptable_fhew::evaluation_key::SeededEvaluationKey;
use cryptable_rlwe::wire::{BodyReader, ObjectType, WireError, peek_header, read_object};

use super::{EvaluationKey, Parameters};
use crate::KeyId;
use crate::error::Result;

/// Longest parameters in a file.
const MAX_PARAMETER_BYTES: u64 = 1 << 16;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Reads the parameters at the start of a key's body and checks them against the header.
fn read_parameters(bytes: &[u8], reader: &mut BodyReader<'_>) -> Result<Parameters> {
    let parameters = Parameters::from_bytes(reader.bytes("parameters", MAX_PARAMETER_BYTES)?)?;
    let (found, expected) = (peek_header(bytes)?.parameter_digest, parameters.digest());
    if found != expected {
        return Err(WireError::ParameterMismatch { expected, found }.into());
    }
    Ok(parameters)
}

impl EvaluationKey {
    /// A key from its wire format; masks are drawn from its seed.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for single values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SingleEvaluationKey;
        let body = read_object(bytes, object_type, None, MAX_EVALUATION_KEY_BYTES)?;
        let mut reader = BodyReader::new(body);
        let parameters = read_parameters(bytes, &mut reader)?;
        let client = KeyId(reader.array("client key identifier")?);
        let packed = reader.bytes("bootstrapping keys", MAX_EVALUATION_KEY_BYTES)?;
        reader.finish()?;
        let keys = SeededEvaluationKey::from_bytes(parameters.fhew(), packed)?;
        Self::new(parameters, client, &keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_fhew::secret_key::SecretKey as FhewSecret;
    use cryptable_rlwe::wire::{BodyWriter, ObjectWriter, write_object};
    use zeroize::Zeroizing;

    use super::*;
    use crate::single::SecretKey;

    /// Longest body of a secret key.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient of every secret.
        ///
        /// # Panics
        /// Never: memory takes all bytes.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            let parameters = self.parameters().to_bytes();
            // Room for everything, so that no reallocation leaves a copy of the secret behind.
            let capacity = parameters.len() + self.fhew().coefficient_bytes() + 256;
            let mut body = Zeroizing::new(Vec::with_capacity(capacity));
            let mut writer = BodyWriter::new(&mut *body);
            let mut bytes = Zeroizing::new(Vec::with_capacity(2 * capacity));
            writer
                .bytes(&parameters)
                .and_then(|()| self.fhew().write_coefficients(&mut writer))
                .and_then(|()| {
                    let digest = self.parameters().digest();
                    write_object(&mut *bytes, ObjectType::SingleSecretKey, &digest, &body)
                })
                .expect("memory takes all bytes");
            bytes
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for single values.
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
            let body = read_object(bytes, ObjectType::SingleSecretKey, None, MAX_SECRET_KEY_BYTES)?;
            let mut reader = BodyReader::new(body);
            let parameters = read_parameters(bytes, &mut reader)?;
            let secret = FhewSecret::read_coefficients(parameters.fhew(), &mut reader)?;
            reader.finish()?;
            Ok(Self::from_secret(parameters, secret))
        }

        /// Generates an evaluation key and writes it in its wire format: less than half the bytes that it takes in
        /// memory.
        ///
        /// # Errors
        /// If writing fails.
        pub fn write_evaluation_key(&self, out: &mut dyn Write) -> Result<()> {
            let parameters = self.parameters().to_bytes();
            let keys = self.seeded_evaluation_key().to_bytes();
            // Two lengths of 8 bytes each.
            let length = (8 + parameters.len() + KeyId::BYTES + 8 + keys.len()) as u64;
            let digest = self.parameters().digest();
            let object = ObjectWriter::new(out, ObjectType::SingleEvaluationKey, &digest, length)?;
            let mut writer = BodyWriter::new(object);
            writer.bytes(&parameters)?;
            writer.raw(&self.id().0)?;
            writer.bytes(&keys)?;
            writer.into_inner().finish()?;
            Ok(())
        }
    }
}
