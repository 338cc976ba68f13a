//! Ways to cut the input of a multiplexer tree into digits and selectors.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::overflow::EncapsulatedSecret;

use crate::literal::MultiplexerLiteral;

/// Maximum number of bits of a digit that are tried: powers of larger digits take memory and time.
const MAX_DIGIT_BITS: u32 = 6;

/// Maximum number of columns that are tried: all of them are in memory.
const MAX_COLUMNS: u64 = 1 << 11;

/// Maximum number of entries of a row selector.
const MAX_ROW_SELECTOR: u64 = 256;

/// Source of the precision of SlotsToCoeffs, which large outputs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputPrecision {
    /// The fewest primes, shared by small matrices.
    FewestPrimes,
    /// One more prime for the same matrices.
    PrimeMore,
    /// The same precision with fewer and larger matrices of one prime each.
    WholePrimes,
    /// The same matrices with one prime less (with the same number in real slots), where selectors spare the missing
    /// bits.
    SpareBits,
}

/// Digits, selectors and cleanings of a multiplexer tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DigitChoice {
    /// Digits and selectors.
    pub multiplexer: MultiplexerLiteral,
    /// Number of doublings of the exponential that are cleaned.
    pub exponential_cleanings: u32,
    /// Number of primes of CoeffsToSlots beyond the fewest, which reduce errors of phase.
    pub extra_primes: usize,
    /// Precision of SlotsToCoeffs.
    pub output_precision: OutputPrecision,
    /// Whether values are looked up in real slots.
    pub real_slots: bool,
}

impl DigitChoice {
    /// A short name, of the method and the digit sizes.
    pub(crate) fn name(&self) -> String {
        let digits = &self.multiplexer.digits;
        if self.is_binary() {
            return "bmt".into();
        }
        let sizes: Vec<String> = digits.iter().map(u64::to_string).collect();
        let slots = if self.real_slots { "_real" } else { "" };
        format!("cmt{slots}_{}", sizes.join("x"))
    }

    /// Whether all digits are bits.
    pub(crate) fn is_binary(&self) -> bool {
        self.multiplexer.is_binary()
    }

    /// Chooses the exponential whose approximation error is at most 1/64 of half an output step, after deltas have
    /// amplified and cleaning has reduced it.
    pub(crate) fn exponential(
        &self,
        secret: EncapsulatedSecret,
        output_modulus: u64,
        log2_fail: f64,
    ) -> ExponentialShape {
        let digits = &self.multiplexer.digits;
        let function = match (self.is_binary(), self.real_slots) {
            (true, _) => PhaseFunction::Cosine,
            (false, true) => PhaseFunction::Parts,
            (false, false) => PhaseFunction::Exponential,
        };
        let largest = digits.iter().copied().max().unwrap_or(2) as f64;
        let count = digits.len() as f64;
        // The error that the deltas of one digit may have, as a fraction of the output range.
        let mut error = 0.5 / output_modulus as f64 / 64.0 / count;
        for _ in 0..self.multiplexer.delta_cleanings {
            error = (error / (3.0 * largest)).sqrt();
        }
        let amplification = 1.0 + largest / 3.0;
        let mut tolerance = error / amplification;
        if self.exponential_cleanings > 0 {
            // The rest is the square of the error of modulus, and an error of phase, which deltas
            // square: curvature (2πp)²/6, over 2.
            for _ in 0..self.exponential_cleanings {
                tolerance = (tolerance / 4.0).sqrt();
            }
            tolerance = tolerance.min((12.0 * error).sqrt() / largest);
        }
        let bound = secret.bound_for(log2_fail - 1.0 - count.log2());
        Exponential::choose(function, bound, tolerance.min(1e-2), self.exponential_cleanings)
    }
}

/// Lists of digits for tables of the given input modulus: bits if `binary`, else larger digits (of `digit_bits` bits,
/// if given).
pub(crate) fn digit_lists(
    input_modulus: u64,
    binary: bool,
    digit_bits: Option<u32>,
) -> Vec<Vec<u64>> {
    if binary {
        let bits = input_modulus.ilog2() as usize;
        let possible = input_modulus.is_power_of_two() && bits >= 2;
        return if possible { vec![vec![2; bits]] } else { Vec::new() };
    }
    let sizes = match digit_bits {
        Some(bits) => bits..=bits,
        None => 2..=MAX_DIGIT_BITS,
    };
    let mut lists: Vec<_> =
        sizes.filter_map(|bits| balanced_digits(input_modulus, 1 << bits)).collect();
    lists.dedup();
    lists
}

