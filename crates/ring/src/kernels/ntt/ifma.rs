//! Transforms on AVX-512 with IFMA, moduli below 2^50.
//!
//! Lanes are numbers of 52 bits, the low ones of a word; the bits above them are noise, which products ignore. In units
//! of q, numbers are below `C = 2^52/q`. A product t with a twiddle is in (-1, 1) ([`Constants::butterfly`]), so every
//! level widens the range of `u ± t` by 1 on both sides. Two schedules of reductions keep numbers in [0, C);
//! `tests::ranges_hold` follows them:
//!
//! - `WIDE`, for C >= 4: in every pair, u is reduced to [1, C - 1) before the level.
//! - Otherwise C >= 7 ([`NARROW_BOUND`]), and reductions are needed only before the first level of a group. In a group
//!   of eight, the vector that is u at all three levels (index 0) is reduced to [3, 4), and ends in (0, 7); index 1,
//!   which is u at two levels, to [2, 4); indices 2 and 3 to [1, C - 2). Products with a block's factors are offset to
//!   within these ranges.
//!
//! Inverse groups have inputs in [0, 2). From u, up to 4, and v, up to 2, a level computes their sum and
//! `(v - u + 4)·w`, offset by 1: in (0, 2). The wide schedule has no room for that: there u is below 2 and the
//! difference is offset by 2.
//!
//! There are three kinds of reductions. Zen 4 executes one of them on the units of products and the others beside them,
//! so that a mixture is fastest: by a quotient ([`IfmaLanes::divide`]); by a comparison ([`IfmaLanes::subtract`]); and
//! by the top bit of 52 ([`IfmaLanes::shift`]), which does not need noise to be cleared, but is less flexible in the
//! range that it reduces to.

#![allow(unsafe_op_in_unsafe_fn, reason = "all of it is pointers and intrinsics")]

use std::arch::x86_64::*;

use super::forward::pair;
use super::lanes::Lanes;
use crate::Modulus;
use crate::kernels::avx512_butterfly::{Constants, transpose};

/// Moduli below this bound have room for the ranges of a group of eight.
pub(super) const NARROW_BOUND: u64 = (1 << 52) / 7;

/// A modulus, copied to every lane, with its constants.
#[derive(Clone, Copy)]
pub(super) struct IfmaLanes<const WIDE: bool> {
    constants: Constants,
    mask: __m512i,
    /// 2^51.
    top: __m512i,
    /// 1, 2, 3, 4 times q.
    multiples: [__m512i; 4],
    /// 0, -1, -2, -3.
    negatives: [__m512i; 4],
}

/// Returns a twiddle w as `w + q` and `⌈w·2^52/q⌉`.
pub(super) fn encode(m: &Modulus, w: u64) -> [u64; 2] {
    let quotient = (u128::from(w) << 52).div_ceil(u128::from(m.value()));
    [w + m.value(), quotient as u64]
}

/// The multiples of the modulus that are added to differences, narrow and wide.
const DIFFERENCE_OFFSET: [usize; 2] = [4, 2];

/// Returns the number of levels of a forward group of R through which a vector of its first half is the first of a
/// pair, before it is a second one.
const fn levels_as_first(radix: usize, index: usize) -> u32 {
    let used = if index == 0 { 0 } else { index.ilog2() + 1 };
    radix.ilog2() - used
}

/// The reduction of a sum to [0, 2) after a level of an inverse group.
#[derive(Clone, Copy, Debug)]
enum Reduction {
    None,
    Divide,
    Subtract,
}

/// Returns the reduction of sum `index`. In the narrow schedule, levels before the last reduce sums that are second in
/// a pair of the next level, and others if they would exceed 4 there. After the last level, all sums are reduced.
const fn reduction_after(wide: bool, radix: usize, level: usize, index: usize) -> Reduction {
    let half = 1 << level;
    let is_last = 2 * half == radix;
    let is_second = index & (2 * half) != 0;
    if wide {
        return if index & (2 * half) == 0 { Reduction::Divide } else { Reduction::Subtract };
    }
    match (level, is_last) {
        (_, true) if index < 2 => Reduction::Divide,
        (_, true) => Reduction::Subtract,
        (1, false) if index & 3 == 0 => Reduction::Divide,
        _ if is_second => Reduction::Subtract,
        _ => Reduction::None,
    }
}

impl<const WIDE: bool> IfmaLanes<WIDE> {
    #[inline(always)]
    pub(super) unsafe fn new(m: &Modulus) -> Self {
        let splat = |word: u64| _mm512_set1_epi64(word.cast_signed());
        Self {
            constants: Constants::new(m),
            mask: splat((1 << 52) - 1),
            top: splat(1 << 51),
            multiples: [1, 2, 3, 4].map(|k| splat(k * m.value())),
            negatives: [0u64, 1, 2, 3].map(|k| splat(0u64.wrapping_sub(k))),
        }
    }

