//! The three sums of a product of ciphertexts at once, for AVX-512 with IFMA; moduli below 2^50.

use super::avx512::{LANES, load};
use super::avx512_sums::{Reducer, Sums, add_terms, group};
use crate::Modulus;

/// Vectors of a group: 24 accumulators for three sums.
const VECTORS: usize = 4;

/// For the words in full groups; returns their number. See [`super::tensor::tensor_products`]; at most
/// [`super::avx512_sums::MAX_UNROLLED`] pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn tensor_products(m: &Modulus, out: [&mut [u64]; 3], pairs: &[[&[u64]; 4]]) -> usize {
    match pairs.len() {
        0 => products_of::<0>(m, out, pairs),
        1 => products_of::<1>(m, out, pairs),
        2 => products_of::<2>(m, out, pairs),
        3 => products_of::<3>(m, out, pairs),
        4 => products_of::<4>(m, out, pairs),
        5 => products_of::<5>(m, out, pairs),
        6 => products_of::<6>(m, out, pairs),
        7 => products_of::<7>(m, out, pairs),
        _ => products_of::<8>(m, out, pairs),
    }
}

/// [`tensor_products`] of exactly `PAIRS` pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn products_of<const PAIRS: usize>(
    m: &Modulus,
    out: [&mut [u64]; 3],
    pairs: &[[&[u64]; 4]],
) -> usize {
    let pairs: &[_; PAIRS] = pairs.try_into().expect("as many pairs");
    let reducer = Reducer::new(m, 2 * PAIRS, m.value());
    let [out0, out1, out2] = out.map(|out| out.as_chunks_mut().0.as_chunks_mut().0);
    let groups = out0.len();
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
    groups * VECTORS * LANES
}
