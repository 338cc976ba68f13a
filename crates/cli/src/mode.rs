//! Packed and single values behind one face: files say which of the two they hold.

use anyhow::{Result, bail};
use cryptable::{Ciphertext, KeyId, SecretKey, single};
use cryptable_rlwe::wire::{ObjectType, peek_header};

/// Single values a ciphertext of a file holds at most: enough for all threads, and for progress to show.
const SINGLE_VALUES_PER_CIPHERTEXT: usize = 1024;

/// A ciphertext of many values packed together, or of values each by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyCiphertext {
    /// Packed values.
    Packed(Ciphertext),
    /// Single values.
    Single(single::Ciphertext),
}

impl AnyCiphertext {
    /// The number of values.
    pub fn count(&self) -> usize {
        match self {
            Self::Packed(ciphertext) => ciphertext.count(),
            Self::Single(ciphertext) => ciphertext.count(),
        }
    }

    /// The modulus of the values.
    pub fn modulus(&self) -> u64 {
        match self {
            Self::Packed(ciphertext) => ciphertext.modulus(),
            Self::Single(ciphertext) => ciphertext.modulus(),
        }
    }

    /// The digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        match self {
            Self::Packed(ciphertext) => ciphertext.parameter_digest(),
            Self::Single(ciphertext) => ciphertext.parameter_digest(),
        }
    }

    /// Its wire format.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Packed(ciphertext) => ciphertext.to_bytes(),
            Self::Single(ciphertext) => ciphertext.to_bytes(),
        }
    }

    /// Reads either kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleCiphertext => Self::Single(single::Ciphertext::from_bytes(bytes)?),
            _ => Self::Packed(Ciphertext::from_bytes(bytes)?),
        })
    }
}

impl From<Ciphertext> for AnyCiphertext {
    fn from(ciphertext: Ciphertext) -> Self {
        Self::Packed(ciphertext)
    }
}

impl From<single::Ciphertext> for AnyCiphertext {
    fn from(ciphertext: single::Ciphertext) -> Self {
        Self::Single(ciphertext)
    }
}

/// A client's secret key of either kind.
#[derive(Debug)]
pub enum AnySecretKey {
    /// For packed values.
    Packed(SecretKey),
    /// For single values.
    Single(single::SecretKey),
}

impl AnySecretKey {
    /// Reads either kind.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Ok(match peek_header(bytes)?.object_type {
            ObjectType::SingleSecretKey => Self::Single(single::SecretKey::from_bytes(bytes)?),
            _ => Self::Packed(SecretKey::from_bytes(bytes)?),
        })
    }

    /// Digest of its parameters.
    pub fn parameter_digest(&self) -> [u8; 32] {
        match self {
            Self::Packed(key) => key.parameters().digest(),
            Self::Single(key) => key.parameters().digest(),
        }
    }

    /// Its identifier.
    pub fn id(&self) -> KeyId {
        match self {
            Self::Packed(key) => key.id(),
            Self::Single(key) => key.id(),
        }
    }

    /// Modulus of the values that it encrypts.
    pub fn input_modulus(&self) -> u64 {
        match self {
            Self::Packed(key) => key.parameters().literal().input_modulus,
            Self::Single(key) => key.parameters().input_modulus(),
        }
    }

    /// Values that go into one ciphertext.
    pub fn values_per_ciphertext(&self) -> usize {
        match self {
            Self::Packed(key) => key.parameters().literal().slots,
            Self::Single(_) => SINGLE_VALUES_PER_CIPHERTEXT,
        }
    }

    /// Encrypts.
    ///
    /// # Errors
    /// If there are too many values or one is not below the input modulus.
    pub fn encrypt(&self, values: &[u64]) -> Result<AnyCiphertext> {
        Ok(match self {
            Self::Packed(key) => key.encrypt(values)?.into(),
            Self::Single(key) => key.encrypt(values)?.into(),
        })
    }

    /// Decrypts.
    ///
    /// # Errors
    /// If the ciphertext is of the other kind or of other parameters.
    pub fn decrypt(&self, ciphertext: &AnyCiphertext) -> Result<Vec<u64>> {
        match (self, ciphertext) {
            (Self::Packed(key), AnyCiphertext::Packed(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            (Self::Single(key), AnyCiphertext::Single(ciphertext)) => Ok(key.decrypt(ciphertext)?),
            (Self::Packed(_), _) => bail!("a ciphertext of single values, but a key of packed ones"),
            (Self::Single(_), _) => bail!("a ciphertext of packed values, but a key of single ones"),
        }
    }
}
