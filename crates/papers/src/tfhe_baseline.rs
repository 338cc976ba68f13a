//! The TFHE circuit bootstrap, by private key switching: what [`cryptable_leveled::bootstrapping`] is compared with in
//! benchmarks. Lookups and AES do not use it.

mod private_key_serialization;
mod private_key_switching;
mod tfhe_circuit_bootstrapping;
mod tfhe_parameters;

pub use private_key_switching::{PrivateFunction, PrivateSwitchingKey, SeededPrivateSwitchingKey};
pub use tfhe_circuit_bootstrapping::TfheCircuitBootstrapping;
pub use tfhe_parameters::{MAX_KEY_BYTES, PrivateKeyForm, PrivateSwitchingNoise, TfheParameters};
