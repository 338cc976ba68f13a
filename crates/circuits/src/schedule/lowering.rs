//! Lowering of bits to the levels that their readers need: with fewer limbs, bits need less memory, and their readers
//! less time.
//!
//! From the outputs back, the need of a value is the largest need of its readers: a product needs one level more than
//! its results, bootstraps need none. Inputs are encrypted with the levels that they need. Surplus levels after
//! bootstraps and gates are removed, for one rounding of noise. Levels and noise are therefore computed anew from the
//! inputs on.

use super::emission::Emitted;
use super::model::BitModel;
use super::plan::{Operation, PlanError, Step, TableStep, ValueId};
use super::remembered::Remembered;
use crate::circuit::Circuit;

/// Levels of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InputLevels {
    /// The levels that [`Plan::input_levels`](super::Plan::input_levels) states.
    #[default]
    Needed,
    /// These levels, one per input bit; missing ones are 0. Plans that need more are refused.
    Given(Vec<usize>),
}

impl InputLevels {
    /// Returns the levels of a bit that needs `needed` levels; no bit has more than `all`.
    fn of(&self, bit: usize, needed: usize, all: usize) -> usize {
        match self {
            Self::Needed => needed,
            Self::Given(given) => given.get(bit).copied().unwrap_or(0).min(all),
        }
    }
}

/// Least numbers of surplus levels for which a bit is lowered. First all bits with a surplus are lowered, then only
/// those with a larger one, for fewer roundings.
const LEAST_GAINS: [usize; 3] = [1, 4, usize::MAX];

/// Returns the same steps with bits lowered to the levels that are needed, or unchanged if that makes a result too
/// noisy.
///
/// # Errors
/// [`PlanError::InputLevels`] if inputs have fewer levels than they need.
pub(super) fn lowered<M: BitModel>(
    circuit: &Circuit,
    emitted: Emitted<M::Noise>,
    memory: &Remembered<'_, M>,
    inputs: &InputLevels,
) -> Result<Emitted<M::Noise>, PlanError> {
    let needs = needs(&emitted, memory.model);
    let all = memory.model.levels_after_bootstrap();
    // Checks that inputs have the levels that they need, or `least` levels if that is more.
    let check_inputs = |least: usize| {
        let input = |step: &Step| match step.operation {
            Operation::Input(bit) => Some((bit, needs[step.outputs.start].max(least))),
            _ => None,
        };
        let mut levels = emitted.steps.iter().filter_map(input);
        let few = levels.find(|&(bit, needed)| inputs.of(bit, needed, all) < needed);
        few.map_or(Ok(()), |(bit, needed)| {
            let (input, found) = (circuit.input_name(bit), inputs.of(bit, needed, all));
            Err(PlanError::InputLevels { input, needed, found })
        })
    };
    check_inputs(0)?;
    let attempt = |least_gain: usize| {
        let mut replay = Replay {
            memory,
            inputs,
            least_gain,
            emitted: Emitted { steps: vec![], outputs: vec![], levels: vec![], noises: vec![] },
            renamed: vec![ValueId::MAX; needs.len()],
        };
        let held = emitted.steps.iter().all(|step| replay.step(step, &needs));
        let Replay { emitted: mut made, renamed, .. } = replay;
        held.then(|| {
            made.outputs = emitted.outputs.iter().map(|&value| renamed[value]).collect();
            made
        })
    };
    if let Some(lowered) = LEAST_GAINS.into_iter().find_map(attempt) {
        return Ok(lowered);
    }
    check_inputs(all)?;
    Ok(emitted)
}

/// The levels that readers need of every value.
fn needs<M: BitModel>(emitted: &Emitted<M::Noise>, model: &M) -> Vec<usize> {
    let mut needs = vec![0; emitted.levels.len()];
    for Step { operation, outputs, .. } in emitted.steps.iter().rev() {
        let own = outputs.clone().map(|value| needs[value]).max().unwrap_or(0);
        let of_operands = match operation {
            Operation::Gates(..) => own + 1,
            Operation::Tables(step) => own + step.tables[0].levels(),
            Operation::Clean(_) => own + model.cleaning_levels(),
            Operation::Not(_) | Operation::Union(..) | Operation::Lower(_) => own,
            _ => 0,
        };
        for operand in operation.operands() {
            needs[operand] = needs[operand].max(of_operands);
        }
    }
    needs
}

struct Replay<'a, M: BitModel> {
    memory: &'a Remembered<'a, M>,
    inputs: &'a InputLevels,
    /// Least number of surplus levels that is worth a rounding.
    least_gain: usize,
    emitted: Emitted<M::Noise>,
    /// New identifiers of values, by the old ones.
    renamed: Vec<ValueId>,
}

