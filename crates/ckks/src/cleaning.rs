//! Cleaning of bits: the polynomial h1 of BLEACH (Drucker, Moshkowich, Pelleg, Shaul, Journal of Cryptology 37(1), 2024,
//! ePrint 2022/1298).

use crate::arithmetic::Arithmetic;

/// Levels of [`h1`].
pub const H1_LEVELS: usize = 2;

/// Roundings in what [`h1`] leaves of a bit, in units of the variance of one: one at 0, two at 1, and one more at 1 if
/// `lowered` was rounded itself.
pub const H1_ROUNDINGS: f64 = 2.0;

/// `h1(x) = 3x² - 2x³ = (3x - 2x²)·x`: 0 and 1 stay, an error ε becomes `3ε² - 2ε³` at 0 and `-3ε² - 2ε³` at 1.
///
/// Takes two levels of `primes` primes each and two multiplications. The second factor is `lowered`: x itself, or x one level lower at the scale that
/// the result is to have. The first is rounded once, where a rounding of x² would come out three times at 0; so is the product.
pub fn h1<A: Arithmetic>(
    arithmetic: &A,
    x: &A::Ciphertext,
    lowered: &A::Ciphertext,
    primes: usize,
) -> A::Ciphertext {
    let mut twice = x.clone();
    arithmetic.mul_integer_assign(&mut twice, -2);
    let mut factor = arithmetic.product(x, &twice);
    arithmetic.product_add_assign(&mut factor, x, 3.0);
    let factor = arithmetic.relinearize(factor, primes);
    arithmetic.relinearize(arithmetic.product(&factor, lowered), primes)
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
