//! Approximate gadget decomposition modulo one number (Chillotti, Gama, Georgieva, Izabachène, J. Cryptology 2020).
//!
//! A residue u is written with ℓ digits of w bits, u ≈ Σ_k d_k·2^(drop + k·w), where
//! `drop` = ⌈log2 q⌉ - ℓ·w: the lowest `drop` bits are rounded away. Digits are balanced,
//! -2^(w-1) <= d_k <= 2^(w-1), so that the gadget product's noise is that of centred digits.

/// Base and length of an approximate decomposition modulo q.
///
/// ```
/// use cryptable_ring::gadget::Gadget;
/// let gadget = Gadget::new((1 << 20) - 3, 5, 3);
/// let digits = gadget.digits(777_777);
/// let sum: i64 = digits.iter().enumerate().map(|(k, d)| d << gadget.weight_log2(k)).sum();
/// // 777,777 is above q/2: its centred representative is what is decomposed, here up to 2^4.
/// assert!((sum - (777_777 - gadget.modulus() as i64)).abs() <= 16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gadget {
    modulus: u64,
    base_log2: u32,
    length: usize,
    dropped_bits: u32,
}

impl Gadget {
    /// Digits of `base_log2` bits, `length` of them, modulo `modulus`.
    ///
    /// # Panics
    /// Unless 1 <= `base_log2`, 1 <= `length`, the digits together have no more bits than the modulus (rounded
    /// up to a power of two), and the modulus is below 2^62.
    #[must_use]
    pub fn new(modulus: u64, base_log2: u32, length: usize) -> Self {
        assert!(modulus > 2 && modulus >> 62 == 0, "modulus {modulus}");
        let bits = u64::BITS - (modulus - 1).leading_zeros();
        assert!(base_log2 > 0 && length > 0, "{length} digits of {base_log2} bits");
        let digit_bits = base_log2 * length as u32;
        assert!(digit_bits <= bits, "{length} digits of {base_log2} bits of {bits}");
        Self { modulus, base_log2, length, dropped_bits: bits - digit_bits }
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
        self.length
    }

    /// Low bits that are rounded away.
    #[must_use]
    pub fn dropped_bits(&self) -> u32 {
        self.dropped_bits
    }

    /// log2 of the weight of digit `k`.
    ///
    /// # Panics
    /// If there is no such digit.
    #[must_use]
    pub fn weight_log2(&self, k: usize) -> u32 {
        assert!(k < self.length, "digit {k} of {}", self.length);
        self.dropped_bits + k as u32 * self.base_log2
    }

    /// The digits of a residue, the least significant first.
    ///
    /// What is decomposed is the centred representative, in (-q/2, q/2]. The last digit may reach 2^(w-1).
    #[must_use]
    pub fn digits(&self, residue: u64) -> Vec<i64> {
        let mut rest = self.rounded(residue);
        (0..self.length)
            .map(|k| {
                let (digit, carry) = self.split(rest, k + 1 == self.length);
                rest = carry;
                digit
            })
            .collect()
    }

    /// The centred representative over 2^`drop`, rounded.
    #[inline]
    pub(crate) fn rounded(&self, residue: u64) -> i64 {
        let centred = if residue > self.modulus / 2 {
            residue as i64 - self.modulus as i64
        } else {
            residue as i64
        };
        (centred + ((1i64 << self.dropped_bits) >> 1)) >> self.dropped_bits
    }

    /// The lowest balanced digit, in [-2^(w-1), 2^(w-1)), and what remains; the last digit takes all.
    #[inline]
    pub(crate) fn split(&self, rest: i64, last: bool) -> (i64, i64) {
        if last {
            return (rest, 0);
        }
        let shift = i64::BITS - self.base_log2;
        let digit = (rest << shift) >> shift;
        (digit, (rest - digit) >> self.base_log2)
    }

    /// Second moment of a digit of a uniform residue, 2^(2w)/12.
    #[must_use]
    pub fn digit_variance(&self) -> f64 {
        f64::from(2 * self.base_log2).exp2() / 12.0
    }

    /// Variance of what is rounded away, 2^(2·drop)/12; 0 if nothing is.
    #[must_use]
    pub fn rounding_variance(&self) -> f64 {
        if self.dropped_bits == 0 { 0.0 } else { f64::from(2 * self.dropped_bits).exp2() / 12.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_recompose_up_to_what_is_dropped(
            modulus in 1u64 << 16..1 << 50, base_log2 in 1u32..17, length in 1usize..6, word in any::<u64>(),
        ) {
            let bits = u64::BITS - (modulus - 1).leading_zeros();
            prop_assume!(base_log2 * length as u32 <= bits);
            let gadget = Gadget::new(modulus, base_log2, length);
            let residue = word % modulus;
            let centred = if residue > modulus / 2 { residue as i64 - modulus as i64 } else { residue as i64 };
            let digits = gadget.digits(residue);
            let sum: i64 = digits.iter().enumerate().map(|(k, d)| d << gadget.weight_log2(k)).sum();
            prop_assert!((sum - centred).abs() <= (1 << gadget.dropped_bits()) / 2);
            for digit in digits {
                prop_assert!(digit.abs() <= 1 << (base_log2 - 1), "{}", digit);
            }
        }
    }

    #[test]
    #[should_panic(expected = "3 digits of 7 bits of 20")]
    fn too_many_digits_are_refused() {
        let _ = Gadget::new((1 << 20) - 3, 7, 3);
    }
}
