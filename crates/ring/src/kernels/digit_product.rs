//! Products of digits with prepared rows on vectors: AVX-512 with IFMA, primes below 2^47.

mod avx512;
mod twiddles;

use crate::fraction_digits::FractionDigits;
use crate::{Isa, Modulus};
use twiddles::Twiddles;

/// Primes below this bound keep all levels of a transform in 52 bits.
const PRIME_BOUND: u64 = 1 << 47;

/// Constants of digit products over one ring; they exist only where the processor has the
/// instructions that the methods use.
#[derive(Debug)]
pub(crate) struct VectorTables {
    modulus: Modulus,
    twiddles: Twiddles,
}

impl VectorTables {
    /// For a ring of degree N, unless the prime, the degree or the instruction set of `modulus` has
    /// no vector kernel.
    pub(crate) fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        let vector = modulus.isa() == Isa::Avx512Ifma
            && modulus.value() < PRIME_BOUND
            && twiddles::fits(degree);
        vector.then(|| Self { modulus, twiddles: Twiddles::new(&modulus, degree) })
    }

    /// Rows of coefficients in `[0, q)`, body and mask of each, N words each, to `out` in the form
    /// that [`VectorTables::multiply_add`] reads. The rows are overwritten.
    pub(crate) fn prepare(&self, out: &mut [u64], rows: &mut [u64]) {
        // SAFETY: `new` has found AVX-512 with IFMA, as `Modulus::isa` promises.
        unsafe { avx512::prepare((&self.modulus, &self.twiddles), out, rows) };
    }

    /// Digits of a polynomial of fractions, N words per digit, in the form that
    /// [`VectorTables::multiply_add`] reads.
    pub(crate) fn decompose(&self, digits: &FractionDigits, out: &mut [u64], source: &[u64]) {
        // SAFETY: as in `prepare`.
        unsafe { avx512::decompose(&self.modulus, digits, out, source) };
    }

    /// As [`VectorTables::decompose`], of `source·X^exponent - source`.
    pub(crate) fn decompose_rotation(
        &self,
        digits: &FractionDigits,
        out: &mut [u64],
        source: &[u64],
        exponent: usize,
    ) {
        // SAFETY: as in `prepare`.
        unsafe { avx512::decompose_rotation(&self.modulus, digits, out, source, exponent) };
    }

    /// `accumulator += Σ digit·row` over prepared rows: two polynomials of N fractions. Fetches the
    /// words `next` to the cache meanwhile. The digits are overwritten; `sums` has 2N words.
    pub(crate) fn multiply_add(
        &self,
        accumulator: &mut [u64],
        rows: &[u64],
        next: &[u64],
        digits: &mut [u64],
        sums: &mut [u64],
    ) {
        let tables = (&self.modulus, &self.twiddles);
        // SAFETY: as in `prepare`.
        unsafe { avx512::multiply_add(tables, accumulator, rows, next, digits, sums) };
    }
}
