//! GF(2^8) modulo x^8 + x^4 + x^3 + x + 1, and the S-box (FIPS 197, Sec. 4 and 5.1.1).

/// Returns the product of two field elements, without branches on either.
///
/// ```
/// use cryptable_leveled::aes::field::multiply;
/// assert_eq!(multiply(0x57, 0x83), 0xc1); // FIPS 197, Sec. 4.2
/// ```
#[must_use]
pub fn multiply(a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut shifted = a;
    for bit in 0..8 {
        product ^= shifted & (b >> bit & 1).wrapping_neg();
        let carry = shifted >> 7;
        shifted = (shifted << 1) ^ (carry * 0x1b);
    }
    product
}

/// Returns a^254: the inverse of a, or 0 for 0.
fn inverse(a: u8) -> u8 {
    // 254 = 2 + 4 + … + 128.
    let mut power = a;
    (0..7).fold(1, |product, _| {
        power = multiply(power, power);
        multiply(product, power)
    })
}

/// SubBytes: returns an affine map, over bits, of the inverse.
///
/// ```
/// use cryptable_leveled::aes::field::sub_byte;
/// assert_eq!(sub_byte(0x53), 0xed); // FIPS 197, Sec. 5.1.1
/// ```
#[must_use]
pub fn sub_byte(a: u8) -> u8 {
    let x = inverse(a);
    x ^ x.rotate_left(1) ^ x.rotate_left(2) ^ x.rotate_left(3) ^ x.rotate_left(4) ^ 0x63
}

/// InvSubBytes: returns the inverse of [`sub_byte`].
///
/// ```
/// use cryptable_leveled::aes::field::{inverse_sub_byte, sub_byte};
/// assert!((0..=255).all(|x| inverse_sub_byte(sub_byte(x)) == x));
/// ```
#[must_use]
pub fn inverse_sub_byte(a: u8) -> u8 {
    let x = a.rotate_left(1) ^ a.rotate_left(3) ^ a.rotate_left(6) ^ 0x05;
    inverse(x)
}
