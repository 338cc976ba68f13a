//! Plain polynomials, the leaves of a CMUX tree: coefficients x/2^d of the torus, with d = 1 or 2 bits each.

use cryptable_ring::torus::FRACTION_BITS;

use crate::parameters::MAX_BITS_PER_CIPHERTEXT;

/// A polynomial of coefficients x·Q/2^d with values x of d bits, which are packed side by side.
///
/// ```
/// use cryptable_leveled::tree::PlaintextPolynomial;
/// let polynomial = PlaintextPolynomial::from_fn(64, 2, |position| position as u64 % 4);
/// let mut fractions = [0; 64];
/// polynomial.write_fractions(&mut fractions);
/// // Binary fractions of 52 bits: quarters.
/// assert_eq!(fractions[..4], [0, 1 << 50, 2 << 50, 3 << 50]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaintextPolynomial {
    degree: usize,
    bits_per_ciphertext: u32,
    words: Vec<u64>,
}

impl PlaintextPolynomial {
    /// Makes a polynomial from the value of every coefficient.
    ///
    /// # Panics
    /// If `bits_per_ciphertext` is not 1 or 2, or a value is larger.
    #[must_use]
    pub fn from_fn(degree: usize, bits_per_ciphertext: u32, value: impl Fn(usize) -> u64) -> Self {
        assert!(
            (1..=MAX_BITS_PER_CIPHERTEXT).contains(&bits_per_ciphertext),
            "values of {bits_per_ciphertext} bits"
        );
        let each = (u64::BITS / bits_per_ciphertext) as usize;
        let word = |start: usize| {
            let positions = (start..degree.min(start + each)).enumerate();
            positions.fold(0, |word, (i, position)| {
                let value = value(position);
                assert!(value >> bits_per_ciphertext == 0, "{value} of {bits_per_ciphertext} bits");
                word | value << (i * bits_per_ciphertext as usize)
            })
        };
        Self { degree, bits_per_ciphertext, words: (0..degree).step_by(each).map(word).collect() }
    }

    /// Returns the number of bits of a value.
    #[must_use]
    pub fn bits_per_ciphertext(&self) -> u32 {
        self.bits_per_ciphertext
    }

    /// Writes all coefficients as fractions ([`cryptable_ring::torus`]).
    ///
    /// # Panics
    /// If the number of fractions is not that of the coefficients.
    pub fn write_fractions(&self, fractions: &mut [u64]) {
        assert_eq!(fractions.len(), self.degree, "coefficients");
        match self.bits_per_ciphertext {
            1 => unpack::<1>(fractions, &self.words),
            _ => unpack::<2>(fractions, &self.words),
        }
    }
}

/// Unpacks values of D bits, with constant shifts, so that the compiler uses vector instructions.
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

    /// [`super::super::Cmux::select_plaintexts`] relies on this.
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