    /// Returns x modulo q in `[k, k + 2)·q`, with noise.
    ///
    /// With `⌊2^52/q⌋` the quotient is too small by less than 1, and by less than 1 more for its floor. It starts from
    /// -k.
    #[inline(always)]
    unsafe fn divide(self, x: __m512i, k: usize) -> __m512i {
        let quotient = _mm512_madd52hi_epu64(self.negatives[k], x, self.constants.reciprocal);
        _mm512_madd52lo_epu64(x, quotient, self.constants.minus_q_52)
    }

    /// Returns the low 52 bits.
    #[inline(always)]
    unsafe fn clear(self, x: __m512i) -> __m512i {
        _mm512_and_si512(x, self.mask)
    }

    /// Returns x without noise, minus k·q unless that is negative.
    #[inline(always)]
    unsafe fn subtract(self, x: __m512i, k: usize) -> __m512i {
        // As an unsigned number, a negative difference is huge.
        _mm512_min_epu64(x, _mm512_sub_epi64(x, self.multiples[k - 1]))
    }

    /// Returns `x + q` if x is below 2^51, and `x - q` otherwise, with noise.
    #[inline(always)]
    unsafe fn shift(self, x: __m512i) -> __m512i {
        let upper = _mm512_test_epi64_mask(x, self.top);
        let x = self.offset(x, 1);
        _mm512_mask_sub_epi64(x, upper, x, self.multiples[1])
    }

    /// Returns `x + k·q`.
    #[inline(always)]
    unsafe fn offset(self, x: __m512i, k: usize) -> __m512i {
        _mm512_add_epi64(x, self.multiples[k - 1])
    }

    /// Returns `v·w` in (k - 1, k + 1)·q, with noise.
    #[inline(always)]
    unsafe fn product(self, v: __m512i, [w, quotient]: [__m512i; 2], k: usize) -> __m512i {
        let product = _mm512_madd52lo_epu64(self.multiples[k - 1], v, w);
        let estimate = _mm512_madd52hi_epu64(v, v, quotient);
        _mm512_madd52lo_epu64(product, estimate, self.constants.minus_q_52)
    }

    #[inline(always)]
    unsafe fn load_pair(w: *const u64) -> [__m512i; 2] {
        [Self::load(w), Self::load(w.add(Self::LANES))]
    }
}

impl<const WIDE: bool> Lanes for IfmaLanes<WIDE> {
    type Vector = __m512i;

    const LANES: usize = 8;
    const LANE_WORDS: usize = 2;
    const PAIRED: [u32; 2] = [2, 2];

    #[inline(always)]
    unsafe fn load(source: *const u64) -> __m512i {
        _mm512_loadu_epi64(source.cast())
    }

