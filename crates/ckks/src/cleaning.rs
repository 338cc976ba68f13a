//! Cleaning of bits: the polynomial h1 of BLEACH (Drucker, Moshkowich, Pelleg, Shaul, Journal of Cryptology 37(1), 2024,
//! ePrint 2022/1298).

use num_complex::Complex64;

use crate::arithmetic::Arithmetic;

/// `h1(x) = 3x² - 2x³ = x²·(3 - 2x)` from x and its square: 0 and 1 stay, an error ε becomes `3ε² - 2ε³` at 0 and
/// `-3ε² - 2ε³` at 1. One level below the square, at the scale that the product leaves; x has at least as many limbs.
///
/// Noise: that of the square comes out three times at 0 and once at 1, that of x in the other factor is multiplied by 2 at
/// 1; the product is rounded once.
pub fn h1_of_square<A: Arithmetic>(
    arithmetic: &A,
    square: &A::Ciphertext,
    x: &A::Ciphertext,
) -> A::Ciphertext {
    let mut factor = x.clone();
    arithmetic.mul_integer_assign(&mut factor, -2);
    arithmetic.add_constant_assign(&mut factor, Complex64::new(3.0, 0.0));
    arithmetic.mul(square, &factor)
}

#[cfg(test)]
mod tests {
    use crate::polynomial_hermite::HermitePolynomial;

    #[test]
    fn h1_is_the_hermite_interpolation_of_the_identity_at_bits() {
        let hermite = HermitePolynomial::new(&[0.0, 1.0], &[0.0, 1.0], 1).unwrap();
        for x in [-0.3, 0.0, 0.2, 0.5, 0.9, 1.1] {
            let h1 = x * x * (3.0 - 2.0 * x);
            assert!((hermite.evaluate(x) - h1).abs() < 1e-14, "{x}");
        }
        // Errors ε leave as 3ε² at 0 and -3ε² at 1.
        let coefficients = hermite.error_coefficients();
        assert!((coefficients[0] - 3.0).abs() < 1e-12 && (coefficients[1] + 3.0).abs() < 1e-12);
    }
}
