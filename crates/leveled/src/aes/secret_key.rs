//! The client's keys for AES-128: encryption of AES keys, decryption of the server's results.

use std::io::Write;

use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::{Progress, Result};
use zeroize::Zeroizing;

use super::aes_key::AesKey;
use super::byte_stream::{CHUNK_BYTES, EncryptedBytesReader};
use super::encrypted_bytes::{BITS, EncryptedBytes};
use super::encrypted_key::EncryptedKey;
use super::parameters::Parameters;
use super::round_keys::expand_key;
use crate::keys::{self, ClientKey};
use crate::parameters::LOG2_FAIL;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::aes::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let encrypted = secret.encrypt(b"bytes");
/// assert_eq!(*secret.decrypt(&encrypted)?, *b"bytes");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub type SecretKey = ClientKey<Parameters>;

impl SecretKey {
    /// Encrypts an AES-128 key: all its round keys, bit by bit.
    #[must_use]
    pub fn encrypt_key(&self, key: &AesKey) -> EncryptedKey {
        EncryptedKey::new(key.id(), self.encrypt(&expand_key(key.as_bytes())))
    }

    /// Encrypts bytes bit by bit, without AES, with errors of variance 10.5.
    #[must_use]
    pub fn encrypt(&self, bytes: &[u8]) -> EncryptedBytes {
        let list = self.encrypt_each(BITS, bytes.len(), |index| bytes[index].into());
        EncryptedBytes::new(*self.binding(), list)
    }

    /// Decrypts fresh or computed bytes.
    ///
    /// # Errors
    /// If the bytes belong to other parameters or another client.
    pub fn decrypt(&self, bytes: &EncryptedBytes) -> Result<Zeroizing<Vec<u8>>> {
        bytes.check(self.parameters(), self.binding())?;
        let values = Zeroizing::new(self.decrypt_values(BITS, bytes.list())?);
        Ok(Zeroizing::new(values.iter().map(|&value| value as u8).collect()))
    }

    /// Decrypts a file of encrypted bytes, which may be a memory map of any size, chunk by chunk. Returns the number of
    /// bytes. A step of progress is a chunk of 64 bytes.
    ///
    /// # Errors
    /// If the file is not exactly one undamaged object of encrypted bytes, or belongs to other parameters or another client; if
    /// writing fails; [`cryptable_lattice::Error::Cancelled`]. Discard any output written before an error.
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
}

/// The public key of one client. Anyone who has it can encrypt an AES key for the client's server, and send messages under
/// that AES key.
///
/// ```
/// use cryptable_lattice::Progress;
/// use cryptable_leveled::aes::{AesKey, MessageEncryptor, Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy());
/// let server = secret.evaluation_key(Progress::silent())?;
///
/// // A contributor has the public key, and draws an AES key.
/// let public = secret.public_key()?;
/// let mut encryptor = MessageEncryptor::new(AesKey::generate());
/// let encrypted_key = public.encrypt_key(encryptor.key())?;
/// let message = encryptor.encrypt(b"hi")?;
///
/// let bytes = server.transcipher(&encrypted_key, &message, Progress::silent())?;
/// assert_eq!(*secret.decrypt(&bytes)?, *b"hi");
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
pub type PublicKey = keys::PublicKey<Parameters>;

impl PublicKey {
    /// Encrypts an AES-128 key: all its round keys, bit by bit.
    ///
    /// # Errors
    /// The errors of [`PublicKey::encrypt`].
    pub fn encrypt_key(&self, key: &AesKey) -> Result<EncryptedKey> {
        Ok(EncryptedKey::new(key.id(), self.encrypt(&expand_key(key.as_bytes()))?))
    }

    /// Encrypts bytes bit by bit, without AES.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if a block with these bytes as round keys would fail with more than the
    /// stated probability.
    pub fn encrypt(&self, bytes: &[u8]) -> Result<EncryptedBytes> {
        let found = self.parameters().public_log2_fail();
        let limit = LOG2_FAIL.max(self.parameters().log2_fail());
        check_log2_fail("a block of AES-128", found, limit)?;
        let list = self.encrypt_each(BITS, bytes.iter().map(|&byte| byte.into()));
        Ok(EncryptedBytes::new(*self.binding(), list))
    }
}
