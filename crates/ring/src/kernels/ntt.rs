//! Negacyclic number-theoretic transforms modulo odd numbers below 2^50, of any instruction set.
//!
//! The passes over the words are written once (`forward`, `inverse`) over the arithmetic of a vector
//! (`lanes`). The order of evaluations is that of Cooley and Tukey's butterflies in place: bit
//! reversed.

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

use crate::Modulus;

/// The twiddles of a transform, for the instruction set of its modulus.
#[derive(Debug)]
enum Tables {
    Scalar(scalar::Tables),
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Doubles4(tables::Tables),
    #[cfg(target_arch = "x86_64")]
    Doubles8(tables::Tables),
    #[cfg(target_arch = "x86_64")]
    Ifma(tables::Tables),
}

/// Forward and inverse transforms of one degree modulo one number below 2^50.
#[derive(Debug)]
pub(crate) struct Transform {
    modulus: Modulus,
    degree: usize,
    tables: Tables,
}

impl Transform {
    /// For a degree N, a power of two of at least 16, and a primitive 2N-th root of unity modulo
    /// `modulus` and modulo each of its primes.
    pub(crate) fn new(modulus: Modulus, degree: usize, root: u64) -> Self {
        assert!(degree.is_power_of_two() && degree >= 16, "degree {degree}");
        assert!(modulus.value() < crate::modulus::VECTOR_BOUND, "{modulus:?}");
        let tables = match modulus.isa() {
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx512Ifma if tables::fits(degree, 8) => {
                Tables::Ifma(entry::ifma_tables(&modulus, degree, root))
            }
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx512f if tables::fits(degree, 8) => {
                Tables::Doubles8(entry::tables::<8>(&modulus, degree, root))
            }
            #[cfg(target_arch = "x86_64")]
            crate::Isa::Avx2 | crate::Isa::Avx512f | crate::Isa::Avx512Ifma => {
                Tables::Doubles4(entry::tables::<4>(&modulus, degree, root))
            }
            #[cfg(target_arch = "aarch64")]
            crate::Isa::Neon => Tables::Doubles4(entry::tables::<4>(&modulus, degree, root)),
            _ => Tables::Scalar(scalar::Tables::new(&modulus, degree, root)),
        };
        Self { modulus, degree, tables }
    }

    /// Coefficients to evaluations, in place.
    pub(crate) fn forward_assign(&self, words: &mut [u64]) {
        assert_eq!(words.len(), self.degree);
        let m = &self.modulus;
        match &self.tables {
            Tables::Scalar(tables) => tables.forward_assign(m, words),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Modulus::isa` promises the instruction set that `new` chose by; the length
            // was checked.
            Tables::Doubles4(tables) => unsafe { entry::forward_avx2(m, tables, words) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Tables::Doubles4(tables) => unsafe { entry::forward_neon(m, tables, words) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tables::Doubles8(tables) => unsafe { entry::forward_avx512(m, tables, words) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tables::Ifma(tables) => unsafe { entry::forward_ifma(m, tables, words) },
        }
    }

    /// Evaluations to `factor`·N times the coefficients, in place; `factor` is a residue.
    pub(crate) fn inverse_scaled_assign(&self, words: &mut [u64], factor: u64) {
        assert_eq!(words.len(), self.degree);
        if let Tables::Scalar(tables) = &self.tables {
            return tables.inverse_assign(&self.modulus, words, factor);
        }
        let words = words.as_mut_ptr();
        // SAFETY: both are the same words, as many as the degree.
        unsafe { self.inverse_vectors((words.cast_const(), words), factor) }
    }

    /// Evaluations to `factor`·N times the coefficients: `out`, whose words before are not read.
    pub(crate) fn inverse_scaled(&self, out: &mut [u64], evaluations: &[u64], factor: u64) {
        assert_eq!([out.len(), evaluations.len()], [self.degree; 2]);
        if let Tables::Scalar(tables) = &self.tables {
            out.copy_from_slice(evaluations);
            return tables.inverse_assign(&self.modulus, out, factor);
        }
        // SAFETY: slices of as many words as the degree, of which one is exclusive.
        unsafe { self.inverse_vectors((evaluations.as_ptr(), out.as_mut_ptr()), factor) }
    }

    /// From the first words to the second ones, by tables for vectors, which callers have.
    ///
    /// # Safety
    /// As many words as the degree, both; the same, or apart.
    unsafe fn inverse_vectors(&self, words: (*const u64, *mut u64), factor: u64) {
        let m = &self.modulus;
        match &self.tables {
            Tables::Scalar(_) => unreachable!("callers have tables for vectors"),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `forward_assign`; the caller promises the rest.
            Tables::Doubles4(tables) => unsafe { entry::inverse_avx2(m, tables, words, factor) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Tables::Doubles4(tables) => unsafe { entry::inverse_neon(m, tables, words, factor) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tables::Doubles8(tables) => unsafe { entry::inverse_avx512(m, tables, words, factor) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tables::Ifma(tables) => unsafe { entry::inverse_ifma(m, tables, words, factor) },
        }
    }
}
