//! Single values on a card, in batches: LWE ciphertexts by the thousand through the bootstraps of the crate `fhew`.
//!
//! A batch of one rotation fills a card where one ciphertext would leave it idle: a ciphertext is some hundred threads.
//! Results are those of processors with AVX-512, to the bit: sums of products are by Fourier transforms over doubles, whose
//! last bits depend on the order of operations, and processors with other vectors have another order. For the same reason
//! rings are those that have such transforms there: degrees 256 to 4,096, primes below 2^47.

mod blind_rotation;
mod circuit_bootstrapping;
mod fourier;
mod gates;
mod key_switch;
mod lwe_batch;
mod lwe_key_switch;
mod lwe_modulus_switch;
mod ring_dimension_switch;

pub use circuit_bootstrapping::{CircuitBootstrappingKey, RgswBatch};
pub use gates::GateKey;
pub use lwe_batch::LweBatch;
