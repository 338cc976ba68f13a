//! Products with a ternary secret modulo a power of two.

use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Modulus, NttTable, clear_stack, kernels};
use zeroize::Zeroizing;

/// `a·s` in `Z_{2^bits}[X]/(X^N + 1)`, for words a below `2^bits` and a ternary s.
///
/// The exact product of centred a and s is at most `N·2^(bits-1)` in absolute value: one prime beyond
/// twice that finds it by NTT, or two primes and the Chinese remainder theorem.
///
/// # Panics
/// If lengths differ, or `N·2^bits` exceeds 2^98.
#[must_use]
pub fn multiply(a: &[u64], secret: &[i8], bits: u32) -> Zeroizing<Vec<u64>> {
    let degree = a.len();
    assert_eq!(secret.len(), degree);
    let needed = degree.trailing_zeros() + bits;
    assert!(needed < 98, "product of {needed} bits");
    let count = if needed < 49 { 1 } else { 2 };
    let primes = ntt_primes(degree, 50.0, count, &[]);
    let residues: Vec<Zeroizing<Vec<u64>>> =
        primes.iter().map(|&q| product_modulo(a, secret, bits, q)).collect();
    let mask = (1u64 << bits) - 1;
    let m0 = Modulus::new(primes[0]);
    let words = match residues.as_slice() {
        [only] => only.iter().map(|&x| m0.center(x) as u64 & mask).collect(),
        [low, high] => {
            let m1 = Modulus::new(primes[1]);
            let inverse = m1.inv(m1.reduce(primes[0]));
            let join = |(&x0, &x1): (&u64, &u64)| {
                let high = m1.center(m1.mul(m1.sub(x1, m1.reduce(x0)), inverse));
                (i128::from(high) * i128::from(primes[0]) + i128::from(x0)) as u64 & mask
            };
            low.iter().zip(high.iter()).map(join).collect()
        }
        _ => unreachable!("one prime or two"),
    };
    Zeroizing::new(words)
}

/// The product of centred a and s modulo one prime.
fn product_modulo(a: &[u64], secret: &[i8], bits: u32, q: u64) -> Zeroizing<Vec<u64>> {
    let table = NttTable::new(a.len(), Modulus::new(q)).expect("an NTT prime");
    let m = table.modulus();
    let half = 1u64 << (bits - 1);
    let centered: Vec<i64> =
        a.iter().map(|&x| if x >= half { x as i64 - (1i64 << bits) } else { x as i64 }).collect();
    let wide: Zeroizing<Vec<i64>> = Zeroizing::new(secret.iter().map(|&c| c.into()).collect());
    let mut x = vec![0u64; a.len()];
    let mut s = Zeroizing::new(vec![0u64; a.len()]);
    kernels::from_signed(m, &mut x, &centered);
    kernels::from_signed(m, &mut s, &wide);
    table.forward_assign(&mut x);
    table.forward_secret_assign(&mut s);
    kernels::mul_assign(m, &mut s, &x);
    table.inverse_assign(&mut s);
    clear_stack();
    s
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
}
