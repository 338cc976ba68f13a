//! Benchmarks of packed values: lookups, tables per value, words, sums by groups, functional digit decomposition, signs, and
//! orders of interpolations.

pub mod entries;
pub mod fdd;
pub mod groups;
pub mod hermite;
pub(crate) mod keys;
pub(crate) mod limits;
pub(crate) mod line;
pub mod lookup;
pub mod reals;
pub mod sign;
mod stages;
pub mod words;
