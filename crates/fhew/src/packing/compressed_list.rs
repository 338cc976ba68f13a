//! Compression of LWE ciphertexts that a client only decrypts: the trace packs them into ring elements with few bits.
//!
//! LWE ciphertexts of dimension N have N + 1 words each. After packing, up to N of them share one mask, and words are
//! rounded to the bits that decryption needs: k ciphertexts occupy `(N·⌈k/N⌉ + k)·bits/8` bytes.

use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::torus::{self, FRACTION_BITS};
use rayon::prelude::*;

use crate::keys::EvaluationKey;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::variance::Variance;

impl NoiseModel {
    /// Returns the variance that [`EvaluationKey::compress_list`] adds to every phase: packing by the trace, and rounding of
    /// the mask modulo 2^bits. Rounding the body adds at most half a unit.
    #[must_use]
    pub fn compression(&self, bits: u32) -> Variance {
        self.packing(PackedLength::Constant) + self.ring_modulus_switch(1 << bits)
    }
}

impl EvaluationKey {
    /// Packs LWE ciphertexts (modulo Q, under the ring secret) into ring elements modulo 2^bits, which have the same phases
    /// as fractions of the modulus.
    ///
    /// Needs about one automorphism per ciphertext for many ciphertexts, and log2 N for few. Adds the noise of
    /// [`NoiseModel::compression`].
    ///
    /// # Panics
    /// If the ciphertexts are not modulo Q and of dimension N, or `bits` is not from 1 to 51.
    #[must_use]
    pub fn compress_list(&self, list: &LweList, bits: u32) -> LweList {
        let (ring, secret) = (self.parameters().ring(), self.parameters().literal().ring_secret);
        let (n, count) = (ring.degree(), list.len());
        let elements: Vec<_> = (0..count.div_ceil(n))
            .into_par_iter()
            .map(|element| {
                let start = element * n;
                let of_element = n.min(count - start);
                let packed =
                    self.trace().pack_many(ring, of_element, |i| list.ciphertext(start + i));
                rounded(&packed, of_element, bits, secret)
            })
            .collect();
        let (mut masks, mut bodies) = (Vec::new(), Vec::with_capacity(count));
        for (mask, body) in elements {
            masks.extend(mask);
            bodies.extend(body);
        }
        LweList::from_packed_results(LweShape { dimension: n, modulus: 1 << bits }, masks, bodies)
    }
}

/// Rounds an RLWE ciphertext in fractions of Q to words modulo 2^bits: the mask, and the first `count` words of the body.
///
/// Under a binary secret, half of the rounding error of the mask is the mean of its product with the secret. The body
/// compensates for it, as in [`cryptable_lattice::lwe::LweCiphertext::modulus_switch`].
fn rounded(
    packed: &[u64],
    count: usize,
    bits: u32,
    secret: SecretDistribution,
) -> (Vec<u64>, Vec<u64>) {
    let (body, mask) = packed.split_at(packed.len() / 2);
    let (mut mask_words, mut body_words) = (vec![0; mask.len()], vec![0; count]);
    torus::to_power_of_two(&mut mask_words, mask, bits);
    let mut body = body[..count].to_vec();
    if secret == SecretDistribution::Binary {
        let unit = FRACTION_BITS - bits;
        // From minus half a unit to half a unit; bits above the fraction do not count.
        let excess = |(&rounded, &exact): (&u64, &u64)| {
            let shift = u64::BITS - FRACTION_BITS;
            i128::from(((rounded << unit).wrapping_sub(exact) << shift) as i64 >> shift)
        };
        let excesses: Vec<i128> = mask_words.iter().zip(mask).map(excess).collect();
        // Coefficient j of the product is the sum of the words up to j minus the sum of those above.
        let mut sum = -excesses.iter().sum::<i128>();
        for (word, excess) in body.iter_mut().zip(&excesses) {
            sum += 2 * excess;
            *word = word.wrapping_sub((sum >> 1) as u64);
        }
    }
    torus::to_power_of_two(&mut body_words, &body, bits);
    (mask_words, body_words)
}
