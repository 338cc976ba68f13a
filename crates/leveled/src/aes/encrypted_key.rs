//! An encrypted AES key: its 11 round keys, encrypted bit by bit.

use cryptable_lattice::{Binding, Result};
use cryptable_wire::{KeyId, ObjectType};

use super::block::{BLOCK_BYTES, EncryptedRoundKeys, ROUNDS};
use super::encrypted_bytes::EncryptedBytes;
use super::message::AesKeyId;
use super::parameters::Parameters;

/// Number of bytes of all round keys.
pub(super) const ROUND_KEY_BYTES: usize = (ROUNDS + 1) * BLOCK_BYTES;

/// An AES-128 key for a server to compute with: its round keys, expanded in the clear and then encrypted. 8.3 kB fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedKey {
    aes_key_id: AesKeyId,
    round_keys: EncryptedBytes,
}

impl EncryptedKey {
    /// Wraps the 176 encrypted bytes of the key with this identifier.
    #[cfg(feature = "client")]
    pub(super) fn new(aes_key_id: AesKeyId, round_keys: EncryptedBytes) -> Self {
        assert_eq!(round_keys.count(), ROUND_KEY_BYTES, "bytes of round keys");
        Self { aes_key_id, round_keys }
    }

    /// Returns the identifier of the encrypted AES key, which messages under that key carry.
    #[must_use]
    pub fn aes_key_id(&self) -> AesKeyId {
        self.aes_key_id
    }

    /// Returns the round keys as bytes, in the order of the key expansion (FIPS 197, Sec. 5.2).
    #[must_use]
    pub fn round_key_bytes(&self) -> &EncryptedBytes {
        &self.round_keys
    }

    /// Returns the identifier of the secret key under which the AES key was encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.round_keys.key_id()
    }

    /// Returns the digest of the parameters under which the AES key was encrypted.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.round_keys.parameter_digest()
    }

    /// Checks that the encrypted key belongs to these parameters and this client.
    ///
    /// # Errors
    /// The errors of [`EncryptedBytes::check`].
    pub fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.round_keys.check(parameters, expected)
    }

    /// Returns the round keys for [`super::Aes`] of these parameters, to which the key must have been checked to belong.
    ///
    /// # Errors
    /// None, since there are 176 bytes of eight bits.
    pub fn to_round_keys(&self, parameters: &Parameters) -> Result<EncryptedRoundKeys> {
        let round_keys = self.round_keys.switched(parameters);
        let bytes = (0..round_keys.count()).map(|index| round_keys.byte(index));
        EncryptedRoundKeys::new(bytes.collect())
    }

    /// Returns the key in its wire format: AES key identifier, client, sizes, a seed of masks, bodies.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.round_keys.write_as(ObjectType::EncryptedRoundKeys, &self.aes_key_id.0.0)
    }

    /// Reads an encrypted key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged encrypted AES-128 key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let count = ROUND_KEY_BYTES as u64;
        let object_type = ObjectType::EncryptedRoundKeys;
        let (id, round_keys) = EncryptedBytes::read_as(object_type, bytes, |_| count..=count)?;
        Ok(Self { aes_key_id: AesKeyId(KeyId(id)), round_keys })
    }
}
