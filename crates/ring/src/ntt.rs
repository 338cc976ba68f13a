//! The negacyclic number-theoretic transform of one prime.

use tfhe_ntt::prime64::Plan;

use crate::Modulus;

/// Forward and inverse negacyclic NTT of degree N modulo one prime.
///
/// Evaluates a polynomial of `Z_q[X]/(X^N + 1)` at the N odd powers of a primitive 2N-th root of
/// unity, in the bit-reversed order of crate `tfhe-ntt`, which does the work. Both directions take
/// and return words in `[0, q)`.
///
/// The inverse leaves the factor N to the caller ([`NttTable::inverse_unnormalized`]), because base
/// conversion multiplies every coefficient by a constant anyway and takes `1/N` along for free.
#[derive(Debug)]
pub struct NttTable {
    degree: usize,
    plan: Plan,
    modulus: Modulus,
    degree_inverse: u64,
    imaginary_unit: u64,
}

impl NttTable {
    /// Builds the tables for ring degree `degree` (a power of two of at least 16).
    ///
    /// Returns `None` if `modulus` has no 2·`degree`-th root of unity.
    #[must_use]
    pub fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        let plan = Plan::try_new(degree, modulus.value())?;
        let degree_inverse = modulus.inv(degree as u64);
        let mut monomial = vec![0u64; degree];
        monomial[degree / 2] = 1;
        plan.fwd(&mut monomial);
        Some(Self { degree, plan, modulus, degree_inverse, imaginary_unit: monomial[0] })
    }

    /// The ring degree N.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// The prime modulus q, with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `1/N mod q`, the factor that [`NttTable::inverse_unnormalized`] leaves out.
    #[must_use]
    pub fn degree_inverse(&self) -> u64 {
        self.degree_inverse
    }

    /// The value of `X^(N/2)` in the first half of the evaluations: a square root of -1 modulo q.
    #[must_use]
    pub fn imaginary_unit(&self) -> u64 {
        self.imaginary_unit
    }

    /// Coefficients to evaluations, in place.
    pub fn forward_assign(&self, values: &mut [u64]) {
        self.plan.fwd(values);
    }

    /// Evaluations to N times the coefficients, in place.
    pub fn inverse_unnormalized(&self, values: &mut [u64]) {
        self.plan.inv(values);
    }

    /// Evaluations to coefficients, in place.
    pub fn inverse_assign(&self, values: &mut [u64]) {
        self.plan.inv(values);
        crate::kernels::mul_scalar_assign(&self.modulus, values, self.degree_inverse);
    }
}
