//! Gates of sums in coefficients whose noise comes near to the decision, as with LWE ciphertexts of other libraries: a
//! half GateBoot of sums modulo 4, followed by all cleanings that levels allow. Errors are bounded by the values of the
//! functions, not by their slopes.
//!
//! A sum that is off by y, at most 1/8, leaves GateBoot with an error of at most
//!
//! `e(y) = 1/2 - cos(π/4 + 2πy)/√2`
//!
//! towards the other bit, and of at most `1/√2 - 1/2` away from it; BinBoot of the doubled sum leaves no more. A
//! cleaning turns the former into `3e² - 2e³`. Bits that are almost wrong therefore stay almost wrong, and burden later
//! gates.
//!
//! **Failures.** Let T(y) bound the probability that a sum is off by more than y. T determines the distribution of the
//! error after cleaning, since that error grows with y. Two such errors and the noise of known law determine T of the
//! next round, by convolution on a grid. T rises from round to round to a fixed point, or there is none. Sums beyond
//! the last cell of the grid count as failures, whether they are wrong or not: the last cell is the one with the fewest
//! failures. Noise of slots is bounded except with the stated probability of the parameters.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_4, TAU};

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Error, Result, check_equal, check_within};

use crate::cleaning;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::gate::Gate;
use crate::half_form::RlweInput;
use crate::noise::BitNoise;
use crate::parameters::Parameters;
use crate::periodic_function::PeriodicFunction;

/// The modulus of sums.
const MODULUS: u64 = 4;

/// Half the distance between sums, as a fraction of the modulus: the decision.
const MARGIN: f64 = 0.125;

/// Number of cells of the grid up to the decision.
const CELLS: usize = 512;

/// Step between the last cells that are tried.
const CELL_STEP: usize = 16;

/// Largest number of rounds until probabilities reach a fixed point; otherwise there is none.
const MAX_ROUNDS: usize = 60;

/// Largest errors in slots, except with the stated probability.
#[derive(Clone, Copy, Debug)]
struct SlotErrors {
    /// Error of the evaluation.
    evaluation: f64,
    /// Error that roundings of a cleaning leave.
    rounding: f64,
}

impl SlotErrors {
    /// Error of a cleaned bit whose sum is off by at most y; `None` if the bit may be wrong.
    fn cleaned(self, y: f64, cleanings: usize) -> Option<f64> {
        let towards = 0.5 - (FRAC_PI_4 + TAU * y).cos() * FRAC_1_SQRT_2;
        let first = towards + self.evaluation;
        let away = first.min(FRAC_1_SQRT_2 - 0.5 + self.evaluation);
        let clean = |error: f64| (3.0 - 2.0 * error) * error * error;
        let of_away = (3.0 + 2.0 * away) * away * away;
        let is_right = y < MARGIN && first < 0.5;
        let once = is_right.then(|| clean(first).max(of_away))?;
        // Cleaned bits are off only towards the other bit, except for roundings.
        let error = (1..cleanings).fold(once, |error, _| clean(error + self.rounding));
        Some(error + self.rounding)
    }
}

impl Parameters {
    /// Number of cleanings for which a half bootstrap leaves levels.
    fn cleanings(&self) -> usize {
        self.levels_after_bootstrap() / cleaning::LEVELS
    }

    fn slot_errors(&self) -> SlotErrors {
        let model = self.noise_model();
        let function = PeriodicFunction::gate_boot(Gate::Nand.outputs(), MODULUS);
        // Shares for the evaluation and up to seven cleanings.
        let log2_fail = model.log2_fail - 3.0;
        let none = BitNoise::default();
        let evaluation = model.after_functions(self.circuit(), &[function], none, log2_fail)[0];
        SlotErrors {
            evaluation: evaluation.largest(log2_fail),
            rounding: cleaning::roundings(model.rounding).largest(log2_fail),
        }
    }

    /// Noise that a cleaned bit has in a coefficient, as a fraction of 4, besides the rest of its earlier error.
    #[must_use]
    pub fn noise_of_cleaned_coefficients(&self) -> NoiseBound {
        let model = self.noise_model();
        let noise = model.coefficients(MODULUS, 1, cleaning::roundings(model.rounding));
        NoiseBound::of_law(noise.law(), noise.bias())
    }

