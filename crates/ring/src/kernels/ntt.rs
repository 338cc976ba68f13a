//! Negacyclic number-theoretic transforms modulo odd numbers below 2^50, for any instruction set.
//!
//! The passes over the words are written once (`forward`, `inverse`), over the arithmetic of a vector (`lanes`).
//! Evaluations are in bit-reversed order, that of Cooley and Tukey's butterflies in place. Idle threads take columns or
//! blocks of a transform, so that all threads are busy in operations on few limbs, and with the last limbs of any
//! operation.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) mod doubles;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod entry;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod forward;
#[cfg(target_arch = "x86_64")]
mod ifma;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod inverse;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
mod scalar;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod tables;
#[cfg(test)]
mod tests;
mod tree;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::ops::Range;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use tables::Part;

pub(crate) use tree::Points;

use crate::Modulus;

/// The twiddles of a transform, for the instruction set of its modulus.
#[derive(Debug)]
enum Tables {
    Scalar(scalar::Tables),
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Vectors(Kernel, tables::Tables),
}

impl Tables {
    fn new(modulus: &Modulus, degree: usize, points: Points) -> Self {
        match modulus.isa() {
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx512Ifma if tables::fits(degree, 8) => {
                Self::Vectors(Kernel::Ifma, entry::ifma::tables(modulus, degree, points))
            }
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx512f if tables::fits(degree, 8) => {
                Self::Vectors(Kernel::Avx512, entry::avx512::tables(modulus, degree, points))
            }
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx2 | crate::Isa::Avx512f | crate::Isa::Avx512Ifma => {
                Self::Vectors(Kernel::Avx2, entry::avx2::tables(modulus, degree, points))
            }
            #[cfg(target_arch = "aarch64")]
            crate::Isa::Neon => {
                Self::Vectors(Kernel::Neon, entry::neon::tables(modulus, degree, points))
            }
            _ => Self::Scalar(scalar::Tables::new(modulus, degree, points)),
        }
    }
}

/// Forward and inverse transforms of one degree modulo one number below 2^50.
#[derive(Debug)]
pub(crate) struct Transform {
    modulus: Modulus,
    degree: usize,
    tables: Tables,
    /// The tables of the inverse transform, unless they are those of the forward one.
    mirrored: Option<Tables>,
}

impl Transform {
    /// Returns the transforms for a degree N, a power of two of at least 16, and points from a root of unity that is
    /// primitive modulo `modulus` and modulo each of its primes.
    pub(crate) fn new(modulus: Modulus, degree: usize, points: Points) -> Self {
        assert!(degree.is_power_of_two() && degree >= 16, "degree {degree}");
        assert!(modulus.value() < crate::modulus::VECTOR_BOUND, "{modulus:?}");
        let mirrored = points.mirrored(&modulus);
        Self {
            modulus,
            degree,
            tables: Tables::new(&modulus, degree, points),
            mirrored: mirrored.map(|points| Tables::new(&modulus, degree, points)),
        }
    }

    /// Returns the tables of the inverse transform.
    fn inverse_tables(&self) -> &Tables {
        self.mirrored.as_ref().unwrap_or(&self.tables)
    }

    /// Transforms coefficients to evaluations, in place.
    pub(crate) fn forward_assign(&self, words: &mut [u64]) {
        assert_eq!(words.len(), self.degree);
        match &self.tables {
            Tables::Scalar(tables) => tables.forward_assign(&self.modulus, words),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::Vectors(kernel, tables) => {
                let words = Shared(words.as_mut_ptr());
                // SAFETY: the processor has the instruction set of `Modulus::isa`, by which `new` chose the kernel; the
                // length was checked; shared parts are disjoint, and columns come before blocks.
                let part =
                    |part| unsafe { kernel.forward(&self.modulus, tables, words.get(), part) };
                self.share(tables.columns(), &|range| part(Part::Columns(range)));
                self.share(tables.blocks(), &|range| part(Part::Blocks(range)));
            }
        }
    }

    /// Transforms evaluations to `factor`·N times the coefficients, in place; `factor` is a residue.
    pub(crate) fn inverse_scaled_assign(&self, words: &mut [u64], factor: u64) {
        assert_eq!(words.len(), self.degree);
        match self.inverse_tables() {
            Tables::Scalar(tables) => tables.inverse_assign(&self.modulus, words, factor),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::Vectors(kernel, tables) => {
                let words = words.as_mut_ptr();
                // SAFETY: both pointers are to the same words, whose number is the degree.
                unsafe { self.inverse_vectors(*kernel, tables, words.cast_const(), words, factor) }
            }
        }
    }

