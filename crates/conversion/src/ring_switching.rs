//! Between the secret of a ring of degree N and that of its blocks, by one gadget product at degree N (ring switching:
//! Gentry, Halevi, Peikert, Smart, SCN 2012; Sec. 6 of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024).
//!
//! `(b, a) -> (b, 0) + Σ_k digit_k(a)·row_k`, rows encrypting `source·weight(k)` under the target: body and mask are
//! torus fractions, so that moduli in and out are the caller's, and only digits and rows live modulo the block's prime.
//!
//! Transforms: ℓ + 2 of degree N; 8 at most for all N values of a ciphertext.

use cryptable_fhew::noise::{Variance, gadget_product_noise, second_moment};
use cryptable_lattice::external_product::{GadgetProduct, Scratch};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedKey, PrimeRing};

/// Body and mask under the other secret: 2N fractions, of N each.
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

/// Variance of the switch, a fraction of the modulus: `ℓ·N·E[digit²]·σ² + rounding·‖source‖²`, for a source secret of
/// `source_degree` uniform ternary coefficients.
pub(crate) fn noise(gadget: Gadget, ring_degree: usize, source_degree: usize) -> Variance {
    let norm = source_degree as f64 * second_moment(SecretDistribution::UniformTernary);
    gadget_product_noise(gadget, ring_degree as f64, norm)
}
