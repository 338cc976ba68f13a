//! Ternary secrets.

use cryptable_ring::random::RandomStream;
use cryptable_ring::{Basis, Coefficients, Evaluations, Poly, Ring};
use zeroize::Zeroizing;

use crate::embedding_bound::{bounded_real_ternary, bounded_uniform_ternary};
use crate::security::SecretDistribution;

/// A secret polynomial with coefficients in {-1, 0, 1}.
///
/// Zeroized on drop, redacted in Debug, and not `Clone`.
///
/// ```
/// use cryptable_ring::random::RandomStream;
/// use cryptable_lattice::secret::TernarySecret;
/// use cryptable_lattice::security::SecretDistribution;
/// let mut stream = RandomStream::from_os();
/// let secret = TernarySecret::sample(64, SecretDistribution::FixedWeightTernary(32), &mut stream);
/// assert_eq!(secret.coefficients().iter().filter(|&&c| c != 0).count(), 32);
/// ```
pub struct TernarySecret {
    coefficients: Zeroizing<Vec<i8>>,
    distribution: SecretDistribution,
}

impl std::fmt::Debug for TernarySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TernarySecret({:?}, redacted)", self.distribution)
    }
}

impl TernarySecret {
    /// Samples a secret of the given distribution. No slot of a uniform ternary one is beyond
    /// [`crate::embedding_bound::embedding_limit`].
    ///
    /// # Panics
    /// If a fixed weight exceeds the degree, or the distribution is binary.
    #[must_use]
    pub fn sample(
        degree: usize,
        distribution: SecretDistribution,
        stream: &mut RandomStream,
    ) -> Self {
        let coefficients = match distribution {
            SecretDistribution::UniformTernary => bounded_uniform_ternary(degree, stream),
            SecretDistribution::FixedWeightTernary(weight) => {
                stream.fixed_weight_ternary(degree, weight as usize)
            }
            SecretDistribution::Binary | SecretDistribution::Blocks(_) => {
                panic!("packed methods use ternary secrets")
            }
        };
        Self { coefficients, distribution }
    }

    /// Samples a uniform ternary secret of the real ring, no slot of which is beyond
    /// [`crate::embedding_bound::real_embedding_limit`].
    #[must_use]
    pub fn sample_real(degree: usize, stream: &mut RandomStream) -> Self {
        let distribution = SecretDistribution::UniformTernary;
        Self { coefficients: bounded_real_ternary(degree, stream), distribution }
    }

    /// Takes coefficients read from a key file; `None` unless each is -1, 0 or 1.
    #[must_use]
    pub fn from_coefficients(
        coefficients: Zeroizing<Vec<i8>>,
        distribution: SecretDistribution,
    ) -> Option<Self> {
        coefficients
            .iter()
            .all(|c| (-1..=1).contains(c))
            .then_some(Self { coefficients, distribution })
    }

    /// Returns the coefficients: -1, 0 or 1 each.
    #[must_use]
    pub fn coefficients(&self) -> &[i8] {
        &self.coefficients
    }

    /// Returns the distribution it was drawn from.
    #[must_use]
    pub fn distribution(&self) -> SecretDistribution {
        self.distribution
    }

    /// Its evaluations modulo the primes of `basis`.
    #[must_use]
    pub fn evaluations(&self, ring: &Ring, basis: Basis) -> Zeroizing<Poly<Evaluations>> {
        let wide: Zeroizing<Vec<i64>> =
            Zeroizing::new(self.coefficients.iter().map(|&c| i64::from(c)).collect());
        let secret = Poly::<Coefficients>::from_signed(ring, basis, &wide);
        Zeroizing::new(secret.into_secret_evaluations(ring))
    }
}
