//! Functional bootstrapping of single values: FHEW/TFHE over one prime below 2^50.
//!
//! One LWE ciphertext holds one value; a blind rotation looks its phase up in a test polynomial. Tables that are
//! not negacyclic take one of the full-domain variants of Ma, Huang, Wang, Zhou and Wang (TCHES 2024).
#![forbid(unsafe_code)]

pub mod automorphism_counts;
pub mod automorphism_rotation;
pub mod automorphism_sets;
pub mod bfv_multiplication;
pub mod blind_rotation;
pub mod cmux_rotation;
pub mod decomposition;
pub mod error;
pub mod evaluation_key;
pub mod exponent_group;
pub mod full_domain;
pub mod functions;
pub mod gates;
pub mod intermediate_ring;
#[cfg(feature = "client")]
pub mod key_generation;
pub mod key_serialization;
pub mod large_precision;
pub mod lookup;
pub mod lwe_key_switching;
pub mod many_lut;
pub mod multi_value;
pub mod noise;
mod packing_key_serialization;
pub mod packing_key_switching;
pub mod paper_noise;
pub mod parameter_choice;
pub mod parameter_sets;
pub mod parameters;
pub mod ring_dimension_switching;
pub mod rlwe;
pub mod rotation_method;
pub mod scheme_switching;
#[cfg(feature = "client")]
pub mod secret_key;
#[cfg(feature = "client")]
pub mod secret_serialization;
pub mod seeded_rows;
pub mod table;
pub mod test_polynomial;
pub mod trace_packing;
