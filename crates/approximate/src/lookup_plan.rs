//! Parameters for lookups in slots, found for a request, the fastest first.

use std::fmt;

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::dry_run::{Counts, Shape, SlotVariance};
use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::{CostModel, Work};
use cryptable_lattice::error::{Result, demand};

use crate::bounds::SlotBounds;
use crate::key_set::KeySet;
use crate::lookup::LookupPrediction;
use crate::parameters::Parameters;
use crate::slot_function::SlotFunction;

/// Bytes of a word.
const WORD_BYTES: usize = 8;

/// Factor on the memory of the polynomials of CoeffsToSlots that yields that of a bootstrap: 4.5 GB were measured where
/// keys and matrices of `bootstrapping_128` need 3.6.
const WORKING_FACTOR: usize = 2;

/// Parameters that meet a request, with their prediction.
#[derive(Clone, Debug)]
pub struct LookupCandidate {
    /// Parameters that meet the request.
    pub parameters: Parameters,
    /// The order of interpolations; 0 for a smooth function, which is not interpolated.
    pub order: u64,
    /// Prediction for a lookup of fresh slots: of a table with values from 0 to 1, or of the smooth function.
    pub prediction: LookupPrediction,
    /// Number of bits to which results are right: for a table from the largest error, except with the failure
    /// probability, over the spread of values; for a smooth function from the largest error itself.
    pub precision_bits: f64,
    /// Operation counts of one lookup.
    pub counts: Counts,
    /// Bytes of memory that a lookup needs: keys, matrices, temporaries.
    pub memory_bytes: usize,
}

impl LookupCandidate {
    /// Predicts a lookup of slots within bounds with these parameters.
    ///
    /// # Errors
    /// If the function needs more levels than there are, or slots or results exceed the capacity of their levels.
    pub(crate) fn new(
        parameters: Parameters,
        function: SlotFunction<'_>,
        order: u64,
        bounds: SlotBounds,
    ) -> Result<Self> {
        let (prediction, counts) = parameters.predict_fresh_lookup(function, bounds)?;
        let memory_bytes = parameters.lookup_memory_bytes()?;
        let largest = prediction.error.largest(prediction.log2_fail_per_slot);
        let precision_bits =
            -(largest / function.unit_of_precision().max(f64::MIN_POSITIVE)).log2();
        Ok(Self { parameters, order, prediction, precision_bits, counts, memory_bytes })
    }

    /// Returns log2 of the probability that any value of a ciphertext has a larger error, counting both parts of all
    /// slots.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        let of_slot = FailureProbability::from_log2(self.prediction.log2_fail_per_slot);
        of_slot.of_any(2 * self.parameters.slots()).log2()
    }

    /// Work of one lookup in the units of the cost model.
    #[must_use]
    pub fn work(&self) -> Work {
        self.counts.work(self.parameters.literal().ring_degree)
    }
}

/// Parameters that meet a request, the fastest lookup of one ciphertext first, by the dry run's count.
#[derive(Clone, Debug)]
pub struct LookupPlan {
    /// At least one candidate.
    candidates: Vec<LookupCandidate>,
}

impl LookupPlan {
    /// Chooses among candidates; `None` if there are none.
    pub(crate) fn of(mut candidates: Vec<LookupCandidate>) -> Option<Self> {
        let model = CostModel::default();
        let seconds = |it: &LookupCandidate| model.seconds(&it.work());
        candidates.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        (!candidates.is_empty()).then_some(Self { candidates })
    }

    /// Returns the fastest of all candidates.
    #[must_use]
    pub fn best(&self) -> &LookupCandidate {
        &self.candidates[0]
    }

    /// All candidates, the fastest first.
    #[must_use]
    pub fn candidates(&self) -> &[LookupCandidate] {
        &self.candidates
    }
}

