//! Arithmetic modulo one number in every lane.

use super::lanes::WideLanes;
use crate::Modulus;
use crate::modulus::Factor;

/// A modulus `q < 2^62` of k bits in every lane, with `h = floor(k/2)`.
#[derive(Clone, Copy)]
pub(super) struct WideModulus<W: WideLanes> {
    /// q, and `q >> 32`.
    q: [W::Vector; 2],
    q_times_2: W::Vector,
    /// `μ = floor(2^(63+2h)/q)`, and its upper half.
    barrett: [W::Vector; 2],
    /// h.
    lower_bits: W::Vector,
    /// `2^h - 1`.
    lower_mask: W::Vector,
    /// `2^32 - 1`.
    half_mask: W::Vector,
}

/// A constant `c < q` and `floor(c·2^64/q)` (Shoup's method) in every lane, both with their upper halves.
#[derive(Clone, Copy)]
pub(super) struct WideFactor<W: WideLanes> {
    value: [W::Vector; 2],
    quotient: [W::Vector; 2],
}

impl<W: WideLanes> WideFactor<W> {
    #[inline(always)]
    pub(super) unsafe fn new(factor: Factor) -> Self {
        Self { value: with_upper::<W>(factor.value), quotient: with_upper::<W>(factor.quotient) }
    }
}

/// Returns a word in every lane, and its upper half.
#[inline(always)]
unsafe fn with_upper<W: WideLanes>(word: u64) -> [W::Vector; 2] {
    [W::splat(word), W::splat(word >> 32)]
}

impl<W: WideLanes> WideModulus<W> {
    #[inline(always)]
    pub(super) unsafe fn new(m: &Modulus) -> Self {
        let constants = m.wide_constants();
        Self {
            q: with_upper::<W>(m.value()),
            q_times_2: W::splat(2 * m.value()),
            barrett: with_upper::<W>(constants.barrett),
            lower_bits: W::splat(u64::from(constants.lower_bits)),
            lower_mask: W::splat((1 << constants.lower_bits) - 1),
            half_mask: W::splat(u64::from(u32::MAX)),
        }
    }

    /// Splits a residue into its lower h bits and the k - h bits above them.
    #[inline(always)]
    pub(super) unsafe fn split(self, x: W::Vector) -> [W::Vector; 2] {
        [W::and(x, self.lower_mask), W::shift_right(x, self.lower_bits)]
    }

    /// Returns `S mod q` for `S = low + 2^h·middle + 2^(2h)·high < 2^(63+2h)`, if `middle + (low >> h)` is a word, and
    /// if the sums with carries are words, too.
    ///
    /// With `u = floor(S/2^(2h)) < 2^63`, the estimate `e = floor(2u·μ/2^64)` of `S/q` is never too large, and too
    /// small by less than 4: less than `2^(2h)/q < 2` for the fraction dropped from u, since `q > 2^(k-1) >= 2^(2h-1)`;
    /// less than `2u/2^64 < 1` for that dropped from μ; less than 1 for the floor. So the remainder is below
    /// `4q < 2^64`, and known from lower words.
    #[inline(always)]
    pub(super) unsafe fn residue(self, [low, middle, high]: [W::Vector; 3]) -> W::Vector {
        let carried = W::add(middle, W::shift_right(low, self.lower_bits));
        let above = W::add(high, W::shift_right(carried, self.lower_bits));
        let estimate = self.mul_high(W::add(above, above), self.barrett);
        // S modulo 2^64, by Horner's rule.
        let upper = W::add(middle, W::shift_left(high, self.lower_bits));
        let word = W::add(low, W::shift_left(upper, self.lower_bits));
        self.subtract_below_4q(W::sub(word, W::mul(estimate, self.q)))
    }

    /// Returns a number in `[0, 2q)` that is `x·c` modulo q, for any word x.
    #[inline(always)]
    unsafe fn mul_lazy(self, x: W::Vector, c: WideFactor<W>) -> W::Vector {
        // xc/q - x·quotient/2^64 < 1, and the floor subtracts less than 1.
        let estimate = self.mul_high(x, c.quotient);
        W::sub(W::mul(x, c.value), W::mul(estimate, self.q))
    }

    /// Returns `x·c mod q`, for any word x.
    #[inline(always)]
    pub(super) unsafe fn mul(self, x: W::Vector, c: WideFactor<W>) -> W::Vector {
        W::subtract_once(self.mul_lazy(x, c), self.q[0])
    }

    /// Returns `a + x·c mod q`, for a residue a and any word x.
    #[inline(always)]
    pub(super) unsafe fn mul_add(self, a: W::Vector, x: W::Vector, c: WideFactor<W>) -> W::Vector {
        // The sum is below 3q.
        self.subtract_below_4q(W::add(a, self.mul_lazy(x, c)))
    }

    /// Returns a number in `(0, 2q)` that is `a - b` modulo q, for residues.
    #[inline(always)]
    pub(super) unsafe fn sub_lazy(self, a: W::Vector, b: W::Vector) -> W::Vector {
        W::sub(W::add(a, self.q[0]), b)
    }

    /// Returns `a - b mod q`, for residues.
    #[inline(always)]
    pub(super) unsafe fn sub(self, a: W::Vector, b: W::Vector) -> W::Vector {
        W::subtract_once(self.sub_lazy(a, b), self.q[0])
    }

    /// Returns `x mod q` for `x < 4q`.
    #[inline(always)]
    unsafe fn subtract_below_4q(self, x: W::Vector) -> W::Vector {
        W::subtract_once(W::subtract_once(x, self.q_times_2), self.q[0])
    }

    /// Returns `floor(x·y/2^64)`, for y with its upper half.
    ///
    /// A product of halves is at most `(2^32 - 1)^2`, so that two more numbers below `2^32` can be added in a word.
    #[inline(always)]
    unsafe fn mul_high(self, x: W::Vector, [y, y_upper]: [W::Vector; 2]) -> W::Vector {
        let x_upper = W::upper(x);
        let of_upper = W::add(W::mul_lower(x_upper, y), W::upper(W::mul_lower(x, y)));
        let of_lower = W::add(W::mul_lower(x, y_upper), W::and(of_upper, self.half_mask));
        let high = W::add(W::mul_lower(x_upper, y_upper), W::upper(of_upper));
        W::add(high, W::upper(of_lower))
    }
}
