//! Encryptions of zero without the secret, which make masks of results fresh.
//!
//! Two rows of a gadget ciphertext encrypt a polynomial times weights whose ratio is B, up to rounding. Therefore B times
//! one row minus the other is an encryption of zero `(b, a)`, with an error e below `22·(B + 1)` in every coefficient.
//! So is `(b·v, a·v + e_1)` for freshly drawn Gaussian v and e_1. If RLWE is hard, not even the holder of the secret s can
//! tell `a·v + e_1` from a uniform polynomial. The holder learns one number that depends on v and e_1: the constant
//! coefficient of `e·v + e_1·s`, to which flooding is added. This is RLWE with a hint (Kim, Lee, Seo, Song, CRYPTO 2023).
//! If flooding is 16 times as wide as the sum, the width of v and e_1 given the hint is within a percent of their width
//! without it, and the reduction from RLWE without a hint loses a factor of √2. Since v and e_1 are 28 times as wide as the
//! errors on which the security of all keys rests, a factor of some 20 remains.

use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{Multiplicand, PrimeRing};
use cryptable_ring::random::{RandomStream, Seed, WideGaussian};

use crate::rlwe::RlweCiphertext;
use crate::seeded_rows::SeededRows;

/// An encryption of zero, from which any number of others are made.
#[derive(Debug)]
pub(crate) struct EncryptedZero {
    /// b and a.
    halves: [Multiplicand; 2],
}

impl EncryptedZero {
    /// Makes an encryption of zero from the first two rows of a gadget ciphertext, if it has two.
    pub(crate) fn of_rows(
        ring: &PrimeRing,
        gadget: Gadget,
        rows: &SeededRows,
        seed: &Seed,
    ) -> Option<Self> {
        if gadget.length() < 2 {
            return None;
        }
        let (n, m) = (ring.degree(), ring.modulus());
        let mut pair = [vec![0; 2 * n], vec![0; 2 * n]];
        for (row, words) in pair.iter_mut().enumerate() {
            rows.write_row(ring, seed, row, words);
        }
        let [low, high] = &pair;
        let base = 1 << gadget.base_log2();
        let zero: Vec<u64> =
            low.iter().zip(high).map(|(&low, &high)| m.sub(m.mul(base, low), high)).collect();
        Some(Self { halves: [&zero[..n], &zero[n..]].map(|half| ring.prepare(half)) })
    }

    /// Returns the bytes of memory that it occupies: 0 if the gadget has fewer than two rows.
    pub(crate) fn bytes(gadget: Gadget, degree: usize) -> usize {
        if gadget.length() < 2 { 0 } else { 2 * degree * size_of::<u64>() }
    }

    /// Draws a fresh encryption of zero, with an error of [`EncryptedZero::hint_norm`] times the deviation of [`small`].
    pub(crate) fn draw(&self, ring: &PrimeRing, stream: &mut RandomStream) -> RlweCiphertext {
        let (n, m) = (ring.degree(), ring.modulus());
        let mut residues = || -> Vec<u64> {
            let words = small().words(stream, n).expect("narrow numbers are words");
            words.iter().map(|&word| m.reduce_i64(word)).collect()
        };
        let (v, error) = (residues(), residues());
        let mut out = RlweCiphertext::zero(ring);
        for (half, words) in self.halves.iter().zip(out.words_mut().chunks_exact_mut(n)) {
            words.copy_from_slice(&v);
            ring.multiply_assign(words, half);
        }
        let mask = &mut out.words_mut()[n..];
        for (word, &error) in mask.iter_mut().zip(&error) {
            *word = m.add(*word, error);
        }
        out
    }

    /// Returns a bound on the norm of e and s together: the deviation of a coefficient of `e·v + e_1·s` is at most this bound
    /// times that of v.
    pub(crate) fn hint_norm(gadget: Gadget, degree: usize) -> f64 {
        let base = f64::from(gadget.base_log2()).exp2();
        (degree as f64).sqrt() * (22.0 * (base + 1.0)).hypot(1.0)
    }
}

/// Returns the law of v and e_1: the narrowest of its kind, of deviation 90.
pub(crate) fn small() -> WideGaussian {
    WideGaussian::at_least(1.0).expect("it is narrow")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::SecretKey;
    use crate::parameters::Parameters;

    #[test]
    fn zeros_are_fresh_and_have_the_error_of_their_law() {
        let parameters = Parameters::insecure_toy();
        let secret = SecretKey::generate(&parameters);
        let key = secret.evaluation_key();
        let (ring, gadget) = (parameters.ring(), parameters.automorphism_gadget());
        let zero = EncryptedZero::of_rows(ring, gadget, &key.trace, &key.seed).unwrap();
        let mut stream = RandomStream::from_os();
        let [one, other] = [(); 2].map(|()| zero.draw(ring, &mut stream));
        assert_ne!(one.mask(), other.mask());
        let n = ring.degree();
        let s: Vec<u64> = secret
            .ring_coefficients()
            .iter()
            .map(|&c| ring.modulus().reduce_i64(c.into()))
            .collect();
        let mut phase = one.mask().to_vec();
        ring.multiply_assign(&mut phase, &ring.prepare(&s));
        let q = ring.modulus().value();
        let squares = phase.iter().zip(one.body()).map(|(&x, &b)| {
            let word = ring.modulus().add(x, b);
            (if 2 * word > q { word as f64 - q as f64 } else { word as f64 }).powi(2)
        });
        let deviation = (squares.sum::<f64>() / n as f64).sqrt();
        let bound = EncryptedZero::hint_norm(gadget, n) * small().variance().sqrt();
        // The errors of rows have a deviation of 3.2; the bound assumes 22.
        assert!((0.1..0.3).contains(&(deviation / bound)), "{deviation}, bound {bound}");
    }
}
