//! Fuzzing of all readers of this project.
//!
//! [`targets`] has one target per reader. Targets run within [`limits`] on memory and time, get past checksums through
//! [`repair`], and start from small valid objects, [`seeds`]. `make fuzz` runs all targets, guided by coverage;
//! `docs/fuzzing.md` explains how, and lists what was found. The tests of this crate are a short run of the same
//! targets.
#![forbid(unsafe_code)]

// In a build for coverage, everything that links this crate also needs the engine.
use bolero as _;

pub mod bridge_seeds;
pub mod circuit_seeds;
pub mod clients;
pub mod forged;
pub mod frames;
pub mod limits;
pub mod mutation;
pub mod owner_seeds;
pub mod repair;
pub mod seeds;
pub mod targets;
pub mod vector_seeds;
