//! Copies of words in the order of a permutation.

use super::permutation::PermutationPart;
use crate::{Isa, Modulus};

/// `out[i] = input[permutation[i]]`, for words of any value, within the part's source.
///
/// ```
/// use cryptable_ring::kernels::{Permutation, permute};
/// let mut out = [0; 3];
/// permute(&mut out, &[5, 6, 7], Permutation::new(vec![2, 0, 1]).whole());
/// assert_eq!(out, [7, 5, 6]);
/// ```
///
/// # Panics
/// If lengths differ, or if a word is not in the source.
pub fn permute(out: &mut [u64], input: &[u64], permutation: PermutationPart<'_>) {
    assert_eq!([out.len(), input.len()], [permutation.source().len(); 2]);
    dispatch!(Isa::detect(), [avx512f: avx512], permute(out, input, permutation));
}

/// `acc[i] += input[permutation[i]]`, for residues, within the part's source.
///
/// # Panics
/// If lengths differ, or if a word is not in the source.
pub fn permute_add_assign(
    m: &Modulus,
    acc: &mut [u64],
    input: &[u64],
    permutation: PermutationPart<'_>,
) {
    assert_eq!([acc.len(), input.len()], [permutation.source().len(); 2]);
    dispatch!(m.isa(), [avx512f: avx512], permute_add_assign(m, acc, input, permutation));
}
