//! Two RGSW ciphertexts a blind rotation: of the two bits of one ciphertext.
//!
//! A two-bit digit x = x_0 + 2·x_1 is an LWE ciphertext of phase x·Q/4. Blind rotation evaluates functions of signs s
//! with s(x + 2) = -s(x), as X^N = -1. The lower bit's is not one, but those of the bits of its Gray code are:
//!
//! | x | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | g_0 = x_0 ⊕ x_1 | 0 | 1 | 1 | 0 |
//! | g_1 = x_1 | 0 | 0 | 1 | 1 |
//!
//! `(-1)^{g_j(x + 2)} = -(-1)^{g_j(x)}`. So one multi-value rotation (Wang et al., EUROCRYPT 2024, ePrint 2024/323,
//! Sec. 3.1) makes the rows of both RGSW ciphertexts: coefficients that are jℓ + k modulo 2^θ >= 2ℓ hold
//! weight(k)/2 with the sign of g_j. Tables are looked up at the Gray code of the input, an order of entries and
//! nothing else ([`gray_code`]). Trace and scheme switching are per RGSW ciphertext. The paper has one bit a rotation.
//!
//! A single bit is its own Gray code: all of this with x_0 alone and phase x_0·Q/2.
//!
//! Domain: the highest digit of a value with an odd number of bits has x_1 = 0, and only g_0 is converted. A digit is
//! read right if its phase errs by less than an eighth of Q (a bit: a quarter), after rounding to multiples of 2^θ for
//! twice as many rows.

use crate::parameters::MAX_BITS_PER_CIPHERTEXT;

/// The number whose digits are the Gray codes of `value`'s digits, and the other way round.
///
/// ```
/// use cryptable_leveled::bootstrapping::gray_code;
/// assert_eq!([0, 1, 2, 3].map(|x| gray_code(x, 2)), [0b00, 0b01, 0b11, 0b10]);
/// assert_eq!(gray_code(gray_code(0b11_01_10, 2), 2), 0b11_01_10);
/// // Of one bit, the bit.
/// assert_eq!(gray_code(0b1101, 1), 0b1101);
/// ```
#[must_use]
pub fn gray_code(value: usize, bits_per_ciphertext: u32) -> usize {
    debug_assert!(
        (1..=MAX_BITS_PER_CIPHERTEXT).contains(&bits_per_ciphertext),
        "digits of {bits_per_ciphertext} bits"
    );
    // All digits at once: g_0 = x_0 ⊕ x_1, where there is an x_1.
    const LOWER_BITS: usize = usize::MAX / 3;
    if bits_per_ciphertext == 1 { value } else { value ^ (value >> 1 & LOWER_BITS) }
}

/// Bit `j` of the Gray code of the digit whose phases are around `position` of N positions to half the torus.
pub(crate) fn gray_bit(position: usize, degree: usize, bits_per_ciphertext: u32, j: usize) -> bool {
    let digit = (position << (bits_per_ciphertext - 1)) / degree;
    gray_code(digit, bits_per_ciphertext) >> j & 1 == 1
}

/// Returns the number of ciphertexts, of `bits_per_ciphertext` bits each, for a value of `bits` bits.
#[must_use]
pub fn ciphertext_count(bits: usize, bits_per_ciphertext: u32) -> usize {
    bits.div_ceil(bits_per_ciphertext as usize)
}

/// Bits of ciphertext `index` of a value of `bits` bits: fewer in the highest one, if they do not divide.
pub(crate) fn bits_in_ciphertext(index: usize, bits: usize, bits_per_ciphertext: u32) -> usize {
    (bits - index * bits_per_ciphertext as usize).min(bits_per_ciphertext as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_torus_inverts_all_signs() {
        for bits_per_ciphertext in 1..=MAX_BITS_PER_CIPHERTEXT {
            let half = 1 << (bits_per_ciphertext - 1);
            for digit in 0..half {
                let (here, there) =
                    [digit, digit + half].map(|x| gray_code(x, bits_per_ciphertext)).into();
                assert_eq!(
                    here ^ there,
                    (1 << bits_per_ciphertext) - 1,
                    "{digit} of {bits_per_ciphertext} bits"
                );
            }
        }
    }

    #[test]
    fn positions_have_their_digits_codes() {
        let bits = |position| [0, 1].map(|j| gray_bit(position, 16, 2, j));
        assert_eq!([0, 7, 8, 15].map(bits), [[false; 2], [false; 2], [true, false], [true, false]]);
        assert!((0..16).all(|position| !gray_bit(position, 16, 1, 0)));
    }

    #[test]
    fn the_highest_digit_may_have_fewer_bits() {
        assert_eq!((ciphertext_count(7, 2), ciphertext_count(7, 1)), (4, 7));
        assert_eq!([0, 2, 3].map(|index| bits_in_ciphertext(index, 7, 2)), [2, 2, 1]);
        assert_eq!(bits_in_ciphertext(6, 7, 1), 1);
    }
}
