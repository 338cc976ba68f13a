//! Cleaning of bits: the polynomial h1 of BLEACH (Drucker, Moshkowich, Pelleg, Shaul, Journal of Cryptology 37(1), 2024,
//! ePrint 2022/1298).

use crate::arithmetic::Arithmetic;

/// Levels that [`h1`] consumes.
pub const H1_LEVELS: usize = 2;

/// Roundings in the result of [`h1`], in units of the variance of one: one at 0, two at 1, and one more at 1 if
/// `lowered` was rounded itself.
pub const H1_ROUNDINGS: f64 = 2.0;

/// `h1(x) = 3x² - 2x³ = (3x - 2x²)·x`: 0 and 1 are fixed, an error ε becomes `3ε² - 2ε³` at 0 and `-3ε² - 2ε³` at 1.
///
/// Needs two multiplications and two levels of `primes` primes each. The second factor is `lowered`: x itself, or x one
/// level lower at the scale that the result is to have. The first factor and the product are each rounded once;
/// rounding x² instead would count three times at 0.
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
