//! CKKS with exact scales, for functional bootstrapping.
//!
//! Circuits are written once against [`Arithmetic`] and run on an [`Evaluator`], which computes, or a
//! [`DryRun`], which predicts limbs, scales, noise, transforms and the keys that are needed.
#![forbid(unsafe_code)]

pub mod arithmetic;
mod baby_steps;
pub mod bootstrapping;
pub mod chain_primes;
pub mod chebyshev;
pub mod ciphertext;
pub mod cleaning;
mod counts;
pub mod dft_factors;
pub mod dft_shapes;
mod dft_windows;
pub mod diagonal_matrix;
pub mod dry_run;
#[cfg(feature = "client")]
pub mod encryption;
pub mod evaluator;
pub mod hiding;
pub mod inner_ring;
pub mod kept;
pub mod leveled_table;
pub mod linear_transform;
pub mod noise_sources;
pub mod overflow;
pub mod paterson_stockmeyer;
pub mod plaintext;
pub mod polynomial_hermite;
pub mod real_slots;
pub mod stages;
pub mod transform_plan;
mod work;

pub use arithmetic::Arithmetic;
pub use ciphertext::{Ciphertext, Product, SeededCiphertext};
pub use dry_run::DryRun;
pub use evaluator::Evaluator;
pub use linear_transform::LinearTransform;
pub use plaintext::Plaintext;
pub use transform_plan::TransformPlan;
