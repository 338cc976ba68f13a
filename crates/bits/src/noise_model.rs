//! Noise that every operation adds to bits, computed once per parameter set by dry runs.
//!
//! Noise means the noise of a slot of the ring. Where slots repeat, a bit is off by the mean of its copies' errors. By
//! convexity, bounds on noise that hold in every copy hold for the mean; squares use the largest error of any copy.

use std::sync::Mutex;

use cryptable_ckks::dry_run::SlotNoise;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::circuit::{BitCircuit, MAX_MODULUS};
use crate::literal::ParametersLiteral;
use crate::noise::BitNoise;
use crate::periodic_function::PeriodicFunction;

/// Factor on the variance that the dry run predicts for the evaluation of a periodic function, because the dry run
/// takes the noises of a series' terms as independent. Measured: 1.3 at most, at degrees 2^10 and 2^14.
const EVALUATION_MARGIN: f64 = 1.5;

/// Noise of coefficients after SlotsToCoeffs, as fractions of q_0. It is Gaussian, except for the part that the sum had
/// before. It is linear in the noise and in the mean square of the sum.
#[derive(Clone, Copy, Debug)]
struct CoefficientModel {
    own: f64,
    per_noise: f64,
    per_power: f64,
}

/// Noise of phases t = v + I after CoeffsToSlots.
#[derive(Clone, Copy, Debug)]
struct PhaseModel {
    /// Variance of Gaussian noise: sums over many slots and coefficients.
    own: f64,
    /// Variance of noise of slots: of the last roundings of CoeffsToSlots.
    of_slots: f64,
    /// Factor on the variance of v.
    per_noise: f64,
}

/// Noise that dry runs predict.
#[derive(Debug)]
pub(crate) struct NoiseModel {
    /// Noise of fresh bits.
    pub fresh: BitNoise,
    /// Noise that one rounding adds to the real part of a slot, at the least scale that bits have.
    pub rounding: BitNoise,
    /// The limit on noise of slots that key generation enforces.
    pub slot_limit: f64,
    /// Stated failure probability (log2) of any copy of a slot: squares of errors are bounded in all copies.
    pub log2_fail: f64,
    /// log2 of the number of copies of each slot.
    pub log2_copies: f64,
    /// Models for sums as fractions of 2, 3, …, [`MAX_MODULUS`].
    coefficients: Vec<CoefficientModel>,
    phases: PhaseModel,
    /// Cache of the noise that evaluation adds, by list of functions: schedules need a few lists, thousands of times.
    evaluations: Mutex<Vec<(Vec<PeriodicFunction>, Vec<SlotNoise>)>>,
}

impl NoiseModel {
    pub(crate) fn new(literal: &ParametersLiteral, circuit: &BitCircuit) -> Self {
        let dry_run = circuit.dry_run();
        let (bottom, top) = (literal.input_limbs(), literal.output_limbs());
        let scales = (bottom..=top).map(|limbs| circuit.scale_at(limbs));
        let least = scales.fold(f64::INFINITY, f64::min);
        // Encodings round N coefficients, two per slot. Real parts have half of the variance of a slot.
        let encoding = literal.ring_degree as f64 / 12.0 / (least * least);
        let fresh = NoiseLaw::gaussian((dry_run.fresh_noise(least).total() + encoding) / 2.0);
        let slot_limit = literal.owners.embedding_limit(literal.ring_degree);
        let rounding = NoiseLaw::slots(dry_run.rounding_noise(least).total() / 2.0, slot_limit);
        let coefficients = |m: u64| {
            let at = |power, noise| circuit.coefficient_noise(m, power, noise);
            let own = at(0.0, 0.0);
            CoefficientModel { own, per_noise: at(0.0, 1.0) - own, per_power: at(1.0, 0.0) - own }
        };
        let log2_copies = (literal.ring_degree as f64 / (2 * literal.slots()) as f64).log2();
        let (all, of_slots) = (circuit.raised_noise(0.0), circuit.last_phase_noise());
        let per_noise = circuit.raised_noise(1.0) - all;
        let phases = PhaseModel { own: all - of_slots, of_slots, per_noise };
        Self {
            fresh: BitNoise::of_law(fresh),
            rounding: BitNoise::of_law(rounding),
            slot_limit,
            log2_fail: literal.log2_fail - log2_copies,
            log2_copies,
            coefficients: (2..=MAX_MODULUS).map(coefficients).collect(),
            phases,
            evaluations: Mutex::default(),
        }
    }

    /// Noise of slots with this variance.
    pub(crate) fn of_slots(&self, variance: f64) -> BitNoise {
        BitNoise::of_law(NoiseLaw::slots(variance, self.slot_limit))
    }

    /// Noise that evaluation adds to slots. Errors that roundings of constants determine are treated as noise.
    fn of_evaluation(&self, noise: SlotNoise) -> BitNoise {
        let fixed = SlotNoise::roundings(noise.fixed);
        BitNoise::of_law((noise + fixed).law(self.slot_limit, 1))
    }

    /// Returns the noise of coefficients sum/m, as fractions of q_0, from that of a sum of `summands` bits in slots.
    pub(crate) fn coefficients(&self, m: u64, summands: usize, sum: BitNoise) -> BitNoise {
        let CoefficientModel { own, per_noise, per_power } = self.coefficients[m as usize - 2];
        // Modulo 2 every other summand is subtracted.
        let largest = if m == 2 { summands.div_ceil(2) } else { summands };
        let power = (largest * largest) as f64;
        sum.scaled_apart(per_noise.sqrt(), 1.0 / m as f64)
            .with_independent(BitNoise::of_law(NoiseLaw::gaussian(own + per_power * power)))
    }

    /// Noise of t = v + I, given the noise of the coefficients v as fractions of q_0.
    pub(crate) fn phase(&self, coefficients: BitNoise) -> BitNoise {
        let PhaseModel { own, of_slots, per_noise } = self.phases;
        coefficients
            .scaled_apart(per_noise.sqrt(), 1.0)
            .with_independent(BitNoise::of_law(NoiseLaw::gaussian(own)))
            .with_independent(self.of_slots(of_slots))
    }

    fn evaluation_noise(
        &self,
        circuit: &BitCircuit,
        functions: &[PeriodicFunction],
    ) -> Vec<SlotNoise> {
        let mut known = self.evaluations.lock().expect("no panic under lock");
        if let Some((_, noise)) = known.iter().find(|(of, _)| of == functions) {
            return noise.clone();
        }
        let noise = circuit.evaluation_noise(functions);
        known.push((functions.to_vec(), noise.clone()));
        noise
    }

    /// Noise of functions of phases: at most `slope·ε + curvature·ε²`, the error of series, and what evaluation adds.
    /// Squares are bounded except with probability `2^log2_fail`.
    pub(crate) fn after_functions(
        &self,
        circuit: &BitCircuit,
        functions: &[PeriodicFunction],
        phase: BitNoise,
        log2_fail: f64,
    ) -> Vec<BitNoise> {
        let evaluation = self.evaluation_noise(circuit, functions);
        let approximation = circuit.series.approximation_error();
        functions
            .iter()
            .zip(evaluation)
            .map(|(function, evaluation)| {
                let of_series = function.gain() * approximation;
                phase
                    .squared(function.curvature(), log2_fail)
                    .with_independent(phase.scaled(function.slope()))
                    .with_independent(self.of_evaluation(evaluation * EVALUATION_MARGIN))
                    .with_independent(BitNoise::bias_of(of_series, of_series))
            })
            .collect()
    }
}
