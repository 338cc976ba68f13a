//! `Z_q[X]/(X^N + 1)` for one prime and small degrees.
//!
//! A polynomial of degree 1,024 to 4,096 fits the first-level cache, so arithmetic matters and memory does not.
//! Operands are plain slices of N words, and the order of evaluations is private to the ring. Operands that are
//! multiplied often are prepared once: polynomials as a [`Multiplicand`], and rows that multiply digits as
//! [`PreparedRows`].

use crate::digit_product::DigitProductTables;
pub use crate::digit_product::{DigitScratch, MOST_KEYS, PreparedKey, PreparedRows};
use crate::fraction_digits::FractionDigits;
use crate::{Buffer, Modulus, NttTable, kernels};
use zeroize::{Zeroize, Zeroizing};

/// Arithmetic modulo one prime and X^N + 1.
///
/// Coefficients and evaluations are words in `[0, q)`. The order of evaluations is private: only products, sums and
/// [`PrimeRing::inverse_assign`] can use them.
///
/// ```
/// use cryptable_ring::prime_ring::PrimeRing;
/// use cryptable_ring::primes::ntt_primes;
/// let q = ntt_primes(1024, 27.0, 1, &[])[0];
/// let ring = PrimeRing::new(1024, q);
/// let mut x = vec![0; 1024];
/// x[1023] = 5;
/// let mut rotated = vec![0; 1024];
/// ring.multiply_monomial(&mut rotated, &x, 2);
/// assert_eq!(rotated[1], q - 5); // 5·X^1023·X^2 = -5·X
/// ```
#[derive(Debug)]
pub struct PrimeRing {
    degree: usize,
    modulus: Modulus,
    ntt: NttTable,
    digit_products: DigitProductTables,
}

/// Polynomials prepared to be multiplied: their evaluations.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiplicand {
    words: Buffer,
}

impl Zeroize for Multiplicand {
    fn zeroize(&mut self) {
        self.words.zeroize();
    }
}

impl Multiplicand {
    /// Returns the prepared words, N of them for each polynomial, in an order that is private to the ring.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl PrimeRing {
    /// Returns the ring of degree N modulo `prime`.
    ///
    /// # Panics
    /// Unless `degree` is a power of two of at least 32, and `prime` is a prime below 2^50 with a
    /// 2N-th root of unity.
    #[must_use]
    pub fn new(degree: usize, prime: u64) -> Self {
        Self::with_modulus(degree, Modulus::new(prime))
    }

    /// Builds the ring like [`PrimeRing::new`], on the instruction set of `modulus`.
    ///
    /// # Panics
    /// Panics like [`PrimeRing::new`].
    #[must_use]
    pub fn with_modulus(degree: usize, modulus: Modulus) -> Self {
        assert!(degree.is_power_of_two() && degree >= 32, "ring degree {degree}");
        assert!(modulus.value() >> 50 == 0, "prime {} of more than 50 bits", modulus.value());
        let ntt = NttTable::new(degree, modulus).unwrap_or_else(|| {
            panic!("{} has no root of unity of order {}", modulus.value(), 2 * degree)
        });
        let digit_products = DigitProductTables::new(degree, modulus);
        Self { degree, modulus, ntt, digit_products }
    }

    /// Returns the ring degree N.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Returns the modulus q, with its reduction constants.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// Transforms coefficients to evaluations, in place.
    ///
    /// # Panics
    /// If there are not N coefficients.
    pub fn forward_assign(&self, values: &mut [u64]) {
        assert_eq!(values.len(), self.degree);
        self.ntt.forward_assign(values);
    }

    /// Transforms evaluations to coefficients, in place.
    ///
    /// # Panics
    /// If there are not N evaluations.
    pub fn inverse_assign(&self, values: &mut [u64]) {
        assert_eq!(values.len(), self.degree);
        self.ntt.inverse_assign(values);
    }

    /// Prepares polynomials, given as coefficients, N words each.
    ///
    /// # Panics
    /// If the number of words is not a multiple of N.
    #[must_use]
    pub fn prepare(&self, coefficients: &[u64]) -> Multiplicand {
        assert_eq!(coefficients.len() % self.degree, 0);
        let mut words = Buffer::copied(coefficients);
        for polynomial in words.chunks_exact_mut(self.degree) {
            self.forward_assign(polynomial);
        }
        Multiplicand { words }
    }

    /// Prepares `count` keys of `rows` rows each. `fill(index, words)` writes one key: the two polynomials of each row,
    /// with N coefficients each.
    pub fn prepare_rows(
        &self,
        count: usize,
        rows: usize,
        fill: impl Fn(usize, &mut [u64]) + Sync,
    ) -> PreparedRows {
        self.digit_products.prepare_rows(&self.ntt, count, rows, fill)
    }

    /// Allocates scratch memory for digit products of up to `rows` rows.
    #[must_use]
    pub fn digit_scratch(&self, rows: usize) -> DigitScratch {
        self.batch_scratch(rows, 1)
    }

    /// Allocates scratch memory for digit products of up to `rows` rows with each of `count` accumulators.
    #[must_use]
    pub fn batch_scratch(&self, rows: usize, count: usize) -> DigitScratch {
        DigitScratch::new(self.degree, rows, count)
    }

