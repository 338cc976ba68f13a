//! The TFHE circuit bootstrap, by private key switching: what [`cryptable_leveled::bootstrapping`] is compared with in
//! benchmarks. Lookups and AES do not use it.
//!
//! Here on the ring and with the selectors of the set that it is compared with; [`three_levels`] is TFHE's own, with the
//! paper's numbers.

mod private_key_serialization;
mod private_key_switching;
mod tfhe_circuit_bootstrapping;
mod tfhe_parameters;
pub mod three_levels;

pub use private_key_switching::{PrivateFunction, PrivateSwitchingKey, SeededPrivateSwitchingKey};
pub use tfhe_circuit_bootstrapping::TfheCircuitBootstrapping;
pub use tfhe_parameters::{MAX_KEY_BYTES, PrivateKeyForm, PrivateSwitchingNoise, TfheParameters};
