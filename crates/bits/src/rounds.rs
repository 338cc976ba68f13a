//! Noise of gates whose results are inputs of later gates, round after round. A round is a half GateBoot of sums of two
//! bits, cleaning, SlotsToCoeffs, and what happens to coefficients before they come back, such as extraction to FHEW
//! ciphertexts and packing.
//!
//! Cleaning leaves about `3ε²` of an error ε, a residue that stays with its bit for the next round. A bound on the
//! residue that fails with probability 2^-80, applied anew in each round, would grow without limit, though such large
//! errors do not follow one another. The distribution of residues is therefore bounded at K probabilities:
//! `P(r > q_k) <= 2^-4k`, for example. The residue of an input is in one of these classes, and the other noise of a
//! gate does not depend on it:
//!
//! `P(ε > y) <= Σ_k P(r + r' in class k)·P(|noise| > y - slope·(q_k + q'_k))`.
//!
//! Noise of slots depends on a residue that was left in the same slot: both grow with X, the `|s(ζ_j)|²` of the slot
//! over its mean. The whole computation is therefore done for slots whose X is at most 1, 2, …, in which such noise is
//! Gaussian. Slots with X above x have probability `e^-x`, and an event that occurs only in them may be more frequent
//! by this factor.
//!
//! Bounds on the residues of inputs yield bounds on the residues of results. They rise from round to round to a fixed
//! point that holds in all rounds, or there is none. A residue beyond the last class is a failure: a circuit fails with
//! at most the sum over its gates.
//!
//! Errors of both inputs are taken as independent, as they are for FHEW gates. Errors of results that share inputs are
//! not independent, but the shared part is squared at each gate.

use std::f64::consts::LN_2;

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result, check_within};

use crate::cleaning;
use crate::gate::Gate;
use crate::noise::BitNoise;
use crate::parameters::Parameters;
use crate::periodic_function::PeriodicFunction;

/// Number K of probabilities at which distributions are bounded.
const CLASSES: usize = 20;

/// Largest number of rounds until bounds reach a fixed point; otherwise there is none.
const MAX_ROUNDS: usize = 1000;

/// Relative growth of a bound in a round below which it counts as constant: a bound that rises more slowly is within a
/// few of these of its fixed point.
const TOLERANCE: f64 = 1e-6;

/// The modulus m of sums: phases of FHEW bits add up to fractions of 4.
const MODULUS: u64 = 4;

/// Noise of a bit in a coefficient, as a fraction of the modulus, in any round.
///
/// ```
/// use cryptable_bits::{Packing, Parameters};
/// use cryptable_lattice::NoiseBound;
/// let parameters = Parameters::insecure_toy(Packing::Real)?;
/// let [extraction, packing] = [1e-3, 1e-6].map(|deviation| NoiseBound::new(deviation, 0.0));
/// let noise = parameters.noise_of_rounds(extraction, packing)?;
/// assert!(noise.deviation() >= 1e-3 && noise.largest() < 0.05);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundNoise {
    /// Noise of known law.
    noise: BitNoise,
    /// Noise that all sums have in common.
    common: BitNoise,
    /// Largest size of the residue of cleaning.
    residue: f64,
    /// Root mean square of the residue: no failure probability depends on it.
    residue_deviation: f64,
    largest: f64,
}

impl RoundNoise {
    /// Standard deviation, as a fraction of the modulus.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.noise.deviation().hypot(self.residue_deviation)
    }

    /// Returns the largest error, as a fraction of the modulus, except with the stated failure probability.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// Noise of a sum of two bits, for GateBoot.
    #[must_use]
    pub fn of_sum_of_two(&self) -> BitNoise {
        let residue = BitNoise::bias_of(2.0 * self.residue, 2f64.sqrt() * self.residue_deviation);
        of_sum([self.noise, self.noise, self.common, residue])
    }
}

/// Noise of the sum of independent noises.
fn of_sum(noises: [BitNoise; 4]) -> BitNoise {
    noises.into_iter().fold(BitNoise::default(), BitNoise::with_independent)
}

/// Noise of a bit in slots whose X is at most `size`.
#[derive(Clone, Copy, Debug)]
struct SlotNoise {
    size: f64,
    /// Noise of known law, Gaussian except for the part that is not noise of slots.
    noise: BitNoise,
    common: BitNoise,
    /// Bounds q_k on the residues of cleaning.
    residues: [f64; CLASSES],
    /// log2 of the failure probability in such a slot.
    log2_fail: f64,
}

