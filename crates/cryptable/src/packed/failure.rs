//! The failure probability of a lookup, from its dry run.

use std::f64::consts::TAU;

use cryptable_ckks::overflow::{gaussian_ratio_for, gaussian_tail_log2, tail_log2};

use crate::packed::akp::AkpCircuit;
use crate::packed::exponential::Exponential;
use crate::packed::interpolation::Interpolation;
use crate::parameters::ParametersLiteral;

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
    /// The squared phase error and the exponential's approximation error, as a fraction of it.
    pub bias_ratio: f64,
    /// log2 of the probability that noise is too large.
    pub log2_noise: f64,
    /// log2 of the probability that the overflow is outside the interval.
    pub log2_overflow: f64,
}

impl FailureEstimate {
    /// Predicts it for a circuit and any table.
    #[must_use]
    pub fn new(literal: &ParametersLiteral, circuit: &AkpCircuit) -> Self {
        let p = literal.input_modulus as f64;
        let half_step = 0.5 / literal.output_modulus as f64;
        let prediction = circuit.predict(&Interpolation::new(&literal.worst_table()));
        // The result's noise is that of slots: n of them share it out to n coefficients.
        let slots = literal.slots as f64;
        let rounding = (1.0 + 2.0 * literal.ring_degree as f64 / 3.0)
            / 12.0
            / (2.0 * f64::from(literal.log2_ciphertext_modulus)).exp2();
        let variance = prediction.result.noise.0 / slots + rounding;
        // The dry run takes the mean over inputs of how much the table amplifies the wave's relative
        // noise; at one input it may be p/3 for outputs within [-1/2, 1/2].
        let gain = if literal.input_modulus == 2 { 0.0 } else { p / 3.0 };
        let worst = variance + gain * gain * prediction.wave.noise.0 / 2.0;
        let ratio = worst.sqrt() / half_step;
        // |R''| is at most (2π)²·p²/6 for such outputs.
        let tail = gaussian_ratio_for(literal.log2_fail);
        let phase = circuit.bound * prediction.phase.noise.0.sqrt() * tail;
        let curvature = TAU * TAU * p * p / 6.0;
        let approximation = Exponential::approximation_error(
            literal.wave(),
            circuit.bound,
            literal.doublings,
            literal.chebyshev_log_length,
        ) * (1.0 + gain);
        let bias = (curvature * phase * phase / 2.0 + approximation) / half_step;
        let log2_noise = if bias < 1.0 { gaussian_tail_log2((1.0 - bias) / ratio) } else { 0.0 };
        Self {
            noise_ratio: ratio,
            bias_ratio: bias,
            log2_noise,
            log2_overflow: tail_log2(literal.sparse_weight, circuit.bound),
        }
    }

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
