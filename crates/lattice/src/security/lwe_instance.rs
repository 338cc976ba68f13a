//! The LWE problems that the secrets of a parameter set rest on.

use super::{
    SecretDistribution, SecurityError, check, check_lwe, estimated_bits, lwe_security_bits,
    security_bits,
};
use crate::ERROR_VARIANCE;

/// An LWE or RLWE problem: whoever solves it has the secret.
///
/// Every parameter set lists its own, one a secret, at the largest modulus under which anything is encrypted by that
/// secret, special primes included. The same list is what validation checks, what the level is computed of, and what
/// is printed for others to estimate.
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
    /// LWE without the structure of a ring.
    #[must_use]
    pub fn lwe(
        name: &'static str,
        dimension: usize,
        secret: SecretDistribution,
        log2_modulus: f64,
    ) -> Self {
        Self { name, is_ring: false, dimension, secret, log2_modulus }
    }

    /// RLWE over a power-of-two cyclotomic ring of this degree.
    #[must_use]
    pub fn ring(
        name: &'static str,
        degree: usize,
        secret: SecretDistribution,
        log2_modulus: f64,
    ) -> Self {
        Self { name, is_ring: true, dimension: degree, secret, log2_modulus }
    }

    /// Which secret of the set it is.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns whether it is RLWE.
    #[must_use]
    pub fn is_ring(&self) -> bool {
        self.is_ring
    }

    /// LWE dimension, or ring degree.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns how the secret is drawn.
    #[must_use]
    pub fn secret(&self) -> SecretDistribution {
        self.secret
    }

    /// Returns log2 of the largest modulus.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        self.log2_modulus
    }

    /// Standard deviation of fresh errors, in units of the modulus' integers.
    #[must_use]
    pub fn error_standard_deviation(&self) -> f64 {
        ERROR_VARIANCE.sqrt()
    }

    /// Checks for 128 bits of security, by the embedded tables.
    ///
    /// # Errors
    /// If there are less, or the tables do not know.
    pub fn check(&self) -> Result<(), SecurityError> {
        if self.is_ring {
            check(self.dimension, self.secret, self.log2_modulus)
        } else {
            check_lwe(self.dimension, self.secret, self.log2_modulus)
        }
    }

    /// Returns the estimated cost of the cheapest attack, log2, by the embedded estimates; `None` if no row is of such
    /// a problem or of an easier one.
    #[must_use]
    pub fn estimated_bits(&self) -> Option<f64> {
        estimated_bits(self.dimension, self.secret, self.log2_modulus)
    }

    /// Returns the level in bits: [`LweInstance::estimated_bits`], where there is no estimate the 128 of the limits, 0 if the
    /// tables do not know; below 128 exactly if [`LweInstance::check`] refuses.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        if self.is_ring {
            security_bits(self.dimension, self.secret, self.log2_modulus)
        } else {
            lwe_security_bits(self.dimension, self.secret, self.log2_modulus)
        }
    }

    /// Returns the level of a set in bits: of the weakest of its secrets. 0 for no secret at all.
    #[must_use]
    pub fn least_security_bits(instances: &[Self]) -> f64 {
        instances.iter().map(Self::security_bits).reduce(f64::min).unwrap_or(0.0)
    }
}
