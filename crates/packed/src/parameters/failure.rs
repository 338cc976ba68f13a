//! The failure probability of a lookup, from its dry run.

use std::f64::consts::TAU;

use cryptable_ckks::dry_run::Shape;
use cryptable_ckks::overflow::{gaussian_ratio_for, gaussian_tail_log2, tail_log2};

use crate::akp::interpolation::Interpolation;
use crate::bootstrapping::exponential::Exponential;
use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::parameters::circuit::{Circuit, CircuitPrediction};

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

impl FailureEstimate {
    /// Predicts it for a circuit and any table.
    pub(crate) fn new(literal: &ParametersLiteral, circuit: &Circuit) -> Self {
        let prediction = circuit.predict_worst(literal, 1);
        let bound = circuit.phase_exponential().bound;
        let half_step = 0.5 / literal.output_modulus as f64;
        // The result's noise is that of slots: n of them share it out to n coefficients.
        let rounding = literal.output_rounding();
        let shared = |noise: f64| noise / literal.slots as f64 + rounding;
        let variance = shared(prediction.result.noise.0);
        let typical = match (circuit, &literal.multiplexer) {
            (Circuit::Multiplexer(circuit), Some(multiplexer)) => {
                let modulus = literal.output_modulus as f64;
                let noise = circuit.predict(modulus * modulus / 12.0, 1).result.noise.0;
                let digits = &multiplexer.digits;
                let is_cleaned = multiplexer.delta_cleanings > 0;
                let bias = typical_bias_variance(digits, &prediction.phases, bound);
                shared(noise) + if is_cleaned { 0.0 } else { bias }
            }
            (Circuit::Akp(circuit), _) => {
                let table = Interpolation::new(&literal.typical_table());
                let noise = circuit.predict(&table, 1).result.noise.0;
                shared(noise) + typical_akp_variance(literal, &prediction, bound)
            }
            _ => variance,
        };
        let (variance, bias) = match &literal.multiplexer {
            None => akp_errors(literal, &prediction, bound, variance),
            Some(multiplexer) => {
                (variance, multiplexer_bias(literal, multiplexer, &prediction, bound))
            }
        };
        let (ratio, bias) = (variance.sqrt() / half_step, bias / half_step);
        let log2_noise = if bias < 1.0 { gaussian_tail_log2((1.0 - bias) / ratio) } else { 0.0 };
        Self {
            noise_ratio: ratio,
            typical_ratio: typical.sqrt() / half_step,
            bias_ratio: bias,
            log2_noise,
            log2_overflow: tail_log2(literal.sparse_weight, bound) + literal.log2_raises(),
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

/// The largest phase error, as a fraction of the torus, at the stated failure probability.
fn phase_error(literal: &ParametersLiteral, prediction: &CircuitPrediction, bound: f64) -> f64 {
    let worst = prediction.phases.iter().map(|phase| phase.noise.0).fold(0.0, f64::max);
    bound * worst.sqrt() * gaussian_ratio_for(literal.log2_fail)
}

/// |R''| of the interpolation of outputs within [-1/2, 1/2] over p inputs is at most `(2π)²·p²/6`.
fn curvature(p: f64) -> f64 {
    TAU * TAU * p * p / 6.0
}

fn approximation_error(literal: &ParametersLiteral, bound: f64) -> f64 {
    let shape = literal.exponential_shape();
    Exponential::approximation_error(
        literal.phase_function(),
        bound,
        shape.doublings,
        shape.log_length,
    )
}

/// Variance and bias of AKP: what the table makes of the exponential's noise is added.
fn akp_errors(
    literal: &ParametersLiteral,
    prediction: &CircuitPrediction,
    bound: f64,
    variance: f64,
) -> (f64, f64) {
    let p = literal.input_modulus as f64;
    // The dry run takes the mean over inputs of how much the table amplifies the exponential's relative
    // noise; at one input it may be p/3 for outputs within [-1/2, 1/2].
    let gain = if literal.input_modulus == 2 { 0.0 } else { p / 3.0 };
    let worst = variance + gain * gain * prediction.exponential.noise.0 / 2.0;
    let phase = phase_error(literal, prediction, bound);
    let approximation = approximation_error(literal, bound) * (1.0 + gain);
    (worst, curvature(p) * phase * phase / 2.0 + approximation)
}

/// What phase errors and the exponential's approximation leave in deltas, added over digits: an error of
/// the deltas of one digit changes outputs as it changes a table over that digit.
fn multiplexer_bias(
    literal: &ParametersLiteral,
    multiplexer: &MultiplexerLiteral,
    prediction: &CircuitPrediction,
    bound: f64,
) -> f64 {
    let approximation = approximation_error(literal, bound);
    let phase = phase_error(literal, prediction, bound) + approximation / TAU;
    let mut modulus = approximation;
    for _ in 0..literal.exponential_cleanings {
        modulus = 4.0 * modulus * modulus;
    }
    let digit_bias = |&digit: &u64| {
        let p = digit as f64;
        let mut bias = curvature(p) * phase * phase / 2.0 + (1.0 + p / 3.0) * modulus;
        for _ in 0..multiplexer.delta_cleanings {
            bias = 3.0 * p * bias * bias;
        }
        bias
    };
    multiplexer.digits.iter().map(digit_bias).sum()
}

/// Variance that squared phase errors of all digits add to outputs of uniformly random tables within
/// [-1/2, 1/2]: of `R''·φ²/2`, φ Gaussian.
///
/// `R''` at a node is `Σ_d f(m - d)·D''(d/p)`, D the Fejér kernel. Its terms k and p - k agree at nodes, so
/// that `D''(d/p) = -(2π)²/p·Σ_k k(p - k)·cos(2πkd/p)` and `Σ_d D''(d/p)² = (2π)^4·(p^4 - 1)/30`.
fn typical_bias_variance(digits: &[u64], phases: &[Shape], bound: f64) -> f64 {
    let digit_variance = |(&digit, phase): (&u64, &Shape)| {
        let curvature = TAU.powi(4) * ((digit as f64).powi(4) - 1.0) / 30.0 / 12.0;
        // E φ⁴ = 3σ⁴.
        let phase_variance = bound * bound * phase.noise.0;
        curvature * 3.0 * phase_variance * phase_variance / 4.0
    };
    digits.iter().zip(phases).map(digit_variance).sum()
}

/// Variance that a uniformly random table of AKP adds: squared phase errors, and the exponential's errors of modulus
/// times the table's gains, `g = -R''/(2π²p)`, of which the mean square is `(p^4 - 1)/(90·p²)`.
///
/// Errors of modulus are half of its noise, and of its approximation. That one's bound is twice the first term that the
/// Chebyshev series leaves out, an oscillation of which the mean square is half, and half of that along the modulus.
fn typical_akp_variance(
    literal: &ParametersLiteral,
    prediction: &CircuitPrediction,
    bound: f64,
) -> f64 {
    let (modulus, p) = (literal.input_modulus, literal.input_modulus as f64);
    let gain = if modulus == 2 { 0.0 } else { (p.powi(4) - 1.0) / (90.0 * p * p) };
    let approximation = (approximation_error(literal, bound) / 4.0).powi(2);
    typical_bias_variance(&[modulus], &prediction.phases, bound)
        + gain * (prediction.exponential.noise.0 / 2.0 + approximation)
}
