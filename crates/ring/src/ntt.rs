//! The negacyclic number-theoretic transform of one modulus.

use tfhe_ntt::prime64::Plan;

use crate::kernels;
use crate::kernels::ntt::{Points, Transform};
use crate::modulus::VECTOR_BOUND;
use crate::roots::primitive_root;
use crate::{Modulus, clear_stack};

/// Forward and inverse negacyclic NTT of degree N modulo a prime, or, below 2^50, modulo a product of two different
/// primes.
///
/// The transform evaluates a polynomial of `Z_q[X]/(X^N + 1)` at the N odd powers of a primitive 2N-th root of unity ψ:
/// evaluation i is the value at `ψ^(2·bitrev(i)+1)`, where bitrev reverses log2 N bits. The choice of the root
/// (`roots`) is part of the format of keys. Both directions take and return words in `[0, q)`.
///
/// Moduli below 2^50 use transforms of this crate (`kernels/ntt`); larger ones use `tfhe-ntt`.
///
/// ```
/// use cryptable_ring::{Modulus, NttTable};
/// let table = NttTable::new(16, Modulus::new(97 * 193)).unwrap();
/// let mut x: Vec<u64> = (0..16).collect();
/// table.forward_assign(&mut x);
/// table.inverse_assign(&mut x);
/// assert!(x.into_iter().eq(0..16));
/// ```
/// ## The real ring
/// Tables of [`NttTable::real`] are for another ring of degree N, the integers of the maximal real subfield of the
/// 4N-th cyclotomic field: `a_0 + Σ a_k·(X^k + X^-k)` with X^2N = -1 and coefficients `a_0 … a_(N-1)`. Modulo X^N - i,
/// for a square root i of -1 modulo q, this is `a_0 + Σ (a_k - i·a_(N-k))·X^k`. One pass over pairs computes that
/// polynomial, and a transform evaluates it at the powers ζ^(4j + 1), where ζ^N = i. At all other primitive 4N-th roots
/// the values are the same, as X^-1 is among the conjugates of X.
#[derive(Debug)]
pub struct NttTable {
    degree: usize,
    modulus: Modulus,
    transform: Kind,
    degree_inverse: u64,
    imaginary_unit: u64,
    /// Whether the ring is the real one.
    is_real: bool,
}

/// The implementation of the transforms.
#[derive(Debug)]
enum Kind {
    Own(Box<Transform>),
    Wide(Plan),
}

