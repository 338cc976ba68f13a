//! Two RGSW ciphertexts per blind rotation: those of the two bits of one ciphertext.
//!
//! A two-bit digit x = x_0 + 2·x_1 is an LWE ciphertext of phase x·Q/4. Since X^N = -1, blind rotation evaluates sign
//! functions s with s(x + 2) = -s(x). The sign of the lower bit is not such a function, but those of the bits of the
//! digit's Gray code are:
//!
//! | x | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | g_0 = x_0 ⊕ x_1 | 0 | 1 | 1 | 0 |
//! | g_1 = x_1 | 0 | 0 | 1 | 1 |
//!
//! `(-1)^{g_j(x + 2)} = -(-1)^{g_j(x)}`. One multi-value rotation (Wang et al., EUROCRYPT 2024, ePrint 2024/323,
//! Sec. 3.1) therefore computes the rows of both RGSW ciphertexts: coefficients that are jℓ + k modulo 2^θ >= 2ℓ hold
//! weight(k)/2 with the sign of g_j. Tables are looked up at the Gray code of the input, which only permutes their entries
//! ([`gray_code`]). Trace and scheme switching are per RGSW ciphertext. The paper has one bit per rotation.
//!
//! A single bit is its own Gray code; the same then holds with x_0 alone and phase x_0·Q/2.
//!
//! Domain: the highest digit of a value with an odd number of bits has x_1 = 0, and only g_0 is converted. A digit is
//! read right if the error of its phase is less than an eighth of Q (for a bit, a quarter), after rounding to multiples of
//! 2^θ for twice the number of rows.

use crate::parameters::MAX_BITS_PER_CIPHERTEXT;

/// Returns the number whose digits are the Gray codes of `value`'s digits. The function is its own inverse.
///
/// ```
/// use cryptable_leveled::bootstrapping::gray_code;
/// assert_eq!([0, 1, 2, 3].map(|x| gray_code(x, 2)), [0b00, 0b01, 0b11, 0b10]);
/// assert_eq!(gray_code(gray_code(0b11_01_10, 2), 2), 0b11_01_10);
/// // A single bit stays itself.
/// assert_eq!(gray_code(0b1101, 1), 0b1101);
/// ```
#[must_use]
pub fn gray_code(value: usize, bits_per_ciphertext: u32) -> usize {
    debug_assert!(
        (1..=MAX_BITS_PER_CIPHERTEXT).contains(&bits_per_ciphertext),
        "digits of {bits_per_ciphertext} bits"
    );
    // All digits at once: g_0 = x_0 ⊕ x_1, if there is an x_1.
    const LOWER_BITS: usize = usize::MAX / 3;
    if bits_per_ciphertext == 1 { value } else { value ^ (value >> 1 & LOWER_BITS) }
}

/// Returns bit `j` of the Gray code of the digit whose phases are around `position`, among N positions in half the torus.
pub(crate) fn gray_bit(position: usize, degree: usize, bits_per_ciphertext: u32, j: usize) -> bool {
    let digit = (position << (bits_per_ciphertext - 1)) / degree;
    gray_code(digit, bits_per_ciphertext) >> j & 1 == 1
}

/// Returns the number of ciphertexts, of `bits_per_ciphertext` bits each, for a value of `bits` bits.
#[must_use]
pub fn ciphertext_count(bits: usize, bits_per_ciphertext: u32) -> usize {
    bits.div_ceil(bits_per_ciphertext as usize)
}

/// Returns the number of bits in ciphertext `index` of a value of `bits` bits. The highest ciphertext has fewer if the bits
/// per ciphertext do not divide `bits`.
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