/// Digits of at most `limit` values, as few and as even as possible, but at least two. The larger ones are the most
/// significant. `None` if the modulus has a larger prime factor, or is too small.
fn balanced_digits(modulus: u64, limit: u64) -> Option<Vec<u64>> {
    if modulus.is_power_of_two() {
        let (bits, most) = (modulus.ilog2(), limit.ilog2());
        let count = bits.div_ceil(most).max(2);
        return (bits >= 2).then(|| even_digits(bits, count));
    }
    // Each prime factor, the largest first, multiplies the smallest digit.
    let mut factors = Vec::new();
    let (mut rest, mut factor) = (modulus, 2);
    while factor * factor <= rest {
        while rest.is_multiple_of(factor) {
            factors.push(factor);
            rest /= factor;
        }
        factor += 1;
    }
    if rest > 1 {
        factors.push(rest);
    }
    let least = (modulus as f64).ln() / (limit as f64).ln();
    for count in (least.ceil() as usize).max(2)..=factors.len() {
        let mut digits = vec![1u64; count];
        for &factor in factors.iter().rev() {
            let smallest = digits.iter_mut().min().expect("at least two digits");
            *smallest *= factor;
        }
        digits.sort_unstable();
        if digits.iter().all(|&digit| (2..=limit).contains(&digit)) {
            return Some(digits);
        }
    }
    None
}

/// Digits of values of `bits` bits, as even as possible; the most significant are the largest.
pub(crate) fn even_digits(bits: u32, count: u32) -> Vec<u64> {
    split_evenly(bits, count).rev().map(|bits| 1 << bits).collect()
}

/// Splits `whole` into `count` numbers that differ by at most 1, the largest first.
pub(crate) fn split_evenly(whole: u32, count: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..count).map(move |i| whole / count + u32::from(i < whole % count))
}

/// All choices of the number of digits that select columns, and of the grouping of the others into row selectors.
pub(crate) fn selector_choices(digits: &[u64]) -> Vec<Vec<usize>> {
    let mut choices = Vec::new();
    for columns in 1..digits.len() {
        let column_digits = &digits[digits.len() - columns..];
        if column_digits.iter().product::<u64>() > MAX_COLUMNS {
            break;
        }
        let rows = digits.len() - columns;
        for group in 1..=rows {
            let mut selectors: Vec<usize> =
                (0..rows.div_ceil(group)).map(|i| group.min(rows - i * group)).collect();
            let fits = digits[..rows]
                .chunks(group)
                .all(|chunk| chunk.iter().product::<u64>() <= MAX_ROW_SELECTOR);
            if !fits {
                continue;
            }
            selectors.push(columns);
            choices.push(selectors);
        }
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_even_and_multiply_to_the_modulus() {
        assert_eq!(balanced_digits(1 << 16, 16), Some(vec![16; 4]));
        assert_eq!(balanced_digits(1 << 14, 16), Some(vec![8, 8, 16, 16]));
        assert_eq!(balanced_digits(1 << 4, 64), Some(vec![4, 4]));
        assert_eq!(balanced_digits(1000, 16), Some(vec![10, 10, 10]));
        assert_eq!(balanced_digits(1009, 64), None);
        for modulus in [6u64, 36, 100, 360, 4096, 46656] {
            for limit in [8, 16, 64] {
                if let Some(digits) = balanced_digits(modulus, limit) {
                    assert_eq!(digits.iter().product::<u64>(), modulus);
                    assert!(digits.iter().all(|&d| d <= limit), "{digits:?}");
                }
            }
        }
    }

    #[test]
    fn selectors_use_every_digit() {
        for binary in [false, true] {
            for digits in digit_lists(1 << 12, binary, None) {
                let choices = selector_choices(&digits);
                assert!(!choices.is_empty());
                for choice in choices {
                    assert_eq!(choice.iter().sum::<usize>(), digits.len());
                }
            }
        }
    }
}
