//! The origin of a line: machine, kernels and commit.

use cryptable_ring::Isa;
use cryptable_ring::processor::processor_name;
use serde::Serialize;

/// Machine and build for which a measurement is valid. Times of one processor say little about another's.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize), serde(default))]
pub struct Origin {
    /// The processor's name and signature, as it announces them.
    pub processor: String,
    /// The instruction set of the kernels: an [`Isa`], which the environment variable `CRYPTABLE_SIMD` may lower.
    pub simd: String,
    /// The abbreviated commit that was checked out when the program was built; empty if unknown. Uncommitted changes do not
    /// show, so commit before you measure lines that are to be kept.
    pub revision: String,
}

impl Origin {
    /// Returns the origin of this program on this machine.
    pub fn here() -> Self {
        Self {
            processor: processor_name(),
            simd: format!("{:?}", Isa::detect()),
            revision: option_env!("CRYPTABLE_REVISION").unwrap_or_default().to_owned(),
        }
    }
}
