//! Balanced digits of torus fractions.

/// Bits of a fraction; the bits of a word above them are arbitrary.
pub const FRACTION_BITS: u32 = 52;

/// Bits of a word that lie above the fraction.
pub(crate) const UNUSED_BITS: u32 = u64::BITS - FRACTION_BITS;

/// Coefficients in a run, whose digits have the same range.
const RUN: usize = 64;

/// Balanced digits of fractions: v ≈ Σ_k d_k·2^(-w(ℓ-k)) with ℓ digits of w bits.
///
/// The range of a digit is even, so one side of 0 has a value more than the other:
/// `-2^(w-1) <= d_k < 2^(w-1)`, with a mean of -1/2, or mirrored, with a mean of 1/2. In a
/// polynomial the two alternate every 64 coefficients. Otherwise the means would add up where
/// digits multiply something that is similar in all coefficients, such as a multiple of a binary
/// polynomial: a mean of 1/2 then makes as large an error as digits N times as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FractionDigits {
    base_log2: u32,
    length: usize,
    /// Half of what is rounded away, and half a base for every digit (less 1 if mirrored). With it
    /// added, all digits are plain bits of the word. One for plain, one for mirrored digits.
    bias: [u64; 2],
}

impl FractionDigits {
    /// The decomposition into `length` digits of `base_log2` bits.
    ///
    /// # Panics
    /// Unless both are positive, and all digits together have at most 52 bits.
    #[must_use]
    pub fn new(base_log2: u32, length: usize) -> Self {
        let bits = base_log2 as usize * length;
        assert!(bits > 0 && bits <= FRACTION_BITS as usize, "{length} digits of {base_log2} bits");
        let half_of = |bits: usize| 1u64 << (63 - bits);
        let halves = (1..=length).map(|k| half_of(k * base_log2 as usize - base_log2 as usize));
        let bias = halves.fold(half_of(bits), u64::wrapping_add);
        let units = (1..=length).map(|k| 1u64 << (64 - k * base_log2 as usize));
        let mirrored = units.fold(bias, u64::wrapping_sub);
        Self { base_log2, length, bias: [bias, mirrored] }
    }

    /// The number ℓ of digits.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The function that takes digit `k` of a coefficient in this run; digit 0 is the least
    /// significant.
    #[inline(always)]
    fn of_run(self, run: usize, k: usize) -> impl Fn(u64) -> i64 {
        let mirrored = run % 2;
        let bias = self.bias[mirrored];
        let shift = u64::BITS - self.base_log2 * (self.length - k) as u32;
        let mask = (1 << self.base_log2) - 1;
        let half = (1 << (self.base_log2 - 1)) - mirrored as i64;
        move |fraction| {
            let bits = (fraction << UNUSED_BITS).wrapping_add(bias) >> shift & mask;
            bits as i64 - half
        }
    }

    /// Digit `k` of a fraction, in `[-2^(w-1), 2^(w-1))` or, if mirrored, in `(-2^(w-1), 2^(w-1)]`;
    /// digit 0 is the least significant.
    #[must_use]
    pub fn digit(self, fraction: u64, k: usize, mirrored: bool) -> i64 {
        self.of_run(mirrored.into(), k)(fraction)
    }

    /// `out_k[i] = to_word(digit k of source[i])`; the digits of one weight are contiguous.
    ///
    /// # Panics
    /// If lengths do not fit.
    #[inline(always)]
    pub(crate) fn decompose(&self, out: &mut [u64], source: &[u64], to_word: impl Fn(i64) -> u64) {
        assert_eq!(out.len(), source.len() * self.length);
        for (k, out) in out.chunks_exact_mut(source.len()).enumerate() {
            let runs = out.chunks_mut(RUN).zip(source.chunks(RUN));
            for (run, (out, source)) in runs.enumerate() {
                let digit = self.of_run(run, k);
                for (out, &v) in out.iter_mut().zip(source) {
                    *out = to_word(digit(v));
                }
            }
        }
    }

    /// As [`FractionDigits::decompose`] of `source·X^exponent - source`, modulo X^N + 1.
    ///
    /// # Panics
    /// If lengths do not fit, or the exponent is 2N or more.
    #[inline(always)]
    pub(crate) fn decompose_rotation(
        &self,
        out: &mut [u64],
        source: &[u64],
        exponent: usize,
        to_word: impl Fn(i64) -> u64,
    ) {
        let n = source.len();
        assert!(out.len() == n * self.length && exponent < 2 * n, "X^{exponent} of degree {n}");
        let shift = exponent % n;
        let (kept, wrapped) = source.split_at(n - shift);
        let (low, high) = source.split_at(shift);
        // What passes X^N changes its sign; from exponent N on, everything does once more.
        let signs = if exponent < n { [true, false] } else { [false, true] };
        for (k, out) in out.chunks_exact_mut(n).enumerate() {
            let (out_low, out_high) = out.split_at_mut(shift);
            let parts = [(out_low, wrapped, low), (out_high, kept, high)];
            for ((out, moved, source), negated) in parts.into_iter().zip(signs) {
                let runs = out.chunks_mut(RUN).zip(moved.chunks(RUN)).zip(source.chunks(RUN));
                // Runs begin anew where X^N is passed.
                for (run, ((out, moved), source)) in runs.enumerate() {
                    let digit = self.of_run(run, k);
                    let words = out.iter_mut().zip(moved).zip(source);
                    if negated {
                        for ((out, &a), &b) in words {
                            *out = to_word(digit(0u64.wrapping_sub(a).wrapping_sub(b)));
                        }
                    } else {
                        for ((out, &a), &b) in words {
                            *out = to_word(digit(a.wrapping_sub(b)));
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_recompose(
            base_log2 in 1u32..20,
            length in 1usize..6,
            word in any::<u64>(),
            mirrored in any::<bool>(),
        ) {
            prop_assume!(base_log2 as usize * length <= 52);
            let digits = FractionDigits::new(base_log2, length);
            let mut sum = 0u64;
            for k in 0..length {
                let digit = digits.digit(word, k, mirrored);
                // Mirrored digits have the opposite range.
                let plain = if mirrored { -digit } else { digit };
                prop_assert!(-(1 << (base_log2 - 1)) <= plain && plain < 1 << (base_log2 - 1));
                let weight = 1u64 << (64 - base_log2 * (length - k) as u32);
                sum = sum.wrapping_add(weight.wrapping_mul(digit as u64));
            }
            let error = sum.wrapping_sub(word << 12) as i64;
            prop_assert!(error.unsigned_abs() <= 1 << (63 - base_log2 * length as u32));
        }
    }

    #[test]
    fn rotations_are_those_of_polynomials() {
        let n = 16;
        let source: Vec<u64> = (0..n as u64).map(|i| (i + 1) << 44).collect();
        let digits = FractionDigits::new(8, 1);
        for exponent in 0..2 * n {
            let mut out = vec![0; n];
            digits.decompose_rotation(&mut out, &source, exponent, |d| d as u64);
            for (i, &found) in out.iter().enumerate() {
                let from = (2 * n + i - exponent) % (2 * n);
                let moved = if from < n { from as i64 + 1 } else { -(from as i64 - n as i64 + 1) };
                assert_eq!(found as i64, moved - (i as i64 + 1), "X^{exponent}, position {i}");
            }
        }
    }
}
