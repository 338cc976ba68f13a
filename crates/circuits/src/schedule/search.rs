//! The cheapest plan that holds, among those with more or fewer gates in a row, longer or shorter sums, earlier or later
//! bootstraps, gates in bootstraps or before them, with cleanings or without.

use std::collections::HashMap;

use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::{CostModel, Work};

use super::emission::{Emitted, Style, emit};
use super::live_ranges;
use super::model::{BitModel, Task};
use super::placement::{Limits, Placement};
use super::plan::{Operation, Plan, PlanError, window_of};
use super::remembered::Remembered;
use crate::circuit::Circuit;

/// What a plan is to keep to.
#[derive(Clone, Copy, Debug)]
pub struct PlanOptions {
    /// Steps that run at once; each is parallel within, too.
    pub parallel: usize,
    /// Bytes of memory, keys included.
    pub memory_limit: Option<usize>,
    /// Failure probability of any bit of all words.
    pub failure_limit: Option<FailureProbability>,
    /// What operations take.
    pub cost: CostModel,
}

impl Default for PlanOptions {
    /// One step at once, no limits.
    fn default() -> Self {
        let cost = CostModel::default();
        Self { parallel: 1, memory_limit: None, failure_limit: None, cost }
    }
}

/// Summands of a BinBoot that are tried, the most first.
const SUMMANDS: [usize; 5] = [64, 24, 8, 4, 2];
/// How much dearer early bootstraps are, in thousandths a level.
const EARLY: [u64; 2] = [0, 300];
/// How much cleaner than the engine demands bits are kept: see [`Style`].
const MARGINS: [f64; 3] = [1.5, 4.0, 10.0];
/// Numbers of gates in a row that are tried without gain before the search ends.
const PATIENCE: usize = 1;

impl Plan {
    /// The cheapest plan that was found.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// use cryptable_circuits::{Plan, PlanOptions, named::NamedCircuit};
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let plan = Plan::new(&NamedCircuit::Add32.build(), &parameters, &PlanOptions::default())?;
    /// println!("{plan}");
    /// assert!(plan.counts().bootstraps() > 0 && plan.failure().log2() < -40.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PlanError`] if a bit would be too noisy in all of them, or the best takes too much memory or fails too often.
    pub fn new<M: BitModel>(
        circuit: &Circuit,
        model: &M,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        if circuit.input_bits() == 0 {
            return Err(PlanError::NoInputs);
        }
        let circuit = circuit.without_majorities().balanced();
        let plan = search(&circuit, model, options)?;
        if let Some(limit) = options.failure_limit
            && plan.failure() > limit
        {
            return Err(PlanError::Failure { found: plan.failure(), limit });
        }
        Ok(plan)
    }
}

/// The best candidate with its seconds, or why there is none.
#[derive(Default)]
struct Best {
    found: Option<(f64, Plan)>,
    /// Of plans that take too much memory, the one that takes least.
    memory: Option<(usize, PlanError)>,
    /// Of noises that stood against a plan, the one that failed least.
    noise: Option<(f64, PlanError)>,
}

fn search<M: BitModel>(
    circuit: &Circuit,
    model: &M,
    options: &PlanOptions,
) -> Result<Plan, PlanError> {
    let mut works = Works { model: Remembered::new(model), known: HashMap::new() };
    let mut best = Best::default();
    let mut in_vain = 0;
    for levels in (0..=model.levels_after_bootstrap()).rev() {
        let mut gained = false;
        for early in EARLY {
            for (k, &summands) in SUMMANDS.iter().enumerate() {
                let placement = Placement::new(circuit, Limits { levels, summands, early });
                let longest = placement.longest_sum();
                let (held, better) = best.try_styles(circuit, &mut works, &placement, options);
                gained |= better;
                // Shorter sums take more bootstraps; the next limit may not even bind.
                let unbound = SUMMANDS.get(k + 1).is_none_or(|&next| longest <= next);
                if held || unbound {
                    break;
                }
            }
        }
        in_vain = if gained { 0 } else { in_vain + 1 };
        if best.found.is_some() && in_vain == PATIENCE {
            break;
        }
    }
    let memory = best.memory.map(|(_, error)| error);
    let refusal = memory.or(best.noise.map(|(_, error)| error));
    best.found.map(|(_, plan)| plan).ok_or_else(|| refusal.expect("a plan, or a reason"))
}

