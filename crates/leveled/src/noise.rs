//! Noise of circuit bootstrapping and leveled evaluation (Wang et al., EUROCRYPT 2024, ePrint 2024/323, Sec. 5.1 and
//! Theorems 1 and 2).
//!
//! The paper bounds the noise of an RGSW ciphertext as if every coefficient had the largest variance. Here what this
//! crate computes is followed: after the trace, blind rotation's noise is in the constant coefficient alone, so that a
//! CMUX meets it once in the body's rows instead of N times, and `N·E[s²]` times in the mask's.

use cryptable_fhew::noise::{NoiseModel, Variance, second_moment};
use cryptable_lattice::NoiseBound;

use crate::parameters::CircuitBootstrappingParameters;

/// Noise of the rows of a circuit-bootstrapped RGSW ciphertext, as fractions of Q².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgswNoise {
    /// Constant coefficient of a body's row: blind rotation and trace.
    pub constant: Variance,
    /// Sum over all coefficients of a body's row.
    pub body: Variance,
    /// Sum over all coefficients of a mask's row.
    pub mask: Variance,
}

/// Variances of circuit bootstrapping under one parameter set.
#[derive(Clone, Debug)]
pub struct CircuitBootstrappingNoise {
    parameters: CircuitBootstrappingParameters,
    model: NoiseModel,
    rgsw: RgswNoise,
}

impl CircuitBootstrappingNoise {
    /// Variances under these parameters.
    #[must_use]
    pub fn new(parameters: &CircuitBootstrappingParameters) -> Self {
        let model = NoiseModel::new(parameters.fhew());
        let rgsw = by_trace(&model, parameters.sparsity_log2());
        Self { parameters: parameters.clone(), model, rgsw }
    }

    /// With RGSW ciphertexts of another circuit bootstrap.
    #[must_use]
    pub fn with_rgsw(mut self, rgsw: RgswNoise) -> Self {
        self.rgsw = rgsw;
        self
    }

    /// Noise of blind rotation, key switching, trace and scheme switching.
    #[must_use]
    pub fn model(&self) -> &NoiseModel {
        &self.model
    }

    /// Variance of a fresh ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Variance {
        let modulus = self.model.parameters().prime() as f64;
        Variance::of_units(cryptable_lattice::ERROR_VARIANCE, modulus)
    }

    /// Noise of a circuit-bootstrapped RGSW ciphertext.
    #[must_use]
    pub fn rgsw(&self) -> RgswNoise {
        self.rgsw
    }

    /// What a CMUX adds, if its bit is 1 with this probability ("Noise Add"):
    /// `ℓ·B²/12·(Σ body + Σ mask) + ones·rounding·(1 + N·E[s²])`.
    #[must_use]
    pub fn cmux(&self, ones: f64) -> Variance {
        let gadget = self.parameters.rgsw_gadget();
        let literal = self.model.parameters().literal();
        let rgsw = self.rgsw();
        let products = (rgsw.body + rgsw.mask) * (gadget.length() as f64 * gadget.digit_variance());
        let secret = literal.ring_degree as f64 * second_moment(literal.ring_secret);
        let rounding = gadget.rounding_variance() * (1.0 + secret) * ones;
        products + Variance::of_units(rounding, self.model.parameters().prime() as f64)
    }

    /// Longest chain of CMUXes, on bits that are as often 0 as 1 (as the paper counts), whose result a circuit
    /// bootstrap takes, failing with probability 2^-64 at most.
    #[must_use]
    pub fn max_depth(&self) -> u64 {
        (self.parameters.input_variance().0 / self.cmux(0.5).0) as u64
    }

    /// log2 of the probability that a circuit bootstrap reads an input with this noise wrong: a variance, or a bound with a
    /// bias, which the margin loses.
    #[must_use]
    pub fn log2_fail(&self, input: impl Into<NoiseBound>) -> f64 {
        let input: NoiseBound = input.into();
        let sparse = self.model.lwe_modulus_switch(self.parameters.sparse_modulus());
        let switches = NoiseBound::from(self.model.key_switching() + sparse);
        input.with_independent(switches).log2_exceeds(self.parameters.margin())
    }
}

/// Σ over the trace's noise: mean N - 1 of an automorphism (Theorem 2 bounds all by the constant's, (N² - 1)/3).
fn by_trace(model: &NoiseModel, sparsity_log2: u32) -> RgswNoise {
    let literal = model.parameters().literal();
    let degree = literal.ring_degree as f64;
    let rotation = model.sparse_blind_rotation(sparsity_log2);
    let trace = model.packing(cryptable_fhew::packing::PackedLength::Constant);
    let body = rotation + model.packing_mean() * degree;
    let times_secret = body * (degree * second_moment(literal.ring_secret));
    let mask = times_secret + model.scheme_switching() * degree;
    RgswNoise { constant: rotation + trace, body, mask }
}
