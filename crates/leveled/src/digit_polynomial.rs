//! Plain polynomials of digits, the leaves of a CMUX tree: coefficients x/2^d of a turn, d bits each.

use cryptable_ring::torus::FRACTION_BITS;

use crate::digit_selectors::MAX_DIGIT_BITS;

/// Coefficients x·Q/2^d with digits x of d bits, packed side by side.
///
/// ```
/// use cryptable_leveled::digit_polynomial::DigitPolynomial;
/// let polynomial = DigitPolynomial::from_fn(64, 2, |position| position as u64 % 4);
/// let mut fractions = [0; 64];
/// polynomial.write_fractions(&mut fractions);
/// // Binary fractions of 52 bits: quarters.
/// assert_eq!(fractions[..4], [0, 1 << 50, 2 << 50, 3 << 50]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigitPolynomial {
    degree: usize,
    digit_bits: u32,
    words: Vec<u64>,
}

impl DigitPolynomial {
    /// The digit of every coefficient.
    ///
    /// # Panics
    /// If digits have not 1 or 2 bits, or one is larger.
    #[must_use]
    pub fn from_fn(degree: usize, digit_bits: u32, digit: impl Fn(usize) -> u64) -> Self {
        assert!((1..=MAX_DIGIT_BITS).contains(&digit_bits), "digits of {digit_bits} bits");
        let each = (u64::BITS / digit_bits) as usize;
        let word = |start: usize| {
            let positions = (start..degree.min(start + each)).enumerate();
            positions.fold(0, |word, (i, position)| {
                let digit = digit(position);
                assert!(digit >> digit_bits == 0, "digit {digit} of {digit_bits} bits");
                word | digit << (i * digit_bits as usize)
            })
        };
        Self { degree, digit_bits, words: (0..degree).step_by(each).map(word).collect() }
    }

    /// Bits of a digit.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.digit_bits
    }

    /// All coefficients as fractions ([`cryptable_ring::torus`]).
    ///
    /// # Panics
    /// If there are not as many.
    pub fn write_fractions(&self, fractions: &mut [u64]) {
        assert_eq!(fractions.len(), self.degree, "coefficients");
        match self.digit_bits {
            1 => unpack::<1>(fractions, &self.words),
            _ => unpack::<2>(fractions, &self.words),
        }
    }
}

/// Digits of D bits: loops of known shifts, for vector instructions.
fn unpack<const D: u32>(fractions: &mut [u64], words: &[u64]) {
    for (fractions, &word) in fractions.chunks_mut((u64::BITS / D) as usize).zip(words) {
        for (i, fraction) in fractions.iter_mut().enumerate() {
            *fraction = (word >> (i as u32 * D) & ((1 << D) - 1)) << (FRACTION_BITS - D);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptable_ring::torus::FractionDigits;

    /// What [`crate::selector::CmuxGates::select_digits`] relies on.
    #[test]
    fn the_highest_gadget_digit_holds_a_coefficient_exactly() {
        for (base_log2, length, mirrored) in
            (2..=16).flat_map(|base| (1..=3).flat_map(move |l| [(base, l, false), (base, l, true)]))
        {
            for x in 0..4u64 {
                let fraction = x << (FRACTION_BITS - 2);
                let gadget = FractionDigits::new(base_log2, length);
                let digit = |k| gadget.digit(fraction, k, mirrored);
                assert!((0..length - 1).all(|k| digit(k) == 0), "{base_log2} bits, {x}");
                let highest = digit(length - 1);
                assert_eq!((highest as u64) << (64 - base_log2), x << 62, "{base_log2} bits, {x}");
                let alone = FractionDigits::new(base_log2, 1).digit(fraction, 0, mirrored);
                assert_eq!(alone, highest, "{base_log2} bits, {x}");
            }
        }
    }
}
