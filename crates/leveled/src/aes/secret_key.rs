//! The client's key for AES-128: encrypted AES keys, decryption of what the server computed.

use std::io::Write;

use cryptable_lattice::{Progress, ReadOptions, Result};
use cryptable_wire::{KeyId, ObjectType, open_with_parameters};
use zeroize::Zeroizing;

use super::aes_key::AesKey;
use super::byte_stream::{CHUNK_BYTES, EncryptedBytesReader};
use super::encrypted_bytes::{BITS, EncryptedBytes};
use super::encrypted_key::EncryptedKey;
use super::evaluation_key::EvaluationKey;
use super::parameters::Parameters;
use super::round_keys::expand_key;
use crate::keys::{CircuitBootstrappingSecretKey, FileStart, MAX_SECRET_KEY_BYTES};

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::aes::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let encrypted = secret.encrypt(b"bytes");
/// assert_eq!(*secret.decrypt(&encrypted)?, *b"bytes");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: CircuitBootstrappingSecretKey,
}

impl SecretKey {
    /// Draws fresh secrets.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let secret = CircuitBootstrappingSecretKey::generate(parameters.circuit_bootstrapping());
        Self { parameters: parameters.clone(), secret }
    }

    /// The parameters that the key is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.secret.id()
    }

    /// Encrypts an AES-128 key: all its round keys, bit by bit.
    #[must_use]
    pub fn encrypt_key(&self, key: &AesKey) -> EncryptedKey {
        EncryptedKey::new(key.id(), self.encrypt(&expand_key(key.as_bytes())))
    }

    /// Encrypts bytes bit by bit, without AES: errors of variance 10.5.
    #[must_use]
    pub fn encrypt(&self, bytes: &[u8]) -> EncryptedBytes {
        let list = self.secret.encrypt_each(BITS, bytes.len(), |index| bytes[index].into());
        EncryptedBytes::new(self.parameters.digest(), self.id(), list)
    }

    /// Decrypts fresh or computed bytes.
    ///
    /// # Errors
    /// If they are of other parameters or another client.
    pub fn decrypt(&self, bytes: &EncryptedBytes) -> Result<Zeroizing<Vec<u8>>> {
        bytes.check(&self.parameters, self.id())?;
        let values = Zeroizing::new(self.secret.decrypt_values(BITS, bytes.list())?);
        Ok(Zeroizing::new(values.iter().map(|&value| value as u8).collect()))
    }

    /// Decrypts a file of encrypted bytes, which may be a memory map of any size, chunk after chunk; returns the number
    /// of bytes. A step of progress is a chunk of 64 bytes.
    ///
    /// # Errors
    /// If the file is not exactly one undamaged object of encrypted bytes, or of other parameters or another client; if
    /// writing fails; [`cryptable_lattice::Error::Cancelled`]. What was written before is of no use then.
    pub fn decrypt_stream(
        &self,
        file: &[u8],
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<u64> {
        let chunks = EncryptedBytesReader::new(file)?;
        let count = chunks.byte_count();
        let steps = progress.steps(count.div_ceil(CHUNK_BYTES as u64) as usize)?;
        for chunk in chunks {
            out.write_all(&self.decrypt(&chunk?)?)?;
            steps.done()?;
        }
        Ok(count)
    }

    /// Draws an evaluation key for a server, and expands it.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        Ok(EvaluationKey::new(self.parameters.clone(), self.secret.evaluation_key(progress)?))
    }

    /// Draws an evaluation key and writes it in its wire format, with a seed in place of masks.
    ///
    /// # Errors
    /// If writing fails; [`cryptable_lattice::Error::Cancelled`].
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        let start = FileStart {
            object_type: ObjectType::TranscipheringEvaluationKey,
            parameter_digest: self.parameters.digest(),
            parameters: &self.parameters.to_bytes(),
        };
        self.secret.write_evaluation_key(out, &start, progress)
    }

    /// The key in its wire format: parameters, then two bits a coefficient of every secret.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        self.secret.to_bytes(&FileStart {
            object_type: ObjectType::TranscipheringSecretKey,
            parameter_digest: self.parameters.digest(),
            parameters: &self.parameters.to_bytes(),
        })
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key for transciphering, or its parameters insecure and the
    /// options do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, reader) = open_with_parameters(
            bytes,
            ObjectType::TranscipheringSecretKey,
            MAX_SECRET_KEY_BYTES,
            |bytes| Parameters::from_bytes(bytes, options),
            Parameters::digest,
        )?;
        let circuit = parameters.circuit_bootstrapping();
        let secret = CircuitBootstrappingSecretKey::read(circuit, reader)?;
        Ok(Self { parameters, secret })
    }
}
