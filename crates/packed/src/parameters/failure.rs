//! The failure probability of a lookup, from its dry run.

use std::f64::consts::TAU;

use cryptable_ckks::bootstrapping::exponential::Exponential;
use cryptable_ckks::overflow::{gaussian_ratio_for, gaussian_tail_log2, tail_log2};
use cryptable_lattice::NoiseBound;

use crate::akp::interpolation::Interpolation;
use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::parameters::circuit::{Circuit, RaisedNoise};

/// Where the probability comes from that one value decrypts wrong.
///
/// Three things may push an output by half a step, 1/(2P): noise that the dry run predicts, taken as
/// Gaussian and for the worst table; the square of the phase's error, which the interpolation leaves
/// (its first derivative is zero), taken at its bound; and an overflow beyond the interval of the
/// exponential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureEstimate {
    /// Standard deviation of the output, as a fraction of the half step.
    pub noise_ratio: f64,
    /// The same for uniformly random tables, with what squared phase errors, and for AKP the exponential's approximation,
    /// add on average: what to expect of a measurement.
    pub typical_ratio: f64,
    /// The squared phase error and the exponential's approximation error, as a fraction of it.
    pub bias_ratio: f64,
    /// log2 of the probability that noise is too large.
    pub log2_noise: f64,
    /// log2 of the probability that the overflow is outside the interval.
    pub log2_overflow: f64,
}

/// What the failure probability of a lookup follows from, for any noise of its input.
#[derive(Clone, Debug)]
pub(crate) struct FailureModel {
    literal: ParametersLiteral,
    /// Bound K of the phase.
    bound: f64,
    /// Variance that noise adds to outputs of the worst table, as fractions of P.
    worst_noise: f64,
    /// The same of a random table.
    typical_noise: f64,
    /// Variance of the exponential's noise beyond that of its phase.
    exponential_noise: f64,
    /// Variance of the noise of x = t/K: what the circuit adds, and what the variance of a coefficient of the raised
    /// input, modulo q_0, is multiplied by. Every step up to there is linear.
    phase_noise: [f64; 2],
}

/// The error of a phase t: one, or one a digit. Fractions of the torus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseError {
    /// Variance of its noise.
    variance: f64,
    /// Largest error that is no chance.
    bias: f64,
}

impl FailureModel {
    /// Follows a dry run of a circuit.
    pub(crate) fn new(literal: &ParametersLiteral, circuit: &Circuit) -> Self {
        let prediction = circuit.predict_worst(literal, 1);
        // The result's noise is that of slots: n of them share it out to n coefficients.
        let rounding = literal.output_rounding();
        let shared = |noise: f64| noise / literal.slots as f64 + rounding;
        let typical = match circuit {
            Circuit::Multiplexer(circuit) => {
                let modulus = literal.output_modulus as f64;
                circuit.predict(modulus * modulus / 12.0, 1).result
            }
            Circuit::Akp(circuit) => {
                circuit.predict(&Interpolation::new(&literal.typical_table()), 1).result
            }
        };
        let front = circuit.phase_exponential();
        let (dry_run, matrices) = (circuit.dry_run(), front.coeffs_to_slots.plans());
        let phase_noise =
            |input| front.phases(&dry_run, &matrices, front.raised_shape(input))[0].noise.0;
        // Noise of about what the circuit adds, so that the difference has its full precision.
        let unit = literal.ring_degree as f64;
        let fixed = phase_noise(0.0);
        Self {
            literal: literal.clone(),
            bound: front.bound,
            worst_noise: shared(prediction.result.noise.0),
            typical_noise: shared(typical.noise.0),
            exponential_noise: prediction.exponential.noise.0,
            phase_noise: [fixed, (phase_noise(unit) - fixed) / unit],
        }
    }

    /// The error of a phase of which a raised coefficient has noise of this variance modulo q_0, and this bias.
    pub(crate) fn phase(&self, RaisedNoise { variance, bias }: RaisedNoise) -> PhaseError {
        let [fixed, gain] = self.phase_noise;
        PhaseError { variance: self.bound * self.bound * (fixed + gain * variance), bias }
    }

    /// The failure probability of a lookup of inputs with some noise: with each, how many of the next digits it has.
    pub(crate) fn of_inputs(
        &self,
        circuit: &Circuit,
        inputs: &[(NoiseBound, usize)],
    ) -> FailureEstimate {
        let mut start = 0;
        let mut phases = Vec::with_capacity(circuit.digits());
        for &(noise, digits) in inputs {
            let raised = circuit.raised_noise(noise, start..start + digits).into_iter();
            phases.extend(raised.map(|raised| self.phase(raised)));
            start += digits;
        }
        self.estimate(&phases)
    }

    /// The failure probability of a lookup of any table, by phases with these errors.
    fn estimate(&self, phases: &[PhaseError]) -> FailureEstimate {
        let literal = &self.literal;
        let half_step = 0.5 / literal.output_modulus as f64;
        let (typical, variance, bias) = match &literal.multiplexer {
            None => {
                let (variance, bias) = self.akp_errors(phases);
                (self.typical_akp_variance(phases), variance, bias)
            }
            Some(multiplexer) => {
                let is_cleaned = multiplexer.delta_cleanings > 0;
                let typical = if is_cleaned {
                    0.0
                } else {
                    typical_bias_variance(&multiplexer.digits, phases)
                };
                (typical, self.worst_noise, self.multiplexer_bias(multiplexer, phases))
            }
        };
        let (ratio, bias) = (variance.sqrt() / half_step, bias / half_step);
        let log2_noise = if bias < 1.0 { gaussian_tail_log2((1.0 - bias) / ratio) } else { 0.0 };
        FailureEstimate {
            noise_ratio: ratio,
            typical_ratio: (self.typical_noise + typical).sqrt() / half_step,
            bias_ratio: bias,
            log2_noise,
            log2_overflow: tail_log2(literal.sparse_weight, self.bound) + literal.log2_raises(),
        }
    }

