//! Products of digits with prepared rows on vectors, for primes below 2^47: words of 52 bits with
//! IFMA, or Fourier transforms over doubles.

mod avx512;
mod fourier;
mod twiddles;

use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};

use super::avx512::LANES;
use crate::fraction_digits::FractionDigits;
use crate::{Isa, Modulus};
use twiddles::Twiddles;

/// Primes below this bound keep all levels of a transform in 52 bits, and what doubles round far
/// below the noise of keys.
const PRIME_BOUND: u64 = 1 << 47;

/// Twiddles for an instruction set that the processor has.
#[derive(Debug)]
enum Tables {
    Ifma(Box<Twiddles>),
    Fourier8(fourier::Tables),
    Fourier4(fourier::Tables),
}

/// Constants of digit products over one ring; they exist only where the processor has the
/// instructions that the methods use.
#[derive(Debug)]
pub(crate) struct VectorTables {
    modulus: Modulus,
    tables: Tables,
}

/// Fetches words to the second-level cache.
#[inline]
fn prefetch(words: &[u64]) {
    for line in words.chunks(LANES) {
        // SAFETY: fetching reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
    }
}

impl VectorTables {
    /// For a ring of degree N, unless the prime, the degree or the instruction set of `modulus` has
    /// no vector kernel.
    pub(crate) fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        let isa = modulus.isa();
        if modulus.value() >= PRIME_BOUND || isa == Isa::Scalar {
            return None;
        }
        let tables = if isa == Isa::Avx512Ifma && twiddles::fits(degree) {
            Tables::Ifma(Box::new(Twiddles::new(&modulus, degree)))
        } else if isa >= Isa::Avx512f && fourier::fits(degree, 8) {
            Tables::Fourier8(fourier::Tables::new(degree, 8))
        } else if fourier::fits(degree, 4) {
            Tables::Fourier4(fourier::Tables::new(degree, 4))
        } else {
            return None;
        };
        Some(Self { modulus, tables })
    }

    /// Rows of coefficients in `[0, q)`, body and mask of each, N words each, to `out` in the form
    /// that [`VectorTables::multiply_add`] reads. The rows are overwritten.
    pub(crate) fn prepare(&self, out: &mut [u64], rows: &mut [u64]) {
        let m = &self.modulus;
        // SAFETY: `new` chose by what `Modulus::isa` promises.
        unsafe {
            match &self.tables {
                Tables::Ifma(tables) => avx512::prepare((m, tables), out, rows),
                Tables::Fourier8(tables) => fourier::prepare_avx512(m, tables, out, rows),
                Tables::Fourier4(tables) => fourier::prepare_avx2(m, tables, out, rows),
            }
        }
    }

    /// Digits of a polynomial of fractions, N words per digit, in the form that
    /// [`VectorTables::multiply_add`] reads.
    pub(crate) fn decompose(&self, digits: &FractionDigits, out: &mut [u64], source: &[u64]) {
        // SAFETY: as in `prepare`.
        unsafe {
            match &self.tables {
                Tables::Ifma(_) => avx512::decompose(&self.modulus, digits, out, source),
                Tables::Fourier8(_) => fourier::decompose_avx512(digits, out, source),
                Tables::Fourier4(_) => fourier::decompose_avx2(digits, out, source),
            }
        }
    }

    /// As [`VectorTables::decompose`], of `source·X^exponent - source`.
    pub(crate) fn decompose_rotation(
        &self,
        digits: &FractionDigits,
        out: &mut [u64],
        source: &[u64],
        exponent: usize,
    ) {
        let m = &self.modulus;
        // SAFETY: as in `prepare`.
        unsafe {
            match &self.tables {
                Tables::Ifma(_) => avx512::decompose_rotation(m, digits, out, source, exponent),
                Tables::Fourier8(_) => fourier::rotation_avx512(digits, out, source, exponent),
                Tables::Fourier4(_) => fourier::rotation_avx2(digits, out, source, exponent),
            }
        }
    }

    /// `accumulator += Σ digit·row` over prepared rows: two polynomials of N fractions. Fetches the
    /// words `next` to the cache meanwhile. The digits are overwritten; `sums` has 2N words.
    pub(crate) fn multiply_add(
        &self,
        accumulator: &mut [u64],
        (rows, next): (&[u64], &[u64]),
        digits: &mut [u64],
        sums: &mut [u64],
    ) {
        let m = &self.modulus;
        let key = (rows, next);
        // SAFETY: as in `prepare`.
        unsafe {
            match &self.tables {
                Tables::Ifma(tables) => {
                    avx512::multiply_add((m, tables), accumulator, rows, next, digits, sums);
                }
                Tables::Fourier8(tables) => {
                    fourier::multiply_add_avx512(tables, accumulator, key, digits, sums);
                }
                Tables::Fourier4(tables) => {
                    fourier::multiply_add_avx2(tables, accumulator, key, digits, sums);
                }
            }
        }
    }
}
