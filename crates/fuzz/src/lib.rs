//! Fuzzing of everything that this project reads: [`targets`], each under the limits of [`limits`] and beyond checksums
//! by [`repair`], and small valid objects to start from, [`seeds`].
//!
//! `make fuzz` runs all targets, guided by coverage; `docs/fuzzing.md` says how, and what was found. The tests of this
//! crate are a short run of the same targets.
#![forbid(unsafe_code)]

// Where code is built for coverage, everything that links it needs the engine, too.
use bolero as _;

pub mod bridge_seeds;
pub mod circuit_seeds;
pub mod clients;
pub mod forged;
pub mod limits;
pub mod mutation;
pub mod repair;
pub mod seeds;
pub mod targets;
pub mod vector_seeds;
