//! Sums, differences and products word by word.

use crate::{Isa, Modulus};

/// `a += b`.
///
/// # Panics
/// If lengths differ.
pub fn add_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512f: avx512], add_assign(m, a, b));
}

/// `a -= b`.
///
/// # Panics
/// If lengths differ.
pub fn sub_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512f: avx512], sub_assign(m, a, b));
}

/// `a = -a`.
pub fn neg_assign(m: &Modulus, a: &mut [u64]) {
    dispatch!(m.isa(), [avx2: avx2, avx512f: avx512], neg_assign(m, a));
}

/// `a += c` in every word, for c in `[0, q)`.
pub fn add_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    dispatch!(m.isa(), [avx2: avx2, avx512f: avx512], add_scalar_assign(m, a, c));
}

/// `a *= b`.
///
/// # Panics
/// If lengths differ.
pub fn mul_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_assign(m, a, b));
}

/// `out = a·b`.
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let mut out = [0; 3];
/// kernels::mul(&Modulus::new(97), &mut out, &[2, 50, 96], &[3, 2, 96]);
/// assert_eq!(out, [6, 3, 1]);
/// ```
///
/// # Panics
/// If lengths differ.
pub fn mul(m: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    assert_eq!((out.len(), out.len()), (a.len(), b.len()));
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul(m, out, a, b));
}

/// `acc += a·b`.
///
/// # Panics
/// If lengths differ.
pub fn mul_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    assert_eq!((acc.len(), acc.len()), (a.len(), b.len()));
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_add_assign(m, acc, a, b));
}

/// `a *= c`, for c in `[0, q)`.
pub fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    dispatch!(of m, [avx2: avx2, avx512: avx512], mul_scalar_assign(m, a, c));
}

/// `out = a·c`, for c in `[0, q)` and words a that may be residues of another modulus: below `2^50`, or below `2^62` if
/// `m` is [for wide words](Modulus::for_wide_words).
///
/// # Panics
/// If lengths differ.
pub fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
    assert_eq!(out.len(), a.len());
    debug_assert!(are_in_range(m, a), "words above 2^50");
    dispatch!(of m, [avx2: avx2, avx512: avx512], mul_scalar(m, out, a, c));
}

/// `acc += a·c`, for c in `[0, q)`.
///
/// # Panics
/// If lengths differ.
pub fn mul_scalar_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], c: u64) {
    assert_eq!(acc.len(), a.len());
    dispatch!(of m, [avx2: avx2, avx512: avx512], mul_scalar_add_assign(m, acc, a, c));
}

/// `a = (a - b)·c`, for c in `[0, q)`: the last step of ModDown and rescale.
///
/// # Panics
/// If lengths differ.
pub fn sub_mul_scalar_assign(m: &Modulus, a: &mut [u64], b: &[u64], c: u64) {
    assert_eq!(a.len(), b.len());
    dispatch!(of m, [avx2: avx2, avx512: avx512], sub_mul_scalar_assign(m, a, b, c));
}

/// `(a, b) = (a + c·b, b + c·a)` for each word a and its mirror image b in the other slice (the first word is paired
/// with the last), for c in `[0, q)`.
///
/// # Panics
/// If lengths differ.
pub(crate) fn add_mirrored_assign(m: &Modulus, a: &mut [u64], b: &mut [u64], c: u64) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], add_mirrored_assign(m, a, b, c));
}

/// Returns whether words of other moduli are small enough for the kernels of a modulus.
pub(super) fn are_in_range(m: &Modulus, words: &[u64]) -> bool {
    let limit = if m.isa() == Isa::Scalar { 62 } else { 50 };
    words.iter().fold(0, |all, word| all | word) >> limit == 0
}
