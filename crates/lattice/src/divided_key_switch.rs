//! A key switch together with its division by P and by the primes of a rescale, in two passes over limbs: ModDown (Han,
//! Ki 2020) fused with the inner product.
//!
//! The result is `round((Σ d_i·(b_i, a_i) + P·add)/(P·D))`, where D is the product of the primes of the rescale. The
//! limbs of P·D come first: their inner products go through the inverse NTT at once, and become remainders modulo the
//! kept limbs. Each kept limb is then multiplied by the key block by block. The remainder is subtracted from each block
//! and the block is divided while it is in the cache, so that no sum modulo Q·P is ever written to memory. Words, noise
//! and rounding are those of [`switch`] followed by [`Poly::divide_round`].

use cryptable_ring::{Buffer, Evaluations, Poly, Ring, RoundedDivision};
use rayon::prelude::*;

use crate::key_switching::{BLOCK, KeySum, RaisedDigits, RaisedLimb, switch};
use crate::switching_key::{RlweCiphertext, SwitchingKey};

/// Switches `poly·s'` to the secret s and divides by the top `rescale` primes. The result is a ciphertext of
/// `(poly·s' + add[0] + add[1]·s)/D`.
///
/// # Panics
/// If the key's level is below that of `poly`, or no prime would be left.
#[must_use]
pub fn switch_and_divide(
    ring: &Ring,
    poly: &Poly<Evaluations>,
    key: &SwitchingKey,
    add: [Option<&Poly<Evaluations>>; 2],
    rescale: usize,
) -> RlweCiphertext {
    let basis = key.shape().raised(poly.basis().main);
    let Some(division) = RoundedDivision::new(ring, basis, rescale) else {
        return switch(ring, poly, key, add).divide_round(ring, rescale);
    };
    let mut raised = RaisedDigits::new(ring, poly, key);
    let mut kept = raised.limbs(ring);
    let dropped = kept.split_off(division.kept().limbs());
    let mut result = remainders(ring, &division, key, dropped, add);
    let degree = ring.degree();
    result.limbs_mut(degree).zip(kept).enumerate().for_each(|(limb, ((out0, out1), raised))| {
        let multiples = raised.multiples(ring, add);
        let digits = raised.into_evaluations(ring);
        rayon::join(|| division.transform(limb, out0), || division.transform(limb, out1));
        let blocks = out0.par_chunks_mut(BLOCK).zip(out1.par_chunks_mut(BLOCK)).enumerate();
        let words = || [(); 2].map(|()| Buffer::unspecified(BLOCK.min(degree)));
        blocks.for_each_init(words, |words, (block, (out0, out1))| {
            let range = block * BLOCK..block * BLOCK + out0.len();
            let of_block = multiples.map(|multiple| multiple.map(|(x, c)| (&x[range.clone()], c)));
            let [words0, words1] = words;
            let sums = KeySum::both([&mut *words0, &mut *words1], of_block);
            digits.multiply(ring, key, range, sums);
            division.finish(limb, out0, words0);
            division.finish(limb, out1, words1);
        });
    });
    result
}

/// Computes the remainders of the sums' dropped limbs modulo the limbs that are kept, as coefficients.
fn remainders(
    ring: &Ring,
    division: &RoundedDivision<'_>,
    key: &SwitchingKey,
    dropped: Vec<RaisedLimb<'_>>,
    add: [Option<&Poly<Evaluations>>; 2],
) -> RlweCiphertext {
    let (degree, kept) = (ring.degree(), division.kept());
    let mut prepared = [(); 2].map(|()| Buffer::unspecified(dropped.len() * degree));
    let [words0, words1] = &mut prepared;
    let limbs = words0.par_chunks_mut(degree).zip(words1.par_chunks_mut(degree));
    limbs.zip(dropped).enumerate().for_each(|(index, ((out0, out1), raised))| {
        let multiples = raised.multiples(ring, add);
        let sums = KeySum::both([&mut *out0, &mut *out1], multiples);
        raised.into_evaluations(ring).multiply(ring, key, 0..degree, sums);
        rayon::join(|| division.prepare(index, out0), || division.prepare(index, out1));
    });
    // The prepared words are freed when both remainders exist: a result in their place would leave a gap for good.
    let [c0, c1] = prepared.each_ref().map(|prepared| {
        let mut remainder = Poly::<Evaluations>::unspecified(ring, kept);
        division.remainders(prepared, remainder.words_mut());
        remainder
    });
    RlweCiphertext { c0, c1 }
}

/// Switches `c0 + c1·s'` to the secret s, and divides by the top `rescale` primes in the same pass.
///
/// # Panics
/// If the key's level is below the ciphertext's.
#[must_use]
pub fn switch_and_rescale(
    ring: &Ring,
    c0: &Poly<Evaluations>,
    c1: &Poly<Evaluations>,
    key: &SwitchingKey,
    rescale: usize,
) -> RlweCiphertext {
    switch_and_divide(ring, c1, key, [Some(c0), None], rescale)
}
