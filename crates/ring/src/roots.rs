//! Primitive roots of unity of order 2^k modulo a prime, or a product of two.
//!
//! Evaluations are values at powers of a root, and files hold evaluations, so the choice of the root is part of the
//! format. For a prime it is the root that the crate `tfhe-ntt` uses: repeated square roots of -1, computed by the
//! algorithm of Tonelli and Shanks with the least quadratic non-residue. For a product of two primes it is the number
//! whose residues are the roots of the two primes.

use crate::Modulus;
use crate::modulus::VECTOR_BOUND;
use crate::primes::is_prime;

/// Returns a primitive root of unity of order `order`, a power of two of at least 2, modulo a prime or a product of two
/// different primes below 2^50.
///
/// Modulo a product, differences of its powers are units: it is primitive modulo either prime.
///
/// Returns `None` if the modulus is another number, or if one of its primes is not 1 modulo `order`.
pub(crate) fn primitive_root(m: &Modulus, order: u64) -> Option<u64> {
    assert!(order.is_power_of_two() && order >= 2, "order {order}");
    let q = m.value();
    if is_prime(q) {
        return prime_root(m, order);
    }
    let a = smaller_prime(q, order)?;
    let b = Modulus::new(q / a);
    let root_a = prime_root(&Modulus::new(a), order)?;
    let root_b = prime_root(&b, order)?;
    // The number below ab with these residues is root_a + a·x, where x = (root_b - root_a)/a modulo b.
    let x = b.mul(b.sub(root_b, b.reduce(root_a)), b.inv(a));
    Some(root_a + a * x)
}

/// Returns the smaller prime of a product of two different primes below 2^50, both 1 modulo `order`.
fn smaller_prime(q: u64, order: u64) -> Option<u64> {
    if q >= VECTOR_BOUND {
        return None;
    }
    let candidates = (1..).map(|i| 1 + i * order).take_while(|a| a * a < q);
    let a = candidates.into_iter().find(|a| q.is_multiple_of(*a))?;
    (is_prime(a) && is_prime(q / a)).then_some(a)
}

/// Finds a root like [`primitive_root`], modulo a prime.
fn prime_root(m: &Modulus, order: u64) -> Option<u64> {
    let group = m.value() - 1;
    if !group.is_multiple_of(order) {
        return None;
    }
    let non_residue = (2..).find(|&z| m.pow(z, group / 2) == group)?;
    (1..order.ilog2()).try_fold(group, |root, _| square_root(m, non_residue, root))
}

/// Returns a square root of `x` modulo a prime, or `None` if there is none, given a quadratic non-residue, by the
/// algorithm of Tonelli and Shanks.
fn square_root(m: &Modulus, non_residue: u64, x: u64) -> Option<u64> {
    let twos = (m.value() - 1).trailing_zeros();
    let odd = (m.value() - 1) >> twos;
    // root^2 = x·rest throughout, and the order of `rest` is a decreasing power of two.
    let (mut root, mut rest) = (m.pow(x, odd.div_ceil(2)), m.pow(x, odd));
    // An element of order 2^twos.
    let generator = m.pow(non_residue, odd);
    while rest != 1 {
        let squares = std::iter::successors(Some(rest), |&y| Some(m.mul(y, y)));
        let log_order = squares.take(twos as usize).position(|y| y == 1)? as u32;
        let factor = m.pow(generator, 1 << (twos - log_order - 1));
        root = m.mul(root, factor);
        rest = m.mul(rest, m.mul(factor, factor));
    }
    Some(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;

    #[test]
    fn roots_of_primes_are_those_of_tfhe_ntt() {
        for degree in [16usize, 128, 1024, 1 << 16] {
            for log2 in [20.0, 30.5, 49.0, 50.0, 60.0] {
                for q in ntt_primes(degree, log2, 4, &[]) {
                    let plan = tfhe_ntt::prime64::Plan::try_new(degree, q).unwrap();
                    let mut x = vec![0; degree];
                    x[1] = 1;
                    plan.fwd(&mut x);
                    assert_eq!(primitive_root(&Modulus::new(q), 2 * degree as u64), Some(x[0]));
                }
            }
        }
        assert_eq!(primitive_root(&Modulus::new(97), 64), None);
    }

    #[test]
    fn roots_of_products_are_primitive_modulo_both_primes() {
        for degree in [16u64, 1024, 1 << 16] {
            let primes = ntt_primes(degree as usize, 24.9, 2, &[]);
            let m = Modulus::new(primes[0] * primes[1]);
            let root = primitive_root(&m, 2 * degree).unwrap();
            for p in primes {
                let m = Modulus::new(p);
                assert_eq!(m.pow(m.reduce(root), degree), p - 1);
                assert_eq!(Some(m.reduce(root)), primitive_root(&m, 2 * degree));
            }
        }
    }

    #[test]
    fn other_moduli_have_none() {
        // A square, a product of three primes, a product whose second prime has no root, and a large product.
        for q in [97 * 97, 97 * 193 * 257, 97 * 101, 97 * ntt_primes(16, 50.0, 1, &[])[0]] {
            assert_eq!(primitive_root(&Modulus::new(q), 32), None, "{q}");
        }
    }
}
