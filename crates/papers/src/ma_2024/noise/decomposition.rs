//! Conditions of homomorphic digit decomposition (Theorems 7 to 9, Tables 4 and 9), as printed.

use super::{Condition, PaperNumbers};

/// A row of Table 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// HomFloor (Liu, Micciancio, Polyakov, ASIACRYPT 2022).
    HomFloor,
    /// HomFloorAlt (Liu, Micciancio, Polyakov, ASIACRYPT 2022).
    HomFloorAlt,
    /// HomDecomp-Reduce (Algorithm 7, Theorem 7).
    HomDecompReduce,
    /// HomDecomp-FDFB (Algorithm 8, Theorem 9).
    HomDecompFdfb,
}

impl Variant {
    /// All rows, in the order of Table 9.
    pub const ALL: [Self; 4] =
        [Self::HomFloor, Self::HomFloorAlt, Self::HomDecompReduce, Self::HomDecompFdfb];

    /// Returns the paper's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HomFloor => "HomFloor",
            Self::HomFloorAlt => "HomFloorAlt",
            Self::HomDecompReduce => "HomDecomp-Reduce",
            Self::HomDecompFdfb => "HomDecomp-FDFB",
        }
    }

    /// Returns the number of bootstraps per digit (Tables 4 and 9).
    #[must_use]
    pub fn bootstraps(self) -> u32 {
        match self {
            Self::HomDecompReduce => 1,
            Self::HomFloor | Self::HomDecompFdfb => 2,
            Self::HomFloorAlt => 3,
        }
    }

    /// Returns the number of bootstraps that decompose a message modulo q_0 into digits of base B: one round for every time
    /// that q_0 is divided by B until it is q (the loop of Algorithms 7 and 8; HomFloor has the same number of rounds).
    #[must_use]
    pub fn total_bootstraps(
        self,
        numbers: &PaperNumbers,
        log2_modulus: u32,
        base_log2: u32,
    ) -> u32 {
        let log2_q = numbers.q.log2() as u32;
        self.bootstraps() * log2_modulus.saturating_sub(log2_q).div_ceil(base_log2)
    }

    /// Returns whether extracted CKKS ciphertexts, whose messages have no gaps, can be decomposed (Tables 4 and 9).
    #[must_use]
    pub fn takes_continuous_messages(self) -> bool {
        self != Self::HomFloor
    }

    /// Returns the requirement for the base B (Table 9; Theorem 7 for HomDecomp-Reduce, Theorem 9 for HomDecomp-FDFB):
    /// bnd·√(c·σ_boot² + σ_ms²(n)) below q/(2B), for HomDecomp-Reduce below q/(4B), with
    ///
    /// - HomFloor: c = 1 + B^-2,
    /// - HomFloorAlt and HomDecomp-Reduce: c = B^-2,
    /// - HomDecomp-FDFB: c = B^-2·(1 + k_2^-2).
    #[must_use]
    pub fn base_condition(self, numbers: &PaperNumbers, base: f64) -> Condition {
        let low = base.powi(-2);
        let (factor, share) = match self {
            Self::HomFloor => (1.0 + low, 2.0),
            Self::HomFloorAlt => (low, 2.0),
            Self::HomDecompReduce => (low, 4.0),
            Self::HomDecompFdfb => (low * (1.0 + slope(numbers).powi(-2)), 2.0),
        };
        let variance = factor * numbers.bootstrap() + numbers.lwe_modulus_switch();
        Condition::new("rest of the lower digits", variance, numbers.q / (share * base))
    }

    /// Returns the other requirement: q > 8√2·β of HomFloorAlt (Tables 4 and 9).
    #[must_use]
    pub fn other_condition(self, numbers: &PaperNumbers) -> Option<Condition> {
        (self == Self::HomFloorAlt)
            .then(|| Condition::new("8√2·β", 128.0 * numbers.bootstrap(), numbers.q))
    }

    /// Returns whether decomposition to base B is possible.
    #[must_use]
    pub fn supports(self, numbers: &PaperNumbers, base: f64) -> bool {
        self.base_condition(numbers, base).holds()
            && self.other_condition(numbers).is_none_or(|condition| condition.holds())
    }
}

