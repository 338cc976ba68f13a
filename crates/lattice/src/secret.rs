//! Ternary secrets.

use cryptable_ring::random::RandomStream;
use cryptable_ring::{Basis, Coefficients, Evaluations, Poly, Ring};
use zeroize::Zeroizing;

use crate::embedding_bound::{bounded_real_ternary, bounded_uniform_ternary};

/// A secret polynomial with coefficients in {-1, 0, 1}.
///
/// Zeroized on drop, redacted in Debug, and not `Clone`.
///
/// ```
/// use cryptable_ring::random::RandomStream;
/// use cryptable_lattice::secret::TernarySecret;
/// assert_eq!(TernarySecret::uniform(64).coefficients().len(), 64);
/// let secret = TernarySecret::of_weight(64, 32, &mut RandomStream::from_os());
/// assert_eq!(secret.coefficients().iter().filter(|&&c| c != 0).count(), 32);
/// ```
pub struct TernarySecret(Zeroizing<Vec<i8>>);

impl std::fmt::Debug for TernarySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TernarySecret(degree {}, redacted)", self.0.len())
    }
}

impl TernarySecret {
    /// Samples a uniform ternary secret from the operating system's randomness: see [`TernarySecret::sample`].
    #[must_use]
    pub fn uniform(degree: usize) -> Self {
        Self::sample(degree, &mut RandomStream::from_os())
    }

    /// Samples a uniform ternary secret whose slots satisfy [`crate::embedding_bound::embedding_limit`].
    #[must_use]
    pub fn sample(degree: usize, stream: &mut RandomStream) -> Self {
        Self(bounded_uniform_ternary(degree, stream))
    }

    /// Samples a ternary secret with this number of coefficients that are not 0.
    ///
    /// # Panics
    /// If the weight exceeds the degree.
    #[must_use]
    pub fn of_weight(degree: usize, weight: u32, stream: &mut RandomStream) -> Self {
        Self(stream.fixed_weight_ternary(degree, weight as usize))
    }

    /// Samples a uniform ternary secret of the real ring whose slots satisfy
    /// [`crate::embedding_bound::real_embedding_limit`].
    #[must_use]
    pub fn sample_real(degree: usize, stream: &mut RandomStream) -> Self {
        Self(bounded_real_ternary(degree, stream))
    }

    /// Returns the secret with coefficients read from a key file, or `None` unless each is -1, 0 or 1.
    #[must_use]
    pub fn from_coefficients(coefficients: Zeroizing<Vec<i8>>) -> Option<Self> {
        coefficients.iter().all(|c| (-1..=1).contains(c)).then_some(Self(coefficients))
    }

    /// Returns the coefficients, each of which is -1, 0 or 1.
    #[must_use]
    pub fn coefficients(&self) -> &[i8] {
        &self.0
    }

    /// Returns the evaluations modulo the primes of `basis`.
    #[must_use]
    pub fn evaluations(&self, ring: &Ring, basis: Basis) -> Zeroizing<Poly<Evaluations>> {
        small_evaluations(ring, basis, &self.0)
    }
}

/// Returns the evaluations of a small secret polynomial modulo the primes of a basis.
///
/// # Panics
/// If there are not N coefficients.
#[must_use]
pub fn small_evaluations(
    ring: &Ring,
    basis: Basis,
    coefficients: &[i8],
) -> Zeroizing<Poly<Evaluations>> {
    let poly = Poly::<Coefficients>::from_signed(ring, basis, &widened(coefficients));
    Zeroizing::new(poly.into_secret_evaluations(ring))
}

/// Widens small secret coefficients to the type that polynomials are made from.
pub(crate) fn widened(coefficients: &[i8]) -> Zeroizing<Vec<i64>> {
    Zeroizing::new(coefficients.iter().map(|&c| i64::from(c)).collect())
}
