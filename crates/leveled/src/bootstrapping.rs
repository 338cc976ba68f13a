//! Circuit bootstrapping: the content of ciphertexts, rotations of two bits, and the bootstrap itself.

mod circuit_bootstrapping;
mod plaintext;
mod two_bit_rotation;

pub use circuit_bootstrapping::{BATCH, CircuitBootstrapping, batch_count};
pub(crate) use plaintext::check;
#[cfg(feature = "client")]
pub(crate) use plaintext::plaintext_body;
pub use plaintext::{Plaintext, trivial_bit, xor_assign};
#[cfg(feature = "diagnostics")]
pub use plaintext::{bit_error, plaintext_error};
#[cfg(feature = "client")]
pub use plaintext::{decrypt_bit, decrypt_plaintext, encrypt_bit, encrypt_plaintext};
pub use two_bit_rotation::{ciphertext_count, gray_code};
