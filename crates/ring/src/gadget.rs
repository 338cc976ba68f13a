//! Approximate gadget decomposition modulo one number (Chillotti, Gama, Georgieva, Izabachène,
//! J. Cryptology 2020).
//!
//! A residue u is written with ℓ digits of w bits, `u ≈ Σ_k d_k·weight(k)` modulo q with `weight(k) = ⌊q/2^(w(ℓ-k))⌉`;
//! the part below the least weight is rounded away. Digits are those of the fraction u/q ([`crate::torus`]), and
//! balanced: -2^(w-1) <= d_k < 2^(w-1).

use crate::fraction_digits::{FRACTION_BITS, FractionDigits};

/// Base and length of an approximate decomposition modulo q.
///
/// ```
/// use cryptable_ring::gadget::Gadget;
/// let q = (1 << 20) - 3;
/// let gadget = Gadget::new(q, 5, 3);
/// let terms = gadget.digits(300_000).enumerate().map(|(k, d)| d * gadget.weight(k) as i64);
/// let sum: i64 = terms.sum();
/// // Digits of 15 bits in all leave 2^5 to be rounded, up to 2^4; rounded weights add a little.
/// assert!((sum.rem_euclid(q as i64) - 300_000).abs() <= 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gadget {
    modulus: u64,
    base_log2: u32,
    digits: FractionDigits,
    /// `2^(52 + 64)/q`, rounded down: converts residues to fractions.
    ratio: u128,
}

impl Gadget {
    /// Returns the decomposition into `length` digits of `base_log2` bits, modulo `modulus`.
    ///
    /// # Panics
    /// Unless 1 <= `base_log2`, 1 <= `length`, the digits together have no more bits than the
    /// modulus (rounded up to a power of two), and the modulus is at most 2^52.
    #[must_use]
    pub fn new(modulus: u64, base_log2: u32, length: usize) -> Self {
        assert!(modulus > 2 && modulus <= 1 << FRACTION_BITS, "modulus {modulus}");
        let bits = u64::BITS - (modulus - 1).leading_zeros();
        assert!(base_log2 > 0 && length > 0, "{length} digits of {base_log2} bits");
        let digit_bits = base_log2 * length as u32;
        assert!(digit_bits <= bits, "{length} digits of {base_log2} bits of {bits}");
        let ratio = (1u128 << (FRACTION_BITS + 64)) / u128::from(modulus);
        Self { modulus, base_log2, digits: FractionDigits::new(base_log2, length), ratio }
    }

    /// Returns the modulus q.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the number w of bits of a digit.
    #[must_use]
    pub fn base_log2(&self) -> u32 {
        self.base_log2
    }

    /// Returns the number ℓ of digits.
    #[must_use]
    pub fn length(&self) -> usize {
        self.digits.length()
    }

    /// Returns the same decomposition for torus fractions instead of residues.
    #[must_use]
    pub fn fraction_digits(&self) -> FractionDigits {
        self.digits
    }

    /// Returns the weight of digit `k`: `⌊q/2^(w(ℓ-k))⌉`.
    ///
    /// # Panics
    /// If there is no such digit.
    #[must_use]
    pub fn weight(&self, k: usize) -> u64 {
        assert!(k < self.length(), "digit {k} of {}", self.length());
        let shift = self.base_log2 * (self.length() - k) as u32;
        (self.modulus + (1 << (shift - 1))) >> shift
    }

    /// Returns the digits of a residue, the least significant first.
    pub fn digits(&self, residue: u64) -> impl Iterator<Item = i64> + use<> {
        self.balanced_digits(residue, false)
    }

    /// Returns the digits of all residues of a uniform vector, residue after residue, with means that
    /// cancel.
    ///
    /// Balanced digits have a mean of -1/2, or of 1/2 if mirrored ([`FractionDigits`]). A bit of the next residue
    /// decides whether the digits of a residue are mirrored, which is as good as random. If it were always the same,
    /// the errors of the rows that digits multiply would add up to one offset for all vectors.
    ///
    /// # Panics
    /// If digits have more than 31 bits.
    #[must_use]
    pub fn digits_of_each(&self, residues: &[u64]) -> Vec<i32> {
        assert!(self.base_log2 < 32, "digits of {} bits", self.base_log2);
        let next = residues.iter().skip(1).chain(residues.first());
        let pairs = residues.iter().zip(next);
        let digits = pairs.flat_map(|(&a, &b)| self.balanced_digits(a, b & 1 == 1));
        digits.map(|digit| digit as i32).collect()
    }

