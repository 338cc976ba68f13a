//! The three sums of a product of ciphertexts at once, for AVX-512 with IFMA; moduli below 2^50.

use super::avx512::{LANES, load};
use super::avx512_sums::{Reducer, Sums, add_terms, group, unrolled};
use crate::Modulus;

/// Vectors per group: 24 accumulators for three sums.
const VECTORS: usize = 4;

/// Multiplies whole groups of words for at most [`super::avx512_sums::MAX_UNROLLED`] pairs. See
/// [`super::tensor::tensor_products`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn tensor_products(m: &Modulus, out: [&mut [u64]; 3], pairs: &[[&[u64]; 4]]) {
    unrolled!(
        pairs.len(),
        |N| products_of::<N>(m, out, pairs),
        more: unreachable!("{} pairs", pairs.len())
    );
}

/// Computes [`tensor_products`] of exactly `PAIRS` pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn products_of<const PAIRS: usize>(m: &Modulus, out: [&mut [u64]; 3], pairs: &[[&[u64]; 4]]) {
    let pairs: &[_; PAIRS] = pairs.try_into().expect("as many pairs");
    let reducer = Reducer::new(m, 2 * PAIRS, m.value());
    let [out0, out1, out2] = out.map(|out| out.as_chunks_mut().0.as_chunks_mut().0);
    for (index, ((out0, out1), out2)) in out0.iter_mut().zip(out1).zip(out2).enumerate() {
        let start = index * VECTORS * LANES;
        let mut sums: [Sums<VECTORS>; 3] = [Sums::zero(); 3];
        let [sum0, sum1, sum2] = &mut sums;
        add_terms!(PAIRS, |K| {
            let [a0, a1, b0, b1] = pairs[K].map(|words| group(words, start));
            sum0.add_products(a0, |i| load(&b0[i]));
            sum1.add_products(a0, |i| load(&b1[i]));
            sum1.add_products(a1, |i| load(&b0[i]));
            sum2.add_products(a1, |i| load(&b1[i]));
        });
        for (mut sums, out) in sums.into_iter().zip([out0, out1, out2]) {
            reducer.narrow(&mut sums);
            sums.store(out, |low, high| reducer.residues(low, high));
        }
    }
}
