//! Balanced digits of torus fractions.

/// Bits of a fraction; the bits of a word above them are arbitrary.
pub const FRACTION_BITS: u32 = 52;

/// Bits of a word that lie above the fraction.
pub(crate) const UNUSED_BITS: u32 = u64::BITS - FRACTION_BITS;

/// Coefficients in a run, whose digits have the same range.
const RUN: usize = 64;

/// Balanced digits of fractions: v ≈ Σ_k d_k·2^(-w(ℓ-k)) with ℓ digits of w bits.
///
/// The range of a digit is even, so one side of 0 has one value more than the other: `-2^(w-1) <= d_k < 2^(w-1)`, with
/// a mean of -1/2, or mirrored, with a mean of 1/2. In a polynomial the two alternate every 64 coefficients. Otherwise
/// the means would add up where digits multiply something that is similar in all coefficients, such as a multiple of a
/// binary polynomial: a mean of 1/2 then causes as large an error as digits N times as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FractionDigits {
    base_log2: u32,
    length: usize,
    /// Half of the unit that rounding leaves, and half a base for every digit (less 1 if mirrored). After adding it,
    /// all digits are plain bits of the fraction. The first entry is for plain digits, the second for mirrored ones.
    bias: [u64; 2],
}

impl FractionDigits {
    /// Returns the decomposition into `length` digits of `base_log2` bits.
    ///
    /// # Panics
    /// Unless both are positive, and all digits together have at most 52 bits.
    #[must_use]
    pub fn new(base_log2: u32, length: usize) -> Self {
        let bits = base_log2 as usize * length;
        assert!(bits > 0 && bits <= FRACTION_BITS as usize, "{length} digits of {base_log2} bits");
        // With 52 bits, nothing is rounded away.
        let half_of = |bits: usize| (1u64 << FRACTION_BITS) >> (bits + 1);
        let halves = (1..=length).map(|k| half_of(k * base_log2 as usize - base_log2 as usize));
        let bias = halves.fold(half_of(bits), u64::wrapping_add);
        let units = (1..=length).map(|k| 1u64 << (FRACTION_BITS as usize - k * base_log2 as usize));
        let mirrored = units.fold(bias, u64::wrapping_sub);
        Self { base_log2, length, bias: [bias, mirrored] }
    }

    /// Returns the number ℓ of digits.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Returns whether the digits at a position of a polynomial are mirrored (1) or plain (0), as an index.
    #[inline(always)]
    pub(crate) fn mirrored_at(position: usize) -> usize {
        position / RUN % 2
    }

    /// Returns the place of the lowest bit of digit `k`; digit 0 is the least significant.
    #[inline(always)]
    pub(crate) fn shift(&self, k: usize) -> u32 {
        FRACTION_BITS - self.base_log2 * (self.length - k) as u32
    }

    /// Returns the mask of the bits of a digit.
    #[inline(always)]
    pub(crate) fn mask(&self) -> u64 {
        (1 << self.base_log2) - 1
    }

    /// Returns the constants subtracted from a digit's bits, plain and mirrored.
    #[must_use]
    #[inline(always)]
    pub fn halves(&self) -> [u64; 2] {
        let half = 1 << (self.base_log2 - 1);
        [half, half - 1]
    }

    /// Returns digit `k` of a fraction to which the bias was added.
    #[inline(always)]
    fn digit_of_biased(self, biased: u64, k: usize, mirrored: usize) -> i64 {
        let bits = biased >> self.shift(k) & self.mask();
        bits.cast_signed() - self.halves()[mirrored].cast_signed()
    }

    /// Returns digit `k` of a fraction, in `[-2^(w-1), 2^(w-1))` or, if mirrored, in `(-2^(w-1), 2^(w-1)]`; digit 0 is
    /// the least significant.
    #[must_use]
    pub fn digit(self, fraction: u64, k: usize, mirrored: bool) -> i64 {
        let mirrored = usize::from(mirrored);
        self.digit_of_biased(fraction.wrapping_add(self.bias[mirrored]), k, mirrored)
    }

    /// Writes the fractions plus the bias that makes their digits plain bits.
    ///
    /// # Panics
    /// If lengths differ.
    #[inline(always)]
    pub(crate) fn bias(&self, out: &mut [u64], source: &[u64]) {
        assert_eq!(out.len(), source.len());
        for (run, (out, source)) in out.chunks_mut(RUN).zip(source.chunks(RUN)).enumerate() {
            let bias = self.bias[run % 2];
            for (out, &v) in out.iter_mut().zip(source) {
                *out = v.wrapping_add(bias);
            }
        }
    }

    /// Adds the bias like [`FractionDigits::bias`] to `source·X^exponent - source` modulo X^N + 1.
    ///
    /// # Panics
    /// If lengths differ, or the exponent is 2N or more.
    #[inline(always)]
    pub(crate) fn bias_rotation(&self, out: &mut [u64], source: &[u64], exponent: usize) {
        let n = source.len();
        assert!(out.len() == n && exponent < 2 * n, "X^{exponent} of degree {n}");
        let shift = exponent % n;
        let mut start = 0;
        while start < n {
            // The range ends where X^N is passed, or where the next run begins.
            let bound = if start < shift { shift } else { n };
            let end = bound.min((start / RUN + 1) * RUN);
            let from = (start + n - shift) % n;
            let bias = self.bias[Self::mirrored_at(start)];
            let words = out[start..end].iter_mut().zip(&source[from..from + end - start]);
            let words = words.zip(&source[start..end]);
            // Coefficients that pass X^N change their sign. From exponent N on, all coefficients change it once more.
            if (start < shift) == (exponent < n) {
                for ((out, &a), &b) in words {
                    *out = bias.wrapping_sub(a).wrapping_sub(b);
                }
            } else {
                for ((out, &a), &b) in words {
                    *out = a.wrapping_sub(b).wrapping_add(bias);
                }
            }
            start = end;
        }
    }

    /// `out_k[i] = to_word(digit k of biased[i])`, for the output of [`FractionDigits::bias`]. Digits of one weight are
    /// contiguous.
    ///
    /// # Panics
    /// If lengths do not fit.
    pub(crate) fn decompose(&self, out: &mut [u64], biased: &[u64], to_word: impl Fn(i64) -> u64) {
        assert_eq!(out.len(), biased.len() * self.length);
        for (k, out) in out.chunks_exact_mut(biased.len()).enumerate() {
            for (run, (out, biased)) in out.chunks_mut(RUN).zip(biased.chunks(RUN)).enumerate() {
                for (out, &v) in out.iter_mut().zip(biased) {
                    *out = to_word(self.digit_of_biased(v, k, run % 2));
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
            let (mut biased, mut out) = (vec![0; n], vec![0; n]);
            digits.bias_rotation(&mut biased, &source, exponent);
            digits.decompose(&mut out, &biased, |d| d as u64);
            for (i, &found) in out.iter().enumerate() {
                let from = (2 * n + i - exponent) % (2 * n);
                let moved = if from < n { from as i64 + 1 } else { -(from as i64 - n as i64 + 1) };
                assert_eq!(found as i64, moved - (i as i64 + 1), "X^{exponent}, position {i}");
            }
        }
    }
}
