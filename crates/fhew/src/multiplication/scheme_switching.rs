//! Scheme switching from RLWE' to RGSW (De Micheli, Kim, Micciancio, Suhl, PKC 2024; Algorithm 2 of Wang et al.,
//! EUROCRYPT 2024): multiplies a ciphertext's phase by the secret, with a gadget ciphertext of s².

use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;

use super::relinearization::RelinearizationKey;
use crate::rlwe::RlweCiphertext;
use crate::variance::{RingNumbers, Variance};

/// Returns a ciphertext of phase s·(b + a·s) for one of phase b + a·s.
///
/// b becomes the mask, and a is multiplied by s², which is one gadget product. The phase's error is multiplied by s, too.
/// Adds the noise of [`noise`].
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

/// Returns σ_ss², the noise of a product with the gadget ciphertext of s²; the coefficients of s² are about N/4 in size for
/// binary secrets.
///
/// The rounding error of the digits is multiplied by s², a sum of N products of secret coefficients.
pub(crate) fn noise(ring: &RingNumbers, gadget: Gadget) -> Variance {
    ring.gadget_product(gadget, ring.degree * ring.square_moment())
}
