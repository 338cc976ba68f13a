//! Dry runs of lookups of both kinds of functions, and the effect of smooth functions on errors.
//!
//! **Noise.** Let F be the series, S its largest slope and P its period. An error of the input is multiplied by S, an
//! error of the phase by P·S, and a relative error of the exponential, in any direction, by the largest |Σ k·C_k·z^k|;
//! the polynomial adds its own noise. By the mean value theorem these are bounds as long as errors stay within the
//! guard beyond the interval. The distance of F and the function is the result's bias.

use cryptable_ckks::DryRun;
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_lattice::NoiseBound;

use crate::bootstrap_circuit::{BootstrapCircuit, CoefficientVariance};
use crate::bounds::SlotError;
use crate::lookup_circuit::{PredictedLookup, in_periods};
use crate::slot_function::SlotFunction;
use crate::smooth_function::SmoothFunction;

/// Errors of the phases before ModRaise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputErrors {
    /// Noise that the circuit adds before ModRaise.
    pub coefficients: CoefficientVariance,
    /// The error of a part of a slot, as a fraction of the period.
    pub of_part: NoiseBound,
    /// Noise of slots.
    pub of_slots: SlotNoise,
}

impl BootstrapCircuit {
    /// Dry run of a lookup of slots with the given shape and error.
    pub(crate) fn predict_lookup(
        &self,
        dry_run: &DryRun,
        input: &Shape,
        error: SlotError,
        parts: usize,
        function: SlotFunction<'_>,
    ) -> PredictedLookup {
        let period = function.series().period;
        let coefficients = self.predict_coefficients(dry_run, input, period, parts);
        let error = in_periods(error.of_part(), period);
        match function {
            SlotFunction::Table(table) => {
                self.predict_table(dry_run, coefficients, error, parts, table)
            }
            SlotFunction::Smooth(function) => {
                let errors = InputErrors { coefficients, of_part: error, of_slots: input.noise };
                self.predict_smooth(dry_run, errors, parts, function)
            }
        }
    }

    /// Dry run of a smooth function of coefficients modulo q_0.
    pub(crate) fn predict_smooth(
        &self,
        dry_run: &DryRun,
        errors: InputErrors,
        parts: usize,
        function: &SmoothFunction,
    ) -> PredictedLookup {
        let of_circuit = self.predict_phases(dry_run, errors.coefficients, parts);
        let phase = self.largest_phase_error(dry_run, of_circuit, errors.of_part);
        let (shape, gained) = self.predict_polynomial(dry_run, parts, function.series());
        let approximation = self.odd_function.series.approximation_error();
        let (slope, gain, period) = (function.slopes(), function.gains(), function.period());
        // Stated deviations are those of both parts, also for real slots.
        let of_phases = 2.0 * (period * slope.bound).powi(2) * of_circuit;
        let of_exponential = 2.0 * gain.bound.powi(2) * gained;
        let of_polynomial = shape.noise * (2.0 / parts as f64);
        let noise = SlotNoise::roundings(of_phases + of_exponential)
            + of_polynomial
            + errors.of_slots * slope.bound.powi(2);
        let of_input = errors.of_part.law().variance() + errors.of_part.bias().powi(2);
        // The first omitted term of the series oscillates, half of it along the modulus.
        let of_series = (approximation / 2.0).powi(2);
        let expected = shape.noise.total() / parts as f64
            + period * period * slope.mean_square * (of_circuit + of_input)
            + gain.mean_square * (gained + of_series)
            + function.errors().mean_square;
        PredictedLookup {
            phase_error: phase * period / function.guard(),
            shape: Shape { noise, ..shape },
            bias: function.error()
                + gain.bound * approximation
                + period * slope.bound * errors.of_part.bias(),
            expected_deviation: expected.sqrt(),
        }
    }
}
