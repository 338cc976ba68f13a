//! Keys as bytes: secret keys, and evaluation keys that are used where they lie.

use std::sync::Arc;

use cryptable_lattice::ReadOptions;
use cryptable_lattice::error::Result;
use cryptable_lattice::key_files::{
    EvaluationKeyBody, ExpectedKeys, MAX_EVALUATION_KEY_BYTES, read_evaluation_key,
};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_wire::{BodyReader, ObjectType, open_with_parameters};

use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

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
    /// If the bytes are not exactly one undamaged evaluation key, are of insecure parameters where those are
    /// not allowed, or take more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let (parameters, reader) =
            open(all, ObjectType::PackedEvaluationKey, MAX_EVALUATION_KEY_BYTES, options)?;
        let expected = ExpectedKeys {
            requests: parameters.key_requests(),
            moduli: parameters.moduli(),
            memory_bytes: parameters.key_memory_bytes() as u64,
        };
        let ring = || Arc::new(parameters.ring());
        let EvaluationKeyBody { key_id, ring, keys } =
            read_evaluation_key(&bytes, reader, options, expected, ring)?;
        Self::new(parameters, key_id, ring, keys)
    }
}

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_lattice::key_files::{
        KeyFile, MAX_SECRET_KEY_BYTES, evaluation_key_body_bytes, read_ternary_secret,
        ternary_secret_bytes, write_evaluation_key,
    };
    use cryptable_lattice::secret::TernarySecret;
    use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES};
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::secret_key::SecretKey;

    impl SecretKey {
        /// The key in its wire format: parameters, then two bits a coefficient.
        #[must_use]
        pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
            Self::bytes_of(self.parameters(), self.secret())
        }

        /// The wire format of a secret.
        pub(crate) fn bytes_of(
            parameters: &Parameters,
            secret: &TernarySecret,
        ) -> Zeroizing<Vec<u8>> {
            let (object_type, digest) = (ObjectType::PackedSecretKey, parameters.digest());
            let parameters = &parameters.to_bytes();
            ternary_secret_bytes(KeyFile { object_type, digest, parameters }, secret)
        }

        /// Reads a secret key.
        ///
        /// # Errors
        /// If the bytes are not exactly one undamaged secret key, or it is of insecure parameters where those are not
        /// allowed.
        pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
            let (parameters, reader) =
                open(bytes, ObjectType::PackedSecretKey, MAX_SECRET_KEY_BYTES, options)?;
            let secret = read_ternary_secret(reader, parameters.ring_degree())?;
            Ok(Self::from_secret(parameters, secret))
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
            let (object_type, digest) =
                (ObjectType::PackedEvaluationKey, self.parameters().digest());
            let file = KeyFile { object_type, digest, parameters: &self.parameters().to_bytes() };
            let requests = self.parameters().key_requests();
            let keys = (&requests[..], self.ring().moduli());
            write_evaluation_key(out, file, self.id(), keys, |write| {
                self.generate_stored_keys(&requests, progress, write)
            })
        }

        /// Bytes of what [`SecretKey::write_evaluation_key`] writes.
        ///
        /// # Errors
        /// Never: nothing is written.
        pub fn evaluation_key_bytes(&self) -> Result<u64> {
            let requests = self.parameters().key_requests();
            let parameters = self.parameters().to_bytes();
            let moduli = self.ring().moduli();
            let body = evaluation_key_body_bytes(&parameters, &requests, moduli)?;
            Ok(body + (HEADER_BYTES + CHECKSUM_BYTES) as u64)
        }
    }
}
