//! The objects that all schemes share: tables, LWE and RLWE ciphertexts, secrets and their security, key switching,
//! errors, progress and the cost model.
//!
//! Code that touches a secret (key generation, encryption, decryption) is behind the feature `client`; a server builds
//! without it.
#![forbid(unsafe_code)]

mod binding;
pub mod block_secret;
pub mod calibration;
pub mod coefficient_ciphertext;
pub mod cost;
#[cfg(feature = "diagnostics")]
pub mod damaged_files;
#[cfg(feature = "client")]
pub mod decrypted_values;
pub mod divided_key_switch;
pub mod embedding_bound;
mod engine_key;
pub mod error;
pub mod evaluation_keys;
pub mod external_product;
mod failure_probability;
pub mod flooding;
pub mod gaussian_tail;
#[cfg(feature = "client")]
mod half_keys;
mod handover;
pub mod hidden_table;
#[cfg(feature = "client")]
pub mod key_generation;
mod key_parameters;
#[cfg(feature = "client")]
mod key_rows;
pub mod key_switching;
pub mod lwe;
#[cfg(feature = "client")]
pub mod lwe_encryption;
pub mod lwe_list;
pub mod lwe_masks;
pub mod memory;
pub mod noise_bound;
pub mod noise_law;
#[cfg(feature = "diagnostics")]
pub mod noise_statistics;
pub mod owners;
pub mod plaintext_encoding;
pub mod power_of_two_product;
pub mod progress;
#[cfg(feature = "client")]
mod public_key_error;
#[cfg(feature = "client")]
mod real_keys;
pub mod result_key;
pub mod rgsw;
pub mod ring_evaluation_key;
#[cfg(feature = "client")]
pub mod ring_public_key;
#[cfg(feature = "client")]
pub mod ring_secret_key;
#[cfg(feature = "client")]
pub mod secret;
pub mod security;
pub mod switching_key;
pub mod table;
pub mod trust;

pub use binding::Binding;
pub use error::{Error, Result};
pub use evaluation_keys::{EvaluationKeys, KeyPurpose, KeyRequest};
pub use failure_probability::FailureProbability;
pub use handover::Handover;
pub use key_parameters::KeyParameters;
pub use noise_bound::{NoiseBound, SumLimits};
pub use noise_law::NoiseLaw;
pub use owners::Owners;
pub use progress::{Progress, Steps};
pub use switching_key::{RlweCiphertext, StoredKey, SwitchingKey, SwitchingKeyShape};
pub use table::Table;
pub use trust::{ReadOptions, SecurityLevel};

/// The variance σ² of every coefficient of an error, the same in every scheme: centred binomial of 42 coins
/// ([`RandomStream::centered_binomial`](cryptable_ring::random::RandomStream::centered_binomial)), σ = 3.24.
pub const ERROR_VARIANCE: f64 = 10.5;
