//! Search for the cheapest plan within the limits. It varies the number of gates in a row, the length of sums, how
//! early bootstraps come, whether gates are evaluated in bootstraps or before them, and whether bits are cleaned.

use std::collections::HashMap;

use cryptable_bits::BitTable;
use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::{CostModel, Work};

use super::cover::Cover;
use super::emission::{Emitted, Style, emit};
use super::full_adders::{Adder, adders};
use super::input_supply::{InputSupply, supply_when_needed};
use super::live_ranges;
use super::lowering::{InputLevels, lowered};
use super::model::{BitModel, Task};
use super::placement::{Limits, Placement};
use super::plan::{NotEmitted, Operation, Plan, PlanError, window_of};
use super::remembered::Remembered;
use super::risk::Risk;
use crate::circuit::Circuit;

/// Limits of a plan.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Number of steps that run at once; each step is also parallel internally.
    pub parallel: usize,
    /// Largest memory in bytes, keys included.
    pub memory_limit: Option<usize>,
    /// Largest probability that any bit of any output of any word of a ciphertext is wrong. `None` accepts whatever the
    /// engine accepts.
    pub failure_limit: Option<FailureProbability>,
    /// When inputs are supplied.
    pub supply: InputSupply,
    /// Levels of the inputs.
    pub inputs: InputLevels,
    /// Whether inputs may be encrypted by public keys, with one rounding of noise more than by the secret key.
    pub public_inputs: bool,
    /// Costs of operations.
    pub cost: CostModel,
}

impl Default for PlanOptions {
    /// One step at a time, unlimited memory, a failure probability of any word of at most 2^-64.
    fn default() -> Self {
        Self {
            parallel: 1,
            memory_limit: None,
            failure_limit: Some(FailureProbability::DEFAULT),
            supply: InputSupply::default(),
            inputs: InputLevels::Needed,
            public_inputs: false,
            cost: CostModel::default(),
        }
    }
}

/// Limits on the summands of a BinBoot that are tried, the largest first.
const SUMMANDS: [usize; 6] = [192, 64, 24, 8, 4, 2];
/// Additional costs of early bootstraps that are tried, in thousandths per level.
const EARLY: [u64; 2] = [0, 300];
/// Largest errors of results that are tried: see [`Style`].
const LARGEST: [f64; 4] = [0.3, 0.2, 0.12, 0.06];
/// Number of ciphertexts with all levels that a gate holds while it runs, beside its operands: digits of key switches,
/// sums, and buffers kept for the next gate. Measured at degree 2^15: 40.
const CIPHERTEXTS_OF_A_GATE: usize = 48;
/// Bytes of memory that planning needs per gate: sums of up to 256 bits, steps, levels and noise of their values.
/// Measured on a divider of 64 bits.
const PLANNING_BYTES: usize = 4096;
/// Bytes that planning may always use, whatever the limit is: any program needs this much memory.
const LEAST_PLANNING_BYTES: usize = 16 << 20;
/// How many numbers of gates in a row are tried without gain before the search ends.
const PATIENCE: usize = 1;

impl Plan {
    /// Finds the cheapest plan.
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
    /// [`PlanError`] if a bit would be too noisy in all plans, or the best one needs too much memory or fails too
    /// often.
    pub fn new<M: BitModel>(
        circuit: &Circuit,
        model: &M,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        Self::cheapest(std::slice::from_ref(circuit), model, options)
    }

    /// Finds the cheapest plan of several circuits that compute the same, such as [`named::NamedCircuit::variants`].
    ///
    /// [`named::NamedCircuit::variants`]: crate::named::NamedCircuit::variants
    ///
    /// # Errors
    /// The errors of [`Plan::new`].
    ///
    /// # Panics
    /// If there is no circuit.
    pub fn cheapest<M: BitModel>(
        circuits: &[Circuit],
        model: &M,
        options: &PlanOptions,
    ) -> Result<Self, PlanError> {
        assert!(!circuits.is_empty(), "a circuit to plan");
        if circuits.iter().any(|circuit| circuit.input_bits() == 0) {
            return Err(PlanError::NoInputs);
        }
        let gates = circuits.iter().map(|circuit| circuit.nodes().len()).max().unwrap_or(0);
        let needed = gates.saturating_mul(PLANNING_BYTES);
        if let Some(limit) =
            options.memory_limit.filter(|&limit| needed > limit.max(LEAST_PLANNING_BYTES))
        {
            return Err(PlanError::Planning { gates, needed, limit });
        }
        // Forms whose tables are too deep for the model are dropped if other forms fit.
        let fits = |circuit: &&Circuit| check_levels(circuit, model).is_ok();
        let fitting: Vec<&Circuit> = circuits.iter().filter(fits).collect();
        if fitting.is_empty() {
            check_levels(&circuits[0], model)?;
        }
        let mut search = Search::new(model, options);
        for circuit in fitting {
            // Majorities are tried as gates and as bootstraps of their own.
            let by_gates = circuit.without_majorities().balanced();
            search.all_placements(&by_gates);
            let distributed = by_gates.distributed();
            if distributed != by_gates {
                search.all_placements(&distributed.balanced());
            }
            let with_majorities = circuit.with_majorities();
            if with_majorities.statistics().majorities > 0 {
                search.all_placements(&with_majorities);
            }
        }
        search.best.into_plan()
    }
}

