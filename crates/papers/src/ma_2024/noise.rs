//! The noise formulas of Ma, Huang, Wang, Zhou and Wang (TCHES 2024) as printed, for comparison.
//!
//! [`cryptable_fhew::noise`] and the methods' [`cryptable_fhew::full_domain::FullDomainMethod::noise`] predict the noise of
//! cryptable-fhew. This module is the paper's own analysis, in the paper's units: variances are in squared
//! units of the modulus that each function names, and [`PaperNumbers::fraction_of_q`] converts those of q = 2N (Table 2
//! prints N = 2q) to a [`Variance`]. The two analyses differ as follows:
//!
//! - The paper's secrets are ternary (second moment 2/3). Binary secrets have half of the RGSW ciphertexts and no
//!   second term in a step of blind rotation: a quarter of σ_acc², and (n/4 + 1)/(2n/3 + 1) of σ_ms²(n).
//! - The paper decomposes completely, into ⌈log_B Q⌉ digits. Here the low bits may be rounded away, so there are fewer
//!   digits, and a rounding error instead.
//! - The paper's key switching adds tabulated rows, each with noise σ² + 1/4. Here digits multiply rows, each with noise
//!   (B² + 2)/12·σ².
//! - The paper's variances of multi-value bootstrapping bound the norm of the second factor by p(p - 1)², and those
//!   of BFV multiplication include only the dominant term. Here the norms and terms are those of the given table.
//!
//! Where the printed formulas disagree among themselves, the function's documentation says so.

pub mod decomposition;
pub mod full_domain;
pub mod operators;

use cryptable_fhew::noise::Variance;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::ERROR_VARIANCE;

/// bnd = √2·erfc⁻¹(2^-32) ≈ 6.338 (Sec. 2.4): a centred Gaussian exceeds bnd·σ with probability 2^-32.
pub const BOUND: f64 = 6.338;

/// log2 of B_g1 of the fastest FDFB-KS in Table 11 (which calls it B_g0).
pub const DEFAULT_FDFB_KS_BASE_LOG2: u32 = 15;

/// Modulus and base of a key switch: q_ks and B_ks, or q_pk and B_pk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchNumbers {
    /// log2 of the modulus.
    pub log2_modulus: u32,
    /// log2 of the base.
    pub base_log2: u32,
}

impl SwitchNumbers {
    /// Returns d_ks = ⌈log_B q⌉ (Lemma 1).
    #[must_use]
    pub fn digits(self) -> u32 {
        self.log2_modulus.div_ceil(self.base_log2)
    }

    /// Returns the modulus, 2^`log2_modulus`.
    #[must_use]
    pub fn modulus(self) -> f64 {
        f64::from(self.log2_modulus).exp2()
    }

    /// Returns the base, 2^`base_log2`.
    #[must_use]
    pub fn base(self) -> f64 {
        f64::from(self.base_log2).exp2()
    }
}

/// The arguments of the paper's formulas (Table 2, and the columns of Tables 11 and 12).
///
/// ```
/// use cryptable_papers::ma_2024::noise::PaperNumbers;
/// use cryptable_fhew::parameters::Parameters;
/// let numbers = PaperNumbers::new(&Parameters::default_128());
/// assert_eq!(numbers.q, 4096.0);
/// assert!(numbers.beta() > 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaperNumbers {
    /// LWE dimension n.
    pub lwe_dimension: usize,
    /// Ring degree N.
    pub ring_degree: usize,
    /// q, the modulus in units of which phases are measured: 2N, or N with an additional bit (note § of Table 8).
    pub q: f64,
    /// log2 of Q.
    pub log2_prime: f64,
    /// σ², the variance of encryption errors.
    pub error_variance: f64,
    /// log2 of B_g, the base of blind rotation.
    pub rotation_base_log2: u32,
    /// q_ks and B_ks.
    pub key_switching: SwitchNumbers,
    /// q_pk and B_pk.
    pub packing: SwitchNumbers,
    /// log2 of B_g1, the base of FDFB-KS (B_g0 in Tables 11 and 12).
    pub fdfb_ks_base_log2: u32,
}

impl PaperNumbers {
    /// Returns the numbers of a parameter set that the paper has: the bases, with the number of digits that the paper's
    /// formulas count. q_pk is the modulus that the packing digits hold; B_g1 is
    /// [`DEFAULT_FDFB_KS_BASE_LOG2`].
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let literal = parameters.literal();
        let packing = literal.packing;
        Self {
            lwe_dimension: literal.lwe_dimension,
            ring_degree: literal.ring_degree,
            q: parameters.rotation_modulus() as f64,
            log2_prime: parameters.log2_prime(),
            error_variance: ERROR_VARIANCE,
            rotation_base_log2: literal.rotation.mask.base_log2,
            key_switching: SwitchNumbers {
                log2_modulus: literal.log2_lwe_modulus,
                base_log2: literal.key_switching.base_log2,
            },
            packing: SwitchNumbers {
                log2_modulus: packing.base_log2 * packing.length as u32,
                base_log2: packing.base_log2,
            },
            fdfb_ks_base_log2: DEFAULT_FDFB_KS_BASE_LOG2,
        }
    }

    /// Returns the same numbers at q/2, as note § of Table 8 has them for variants with an additional bit.
    #[must_use]
    pub fn halved(self) -> Self {
        Self { q: self.q / 2.0, ..self }
    }

    /// Returns the ring's modulus Q.
    #[must_use]
    pub fn prime(&self) -> f64 {
        self.log2_prime.exp2()
    }

    /// Converts a variance from squared units of q to a fraction of q².
    #[must_use]
    pub fn fraction_of_q(&self, units: f64) -> Variance {
        Variance::of_units(units, self.q)
    }
}

/// A condition of a theorem: an error bounded by bnd·σ must stay below a limit, in units of q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Name of the bounded quantity.
    pub name: &'static str,
    /// The bound on the error, bnd·σ.
    pub error: f64,
    /// Upper bound.
    pub limit: f64,
}

impl Condition {
    /// Returns the condition that bnd times the square root of a variance is below a limit.
    #[must_use]
    pub fn new(name: &'static str, variance: f64, limit: f64) -> Self {
        Self { name, error: BOUND * variance.sqrt(), limit }
    }

    /// Returns whether the condition holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.error < self.limit
    }
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::gaussian_tail::gaussian_tail_log2;

    use super::*;

    #[test]
    fn the_bound_is_that_of_the_probability() {
        assert!((gaussian_tail_log2(BOUND) + 32.0).abs() < 0.01);
    }

    #[test]
    fn numbers_are_those_of_the_parameters() {
        let numbers = PaperNumbers::new(&Parameters::decomposition_128());
        assert_eq!(numbers.key_switching, SwitchNumbers { log2_modulus: 20, base_log2: 2 });
        assert_eq!((numbers.key_switching.digits(), numbers.key_switching.base()), (10, 4.0));
        assert_eq!(numbers.packing.modulus(), f64::from(1 << 24));
        assert_eq!((numbers.lwe_dimension, numbers.rotation_base_log2), (820, 22));
        assert_eq!(numbers.fraction_of_q(4096.0), Variance(1.0 / 4096.0));
    }
}
