//! Two linear combinations of the same words at once, for AVX-512 with IFMA; moduli below 2^50. Each loaded word is
//! multiplied twice, so that words may come from the second-level cache.

use super::avx512::{LANES, VectorModulus, splat};
use super::avx512_sums::{FEW_TERMS, Reducer, Sums, group, montgomery_factors};
use crate::Modulus;

/// Vectors per group: 16 accumulators for both sums.
const VECTORS: usize = 4;

/// Combines whole groups of words; see [`super::sums::linear_combinations_of_two`]. There are at most
/// [`super::sums::MAX_TERMS`] inputs.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn linear_combinations_of_two(
    m: [&Modulus; 2],
    out: [&mut [u64]; 2],
    inputs: &[&[u64]],
    coefficients: [&[u64]; 2],
) {
    if inputs.len() <= FEW_TERMS {
        return combinations_of_few(m, out, inputs, coefficients);
    }
    let reducers = m.map(|m| Reducer::new(m, inputs.len(), 1 << 50));
    let [out0, out1] = out.map(|out| out.as_chunks_mut().0.as_chunks_mut().0);
    for (index, (out0, out1)) in out0.iter_mut().zip(out1).enumerate() {
        let sums = sums_of_group(inputs, coefficients, index * VECTORS * LANES);
        for ((mut sums, out), reducer) in sums.into_iter().zip([out0, out1]).zip(&reducers) {
            reducer.narrow(&mut sums);
            sums.store(out, |low, high| reducer.residues(low, high));
        }
    }
}

/// Computes [`linear_combinations_of_two`] of at most [`FEW_TERMS`] terms; see `combination_of_few`.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn combinations_of_few(
    m: [&Modulus; 2],
    out: [&mut [u64]; 2],
    inputs: &[&[u64]],
    coefficients: [&[u64]; 2],
) {
    let moduli = m.map(|m| VectorModulus::new(m));
    let factors = [0, 1].map(|sum| montgomery_factors(m[sum], coefficients[sum]));
    let factors = factors.each_ref().map(|factors| &factors[..inputs.len()]);
    let [out0, out1] = out.map(|out| out.as_chunks_mut().0.as_chunks_mut().0);
    for (index, (out0, out1)) in out0.iter_mut().zip(out1).enumerate() {
        let [sum0, sum1] = sums_of_group(inputs, factors, index * VECTORS * LANES);
        sum0.store(out0, |low, high| moduli[0].divide_by_radix(low, high));
        sum1.store(out1, |low, high| moduli[1].divide_by_radix(low, high));
    }
}

/// Returns both sums for the group of words that begins at `start`.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
#[inline]
fn sums_of_group(
    inputs: &[&[u64]],
    [factors0, factors1]: [&[u64]; 2],
    start: usize,
) -> [Sums<VECTORS>; 2] {
    let [mut sum0, mut sum1] = [Sums::zero(); 2];
    for ((x, &c0), &c1) in inputs.iter().zip(factors0).zip(factors1) {
        let (x, c0, c1) = (group(x, start), splat(c0), splat(c1));
        sum0.add_products(x, |_| c0);
        sum1.add_products(x, |_| c1);
    }
    [sum0, sum1]
}