/// Checks that a bootstrap leaves enough levels for every table.
fn check_levels<M: BitModel>(circuit: &Circuit, model: &M) -> Result<(), PlanError> {
    let found = model.levels_after_bootstrap();
    let deepest = circuit.tables().max_by_key(|table| table.levels());
    match deepest {
        Some(table) if table.levels() > found => {
            Err(PlanError::Levels { inputs: table.inputs(), needed: table.levels(), found })
        }
        _ => Ok(()),
    }
}

/// The best candidate with its seconds, or the reason why there is none.
#[derive(Default)]
struct Best {
    found: Option<(f64, Plan)>,
    /// The plan with the least memory among those that need too much, with its error.
    memory: Option<(usize, PlanError)>,
    /// The plan with the lowest failure probability among those that fail too often, with its error.
    noise: Option<(f64, PlanError)>,
}

struct Search<'a, M: BitModel> {
    works: Works<'a, M>,
    options: &'a PlanOptions,
    best: Best,
}

impl<'a, M: BitModel> Search<'a, M> {
    fn new(model: &'a M, options: &'a PlanOptions) -> Self {
        let works =
            Works { model: Remembered::new(model, options.public_inputs), known: HashMap::new() };
        Self { works, options, best: Best::default() }
    }

    /// Tries more and fewer gates in a row until that no longer saves time, or memory if there is too much of it.
    fn all_placements(&mut self, circuit: &Circuit) {
        let adders = adders(circuit);
        let least = circuit.tables().map(BitTable::levels).max().unwrap_or(0);
        let all = self.works.model.model.levels_after_bootstrap();
        let (mut in_vain, mut found) = (0, false);
        for levels in (least..=all).rev() {
            let (held, gained) = self.placements(circuit, &adders, levels);
            found |= held;
            in_vain = if gained { 0 } else { in_vain + 1 };
            if found && in_vain > PATIENCE {
                return;
            }
        }
    }

    /// Tries placements with `gates` gates in a row; returns whether one held, and whether one was the cheapest so far.
    fn placements(&mut self, circuit: &Circuit, adders: &[Adder], levels: usize) -> (bool, bool) {
        let all = self.works.model.model.levels_after_bootstrap();
        // Pairs of functions consume a level; if all levels are used, their results start with one level less.
        let of_pairs = (all > 0).then(|| (levels + 1).saturating_sub(all));
        let (mut found, mut gained) = (false, false);
        for early in EARLY {
            for (k, &summands) in SUMMANDS.iter().enumerate() {
                let limits = Limits { levels, summands, early, adders: of_pairs };
                let placement = Placement::new(circuit, limits, adders);
                let longest = placement.longest_sum();
                let (held, better) = self.try_styles(circuit, &placement, adders);
                found |= held;
                gained |= better;
                // Shorter sums need more bootstraps, and the next limit may not even be reached.
                let unbound = SUMMANDS.get(k + 1).is_none_or(|&next| longest <= next);
                if held || unbound {
                    break;
                }
            }
        }
        (found, gained)
    }

    /// Tries all styles of turning a placement into steps. Returns whether the noise of one was small enough, and
    /// whether one is the best so far, or the nearest to a plan.
    fn try_styles(
        &mut self,
        circuit: &Circuit,
        placement: &Placement,
        adders: &[Adder],
    ) -> (bool, bool) {
        let (mut held, mut better) = (false, false);
        let model = self.works.model.model;
        let levels_of_pair = |adder: &Adder| {
            let levels = model.levels_of_sum_boot(&adder.gates(true));
            model.levels_after_bootstrap().checked_sub(levels)
        };
        for gate_boots in [true, false] {
            let cover = Cover::new(circuit, placement, gate_boots, adders, levels_of_pair);
            // Above this number of bootstraps, no plan is faster than the best one.
            let each = self.options.cost.seconds(&model.work(Task::Bootstrap));
            let best = self.best.found.as_ref();
            let most_bootstraps =
                best.map_or(usize::MAX, |&(seconds, _)| (seconds / each) as usize);
            if cover.bootstraps() > most_bootstraps {
                continue;
            }
            for cleanings in [false, true] {
                // Cleaner bits need more bootstraps: the first limit that holds is the cheapest.
                for largest in LARGEST {
                    let style = Style { gate_boots, cleanings, largest, most_bootstraps };
                    let emitted = match emit(&cover, &self.works.model, style) {
                        // Cleaner bits would need even more.
                        Err(NotEmitted::TooDear) => break,
                        Err(NotEmitted::Error(error)) => Err(error),
                        Ok(emitted) => self.works.finish(circuit, self.options, emitted),
                    };
                    match emitted {
                        Ok(plan) => {
                            held = true;
                            better |= self.best.offer(plan);
                            break;
                        }
                        Err(error) => {
                            let is_noise = matches!(error, PlanError::Noise { .. });
                            better |= self.best.refuse(error);
                            // Cleaner bits and shorter sums help only against noise.
                            if !is_noise {
                                held = true;
                                break;
                            }
                        }
                    }
                }
            }
        }
        (held, better)
    }
}

