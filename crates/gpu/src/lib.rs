//! Lookups on an NVIDIA card: the circuits, parameters and keys of the other crates, with the results of the processor to
//! the bit.
//!
//! The driver is found at run time, and kernels (`kernels/*.cu`) are compiled ahead and kept as PTX: nothing of CUDA is
//! needed to build, and without a card [`Device::card`] says so. Everything runs in order on one stream of a card; the first
//! error is kept, and told where results are fetched ([`Device::check`]).

pub(crate) mod arguments;
pub mod automorphism;
mod chain_switch;
pub mod ciphertext;
pub mod combination;
pub mod combined_tensor;
mod conversion;
pub mod device;
pub mod evaluator;
pub mod fhew;
pub(crate) mod kernels;
mod key_switching;
mod linear_transform;
pub mod measure;
mod mod_raise;
pub mod modulus_switch;
pub(crate) mod ntt;
mod ntt_tables;
mod packed;
pub mod poly;
pub mod ring;
mod rounded_division;
#[cfg(test)]
mod samples;
pub mod scalar;
mod switching_key;
mod table_lookup;
pub mod table_step;
pub mod tensor;

pub use device::Device;
pub use evaluator::DeviceEvaluator;
pub use packed::PackedKey;
pub use ring::DeviceRing;
