//! The failure probability of a lookup, from its dry run.

use std::f64::consts::TAU;
use std::ops::Range;

use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_lattice::noise_bound::log2_of_sum;
use cryptable_lattice::{NoiseBound, NoiseLaw, Table};

use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};
use crate::bootstrapping::LookupShapes;
use crate::bootstrapping::phase_exponential::PhaseExponential;
use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::multiplexer::real_deltas::gain_of_factors;
use crate::parameters::circuit::{Circuit, RaisedNoise};
use crate::parameters::phase_model::PhaseModel;

/// The parts of the probability that one value decrypts wrong.
///
/// Four causes may move an output by half a step, 1/(2P). First, the noise that the dry run predicts for the worst
/// table within the parameters' range of outputs, by its law. Second, the errors that the table and the inputs
/// determine, and the power of the phase's error that the interpolation leaves (its square where the first derivative
/// is zero), at their bounds. Third, a phase whose error is beyond its bound. Fourth, an overflow beyond the interval
/// of the exponential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FailureEstimate {
    /// Standard deviation of the output, as a fraction of the half step.
    pub noise_ratio: f64,
    /// Standard deviation of the output for uniformly random tables, as a fraction of the half step. Includes the
    /// average contribution of powers of phase errors, and for AKP that of the exponential's approximation. This is the
    /// value to expect of a measurement.
    pub typical_ratio: f64,
    /// Bound on the deterministic part, as a fraction of the half step: the power of the phase error, the exponential's
    /// approximation error, and roundings that the table and the inputs determine.
    pub bias_ratio: f64,
    /// log2 of the probability that the noise of the output or of a phase is too large.
    pub log2_noise: f64,
    /// log2 of the probability that the overflow is outside the interval.
    pub log2_overflow: f64,
}

/// Model of a lookup's failure probability, for any noise of its input.
#[derive(Clone, Debug)]
pub(crate) struct FailureModel {
    literal: ParametersLiteral,
    tables: Tables,
    /// Noise of outputs of the worst table, as fractions of P.
    worst_noise: NoiseBound,
    /// The exponential's noise beyond that of its phase.
    exponential_noise: SlotNoise,
    /// Law of the noise that the circuit adds to the phase t.
    phase_noise: NoiseLaw,
    /// Factor from the noise of a coefficient of the raised input, modulo q_0, to that of t. Every step up to t is
    /// linear.
    phase_gain: f64,
    /// log2 of the probability that an overflow of any digit is outside the interval.
    pub(crate) log2_overflow: f64,
    /// The largest factor by which an interpolation amplifies errors of the exponential; 0 for trees.
    gain: f64,
    /// Bound on the error of the exponential's approximation.
    approximation: f64,
}

/// The way from phases to outputs, which determines how errors of phases act.
#[derive(Clone, Debug)]
enum Tables {
    /// AKP's interpolation.
    Interpolation(HermiteKernel),
    /// A multiplexer tree over digits.
    Tree(MultiplexerLiteral),
}

/// The failure probability of a lookup of the worst table, with fields of [`FailureEstimate`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorstCase {
    /// Law and bias of an output, as fractions of the output modulus.
    pub(crate) noise: NoiseBound,
    log2_noise: f64,
    log2_overflow: f64,
}

impl WorstCase {
    /// log2 of the probability that one value decrypts wrong.
    pub(crate) fn value_log2_fail(&self) -> f64 {
        log2_of_sum(self.log2_noise, self.log2_overflow)
    }
}

/// Error of the phase t of an input or of one of its digits, as a fraction of the torus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PhaseError {
    /// Law of its noise.
    pub(crate) law: NoiseLaw,
    /// Bound on the deterministic error.
    pub(crate) bias: f64,
}

