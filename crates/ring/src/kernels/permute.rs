//! Copies of words in the order that a permutation says.

use super::permutation::Permutation;
use crate::{Isa, Modulus};

/// `out[i] = input[permutation[i]]`, for words of any value.
///
/// ```
/// use cryptable_ring::kernels::{Permutation, permute};
/// let mut out = [0; 3];
/// permute(&mut out, &[5, 6, 7], &Permutation::new(vec![2, 0, 1]));
/// assert_eq!(out, [7, 5, 6]);
/// ```
///
/// # Panics
/// If lengths differ.
pub fn permute(out: &mut [u64], input: &[u64], permutation: &Permutation) {
    assert_eq!((out.len(), input.len()), (permutation.len(), permutation.len()));
    dispatch!(Isa::detect(), [avx512f: avx512], permute(out, input, permutation));
}

/// `acc[i] += input[permutation[i]]`, for residues.
///
/// # Panics
/// If lengths differ.
pub fn permute_add_assign(m: &Modulus, acc: &mut [u64], input: &[u64], permutation: &Permutation) {
    assert_eq!((acc.len(), input.len()), (permutation.len(), permutation.len()));
    dispatch!(m.isa(), [avx512f: avx512], permute_add_assign(m, acc, input, permutation));
}
