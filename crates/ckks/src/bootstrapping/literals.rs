//! Parameters of the bootstraps of all schemes over CKKS, and their bounds: a file may claim anything.

use cryptable_lattice::Result;
use cryptable_lattice::error::demand;
use serde::{Deserialize, Serialize};

/// Largest number of primes of one part of a chain.
pub const MAX_PRIMES: usize = 64;

/// Largest number of butterfly levels of one matrix, which has two diagonals to this power.
const MAX_STAGE: u32 = 8;

/// Largest number of entries of one matrix, complex numbers of 16 bytes.
const MAX_ENTRIES: u64 = 1 << 21;

/// How a homomorphic DFT is split into matrices, with the primes that they use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformLiteral {
    /// Butterfly levels merged in each matrix, in order of application; their sum is log2 of the number of slots.
    pub stages: Vec<u32>,
    /// log2 of the primes that the matrices share. For SlotsToCoeffs these are the primes that the matrices drop. For
    /// CoeffsToSlots they are the chain to which ModRaise raises, in which no prime is dropped.
    pub primes: Vec<f64>,
    /// Baby steps per matrix: more of them are faster and need more keys.
    pub baby_steps: usize,
}

/// How the complex exponential of the phase is evaluated: a Chebyshev series of `e^{iθ}` at least depth, followed by
/// squarings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExponentialLiteral {
    /// log2 of the number of coefficients.
    pub log_length: u32,
    /// log2 of the baby steps.
    pub log_babies: u32,
    /// Number of doublings of the angle.
    pub doublings: u32,
    /// log2 of the primes, the last one used first: `log_length` for the series, one per doubling.
    pub primes: Vec<f64>,
}

/// Checks sizes of primes: enough primes of each size are 1 modulo 2N and suit the vector kernels.
///
/// # Errors
/// Names the number, its value and its bounds.
pub fn check_primes(name: &'static str, sizes: &[f64], degree: usize) -> Result<()> {
    let count = sizes.len();
    demand(count <= MAX_PRIMES, "number of primes", count as f64, "at most 64")?;
    let least = f64::from(degree.ilog2()) + 8.0;
    for &size in sizes {
        let limit = "log2 of the ring degree plus 8 to 50";
        demand((least..=50.0).contains(&size), name, size, limit)?;
    }
    Ok(())
}

impl TransformLiteral {
    /// Checks every number, for full packing of a ring of this degree.
    ///
    /// # Errors
    /// Names the number, its value and its bounds.
    pub fn check(&self, degree: usize) -> Result<()> {
        self.check_for(degree, degree / 2)
    }

    /// Checks every number, for `slots` slots of a ring of this degree.
    ///
    /// # Errors
    /// Names the number, its value and its bounds.
    pub fn check_for(&self, degree: usize, slots: usize) -> Result<()> {
        check_primes("log2 of a prime of a transform", &self.primes, degree)?;
        let primes = self.primes.len();
        demand(primes > 0, "primes of a transform", primes as f64, "at least 1")?;
        for &stage in &self.stages {
            demand((1..=MAX_STAGE).contains(&stage), "levels of a matrix", stage.into(), "1 to 8")?;
        }
        let outermost = self.stages.iter().copied().max().unwrap_or(0);
        // The outermost matrix has two diagonals to the power of its levels, each over all slots. Sparse slots have
        // both parts side by side.
        let entries = (degree / 2).min(2 * slots) as u64;
        let entries = entries << outermost;
        let limit = "at most 2^21, 32 MiB";
        demand(entries <= MAX_ENTRIES, "entries of a matrix", entries as f64, limit)?;
        let levels = slots.ilog2();
        // There are sixteen levels in stages of at least one, so that their sum cannot overflow.
        let stages = self.stages.len();
        demand(stages <= 16, "matrices of a transform", stages as f64, "at most 16")?;
        let sum: u32 = self.stages.iter().sum();
        demand(sum == levels, "levels of all matrices", sum.into(), "log2 of the number of slots")?;
        let babies = self.baby_steps;
        demand((1..=256).contains(&babies), "baby steps", babies as f64, "1 to 256")
    }
}

impl ExponentialLiteral {
    /// Checks every number, for a ring of this degree.
    ///
    /// # Errors
    /// Names the number, its value and its bounds.
    pub fn check(&self, degree: usize) -> Result<()> {
        check_primes("log2 of a prime of the exponential", &self.primes, degree)?;
        let length = self.log_length;
        let name = "log2 of the length of the exponential";
        demand((2..=8).contains(&length), name, length.into(), "2 to 8")?;
        let babies = self.log_babies;
        let is_babies = (1..=length).contains(&babies);
        let name = "log2 of the baby steps of the exponential";
        demand(is_babies, name, babies.into(), "1 to that of its length")?;
        let doublings = self.doublings;
        let name = "doublings of the exponential";
        demand((1..=8).contains(&doublings), name, doublings.into(), "1 to 8")?;
        let primes = self.primes.len();
        let levels = (length + doublings) as usize;
        demand(primes == levels, "primes of the exponential", primes as f64, "one per level")
    }
}