    /// Returns the digits of a residue, the least significant first, with the opposite range if mirrored.
    fn balanced_digits(&self, residue: u64, mirrored: bool) -> impl Iterator<Item = i64> + use<> {
        let (whole, part) = ((self.ratio >> 64) as u64, self.ratio as u64);
        let low = (u128::from(residue) * u128::from(part) + (1 << 63)) >> 64;
        let fraction = residue.wrapping_mul(whole).wrapping_add(low as u64);
        let digits = self.digits;
        (0..digits.length()).map(move |k| digits.digit(fraction, k, mirrored))
    }

    /// Returns the second moment of a digit of a uniform residue, which is uniform in -2^(w-1)..2^(w-1).
    #[must_use]
    pub fn digit_variance(&self) -> f64 {
        (f64::from(2 * self.base_log2).exp2() + 2.0) / 12.0
    }

    /// Returns the mean of the error that rounding adds to a residue, because halves are rounded up.
    ///
    /// The mean is 1/2 if digits omit low bits of a modulus that is a power of two, and negligible otherwise.
    #[must_use]
    pub fn rounding_mean(&self) -> f64 {
        let unit = self.modulus >> (self.base_log2 as usize * self.length()).min(63);
        if self.modulus.is_power_of_two() && unit > 1 { 0.5 } else { 0.0 }
    }

    /// Returns the variance of the error that digits and weights leave for a uniform residue.
    ///
    /// One part is the error of rounding the fraction, uniform within half of the unit q/2^(wℓ) (no error if that is
    /// 1). The other part is the rounding error of the weights, times the digits.
    #[must_use]
    pub fn rounding_variance(&self) -> f64 {
        let q = self.modulus as f64;
        let weight = |k: usize| q / f64::from(self.base_log2 * (self.length() - k) as u32).exp2();
        let unit = weight(0);
        let rounded = if unit > 1.0 { unit * unit / 12.0 } else { 0.0 };
        let of_weight = |k: usize| (self.weight(k) as f64 - weight(k)).powi(2);
        rounded + (0..self.length()).map(of_weight).sum::<f64>() * self.digit_variance()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn digits_recompose_up_to_what_is_rounded(
            modulus in 1u64 << 16..1 << 50,
            base_log2 in 1u32..17,
            length in 1usize..6,
            word in any::<u64>(),
        ) {
            let bits = u64::BITS - (modulus - 1).leading_zeros();
            prop_assume!(base_log2 * length as u32 <= bits);
            let gadget = Gadget::new(modulus, base_log2, length);
            let residue = word % modulus;
            let digits: Vec<i64> = gadget.digits(residue).collect();
            let sum: i128 = digits
                .iter()
                .enumerate()
                .map(|(k, &d)| i128::from(d) * i128::from(gadget.weight(k)))
                .sum();
            let q = i128::from(modulus);
            let error = (sum - i128::from(residue)).rem_euclid(q);
            let error = error.min(q - error);
            // Half a unit, plus half of every digit for its rounded weight.
            let digits_half = (length as i128) << base_log2.saturating_sub(2);
            prop_assert!(error <= (q >> (base_log2 as usize * length)) / 2 + digits_half + 2);
            for digit in digits {
                prop_assert!(digit.abs() <= 1 << (base_log2 - 1), "{}", digit);
            }
        }

        #[test]
        fn powers_of_two_leave_nothing(word in any::<u64>()) {
            let gadget = Gadget::new(1 << 20, 4, 5);
            let residue = word % (1 << 20);
            let sum: i64 =
                gadget.digits(residue).enumerate().map(|(k, d)| d * gadget.weight(k) as i64).sum();
            prop_assert_eq!(sum.rem_euclid(1 << 20) as u64, residue);
            prop_assert_eq!(gadget.rounding_variance(), 0.0);
        }
    }

    #[test]
    #[should_panic(expected = "3 digits of 7 bits of 20")]
    fn too_many_digits_are_refused() {
        let _ = Gadget::new((1 << 20) - 3, 7, 3);
    }
}
