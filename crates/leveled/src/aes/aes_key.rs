//! A client's AES-128 key, and the key derived from it that authenticates messages.

use std::io::Write;

use cryptable_ring::clear_stack;
use cryptable_ring::random::SecretSeed;
use cryptable_wire::KeyId;
use zeroize::{ZeroizeOnDrop, Zeroizing};

use super::block::BLOCK_BYTES;
use super::message::{AesKeyId, Message, MessageStart, TAG_BYTES};
use super::message_error::{MessageError, MessageResult};
use super::plain::counter_mode_assign;

/// Domain of the identifiers of AES keys.
const ID_CONTEXT: &str = "cryptable 2026-11 identifier of an AES-128 key";

/// Domain of the keys that authenticate messages.
const AUTHENTICATION_CONTEXT: &str = "cryptable 2026-11 authentication of AES-128-CTR messages";

/// Number of bytes that are decrypted at once.
const PIECE_BYTES: usize = 1 << 16;

/// An AES-128 key. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::aes::AesKey;
/// let key = AesKey::from_bytes(&[7; 16]);
/// assert_ne!(key.id(), AesKey::generate().id());
/// assert_eq!(format!("{key:?}"), "AesKey(redacted)");
/// ```
pub struct AesKey(
    /// On the heap, so that moving the key copies only a pointer.
    Box<Zeroizing<[u8; BLOCK_BYTES]>>,
);

impl ZeroizeOnDrop for AesKey {}

impl std::fmt::Debug for AesKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AesKey(redacted)")
    }
}

impl AesKey {
    /// Draws a fresh key from the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn generate() -> Self {
        let mut key = Self(Box::default());
        key.0.copy_from_slice(&SecretSeed::random().as_bytes()[..BLOCK_BYTES]);
        key
    }

    /// Makes a key from 16 bytes, which should be random.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let mut key = Self(Box::default());
        key.0.copy_from_slice(bytes);
        key
    }

    /// Returns the bytes of the key, which are secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; BLOCK_BYTES] {
        &self.0
    }

    /// Returns the identifier that messages and encrypted keys of this key carry.
    #[must_use]
    pub fn id(&self) -> AesKeyId {
        let id = KeyId::of_secret(ID_CONTEXT, self.as_bytes());
        clear_stack();
        AesKeyId(id)
    }

    /// Returns the key that can check messages but not decrypt them: BLAKE3 of this key in a domain of its own.
    #[must_use]
    pub fn authentication_key(&self) -> AuthenticationKey {
        let mut derived = AuthenticationKey::zero();
        {
            let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(AUTHENTICATION_CONTEXT));
            hasher.update(self.as_bytes());
            // The XOF reader contains the AES key, like the hasher.
            Zeroizing::new(hasher.finalize_xof()).fill(&mut **derived.0);
        }
        clear_stack();
        derived
    }

    /// Checks a message and decrypts it in the clear.
    ///
    /// # Errors
    /// The errors of [`AuthenticationKey::verify`]; [`MessageError::OtherAesKey`] if the message is under another key.
    pub fn open(&self, message: &Message<'_>) -> MessageResult<Zeroizing<Vec<u8>>> {
        let mut plain = Zeroizing::new(Vec::with_capacity(message.bytes().len()));
        self.open_stream(message, &mut *plain)?;
        Ok(plain)
    }

    /// Decrypts like [`AesKey::open`], piece by piece, for messages that are mapped from a file. Nothing is written before the
    /// whole message has been checked.
    ///
    /// # Errors
    /// The errors of [`AesKey::open`], or if writing fails.
    pub fn open_stream(&self, message: &Message<'_>, out: &mut dyn Write) -> MessageResult<()> {
        message.check_key(self.id())?;
        self.authentication_key().verify(message)?;
        let mut buffer = Zeroizing::new(vec![0; PIECE_BYTES]);
        for (index, piece) in message.bytes().chunks(PIECE_BYTES).enumerate() {
            let blocks = (index * (PIECE_BYTES / BLOCK_BYTES)) as u64;
            let counter = super::counter_block(message.counters().first(), blocks);
            let plain = &mut buffer[..piece.len()];
            plain.copy_from_slice(piece);
            counter_mode_assign(&self.0, counter, plain);
            out.write_all(plain)?;
        }
        Ok(())
    }
}

/// A key that checks whether messages were made by a holder of the AES key (or of this key), but cannot read them.
/// Zeroized on drop, redacted in Debug.
///
/// ```
/// use cryptable_leveled::aes::{AesKey, MessageEncryptor};
/// let mut encryptor = MessageEncryptor::new(AesKey::generate());
/// let message = encryptor.encrypt(b"a message")?;
/// encryptor.key().authentication_key().verify(&message)?;
/// assert!(AesKey::generate().authentication_key().verify(&message).is_err());
/// # Ok::<(), cryptable_leveled::aes::MessageError>(())
/// ```
pub struct AuthenticationKey(
    /// On the heap, like that of [`AesKey`].
    Box<Zeroizing<[u8; blake3::KEY_LEN]>>,
);

impl ZeroizeOnDrop for AuthenticationKey {}

impl std::fmt::Debug for AuthenticationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuthenticationKey(redacted)")
    }
}

impl AuthenticationKey {
    fn zero() -> Self {
        Self(Box::default())
    }

    /// Returns the bytes of the key, which are secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; blake3::KEY_LEN] {
        &self.0
    }

    /// Makes a key from bytes that another holder handed out.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; blake3::KEY_LEN]) -> Self {
        let mut key = Self::zero();
        key.0.copy_from_slice(bytes);
        key
    }

    /// Starts the tag of a message.
    pub(super) fn tag_of(&self, start: MessageStart) -> Tag {
        let mut hasher = Box::new(Zeroizing::new(blake3::Hasher::new_keyed(self.as_bytes())));
        clear_stack();
        hasher.update(&start.to_bytes());
        Tag { hasher }
    }

    /// Checks the tag of a message, which covers key identifier, counter, length and bytes.
    ///
    /// # Errors
    /// [`MessageError::NotAuthentic`] if the tag is wrong or missing.
    pub fn verify(&self, message: &Message<'_>) -> MessageResult<()> {
        let mut expected = self.tag_of(message.start());
        expected.update(message.bytes());
        // The comparison of hashes takes constant time.
        match message.tag() {
            Some(tag) if expected.hasher.finalize() == *tag => Ok(()),
            _ => Err(MessageError::NotAuthentic),
        }
    }
}

/// The tag of a message whose bytes come in pieces.
pub(super) struct Tag {
    hasher: Box<Zeroizing<blake3::Hasher>>,
}

impl Tag {
    /// Appends encrypted bytes.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Returns the tag of all bytes.
    pub(super) fn finish(&self) -> [u8; TAG_BYTES] {
        *self.hasher.finalize().as_bytes()
    }
}