    /// log2 of the probability that a gate by [`EvaluationKey::half_noisy_gate`] is wrong, in any round. `own` is the
    /// noise of every input besides that of cleaned bits, and `common` the noise that a sum gets before its half
    /// bootstrap.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// use cryptable_lattice::NoiseBound;
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let log2_fail = |deviation| {
    ///     let [own, common] = [deviation, 1e-5].map(|deviation| NoiseBound::new(deviation, 0.0));
    ///     parameters.log2_fail_of_noisy_gates(own, common)
    /// };
    /// assert!(log2_fail(0.004)? < -90.0 && log2_fail(0.005)? > -10.0);
    /// assert!(log2_fail(0.006).is_err());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooSmall`] if there are fewer than two levels, for cleaning; [`Error::NoiseTooLarge`] if noise grows from
    /// round to round.
    pub fn log2_fail_of_noisy_gates(&self, own: NoiseBound, common: NoiseBound) -> Result<f64> {
        let (value, limit) = (self.levels_after_bootstrap() as u64, cleaning::LEVELS as u64);
        check_within("levels after a bootstrap", value, limit..)?;
        let own = own.with_independent(self.noise_of_cleaned_coefficients());
        let model = self.noise_model();
        let phase = model.phase(BitNoise::default()).in_slots_up_to(model.slot_limit);
        let phase = NoiseBound::of_law(phase.law(), phase.bias());
        let sum = own.with_independent(own).with_independent(common).with_independent(phase);
        let cell = MARGIN / CELLS as f64;
        let tail: Vec<f64> =
            (0..=CELLS).map(|k| sum.log2_exceeds(k as f64 * cell).exp2().min(1.0)).collect();
        let errors = self.slot_errors();
        let residues: Vec<usize> = (1..=CELLS)
            .map_while(|k| errors.cleaned(k as f64 * cell, self.cleanings()))
            .map(|error| (error / MODULUS as f64 / cell).ceil() as usize)
            .collect();
        let lasts = (CELLS / 4..=residues.len()).step_by(CELL_STEP);
        let found = lasts.filter_map(|last| fixed_point(&tail, &residues[..last]));
        let found = found.fold(1.0, f64::min) + self.literal().log2_fail.exp2();
        let log2_fail = found.log2();
        if log2_fail > -1.0 {
            let limit = self.literal().log2_fail;
            return Err(Error::NoiseTooLarge { operation: "rounds of gates", found: 0.0, limit });
        }
        Ok(log2_fail)
    }
}

/// The probability that a sum is beyond the last cell, in any round; `None` if it rises without end. `tail` describes
/// the noise of known law, and `residues` what each cell leaves, in cells.
fn fixed_point(tail: &[f64], residues: &[usize]) -> Option<f64> {
    let last = residues.len();
    let mut beyond = tail[..=last].to_vec();
    for _ in 0..MAX_ROUNDS {
        let mut of_one = vec![0.0; residues[last - 1] + 1];
        for (i, &residue) in residues.iter().enumerate() {
            // A value beyond the last cell is a failure, and also counts as a value in the last cell.
            let above = if i + 1 < last { beyond[i + 1] } else { 0.0 };
            of_one[residue] += (beyond[i] - above).max(0.0);
        }
        let mut of_two = vec![0.0; 2 * of_one.len() - 1];
        for (a, x) in of_one.iter().enumerate().filter(|(_, x)| **x > 0.0) {
            of_two[a..].iter_mut().zip(&of_one).for_each(|(sum, y)| *sum += x * y);
        }
        let at = |k: usize| {
            let given = |(sum, p): (usize, &f64)| p * tail[k.saturating_sub(sum)];
            of_two.iter().enumerate().map(given).sum::<f64>().min(1.0)
        };
        let next: Vec<f64> = (0..=last).map(at).collect();
        if next.iter().zip(&beyond).all(|(new, old)| *new <= old * (1.0 + 1e-6)) {
            return Some(beyond[last]);
        }
        beyond = next;
    }
    None
}

impl EvaluationKey {
    /// GateBoot of sums of two bits in coefficients, values 0, 1 and 2 of `Z_4`, or for XOR BinBoot of doubled sums,
    /// modulo 2. The result is cleaned as often as levels allow. Use it for sums with more noise than
    /// [`EvaluationKey::half_gate_boot`] allows. [`Parameters::log2_fail_of_noisy_gates`] predicts how often it is
    /// wrong.
    ///
    /// # Errors
    /// If the values belong to another client or to other parameters, their modulus is neither 4 nor 2, or there are
    /// fewer than two levels.
    pub fn half_noisy_gate(&self, gate: Gate, sum: &RlweInput) -> Result<EncryptedBits> {
        let is_xor = matches!(gate, Gate::Xor | Gate::Xnor);
        check_equal("modulus of sums", sum.modulus(), if is_xor { 2 } else { MODULUS })?;
        check_within(
            "levels after a bootstrap",
            self.parameters().levels_after_bootstrap() as u64,
            cleaning::LEVELS as u64..,
        )?;
        let function = match is_xor {
            true => PeriodicFunction::bin_boot(),
            false => PeriodicFunction::gate_boot(gate.outputs(), MODULUS),
        };
        // Only the roundings of the last cleaning: the caller accounts for the rest of the errors.
        let noise = cleaning::roundings(self.parameters().noise_model().rounding);
        let mut bits = self.half_boot_unchecked(&[function], sum, &[noise])?.swap_remove(0);
        for _ in 0..self.parameters().cleanings() {
            bits = self.clean_unchecked(&bits, noise);
        }
        if gate == Gate::Xnor { self.not(&bits) } else { Ok(bits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_functions() {
        let errors = SlotErrors { evaluation: 0.0, rounding: 0.0 };
        let gate = PeriodicFunction::gate_boot(Gate::Nand.outputs(), MODULUS);
        let xor = PeriodicFunction::bin_boot();
        let clean = |x: f64| (3.0 - 2.0 * x) * x * x;
        for step in 0..124 {
            let y = f64::from(step) / 1000.0;
            let bound = errors.cleaned(y, 1).unwrap();
            for (k, wanted) in [1.0, 1.0, 0.0].into_iter().enumerate() {
                for t in [k as f64 / 4.0 + y, k as f64 / 4.0 - y] {
                    let error = (clean(gate.value(t)) - wanted).abs();
                    assert!(error <= bound + 1e-12, "{y} {k}: {error} and {bound}");
                    let error = (clean(xor.value(2.0 * t)) - f64::from(k == 1)).abs();
                    assert!(error <= bound + 1e-12, "XOR {y} {k}: {error} and {bound}");
                }
            }
            assert!(errors.cleaned(y, 2).unwrap() <= bound + 1e-12);
        }
        assert_eq!(errors.cleaned(0.125, 1), None);
    }

    /// Rounds of random noise fail as often as the bound says, or more rarely.
    #[test]
    fn failures_are_bounded_and_near_the_bound() {
        use rand::{Rng, SeedableRng, rngs::StdRng};
        let errors = SlotErrors { evaluation: 0.0, rounding: 0.0 };
        let deviation = 0.024;
        let cell = MARGIN / CELLS as f64;
        let law = NoiseBound::new(deviation * 2f64.sqrt(), 0.0);
        let tail: Vec<f64> =
            (0..=CELLS).map(|k| law.log2_exceeds(k as f64 * cell).exp2()).collect();
        let residues: Vec<usize> = (1..=CELLS)
            .map_while(|k| errors.cleaned(k as f64 * cell, 20))
            .map(|error| (error / 4.0 / cell).ceil() as usize)
            .collect();
        let lasts = (CELLS / 4..=residues.len()).step_by(CELL_STEP);
        let bound =
            lasts.filter_map(|last| fixed_point(&tail, &residues[..last])).fold(1.0, f64::min);
        let mut rng = StdRng::seed_from_u64(5);
        let mut gaussian = || {
            let (u, v): (f64, f64) = (rng.random::<f64>().max(1e-300), rng.random());
            deviation * (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
        };
        let (mut wrong, count) = (0, 400_000);
        for _ in 0..count {
            // Two inputs that are results, each of two fresh ones.
            let mut input = || {
                let first: f64 = gaussian() + gaussian();
                let residue = errors.cleaned(first.abs(), 20).unwrap_or(0.0);
                residue / 4.0 + gaussian()
            };
            wrong += i32::from((input() + input()).abs() > MARGIN);
        }
        let measured = f64::from(wrong) / f64::from(count);
        assert!(measured < bound * 1.2 && measured > bound / 4.0, "{measured:e} of {bound:e}");
    }
}
