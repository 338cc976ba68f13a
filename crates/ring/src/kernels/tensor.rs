//! Products of pairs: the three sums of a product of ciphertexts, before relinearization.

use super::sums;
#[cfg(target_arch = "x86_64")]
use super::{avx512_sums, avx512_tensor};
use crate::Modulus;

/// Words of `a0`, `a1`, `b0` and `b1`, which stand for `a0 + a1·s` and `b0 + b1·s`.
pub type TensorPair<'a> = [&'a [u64]; 4];

/// Computes the sums over all pairs of `a0·b0`, of `a0·b1 + a1·b0`, and of `a1·b1`: coefficients of 1, s and s². Every
/// operand is read once.
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let (mut d0, mut d1, mut d2) = ([0], [0], [0]);
/// let pair = [&[2][..], &[3], &[5], &[40]];
/// kernels::tensor_products(&Modulus::new(97), [&mut d0, &mut d1, &mut d2], &[pair]);
/// assert_eq!([d0, d1, d2], [[10], [95], [23]]);
/// ```
///
/// # Panics
/// If lengths differ.
pub fn tensor_products(m: &Modulus, out: [&mut [u64]; 3], pairs: &[TensorPair<'_>]) {
    for out in &out {
        assert!(pairs.iter().flatten().all(|words| words.len() == out.len()), "lengths");
    }
    #[cfg(target_arch = "x86_64")]
    if out.iter().all(|out| avx512_sums::serves_whole_groups(m, out.len()))
        && pairs.len() <= avx512_sums::MAX_UNROLLED
    {
        // SAFETY: the processor has the instruction set of `Modulus::isa`.
        return unsafe { avx512_tensor::tensor_products(m, out, pairs) };
    }
    let mut terms: [Vec<(&[u64], &[u64])>; 3] = Default::default();
    for &[a0, a1, b0, b1] in pairs {
        terms[0].push((a0, b0));
        terms[1].extend([(a0, b1), (a1, b0)]);
        terms[2].push((a1, b1));
    }
    for (out, terms) in out.into_iter().zip(&terms) {
        sums::inner_product(m, out, terms);
    }
}