impl SlotNoise {
    /// The largest error, except with the failure probability.
    fn largest(&self) -> f64 {
        let given = |(log2, residue): (f64, f64)| residue + self.noise.largest(log2);
        self.classes(self.log2_fail).map(given).fold(0.0, f64::max)
    }

    /// Noise of a sum of two bits whose residues add up to at most `residue`.
    fn of_sum(&self, residue: f64) -> BitNoise {
        of_sum([self.noise, self.noise, self.common, BitNoise::bias_of(residue, residue)])
    }

    /// Classes of residues, as pairs of the log2 of a probability and a bound: an event that, for every class, has at
    /// most the class's probability given its residue, has at most probability `2^log2_fail` in all.
    fn classes(&self, log2_fail: f64) -> impl Iterator<Item = (f64, f64)> {
        let share = log2_fail - (CLASSES as f64).log2();
        let class = move |(k, residue): (usize, f64)| (share - self.step() * k as f64, residue);
        // An error that is rarer than its share needs no bound.
        let classes = self.residues.into_iter().enumerate().map(class);
        classes.filter(|&(log2, _)| log2 < 0.0)
    }

    /// Returns classes like [`Self::classes`] for the sum of two independent residues. The larger one, which may be
    /// either of them, is in a class; the smaller one is in the same class, or in a class so low that it is rare enough
    /// that both together exceed it.
    fn classes_of_sum(&self, log2_fail: f64) -> impl Iterator<Item = (f64, f64)> {
        self.classes(log2_fail - 1.0).map(|(log2, larger)| {
            let smaller = ((log2 - 1.0) / self.step()).ceil() as usize;
            let smaller = self.residues.get(smaller.saturating_sub(1)).copied();
            (log2 - 1.0, larger + smaller.unwrap_or(larger).min(larger))
        })
    }

    /// Ratio of the probabilities of two consecutive classes, log2.
    fn step(&self) -> f64 {
        self.log2_fail / CLASSES as f64
    }
}

impl Parameters {
    /// Noise of bits that are fresh or results of symmetric gates of two such bits, in any round. `own` is the noise
    /// that a result gets after SlotsToCoeffs, and `common` the noise that a sum gets before its half bootstrap.
    ///
    /// # Errors
    /// [`Error::TooSmall`] if there are fewer than two levels, for cleaning; [`Error::NoiseTooLarge`] if noise grows
    /// from round to round.
    pub fn noise_of_rounds(&self, own: NoiseBound, common: NoiseBound) -> Result<RoundNoise> {
        let (value, limit) = (self.levels_after_bootstrap() as u64, cleaning::LEVELS as u64);
        check_within("levels after a bootstrap", value, limit..)?;
        let model = self.noise_model();
        // Any copy of a sparse bit may be the worst one, and any copy may have the largest X.
        let limit = model.log2_fail - model.log2_copies;
        let cleaned = model.coefficients(MODULUS, 1, cleaning::roundings(model.rounding));
        let (noise, common) = (cleaned.with_independent(own.into()), common.into());
        let (residue, residue_deviation, largest) = Default::default();
        let mut found = RoundNoise { noise, common, residue, residue_deviation, largest };
        // Overflows use up half of the stated probability.
        let log2_fail = limit - 1.0;
        let error = self.gate_error(found.of_sum_of_two(), log2_fail, |noise| noise);
        found.residue_deviation = error.squared(3.0, log2_fail).deviation() / MODULUS as f64;
        for (size, log2_fail) in slot_sizes(model.slot_limit, log2_fail) {
            let noise = noise.in_slots_up_to(size);
            let residues = [0.0; CLASSES];
            let of_slots =
                self.fixed_point(SlotNoise { size, noise, common, residues, log2_fail })?;
            found.residue = found.residue.max(of_slots.residues[CLASSES - 1]);
            found.largest = found.largest.max(of_slots.largest());
        }
        Ok(found)
    }

    /// Noise with bounds on residues that hold in all rounds, starting from the noise of fresh bits.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if there are no such bounds.
    fn fixed_point(&self, mut found: SlotNoise) -> Result<SlotNoise> {
        for _ in 0..MAX_ROUNDS {
            let residues = self.residues(&found);
            let is_fixed = |(new, old): (&f64, &f64)| *new <= old * (1.0 + TOLERANCE);
            if residues.iter().zip(&found.residues).all(is_fixed) {
                return Ok(found);
            }
            found.residues = residues;
            if found.largest() > 0.5 / MODULUS as f64 {
                break;
            }
        }
        let limit = self.literal().log2_fail;
        Err(Error::NoiseTooLarge { operation: "rounds of gates", found: 0.0, limit })
    }