impl FailureModel {
    /// Builds the model from a dry run of a circuit with the worst table.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        circuit: &Circuit,
        shapes: LookupShapes,
    ) -> Self {
        let phase = PhaseModel::new(literal, circuit);
        let nodes = literal.interpolated_modulus() as usize;
        let tables = match &literal.multiplexer {
            Some(multiplexer) => Tables::Tree(multiplexer.clone()),
            None => Tables::Interpolation(HermiteKernel::new(nodes, literal.hermite_order)),
        };
        let gain = match &tables {
            Tables::Interpolation(kernel) => kernel.largest_gain(),
            Tables::Tree(_) => 0.0,
        };
        Self {
            log2_overflow: phase.log2_overflow,
            gain,
            approximation: phase.approximation,
            literal: literal.clone(),
            worst_noise: bound_of_result(
                literal,
                worst_of_tables(literal, circuit, shapes.result.noise),
            ),
            tables,
            exponential_noise: shapes.exponential.noise,
            phase_noise: phase.noise,
            phase_gain: phase.gain,
        }
    }

    /// The error of a phase whose raised coefficient has this noise modulo q_0.
    pub(crate) fn phase(&self, RaisedNoise { law, bias }: RaisedNoise) -> PhaseError {
        PhaseError { law: self.phase_noise.with_independent(law.times(self.phase_gain)), bias }
    }

    /// The failure probability of a lookup of inputs with the given noise. Each input comes with its number of digits.
    pub(crate) fn of_inputs(
        &self,
        circuit: &Circuit,
        inputs: &[(NoiseBound, usize)],
    ) -> FailureEstimate {
        let phases = self.phases(circuit, inputs);
        let WorstCase { noise, log2_noise, log2_overflow } = self.worst_case_of(&phases);
        let noise_ratio = noise.deviation() / self.half_step();
        let bias_ratio = noise.bias() / self.half_step();
        let typical = self.typical_noise(circuit) + self.typical_variance(circuit, &phases);
        let typical_ratio = typical.sqrt() / self.half_step();
        FailureEstimate { noise_ratio, typical_ratio, bias_ratio, log2_noise, log2_overflow }
    }

    /// The failure probability like [`FailureModel::of_inputs`], but without typical errors, which need a dry run and
    /// take the longest time.
    pub(crate) fn worst_case(
        &self,
        circuit: &Circuit,
        inputs: &[(NoiseBound, usize)],
    ) -> WorstCase {
        self.worst_case_of(&self.phases(circuit, inputs))
    }

    /// The errors of the phases that tables are evaluated on.
    pub(crate) fn phases(
        &self,
        circuit: &Circuit,
        inputs: &[(NoiseBound, usize)],
    ) -> Vec<PhaseError> {
        if let Circuit::MultiPrecision(circuit) = circuit {
            let last = circuit.digits().len() - 1;
            let rests = self.noise_of_rests(circuit, inputs[0].0, 0..last);
            return vec![self.digit_phase(circuit, rests[last].times(circuit.multiplier(last)))];
        }
        let mut start = 0;
        let mut phases = Vec::with_capacity(circuit.digits());
        for &(noise, digits) in inputs {
            let raised = circuit.raised_noise(noise, start..start + digits).into_iter();
            phases.extend(raised.map(|raised| self.phase(raised)));
            start += digits;
        }
        phases
    }

    /// Variance that noise adds to outputs of a random table, as fractions of P.
    fn typical_noise(&self, circuit: &Circuit) -> f64 {
        let literal = &self.literal;
        let result = match circuit {
            Circuit::Multiplexer(circuit) => {
                let modulus = literal.output_modulus as f64;
                circuit.predict_average(modulus * modulus / 12.0)
            }
            Circuit::Akp(circuit) => circuit.predict_typical(),
            Circuit::MultiPrecision(circuit) => circuit.akp.predict_typical(),
        };
        noise_of_result(literal, result)
    }

    fn half_step(&self) -> f64 {
        0.5 / self.literal.output_modulus as f64
    }

    /// The failure probability of a lookup of any table, for phases with these errors.
    fn worst_case_of(&self, phases: &[PhaseError]) -> WorstCase {
        let noise = match &self.tables {
            Tables::Interpolation(_) => self.akp_errors(phases[0]),
            Tables::Tree(multiplexer) => {
                let bias = self.multiplexer_bias(multiplexer, phases);
                NoiseBound::of_law(self.worst_noise.law(), self.worst_noise.bias() + bias)
            }
        };
        let log2_output = noise.log2_exceeds(self.half_step());
        // The bias holds as long as no phase is beyond its bound.
        let log2_phases = self.log2_phase_fail() + (phases.len() as f64).log2();
        WorstCase {
            noise,
            log2_noise: log2_of_sum(log2_output, log2_phases),
            log2_overflow: self.log2_overflow,
        }
    }

    /// log2 of the probability that the error of a phase is beyond its bound: a sixteenth of the stated failure
    /// probability, shared by all phases.
    fn log2_phase_fail(&self) -> f64 {
        self.literal.log2_fail - 4.0 - self.literal.log2_raises()
    }

    /// Variance of the outputs of uniformly random tables beyond what the dry run predicts.
    fn typical_variance(&self, circuit: &Circuit, phases: &[PhaseError]) -> f64 {
        match &self.tables {
            Tables::Interpolation(kernel) => {
                let deviation = kernel.mean_square_deviation(phases[0].law.variance());
                let width = self.literal.output_width();
                let gain = kernel.mean_square_gain();
                width * width * self.average_akp_variance(circuit, deviation, gain)
            }
            Tables::Tree(multiplexer) if multiplexer.delta_cleanings > 0 => 0.0,
            Tables::Tree(multiplexer) => typical_bias_variance(&multiplexer.digits, phases),
        }
    }

    /// The bound on the error of a phase, as a fraction of the torus.
    fn phase_error(&self, phase: PhaseError) -> f64 {
        phase.bias + phase.law.largest(self.log2_phase_fail())
    }

    /// The error of the phase of a ciphertext that holds a digit, modulo its size, with the given noise.
    fn digit_phase(&self, circuit: &MultiPrecisionCircuit, digit: NoiseBound) -> PhaseError {
        let law = circuit.akp.input_noise(digit.law());
        self.phase(RaisedNoise { law, bias: digit.bias() })
    }

    /// Noise of the rest of an input before each of the given digits is cleared and after the last of them is, as a
    /// fraction of the input's modulus.
    ///
    /// Errors of the value of digit i, as fractions of M, become errors of the whole rest. They are the noise of the
    /// digit's outputs, and what its phase error, the approximation of the exponential and the rounding to the client's
    /// modulus leave.
    ///
    /// # Panics
    /// If the parameters are those of a tree.
    pub(crate) fn noise_of_rests(
        &self,
        circuit: &MultiPrecisionCircuit,
        input: NoiseBound,
        digits: Range<usize>,
    ) -> Vec<NoiseBound> {
        let kernel = self.kernel();
        let gain = self.gain;
        let rounding = self.literal.output_rounding();
        let encoding = NoiseBound::encoding(
            f64::from(self.literal.log2_ciphertext_modulus).exp2(),
            self.literal.input_modulus,
        );
        let mut rests = vec![input];
        for digit in digits {
            let rest = rests[rests.len() - 1];
            // The switch to q_0 comes after the multiplication.
            let phase = self.digit_phase(circuit, rest.times(circuit.multiplier(digit)));
            let amplitude = circuit.amplitude(digit);
            let exponential = self.exponential_noise * ((amplitude * gain).powi(2) / 2.0);
            let cleared = circuit.clearing_noise(digit);
            let added = self
                .literal
                .coefficient_bound(cleared, circuit.akp.literal().slots)
                .with_independent(self.literal.coefficient_bound(exponential, 1))
                .with_independent(NoiseBound::new(rounding.sqrt(), 0.0));
            let left = kernel.largest_deviation(self.phase_error(phase));
            let approximation = self.approximation * (1.0 + gain);
            let bias = amplitude * (left + approximation) + encoding.bias();
            rests.push(rest.with_independent(added).with_independent(NoiseBound::new(0.0, bias)));
        }
        rests
    }

    /// Noise of the worst table's output, for a ciphertext that holds a digit, modulo its size, with the given noise.
    ///
    /// # Panics
    /// If the parameters are those of a tree.
    pub(crate) fn noise_of_digit_table(
        &self,
        circuit: &MultiPrecisionCircuit,
        digit: NoiseBound,
    ) -> NoiseBound {
        self.akp_errors(self.digit_phase(circuit, digit))
    }

    fn kernel(&self) -> &HermiteKernel {
        match &self.tables {
            Tables::Interpolation(kernel) => kernel,
            Tables::Tree(_) => panic!("trees have no interpolation"),
        }
    }

    /// Returns the parts of the model that hidden tables need: the kernel, the exponential's noise, and the bound on
    /// its approximation error.
    ///
    /// # Panics
    /// If the parameters are those of a tree.
    pub(crate) fn exponential_errors(&self) -> (&HermiteKernel, SlotNoise, f64) {
        (self.kernel(), self.exponential_noise, self.approximation)
    }

    /// Noise of AKP's outputs: that of the dry run, and the exponential's noise as the table amplifies it.
    fn akp_errors(&self, phase: PhaseError) -> NoiseBound {
        // The dry run takes the mean over inputs of how much the table amplifies the exponential's relative noise. Both
        // are proportional to the differences of outputs.
        let width = self.literal.output_width();
        let gain = if self.literal.is_cosine_table() { 0.0 } else { width * self.gain };
        let exponential = self.exponential_noise * (gain * gain / 2.0);
        let noise =
            self.worst_noise.with_independent(self.literal.coefficient_bound(exponential, 1));
        let approximation = self.approximation * (1.0 + gain);
        let left = width * self.kernel().largest_deviation(self.phase_error(phase));
        NoiseBound::of_law(noise.law(), noise.bias() + left + approximation)
    }

    /// Returns the bias that phase errors and the exponential's approximation leave in deltas, summed over digits: an
    /// error of the deltas of one digit changes outputs as it would change a table over that digit.
    fn multiplexer_bias(&self, multiplexer: &MultiplexerLiteral, phases: &[PhaseError]) -> f64 {
        let approximation = self.approximation;
        let mut modulus = approximation;
        for _ in 0..self.literal.exponential_cleanings {
            modulus = 4.0 * modulus * modulus;
        }
        let digit_bias = |(&digit, &phase): (&u64, &PhaseError)| {
            let p = digit as f64;
            let phase = self.phase_error(phase) + approximation / TAU;
            let gain = p / 3.0 * gain_of_factors(self.literal.real_slots);
            let mut bias = curvature(p) * phase * phase / 2.0 + (1.0 + gain) * modulus;
            for _ in 0..multiplexer.delta_cleanings {
                bias = 3.0 * p * bias * bias;
            }
            bias
        };
        multiplexer.digits.iter().zip(phases).map(digit_bias).sum()
    }

    /// Standard deviation of the output of a table, as a fraction of the half step. [`FailureEstimate::typical_ratio`]
    /// is the same for random tables.
    ///
    /// # Panics
    /// If the table's moduli are not those of the parameters' tables.
    pub(crate) fn ratio_of_table(
        &self,
        circuit: &Circuit,
        inputs: &[(NoiseBound, usize)],
        table: &Table,
    ) -> f64 {
        let phases = self.phases(circuit, inputs);
        let modulus = table.output_modulus() as f64;
        let outputs: Vec<f64> = table.centered().iter().map(|&y| y as f64 / modulus).collect();
        let squares: f64 = outputs.iter().map(|y| y * y).sum();
        let mean_square = squares / outputs.len() as f64;
        let result = match circuit {
            Circuit::Multiplexer(circuit) => {
                circuit.predict_average(mean_square * modulus * modulus)
            }
            Circuit::Akp(circuit) => {
                circuit.predict_average(&circuit.interpolation(table), mean_square)
            }
            Circuit::MultiPrecision(circuit) => {
                circuit.akp.predict_average(&circuit.digit_table(table), mean_square)
            }
        };
        let added = match &self.tables {
            Tables::Tree(_) => self.typical_variance(circuit, &phases),
            Tables::Interpolation(kernel) => {
                // Nodes of smaller digits are every `every`-th node.
                let every = self.literal.interpolated_modulus() as usize / outputs.len();
                let nodes = outputs.iter().flat_map(|&y| std::iter::repeat_n(y, every));
                let nodes: Vec<f64> = nodes.collect();
                let variance = phases[0].law.variance();
                let deviation = kernel.mean_square_error(&nodes, every, variance);
                let gain = kernel.mean_square_gain_of(&nodes, every);
                self.average_akp_variance(circuit, deviation, gain)
            }
        };
        (noise_of_result(&self.literal, result) + added).sqrt() / self.half_step()
    }

    /// Variance that a table of AKP adds on average: that of the remaining phase errors, and that of the exponential's
    /// errors of modulus times the mean square of the table's gains.
    ///
    /// Errors of modulus are half of the exponential's noise, and the error of its approximation at the phases that
    /// occur. These phases lie around 0, where the first omitted term of a Chebyshev series may have all its maxima or
    /// its zeros.
    fn average_akp_variance(&self, circuit: &Circuit, deviation: f64, gain: f64) -> f64 {
        if self.literal.is_cosine_table() {
            return deviation;
        }
        let p = self.literal.interpolated_modulus();
        let front = circuit.phase_exponential();
        let approximation = front.map_or(0.0, |front| front.mean_square_modulus_error(p));
        let share = front.map_or(1.0, PhaseExponential::average_share);
        deviation + gain * (share * self.exponential_noise.total() / 2.0 + approximation)
    }
}

