//! Keys for single values as bytes, in the wire format: magic, type, version, digest of the parameters, checksum.

use crate::keys::evaluation_key::SeededEvaluationKey;
use cryptable_wire::{BodyReader, ObjectType, open_with_parameters};

use super::{EvaluationKey, Parameters};
use cryptable_lattice::error::Result;
use cryptable_wire::KeyId;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

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
    /// A key from its wire format; masks are drawn from its seed.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key for single values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SingleEvaluationKey;
        let (parameters, mut reader) = open(bytes, object_type, MAX_EVALUATION_KEY_BYTES)?;
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

    use crate::keys::secret_key::SecretKey as FhewSecret;
    use cryptable_wire::{secret_key_bytes, write_server_keys};
    use zeroize::Zeroizing;

    use super::*;
    use crate::lookup::SecretKey;

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
            let digest = self.parameters().digest();
            let bytes = self.fhew().coefficient_bytes();
            secret_key_bytes(ObjectType::SingleSecretKey, &digest, &parameters, bytes, |writer| {
                self.fhew().write_coefficients(writer)
            })
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key for single values.
        pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
            let object_type = ObjectType::SingleSecretKey;
            let (parameters, mut reader) = open(bytes, object_type, MAX_SECRET_KEY_BYTES)?;
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
            let parameters = (&self.parameters().digest(), &parameters[..]);
            let object_type = ObjectType::SingleEvaluationKey;
            Ok(write_server_keys(out, object_type, parameters, self.id(), &keys)?)
        }
    }
}
