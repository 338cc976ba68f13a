//! Gates between bootstraps, one level each. Bits are real numbers 0 and 1, and gates are polynomials of degree 1 in
//! each of
//! them (BLEACH: Drucker, Moshkowich, Pelleg, Shaul, Journal of Cryptology 37(1), 2024, ePrint 2022/1298, Section 3).
//!
//! Every function of two bits is `c + a·x + b·y + d·xy` with integers a, b, c, d: AND is xy, XOR is x + y - 2xy. d is 1,
//! -1, 2 or -2 where the function depends on both bits.
//!
//! In: two ciphertexts of scale S at one level. Out: one level below, at the scale `S²/q` that the product leaves.
//! Noise: at bits each partial derivative is 0, 1 or -1, so that errors of the inputs add up to at most
//! `|ε_x| + |ε_y| + |d·ε_x·ε_y|`. One rounding is added; gates that share a product add one for each of its terms, times
//! the term's factor.

use cryptable_ckks::Arithmetic;
use num_complex::Complex64;

use crate::gate::GatePolynomial;
use crate::noise::BitNoise;

/// `c + a·x + b·y + d·xy`, with one product and one level. Both operands have the same level and scale.
pub(crate) fn gate<A: Arithmetic>(
    arithmetic: &A,
    polynomial: GatePolynomial,
    x: &A::Ciphertext,
    y: &A::Ciphertext,
) -> A::Ciphertext {
    let GatePolynomial { constant, of_x, of_y, of_product } = polynomial;
    let mut multiple = x.clone();
    arithmetic.mul_integer_assign(&mut multiple, of_product);
    let mut product = arithmetic.product(&multiple, y);
    for (factor, operand) in [(of_x, x), (of_y, y)] {
        if factor != 0 {
            arithmetic.product_add_assign(&mut product, operand, factor as f64);
        }
    }
    let mut result = arithmetic.relinearize(product, 1);
    add_constant(arithmetic, &mut result, constant);
    result
}

/// Several gates of the same two bits from one product. `lowered` holds x and y one level below, at the product's
/// scale.
pub(crate) fn gates<A: Arithmetic>(
    arithmetic: &A,
    polynomials: &[GatePolynomial],
    x: &A::Ciphertext,
    y: &A::Ciphertext,
    lowered: [&A::Ciphertext; 2],
) -> Vec<A::Ciphertext> {
    let product = arithmetic.mul(x, y);
    let evaluate = |&GatePolynomial { constant, of_x, of_y, of_product }: &GatePolynomial| {
        let mut result = product.clone();
        arithmetic.mul_integer_assign(&mut result, of_product);
        for (factor, operand) in [of_x, of_y].into_iter().zip(lowered) {
            match factor {
                0 => (),
                1 => arithmetic.add_assign(&mut result, operand),
                -1 => arithmetic.sub_assign(&mut result, operand),
                _ => unreachable!("factors of single bits are -1, 0 and 1"),
            }
        }
        add_constant(arithmetic, &mut result, constant);
        result
    };
    polynomials.iter().map(evaluate).collect()
}

/// `1 - x`, without a level or noise.
pub(crate) fn not<A: Arithmetic>(arithmetic: &A, x: &A::Ciphertext) -> A::Ciphertext {
    let mut negated = x.clone();
    arithmetic.mul_integer_assign(&mut negated, -1);
    add_constant(arithmetic, &mut negated, 1);
    negated
}

fn add_constant<A: Arithmetic>(arithmetic: &A, bits: &mut A::Ciphertext, constant: i64) {
    if constant != 0 {
        arithmetic.add_constant_assign(bits, Complex64::from(constant as f64));
    }
}

/// Noise of a gate for the worst inputs, including what roundings add.
///
/// Deviations of x and y add up, because they may be the same. The product of errors is at most `|d|·ε_x·ε_y`, with
/// `E(ε_x²·ε_y²)² <= E ε_x⁴·E ε_y⁴`, as for equal errors. Both errors are bounded except with the
/// stated probability.
pub(crate) fn noise_after(
    polynomial: GatePolynomial,
    x: BitNoise,
    y: BitNoise,
    roundings: BitNoise,
    log2_fail: f64,
) -> BitNoise {
    let factor = polynomial.of_product.unsigned_abs() as f64;
    let of_product = factor * (x.fourth_moment() * y.fourth_moment()).powf(0.25);
    let largest = factor * x.largest(log2_fail) * y.largest(log2_fail);
    (x + y).with_independent(roundings).with_independent(BitNoise::bias_of(largest, of_product))
}