    /// Bounds on the residues of results, given the noise of the inputs.
    fn residues(&self, inputs: &SlotNoise) -> [f64; CLASSES] {
        let in_slot = |noise: BitNoise| noise.in_slots_up_to(inputs.size);
        std::array::from_fn(|k| {
            let given = |(log2, residue): (f64, f64)| {
                // Half of the probability is for a large phase, half for a large error of the function's evaluation.
                let error = self.gate_error(inputs.of_sum(residue), log2 - 1.0, in_slot);
                let largest = error.largest(log2 - 1.0);
                (3.0 + 2.0 * largest) * largest * largest / MODULUS as f64
            };
            inputs.classes_of_sum(inputs.step() * (k + 1) as f64).map(given).fold(0.0, f64::max)
        })
    }

    /// Error of a gate before cleaning, except with probability `2^log2_fail`. `in_slot` restricts the noise of phases
    /// and of the function's evaluation to the slots considered.
    fn gate_error(
        &self,
        sum: BitNoise,
        log2_fail: f64,
        in_slot: impl Fn(BitNoise) -> BitNoise,
    ) -> BitNoise {
        let function = PeriodicFunction::gate_boot(Gate::Nand.outputs(), MODULUS);
        let (model, functions) = (self.noise_model(), [function]);
        let phase = in_slot(model.phase(sum));
        in_slot(model.after_functions(self.circuit(), &functions, phase, log2_fail)[0])
    }
}

/// Sizes of X up to the limit, each with the log2 of a probability. If an event has at most this probability in slots
/// with X between the previous size and this one, it has at most probability `2^log2_fail` in all slots. Slots beyond
/// the last size are that rare themselves.
fn slot_sizes(limit: f64, log2_fail: f64) -> impl Iterator<Item = (f64, f64)> {
    let most = limit.min((8.0 - log2_fail) * LN_2).ceil();
    let share = log2_fail - (most + 1.0).log2();
    let sizes = (1..=most as usize).map(|size| size as f64);
    let with_share = move |size: f64| (size, share + (size - 1.0) / LN_2);
    sizes.map(with_share).take_while(|&(_, log2_fail)| log2_fail < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::literal::Packing;

    fn gaussian(deviation: f64) -> NoiseBound {
        NoiseBound::new(deviation, 0.0)
    }

    #[test]
    fn bounds_hold_what_two_steps_of_the_law_say() {
        let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
        let noise = parameters.noise_of_rounds(gaussian(1e-3), gaussian(1e-6)).unwrap();
        // Noise of exact inputs by the model of single gates is less than that of inputs with residues, but not by
        // much.
        let log2_fail = parameters.literal().log2_fail - 1.0;
        let exact = RoundNoise { residue: 0.0, residue_deviation: 0.0, ..noise };
        let error = parameters.gate_error(exact.of_sum_of_two(), log2_fail, |noise| noise);
        let once = cleaning::noise_after(error, BitNoise::default(), log2_fail).bias() / 4.0;
        let residue = noise.residue;
        assert!((1.0..2.5).contains(&(residue / once)), "{residue} and {once}");
        assert!(noise.largest() < residue + noise.noise.largest(log2_fail - 8.0));
    }

    #[test]
    fn sizes_of_slots_share_the_probability_out() {
        for limit in [5.8, 9.3, f64::INFINITY] {
            let sizes: Vec<_> = slot_sizes(limit, -81.0).collect();
            let last = sizes[sizes.len() - 1].0;
            assert!(last >= limit || last > 55.0, "{last}");
            let in_all = |(size, log2): &(f64, f64)| (1.0 - size).exp() * log2.exp2();
            let beyond = if limit.is_finite() { 0.0 } else { (-last).exp() };
            let all = sizes.iter().map(in_all).sum::<f64>() + beyond;
            assert!((-83.0..=-81.0).contains(&all.log2()), "{limit}: {}", all.log2());
        }
    }

    #[test]
    fn noise_that_would_grow_is_refused() {
        let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
        let none = gaussian(0.0);
        let largest =
            |own| parameters.noise_of_rounds(gaussian(own), none).map(|noise| noise.largest());
        assert!(largest(2e-4).unwrap() < largest(5e-4).unwrap());
        assert!(matches!(largest(8e-3), Err(Error::NoiseTooLarge { .. })));
        let latency = Parameters::latency_128(Packing::Real).unwrap();
        assert!(matches!(latency.noise_of_rounds(none, none), Err(Error::TooSmall { .. })));
    }
}
