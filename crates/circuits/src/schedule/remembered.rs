//! A cache of a model's answers: circuits ask for few different noises, again and again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;

use cryptable_bits::{BitTable, Gate, SumGate};

use super::model::BitModel;

/// Questions about two bits.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Question {
    Gates(Vec<Gate>),
    GateBoot(Gate),
    CleaningGateBoot(Gate),
}

/// Number of summands above which answers are not kept: every long sum is different, and all together need gigabytes.
const LONG: usize = 32;

/// Largest number of answers of a kind that are kept: each has some hundred bytes, and large circuits ask about equally
/// many noises.
const MOST_ANSWERS: usize = 1 << 14;

/// Tables, and the noise and levels of their inputs.
type AskedTables<M> = (Vec<BitTable>, Vec<<M as BitModel>::Noise>, usize);

type AskedOfSum<M> = (Vec<SumGate>, Vec<<M as BitModel>::Noise>);

type Asked<M> = (Question, <M as BitModel>::Noise, <M as BitModel>::Noise);

/// The model with its answers so far.
pub(super) struct Remembered<'a, M: BitModel> {
    pub(super) model: &'a M,
    /// Noise of inputs.
    pub(super) input_noise: M::Noise,
    log2_fail: RefCell<HashMap<M::Noise, f64>>,
    largest: RefCell<HashMap<M::Noise, f64>>,
    cleaned: RefCell<HashMap<M::Noise, M::Noise>>,
    booted: RefCell<HashMap<Vec<M::Noise>, M::Noise>>,
    of_two: RefCell<HashMap<Asked<M>, Vec<M::Noise>>>,
    of_tables: RefCell<HashMap<AskedTables<M>, Vec<M::Noise>>>,
    of_sums: RefCell<HashMap<AskedOfSum<M>, Vec<M::Noise>>>,
}

/// Returns the known answer, or computes it. If there are too many answers, all are forgotten.
fn remember<K: Eq + Hash, V: Clone>(
    known: &RefCell<HashMap<K, V>>,
    key: K,
    find: impl FnOnce(&K) -> V,
) -> V {
    let mut known = known.borrow_mut();
    if known.len() >= MOST_ANSWERS && !known.contains_key(&key) {
        known.clear();
    }
    known.entry(key).or_insert_with_key(find).clone()
}

impl<'a, M: BitModel> Remembered<'a, M> {
    /// Starts without answers, for inputs of the secret key, or also of public keys.
    pub(super) fn new(model: &'a M, public_inputs: bool) -> Self {
        let fresh = model.fresh_noise();
        Self {
            model,
            input_noise: if public_inputs { model.noise_after_lowering(fresh) } else { fresh },
            log2_fail: RefCell::default(),
            largest: RefCell::default(),
            cleaned: RefCell::default(),
            booted: RefCell::default(),
            of_two: RefCell::default(),
            of_tables: RefCell::default(),
            of_sums: RefCell::default(),
        }
    }

    pub(super) fn log2_fail(&self, noise: M::Noise) -> f64 {
        remember(&self.log2_fail, noise, |&noise| self.model.log2_fail(noise))
    }

    pub(super) fn largest_error(&self, noise: M::Noise) -> f64 {
        remember(&self.largest, noise, |&noise| self.model.largest_error(noise))
    }

    pub(super) fn noise_after_cleaning(&self, x: M::Noise) -> M::Noise {
        remember(&self.cleaned, x, |&x| self.model.noise_after_cleaning(x))
    }

    pub(super) fn noise_after_bin_boot(&self, summands: &[M::Noise]) -> M::Noise {
        if summands.len() > LONG {
            return self.model.noise_after_bin_boot(summands);
        }
        remember(&self.booted, summands.to_vec(), |list| self.model.noise_after_bin_boot(list))
    }

    pub(super) fn noise_after_gates(
        &self,
        gates: &[Gate],
        x: M::Noise,
        y: M::Noise,
    ) -> Vec<M::Noise> {
        let key = (Question::Gates(gates.to_vec()), x, y);
        remember(&self.of_two, key, |_| self.model.noise_after_gates(gates, x, y))
    }

    pub(super) fn noise_after_tables(
        &self,
        tables: &[BitTable],
        inputs: &[M::Noise],
        levels: usize,
    ) -> Vec<M::Noise> {
        let key = (tables.to_vec(), inputs.to_vec(), levels);
        let find = |_: &_| self.model.noise_after_tables(tables, inputs, levels);
        remember(&self.of_tables, key, find)
    }

    /// Noise of functions for which there are enough levels.
    pub(super) fn noise_after_sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[M::Noise],
    ) -> Vec<M::Noise> {
        let key = (gates.to_vec(), summands.to_vec());
        let find = || self.model.noise_after_sum_boot(gates, summands);
        remember(&self.of_sums, key, |_| find().expect("there are levels for the functions"))
    }

    pub(super) fn noise_after_gate_boot(&self, gate: Gate, x: M::Noise, y: M::Noise) -> M::Noise {
        let key = (Question::GateBoot(gate), x, y);
        remember(&self.of_two, key, |_| vec![self.model.noise_after_gate_boot(gate, x, y)])[0]
    }

    pub(super) fn noise_after_cleaning_gate_boot(
        &self,
        gate: Gate,
        x: M::Noise,
        y: M::Noise,
    ) -> M::Noise {
        let key = (Question::CleaningGateBoot(gate), x, y);
        let find = || vec![self.model.noise_after_cleaning_gate_boot(gate, x, y)];
        remember(&self.of_two, key, |_| find())[0]
    }
}
