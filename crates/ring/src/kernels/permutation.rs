//! Words in another order: automorphisms on evaluations.

use crate::Modulus;

/// An index list that has been checked once, so that kernels may use it unchecked: every index is
/// below the list's length. (Kernels need no more; an index may repeat.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation(Vec<u32>);

impl Permutation {
    /// Takes an index list.
    ///
    /// # Panics
    /// If an index is not below the length.
    #[must_use]
    pub fn new(indices: Vec<u32>) -> Self {
        let len = indices.len();
        assert!(indices.iter().all(|&i| (i as usize) < len), "an index is not below {len}");
        Self(indices)
    }

    /// The indices.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.0
    }

    /// The number of words permuted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `out[i] = input[permutation[i]]`, for words of any value.
///
/// ```
/// use cryptable_ring::kernels::{Permutation, permute};
/// let mut out = [0; 3];
/// permute(&mut out, &[5, 6, 7], &Permutation::new(vec![2, 0, 1]));
/// assert_eq!(out, [7, 5, 6]);
/// ```
pub fn permute(out: &mut [u64], input: &[u64], permutation: &Permutation) {
    assert_eq!((out.len(), input.len()), (permutation.len(), permutation.len()));
    for (out, &index) in out.iter_mut().zip(permutation.indices()) {
        *out = input[index as usize];
    }
}

/// `acc[i] += input[permutation[i]]`.
pub fn permute_add_assign(m: &Modulus, acc: &mut [u64], input: &[u64], permutation: &Permutation) {
    assert_eq!((acc.len(), input.len()), (permutation.len(), permutation.len()));
    for (acc, &index) in acc.iter_mut().zip(permutation.indices()) {
        *acc = m.add(*acc, input[index as usize]);
    }
}
