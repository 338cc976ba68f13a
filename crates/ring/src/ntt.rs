//! The negacyclic number-theoretic transform of one modulus.

use tfhe_ntt::prime64::Plan;

use crate::kernels::{self, ntt::Transform};
use crate::modulus::VECTOR_BOUND;
use crate::roots::primitive_root;
use crate::{Modulus, clear_stack};

/// Forward and inverse negacyclic NTT of degree N modulo a prime, or below 2^50 a product of two
/// different primes.
///
/// Evaluates a polynomial of `Z_q[X]/(X^N + 1)` at the N odd powers of a primitive 2N-th root of
/// unity ψ: evaluation i is the value at `ψ^(2·bitrev(i)+1)`, bitrev reversing log2 N bits. Which
/// root it is (`roots`) is part of the format of keys. Both directions take and return words in
/// `[0, q)`.
///
/// Moduli below 2^50 have transforms of this crate (`kernels/ntt`), those above are left to
/// `tfhe-ntt`.
///
/// ```
/// use cryptable_ring::{Modulus, NttTable};
/// let table = NttTable::new(16, Modulus::new(97 * 193)).unwrap();
/// let mut x: Vec<u64> = (0..16).collect();
/// table.forward_assign(&mut x);
/// table.inverse_assign(&mut x);
/// assert!(x.into_iter().eq(0..16));
/// ```
#[derive(Debug)]
pub struct NttTable {
    degree: usize,
    modulus: Modulus,
    transform: Kind,
    degree_inverse: u64,
    imaginary_unit: u64,
}

/// Who does the work.
#[derive(Debug)]
enum Kind {
    Own(Transform),
    Wide(Plan),
}

impl NttTable {
    /// Builds the tables for ring degree `degree` (a power of two of at least 16).
    ///
    /// Returns `None` if `modulus` is neither a prime nor a product of two below 2^50, or a prime
    /// has no 2·`degree`-th root of unity.
    #[must_use]
    pub fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        if degree < 16 || !degree.is_power_of_two() {
            return None;
        }
        let root = primitive_root(&modulus, 2 * degree as u64)?;
        let transform = if modulus.value() < VECTOR_BOUND {
            Kind::Own(Transform::new(modulus, degree, root))
        } else {
            Kind::Wide(Plan::try_new(degree, modulus.value())?)
        };
        Some(Self {
            degree,
            modulus,
            transform,
            degree_inverse: modulus.inv(degree as u64),
            imaginary_unit: modulus.pow(root, degree as u64 / 2),
        })
    }

    /// The ring degree N.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// The modulus q, with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `1/N mod q`, the factor that makes [`NttTable::inverse_scaled_assign`] an inverse.
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
        match &self.transform {
            Kind::Own(transform) => transform.forward_assign(values),
            Kind::Wide(plan) => plan.fwd(values),
        }
    }

    /// Coefficients of a secret to evaluations, in place: clears the stack of this thread, where transforms spill registers.
    pub fn forward_secret_assign(&self, values: &mut [u64]) {
        self.forward_assign(values);
        clear_stack();
    }

    /// Evaluations to `factor`·N times the coefficients, in place, for a residue `factor`.
    ///
    /// A caller that multiplies all coefficients by a constant anyway, such as base conversion, gets
    /// that and `1/N` for the same price.
    pub fn inverse_scaled_assign(&self, values: &mut [u64], factor: u64) {
        match &self.transform {
            Kind::Own(transform) => transform.inverse_scaled_assign(values, factor),
            Kind::Wide(plan) => {
                plan.inv(values);
                kernels::mul_scalar_assign(&self.modulus, values, factor);
            }
        }
    }

    /// Evaluations to `factor`·N times the coefficients, for a residue `factor`; they take the place of the words of `out`.
    ///
    /// # Panics
    /// If lengths are not N.
    pub(crate) fn inverse_scaled(&self, out: &mut [u64], evaluations: &[u64], factor: u64) {
        match &self.transform {
            Kind::Own(transform) => transform.inverse_scaled(out, evaluations, factor),
            Kind::Wide(_) => {
                out.copy_from_slice(evaluations);
                self.inverse_scaled_assign(out, factor);
            }
        }
    }

    /// Evaluations to coefficients, in place.
    pub fn inverse_assign(&self, values: &mut [u64]) {
        self.inverse_scaled_assign(values, self.degree_inverse);
    }
}
