//! Benchmarks of packed values: what their lines and sessions share.

pub mod fdd;
mod keys;
pub mod lookup;
