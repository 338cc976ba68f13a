//! Two selectors a blind rotation: digits of two bits, under one encryption.
//!
//! A digit x = x_0 + 2·x_1 is an LWE ciphertext of phase x·Q/4. Blind rotation evaluates functions of signs s with
//! s(x + 2) = -s(x), as X^N = -1. The lower bit's is not one, but those of the bits of its Gray code are:
//!
//! | x | 0 | 1 | 2 | 3 |
//! |---|---|---|---|---|
//! | g_0 = x_0 ⊕ x_1 | 0 | 1 | 1 | 0 |
//! | g_1 = x_1 | 0 | 0 | 1 | 1 |
//!
//! `(-1)^{g_j(x + 2)} = -(-1)^{g_j(x)}`. So one multi-value rotation (Sec. 3 of Wang et al., EUROCRYPT 2024) makes the
//! rows of both selectors: coefficients that are jℓ + k modulo 2^ϑ >= 2ℓ hold weight(k)/2 with the sign of g_j. Tables
//! are looked up at the Gray code of the input, an order of entries and nothing else ([`gray_code`]). Trace and scheme
//! switching are per selector, as before.
//!
//! A bit is a digit of one bit, its own Gray code: all of this with x_0 alone and phase x_0·Q/2.
//!
//! Domain: the highest digit of a value with an odd number of bits has x_1 = 0, and only g_0 is converted. A digit is
//! read right if its phase errs by less than an eighth of Q (a bit: a quarter), after rounding to multiples of 2^ϑ for
//! twice as many rows.

/// Most bits of a digit: three would leave a margin of a sixteenth, which no parameters found keep to.
pub const MAX_DIGIT_BITS: u32 = 2;

/// The number whose digits are the Gray codes of `value`'s digits, and the other way round.
///
/// ```
/// use cryptable_leveled::digit_selectors::gray_code;
/// assert_eq!([0, 1, 2, 3].map(|x| gray_code(x, 2)), [0b00, 0b01, 0b11, 0b10]);
/// assert_eq!(gray_code(gray_code(0b11_01_10, 2), 2), 0b11_01_10);
/// // Of one bit, the bit.
/// assert_eq!(gray_code(0b1101, 1), 0b1101);
/// ```
#[must_use]
pub fn gray_code(value: usize, digit_bits: u32) -> usize {
    debug_assert!((1..=MAX_DIGIT_BITS).contains(&digit_bits), "digits of {digit_bits} bits");
    // All digits at once: g_0 = x_0 ⊕ x_1, where there is an x_1.
    const LOWER_BITS: usize = usize::MAX / 3;
    if digit_bits == 1 { value } else { value ^ (value >> 1 & LOWER_BITS) }
}

/// Bit `j` of the Gray code of the digit whose phases are around `position` of N positions to half a turn.
pub(crate) fn gray_bit(position: usize, degree: usize, digit_bits: u32, j: usize) -> bool {
    let digit = (position << (digit_bits - 1)) / degree;
    gray_code(digit, digit_bits) >> j & 1 == 1
}

/// Digits of so many bits in a value of `bits` bits.
#[must_use]
pub fn digit_count(bits: usize, digit_bits: u32) -> usize {
    bits.div_ceil(digit_bits as usize)
}

/// Bits of digit `index` of a value of `bits` bits: fewer in the highest digit, if they do not divide.
pub(crate) fn bits_of_digit(index: usize, bits: usize, digit_bits: u32) -> usize {
    (bits - index * digit_bits as usize).min(digit_bits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_turn_inverts_all_signs() {
        for digit_bits in 1..=MAX_DIGIT_BITS {
            let half = 1 << (digit_bits - 1);
            for digit in 0..half {
                let (here, there) = [digit, digit + half].map(|x| gray_code(x, digit_bits)).into();
                assert_eq!(here ^ there, (1 << digit_bits) - 1, "{digit} of {digit_bits} bits");
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
        assert_eq!((digit_count(7, 2), digit_count(7, 1)), (4, 7));
        assert_eq!([0, 2, 3].map(|index| bits_of_digit(index, 7, 2)), [2, 2, 1]);
        assert_eq!(bits_of_digit(6, 7, 1), 1);
    }
}
