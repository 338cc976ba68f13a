//! KProduct: Algorithm 3 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301).
//!
//! The Kronecker product of vectors of selectors is the vector of selectors of all combinations.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::homomorphic_dft::join;

/// Levels of the Kronecker product of `count` vectors: those of a balanced tree.
pub(crate) fn levels(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

/// Computes the Kronecker product of real vectors: entry `k_1 + l_1·(k_2 + l_2·(…))` is the product of entries
/// `k_1, k_2, …`, by a balanced tree.
///
/// # Panics
/// If there are no vectors.
pub(crate) fn kronecker_product<A: Arithmetic>(
    arithmetic: &A,
    vectors: Vec<Vec<A::Ciphertext>>,
) -> Vec<A::Ciphertext> {
    let (low, high) = two_factors(arithmetic, vectors);
    match high {
        Some(high) => all_products(arithmetic, &low, &high),
        None => low,
    }
}

/// Computes the Kronecker products of the real and of the imaginary parts, and joins them: `x_k + i·y_k`.
///
/// The last products of both parts are added before relinearization: one key switch per entry.
///
/// # Panics
/// If there are no vectors, or the parts differ in lengths.
pub(crate) fn joint_kronecker_product<A: Arithmetic>(
    arithmetic: &A,
    real: Vec<Vec<A::Ciphertext>>,
    imaginary: Vec<Vec<A::Ciphertext>>,
) -> Vec<A::Ciphertext> {
    let (x_low, x_high) = two_factors(arithmetic, real);
    let (y_low, y_high) = two_factors(arithmetic, imaginary);
    assert_eq!(x_low.len(), y_low.len());
    let (Some(x_high), Some(mut y_high)) = (x_high, y_high) else {
        return x_low.into_iter().zip(y_low).map(|(x, y)| join(arithmetic, [x, y])).collect();
    };
    y_high.iter_mut().for_each(|y| arithmetic.mul_imaginary_unit_assign(y));
    arithmetic.map_all((0..x_low.len() * x_high.len()).collect(), |k: usize| {
        let (low, high) = (k % x_low.len(), k / x_low.len());
        let pairs = [(&x_low[low], &x_high[high]), (&y_low[low], &y_high[high])];
        arithmetic.relinearize(arithmetic.product_sum(&pairs), 1)
    })
}

/// Multiplies neighbours until at most two vectors are left.
fn two_factors<A: Arithmetic>(
    arithmetic: &A,
    mut vectors: Vec<Vec<A::Ciphertext>>,
) -> (Vec<A::Ciphertext>, Option<Vec<A::Ciphertext>>) {
    while vectors.len() > 2 {
        let mut joined = Vec::with_capacity(vectors.len().div_ceil(2));
        let mut pairs = vectors.into_iter();
        while let Some(low) = pairs.next() {
            joined.push(match pairs.next() {
                Some(high) => all_products(arithmetic, &low, &high),
                None => low,
            });
        }
        vectors = joined;
    }
    let mut vectors = vectors.into_iter();
    (vectors.next().expect("at least one vector"), vectors.next())
}

fn all_products<A: Arithmetic>(
    arithmetic: &A,
    low: &[A::Ciphertext],
    high: &[A::Ciphertext],
) -> Vec<A::Ciphertext> {
    let count = low.len() * high.len();
    arithmetic.map_all((0..count).collect(), |k: usize| {
        arithmetic.mul(&low[k % low.len()], &high[k / low.len()])
    })
}