    #[inline(always)]
    unsafe fn store(target: *mut u64, vector: __m512i) {
        _mm512_storeu_epi64(target.cast(), vector);
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> __m512i {
        _mm512_set1_epi64(word.cast_signed())
    }

    #[inline(always)]
    unsafe fn enter(self, words: __m512i) -> __m512i {
        words
    }

    #[inline(always)]
    unsafe fn before_leave(self, x: __m512i) -> __m512i {
        x
    }

    #[inline(always)]
    unsafe fn leave(self, lanes: __m512i) -> __m512i {
        let below_2q = self.clear(self.divide(lanes, 0));
        self.subtract(below_2q, 1)
    }

    #[inline(always)]
    unsafe fn leave_scaled(self, lanes: __m512i, factor: [__m512i; 2]) -> __m512i {
        self.subtract(self.clear(self.product(lanes, factor, 1)), 1)
    }

    #[inline(always)]
    unsafe fn transpose<const R: usize>(x: &mut [__m512i; R]) {
        transpose(x.as_mut_slice().try_into().expect("eight vectors"));
    }

    #[inline(always)]
    unsafe fn before_level<const R: usize>(self, x: &mut [__m512i; R], level: usize) {
        if WIDE {
            for k in 0..R / 2 {
                let (i, _) = pair(k, R >> (level + 1));
                x[i] = if k == 0 { self.divide(x[i], 1) } else { self.shift(x[i]) };
            }
        } else if level == 0 {
            for (index, x) in x.iter_mut().enumerate().take(R / 2) {
                *x = match levels_as_first(R, index) {
                    3 => self.offset(self.subtract(self.clear(self.divide(*x, 0)), 1), 3),
                    2 => self.divide(*x, 2),
                    _ => self.offset(self.subtract(self.clear(*x), 4), 1),
                };
            }
        }
    }

    #[inline(always)]
    unsafe fn scale_before<const R: usize>(
        self,
        x: __m512i,
        w: *const u64,
        index: usize,
    ) -> __m512i {
        let w = Self::load_pair(w);
        match levels_as_first(R, index) {
            _ if WIDE => self.product(x, w, 2),
            3 => self.offset(self.subtract(self.clear(self.product(x, w, 1)), 1), 3),
            2 => self.product(x, w, 3),
            _ => self.product(x, w, 2),
        }
    }

    #[inline(always)]
    unsafe fn scale_after(self, x: __m512i, w: *const u64) -> __m512i {
        self.product(x, Self::load_pair(w), 1)
    }

    #[inline(always)]
    unsafe fn butterfly(
        self,
        (mut u, mut v): (__m512i, __m512i),
        [w, quotient]: [__m512i; 2],
    ) -> (__m512i, __m512i) {
        self.constants.butterfly(&mut u, &mut v, w, quotient);
        (u, v)
    }

    #[inline(always)]
    unsafe fn butterfly_by_lane(
        self,
        pair: (__m512i, __m512i),
        w: *const u64,
    ) -> (__m512i, __m512i) {
        self.butterfly(pair, Self::load_pair(w))
    }

    #[inline(always)]
    unsafe fn after_level<const R: usize>(self, x: &mut [__m512i; R], level: usize) {
        for k in 0..R / 2 {
            let (i, _) = pair(k, 1 << level);
            match reduction_after(WIDE, R, level, i) {
                Reduction::None => {}
                Reduction::Divide => x[i] = self.divide(x[i], 0),
                Reduction::Subtract => x[i] = self.subtract(self.clear(x[i]), 2),
            }
        }
    }

    #[inline(always)]
    unsafe fn inverse_butterfly(
        self,
        pair: (__m512i, __m512i),
        w: [__m512i; 2],
    ) -> (__m512i, __m512i) {
        let (sum, difference) = self.sum_and_difference(pair);
        (sum, self.product(difference, w, 1))
    }

    #[inline(always)]
    unsafe fn sum_and_difference(self, (u, v): (__m512i, __m512i)) -> (__m512i, __m512i) {
        (
            _mm512_add_epi64(u, v),
            _mm512_sub_epi64(self.offset(v, DIFFERENCE_OFFSET[WIDE as usize]), u),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lower and an upper bound, in units of q.
    type Range = (f64, f64);

    /// Returns a lower bound of 2^52/q.
    fn capacity(wide: bool) -> f64 {
        if wide { 4.0 } else { 7.0 }
    }

    /// Checks that a number fits 52 bits.
    fn fit(wide: bool, x: Range) -> Range {
        assert!(x.0 >= 0.0 && x.1 <= capacity(wide), "{x:?}, wide: {wide}");
        x
    }

    /// Returns the range after a shift at the bit that is half of the capacity.
    fn shift(wide: bool) -> Range {
        let c = capacity(wide);
        ((c / 2.0 - 1.0).min(1.0), (c / 2.0 + 1.0).max(c - 1.0))
    }

    fn forward(wide: bool, radix: usize, is_scaled: bool) {
        let mut x = vec![(0.0, capacity(wide)); radix];
        for level in 0..radix.ilog2() {
            let half = radix >> (level + 1);
            for k in 0..radix / 2 {
                let (i, _) = pair(k, half);
                let first = level == 0;
                x[i] = match (wide, is_scaled && first, levels_as_first(radix, k)) {
                    (true, true, _) => (1.0, 3.0),
                    (true, ..) if k == 0 => (1.0, 3.0),
                    (true, ..) => shift(wide),
                    (_, _, 3) if first => (3.0, 4.0),
                    (_, _, 2) if first => (2.0, 4.0),
                    (_, true, _) => (1.0, 3.0),
                    _ if first => (1.0, capacity(wide) - 2.0),
                    _ => x[i],
                };
                let (u, _) = (x[i], fit(wide, x[i + half]));
                x[i] = fit(wide, (u.0 - 1.0, u.1 + 1.0));
                x[i + half] = x[i];
            }
        }
    }

    fn inverse(wide: bool, radix: usize) {
        let mut x = vec![2.0; radix];
        for level in 0..radix.ilog2() as usize {
            for k in 0..radix / 2 {
                let (i, _) = pair(k, 1 << level);
                let j = i + (1 << level);
                let offset = DIFFERENCE_OFFSET[usize::from(wide)] as f64;
                fit(wide, (offset - x[i], offset + x[j]));
                let sum = fit(wide, (0.0, x[i] + x[j])).1;
                x[i] = match reduction_after(wide, radix, level, i) {
                    Reduction::None => sum,
                    Reduction::Divide => 2.0,
                    Reduction::Subtract => (sum - 2.0).max(2.0),
                };
                x[j] = 2.0;
            }
        }
        assert!(x.into_iter().all(|x| x <= 2.0));
    }

    #[test]
    fn ranges_hold() {
        for wide in [false, true] {
            for radix in [2, 4, 8] {
                forward(wide, radix, false);
                forward(wide, radix, true);
                inverse(wide, radix);
            }
        }
    }
}
