//! Conversion of torus fractions of 52 bits in vectors: to digits as doubles, and from doubles to sums of fractions.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use super::super::super::ntt::doubles::Doubles;
use crate::fraction_digits::FractionDigits;

/// The digits of a polynomial of fractions to which the bias of digits was added.
pub(super) struct Decomposition<'a> {
    digits: FractionDigits,
    biased: &'a [u64],
    /// 2^52 plus half of the base, for plain digits and mirrored ones.
    offset: [f64; 2],
}

impl<'a> Decomposition<'a> {
    pub(super) fn new(digits: &FractionDigits, biased: &'a [u64]) -> Self {
        let offset = digits.halves().map(|half| ((1u64 << 52) + half) as f64);
        Self { digits: *digits, biased, offset }
    }
}

impl<D: Doubles> Coefficients<D> for Decomposition<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.digits.length()
    }

    #[inline(always)]
    unsafe fn load(&self, index: usize, position: usize) -> D::Vector {
        let biased = D::load(self.biased.as_ptr().add(position));
        let bits = D::bits_as_double(biased, self.digits.shift(index), self.digits.mask());
        D::sub(bits, D::splat(self.offset[FractionDigits::mirrored_at(position)]))
    }
}

/// One polynomial of doubles.
pub(super) struct Real<'a>(pub(super) &'a [u64]);

impl<D: Doubles> Coefficients<D> for Real<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        1
    }

    #[inline(always)]
    unsafe fn load(&self, _index: usize, position: usize) -> D::Vector {
        D::load(self.0.as_ptr().add(position))
    }
}

/// Source of coefficients for the first level of forward transforms, at positions that are multiples of the lanes.
pub(super) trait Coefficients<D: Doubles> {
    /// The number of polynomials.
    fn count(&self) -> usize;

    /// Loads the coefficients of polynomial `index` from a position on.
    unsafe fn load(&self, index: usize, position: usize) -> D::Vector;
}

/// `accumulator += x` modulo 1, from doubles to fractions, for numbers of magnitude below 2^51: the mantissa of their
/// fraction plus 1 has the bits of the fraction.
#[inline(always)]
pub(super) unsafe fn accumulate<D: Doubles>(accumulator: *mut u64, x: D::Vector) {
    let fraction = D::sub(x, D::floor(x));
    let units = D::add(fraction, D::splat(1.0));
    D::store(accumulator, D::add_words(D::load(accumulator), units));
}
