//! Noise and conditions of the full-domain functional bootstraps (Theorems 1 to 6, Tables 3 and 8), as printed.
//!
//! Variances are in squared units of the modulus of the variant's ciphertexts: q = 2N, or q/2 for variants with an
//! additional most significant bit ([`Variant::additional_bit`]). For the latter, the formulas of Table 8 are at the halved
//! q (its note §; Tables 11 and 12 print q = 2^11 for them). Theorems 2 and 5 print the same formulas with the q of
//! the bootstrap, twice the modulus of the result, so that the rotations count four times:
//! [`Variant::theorem_output_variance`]. The published parameters satisfy all conditions with the formulas of Table 8, but
//! not with those of the theorems (WoPPBS1-Refine* under PARAM_decomp).
//!
//! All functions expect the numbers at q = 2N.

use super::operators::digits;
use super::{Condition, PaperNumbers};

/// Defines the enum of rows from one list of names, here and in the paper.
macro_rules! variants {
    ($($variant:ident = $name:literal,)+) => {
        /// A row of Table 8. A star in the name stands for multi-value bootstrapping.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Variant {
            $(#[doc = concat!($name, ".")] $variant,)+
        }

        impl Variant {
            /// All rows, in the order of Table 8.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Returns the name, which is that of the method in [`cryptable_fhew::full_domain::methods`].
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

variants! {
    EvalFunc = "EvalFunc",
    FdfbKs = "FDFB-KS",
    Comp = "Comp",
    CompMultiValue = "Comp*",
    WopPbs1 = "WoP-PBS1",
    WopPbs1MultiValue = "WoP-PBS1*",
    WopPbs2 = "WoP-PBS2",
    WopPbs2MultiValue = "WoP-PBS2*",
    WopPbs1Refine = "WoPPBS1-Refine",
    WopPbs1RefineMultiValue = "WoPPBS1-Refine*",
    FdfbBfvMult = "FDFB-BFVMult",
    FdfbBfvMultMultiValue = "FDFB-BFVMult*",
    FdfbCompress = "FDFB-Compress",
    FdfbCancelSign = "FDFB-CancelSign",
    FdfbSelect = "FDFB-Select",
    FdfbSelectMultiValue = "FDFB-Select*",
    FdfbSelectAlt = "FDFB-SelectAlt",
    FdfbSelectAltMultiValue = "FDFB-SelectAlt*",
}

use Variant::*;

impl Variant {
    /// Returns the row of a method of cryptable-fhew, by [`cryptable_fhew::full_domain::FullDomainMethod::name`]. Methods
    /// that the paper does not have (interleaved lookups, FDFB-KS with a chosen number of digits) have no row.
    ///
    /// ```
    /// use cryptable_papers::ma_2024::noise::full_domain::Variant;
    /// assert_eq!(Variant::of_name("FDFB-Select*"), Some(Variant::FdfbSelectMultiValue));
    /// ```
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// Returns the number of the theorem that states the row; rows of earlier work have none.
    #[must_use]
    pub fn theorem(self) -> Option<u32> {
        match self {
            FdfbCompress => Some(1),
            FdfbCancelSign => Some(2),
            FdfbSelect | FdfbSelectMultiValue => Some(3),
            FdfbSelectAlt | FdfbSelectAltMultiValue => Some(4),
            WopPbs1Refine | WopPbs1RefineMultiValue => Some(5),
            FdfbBfvMult | FdfbBfvMultMultiValue => Some(6),
            _ => None,
        }
    }

    /// Returns the number of bootstraps (Table 8): d_g1 + 1 for FDFB-KS.
    #[must_use]
    pub fn bootstraps(self, numbers: &PaperNumbers) -> u32 {
        match self {
            FdfbKs => fdfb_ks_digits(numbers) as u32 + 1,
            Comp | FdfbSelect => 4,
            CompMultiValue | WopPbs2 | FdfbBfvMult | FdfbSelectAlt => 3,
            EvalFunc | WopPbs1 | WopPbs1Refine | FdfbCompress => 2,
            FdfbCancelSign | FdfbSelectMultiValue | FdfbSelectAltMultiValue => 2,
            WopPbs1MultiValue | WopPbs2MultiValue => 1,
            WopPbs1RefineMultiValue | FdfbBfvMultMultiValue => 1,
        }
    }

    /// Returns whether the method introduces an additional most significant bit, so that its ciphertexts are modulo q/2 (note §
    /// of Table 8, and note 1 for EvalFunc). Note § is also printed at FDFB-Compress, but its ciphertexts are modulo q by
    /// Theorem 1 and Tables 11 and 12; its margin is halved only at the compressed message.
    #[must_use]
    pub fn additional_bit(self) -> bool {
        matches!(
            self,
            EvalFunc
                | WopPbs1
                | WopPbs1MultiValue
                | WopPbs1Refine
                | WopPbs1RefineMultiValue
                | FdfbCancelSign
        )
    }

    /// Returns the coefficient of (q/Q)²·σ_acc² in σ_core² (Table 8), for plaintext modulus p. Table 3 lists ratios of these
    /// coefficients.
    ///
    /// FDFB-Select*: p(p - 1)² + 1 by Theorem 3, its proof, and the ratio in Table 3; in Table 8 the factor p is missing.
    ///
    /// The ratio of FDFB-BFVMult to WoP-PBS2 is 1/(2N) by Table 8, and 1/N in Table 3.
    #[must_use]
    pub fn accumulator_factor(self, numbers: &PaperNumbers, p: f64) -> f64 {
        let n = numbers.ring_degree as f64;
        let norm = p * (p - 1.0).powi(2);
        match self {
            EvalFunc | FdfbCompress => 1.0,
            FdfbKs => 1.0 + fdfb_ks_factor(numbers),
            Comp | CompMultiValue | FdfbCancelSign | FdfbSelect => 2.0,
            WopPbs1 => n * n / 9.0 * p * p,
            WopPbs1MultiValue => n * n / 18.0 * p * p * norm,
            WopPbs2 => 2.0 * n * n / 9.0 * p * p,
            WopPbs2MultiValue => 2.0 * n * n / 9.0 * p * p * norm,
            WopPbs1Refine | FdfbBfvMult => n / 9.0 * p * p,
            WopPbs1RefineMultiValue => n / 18.0 * p * p * norm,
            FdfbBfvMultMultiValue => 2.0 * n / 9.0 * p * p * norm,
            FdfbSelectMultiValue => norm + 1.0,
            FdfbSelectAlt => 3.0,
            FdfbSelectAltMultiValue => 6.0 * norm + 1.0,
        }
    }

    /// Returns σ_core² (Table 8): the coefficient times (q/Q)²·σ_acc², plus the variance of packing.
    ///
    /// FDFB-SelectAlt adds one σ_pk² by Theorem 4 and Table 8, two by the proof. Rows with BFV multiplication include
    /// only the dominant term (note †).
    #[must_use]
    pub fn core_variance(self, numbers: &PaperNumbers, p: f64) -> f64 {
        self.core_at(&self.at_its_modulus(numbers), p)
    }

    /// Returns the numbers at q, or at q/2 with an additional bit.
    fn at_its_modulus(self, numbers: &PaperNumbers) -> PaperNumbers {
        if self.additional_bit() { numbers.halved() } else { *numbers }
    }

    /// Returns σ_core² at the numbers' q.
    fn core_at(self, numbers: &PaperNumbers, p: f64) -> f64 {
        let rotations = self.accumulator_factor(numbers, p) * numbers.accumulator();
        numbers.prime_to_q() * rotations + self.packing_variance(numbers)
    }

    /// Returns the variance that packing adds to σ_core²: (q/Q)²·k·σ_pk² + (q/q_pk)²·σ_ms²(N) for k packings; both times
    /// d_g1·B_g1²/4·N for FDFB-KS; zero for rows without packing or whose packing is not in the dominant term.
    fn packing_variance(self, numbers: &PaperNumbers) -> f64 {
        let (packings, times) = match self {
            FdfbKs => (1.0, fdfb_ks_factor(numbers)),
            FdfbCancelSign | FdfbSelectAlt | FdfbSelectAltMultiValue => (1.0, 1.0),
            FdfbSelect | FdfbSelectMultiValue => (2.0, 1.0),
            _ => return 0.0,
        };
        let switch =
            (numbers.q / numbers.packing.modulus()).powi(2) * numbers.ring_modulus_switch();
        times * (numbers.prime_to_q() * packings * numbers.packing() + switch)
    }

    /// Returns σ_out² = σ_core² + σ_com² (caption of Table 8).
    #[must_use]
    pub fn output_variance(self, numbers: &PaperNumbers, p: f64) -> f64 {
        self.core_variance(numbers, p) + self.at_its_modulus(numbers).common()
    }

    /// Returns the output variance by Theorems 1 to 6, with q = 2N in all of them as printed, and by the same formula for other
    /// rows.
    #[must_use]
    pub fn theorem_output_variance(self, numbers: &PaperNumbers, p: f64) -> f64 {
        self.core_at(numbers, p) + numbers.common()
    }

    /// Returns the condition of the intermediate result, if the row has one: EvalFunc (note 1), FDFB-Compress (Theorem 1,
    /// note 4), Comp (notes 3 and 5), FDFB-Select (Theorem 3; with multi-value bootstrap by its proof).
    ///
    /// Note 1 prints 2σ_boot² <= q/(4p), which compares a variance with a length. This function uses
    /// bnd·√(2σ_boot²) <= q/(4p), which agrees with the note's cost of 1.5 bits.
    #[must_use]
    pub fn intermediate_condition(self, numbers: &PaperNumbers, p: f64) -> Option<Condition> {
        let q = numbers.q;
        let rotation = numbers.prime_to_q() * numbers.accumulator();
        let (boot, common) = (numbers.bootstrap(), numbers.common());
        let (name, variance, limit) = match self {
            EvalFunc => ("message without its most significant bit", 2.0 * boot, q / (4.0 * p)),
            FdfbCompress => ("compressed message", boot, q / (4.0 * p)),
            Comp => ("intermediate result", rotation + common, q / (2.0 * p)),
            CompMultiValue => {
                let factor = 2.0 * p * p - 4.0;
                ("intermediate result", factor * rotation + common, q / (2.0 * p))
            }
            FdfbSelect => ("sign", boot, q / 8.0),
            FdfbSelectMultiValue => {
                let norm = p * (p - 1.0).powi(2);
                ("sign", norm * rotation + common, q / 8.0)
            }
            _ => return None,
        };
        Some(Condition::new(name, variance, limit))
    }

    /// Returns all conditions for plaintext modulus p: the input's error |e| and the output's |e'| below q/(2p), with an
    /// additional bit q/(4p), and the condition of the intermediate result. The input's variance is in squared units of the
    /// modulus of the variant's ciphertexts; the paper assumes [`Variant::input_variance`].
    #[must_use]
    pub fn conditions(self, numbers: &PaperNumbers, p: f64, input_variance: f64) -> Vec<Condition> {
        let margin = self.at_its_modulus(numbers).q / (2.0 * p);
        let input = Condition::new("input", input_variance, margin);
        let output = Condition::new("output", self.output_variance(numbers, p), margin);
        [Some(input), self.intermediate_condition(numbers, p), Some(output)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Returns σ_boot² at the modulus of the variant's ciphertexts, which the paper assumes for inputs (Sec. 3 and Table 8).
    #[must_use]
    pub fn input_variance(self, numbers: &PaperNumbers) -> f64 {
        self.at_its_modulus(numbers).bootstrap()
    }

    /// Returns whether all conditions hold for inputs of variance σ_boot².
    #[must_use]
    pub fn supports(self, numbers: &PaperNumbers, p: f64) -> bool {
        self.conditions(numbers, p, self.input_variance(numbers)).iter().all(Condition::holds)
    }
}

/// Returns d_g1 = ⌈log_(B_g1) Q⌉ (note 2 of Table 8).
#[must_use]
pub fn fdfb_ks_digits(numbers: &PaperNumbers) -> f64 {
    digits(numbers.log2_prime, numbers.fdfb_ks_base_log2)
}

/// Returns d_g1·B_g1²/4·N (Table 8, FDFB-KS).
fn fdfb_ks_factor(numbers: &PaperNumbers) -> f64 {
    let base_squared = f64::from(2 * numbers.fdfb_ks_base_log2).exp2();
    fdfb_ks_digits(numbers) * base_squared / 4.0 * numbers.ring_degree as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ma_2024::parameter_sets::{LweSet, insecure_param_fast};
    use cryptable_fhew::full_domain::{TableKind, method, methods};
    use cryptable_fhew::noise::NoiseModel;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} instead of {expected}");
    }

    #[test]
    fn rows_are_the_methods() {
        let numbers = LweSet::Fast.numbers(27);
        for variant in Variant::ALL {
            let method = method(variant.name()).unwrap();
            if variant != FdfbKs {
                assert_eq!(
                    variant.bootstraps(&numbers),
                    method.operations().rotations as u32,
                    "{variant:?}"
                );
            }
        }
        let without = |name| Variant::of_name(name).is_none();
        let names: Vec<_> =
            methods().iter().map(|m| m.name()).filter(|name| without(name)).collect();
        let own = ["FDFB-KS, 2 digits", "FDFB-KS, modulo Q", "FDFB-BFVMult, interleaved"];
        assert_eq!(names, own);
        // Four digits of 15 bits.
        assert_eq!(FdfbKs.bootstraps(&numbers), 5);
    }

    #[test]
    fn ratios_of_table_3() {
        let numbers = LweSet::Fast.numbers(27);
        let (n, p) = (2048.0, 16.0);
        let np = n * n * p * p;
        for (ours, previous, ratio) in [
            (FdfbCancelSign, WopPbs1, 18.0 / np),
            (WopPbs1Refine, WopPbs1, 1.0 / n),
            (FdfbSelect, WopPbs2, 9.0 / np),
            (FdfbSelectAlt, WopPbs2, 27.0 / (2.0 * np)),
            // Table 3 prints 1/N.
            (FdfbBfvMult, WopPbs2, 1.0 / (2.0 * n)),
            (WopPbs1RefineMultiValue, WopPbs1MultiValue, 1.0 / n),
            (FdfbSelectMultiValue, WopPbs2MultiValue, 9.0 / (2.0 * np)),
            (FdfbSelectAltMultiValue, WopPbs2MultiValue, 27.0 / np),
            (FdfbBfvMultMultiValue, WopPbs2MultiValue, 1.0 / n),
        ] {
            let factor = |variant: Variant| variant.accumulator_factor(&numbers, p);
            close(factor(ours) / factor(previous), ratio);
        }
        let error = |variant: Variant| variant.intermediate_condition(&numbers, p).unwrap().error;
        close((error(FdfbCompress) / error(EvalFunc)).powi(2), 0.5);
    }

    #[test]
    fn variances_by_hand() {
        let numbers = LweSet::Fast.numbers(27);
        // (q/Q)²·σ_acc² = 0.078674, σ_com² = 43.5699.
        close(FdfbCompress.output_variance(&numbers, 16.0), numbers.bootstrap());
        // q_pk = 2^25: the switch adds 113.86·2^-26, the packing 5·(31/32)·2048·10.4261·2^-82, which is nothing.
        let theorem = |variant: Variant| variant.theorem_output_variance(&numbers, 16.0);
        close(theorem(FdfbCancelSign) - numbers.common(), 2.0 * 0.078_674);
        close(FdfbCancelSign.core_variance(&numbers, 16.0), 2.0 * 0.078_674 / 4.0);
        close(FdfbSelectMultiValue.core_variance(&numbers, 16.0), 3601.0 * 0.078_674);
        close(theorem(WopPbs1Refine), numbers.common() + 58_254.2 * 0.078_674);
        close(FdfbBfvMult.core_variance(&numbers, 16.0), 58_254.2 * 0.078_674);
        let coarse = PaperNumbers {
            packing: crate::ma_2024::noise::SwitchNumbers { log2_modulus: 15, base_log2: 5 },
            ..numbers
        };
        // 113.861/64.
        let switch =
            FdfbSelect.core_variance(&coarse, 16.0) - FdfbSelect.core_variance(&numbers, 16.0);
        close(switch, 1.779_08);
        // One digit: 2^54·2048/4·4 factors, all at the accumulator.
        let ks = PaperNumbers { rotation_base_log2: 11, ..numbers };
        close(FdfbKs.accumulator_factor(&ks, 16.0), 2f64.powi(41));
    }

    #[test]
    fn the_theorems_q_is_too_strict_for_the_published_parameters() {
        let (numbers, variant) = (LweSet::Decomp.numbers(18), WopPbs1RefineMultiValue);
        assert!(variant.supports(&numbers, 16.0));
        let printed = variant.theorem_output_variance(&numbers, 16.0);
        assert!(!Condition::new("output", printed, numbers.q / 64.0).holds());
    }

    #[test]
    fn theorems_are_those_of_this_paper() {
        let theorems: Vec<_> = Variant::ALL.into_iter().filter_map(Variant::theorem).collect();
        assert_eq!(theorems, [5, 5, 6, 6, 1, 2, 3, 3, 4, 4]);
    }

    /// Secrets are ternary and digits complete, so that the rotations are the paper's. Our prediction is at the LWE modulus,
    /// before the last switch.
    #[test]
    fn our_predictions_are_the_paper_s_for_its_parameters() {
        let parameters = insecure_param_fast(2).unwrap();
        let (numbers, model) = (PaperNumbers::new(&parameters), NoiseModel::new(&parameters));
        let table = TableKind::Worst { input_modulus: 16, output_modulus: 16 };
        for variant in [EvalFunc, FdfbCompress, FdfbCancelSign, FdfbSelect, FdfbSelectAlt, Comp] {
            let noise = method(variant.name()).unwrap().noise(&model, table, model.fresh().law());
            let switch = model.lwe_modulus_switch(parameters.rotation_modulus());
            let paper = numbers.fraction_of_q(variant.theorem_output_variance(&numbers, 16.0));
            let ratio = (noise.output.variance() + switch.0) / paper.0;
            assert!((0.9..1.25).contains(&ratio), "{}: ours/paper {ratio}", variant.name());
        }
    }
}
