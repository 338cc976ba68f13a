//! Switching between the secret of a ring of degree N and that of its blocks, by one gadget product at degree N (ring
//! switching: Gentry, Halevi, Peikert, Smart, SCN 2012; Sec. 6 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024).
//!
//! `(b, a) -> (b, 0) + Σ_k digit_k(a)·row_k`, rows encrypting `source·weight(k)` under the target. Body and mask are
//! torus fractions, so the caller chooses the moduli in and out, and only digits and rows are modulo the block's prime.
//!
//! Transforms: ℓ + 2 of degree N; at most 8 for all N values of a ciphertext.

use cryptable_fhew::noise::{SecretNorms, Variance, gadget_product_noise};
use cryptable_lattice::external_product::{GadgetProduct, Scratch};
use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedKey, PrimeRing};

/// Returns body and mask under the other secret: 2N fractions, N each.
pub(crate) fn switch(
    ring: &PrimeRing,
    gadget: Gadget,
    key: PreparedKey<'_>,
    body: &[u64],
    mask: &[u64],
) -> Buffer {
    let mut out = Buffer::zeroed(2 * ring.degree());
    out[..ring.degree()].copy_from_slice(body);
    let product = GadgetProduct { ring, gadget };
    product.add(&mut out, mask, key, &mut Scratch::new(ring, gadget.length()));
    out
}

/// Returns the variance of the switch between secrets of these squared norms, as a fraction of the modulus:
/// `ℓ·N·E[digit²]·σ² + rounding·‖source‖²`, plus the rounding of transforms times the target's norm.
pub(crate) fn noise(gadget: Gadget, ring_degree: usize, secrets: SecretNorms) -> Variance {
    gadget_product_noise(gadget, ring_degree as f64, secrets)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks digits that leave only a bit to rounding, modulo a prime of 47 bits, for which transforms use doubles.
    #[test]
    fn transforms_round_masks_which_the_target_multiplies() {
        let (gadget, degree) = (Gadget::new((1 << 47) - 115, 23, 2), 1 << 16);
        let of = |source, target| noise(gadget, degree, SecretNorms { source, target }).0;
        let (small, large) = (1024.0, 43_690.0);
        let source_ratio = of(large, small) / of(small, small);
        assert!((1.0..1.001).contains(&source_ratio), "{source_ratio}");
        let target_ratio = of(small, large) / of(small, small);
        assert!((2.0..4.0).contains(&target_ratio), "{target_ratio}");
    }
}
