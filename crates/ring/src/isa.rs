//! The instruction set that vector kernels use.

use std::fmt;
use std::sync::OnceLock;

/// An instruction set for which the kernels have an implementation, from slowest to fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// Portable code with 128-bit products.
    Scalar,
    /// NEON of 64-bit ARM: four lanes in two registers, products in double precision.
    Neon,
    /// AVX2 with FMA: four lanes, products in double precision.
    Avx2,
    /// AVX-512 without IFMA: eight lanes, products in double precision.
    Avx512f,
    /// AVX-512 with IFMA: eight lanes, products of 52-bit integers; and with VBMI, which all such processors have.
    Avx512Ifma,
}

/// The error for a value of `CRYPTABLE_SIMD` that names no instruction set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIsa(String);

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(setting) = self;
        write!(
            f,
            "CRYPTABLE_SIMD is {setting}, but must be scalar, neon, avx2, avx512f or avx512ifma"
        )
    }
}

impl std::error::Error for UnknownIsa {}

impl Isa {
    /// Returns the fastest instruction set to use: the fastest that the processor has, unless the environment variable
    /// `CRYPTABLE_SIMD` (`scalar`, `neon`, `avx2`, `avx512f` or `avx512ifma`) names a slower one.
    ///
    /// The variable is read once; later changes of the environment have no effect.
    ///
    /// # Panics
    /// If `CRYPTABLE_SIMD` is set to anything else, so that a misspelt test run does not pass unnoticed. Programs check
    /// it first with [`Isa::from_environment`].
    #[must_use]
    pub fn detect() -> Self {
        Self::from_environment().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Detects the instruction set like [`Isa::detect`], for programs that report an invalid setting.
    ///
    /// ```
    /// assert_eq!(cryptable_ring::Isa::from_environment(), Ok(cryptable_ring::Isa::detect()));
    /// ```
    ///
    /// # Errors
    /// If `CRYPTABLE_SIMD` names no instruction set.
    pub fn from_environment() -> Result<Self, UnknownIsa> {
        static DETECTED: OnceLock<Result<Isa, UnknownIsa>> = OnceLock::new();
        let detected = DETECTED.get_or_init(|| {
            let setting = std::env::var_os("CRYPTABLE_SIMD");
            let setting = setting.as_ref().map(|setting| setting.to_string_lossy());
            Self::choose(setting.as_deref(), Self::of_processor())
        });
        detected.clone()
    }

    /// Applies a setting of `CRYPTABLE_SIMD` to the fastest instruction set of a processor. `avx512` is short for
    /// `avx512ifma`.
    fn choose(setting: Option<&str>, processor: Self) -> Result<Self, UnknownIsa> {
        let wanted = match setting {
            None | Some("avx512" | "avx512ifma") => Self::Avx512Ifma,
            Some("avx512f") => Self::Avx512f,
            Some("avx2") => Self::Avx2,
            // NEON belongs to another architecture than the sets above.
            Some("neon") if processor == Self::Neon => Self::Neon,
            Some("neon") => Self::Scalar,
            Some("scalar") => Self::Scalar,
            Some(other) => return Err(UnknownIsa(other.to_owned())),
        };
        Ok(wanted.min(processor))
    }

    /// Returns every instruction set that this processor has, slowest first, whatever the environment says.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let all = [Self::Scalar, Self::Neon, Self::Avx2, Self::Avx512f, Self::Avx512Ifma];
        all.into_iter().filter(|isa| isa.is_available()).collect()
    }

    /// Returns whether this processor has the instruction set.
    #[must_use]
    pub fn is_available(self) -> bool {
        let processor = Self::of_processor();
        self <= processor && (self != Self::Neon || processor == Self::Neon)
    }

    /// Returns the fastest instruction set of this processor.
    fn of_processor() -> Self {
        static PROCESSOR: OnceLock<Isa> = OnceLock::new();
        *PROCESSOR.get_or_init(|| {
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                let avx512f = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl");
                let ifma = is_x86_feature_detected!("avx512ifma")
                    && is_x86_feature_detected!("avx512vbmi");
                return match avx512f {
                    true if ifma => Self::Avx512Ifma,
                    true => Self::Avx512f,
                    false => Self::Avx2,
                };
            }
            #[cfg(target_arch = "aarch64")]
            if std::arch::is_aarch64_feature_detected!("neon") {
                return Self::Neon;
            }
            Self::Scalar
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_lower_the_instruction_set() {
        use Isa::{Avx2, Avx512Ifma, Avx512f, Neon, Scalar};
        let choose = |setting, processor| Isa::choose(setting, processor).unwrap();
        assert_eq!(Isa::available()[0], Scalar);
        assert_eq!(choose(None, Avx2), Avx2);
        assert_eq!(choose(Some("scalar"), Avx512Ifma), Scalar);
        assert_eq!(choose(Some("avx2"), Avx512Ifma), Avx2);
        assert_eq!(choose(Some("avx512f"), Avx512Ifma), Avx512f);
        assert_eq!(choose(Some("avx512"), Avx512f), Avx512f);
        assert_eq!(choose(Some("avx512ifma"), Avx512Ifma), Avx512Ifma);
        assert_eq!(choose(Some("avx2"), Scalar), Scalar);
        assert_eq!(choose(Some("avx512"), Avx2), Avx2);
        assert_eq!(choose(None, Neon), Neon);
        assert_eq!(choose(Some("avx2"), Neon), Neon);
        assert_eq!(choose(Some("neon"), Neon), Neon);
        assert_eq!(choose(Some("neon"), Avx2), Scalar);
    }

    #[test]
    fn unknown_settings_are_refused() {
        let error = Isa::choose(Some("AVX2"), Isa::Avx2).unwrap_err();
        assert!(
            error.to_string().starts_with("CRYPTABLE_SIMD is AVX2, but must be scalar"),
            "{error}"
        );
    }
}
