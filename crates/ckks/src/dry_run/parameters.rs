//! Parameters of a dry run: chains of primes and shapes of keys.

use cryptable_lattice::{Owners, SwitchingKeyShape};
use cryptable_ring::SharedLimbs;

/// A chain of primes.
#[derive(Clone, Debug)]
pub struct PlannedChain {
    /// From the bottom up.
    pub primes: Vec<f64>,
    /// Which of them share limbs.
    pub shared: SharedLimbs,
}

impl PlannedChain {
    /// One prime a limb.
    #[must_use]
    pub fn new(primes: &[f64]) -> Self {
        Self { primes: primes.to_vec(), shared: SharedLimbs::NONE }
    }
}

/// The parameters of a dry run.
#[derive(Clone, Debug)]
pub struct DryRunParameters {
    /// Ring degree N.
    pub degree: usize,
    /// Coefficients that noise reaches results from: N, or the degree of the subring that sparse messages lie in. Noise
    /// outside it stays there, as slots that repeat multiply it by what repeats.
    pub noise_coefficients: usize,
    /// The chains of primes: the first one, and others that the ring may have.
    pub chains: Vec<PlannedChain>,
    /// Shapes of the relinearization keys.
    pub relinearization: Vec<SwitchingKeyShape>,
    /// Shapes that a rotation or conjugation may use.
    pub automorphism: Vec<SwitchingKeyShape>,
    /// log2 of the special primes.
    pub log2_special: f64,
    /// Owners of the secret key.
    pub owners: Owners,
}
