//! Loops over words modulo one number: the innermost code of every scheme, in four instruction sets. Moduli from `2^50`
//! on have kernels of their own (`wide`) for the operations that take most of the time.
//!
//! Operands are slices of the same length, with any number of words. Words are residues in `[0, q)` unless a kernel
//! says otherwise, and so are all results. The modulus determines the instruction set ([`crate::Modulus::isa`]). All
//! kernels panic if lengths differ.
//!
//! Ranges of words are not checked, except by some debug assertions, since checks would take as long as the work. If
//! words are out of range, results are wrong words, never undefined behaviour.

/// Calls a kernel for an instruction set that the processor has.
///
/// The arguments name the modules with its AVX2 and AVX-512 versions, or with the latter only: `avx512f` if it does not
/// need IFMA, `avx512` if it does. Other instruction sets use the next slower version.
///
/// With `of` and a modulus, kernels of wide words replace the portable ones.
macro_rules! dispatch {
    (of $m:expr, [$($narrow:tt)*], $($kernel:tt)*) => {
        match $m.isa() {
            crate::Isa::Scalar => {
                dispatch!($m.wide_isa(), [avx2: avx2_wide, avx512f: avx512_wide], $($kernel)*)
            }
            isa => dispatch!(isa, [$($narrow)*], $($kernel)*),
        }
    };
    ($isa:expr, [avx2: $avx2:ident, avx512: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has the instruction set: `Modulus::isa` and `Isa::detect` guarantee it, and kernels
            // that take an `Isa` check it.
            crate::Isa::Avx2 | crate::Isa::Avx512f => unsafe {
                crate::kernels::$avx2::$($kernel)*
            },
            isa => dispatch!(isa, [avx512: $avx512], $($kernel)*),
        }
    };
    ($isa:expr, [avx2: $avx2:ident, avx512f: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            crate::Isa::Avx2 => unsafe { crate::kernels::$avx2::$($kernel)* },
            isa => dispatch!(isa, [avx512f: $avx512], $($kernel)*),
        }
    };
    ($isa:expr, [avx512: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            crate::Isa::Avx512Ifma => unsafe { crate::kernels::$avx512::$($kernel)* },
            _ => crate::kernels::scalar::$($kernel)*,
        }
    };
    ($isa:expr, [avx512f: $avx512:ident], $($kernel:tt)*) => {
        match $isa {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            crate::Isa::Avx512f | crate::Isa::Avx512Ifma => unsafe {
                crate::kernels::$avx512::$($kernel)*
            },
            _ => crate::kernels::scalar::$($kernel)*,
        }
    };
}

/// Defines methods of vectors, by one expression each, to be inlined into code that is compiled for the instruction
/// set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! intrinsics {
    ($vector:ty: $($name:ident($($x:ident),*) = $value:expr;)*) => {
        $(
            #[inline(always)]
            unsafe fn $name($($x: $vector),*) -> $vector {
                $value
            }
        )*
    };
}

mod amx;
#[cfg(target_arch = "x86_64")]
mod amx_matrix;
pub(crate) mod automorphism;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx2_automorphism;
#[cfg(target_arch = "x86_64")]
mod avx2_packed;
#[cfg(target_arch = "x86_64")]
mod avx2_sums;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_automorphism;
#[cfg(target_arch = "x86_64")]
mod avx512_butterfly;
#[cfg(target_arch = "x86_64")]
mod avx512_combinations;
#[cfg(target_arch = "x86_64")]
mod avx512_matrix;
#[cfg(target_arch = "x86_64")]
mod avx512_packed;
#[cfg(target_arch = "x86_64")]
mod avx512_sums;
#[cfg(target_arch = "x86_64")]
mod avx512_tensor;
mod common_factor;
mod conversion;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) mod digit_product;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod doubles_matrix;
mod elementwise;
#[cfg(test)]
mod joint_tests;
mod matrix;
mod matrix_layout;
pub(crate) mod ntt;
mod packed_row;
mod packed_sums;
mod packing;
mod permutation;
mod permute;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod prefetch;
#[cfg(target_arch = "x86_64")]
mod residue_block;
mod residue_entries;
#[cfg(target_arch = "x86_64")]
mod residue_group;
#[cfg(target_arch = "x86_64")]
mod residue_lift;
#[cfg(target_arch = "x86_64")]
mod residue_matrix;
#[cfg(target_arch = "x86_64")]
mod residue_recombination;
mod scalar;
mod sums;
mod tensor;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vnni_matrix;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod word_loops;
pub(crate) mod wrapping_sums;

pub use conversion::{fractions_round, from_signed, lift_centered, reduce};
pub(crate) use elementwise::add_mirrored_assign;
pub use elementwise::{
    add_assign, add_scalar_assign, mul, mul_add_assign, mul_assign, mul_scalar,
    mul_scalar_add_assign, mul_scalar_assign, neg_assign, sub_assign, sub_mul_scalar_assign,
};
pub use matrix::{ColumnBlock, tile_product};
pub use matrix_layout::{MAX_COLUMNS, MIN_RESIDUE_COLUMNS, MatrixTiles};
pub use packed_row::{KeyTerm, Multiple, PackedRow};
pub use packed_sums::{packed_inner_product, packed_inner_product_add, packed_inner_products};
pub use permutation::{Permutation, PermutationPart};
pub use permute::{permute, permute_add_assign};
#[cfg(target_arch = "x86_64")]
pub use residue_block::{LimbGroup, ResidueBlock, limb_groups};
pub use residue_entries::fewest_numbers;
pub use sums::{
    inner_product, inner_product_add, inner_product_runs, inner_product_runs_add,
    linear_combination, linear_combination_add, linear_combinations_of_two,
};
pub use tensor::{TensorPair, tensor_products};
#[cfg(target_arch = "x86_64")]
use wide::{avx2 as avx2_wide, avx512 as avx512_wide};
