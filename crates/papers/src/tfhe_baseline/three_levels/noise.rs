//! Noise of three levels, as fractions of the torus squared, and of what can be evaluated between circuit bootstraps.

use cryptable_fhew::noise::{NoiseModel, Variance, second_moment};
use cryptable_lattice::FailureProbability;
use cryptable_lattice::gaussian_tail::gaussian_ratio_for;
use cryptable_lattice::lwe::modulus_switch_variance;
use cryptable_lattice::security::SecretDistribution;
use cryptable_leveled::noise::RgswNoise;

use super::parameters::{TORUS, ThreeLevelParameters};
use crate::tfhe_baseline::{PrivateKeyForm, PrivateSwitchingNoise};

/// The largest error of a bit's phase.
const MARGIN: f64 = 0.25;

/// Variances under one parameter set.
///
/// ```
/// use cryptable_papers::tfhe_baseline::PrivateKeyForm;
/// use cryptable_papers::tfhe_baseline::three_levels::{ThreeLevelNoise, ThreeLevelParameters};
/// let parameters = ThreeLevelParameters::insecure_tfhepp(PrivateKeyForm::Products);
/// let noise = ThreeLevelNoise::new(&parameters);
/// // "RGSW Output" of Table 7 is 2^-33.3.
/// assert!((noise.private_switching().rows.0.log2() + 33.2).abs() < 0.1);
/// assert!(noise.max_depth() < 9);
/// ```
#[derive(Clone, Debug)]
pub struct ThreeLevelNoise {
    parameters: ThreeLevelParameters,
    rotation: Variance,
}

impl ThreeLevelNoise {
    /// Variances under these parameters.
    #[must_use]
    pub fn new(parameters: &ThreeLevelParameters) -> Self {
        let rotation = NoiseModel::new(parameters.level_2()).blind_rotation();
        Self { parameters: parameters.clone(), rotation }
    }

    /// Variance of errors of a level.
    fn errors(&self, level: usize) -> f64 {
        (2.0 * self.parameters.literal().log2_deviations[level]).exp2()
    }

    /// N·E[s²] of a binary secret of level 1.
    fn level_1_norm(&self) -> f64 {
        self.parameters.level_1().degree() as f64 * second_moment(SecretDistribution::Binary)
    }

    /// A private key switch: rows `ℓ·N̄·E·σ_1²`, E the second moment of a digit for products and the probability that it
    /// is not 0 for pre-computed rows; rounding `N̄·E[s²]·2^(-2wℓ)/12`, and that of the body to 32 bits. Weights are
    /// powers of two, and exact.
    #[must_use]
    pub fn private_switching(&self) -> PrivateSwitchingNoise {
        let gadget = self.parameters.private_gadget();
        let top = self.parameters.level_2().ring_degree() as f64;
        let (base, length) = (f64::from(gadget.base_log2()), gadget.length() as f64);
        let moment = match self.parameters.literal().form {
            PrivateKeyForm::Products => gadget.digit_variance(),
            PrivateKeyForm::Precomputed => 1.0 - (-base).exp2(),
        };
        let rounded = (-2.0 * base * length).exp2() / 12.0;
        let norm = top * second_moment(SecretDistribution::Binary);
        let body = Variance::of_units(1.0 / 12.0, TORUS as f64);
        PrivateSwitchingNoise {
            rounding: Variance(rounded * norm) + body,
            rows: Variance(length * top * moment * self.errors(1)),
        }
    }

    /// Noise of a circuit-bootstrapped RGSW ciphertext: a row has blind rotation's noise and what private key switching
    /// rounds in one coefficient, or that times the secret of level 1, and its rows' errors in all.
    #[must_use]
    pub fn rgsw(&self) -> RgswNoise {
        let PrivateSwitchingNoise { rounding, rows } = self.private_switching();
        let phase = self.rotation + rounding;
        let all = rows * self.parameters.level_1().degree() as f64;
        RgswNoise {
            constant: phase + rows,
            body: phase + all,
            mask: phase * self.level_1_norm() + all,
            spread: all * 2.0,
            largest: phase * (1.0 + self.level_1_norm()),
        }
    }

    /// What a CMUX adds, if its bit is 1 with this probability: `ℓ·E[digit²]·(Σ body + Σ mask) +
    /// ones·2^(-2wℓ)/12·(1 + N·E[s²])`.
    ///
    /// "Noise Add" of the paper (Sec. 5.1.1) counts one of the two sums.
    #[must_use]
    pub fn cmux(&self, ones: f64) -> Variance {
        let gadget = self.parameters.rgsw_gadget();
        let RgswNoise { body, mask, .. } = self.rgsw();
        let products = (body + mask) * (gadget.length() as f64 * gadget.digit_variance());
        let bits = gadget.base_log2() as usize * gadget.length();
        let rounded = (-2.0 * bits as f64).exp2() / 12.0;
        products + Variance(ones * rounded * (1.0 + self.level_1_norm()))
    }

    /// LWE key switching from level 1 to level 0: `ℓ·N·E[digit²]·σ_0² + N·E[s²]·2^(-2wℓ)/12`.
    #[must_use]
    pub fn key_switching(&self) -> Variance {
        let gadget = self.parameters.key_switching_gadget();
        let terms = (gadget.length() * self.parameters.level_1().degree()) as f64;
        let rows = Variance(terms * gadget.digit_variance() * self.errors(0));
        let rounding = gadget.rounding_variance() * self.level_1_norm();
        rows + Variance::of_units(rounding, TORUS as f64)
    }

    /// Rounding of level 0 to multiples of 2^θ modulo 2N̄.
    #[must_use]
    pub fn sparse_rounding(&self) -> Variance {
        let dimension = self.parameters.literal().lwe_dimension;
        let units = modulus_switch_variance(dimension, SecretDistribution::Binary);
        Variance::of_units(units, self.parameters.sparse_modulus() as f64)
    }

    /// Variance of an input's phase that a circuit bootstrap may get, failing with probability 2^-64 then; 0 if even
    /// inputs without noise fail more often.
    #[must_use]
    pub fn input_variance(&self) -> Variance {
        let ratio = gaussian_ratio_for(FailureProbability::DEFAULT.log2());
        let spent = self.key_switching() + self.sparse_rounding();
        Variance(((MARGIN / ratio).powi(2) - spent.0).max(0.0))
    }

    /// log2 of the probability that a circuit bootstrap reads an input of this variance wrong.
    #[must_use]
    pub fn log2_fail(&self, input: Variance) -> f64 {
        (input + self.key_switching() + self.sparse_rounding()).law().log2_exceeds(MARGIN)
    }

    /// Longest chain of CMUXes, on bits that are as often 0 as 1, whose result a circuit bootstrap takes, failing with
    /// probability 2^-64 at most.
    #[must_use]
    pub fn max_depth(&self) -> u64 {
        (self.input_variance().0 / self.cmux(0.5).0) as u64
    }
}
