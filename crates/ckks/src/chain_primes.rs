//! The primes of a bootstrap's chains: their exact values, the scales that they keep, and their security.

use std::ops::Range;

use cryptable_lattice::security::{LweInstance, SecretDistribution};
use cryptable_lattice::{Result, SecurityLevel};
use cryptable_ring::primes::ntt_primes;

/// log2 of all primes.
#[derive(Clone, Debug)]
pub struct ChainSizes<'a> {
    /// Ring degree N: primes are 1 modulo 2N.
    pub degree: usize,
    /// The first chain, from the bottom up.
    pub chain: &'a [f64],
    /// Range of the first chain that consists of levels, one per product.
    pub levels: Range<usize>,
    /// Special primes.
    pub special: &'a [f64],
    /// The chain to which ModRaise raises, if there is one.
    pub raised: &'a [f64],
}

/// The primes of a parameter set, all of them different.
#[derive(Clone, Debug)]
pub struct ChainPrimes {
    /// The first chain.
    pub main: Vec<u64>,
    /// The chain to which ModRaise raises; empty without bootstrapping.
    pub raised: Vec<u64>,
    /// Special primes.
    pub special: Vec<u64>,
}

impl ChainPrimes {
    /// Finds the primes nearest to the given sizes.
    #[must_use]
    pub fn find(sizes: &ChainSizes<'_>) -> Self {
        let mut used: Vec<u64> = Vec::new();
        let mut next = |log2: f64| {
            let prime = ntt_primes(sizes.degree, log2, 1, &used)[0];
            used.push(prime);
            prime
        };
        let (chain, levels) = (sizes.chain, &sizes.levels);
        let mut main: Vec<u64> = chain.iter().map(|_| 0).collect();
        for (index, &log2) in chain.iter().enumerate().filter(|(index, _)| !levels.contains(index))
        {
            main[index] = next(log2);
        }
        // From the top down: a product divides the square of the scale by a prime. With arbitrary primes this would
        // double the distance of the scale from the stated size at every level. Primes near the quotient keep the
        // scale.
        let mut scale = if levels.is_empty() { 0.0 } else { chain[levels.end - 1] };
        for index in levels.clone().rev() {
            let below = chain[index.saturating_sub(1).max(levels.start)];
            let is_top = index + 1 == levels.end;
            // Sizes that differ much may lead anywhere: callers check the primes.
            let size = if is_top { scale } else { 2.0 * scale - below };
            main[index] = next(size.clamp(f64::from(sizes.degree.ilog2()) + 2.0, 50.0));
            let prime = (main[index] as f64).log2();
            scale = if is_top { prime } else { 2.0 * scale - prime };
        }
        let special = sizes.special.iter().map(|&log2| next(log2)).collect();
        let raised = sizes.raised.iter().map(|&log2| next(log2)).collect();
        Self { main, raised, special }
    }

    /// Returns log2 of the largest modulus of any key: the modulus of the larger chain times the special primes.
    #[must_use]
    pub fn log2_largest(&self) -> f64 {
        log2_product(&self.main).max(log2_product(&self.raised)) + log2_product(&self.special)
    }

    /// Returns the problems on which the security of the secrets rests: a dense secret and, for bootstrapping, an
    /// encapsulated sparse secret of the given weight.
    #[must_use]
    pub fn lwe_instances(&self, degree: usize, sparse_weight: Option<u32>) -> Vec<LweInstance> {
        let dense = SecretDistribution::UniformTernary;
        let mut all = vec![LweInstance::ring("dense secret", degree, dense, self.log2_largest())];
        if let Some(weight) = sparse_weight {
            let sparse = SecretDistribution::FixedWeightTernary(weight);
            // The sparse secret is used only at q_0·p_0, and as the message of another key.
            let bottom = log2_product(&[self.main[0], self.special[0]]);
            all.push(LweInstance::ring("sparse secret", degree, sparse, bottom));
        }
        all
    }

    /// Checks the claimed security for all secrets and returns the estimate; 0 for insecure toys.
    ///
    /// # Errors
    /// If the estimate is below the claim.
    pub fn check_security(
        &self,
        degree: usize,
        sparse_weight: Option<u32>,
        claimed: SecurityLevel,
    ) -> Result<f64> {
        if claimed == SecurityLevel::Insecure {
            return Ok(0.0);
        }
        let instances = self.lwe_instances(degree, sparse_weight);
        instances.iter().try_for_each(LweInstance::check)?;
        Ok(LweInstance::least_security_bits(&instances))
    }
}

/// Returns log2 of a product of primes.
#[must_use]
pub fn log2_product(primes: &[u64]) -> f64 {
    primes.iter().map(|&q| (q as f64).log2()).sum()
}

/// Returns the scale of ciphertexts with `limbs` limbs if levels end at `top`. At the top it is the next prime to be
/// dropped, and below it the square of the scale over the prime, as products leave it.
///
/// # Panics
/// If `limbs` exceeds `top`.
#[must_use]
pub fn scale_at(primes: &[f64], top: usize, limbs: usize) -> f64 {
    assert!(limbs <= top, "{limbs} of {top} limbs");
    (limbs..top).rev().fold(primes[top - 1], |scale, limbs| scale * scale / primes[limbs])
}