impl Best {
    /// All ways to turn a placement into steps: whether one held, and whether it is the cheapest so far.
    fn try_styles<M: BitModel>(
        &mut self,
        circuit: &Circuit,
        works: &mut Works<'_, M>,
        placement: &Placement,
        options: &PlanOptions,
    ) -> (bool, bool) {
        let (mut held, mut better) = (false, false);
        for (gate_boots, cleanings) in [(true, false), (true, true), (false, false), (false, true)]
        {
            // The cleanest bits take the most bootstraps: the first margin that holds is the cheapest.
            for margin in MARGINS {
                let style = Style { gate_boots, cleanings, margin };
                let plan = emit(circuit, &works.model, placement, style).and_then(|emitted| {
                    finish(circuit, works.model.model, options, works.of(&emitted), emitted)
                });
                match plan {
                    Ok(plan) => {
                        held = true;
                        better |= self.offer(plan, options);
                        break;
                    }
                    Err(error) => self.refuse(error),
                }
            }
        }
        (held, better)
    }

    /// Takes a candidate if it is the cheapest so far.
    fn offer(&mut self, plan: Plan, options: &PlanOptions) -> bool {
        let seconds = options.cost.seconds(&plan.work);
        let better = self.found.as_ref().is_none_or(|&(least, _)| seconds < least);
        if better {
            self.found = Some((seconds, plan));
        }
        better
    }

    /// Remembers the error that came nearest to a plan.
    fn refuse(&mut self, error: PlanError) {
        if let PlanError::Memory { needed, .. } = error {
            if self.memory.as_ref().is_none_or(|&(least, _)| needed < least) {
                self.memory = Some((needed, error));
            }
            return;
        }
        let found = if let PlanError::Noise { found, .. } = error { found } else { 0.0 };
        if self.noise.as_ref().is_none_or(|&(least, _)| found < least) {
            self.noise = Some((found, error));
        }
    }
}

/// Work of tasks, each asked for once.
struct Works<'a, M: BitModel> {
    model: Remembered<'a, M>,
    known: HashMap<Task, Work>,
}

impl<M: BitModel> Works<'_, M> {
    fn of(&mut self, emitted: &Emitted<M::Noise>) -> Work {
        let mut sum = Work::default();
        for step in &emitted.steps {
            let levels =
                |list: &[usize]| list.iter().map(|&value| emitted.levels[value]).min().unwrap_or(0);
            let task = match &step.operation {
                Operation::Gates(_, x, y) => Task::Gates { levels: levels(&[*x, *y]) },
                Operation::Clean(x) => Task::Cleaning { levels: levels(&[*x]) },
                Operation::BinBoot(_)
                | Operation::GateBoot(..)
                | Operation::CleaningGateBoot(..) => Task::Bootstrap,
                Operation::Input(_) | Operation::Not(_) | Operation::Union(..) => continue,
            };
            sum += *self.known.entry(task).or_insert_with(|| self.model.model.work(task));
        }
        sum
    }
}

fn finish<M: BitModel>(
    circuit: &Circuit,
    model: &M,
    options: &PlanOptions,
    work: Work,
    emitted: Emitted<M::Noise>,
) -> Result<Plan, PlanError> {
    let Emitted { mut steps, outputs, levels, noises } = emitted;
    live_ranges::free_after_last_use(&mut steps, &outputs, levels.len());
    let parallel = options.parallel.max(1);
    let bytes_of = |value: usize| model.ciphertext_bytes(levels[value]);
    let (ciphertext_bytes, at) = live_ranges::peak(&steps, bytes_of, window_of(parallel));
    let limit = model.log2_fail_limit();
    // Every result but sums and complements may fail by what the engine accepts, and outputs by their noise.
    let is_free = |operation: &Operation| {
        matches!(operation, Operation::Input(_) | Operation::Not(_) | Operation::Union(..))
    };
    let risks = steps.iter().filter(|step| !is_free(&step.operation)).map(|s| s.outputs.len());
    let of_outputs = outputs.iter().map(|&value| model.log2_fail(noises[value]).exp2());
    let log2_fail = (risks.sum::<usize>() as f64 * limit.exp2() + of_outputs.sum::<f64>()).log2();
    let plan = Plan {
        circuit: circuit.name().to_owned(),
        words: model.slots(),
        input_bits: circuit.input_bits(),
        deviations: noises.iter().map(|&noise| model.deviation(noise)).collect(),
        steps,
        outputs,
        levels,
        work,
        ciphertext_bytes,
        working_bytes: model.working_bytes(),
        key_bytes: model.key_bytes(),
        parallel,
        log2_fail: log2_fail.min(0.0),
    };
    match options.memory_limit {
        Some(limit) if plan.memory_bytes() > limit => {
            let gate = format!("step {at} of {}", plan.steps.len());
            Err(PlanError::Memory { needed: plan.memory_bytes(), limit, gate })
        }
        _ => Ok(plan),
    }
}
