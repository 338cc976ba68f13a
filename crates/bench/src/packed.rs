//! Benchmarks of packed values: lookups, functional digit decomposition, signs, and orders of interpolations.

pub mod fdd;
pub mod hermite;
pub(crate) mod keys;
pub mod lookup;
pub mod sign;
mod stages;
