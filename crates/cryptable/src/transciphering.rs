//! From ciphertexts of AES-128 in counter mode to homomorphic ciphertexts, under an encrypted AES key.
//!
//! Keys are those of [`crate::KeyKind::Transciphering`]; [`crate::engines::transciphering`] tells what they do.
//!
//! ```
//! use cryptable::transciphering::{AesKey, MessageEncryptor, Parameters};
//! use cryptable::{Progress, SecretKey, Table};
//!
//! // `Parameters::default_128()` has 128 bits of security; a toy keeps this example quick.
//! let secret = SecretKey::generate(Parameters::insecure_toy());
//! let server = secret.evaluation_key();
//! // The client sends its AES key once, encrypted, and then messages as short as AES makes them.
//! let mut encryptor = MessageEncryptor::new(AesKey::generate());
//! let encrypted_key = secret.transciphering()?.encrypt_key(encryptor.key());
//! let message = encryptor.encrypt(b"hi")?;
//!
//! let server = server.transciphering()?;
//! let bytes = server.transcipher(&encrypted_key, &message, Progress::silent())?;
//! let upper = Table::from_fn(256, 256, |x| u64::from((x as u8).to_ascii_uppercase()))?;
//! let upper = server.prepare(&upper)?;
//! let outputs = server.lookup_many(&bytes, &[&upper], Progress::silent())?;
//! assert_eq!(*secret.transciphering()?.decrypt(&outputs[0])?, *b"HI");
//! # Ok::<(), cryptable::transciphering::MessageError>(())
//! ```

pub use cryptable_leveled::aes::{
    Aes, AesKeyId, BLOCK_BYTES, CHUNK_BYTES, CounterRange, EncryptedByte, EncryptedBytes,
    EncryptedBytesReader, EncryptedBytesWriter, EncryptedKey, EncryptedRoundKeys, Message,
    MessageError, Parameters, PreparedTable, ROUNDS, Transciphering, UsedCounters, counter_block,
    field,
};
#[cfg(feature = "client")]
pub use cryptable_leveled::aes::{
    AesKey, AuthenticationKey, MessageEncryption, MessageEncryptor, plain, round_keys,
};
