//! The LWE problems that protect the secrets of a parameter set.

use super::{
    SecretDistribution, SecurityError, check, check_lwe, estimated_bits, lwe_security_bits,
    security_bits,
};
use crate::ERROR_VARIANCE;

/// An LWE or RLWE problem: anyone who solves it has the secret.
///
/// Every parameter set lists its own problems, one per secret, at the largest modulus under which anything is encrypted
/// by that secret, special primes included. The same list is what validation checks, what the level is computed from,
/// and what is printed for others to estimate.
///
/// ```
/// use cryptable_lattice::security::{LweInstance, SecretDistribution::Binary};
/// let instance = LweInstance::lwe("LWE secret", 820, Binary, 20.0);
/// assert!(instance.check().is_ok());
/// assert_eq!(instance.security_bits(), 128.8);
/// assert!(LweInstance::ring("ring secret", 2048, Binary, 54.0).check().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LweInstance {
    name: &'static str,
    is_ring: bool,
    dimension: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
}

impl LweInstance {
    /// Returns an LWE problem without the structure of a ring.
    #[must_use]
    pub fn lwe(
        name: &'static str,
        dimension: usize,
        secret: SecretDistribution,
        log2_modulus: f64,
    ) -> Self {
        Self { name, is_ring: false, dimension, secret, log2_modulus }
    }

    /// Returns an RLWE problem over a power-of-two cyclotomic ring of this degree.
    #[must_use]
    pub fn ring(
        name: &'static str,
        degree: usize,
        secret: SecretDistribution,
        log2_modulus: f64,
    ) -> Self {
        Self { name, is_ring: true, dimension: degree, secret, log2_modulus }
    }

    /// Returns the name of the secret in the set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether the problem is RLWE.
    #[must_use]
    pub fn is_ring(&self) -> bool {
        self.is_ring
    }

    /// Returns the LWE dimension, or the ring degree.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the distribution of the secret.
    #[must_use]
    pub fn secret(&self) -> SecretDistribution {
        self.secret
    }

    /// Returns log2 of the largest modulus.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        self.log2_modulus
    }

    /// Returns the standard deviation of fresh errors, in units of the modulus' integers.
    #[must_use]
    pub fn error_standard_deviation(&self) -> f64 {
        ERROR_VARIANCE.sqrt()
    }

    /// Checks that the problem has 128 bits of security, by the embedded tables.
    ///
    /// # Errors
    /// If it has less, or if the tables do not contain it.
    pub fn check(&self) -> Result<(), SecurityError> {
        if self.is_ring {
            check(self.dimension, self.secret, self.log2_modulus)
        } else {
            check_lwe(self.dimension, self.secret, self.log2_modulus)
        }
    }

    /// Returns log2 of the estimated cost of the cheapest attack, by the embedded estimates. Returns `None` if no row
    /// is of this problem or of an easier one.
    #[must_use]
    pub fn estimated_bits(&self) -> Option<f64> {
        estimated_bits(self.dimension, self.secret, self.log2_modulus)
    }

    /// Returns the level in bits: [`LweInstance::estimated_bits`], the 128 bits of the limits if there is no estimate,
    /// or 0 if the tables do not contain the problem. The level is below 128 exactly if [`LweInstance::check`] refuses.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        if self.is_ring {
            security_bits(self.dimension, self.secret, self.log2_modulus)
        } else {
            lwe_security_bits(self.dimension, self.secret, self.log2_modulus)
        }
    }

    /// Returns the level of a set in bits: that of the weakest of its secrets, or 0 if there is no secret.
    #[must_use]
    pub fn least_security_bits(instances: &[Self]) -> f64 {
        instances.iter().map(Self::security_bits).reduce(f64::min).unwrap_or(0.0)
    }
}