impl FailureEstimate {
    /// log2 of the probability that one value decrypts wrong.
    #[must_use]
    pub fn value_log2_fail(&self) -> f64 {
        log2_of_sum(self.log2_noise, self.log2_overflow)
    }
}

/// Variance of a coefficient of a result. The noise is that of the slots: n slots distribute it over n coefficients.
fn noise_of_result(literal: &ParametersLiteral, result: Shape) -> f64 {
    result.noise.total() / literal.output_slots() as f64 + literal.output_rounding()
}

/// The noise of results for the worst table. A dry run adds the noises of a digit's deltas as if they were independent.
/// Deltas share some errors, such as that of the exponential's modulus, and a table with a peak at the input's value
/// amplifies shared errors more. The noise of products of deltas, and of all later steps, is independent.
fn worst_of_tables(literal: &ParametersLiteral, circuit: &Circuit, result: SlotNoise) -> SlotNoise {
    let (Circuit::Multiplexer(circuit), Some(multiplexer)) = (circuit, &literal.multiplexer) else {
        return result;
    };
    if multiplexer.delta_cleanings > 0 {
        // After cleaning, only the roundings of each delta are left.
        return result;
    }
    // The noise of a result of entries may be of other steps than that of integers: all of it is taken as shared.
    let independent =
        if circuit.has_entry_level() { SlotNoise::ZERO } else { circuit.selection_noise() };
    let share = |&digit: &u64| {
        let kernel = HermiteKernel::new(digit as usize, HermiteOrder::First);
        // Gains `Σ_d |G(d)|/2` of the worst table, `Σ_d G(d)²/4` of independent errors.
        kernel.largest_gain().powi(2) / (3.0 * kernel.mean_square_gain())
    };
    let most = multiplexer.digits.iter().map(share).fold(1.0, f64::max);
    let factor = most * gain_of_factors(literal.real_slots).powi(2);
    SlotNoise { bound: result.bound, ..result.without(independent) * factor + independent }
}

