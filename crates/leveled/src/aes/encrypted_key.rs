//! An encrypted AES key: its 11 round keys, encrypted bit by bit.

use cryptable_lattice::{Binding, Result};
use cryptable_wire::{KeyId, ObjectType};

use super::block::{BLOCK_BYTES, EncryptedRoundKeys, ROUNDS};
use super::encrypted_bytes::EncryptedBytes;
use super::message::AesKeyId;
use super::parameters::Parameters;

/// Bytes of all round keys.
pub(super) const ROUND_KEY_BYTES: usize = (ROUNDS + 1) * BLOCK_BYTES;

/// An AES-128 key that a server computes with: its round keys, which expansion in the clear made. 8.3 kB fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedKey {
    aes_key_id: AesKeyId,
    round_keys: EncryptedBytes,
}

impl EncryptedKey {
    /// From 176 encrypted bytes of the key that has this identifier.
    #[cfg(feature = "client")]
    pub(super) fn new(aes_key_id: AesKeyId, round_keys: EncryptedBytes) -> Self {
        assert_eq!(round_keys.count(), ROUND_KEY_BYTES, "bytes of round keys");
        Self { aes_key_id, round_keys }
    }

    /// The identifier of the AES key in it, by which messages under that key are known.
    #[must_use]
    pub fn aes_key_id(&self) -> AesKeyId {
        self.aes_key_id
    }

    /// The round keys as bytes, in the order of the key expansion (FIPS 197, Sec. 5.2).
    #[must_use]
    pub fn round_key_bytes(&self) -> &EncryptedBytes {
        &self.round_keys
    }

    /// The identifier of the secret key that it was encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.round_keys.key_id()
    }

    /// The digest of the parameters that it was encrypted under.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.round_keys.parameter_digest()
    }

    /// Checks that it belongs to these parameters and this client.
    ///
    /// # Errors
    /// The errors of [`EncryptedBytes::check`].
    pub fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.round_keys.check(parameters, expected)
    }

    /// The round keys for [`super::Aes`] of these parameters, which it was checked to belong to.
    ///
    /// # Errors
    /// Never: there are 176 of eight bits.
    pub fn to_round_keys(&self, parameters: &Parameters) -> Result<EncryptedRoundKeys> {
        let round_keys = self.round_keys.switched(parameters);
        let bytes = (0..round_keys.count()).map(|index| round_keys.byte(index));
        EncryptedRoundKeys::new(bytes.collect())
    }

    /// The key in its wire format: AES key identifier, client, sizes, a seed of masks, bodies.
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
