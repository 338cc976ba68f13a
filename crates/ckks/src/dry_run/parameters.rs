//! Parameters of a dry run: chains of primes and shapes of keys.

use cryptable_lattice::{Owners, SwitchingKeyShape};
use cryptable_ring::SharedLimbs;

/// A chain of primes.
#[derive(Clone, Debug)]
pub struct PlannedChain {
    /// Primes from the bottom up.
    pub primes: Vec<f64>,
    /// Primes that share limbs.
    pub shared: SharedLimbs,
}

impl PlannedChain {
    /// Makes a chain with one prime per limb.
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
    /// Number of coefficients whose noise affects results: N, or the degree of the subring that contains sparse
    /// messages. Noise outside the subring stays there, since slots that repeat are multiplied by slots that repeat.
    pub noise_coefficients: usize,
    /// The chains of primes: the first one, and any others of the ring.
    pub chains: Vec<PlannedChain>,
    /// Shapes of the relinearization keys.
    pub relinearization: Vec<SwitchingKeyShape>,
    /// Shapes of keys for rotations and conjugations.
    pub automorphism: Vec<SwitchingKeyShape>,
    /// log2 of the special primes.
    pub log2_special: f64,
    /// Number of owners of the secret key.
    pub owners: Owners,
}

impl DryRunParameters {
    /// Returns the parameters with one owner and one chain of primes, in which noise of all coefficients counts and
    /// every key has this shape.
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

    /// Variance σ² of the errors of automorphism keys.
    pub(super) fn automorphism_error(&self) -> f64 {
        self.owners.error_variance()
    }

    /// Variance σ² of the errors of relinearization keys, which bounds noise of slots. With several owners the error
    /// `s·e_0 + u·e_1 + e_2` is Gaussian in a slot; s and u are taken as large there as they may be.
    pub(super) fn relinearization_error(&self) -> f64 {
        if self.owners.is_one() {
            return self.owners.error_variance();
        }
        // Below degree 1,024, which only tests use, secrets have no limit but the sum of their coefficients.
        let largest = self.owners.embedding_limit(self.degree).min(self.degree as f64);
        largest * self.owners.relinearization_error_variance(self.degree)
    }
}
