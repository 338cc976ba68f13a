//! The transforms compiled for each instruction set.

#[cfg(target_arch = "x86_64")]
use super::doubles::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::doubles::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::doubles::neon::Neon;
use super::doubles::{DoubleLanes, encode};
use super::forward::forward;
#[cfg(target_arch = "x86_64")]
use super::ifma::{self, IfmaLanes, NARROW_BOUND};
use super::inverse::inverse;
use super::tables::{Part, Tables};
use super::tree::Points;
use crate::Modulus;

/// Twiddles in double precision for vectors of LANES words.
pub(super) fn tables<const LANES: usize>(m: &Modulus, degree: usize, points: Points) -> Tables {
    Tables::new(m, degree, points, LANES, 1, |w| encode(m, w))
}

/// A part of the way from coefficients to evaluations.
///
/// # Safety
/// As many words as the degree of the tables, which [`tables`] made for four lanes; nobody else touches those of the part.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn forward_avx2(m: &Modulus, tables: &Tables, words: *mut u64, part: Part) {
    // SAFETY: the instruction set is enabled; the caller promises the rest.
    unsafe { forward::<_, 4>(DoubleLanes::<Avx2>::new(m), tables, words, part) }
}

/// A part of the way from evaluations to `factor`·N times the coefficients, from the first words to the second ones, which
/// may be the same.
///
/// # Safety
/// As for [`forward_avx2`], both.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn inverse_avx2(
    m: &Modulus,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    factor: u64,
    part: Part,
) {
    let factor = encode(m, factor);
    // SAFETY: as in `forward_avx2`.
    unsafe { inverse::<_, 4>(DoubleLanes::<Avx2>::new(m), tables, source, words, factor, part) }
}

/// A part of the way from coefficients to evaluations.
///
/// # Safety
/// As many words as the degree of the tables, which [`tables`] made for eight lanes; nobody else touches those of the part.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
pub(super) unsafe fn forward_avx512(m: &Modulus, tables: &Tables, words: *mut u64, part: Part) {
    // SAFETY: the instruction set is enabled; the caller promises the rest.
    unsafe { forward::<_, 8>(DoubleLanes::<Avx512>::new(m), tables, words, part) }
}

/// A part of the way from evaluations to `factor`·N times the coefficients, from the first words to the second ones, which
/// may be the same.
///
/// # Safety
/// As for [`forward_avx512`], both.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
pub(super) unsafe fn inverse_avx512(
    m: &Modulus,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    factor: u64,
    part: Part,
) {
    let factor = encode(m, factor);
    // SAFETY: as in `forward_avx512`.
    unsafe { inverse::<_, 8>(DoubleLanes::<Avx512>::new(m), tables, source, words, factor, part) }
}

/// Twiddles for IFMA.
#[cfg(target_arch = "x86_64")]
pub(super) fn ifma_tables(m: &Modulus, degree: usize, points: Points) -> Tables {
    Tables::new(m, degree, points, 8, 2, |w| ifma::encode(m, w))
}

/// A part of the way from coefficients to evaluations.
///
/// # Safety
/// As many words as the degree of the tables, which [`ifma_tables`] made; nobody else touches those of the part.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) unsafe fn forward_ifma(m: &Modulus, tables: &Tables, words: *mut u64, part: Part) {
    if m.value() < NARROW_BOUND {
        // SAFETY: the instruction set is enabled; the caller promises the rest.
        unsafe { forward::<_, 8>(IfmaLanes::<false>::new(m), tables, words, part) }
    } else {
        // SAFETY: as above.
        unsafe { forward::<_, 8>(IfmaLanes::<true>::new(m), tables, words, part) }
    }
}

/// A part of the way from evaluations to `factor`·N times the coefficients, from the first words to the second ones, which
/// may be the same.
///
/// # Safety
/// As for [`forward_ifma`], both.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
pub(super) unsafe fn inverse_ifma(
    m: &Modulus,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    factor: u64,
    part: Part,
) {
    let factor = ifma::encode(m, factor);
    if m.value() < NARROW_BOUND {
        // SAFETY: as in `forward_ifma`.
        unsafe { inverse::<_, 8>(IfmaLanes::<false>::new(m), tables, source, words, factor, part) }
    } else {
        // SAFETY: as above.
        unsafe { inverse::<_, 8>(IfmaLanes::<true>::new(m), tables, source, words, factor, part) }
    }
}

/// A part of the way from coefficients to evaluations.
///
/// # Safety
/// As many words as the degree of the tables, which [`tables`] made for four lanes; nobody else touches those of the part.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
pub(super) unsafe fn forward_neon(m: &Modulus, tables: &Tables, words: *mut u64, part: Part) {
    // SAFETY: the instruction set is enabled; the caller promises the rest.
    unsafe { forward::<_, 4>(DoubleLanes::<Neon>::new(m), tables, words, part) }
}

/// A part of the way from evaluations to `factor`·N times the coefficients, from the first words to the second ones, which
/// may be the same.
///
/// # Safety
/// As for [`forward_neon`], both.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "neon")]
pub(super) unsafe fn inverse_neon(
    m: &Modulus,
    tables: &Tables,
    source: *const u64,
    words: *mut u64,
    factor: u64,
    part: Part,
) {
    let factor = encode(m, factor);
    // SAFETY: as in `forward_neon`.
    unsafe { inverse::<_, 4>(DoubleLanes::<Neon>::new(m), tables, source, words, factor, part) }
}
