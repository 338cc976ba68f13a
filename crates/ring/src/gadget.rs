//! Approximate gadget decomposition modulo one number (Chillotti, Gama, Georgieva, Izabachène, J. Cryptology 2020).
//!
//! A residue u is written with ℓ digits of w bits, `u ≈ Σ_k d_k·weight(k)` modulo q with
//! `weight(k) = ⌊q/2^(w(ℓ-k))⌉`: what is below the last weight is rounded away. Digits are those of the fraction u/q
//! ([`crate::torus`]), balanced: -2^(w-1) <= d_k < 2^(w-1), so that the product's noise is that of centred digits.

use crate::fraction_digits::{FRACTION_BITS, FractionDigits};

/// Base and length of an approximate decomposition modulo q.
///
/// ```
/// use cryptable_ring::gadget::Gadget;
/// let q = (1 << 20) - 3;
/// let gadget = Gadget::new(q, 5, 3);
/// let sum: i64 = gadget.digits(300_000).enumerate().map(|(k, d)| d * gadget.weight(k) as i64).sum();
/// // Digits of 15 bits in all leave 2^5 to be rounded, up to 2^4; rounded weights add a little.
/// assert!((sum.rem_euclid(q as i64) - 300_000).abs() <= 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gadget {
    modulus: u64,
    base_log2: u32,
    digits: FractionDigits,
    /// `2^(52 + 64)/q`.
    ratio: u128,
}

impl Gadget {
    /// Digits of `base_log2` bits, `length` of them, modulo `modulus`.
    ///
    /// # Panics
    /// Unless 1 <= `base_log2`, 1 <= `length`, the digits together have no more bits than the modulus (rounded
    /// up to a power of two), and the modulus is at most 2^52.
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

    /// The modulus q.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Bits w of a digit.
    #[must_use]
    pub fn base_log2(&self) -> u32 {
        self.base_log2
    }

    /// Number ℓ of digits.
    #[must_use]
    pub fn length(&self) -> usize {
        self.digits.length()
    }

    /// The same digits, of fractions.
    #[must_use]
    pub fn fraction_digits(&self) -> FractionDigits {
        self.digits
    }

    /// The weight of digit `k`.
    ///
    /// # Panics
    /// If there is no such digit.
    #[must_use]
    pub fn weight(&self, k: usize) -> u64 {
        assert!(k < self.length(), "digit {k} of {}", self.length());
        let shift = self.base_log2 * (self.length() - k) as u32;
        (self.modulus + (1 << (shift - 1))) >> shift
    }

    /// The digits of a residue, the least significant first.
    pub fn digits(&self, residue: u64) -> impl Iterator<Item = i64> + use<> {
        self.leaning_digits(residue, false)
    }

    /// The digits of all residues of an LWE mask, side by side.
    ///
    /// To which side a residue's digits lean is decided by a bit of the next one, as good as random. Else their mean
    /// of 1/2 would turn a key's errors into an offset that is the same for all ciphertexts.
    ///
    /// # Panics
    /// If digits have more than 31 bits.
    #[must_use]
    pub fn mask_digits(&self, mask: &[u64]) -> Vec<i32> {
        assert!(self.base_log2 < 32, "digits of {} bits", self.base_log2);
        let next = mask.iter().skip(1).chain(mask.first());
        let digits = mask.iter().zip(next).flat_map(|(&a, &b)| self.leaning_digits(a, b & 1 == 1));
        digits.map(|digit| digit as i32).collect()
    }

    fn leaning_digits(&self, residue: u64, mirrored: bool) -> impl Iterator<Item = i64> + use<> {
        let (whole, part) = ((self.ratio >> 64) as u64, self.ratio as u64);
        let low = (u128::from(residue) * u128::from(part) + (1 << 63)) >> 64;
        let fraction = residue.wrapping_mul(whole).wrapping_add(low as u64);
        let digits = self.digits;
        (0..digits.length()).map(move |k| digits.leaning_digit(fraction, k, mirrored))
    }

    /// Second moment of a digit of a uniform residue: that of -2^(w-1)..2^(w-1).
    #[must_use]
    pub fn digit_variance(&self) -> f64 {
        (f64::from(2 * self.base_log2).exp2() + 2.0) / 12.0
    }

    /// Mean of what rounding the digits away adds to a residue: halves are rounded up.
    ///
    /// 1/2 if digits leave out low bits of a modulus that is a power of two, else nothing that counts.
    #[must_use]
    pub fn rounding_mean(&self) -> f64 {
        let unit = self.modulus >> (self.base_log2 as usize * self.length()).min(63);
        if self.modulus.is_power_of_two() && unit > 1 { 0.5 } else { 0.0 }
    }

    /// Variance of what digits and weights leave of a uniform residue: the rounded fraction, uniform within half of
    /// the unit q/2^(wℓ) (nothing if that is 1), and the weights' own rounding, times digits.
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
            modulus in 1u64 << 16..1 << 50, base_log2 in 1u32..17, length in 1usize..6, word in any::<u64>(),
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
            // Half a unit, and half of every digit for its rounded weight.
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
