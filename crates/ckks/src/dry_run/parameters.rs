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

impl DryRunParameters {
    /// Returns the parameters of one owner and one chain of primes, where noise of all coefficients counts and every key has this
    /// shape.
    #[must_use]
    pub fn new(degree: usize, primes: &[f64], shape: SwitchingKeyShape, log2_special: f64) -> Self {
        Self {
            degree,
            noise_coefficients: degree,
            chains: vec![PlannedChain::new(primes)],
            relinearization: vec![shape],
            automorphism: vec![shape],
            log2_special,
            owners: Owners::ONE,
        }
    }

    /// Variance σ² of the errors of keys for automorphisms.
    pub(super) fn automorphism_error(&self) -> f64 {
        self.owners.error_variance()
    }

    /// Variance σ² of the errors of relinearization keys, by which noise of slots is bounded: that of several owners,
    /// `s·e_0 + u·e_1 + e_2`, is Gaussian in a slot whose s and u are as large there as they may be.
    pub(super) fn relinearization_error(&self) -> f64 {
        if self.owners.is_one() {
            return self.owners.error_variance();
        }
        // Below degree 1,024, where tests are, secrets have no limit but the sum of their coefficients.
        let largest = self.owners.embedding_limit(self.degree).min(self.degree as f64);
        largest * self.owners.relinearization_error_variance(self.degree)
    }
}
