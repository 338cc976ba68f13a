//! Products of RLWE ciphertexts with RGSW and RLWE' ciphertexts over one prime (Chillotti et al., J. Cryptology 2020).
//!
//! An RLWE ciphertext is 2N words: body b, then mask a, coefficients in `[0, q)`; its phase is b + a·s. A
//! *gadget ciphertext* (RLWE') of m is ℓ rows, row k an RLWE ciphertext of m·2^weight(k); an RGSW ciphertext
//! of m is 2ℓ rows: those of m (for the body's digits), then those of m·s (for the mask's). Both are prepared
//! as one [`Multiplicand`] of rows × 2 polynomials.
//!
//! All work on coefficients, so that rotation and automorphism of the accumulator are copies, and count ℓ
//! forward transforms for each polynomial decomposed and 2 inverse ones.

use crate::gadget::Gadget;
use crate::prime_ring::{Multiplicand, PrimeRing};
use crate::{Buffer, kernels};

/// Room for a product's digits and sums, reused from one product to the next.
#[derive(Debug)]
pub struct Scratch {
    polynomial: Buffer,
    digits: Buffer,
    sums: Buffer,
}

impl Scratch {
    /// Room for products of up to `rows` rows.
    #[must_use]
    pub fn new(ring: &PrimeRing, rows: usize) -> Self {
        let n = ring.degree();
        Self {
            polynomial: Buffer::zeroed(2 * n),
            digits: Buffer::zeroed(rows * n),
            sums: Buffer::zeroed(2 * n),
        }
    }
}

/// Gadget products over one ring with one gadget.
#[derive(Clone, Copy, Debug)]
pub struct GadgetProduct<'a> {
    /// The ring.
    pub ring: &'a PrimeRing,
    /// The decomposition.
    pub gadget: Gadget,
}

impl GadgetProduct<'_> {
    /// `accumulator += (X^exponent - 1)·accumulator ⊡ key`: a CMUX that rotates if the key holds 1.
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    pub fn rotate_if_assign(
        &self,
        accumulator: &mut [u64],
        exponent: usize,
        key: &Multiplicand,
        scratch: &mut Scratch,
    ) {
        let n = self.ring.degree();
        let m = self.ring.modulus();
        for (rotated, source) in
            scratch.polynomial.chunks_exact_mut(n).zip(accumulator.chunks_exact(n))
        {
            self.ring.multiply_monomial(rotated, source, exponent);
        }
        kernels::sub_assign(m, &mut scratch.polynomial, accumulator);
        self.decompose(2, scratch);
        self.sum_rows(key, scratch);
        kernels::add_assign(m, accumulator, &scratch.sums);
    }

    /// `accumulator += accumulator ⊡ ((X^exponent - 1)·positive + (X^-exponent - 1)·negative)`: a CMUX for a ternary
    /// secret, whose two RGSW ciphertexts hold whether it is 1 and whether it is -1.
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    pub fn rotate_ternary_assign(
        &self,
        accumulator: &mut [u64],
        exponent: usize,
        keys: [&Multiplicand; 2],
        scratch: &mut Scratch,
    ) {
        let n = self.ring.degree();
        let m = self.ring.modulus();
        scratch.polynomial.copy_from_slice(accumulator);
        self.decompose(2, scratch);
        let inverse = (2 * n - exponent) % (2 * n);
        for (exponent, key) in [exponent, inverse].into_iter().zip(keys) {
            self.sum_rows(key, scratch);
            let Scratch { polynomial, sums, .. } = scratch;
            for (component, sum) in sums.chunks_exact(n).enumerate() {
                let rotated = &mut polynomial[..n];
                self.ring.multiply_monomial(rotated, sum, exponent);
                let target = &mut accumulator[component * n..][..n];
                kernels::add_assign(m, target, rotated);
                kernels::sub_assign(m, target, sum);
            }
        }
    }

    /// `out = source ⊡ key`: the external product of an RLWE with an RGSW ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn external_product(
        &self,
        out: &mut [u64],
        source: &[u64],
        key: &Multiplicand,
        scratch: &mut Scratch,
    ) {
        scratch.polynomial.copy_from_slice(source);
        self.decompose(2, scratch);
        self.sum_rows(key, scratch);
        out.copy_from_slice(&scratch.sums);
    }

    /// `out = polynomial ⊙ key`: the product of a polynomial with a gadget ciphertext, an RLWE ciphertext.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub fn gadget_product(
        &self,
        out: &mut [u64],
        polynomial: &[u64],
        key: &Multiplicand,
        scratch: &mut Scratch,
    ) {
        scratch.polynomial[..self.ring.degree()].copy_from_slice(polynomial);
        self.decompose(1, scratch);
        self.sum_rows(key, scratch);
        out.copy_from_slice(&scratch.sums);
    }

    /// Evaluations of the digits of the first `count` polynomials of scratch, to its digits.
    fn decompose(&self, count: usize, scratch: &mut Scratch) {
        let n = self.ring.degree();
        let m = self.ring.modulus();
        let length = self.gadget.length();
        let sources = scratch.polynomial.chunks_exact(n).take(count);
        for (digits, source) in scratch.digits.chunks_exact_mut(n * length).zip(sources) {
            for (i, &coefficient) in source.iter().enumerate() {
                let mut rest = self.gadget.rounded(coefficient);
                for k in 0..length {
                    let (digit, carry) = self.gadget.split(rest, k + 1 == length);
                    digits[k * n + i] = m.reduce_i64(digit);
                    rest = carry;
                }
            }
            for digit in digits.chunks_exact_mut(n) {
                self.ring.forward_assign(digit);
            }
        }
    }

    /// Coefficients of Σ digit·row over the rows of `key`, to the sums of scratch.
    fn sum_rows(&self, key: &Multiplicand, scratch: &mut Scratch) {
        let n = self.ring.degree();
        let m = self.ring.modulus();
        let rows = key.words().chunks_exact(2 * n);
        assert!(rows.len() * n <= scratch.digits.len(), "{} rows", rows.len());
        scratch.sums.fill(0);
        for (row, digit) in rows.zip(scratch.digits.chunks_exact(n)) {
            for (sum, factor) in scratch.sums.chunks_exact_mut(n).zip(row.chunks_exact(n)) {
                kernels::mul_add_assign(m, sum, digit, factor);
            }
        }
        for sum in scratch.sums.chunks_exact_mut(n) {
            self.ring.inverse_assign(sum);
        }
    }
}
