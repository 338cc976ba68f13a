//! Maps between a ring and the ring of half its degree, whose X is the square of the X of the larger one.
//!
//! An element of the larger ring is `e(X²) + X·o(X²)`, and [`Poly::even_part`] is e. Evaluations are in bit-reversed
//! order, so that the values at a root of unity and at its negative are neighbours. The value of e at their common
//! square, evaluation i of the smaller ring, is half of their sum.

use rayon::prelude::*;

use crate::{Evaluations, Poly, Ring};

impl Poly<Evaluations> {
    /// Returns the part with even powers of X, in [`Ring::half`] of the ring.
    #[must_use]
    pub fn even_part(&self, ring: &Ring) -> Self {
        let (half, basis) = (ring.half(), self.basis());
        let mut even = Self::unspecified(half, basis);
        let limbs = even.words_mut().par_chunks_mut(half.degree());
        limbs.enumerate().for_each(|(limb, out)| {
            let q = ring.modulus(ring.prime_index(basis, limb)).value();
            for (out, pair) in out.iter_mut().zip(self.limb(limb).chunks_exact(2)) {
                let sum = pair[0] + pair[1];
                let sum = sum.min(sum.wrapping_sub(q));
                // An odd sum is halved after adding q, which is odd.
                *out = (sum + (q & (sum & 1).wrapping_neg())) >> 1;
            }
        });
        even
    }

    /// Returns an element of [`Ring::half`] as an element of the ring: X² replaces X.
    #[must_use]
    pub fn lifted(&self, ring: &Ring) -> Self {
        let mut lifted = Self::unspecified(ring, self.basis());
        let limbs = lifted.words_mut().par_chunks_mut(ring.degree());
        limbs.enumerate().for_each(|(limb, out)| {
            for (pair, &word) in out.chunks_exact_mut(2).zip(self.limb(limb)) {
                pair.fill(word);
            }
        });
        lifted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coefficients;
    use crate::primes::ntt_primes;

    #[test]
    fn even_powers_and_back() {
        for (degree, bits) in [(32, 24.0), (512, 49.0), (64, 57.0)] {
            let primes = ntt_primes(degree, bits, 3, &[]);
            let ring = Ring::new(degree, &primes[..2], &primes[2..]);
            let basis = ring.full_basis();
            let whole: Vec<i64> = (0..degree as i64).map(|i| i * i * 31 % 101 - 50).collect();
            let even: Vec<i64> = whole.iter().copied().step_by(2).collect();
            let evaluated = |ring: &Ring, coefficients: &[i64]| {
                Poly::<Coefficients>::from_signed(ring, basis, coefficients).into_evaluations(ring)
            };
            let found = evaluated(&ring, &whole).even_part(&ring);
            assert!(found == evaluated(ring.half(), &even), "degree {degree}");
            let mut lifted = whole;
            lifted.iter_mut().skip(1).step_by(2).for_each(|odd| *odd = 0);
            assert!(found.lifted(&ring) == evaluated(&ring, &lifted), "degree {degree}");
        }
    }

    #[test]
    fn automorphisms_of_the_half_ring_are_those_of_the_ring() {
        let primes = ntt_primes(64, 49.0, 1, &[]);
        let ring = Ring::new(64, &primes, &[]);
        let half = ring.half();
        let words: Vec<u64> = (0..32).map(|i| i * i + 3).collect();
        let poly = Poly::<Evaluations>::from_words(half, half.main_basis(1), words);
        let whole = poly.lifted(&ring).automorphism(&ring, ring.conjugation_element());
        let conjugate = poly.automorphism(half, half.conjugation_element());
        assert!(whole.even_part(&ring) == conjugate);
        let mut turned = poly.clone();
        turned.mul_imaginary_unit_assign(half);
        let mut whole = poly.lifted(&ring);
        whole.mul_imaginary_unit_assign(&ring);
        assert!(whole.even_part(&ring) == turned);
    }
}