/// A table with one line per candidate.
impl fmt::Display for LookupPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>7} {:>6} {:>5} {:>6} {:>10} {:>6} {:>6} {:>7} {:>8} {:>8}",
            "ring", "slots", "order", "levels", "work", "time", "GB", "bits", "fails", "security"
        )?;
        let model = CostModel::default();
        for it in &self.candidates {
            let seconds = model.seconds(&it.work());
            writeln!(
                f,
                "{:>7} {:>6} {:>5} {:>6} {:>8.0} u {:>4.1} s {:>6.2} {:>7.1} {:>8} {:>8.1}",
                it.parameters.literal().ring_degree,
                it.parameters.slots(),
                it.order,
                it.prediction.level,
                seconds / model.unit(),
                seconds,
                it.memory_bytes as f64 / 1e9,
                it.precision_bits,
                format!("2^{:.1}", it.log2_fail()),
                it.parameters.security_bits()
            )?;
        }
        Ok(())
    }
}

impl Parameters {
    /// Predicts a lookup of fresh slots within bounds, lowered as far as lookups allow: its result and its operations.
    fn predict_fresh_lookup(
        &self,
        function: SlotFunction<'_>,
        bounds: SlotBounds,
    ) -> Result<(LookupPrediction, Counts)> {
        let series = function.series();
        self.check_series(series)?;
        let circuit = self.bootstrap_circuit().expect("a table was checked");
        let (levels, period, parts) = (self.level_scales(), series.period, bounds.parts());
        let (dry_run, before) = (self.dry_run(), circuit.level_before(period));
        let limit = "no more than the parameters have";
        demand(before <= self.levels(), "levels of a lookup's input", before as f64, limit)?;
        let held = levels.capacity(levels.top());
        let limit = format!("at most {held}, the capacity of fresh ciphertexts");
        demand(bounds.modulus() <= held, "bound of slots", bounds.modulus(), &limit)?;
        let power = SlotVariance(bounds.modulus().powi(2));
        let fresh = Shape { power, ..self.fresh_shape(1.0) };
        let input = levels.lower(&dry_run, &fresh, levels.bottom() + before);
        let error = self.slot_error(input.noise, 0.0);
        let found = circuit.predict_lookup(&dry_run, &input, error, parts, function);
        let prediction = self.lookup_prediction(&found);
        let limbs = found.shape.limbs;
        let held = levels.capacity(limbs);
        let limit = format!("at most {held}, the capacity of its level");
        let size = function.magnitude() + found.bias;
        demand(size <= held, "bound of a lookup's result", size, &limit)?;
        let counted = self.dry_run();
        let plans = (circuit.slots_to_coeffs.plans(), circuit.coeffs_to_slots.plans());
        circuit.phases_in_periods(&counted, &plans.0, &input, period, parts);
        let (basis, bottom) = (circuit.raised_basis(), counted.prime(0));
        let raised = mod_raise::raised_shape(circuit.encapsulated_secret(), basis, bottom, 0.0);
        let phases = circuit.phases(&counted, &plans.1, raised, parts);
        circuit.look_up(&counted, phases, &[series], circuit.mask_plan(parts).as_ref());
        Ok((prediction, counted.counts()))
    }

    /// Bytes that a lookup needs: keys and matrices, and temporaries of CoeffsToSlots, which needs the most.
    ///
    /// # Errors
    /// Without bootstrapping.
    fn lookup_memory_bytes(&self) -> Result<usize> {
        let literal = self.literal();
        let degree = literal.ring_degree;
        let requests = KeySet::new().lookups().requests(self)?;
        let moduli = self.moduli();
        let keys: usize = requests.iter().map(|it| it.memory_bytes(&moduli)).sum();
        let circuit = self.bootstrap_circuit().expect("keys of lookups");
        let transforms = &circuit.coeffs_to_slots;
        let stages = [transforms, &circuit.slots_to_coeffs];
        let matrices = stages.map(|it| it.encoded_bytes(&moduli)).iter().sum::<usize>();
        let shape = literal.raised_key_shape(&circuit.bootstrapping);
        let babies = circuit.bootstrapping.coeffs_to_slots.baby_steps;
        let polynomials = shape.digits() + 2 * babies + 6;
        let limbs = WORKING_FACTOR * polynomials * shape.basis.limbs();
        Ok(keys + matrices + WORD_BYTES * limbs * degree)
    }
}