/// A bound on the noise of a coefficient of a result.
pub(crate) fn bound_of_result(literal: &ParametersLiteral, result: SlotNoise) -> NoiseBound {
    let rounding = NoiseBound::of_law(NoiseLaw::gaussian(literal.output_rounding()), 0.0);
    literal.coefficient_bound(result, literal.output_slots()).with_independent(rounding)
}

/// |R''| of the interpolation of outputs within [-1/2, 1/2] over p inputs is at most `(2π)²·p²/6`.
fn curvature(p: f64) -> f64 {
    TAU * TAU * p * p / 6.0
}

/// Variance that squared phase errors of all digits add to outputs of uniformly random tables within [-1/2, 1/2]: that
/// of `R''·φ²/2`, φ Gaussian.
///
/// `R''` at a node is `Σ_d f(m - d)·D''(d/p)`, D the Fejér kernel. Its terms k and p - k agree at nodes, so
/// that `D''(d/p) = -(2π)²/p·Σ_k k(p - k)·cos(2πkd/p)` and `Σ_d D''(d/p)² = (2π)^4·(p^4 - 1)/30`.
fn typical_bias_variance(digits: &[u64], phases: &[PhaseError]) -> f64 {
    let digit_variance = |(&digit, phase): (&u64, &PhaseError)| {
        let curvature = TAU.powi(4) * ((digit as f64).powi(4) - 1.0) / 30.0 / 12.0;
        // E φ⁴ = 3σ⁴.
        curvature * 3.0 * phase.law.variance().powi(2) / 4.0
    };
    digits.iter().zip(phases).map(digit_variance).sum()
}
