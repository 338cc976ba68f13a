//! Loops over words modulo one number: the innermost code of every scheme, in three instruction sets.
//!
//! Operands are slices of one common length, of any number of words; words are residues in `[0, q)`
//! unless a kernel says otherwise, and so are all results. The modulus carries the instruction set
//! ([`Modulus::isa`]). All kernels panic if lengths differ.
//!
//! Ranges of words are not checked, but for some debug assertions (that would cost as much as the work):
//! out of range, results are wrong words, never undefined behaviour.

/// Calls a kernel for an instruction set that the processor has.
///
/// Names the modules with its AVX2 and AVX-512 versions, or the latter only: other instruction sets
/// take the portable kernel.
macro_rules! dispatch {
    ($isa:expr, [avx2: $avx2:ident, avx512: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set: `Modulus::isa` and `Isa::detect` promise
            // it, and kernels that take an `Isa` check it.
            crate::Isa::Avx2 => unsafe { crate::kernels::$avx2::$($kernel)* },
            isa => dispatch!(isa, [avx512: $avx512], $($kernel)*),
        }
    };
    ($isa:expr, [avx512: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set: `Modulus::isa` and `Isa::detect` promise
            // it, and kernels that take an `Isa` check it.
            crate::Isa::Avx512Ifma => unsafe { crate::kernels::$avx512::$($kernel)* },
            _ => crate::kernels::scalar::$($kernel)*,
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod amx_matrix;
pub(crate) mod automorphism;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_sums;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_automorphism;
#[cfg(target_arch = "x86_64")]
mod avx512_matrix;
#[cfg(target_arch = "x86_64")]
mod avx512_sums;
mod conversion;
pub(crate) mod digit_product;
mod matrix;
mod permutation;
mod scalar;
mod sums;
#[cfg(test)]
mod tests;
pub(crate) mod wrapping_sums;

pub use conversion::{fractions_round, from_signed, lift_centered, reduce};
pub use matrix::{ColumnBlock, MAX_COLUMNS, MatrixTiles, tile_product};
pub use permutation::{Permutation, permute, permute_add_assign};
pub use sums::{
    inner_product, inner_product_add, inner_product_runs, inner_product_runs_add,
    linear_combination, linear_combination_add,
};

use crate::Modulus;

/// `a += b`.
pub fn add_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], add_assign(m, a, b));
}

/// `a -= b`.
pub fn sub_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], sub_assign(m, a, b));
}

/// `a = b - a`.
pub fn sub_from_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], sub_from_assign(m, a, b));
}

/// `a = -a`.
pub fn neg_assign(m: &Modulus, a: &mut [u64]) {
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], neg_assign(m, a));
}

/// `a += c` in every word, c in `[0, q)`.
pub fn add_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], add_scalar_assign(m, a, c));
}

/// `a *= b`.
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
pub fn mul(m: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    assert_eq!((out.len(), out.len()), (a.len(), b.len()));
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul(m, out, a, b));
}

/// `acc += a·b`.
pub fn mul_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    assert_eq!((acc.len(), acc.len()), (a.len(), b.len()));
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_add_assign(m, acc, a, b));
}

/// `a *= c`, c in `[0, q)`.
pub fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_scalar_assign(m, a, c));
}

/// `out = a·c`, c in `[0, q)`, for words a that may be residues of another modulus: below `2^50`, or
/// below `2^62` if `m` is portable ([`Modulus::portable`]).
pub fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
    assert_eq!(out.len(), a.len());
    debug_assert!(are_in_range(m, a), "words above 2^50");
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_scalar(m, out, a, c));
}

/// `acc += a·c`, c in `[0, q)`.
pub fn mul_scalar_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], c: u64) {
    assert_eq!(acc.len(), a.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], mul_scalar_add_assign(m, acc, a, c));
}

/// `a = (a - b)·c`, c in `[0, q)`: the last step of ModDown and rescale.
pub fn sub_mul_scalar_assign(m: &Modulus, a: &mut [u64], b: &[u64], c: u64) {
    assert_eq!(a.len(), b.len());
    dispatch!(m.isa(), [avx2: avx2, avx512: avx512], sub_mul_scalar_assign(m, a, b, c));
}

/// Whether words of other moduli are small enough for the kernels of a modulus.
fn are_in_range(m: &Modulus, words: &[u64]) -> bool {
    let limit = if m.isa() == crate::Isa::Scalar { 62 } else { 50 };
    words.iter().fold(0, |all, word| all | word) >> limit == 0
}
