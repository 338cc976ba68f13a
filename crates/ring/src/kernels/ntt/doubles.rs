//! Transforms in double precision with fused multiply-add, moduli below 2^50: AVX2, AVX-512, NEON.
//!
//! Lanes are integers, of either sign and never -0, of magnitude at most 4q <= 2^52. A product with a twiddle w,
//! `|w| <= q/2`, is exactly `h + l`, where h is its rounding. c is the quotient by q, rounded to an integer by adding
//! and subtracting `1.5·2^52`. The result `(h - c·q) + l` is below 2^53 throughout, hence exact. With `v/q = a`, the
//! error of the quotient's argument is below `a/16` if w/q is tabulated, and below `a/8` if h is multiplied by 1/q
//! (half a unit in the last place of each factor and of the product, for numbers up to `a·q/2 < 2^49·a`); rounding adds
//! 1/2. So the result is within `(1/2 + a/16)·q` or `(1/2 + a/8)·q`. `tests::ranges_hold` follows these bounds through
//! all groups: numbers between groups stay within 2.62q forward and 2q backward.
//!
//! At the end of a forward transform, conversion to words takes only one operation more than a reduction. Before that,
//! (q - 1)/2 is subtracted from the first vector of the last group, which is the first of a pair at every level, and
//! hence from all results y, which are within 3.2q: the integer nearest to y/q is then the quotient that leads to
//! `[0, q)`. It is found exactly, since y/q is at least 1/(2q) away from every half of an odd integer, and the error of
//! its computed argument is at most `|y/q|·2^-53 < 1/(2q)`. With k subtracted from it, the remainder is larger by kq,
//! above 2^52, where the bits of a double count its integers.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

#[cfg(target_arch = "x86_64")]
pub(in super::super) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(in super::super) mod avx512;
#[cfg(target_arch = "aarch64")]
pub(in super::super) mod neon;

use super::lanes::Lanes;
use crate::Modulus;

/// The number that rounds to integers when it is added and subtracted, for magnitudes up to 2^51.
const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;

/// Vectors of doubles of one instruction set.
///
/// # Safety
/// The processor must have the instruction set; pointers must be valid for a vector.
pub(in super::super) trait Doubles: Copy {
    type Vector: Copy;

    const LANES: usize;
    /// The counterpart of [`Lanes::PAIRED`].
    const PAIRED: [u32; 2];