impl<M: BitModel> Replay<'_, M> {
    /// Repeats a step and lowers its results. Returns whether they are clean enough.
    fn step(&mut self, step: &Step, needs: &[usize]) -> bool {
        let mut operation = step.operation.renamed(|value| self.renamed[value]);
        if let Operation::Tables(tables) = &mut operation {
            // Tables lower their inputs themselves.
            tables.levels = step.outputs.clone().map(|value| needs[value]).max().unwrap_or(0);
        }
        let model = self.memory.model;
        let made = match operation {
            Operation::Input(bit) => {
                let all = model.levels_after_bootstrap();
                let levels = self.inputs.of(bit, needs[step.outputs.start], all);
                vec![(levels, self.memory.input_noise)]
            }
            _ => self.results(&operation),
        };
        let limit = model.log2_fail_limit();
        if made.iter().any(|&(_, noise)| self.memory.log2_fail(noise) > limit) {
            return false;
        }
        // Complements have the level of the values that they complement.
        let is_lowered = !matches!(operation, Operation::Not(_));
        let first = self.push(operation, &made);
        for (k, old) in step.outputs.clone().enumerate() {
            let (levels, noise) = made[k];
            let need = needs[old];
            self.renamed[old] = if is_lowered && levels - need.min(levels) >= self.least_gain {
                let noise = model.noise_after_lowering(noise);
                self.push(Operation::Lower(first + k), &[(need, noise)])
            } else {
                first + k
            };
        }
        true
    }

    fn push(&mut self, operation: Operation, made: &[(usize, M::Noise)]) -> ValueId {
        let first = self.emitted.levels.len();
        self.emitted.levels.extend(made.iter().map(|made| made.0));
        self.emitted.noises.extend(made.iter().map(|made| made.1));
        let outputs = first..first + made.len();
        self.emitted.steps.push(Step { operation, outputs, freed: Vec::new() });
        first
    }

    /// Levels and noise of the results of an operation.
    fn results(&self, operation: &Operation) -> Vec<(usize, M::Noise)> {
        let (memory, model) = (self.memory, self.memory.model);
        let all = model.levels_after_bootstrap();
        let operands = operation.operands();
        let levels = operands.iter().map(|&value| self.emitted.levels[value]).min().unwrap_or(all);
        let at = |value: ValueId, levels: usize| {
            let noise = self.emitted.noises[value];
            let is_there = self.emitted.levels[value] == levels;
            if is_there { noise } else { model.noise_after_lowering(noise) }
        };
        let bottom = |value: &ValueId| at(*value, 0);
        match operation {
            Operation::Input(_) => unreachable!("inputs come as they are"),
            Operation::Not(x) | Operation::Lower(x) => vec![(levels, at(*x, levels))],
            Operation::Union(x, y) => {
                vec![(levels, model.noise_after_union(at(*x, levels), at(*y, levels)))]
            }
            Operation::Gates(gates, x, y) => {
                let noises = memory.noise_after_gates(gates, at(*x, levels), at(*y, levels));
                noises.into_iter().map(|noise| (levels - 1, noise)).collect()
            }
            Operation::Tables(TableStep { tables, inputs, levels }) => {
                let above = levels + tables[0].levels();
                let before: Vec<_> = inputs.iter().map(|&value| at(value, above)).collect();
                let noises = memory.noise_after_tables(tables, &before, above);
                noises.into_iter().map(|noise| (*levels, noise)).collect()
            }
            Operation::Clean(x) => {
                let noise = memory.noise_after_cleaning(at(*x, levels));
                vec![(levels - model.cleaning_levels(), noise)]
            }
            Operation::BinBoot(list) => {
                let noises: Vec<_> = list.iter().map(bottom).collect();
                vec![(all, memory.noise_after_bin_boot(&noises))]
            }
            Operation::GateBoot(gate, x, y) => {
                vec![(all, memory.noise_after_gate_boot(*gate, bottom(x), bottom(y)))]
            }
            Operation::CleaningGateBoot(gate, x, y) => {
                let noise = memory.noise_after_cleaning_gate_boot(*gate, bottom(x), bottom(y));
                vec![(all - 1, noise)]
            }
            Operation::SumBoot(gates, list) => {
                let noises: Vec<_> = list.iter().map(bottom).collect();
                let levels = all - model.levels_of_sum_boot(gates);
                let made = memory.noise_after_sum_boot(gates, &noises);
                made.into_iter().map(|noise| (levels, noise)).collect()
            }
        }
    }
}