impl Best {
    /// Keeps a candidate if it is the cheapest so far. Returns whether it is.
    fn offer(&mut self, plan: Plan) -> bool {
        let seconds = plan.seconds();
        let better = self.found.as_ref().is_none_or(|&(least, _)| seconds < least);
        if better {
            self.found = Some((seconds, plan));
        }
        better
    }

    /// Remembers the error that came nearest to a plan. Returns whether its plan needs less memory than all others.
    fn refuse(&mut self, error: PlanError) -> bool {
        let place = match error {
            PlanError::Memory { needed, .. } => {
                let better = self.memory.as_ref().is_none_or(|&(least, _)| needed < least);
                if better {
                    self.memory = Some((needed, error));
                }
                return better && self.found.is_none();
            }
            // Plans whose steps hold one by one came nearer than others.
            PlanError::Failure { found, .. } => found.log2() - 1e9,
            PlanError::InputLevels { needed, found, .. } => (needed - found) as f64 - 2e9,
            PlanError::Noise { found, .. } => found,
            _ => 0.0,
        };
        if self.noise.as_ref().is_none_or(|&(least, _)| place < least) {
            self.noise = Some((place, error));
        }
        false
    }

    fn into_plan(self) -> Result<Plan, PlanError> {
        let memory = self.memory.map(|(_, error)| error);
        let refusal = memory.or(self.noise.map(|(_, error)| error));
        self.found.map(|(_, plan)| plan).ok_or_else(|| refusal.expect("a plan, or a reason"))
    }
}

/// Work of tasks, computed once for each task.
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
                Operation::Tables(step) => {
                    let (inputs, count) = (step.inputs.len(), step.tables.len());
                    let levels = step.levels + step.tables[0].levels();
                    let is_above = |&&value: &&usize| emitted.levels[value] > levels;
                    let lowered = step.inputs.iter().filter(is_above).count();
                    Task::Tables { inputs, lowered, count, levels }
                }
                Operation::Clean(x) => Task::Cleaning { levels: levels(&[*x]) },
                Operation::Lower(_) => {
                    Task::Lowering { levels: emitted.levels[step.outputs.start] }
                }
                Operation::BinBoot(_)
                | Operation::GateBoot(..)
                | Operation::CleaningGateBoot(..) => Task::Bootstrap,
                Operation::SumBoot(gates, _) => Task::SumBoot(gates.clone()),
                Operation::Input(_) | Operation::Not(_) | Operation::Union(..) => continue,
            };
            let model = self.model.model;
            let known = self.known.entry(task);
            sum += *known.or_insert_with_key(|task| model.work(task.clone()));
        }
        sum
    }

    /// Lowers bits to the levels that are needed, frees values after their last reader, and checks the limits.
    fn finish(
        &mut self,
        circuit: &Circuit,
        options: &PlanOptions,
        emitted: Emitted<M::Noise>,
    ) -> Result<Plan, PlanError> {
        let emitted = lowered(circuit, emitted, &self.model, &options.inputs)?;
        let work = self.of(&emitted);
        let risk = Risk::of(&self.model, &emitted);
        let model = self.model.model;
        let Emitted { mut steps, outputs, levels, noises } = emitted;
        if options.supply == InputSupply::WhenNeeded {
            supply_when_needed(&mut steps);
        }
        live_ranges::free_after_last_use(&mut steps, &outputs, levels.len());
        let parallel = options.parallel.max(1);
        let bytes_of = |value: usize| model.ciphertext_bytes(levels[value]);
        let (ciphertext_bytes, at) =
            live_ranges::peak(&steps, bytes_of, window_of(parallel), options.supply);
        let bootstraps = steps.iter().any(|step| step.operation.is_bootstrap());
        let of_gates =
            CIPHERTEXTS_OF_A_GATE * model.ciphertext_bytes(model.levels_after_bootstrap());
        let moduli = steps.iter().filter_map(|step| step.operation.modulus()).collect();
        let plan = Plan {
            circuit: circuit.name().to_owned(),
            words: model.slots(),
            input_bits: circuit.input_bits(),
            deviations: noises.iter().map(|&noise| model.deviation(noise)).collect(),
            steps,
            outputs,
            levels,
            work,
            cost: options.cost,
            ciphertext_bytes,
            working_bytes: if bootstraps { model.working_bytes() } else { of_gates },
            key_bytes: model.key_bytes(&moduli),
            parallel,
            log2_fail: risk.log2_fail,
        };
        if let Some(limit) = options.failure_limit.filter(|&limit| plan.failure() > limit) {
            return Err(risk.error(plan.failure(), limit));
        }
        match options.memory_limit {
            Some(limit) if plan.memory_bytes() > limit => {
                let gate = format!("step {at} of {}", plan.steps.len());
                Err(PlanError::Memory { needed: plan.memory_bytes(), limit, gate })
            }
            _ => Ok(plan),
        }
    }
}
