//! Functional bootstrapping of single values: FHEW/TFHE over one prime below 2^50.
//!
//! One LWE ciphertext holds one value; a blind rotation looks its phase up in a test polynomial. Tables that are
//! not negacyclic need one of the full-domain methods of Ma et al. (TCHES 2024(1), ePrint 2023/645).
//!
//! # The path of a value
//! ```text
//!   LWE (b, a) mod q, dimension n          parameters, keys
//!        │  switch of modulus to 2N        keys::EvaluationKey::to_rotation_modulus
//!        ▼
//!   X^(-phase)·test polynomial             test_polynomial, rotation (CMUXes or automorphisms)
//!        │                                 multi_value (several tables on one rotation)
//!        │  constant coefficient
//!        ▼
//!   LWE mod Q, dimension N ──────────────► packing: back to RLWE, as a test polynomial or a factor
//!        │                                 multiplication: of two RLWE ciphertexts, or by the secret
//!        │  switching (ring dimension, LWE key)
//!        ▼
//!   LWE mod q, dimension n
//! ```
//! Built on this bootstrap are [`full_domain`] tables, [`decomposition`] of large values into digits, [`functions`] of
//! large values, and Boolean [`gates`]. [`noise`] predicts the noise of every step, and [`parameter_choice`] searches for
//! the fastest parameters within a failure probability. [`lookup`] is the interface that all engines of the library share.
//!
//! # Modules, from the bottom up
//! | module | contents |
//! |---|---|
//! | [`rlwe`], [`seeded_rows`], [`test_polynomial`] | ciphertexts, rows of keys, the polynomials that a rotation looks up |
//! | [`rotation`] | blind rotation: by CMUXes, by automorphisms (all odd or sparse exponents) |
//! | [`switching`] | the switch from the ring secret to the LWE secret, through a ring of lower degree |
//! | [`packing`] | from LWE to RLWE by the trace |
//! | [`multiplication`] | relinearization, BFV products, scheme switching |
//! | [`parameters`], [`noise`] | validated parameters; the variance of every operator |
//! | `encrypted_zero` | encryptions of zero for fresh masks |
//! | [`keys`] | the client's secrets, keys for the server, their bytes |
//! | [`multi_value`] | several tables on one blind rotation |
//! | [`full_domain`], [`decomposition`], [`functions`], [`gates`] | algorithms, one per file |
//! | [`cost`], [`parameter_choice`] | work by count; the search for the fastest parameters |
//! | [`lookup`], [`booleans`], [`integers`] | faces (public interfaces with keys of their own): tables, gates, large values |
//! | `face_parameters`, `serialization` | code that parameters and ciphertexts of all faces share |
#![forbid(unsafe_code)]

pub mod booleans;
pub mod cost;
pub mod decomposition;
mod encrypted_zero;
mod face_parameters;
pub mod full_domain;
pub mod functions;
pub mod gates;
pub mod integers;
pub mod keys;
pub mod lookup;
pub mod multi_value;
pub mod multiplication;
pub mod noise;
pub mod packing;
pub mod parameter_choice;
pub mod parameters;
pub mod rlwe;
pub mod rotation;
pub mod seeded_rows;
mod serialization;
pub mod switching;
pub mod test_polynomial;
mod variance;