    /// Transforms evaluations to `factor`·N times the coefficients, which are written to `out`. Its old words are not
    /// read.
    pub(crate) fn inverse_scaled(&self, out: &mut [u64], evaluations: &[u64], factor: u64) {
        assert_eq!([out.len(), evaluations.len()], [self.degree; 2]);
        match self.inverse_tables() {
            Tables::Scalar(tables) => {
                out.copy_from_slice(evaluations);
                tables.inverse_assign(&self.modulus, out, factor);
            }
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Tables::Vectors(kernel, tables) => {
                let (source, words) = (evaluations.as_ptr(), out.as_mut_ptr());
                // SAFETY: both slices have as many words as the degree, and one of them is exclusive.
                unsafe { self.inverse_vectors(*kernel, tables, source, words, factor) }
            }
        }
    }

    /// Transforms the words of the first pointer to those of the second.
    ///
    /// # Safety
    /// Both must have as many words as the degree, and be the same or disjoint; nobody else may access the second ones.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    unsafe fn inverse_vectors(
        &self,
        kernel: Kernel,
        tables: &tables::Tables,
        source: *const u64,
        words: *mut u64,
        factor: u64,
    ) {
        let (source, words) = (Shared(source.cast_mut()), Shared(words));
        let part = |part| {
            let (source, words) = (source.get().cast_const(), words.get());
            // SAFETY: as in `forward_assign`, blocks before columns; the caller promises the rest.
            unsafe { kernel.inverse(&self.modulus, tables, source, words, factor, part) }
        };
        self.share(tables.blocks(), &|range| part(Part::Blocks(range)));
        self.share(tables.columns(), &|range| part(Part::Columns(range)));
    }

    /// Performs `count` parts of one kind, in parallel if there is more than one part and a pool of threads.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn share(&self, count: usize, work: &(impl Fn(Range<usize>) + Sync)) {
        if count == 0 {
            return;
        }
        let is_shared = self.degree >= MIN_SHARED_DEGREE
            && rayon::current_thread_index().is_some()
            && rayon::current_num_threads() > 1;
        let least = if is_shared { count.div_ceil(SHARES) } else { count };
        share(0..count, least, work);
    }
}

/// The least degree of a transform that threads share, which takes about ten microseconds.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const MIN_SHARED_DEGREE: usize = 1 << 13;

/// Shares of the columns, and of the blocks, of a transform.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const SHARES: usize = 4;

/// Performs work on a range. If the range is longer than `least`, both halves can run at once: an idle thread takes
/// one. Without an idle thread, this costs about ten nanoseconds.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn share(range: Range<usize>, least: usize, work: &(impl Fn(Range<usize>) + Sync)) {
    if range.len() <= least {
        return work(range);
    }
    let middle = range.start + range.len() / 2;
    rayon::join(
        || share(range.start..middle, least, work),
        || share(middle..range.end, least, work),
    );
}

/// Words that several threads work on, each on a part of them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy)]
struct Shared(*mut u64);

// SAFETY: users of the pointer guarantee that no two of them access the same words.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe impl Sync for Shared {}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Shared {
    fn get(&self) -> *mut u64 {
        self.0
    }
}

/// The instruction set of a transform on vectors.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy, Debug)]
enum Kernel {
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Ifma,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

/// Calls the function for a kernel's instruction set.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! by_kernel {
    ($kernel:expr, $($call:tt)*) => {
        match $kernel {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => entry::avx2::$($call)*,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => entry::avx512::$($call)*,
            #[cfg(target_arch = "x86_64")]
            Kernel::Ifma => entry::ifma::$($call)*,
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => entry::neon::$($call)*,
        }
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl Kernel {
    /// Performs a part of a forward transform; see `forward`.
    ///
    /// # Safety
    /// The processor must have the instruction set, the tables must be for it, and the number of words must be their
    /// degree; nobody else may access the words of the part.
    unsafe fn forward(self, m: &Modulus, tables: &tables::Tables, words: *mut u64, part: Part) {
        // SAFETY: the caller guarantees all of it.
        unsafe { by_kernel!(self, forward(m, tables, words, part)) }
    }

    /// Performs a part of an inverse transform; see `inverse`.
    ///
    /// # Safety
    /// The same as for [`Kernel::forward`]; the first words must be the second ones, or disjoint from them.
    unsafe fn inverse(
        self,
        m: &Modulus,
        tables: &tables::Tables,
        source: *const u64,
        words: *mut u64,
        factor: u64,
        part: Part,
    ) {
        // SAFETY: the caller guarantees all of it.
        unsafe { by_kernel!(self, inverse(m, tables, source, words, factor, part)) }
    }
}