    /// Writes the digits of a polynomial of torus fractions to `scratch`, as the digits for the rows of a key from
    /// `first_row` on. [`PrimeRing::add_digit_product`] reads them there.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn decompose(
        &self,
        digits: &FractionDigits,
        scratch: &mut DigitScratch,
        first_row: usize,
        source: &[u64],
    ) {
        self.digit_products.decompose(digits, scratch, first_row, source, None);
    }

    /// Decomposes `source·X^exponent - source` like [`PrimeRing::decompose`].
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    pub fn decompose_rotation(
        &self,
        digits: &FractionDigits,
        scratch: &mut DigitScratch,
        first_row: usize,
        source: &[u64],
        exponent: usize,
    ) {
        self.digit_products.decompose(digits, scratch, first_row, source, Some(exponent));
    }

    /// `out += Σ digit·row` over the rows of a key: two polynomials of N torus fractions each. Reads the digits from
    /// `scratch` and overwrites them.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn add_digit_product(
        &self,
        out: &mut [u64],
        key: PreparedKey<'_>,
        scratch: &mut DigitScratch,
    ) {
        self.digit_products.multiply_add(&self.ntt, out, key, scratch);
    }

    /// `out += Σ_k (X^exponent_k - 1)·(Σ digit·row of key k)` for each of several `out` of two polynomials of N torus
    /// fractions. The keys, [`MOST_KEYS`] at most, are the same for all of them and read once. Exponents, and the
    /// digits in `scratch`, which are overwritten, are grouped by `out`. The number of transforms is that of
    /// [`PrimeRing::add_digit_product`] for each `out`, whatever the number of keys.
    ///
    /// # Panics
    /// If lengths do not fit, or an exponent is 2N or more.
    pub fn add_digit_products(
        &self,
        out: &mut [u64],
        keys: PreparedKey<'_>,
        exponents: &[usize],
        scratch: &mut DigitScratch,
    ) {
        assert!(exponents.iter().all(|&exponent| exponent < 2 * self.degree), "exponents");
        self.digit_products.multiply_add_keys(&self.ntt, out, keys, exponents, scratch);
    }

    /// `polynomial *= multiplicand`, where the latter is one polynomial. Input and output are coefficients.
    ///
    /// # Panics
    /// If lengths differ.
    pub fn multiply_assign(&self, polynomial: &mut [u64], multiplicand: &Multiplicand) {
        self.forward_assign(polynomial);
        kernels::mul_assign(&self.modulus, polynomial, &multiplicand.words);
        self.inverse_assign(polynomial);
    }

    /// `out = source·X^exponent`, for coefficients.
    ///
    /// # Panics
    /// If lengths differ from N, or the exponent is 2N or more.
    pub fn multiply_monomial(&self, out: &mut [u64], source: &[u64], exponent: usize) {
        let n = self.degree;
        assert!(
            out.len() == n && source.len() == n && exponent < 2 * n,
            "X^{exponent} of degree {n}"
        );
        let shift = exponent % n;
        let (wrapped, kept) = (&source[n - shift..], &source[..n - shift]);
        out[..shift].copy_from_slice(wrapped);
        out[shift..].copy_from_slice(kept);
        // Coefficients that pass X^N change their sign. From exponent N on, all coefficients change it once more.
        let negated = if exponent < n { &mut out[..shift] } else { &mut out[shift..] };
        kernels::neg_assign(&self.modulus, negated);
    }

    /// `words *= X^exponent` for coefficients and a secret exponent below `2^bits`. Each bit of the exponent costs a
    /// pass over all words, which selects by masks.
    ///
    /// ```
    /// use cryptable_ring::prime_ring::PrimeRing;
    /// use cryptable_ring::primes::ntt_primes;
    /// let q = ntt_primes(32, 27.0, 1, &[])[0];
    /// let ring = PrimeRing::new(32, q);
    /// let mut x = vec![0; 32];
    /// x[31] = 5;
    /// ring.multiply_secret_monomial_assign(&mut x, 2, 6);
    /// assert_eq!(x[1], q - 5);
    /// ```
    ///
    /// # Panics
    /// If there are not N words, or `2^bits` is above 2N.
    pub fn multiply_secret_monomial_assign(&self, words: &mut [u64], exponent: u64, bits: u32) {
        assert!(1usize << bits <= 2 * self.degree, "exponents of {bits} bits");
        let mut shifted = Zeroizing::new(vec![0; self.degree]);
        for bit in 0..bits {
            self.multiply_monomial(&mut shifted, words, 1 << bit);
            let mask = (exponent >> bit & 1).wrapping_neg();
            for (word, &shifted) in words.iter_mut().zip(shifted.iter()) {
                *word ^= (*word ^ shifted) & mask;
            }
        }
    }

    /// `out(X) = source(X^exponent)`, for coefficients.
    ///
    /// # Panics
    /// If lengths differ from N, or the exponent is even.
    pub fn automorphism(&self, out: &mut [u64], source: &[u64], exponent: usize) {
        let n = self.degree;
        assert!(
            out.len() == n && source.len() == n && exponent % 2 == 1,
            "X^{exponent} of degree {n}"
        );
        let mut position = 0;
        for &coefficient in source {
            let word = if position < n { coefficient } else { self.modulus.neg(coefficient) };
            out[position % n] = word;
            position = (position + exponent) % (2 * n);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;

    #[test]
    fn secret_monomials_are_monomials() {
        let ring = PrimeRing::new(32, ntt_primes(32, 27.0, 1, &[])[0]);
        let source: Vec<u64> = (0..32).map(|i| i * i * i).collect();
        for exponent in 0..64 {
            let (mut expected, mut found) = (vec![0; 32], source.clone());
            ring.multiply_monomial(&mut expected, &source, exponent);
            ring.multiply_secret_monomial_assign(&mut found, exponent as u64, 6);
            assert_eq!(found, expected, "X^{exponent}");
        }
    }
}
