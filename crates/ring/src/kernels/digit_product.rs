//! Products of digits with prepared rows on vectors, for primes below 2^47: Fourier transforms over
//! doubles.

mod fourier;

use crate::fraction_digits::FractionDigits;
use crate::{Isa, Modulus};

/// For primes below this bound, the rounding errors of doubles are far below the noise of keys.
const PRIME_BOUND: u64 = 1 << 47;

/// Constants of digit products over one ring. They exist only if the processor has the instructions that the methods
/// use.
#[derive(Debug)]
pub(crate) struct VectorTables {
    modulus: Modulus,
    tables: fourier::Tables,
    lanes: Lanes,
}

/// Vectors of an instruction set that the processor has.
#[derive(Clone, Copy, Debug)]
enum Lanes {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Lanes {
    /// Returns the widest vectors of the instruction set whose blocks divide the degree.
    #[cfg(target_arch = "x86_64")]
    fn of(isa: Isa, degree: usize) -> Option<Self> {
        match isa {
            Isa::Avx512f | Isa::Avx512Ifma if fourier::fits(degree, 8) => Some(Self::Avx512),
            Isa::Avx2 | Isa::Avx512f | Isa::Avx512Ifma => {
                fourier::fits(degree, 4).then_some(Self::Avx2)
            }
            Isa::Scalar | Isa::Neon => None,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn of(isa: Isa, degree: usize) -> Option<Self> {
        (isa == Isa::Neon && fourier::fits(degree, 4)).then_some(Self::Neon)
    }

    fn count(self) -> usize {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => 8,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => 4,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => 4,
        }
    }
}

/// Calls the function for the vectors' instruction set.
macro_rules! by_lanes {
    ($lanes:expr, $($call:tt)*) => {
        match $lanes {
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx512 => fourier::avx512::$($call)*,
            #[cfg(target_arch = "x86_64")]
            Lanes::Avx2 => fourier::avx2::$($call)*,
            #[cfg(target_arch = "aarch64")]
            Lanes::Neon => fourier::neon::$($call)*,
        }
    };
}

impl VectorTables {
    /// Returns the constants for a ring of degree N, or `None` if the prime, the degree or the instruction set of
    /// `modulus` has no vector kernel.
    pub(crate) fn new(degree: usize, modulus: Modulus) -> Option<Self> {
        if modulus.value() >= PRIME_BOUND {
            return None;
        }
        let lanes = Lanes::of(modulus.isa(), degree)?;
        Some(Self { modulus, tables: fourier::Tables::new(degree, lanes.count()), lanes })
    }

    /// Writes rows of coefficients in `[0, q)`, body and mask of each, N words each, to `out` in the form that
    /// [`VectorTables::multiply_add`] reads. Overwrites the rows.
    pub(crate) fn prepare(&self, out: &mut [u64], rows: &mut [u64]) {
        let (m, tables) = (&self.modulus, &self.tables);
        // SAFETY: `new` chose the lanes by the instruction set of `Modulus::isa`, which the processor has.
        unsafe { by_lanes!(self.lanes, prepare(m, tables, out, rows)) }
    }

    /// Writes the digits of a polynomial of fractions, or of its product with `X^exponent - 1` if there is an exponent,
    /// to `out`, N words per digit, in the form that [`VectorTables::multiply_add`] reads. `scratch` has N words.
    pub(crate) fn decompose(
        &self,
        digits: &FractionDigits,
        out: &mut [u64],
        scratch: &mut [u64],
        source: &[u64],
        exponent: Option<usize>,
    ) {
        let tables = &self.tables;
        // SAFETY: as in `prepare`.
        unsafe { by_lanes!(self.lanes, decompose(tables, digits, out, scratch, source, exponent)) }
    }

    /// `accumulator += Σ digit·row` over prepared rows: two polynomials of N fractions. Meanwhile prefetches the words
    /// `next` to the cache. Overwrites the digits; `sums` has 2N words.
    pub(crate) fn multiply_add(
        &self,
        accumulator: &mut [u64],
        keys: &[u64],
        next: &[u64],
        digits: &mut [u64],
        sums: &mut [u64],
    ) {
        let tables = &self.tables;
        // SAFETY: as in `prepare`.
        unsafe {
            by_lanes!(self.lanes, multiply_add(tables, accumulator, keys, next, digits, sums));
        }
    }

    /// `accumulator += Σ_k (X^exponent_k - 1)·(Σ digit·row of key k)` for each of several accumulators. `keys` are the
    /// keys, and the words to prefetch to the cache meanwhile. Exponents and digits are grouped by accumulator.
    /// Overwrites the digits; `sums` has the number of words of all accumulators.
    pub(crate) fn multiply_add_keys(
        &self,
        accumulators: &mut [u64],
        keys: (&[u64], &[u64]),
        exponents: &[usize],
        digits: &mut [u64],
        sums: &mut [u64],
    ) {
        let tables = &self.tables;
        // SAFETY: as in `prepare`.
        unsafe {
            by_lanes!(
                self.lanes,
                multiply_add_keys(tables, accumulators, keys, exponents, digits, sums)
            );
        }
    }
}