    /// The largest error of a phase, as a fraction of the torus, at the stated failure probability.
    fn phase_error(&self, phase: PhaseError) -> f64 {
        phase.bias + phase.variance.sqrt() * gaussian_ratio_for(self.literal.log2_fail)
    }

    /// Variance and bias of AKP: what the table makes of the exponential's noise is added.
    fn akp_errors(&self, phases: &[PhaseError]) -> (f64, f64) {
        let p = self.literal.input_modulus as f64;
        // The dry run takes the mean over inputs of how much the table amplifies the exponential's relative
        // noise; at one input it may be p/3 for outputs within [-1/2, 1/2].
        let gain = if self.literal.input_modulus == 2 { 0.0 } else { p / 3.0 };
        let worst = self.worst_noise + gain * gain * self.exponential_noise / 2.0;
        let phase = self.phase_error(phases[0]);
        let approximation = self.approximation_error() * (1.0 + gain);
        (worst, curvature(p) * phase * phase / 2.0 + approximation)
    }

    /// What phase errors and the exponential's approximation leave in deltas, added over digits: an error of
    /// the deltas of one digit changes outputs as it changes a table over that digit.
    fn multiplexer_bias(&self, multiplexer: &MultiplexerLiteral, phases: &[PhaseError]) -> f64 {
        let approximation = self.approximation_error();
        let mut modulus = approximation;
        for _ in 0..self.literal.exponential_cleanings {
            modulus = 4.0 * modulus * modulus;
        }
        let digit_bias = |(&digit, &phase): (&u64, &PhaseError)| {
            let p = digit as f64;
            let phase = self.phase_error(phase) + approximation / TAU;
            let mut bias = curvature(p) * phase * phase / 2.0 + (1.0 + p / 3.0) * modulus;
            for _ in 0..multiplexer.delta_cleanings {
                bias = 3.0 * p * bias * bias;
            }
            bias
        };
        multiplexer.digits.iter().zip(phases).map(digit_bias).sum()
    }

    /// Variance that a uniformly random table of AKP adds: squared phase errors, and the exponential's errors of modulus
    /// times the table's gains, `g = -R''/(2π²p)`, of which the mean square is `(p^4 - 1)/(90·p²)`.
    ///
    /// Errors of modulus are half of its noise, and of its approximation. That one's bound is twice the first term that
    /// the Chebyshev series leaves out, an oscillation of which the mean square is half, and half of that along the
    /// modulus.
    fn typical_akp_variance(&self, phases: &[PhaseError]) -> f64 {
        let (modulus, p) = (self.literal.input_modulus, self.literal.input_modulus as f64);
        let gain = if modulus == 2 { 0.0 } else { (p.powi(4) - 1.0) / (90.0 * p * p) };
        let approximation = (self.approximation_error() / 4.0).powi(2);
        typical_bias_variance(&[modulus], phases)
            + gain * (self.exponential_noise / 2.0 + approximation)
    }

    fn approximation_error(&self) -> f64 {
        let (literal, shape) = (&self.literal, self.literal.exponential_shape());
        Exponential::approximation_error(
            literal.phase_function(),
            self.bound,
            shape.doublings,
            shape.log_length,
        )
    }
}

impl FailureEstimate {
    /// log2 of the probability that one value decrypts wrong.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        let (high, low) = if self.log2_noise > self.log2_overflow {
            (self.log2_noise, self.log2_overflow)
        } else {
            (self.log2_overflow, self.log2_noise)
        };
        high + (1.0 + (low - high).exp2()).log2()
    }
}

/// |R''| of the interpolation of outputs within [-1/2, 1/2] over p inputs is at most `(2π)²·p²/6`.
fn curvature(p: f64) -> f64 {
    TAU * TAU * p * p / 6.0
}

/// Variance that squared phase errors of all digits add to outputs of uniformly random tables within
/// [-1/2, 1/2]: of `R''·φ²/2`, φ Gaussian.
///
/// `R''` at a node is `Σ_d f(m - d)·D''(d/p)`, D the Fejér kernel. Its terms k and p - k agree at nodes, so
/// that `D''(d/p) = -(2π)²/p·Σ_k k(p - k)·cos(2πkd/p)` and `Σ_d D''(d/p)² = (2π)^4·(p^4 - 1)/30`.
fn typical_bias_variance(digits: &[u64], phases: &[PhaseError]) -> f64 {
    let digit_variance = |(&digit, phase): (&u64, &PhaseError)| {
        let curvature = TAU.powi(4) * ((digit as f64).powi(4) - 1.0) / 30.0 / 12.0;
        // E φ⁴ = 3σ⁴.
        curvature * 3.0 * phase.variance * phase.variance / 4.0
    };
    digits.iter().zip(phases).map(digit_variance).sum()
}
