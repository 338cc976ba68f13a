//! RLWE for every scheme of `cryptable`: parameters and their security, secrets, ciphertexts,
//! hybrid key switching, and the wire format.
//!
//! Code that touches a secret (key generation, encryption, decryption) sits behind the feature
//! `client`; a server builds without it.
#![forbid(unsafe_code)]

pub mod coefficient_ciphertext;
pub mod error;
pub mod evaluation_keys;
pub mod gaussian_tail;
#[cfg(feature = "client")]
pub mod key_generation;
pub mod key_switching;
pub mod lwe;
pub mod lwe_masks;
#[cfg(feature = "client")]
pub mod power_of_two_product;
#[cfg(feature = "client")]
pub mod secret;
pub mod security;
pub mod switching_key;
pub mod table;

pub use error::{Error, Result};
pub use evaluation_keys::{EvaluationKeys, KeyPurpose, KeyRequest};
pub use switching_key::{RlweCiphertext, SwitchingKey, SwitchingKeyShape};
pub use table::Table;