    unsafe fn load(source: *const u64) -> Self::Vector;
    unsafe fn store(target: *mut u64, x: Self::Vector);
    unsafe fn splat(x: f64) -> Self::Vector;
    unsafe fn add(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    unsafe fn sub(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    unsafe fn mul(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// `x·y + z`.
    unsafe fn mul_add(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector;
    /// `x·y - z`.
    unsafe fn mul_sub(x: Self::Vector, y: Self::Vector, z: Self::Vector) -> Self::Vector;
    /// `z - x·y`.
    unsafe fn sub_mul(z: Self::Vector, x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// Converts words below 2^52 to doubles.
    unsafe fn from_words(words: Self::Vector) -> Self::Vector;
    /// Converts integers in `[-q, q)` to words, with q added to the negative ones.
    unsafe fn to_words(x: Self::Vector, q: Self::Vector) -> Self::Vector;
    unsafe fn transpose<const R: usize>(x: &mut [Self::Vector; R]);
    /// The greatest integer that is not above x.
    unsafe fn floor(x: Self::Vector) -> Self::Vector;
    /// Wrapping sums of words.
    unsafe fn add_words(x: Self::Vector, y: Self::Vector) -> Self::Vector;
    /// `2^52 + (word >> shift & mask)`, for masks below 2^52.
    unsafe fn bits_as_double(words: Self::Vector, shift: u32, mask: u64) -> Self::Vector;
}

/// A modulus, copied to every lane, with its constants.
#[derive(Clone, Copy)]
pub(in super::super) struct DoubleLanes<D: Doubles> {
    q: D::Vector,
    reciprocal: D::Vector,
    rounder: D::Vector,
    /// (q - 1)/2.
    half: D::Vector,
    /// The rounder plus k, for the least multiple kq that is at least 2^52 + q/2.
    leaving_rounder: D::Vector,
    /// The constant that converts the bits of `r - (q - 1)/2 + kq` to a residue, as a word.
    leaving_word: D::Vector,
}

/// Returns a twiddle as the double nearest to zero, and the same divided by q.
pub(in super::super) fn encode(m: &Modulus, w: u64) -> [u64; 2] {
    let value = m.center(w) as f64;
    [value.to_bits(), (value / m.value() as f64).to_bits()]
}

impl<D: Doubles> DoubleLanes<D> {
    #[inline(always)]
    pub(in super::super) unsafe fn new(m: &Modulus) -> Self {
        let (q, half) = (m.value(), (m.value() - 1) / 2);
        let multiple = ((1u64 << 52) + half).div_ceil(q);
        // 2^52 as a double, and the part above it.
        let bits = 2f64.powi(52).to_bits() + (multiple * q - (1 << 52)) - half;
        Self {
            q: D::splat(q as f64),
            reciprocal: D::splat(1.0 / q as f64),
            rounder: D::splat(ROUNDER),
            half: D::splat(half as f64),
            leaving_rounder: D::splat(ROUNDER + multiple as f64),
            leaving_word: D::splat(f64::from_bits(bits.wrapping_neg())),
        }
    }

    /// Returns the integer nearest to `x·y`.
    #[inline(always)]
    unsafe fn round_product(self, x: D::Vector, y: D::Vector) -> D::Vector {
        D::sub(D::mul_add(x, y, self.rounder), self.rounder)
    }

    /// Returns x modulo q within `(1/2 + 2^-50·|x/q|)·q`, for any `|x| <= 4q`.
    #[inline(always)]
    pub(in super::super) unsafe fn reduce(self, x: D::Vector) -> D::Vector {
        D::sub_mul(x, self.round_product(x, self.reciprocal), self.q)
    }

    /// Returns `x·w` within `(1/2 + |x/q|/16)·q`, where w is a constant and its quotient.
    #[inline(always)]
    pub(in super::super) unsafe fn product(self, x: D::Vector, w: [D::Vector; 2]) -> D::Vector {
        let high = D::mul(x, w[0]);
        let quotient = self.round_product(x, w[1]);
        let low = D::mul_sub(x, w[0], high);
        D::add(D::sub_mul(high, quotient, self.q), low)
    }

    /// Returns x as a word in `[0, q)`, for any `|x| <= 4q`.
    #[inline(always)]
    pub(in super::super) unsafe fn residue(self, x: D::Vector) -> D::Vector {
        D::to_words(self.reduce(x), self.q)
    }

    /// Multiplies like [`DoubleLanes::product`], without the quotient of the twiddle.
    #[inline(always)]
    unsafe fn product_by_lane(self, x: D::Vector, w: D::Vector) -> D::Vector {
        let high = D::mul(x, w);
        let quotient = self.round_product(high, self.reciprocal);
        let low = D::mul_sub(x, w, high);
        D::add(D::sub_mul(high, quotient, self.q), low)
    }
}

/// Returns whether a forward group of a block reduces a vector after multiplying it by the block's factors: the vector
/// that is the first of a pair at three levels.
pub(super) const fn reduced_scaled(radix: usize, index: usize) -> bool {
    index == 0 && radix == 8
}

/// Returns whether an inverse group reduces a vector after a level: after the first level the sums, which have doubled,
/// and after the third level the vector that was added up twice from the first level's products.
pub(super) const fn reduced_after(radix: usize, level: usize, index: usize) -> bool {
    match level {
        0 => index.is_multiple_of(2),
        2 => index == 1 && radix == 8,
        _ => false,
    }
}

impl<D: Doubles> Lanes for DoubleLanes<D> {
    type Vector = D::Vector;

    const LANES: usize = D::LANES;
    const LANE_WORDS: usize = 1;
    const PAIRED: [u32; 2] = D::PAIRED;

    #[inline(always)]
    unsafe fn load(source: *const u64) -> D::Vector {
        D::load(source)
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, vector: D::Vector) {
        D::store(target, vector);
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> D::Vector {
        D::splat(f64::from_bits(word))
    }

    #[inline(always)]
    unsafe fn enter(self, words: D::Vector) -> D::Vector {
        D::from_words(words)
    }

    #[inline(always)]
    unsafe fn before_leave(self, x: D::Vector) -> D::Vector {
        D::sub(x, self.half)
    }

    #[inline(always)]
    unsafe fn leave(self, lanes: D::Vector) -> D::Vector {
        let quotient =
            D::sub(D::mul_add(lanes, self.reciprocal, self.rounder), self.leaving_rounder);
        D::add_words(D::sub_mul(lanes, quotient, self.q), self.leaving_word)
    }

    #[inline(always)]
    unsafe fn leave_scaled(self, lanes: D::Vector, factor: [D::Vector; 2]) -> D::Vector {
        D::to_words(self.product(lanes, factor), self.q)
    }

    #[inline(always)]
    unsafe fn transpose<const R: usize>(x: &mut [D::Vector; R]) {
        D::transpose(x);
    }

    #[inline(always)]
    unsafe fn before_level<const R: usize>(self, x: &mut [D::Vector; R], level: usize) {
        // Index 0 is the first of a pair at every level.
        if level == 0 {
            x[0] = self.reduce(x[0]);
        }
    }

    #[inline(always)]
    unsafe fn scale_before<const R: usize>(
        self,
        x: D::Vector,
        w: *const u64,
        index: usize,
    ) -> D::Vector {
        let product = self.product_by_lane(x, D::load(w));
        if reduced_scaled(R, index) { self.reduce(product) } else { product }
    }

    #[inline(always)]
    unsafe fn scale_after(self, x: D::Vector, w: *const u64) -> D::Vector {
        self.product_by_lane(x, D::load(w))
    }

    #[inline(always)]
    unsafe fn butterfly(
        self,
        (u, v): (D::Vector, D::Vector),
        w: [D::Vector; 2],
    ) -> (D::Vector, D::Vector) {
        let product = self.product(v, w);
        (D::add(u, product), D::sub(u, product))
    }

    #[inline(always)]
    unsafe fn butterfly_by_lane(
        self,
        (u, v): (D::Vector, D::Vector),
        w: *const u64,
    ) -> (D::Vector, D::Vector) {
        let product = self.product_by_lane(v, D::load(w));
        (D::add(u, product), D::sub(u, product))
    }

    #[inline(always)]
    unsafe fn after_level<const R: usize>(self, x: &mut [D::Vector; R], level: usize) {
        for (index, x) in x.iter_mut().enumerate() {
            if reduced_after(R, level, index) {
                *x = self.reduce(*x);
            }
        }
    }

    #[inline(always)]
    unsafe fn inverse_butterfly(
        self,
        (u, v): (D::Vector, D::Vector),
        w: [D::Vector; 2],
    ) -> (D::Vector, D::Vector) {
        (D::add(u, v), self.product(D::sub(v, u), w))
    }

    #[inline(always)]
    unsafe fn sum_and_difference(self, (u, v): (D::Vector, D::Vector)) -> (D::Vector, D::Vector) {
        (D::add(u, v), D::sub(v, u))
    }
}

#[cfg(test)]
mod tests {
    use super::{reduced_after, reduced_scaled};

    /// The largest magnitude of factors, in units of q: with `q <= 2^50 - 31`, quotients are below 2^51 by more than
    /// their rounding.
    const LIMIT: f64 = 4.0 + 1.0 / (1u64 << 46) as f64;

    /// The error of the quotient's argument is below 2^-50.
    const REDUCED: f64 = 0.5 + 1.0 / (1u64 << 50) as f64;

    /// The largest magnitude between groups.
    const FORWARD: f64 = 2.62;
    const INVERSE: f64 = 2.0 + 1.0 / (1u64 << 48) as f64;

    /// Returns the bound for a product if the error of the quotient's argument is 1/`part` of the factor.
    fn product(a: f64, part: f64) -> f64 {
        assert!(a <= LIMIT, "{a}");
        0.5 + a / part
    }

    /// Returns the largest number after a forward group, for inputs up to `bound`; with a block's factors in its first
    /// level if `is_scaled`, and with `shift` on its first vector.
    fn forward(radix: usize, (is_scaled, shift): (bool, f64), bound: f64) -> f64 {
        let mut x = vec![bound; radix];
        for level in 0..radix.ilog2() {
            let half = radix >> (level + 1);
            let (scales, part) = if is_scaled && level == 0 { (true, 8.0) } else { (false, 16.0) };
            if level == 0 && !scales {
                x[0] = REDUCED + shift;
            }
            for i in (0..radix).filter(|i| i & half == 0) {
                let u = match scales {
                    true if reduced_scaled(radix, i) => REDUCED,
                    true => product(x[i], 8.0),
                    false => x[i],
                };
                let sum = u + product(x[i + half], part);
                (x[i], x[i + half]) = (sum, sum);
            }
        }
        x.into_iter().fold(0.0, f64::max)
    }

    /// Returns the same bound for an inverse group, with a block's factors in its last level.
    fn inverse(radix: usize, is_scaled: bool, bound: f64) -> f64 {
        let mut x = vec![bound; radix];
        for level in 0..radix.ilog2() {
            let scales = is_scaled && level + 1 == radix.ilog2();
            for i in (0..radix).filter(|i| i & (1 << level) == 0) {
                let sum = x[i] + x[i + (1 << level)];
                (x[i], x[i + (1 << level)]) = if scales {
                    (product(sum, 8.0), product(sum, 8.0))
                } else {
                    (sum, product(sum, 16.0))
                };
            }
            for (i, x) in x.iter_mut().enumerate() {
                if !scales && reduced_after(radix, level as usize, i) {
                    assert!(*x <= LIMIT);
                    *x = REDUCED;
                }
            }
        }
        x.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn results_leave_exactly() {
        for radix in [4, 8] {
            let after = forward(radix, (false, 0.5), FORWARD);
            assert!(after <= 3.2, "radix {radix}: {after}");
        }
    }

    #[test]
    fn ranges_hold() {
        for radix in [2, 4, 8] {
            for is_scaled in [false, true] {
                let after = forward(radix, (is_scaled, 0.0), FORWARD);
                assert!(after <= FORWARD, "forward, radix {radix}, scaled: {is_scaled}: {after}");
                let after = inverse(radix, is_scaled, INVERSE);
                assert!(after <= INVERSE, "inverse, radix {radix}, scaled: {is_scaled}: {after}");
            }
        }
    }
}