impl NttTable {
    /// Builds the tables for ring degree `degree` (a power of two of at least 16).
    ///
    /// Returns `None` if `modulus` is neither a prime nor a product of two primes below 2^50, or if a prime has no
    /// 2·`degree`-th root of unity.
    #[must_use]
    pub fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        if degree < 16 || !degree.is_power_of_two() {
            return None;
        }
        let root = primitive_root(&modulus, 2 * degree as u64)?;
        let transform = if modulus.value() < VECTOR_BOUND {
            Kind::Own(Box::new(Transform::new(modulus, degree, Points::odd_powers(root))))
        } else {
            Kind::Wide(Plan::try_new(degree, modulus.value())?)
        };
        Some(Self {
            degree,
            modulus,
            transform,
            degree_inverse: modulus.inv(degree as u64),
            imaginary_unit: modulus.pow(root, degree as u64 / 2),
            is_real: false,
        })
    }

    /// Builds the tables of the real ring of degree `degree` (a power of two of at least 16).
    ///
    /// Returns `None` if `modulus` is not below 2^50, is neither a prime nor a product of two primes, or if a prime has
    /// no 4·`degree`-th root of unity.
    ///
    /// ```
    /// use cryptable_ring::{Modulus, NttTable};
    /// let table = NttTable::real(16, Modulus::new(193)).unwrap();
    /// // X + X^-1, whose square is 2 + (X^2 + X^-2).
    /// let mut x: Vec<u64> = (0..16).map(|k| u64::from(k == 1)).collect();
    /// table.forward_assign(&mut x);
    /// x.iter_mut().for_each(|value| *value = table.modulus().mul(*value, *value));
    /// table.inverse_assign(&mut x);
    /// assert_eq!(x[..4], [2, 0, 1, 0]);
    /// ```
    #[must_use]
    pub fn real(degree: usize, modulus: Modulus) -> Option<Self> {
        if degree < 16 || !degree.is_power_of_two() || modulus.value() >= VECTOR_BOUND {
            return None;
        }
        let root = primitive_root(&modulus, 4 * degree as u64)?;
        let points = Points::quarter_of_powers(&modulus, root);
        Some(Self {
            degree,
            modulus,
            transform: Kind::Own(Box::new(Transform::new(modulus, degree, points))),
            degree_inverse: modulus.inv(degree as u64),
            imaginary_unit: modulus.pow(root, degree as u64),
            is_real: true,
        })
    }

    /// Adds c times its mirror image to every coefficient but the first. With c = -i this maps the real ring to
    /// polynomials modulo X^N - i; with c = i it maps back to twice the coefficients.
    fn add_mirror_image(&self, values: &mut [u64], c: u64) {
        let m = &self.modulus;
        let (low, high) = values.split_at_mut(self.degree / 2);
        let (middle, high) = high.split_first_mut().expect("at least 16 words");
        kernels::add_mirrored_assign(m, &mut low[1..], high, c);
        *middle = m.add(*middle, m.mul(*middle, c));
    }

    /// Returns the factor of an inverse transform that precedes adding the mirror image: half of the factor of
    /// coefficients.
    fn inverse_factor(&self, factor: u64) -> u64 {
        // (q + 1)/2 is half of 1.
        let half = self.modulus.value().div_ceil(2);
        if self.is_real { self.modulus.mul(factor, half) } else { factor }
    }

    /// Maps polynomials modulo X^N - i, halved, to coefficients of the real ring.
    fn leave_real(&self, values: &mut [u64]) {
        if self.is_real {
            self.add_mirror_image(values, self.imaginary_unit);
            values[0] = self.modulus.add(values[0], values[0]);
        }
    }

    /// The ring degree N.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the modulus q, with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `1/N mod q`, the factor that makes [`NttTable::inverse_scaled_assign`] an inverse.
    #[must_use]
    pub fn degree_inverse(&self) -> u64 {
        self.degree_inverse
    }

    /// The value of `X^(N/2)` in the first half of the evaluations, or in the real ring the value of `X^N` in all
    /// evaluations: a square root of -1 modulo q.
    #[must_use]
    pub fn imaginary_unit(&self) -> u64 {
        self.imaginary_unit
    }

    /// Transforms coefficients to evaluations, in place.
    pub fn forward_assign(&self, values: &mut [u64]) {
        if self.is_real {
            self.add_mirror_image(values, self.modulus.neg(self.imaginary_unit));
        }
        match &self.transform {
            Kind::Own(transform) => transform.forward_assign(values),
            Kind::Wide(plan) => plan.fwd(values),
        }
    }

    /// Transforms coefficients of a secret to evaluations, in place. Clears the stack of this thread, where transforms
    /// spill registers.
    pub fn forward_secret_assign(&self, values: &mut [u64]) {
        self.forward_assign(values);
        clear_stack();
    }

    /// Transforms evaluations to `factor`·N times the coefficients, in place, for a residue `factor`.
    ///
    /// A caller that multiplies all coefficients by a constant anyway, such as base conversion, can include `1/N` in
    /// that constant at no extra cost.
    pub fn inverse_scaled_assign(&self, values: &mut [u64], factor: u64) {
        match &self.transform {
            Kind::Own(transform) => {
                transform.inverse_scaled_assign(values, self.inverse_factor(factor));
                self.leave_real(values);
            }
            Kind::Wide(plan) => {
                plan.inv(values);
                kernels::mul_scalar_assign(&self.modulus, values, factor);
            }
        }
    }

    /// Transforms evaluations to `factor`·N times the coefficients, for a residue `factor`. They overwrite the words of
    /// `out`.
    ///
    /// # Panics
    /// If lengths are not N.
    pub(crate) fn inverse_scaled(&self, out: &mut [u64], evaluations: &[u64], factor: u64) {
        match &self.transform {
            Kind::Own(transform) => {
                transform.inverse_scaled(out, evaluations, self.inverse_factor(factor));
                self.leave_real(out);
            }
            Kind::Wide(_) => {
                out.copy_from_slice(evaluations);
                self.inverse_scaled_assign(out, factor);
            }
        }
    }

    /// Transforms evaluations to coefficients, in place.
    pub fn inverse_assign(&self, values: &mut [u64]) {
        self.inverse_scaled_assign(values, self.degree_inverse);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use crate::primes::ntt_primes;

    /// Multiplies in the real ring by `(X^j + X^-j)(X^k + X^-k) = (X^(j+k) + X^-(j+k)) + (X^(j-k) + X^(k-j))`.
    fn real_product(m: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
        let degree = a.len();
        let mut product = vec![0; degree];
        let mut add = |exponent: usize, term: u64| match exponent {
            0 => product[0] = m.add(product[0], m.add(term, term)),
            k if k < degree => product[k] = m.add(product[k], term),
            k if k == degree => {}
            k => product[2 * degree - k] = m.sub(product[2 * degree - k], term),
        };
        // X^0 + X^-0 is 2, so the first coefficients count as halves.
        let half = m.inv(2);
        for (j, &a) in a.iter().enumerate() {
            for (k, &b) in b.iter().enumerate() {
                let halves = usize::from(j == 0) + usize::from(k == 0);
                let term = (0..halves).fold(m.mul(a, b), |term, _| m.mul(term, half));
                add(j + k, term);
                add(j.abs_diff(k), term);
            }
        }
        product
    }

    #[test]
    fn products_in_the_real_ring() {
        for degree in [16, 64, 256, 1024] {
            for prime in [50.0, 49.0, 30.0].map(|log2| ntt_primes(2 * degree, log2, 1, &[])[0]) {
                for isa in Isa::available() {
                    let m = Modulus::with_isa(prime, isa);
                    let table = NttTable::real(degree, m).unwrap();
                    let word = |i: u64| (i * i).wrapping_mul(0x9e37_79b9_7f4a_7c15) % prime;
                    let [mut a, mut b] = [1, 2].map(|seed| {
                        (0..degree as u64).map(|i| word(7 * i + seed)).collect::<Vec<_>>()
                    });
                    b[0] = prime - 1;
                    let expected = real_product(&m, &a, &b);
                    table.forward_assign(&mut a);
                    table.forward_assign(&mut b);
                    kernels::mul_assign(&m, &mut a, &b);
                    let mut apart = vec![u64::MAX; degree];
                    table.inverse_scaled(&mut apart, &a, table.degree_inverse());
                    table.inverse_assign(&mut a);
                    assert!(
                        a == expected && apart == expected,
                        "{isa:?} modulo {prime}, degree {degree}"
                    );
                }
            }
        }
    }

    #[test]
    fn real_rings_need_roots_of_twice_the_order() {
        assert!(NttTable::new(16, Modulus::new(97)).is_some());
        assert!(NttTable::real(16, Modulus::new(97)).is_none());
        assert!(NttTable::real(16, Modulus::new(ntt_primes(32, 60.0, 1, &[])[0])).is_none());
    }
}