/// Returns k_2 = (N/2 - 2β)/(N - 1) ≈ 1/2, the slope of f'_C (Theorem 8; its proof has (q/4 - 2β)/(q/2 - 1), which is the
/// same).
///
/// Equation (10) prints q/2 - 2β in the numerator, which would map to twice the range that the text describes.
#[must_use]
pub fn slope(numbers: &PaperNumbers) -> f64 {
    let n = numbers.ring_degree as f64;
    (n / 2.0 - 2.0 * numbers.beta()) / (n - 1.0)
}

/// Theorem 8: returns (L/(k_2·Δ_in))²·σ_boot² + σ_boot²/Δ_out², the variance of FDFB-Compress of a continuous function with
/// Lipschitz constant L, in units of the function's values.
///
/// The proof ends with σ_boot² for the second term, which is the same for Δ_out = 1.
#[must_use]
pub fn theorem_8(numbers: &PaperNumbers, lipschitz: f64, scale_in: f64, scale_out: f64) -> f64 {
    let recovered = lipschitz / (slope(numbers) * scale_in);
    (recovered.powi(2) + scale_out.powi(-2)) * numbers.bootstrap()
}

/// Returns σ_f² = (1 + k_2^-2)·σ_boot² (Theorem 9), the variance of FDFB-Compress of the identity, in squared units of q.
#[must_use]
pub fn theorem_9(numbers: &PaperNumbers) -> f64 {
    (1.0 + slope(numbers).powi(-2)) * numbers.bootstrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ma_2024::parameter_sets::LweSet;
    use crate::ma_2024::published_times::{DECOMPOSITION_TIMES, decomposition_time};

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} instead of {expected}");
    }

    #[test]
    fn bases_are_those_of_section_4() {
        let numbers = LweSet::Decomp.decomposition_numbers();
        // σ_ms²(1340) = 74.528, (q/Q)²·σ_acc² = 0.1387; key switching at 2^35 adds nothing.
        close(numbers.bootstrap(), 74.667);
        for (variant, largest) in [
            (Variant::HomFloor, 16.0),
            (Variant::HomDecompReduce, 16.0),
            (Variant::HomFloorAlt, 32.0),
            (Variant::HomDecompFdfb, 32.0),
        ] {
            assert!(variant.supports(&numbers, largest), "{variant:?}");
            assert!(!variant.supports(&numbers, 2.0 * largest), "{variant:?}");
        }
        // 6.338·√(74.667/256 + 74.528).
        let condition = Variant::HomDecompReduce.base_condition(&numbers, 16.0);
        close(condition.error, 54.822);
        close(condition.limit, 64.0);
        // 8√2·54.767.
        let other = Variant::HomFloorAlt.other_condition(&numbers).unwrap();
        close(other.error, 619.6);
    }

    #[test]
    fn the_identity_is_a_continuous_function() {
        let numbers = LweSet::Decomp.decomposition_numbers();
        // (1024 - 109.53)/2047.
        close(slope(&numbers), 0.446_74);
        close(theorem_8(&numbers, 1.0, 1.0, 1.0), theorem_9(&numbers));
        close(theorem_9(&numbers), 448.8);
        close(theorem_8(&numbers, 3.0, 6.0, 2.0), theorem_9(&numbers) / 4.0);
    }

    /// Table 10 is the number of bootstraps times 532 ms: base 2^4 for HomFloor and HomDecomp-Reduce, 2^5 for the
    /// others.
    #[test]
    fn times_are_bootstraps() {
        let numbers = LweSet::Decomp.decomposition_numbers();
        for variant in Variant::ALL {
            let discrete = matches!(variant, Variant::HomFloor | Variant::HomDecompReduce);
            let base_log2 = if discrete { 4 } else { 5 };
            for row in DECOMPOSITION_TIMES {
                let time = decomposition_time(variant, row.log2_modulus).unwrap();
                let count = variant.total_bootstraps(&numbers, row.log2_modulus, base_log2);
                let ratio = time / (532.0 * f64::from(count));
                assert!((0.98..1.02).contains(&ratio), "{variant:?}: {row:?}, {count} bootstraps");
            }
        }
    }
}
