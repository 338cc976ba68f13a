//! Benchmarks of packed values: lookups, and functional digit decomposition.

pub mod fdd;
mod keys;
pub mod lookup;
