//! AES-128 under an encrypted key, and transciphering: from bytes of AES in counter mode to homomorphic ciphertexts.
//!
//! A client sends its AES key once, encrypted bit by bit. Its messages are sent as AES ciphertexts, which are no longer
//! than the messages. The server sees neither key nor messages; it turns the bytes into homomorphic ciphertexts, and can
//! look each up in a table.
//!
//! Two messages that share a counter block reveal their XOR. [`MessageEncryptor`] owns the AES key, draws a nonce of 96
//! bits for every message, and refuses a requested counter that was used before. The message carries its first counter to
//! the server. It also carries a tag with which holders of the AES key, or of the authentication key derived from it,
//! detect changes (encrypt-then-MAC). **The server cannot check that tag**, since it has no key: anyone who can change a
//! message on its way to the server can flip bits of the server's input. Send messages over an authenticated channel.
//!
//! ```
//! use cryptable_lattice::{Progress, Table};
//! use cryptable_leveled::aes::{AesKey, MessageEncryptor, Parameters, SecretKey};
//!
//! // `Parameters::default_128()` has 128 bits of security; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy();
//!
//! // The client, once:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let mut encryptor = MessageEncryptor::new(AesKey::generate());
//! let encrypted_key = secret.encrypt_key(encryptor.key());
//! // For every message:
//! let message = encryptor.encrypt(b"hi")?;
//!
//! // The server:
//! let bytes = evaluation_key.transcipher(&encrypted_key, &message, Progress::silent())?;
//! let upper = Table::from_fn(256, 256, |x| u64::from((x as u8).to_ascii_uppercase()))?;
//! let upper = evaluation_key.prepare(&upper)?;
//! let outputs = evaluation_key.lookup_many(&bytes, &[&upper], Progress::silent())?;
//!
//! // The client again:
//! assert_eq!(*secret.decrypt(&outputs[0])?, *b"HI");
//! # Ok::<(), cryptable_leveled::aes::MessageError>(())
//! ```

#[cfg(feature = "client")]
mod aes_key;
mod block;
mod byte_stream;
mod column_table;
mod counter_mode;
mod counters;
mod encrypted_bytes;
mod encrypted_key;
mod evaluation_key;
pub mod field;
mod linear_layer;
mod memory;
mod message;
#[cfg(feature = "client")]
mod message_encryptor;
mod message_error;
mod parameters;
#[cfg(feature = "client")]
pub mod plain;
#[cfg(feature = "client")]
pub mod round_keys;
#[cfg(feature = "client")]
mod secret_key;
mod transciphering;

#[cfg(feature = "client")]
pub use aes_key::{AesKey, AuthenticationKey};
pub use block::{Aes, BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
pub use byte_stream::{CHUNK_BYTES, EncryptedBytesReader, EncryptedBytesWriter};
pub use counters::{CounterRange, UsedCounters, counter_block};
pub use encrypted_bytes::EncryptedBytes;
pub use encrypted_key::EncryptedKey;
pub use evaluation_key::{EvaluationKey, PreparedTable};
pub use message::{AesKeyId, Message};
#[cfg(feature = "client")]
pub use message_encryptor::{MessageEncryption, MessageEncryptor};
pub use message_error::MessageError;
pub use parameters::Parameters;
#[cfg(feature = "client")]
pub use secret_key::{PublicKey, SecretKey};
pub use transciphering::Transciphering;
