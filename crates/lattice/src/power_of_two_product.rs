//! Exact products with small polynomials modulo a power of two, by number-theoretic transforms.

use std::fmt;

use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Modulus, NttTable, clear_stack, kernels};
use zeroize::Zeroizing;

/// Returns `a·s` in `Z_{2^bits}[X]/(X^N + 1)`, for words a below `2^bits` and a ternary secret s.
///
/// # Panics
/// If lengths differ, or `N·2^bits` exceeds 2^98.
#[must_use]
pub fn multiply(a: &[u64], secret: &[i8], bits: u32) -> Zeroizing<Vec<u64>> {
    let wide: Zeroizing<Vec<i64>> = Zeroizing::new(secret.iter().map(|&c| c.into()).collect());
    let product = Factor::new(a, bits, 1).times(&wide);
    clear_stack();
    product
}

/// A polynomial of words below `2^bits`, prepared for products with small ones.
///
/// The exact product of centred words and a polynomial with coefficients of at most `2^(small_bits-1)` is at most
/// `N·2^(bits+small_bits-2)` in absolute value. It is computed by NTT modulo one prime that exceeds twice this bound,
/// or modulo two primes and by the Chinese remainder theorem.
pub struct Factor {
    bits: u32,
    /// Evaluations modulo each prime.
    residues: Vec<(NttTable, Vec<u64>)>,
}

impl fmt::Debug for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factor").field("bits", &self.bits).finish_non_exhaustive()
    }
}

impl Factor {
    /// Transforms a polynomial of words below `2^bits`, for products with signed numbers of `small_bits` bits.
    ///
    /// # Panics
    /// If `N·2^(bits+small_bits-1)` exceeds 2^98.
    #[must_use]
    pub fn new(words: &[u64], bits: u32, small_bits: u32) -> Self {
        let degree = words.len();
        let needed = degree.trailing_zeros() + bits + small_bits - 1;
        assert!(needed < 98, "product of {needed} bits");
        let count = if needed < 49 { 1 } else { 2 };
        let half = 1u64 << (bits - 1);
        let center = |&x: &u64| if x >= half { x as i64 - (1i64 << bits) } else { x as i64 };
        let centered: Vec<i64> = words.iter().map(center).collect();
        let residue = |q| {
            let table = NttTable::new(degree, Modulus::new(q)).expect("an NTT prime");
            let mut evaluations = vec![0u64; degree];
            kernels::from_signed(table.modulus(), &mut evaluations, &centered);
            table.forward_assign(&mut evaluations);
            (table, evaluations)
        };
        let residues = ntt_primes(degree, 50.0, count, &[]).into_iter().map(residue).collect();
        Self { bits, residues }
    }

    /// Returns the product with a small polynomial, which may be secret, modulo `2^bits`.
    ///
    /// # Panics
    /// If lengths differ.
    #[must_use]
    pub fn times(&self, small: &[i64]) -> Zeroizing<Vec<u64>> {
        let mask = (1u64 << self.bits) - 1;
        let products: Vec<_> = self.residues.iter().map(|it| product_modulo(it, small)).collect();
        let moduli: Vec<&Modulus> =
            self.residues.iter().map(|(table, _)| table.modulus()).collect();
        let words = match (products.as_slice(), moduli.as_slice()) {
            ([only], [m0]) => only.iter().map(|&x| m0.center(x) as u64 & mask).collect(),
            ([low, high], [m0, m1]) => {
                let inverse = m1.inv(m1.reduce(m0.value()));
                let join = |(&x0, &x1): (&u64, &u64)| {
                    let high = m1.center(m1.mul(m1.sub(x1, m1.reduce(x0)), inverse));
                    (i128::from(high) * i128::from(m0.value()) + i128::from(x0)) as u64 & mask
                };
                low.iter().zip(high.iter()).map(join).collect()
            }
            _ => unreachable!("one prime or two"),
        };
        Zeroizing::new(words)
    }
}

/// Returns the product with a small polynomial modulo one prime.
fn product_modulo(
    (table, evaluations): &(NttTable, Vec<u64>),
    small: &[i64],
) -> Zeroizing<Vec<u64>> {
    assert_eq!(small.len(), evaluations.len());
    let m = table.modulus();
    let mut product = Zeroizing::new(vec![0u64; small.len()]);
    kernels::from_signed(m, &mut product, small);
    table.forward_secret_assign(&mut product);
    kernels::mul_assign(m, &mut product, evaluations);
    table.inverse_assign(&mut product);
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_schoolbook_multiplication() {
        let degree = 64;
        let secret: Vec<i8> = (0..degree).map(|i| (i * i % 3) as i8 - 1).collect();
        for bits in [20u32, 28, 45, 60] {
            let mask = (1u64 << bits) - 1;
            let a: Vec<u64> =
                (1..=degree as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask).collect();
            let mut expected = vec![0u64; degree];
            for (i, &x) in a.iter().enumerate() {
                for (j, &s) in secret.iter().enumerate() {
                    let term = x.wrapping_mul(s as i64 as u64);
                    let k = (i + j) % degree;
                    expected[k] = if i + j < degree {
                        expected[k].wrapping_add(term)
                    } else {
                        expected[k].wrapping_sub(term)
                    };
                }
            }
            expected.iter_mut().for_each(|x| *x &= mask);
            assert_eq!(*multiply(&a, &secret, bits), expected, "2^{bits}");
        }
    }

    /// Multiplies the largest small coefficients and words, whose product needs two primes.
    #[test]
    fn large_products_are_exact() {
        let (degree, bits, small_bits) = (64usize, 50, 21);
        let words = vec![(1u64 << 49) - 1; degree];
        let small = vec![-(1i64 << 20); degree];
        let found = Factor::new(&words, bits, small_bits).times(&small);
        for (k, &word) in found.iter().enumerate() {
            // k + 1 products keep their sign, and the others wrap around.
            let signs = 2 * (k as i128 + 1) - degree as i128;
            let expected = signs * i128::from(words[0]) * i128::from(small[0]);
            assert_eq!(word, expected.rem_euclid(1 << bits) as u64, "coefficient {k}");
        }
    }
}
