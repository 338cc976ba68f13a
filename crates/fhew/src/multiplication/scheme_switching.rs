//! Scheme switching from RLWE' to RGSW (De Micheli, Kim, Micciancio, Suhl, PKC 2024; Algorithm 2 of Wang et al.,
//! EUROCRYPT 2024): a ciphertext's phase times the secret, by a gadget ciphertext of s².

use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;

use super::relinearization::RelinearizationKey;
use crate::rlwe::RlweCiphertext;
use crate::variance::{RingNumbers, Variance};

/// A ciphertext of phase s·(b + a·s), for one of phase b + a·s.
///
/// b becomes the mask, and a is multiplied by s²: one gadget product. The phase's error is multiplied by s, too; adds
/// the noise of [`noise`].
pub(crate) fn times_secret(
    key: &RelinearizationKey,
    ring: &PrimeRing,
    ciphertext: &RlweCiphertext,
) -> RlweCiphertext {
    let n = ring.degree();
    let mut words = Buffer::zeroed(2 * n);
    words[n..].copy_from_slice(ciphertext.body());
    let mut out = RlweCiphertext::from_words(words);
    key.add_square(ring, &mut out, ciphertext.mask());
    out
}

/// σ_ss²: a product with the gadget ciphertext of s², whose coefficients are about N/4 in size for binary secrets.
///
/// Noise of scheme switching: the rounding error of the digits is multiplied by s², a sum of N products of secret
/// coefficients.
pub(crate) fn noise(ring: &RingNumbers, gadget: Gadget) -> Variance {
    ring.gadget_product(gadget, ring.degree * ring.square_moment())
}
