//! AES-128 under an encrypted key, and transciphering: from bytes of AES in counter mode to homomorphic ciphertexts.
//!
//! A client sends its AES key once, encrypted bit by bit, and of messages as many bytes as they have. The server, which
//! sees neither, turns those bytes into homomorphic ciphertexts, and may map each through a table.
//!
//! A counter block must never come twice under one AES key: two messages with the same counters reveal their XOR. Take
//! up where the last message ended, or draw the upper half of the first counter at random for every message.
//!
//! ```
//! use cryptable_lattice::{Progress, Table};
//! use cryptable_leveled::aes::plain::counter_mode;
//! use cryptable_leveled::aes::{Parameters, SecretKey};
//!
//! // `Parameters::default_128()` has 128 bits of security; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy();
//!
//! // The client, once:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let aes_key = [7; 16];
//! let encrypted_key = secret.encrypt_key(&aes_key);
//! // For every message:
//! let counter = 1u128.to_be_bytes();
//! let cipher = counter_mode(&aes_key, counter, b"hi");
//!
//! // The server:
//! let bytes = evaluation_key.transcipher(&encrypted_key, counter, &cipher, Progress::silent())?;
//! let upper = Table::from_fn(256, 256, |x| u64::from((x as u8).to_ascii_uppercase()))?;
//! let upper = evaluation_key.prepare(&upper)?;
//! let outputs = evaluation_key.lookup_many(&bytes, &[&upper], Progress::silent())?;
//!
//! // The client again:
//! assert_eq!(*secret.decrypt(&outputs[0])?, *b"HI");
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod block;
mod byte_stream;
mod column_table;
mod counter_mode;
mod encrypted_bytes;
mod encrypted_key;
mod evaluation_key;
pub mod field;
mod linear_layer;
mod parameters;
#[cfg(feature = "client")]
pub mod plain;
#[cfg(feature = "client")]
pub mod round_keys;
#[cfg(feature = "client")]
mod secret_key;
mod transciphering;

pub use block::{Aes, BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
pub use byte_stream::{CHUNK_BYTES, EncryptedBytesReader, EncryptedBytesWriter};
pub use counter_mode::counter_block;
pub use encrypted_bytes::EncryptedBytes;
pub use encrypted_key::EncryptedKey;
pub use evaluation_key::{EvaluationKey, PreparedTable};
pub use parameters::Parameters;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use transciphering::Transciphering;
