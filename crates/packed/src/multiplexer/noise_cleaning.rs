//! Cleaning: polynomials that keep 0 and 1 and square the noise about them (BLEACH: Drucker et al., Journal of
//! Cryptology 37(1), 2024, ePrint 2022/1298; Section 4.2 of Dumezy et al., TCHES 2026(1), ePrint 2025/1301).

use cryptable_ckks::Arithmetic;
use cryptable_ckks::cleaning::{H1_ROUNDINGS, h1};
use num_complex::Complex64;

/// Levels of [`clean`].
pub(crate) const IDENTITY_LEVELS: usize = 2;

/// Levels of [`clean_and`].
pub(crate) const AND_LEVELS: usize = 3;

/// `3x² - 2x³`: 0 and 1 stay, an error ε becomes `±3ε²`. Two multiplications, two levels.
///
/// `power` is the mean square of x, for dry runs.
pub(crate) fn clean<A: Arithmetic>(arithmetic: &A, x: &A::Ciphertext, power: f64) -> A::Ciphertext {
    let mut cleaned = h1(arithmetic, x, x, 1);
    arithmetic.declare_cleaned(&mut cleaned, x, 3.0, H1_ROUNDINGS);
    arithmetic.declare_power(&mut cleaned, power);
    cleaned
}

/// `5x²y² - 2x³y² - 2x²y³ = z·(z·(5 - 2x - 2y))`, z = xy: the product of bits x and y, with all partial derivatives
/// zero at bits. Three multiplications, three levels.
///
/// `power` is the mean square of the result, for dry runs.
pub(crate) fn clean_and<A: Arithmetic>(
    arithmetic: &A,
    x: &A::Ciphertext,
    y: &A::Ciphertext,
    power: f64,
) -> A::Ciphertext {
    let product = arithmetic.mul(x, y);
    let mut factor = x.clone();
    arithmetic.add_assign(&mut factor, y);
    arithmetic.mul_integer_assign(&mut factor, -2);
    arithmetic.add_constant_assign(&mut factor, Complex64::new(5.0, 0.0));
    let multiple = arithmetic.mul(&product, &factor);
    let mut cleaned = arithmetic.mul(&multiple, &product);
    // Second derivatives at bits are at most 10, so the error is at most 5·(ε_x² + ε_y²). Roundings: of the product (doubled
    // where it is 1, nothing where it is 0), of its multiple, of the last product.
    arithmetic.declare_cleaned(&mut cleaned, x, 10.0, 6.0);
    arithmetic.declare_power(&mut cleaned, power);
    cleaned
}

#[cfg(test)]
mod tests {
    #[test]
    fn polynomials_keep_bits_and_square_errors() {
        let identity = |x: f64| x * x * (3.0 - 2.0 * x);
        let and = |x: f64, y: f64| (x * y).powi(2) * (5.0 - 2.0 * x - 2.0 * y);
        for e in [1e-3, -1e-3, 1e-5] {
            for x in [0.0, 1.0] {
                assert!((identity(x + e) - x).abs() < 3.01 * e * e);
                for y in [0.0, 1.0] {
                    assert!((and(x + e, y - e) - x * y).abs() < 10.1 * e * e, "{x} {y}");
                }
            }
        }
    }
}
