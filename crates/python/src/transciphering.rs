//! Transciphering, from bytes of AES-128 in counter mode to homomorphic ciphertexts, for `cryptable/transciphering.py`.

mod aes_key;
mod encrypted_bytes;
mod keys;

pub(crate) use aes_key::{AesKey, AuthenticationKey, Message};
pub(crate) use encrypted_bytes::{EncryptedBytes, EncryptedKey};
pub(crate) use keys::{EvaluationKey, PreparedTable, PublicKey, SecretKey};
