//! Runs the steps of a plan. Independent steps run in parallel, within the plan's window, so that memory stays within
//! the plan's bound. Every bit is freed as soon as its last reader has run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, MutexGuard};

use cryptable_lattice::error::check_equal;
use cryptable_lattice::{Error, Progress, Result, Steps};

use super::engine::BitEngine;
use crate::schedule::{Operation, Plan, Step};

/// Runs a plan on input bits and returns the output bits, in the order of the circuit's words, the least significant
/// bit first. Input bits have at least the levels that [`Plan::input_levels`] states. `progress` counts steps.
///
/// ```
/// use cryptable_bits::{Packing, Parameters};
/// use cryptable_circuits::{Plan, PlanOptions, execute, execution::PlainBits, named::NamedCircuit};
/// use cryptable_lattice::Progress;
/// let circuit = NamedCircuit::Compare32.build();
/// let parameters = Parameters::insecure_toy(Packing::Real)?;
/// let plan = Plan::new(&circuit, &parameters, &PlanOptions::default())?;
/// // Bit k of each input belongs to word k: x = 2^k, y = 2^40 - 1 cut to 32 bits.
/// let inputs = (0..64).map(|bit| if bit < 32 { 1 << bit } else { u64::MAX }).collect();
/// let outputs = execute(&plan, &PlainBits, inputs, Progress::silent())?;
/// assert_eq!(outputs[0] & 0xffff_ffff, 0xffff_ffff);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the number of inputs is not that of the circuit, the engine fails, or the caller asks to stop.
pub fn execute<E: BitEngine>(
    plan: &Plan,
    engine: &E,
    inputs: Vec<E::Bits>,
    progress: Progress<'_>,
) -> Result<Vec<E::Bits>> {
    check_equal("number of input bits", inputs.len(), plan.input_bits())?;
    let inputs: Vec<Mutex<Option<E::Bits>>> =
        inputs.into_iter().map(|input| Mutex::new(Some(input))).collect();
    let take = |bit: usize| {
        let mut input = inputs[bit].lock().expect("no panic under lock");
        Ok(input.take().expect("an input is one value"))
    };
    execute_with(plan, engine, &take, progress)
}

/// Executes a plan like [`execute`], with inputs that are made, or read, when they are needed. `input` is called once
/// for every input bit, from any thread. Plans with
/// [`InputSupply::WhenNeeded`](crate::schedule::InputSupply::WhenNeeded) call it late.
///
/// # Errors
/// The errors of `input`; also if the engine fails, or the caller asks to stop.
pub fn execute_with<E: BitEngine>(
    plan: &Plan,
    engine: &E,
    input: &(dyn Fn(usize) -> Result<E::Bits> + Sync),
    progress: Progress<'_>,
) -> Result<Vec<E::Bits>> {
    let steps = progress.steps(plan.steps().len())?;
    let state = Mutex::new(State::new(plan));
    let run = Run { plan, engine, input, steps: &steps, state: &state };
    rayon::in_place_scope(|scope| run.start_ready(scope));
    let mut state = state.into_inner().expect("no panic under lock");
    if let Some(error) = state.error {
        return Err(error);
    }
    let output = |&value: &usize| {
        let bits = state.values[value].clone().expect("outputs are not freed");
        Arc::unwrap_or_clone(bits)
    };
    let outputs = plan.outputs().iter().map(output).collect();
    state.values.clear();
    Ok(outputs)
}

struct State<B> {
    values: Vec<Option<Arc<B>>>,
    /// Number of operands for which each step waits.
    missing: Vec<usize>,
    ready: BinaryHeap<Reverse<usize>>,
    finished: Vec<bool>,
    /// All steps before this one are finished.
    first_unfinished: usize,
    running: usize,
    error: Option<Error>,
    /// Steps that wait for each value.
    readers: Vec<Vec<usize>>,
    /// For each value, the number of readers that have not run yet, and whether it is an output.
    uses: Vec<usize>,
}

impl<B> State<B> {
    fn new(plan: &Plan) -> Self {
        let (steps, count) = (plan.steps(), plan.value_count());
        let mut readers = vec![Vec::new(); count];
        let mut missing = vec![0; steps.len()];
        for (index, step) in steps.iter().enumerate() {
            let mut operands = step.operation.operands();
            operands.sort_unstable();
            operands.dedup();
            missing[index] = operands.len();
            operands.into_iter().for_each(|value| readers[value].push(index));
        }
        let mut uses: Vec<usize> = readers.iter().map(Vec::len).collect();
        plan.outputs().iter().for_each(|&value| uses[value] += 1);
        let ready = missing.iter().enumerate().filter(|&(_, &missing)| missing == 0);
        Self {
            values: (0..count).map(|_| None).collect(),
            ready: ready.map(|(index, _)| Reverse(index)).collect(),
            missing,
            finished: vec![false; steps.len()],
            first_unfinished: 0,
            running: 0,
            error: None,
            readers,
            uses,
        }
    }

    /// Stores the results of a step, frees values without further readers, and finds steps that are ready.
    fn finish(&mut self, plan: &Plan, index: usize, outputs: Vec<B>) {
        let step = &plan.steps()[index];
        for (value, bits) in step.outputs.clone().zip(outputs) {
            if self.uses[value] > 0 {
                self.values[value] = Some(Arc::new(bits));
            }
            for &reader in &self.readers[value] {
                self.missing[reader] -= 1;
                if self.missing[reader] == 0 {
                    self.ready.push(Reverse(reader));
                }
            }
        }
        let mut operands = step.operation.operands();
        operands.sort_unstable();
        operands.dedup();
        for value in operands {
            self.uses[value] -= 1;
            if self.uses[value] == 0 {
                self.values[value] = None;
            }
        }
        self.finished[index] = true;
        while self.finished.get(self.first_unfinished) == Some(&true) {
            self.first_unfinished += 1;
        }
    }

    /// The next step that may begin.
    fn next(&mut self, plan: &Plan) -> Option<usize> {
        let &Reverse(index) = self.ready.peek()?;
        let is_free = self.running < plan.parallel();
        if self.error.is_some() || !is_free || index >= self.first_unfinished + plan.window() {
            return None;
        }
        self.ready.pop();
        self.running += 1;
        Some(index)
    }
}

struct Run<'a, 'p, E: BitEngine> {
    plan: &'a Plan,
    engine: &'a E,
    input: &'a (dyn Fn(usize) -> Result<E::Bits> + Sync),
    steps: &'a Steps<'p>,
    state: &'a Mutex<State<E::Bits>>,
}

impl<E: BitEngine> Clone for Run<'_, '_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: BitEngine> Copy for Run<'_, '_, E> {}

impl<'a, E: BitEngine> Run<'a, 'a, E> {
    fn lock(&self) -> MutexGuard<'a, State<E::Bits>> {
        self.state.lock().expect("no panic under lock")
    }

    /// Starts all steps that are ready.
    fn start_ready(self, scope: &rayon::Scope<'a>) {
        loop {
            let Some(index) = self.lock().next(self.plan) else { return };
            scope.spawn(move |scope| {
                self.run(index);
                self.start_ready(scope);
            });
        }
    }

    fn run(self, index: usize) {
        let operation = &self.plan.steps()[index].operation;
        let operands: Vec<Arc<E::Bits>> = {
            let state = self.lock();
            let value = |value: &usize| state.values[*value].clone().expect("operands are there");
            operation.operands().iter().map(value).collect()
        };
        let result = self.evaluate(index, &operands);
        // Free operands before the lock is taken.
        drop(operands);
        let told = self.steps.done();
        let mut state = self.lock();
        state.running -= 1;
        match result.and_then(|outputs| told.map(|()| outputs)) {
            Ok(outputs) => state.finish(self.plan, index, outputs),
            Err(error) => state.error = state.error.take().or(Some(error)),
        }
    }

    fn evaluate(self, index: usize, operands: &[Arc<E::Bits>]) -> Result<Vec<E::Bits>> {
        let engine = self.engine;
        let Step { operation, outputs, .. } = &self.plan.steps()[index];
        let all = || operands.iter().map(Arc::as_ref).collect::<Vec<_>>();
        let one = match (operation, operands) {
            (Operation::Gates(gates, ..), [x, y]) => return engine.gates(gates, x, y),
            (Operation::Tables(step), _) => {
                return engine.tables(&step.tables, &all(), step.levels);
            }
            (Operation::SumBoot(gates, _), _) => return engine.sum_boot(gates, &all()),
            (Operation::Not(_), [x]) => engine.not(x),
            (Operation::Input(bit), _) => {
                engine.lower(&(self.input)(*bit)?, self.plan.levels_of(outputs.start))
            }
            (Operation::Lower(_), [x]) => engine.lower(x, self.plan.levels_of(outputs.start)),
            (Operation::Union(..), [x, y]) => engine.union(x, y),
            (Operation::Clean(_), [x]) => engine.clean(x),
            (Operation::BinBoot(_), _) => engine.bin_boot(&all()),
            (Operation::GateBoot(gate, ..), [x, y]) => engine.gate_boot(*gate, x, y, false),
            (Operation::CleaningGateBoot(gate, ..), [x, y]) => engine.gate_boot(*gate, x, y, true),
            _ => unreachable!("operands are those of the operation"),
        };
        Ok(vec![one?])
    }
}

/// Splits words into the bits of a circuit's inputs: for every bit the values of all words.
///
/// ```
/// use cryptable_circuits::execution::{input_bits, output_words};
/// let bits = input_bits(&[4], &[vec![0b0101], vec![0b0011]]);
/// assert_eq!(bits, [[true, true], [false, true], [true, false], [false, false]]);
/// assert_eq!(output_words(&[4], &bits), [[0b0101], [0b0011]]);
/// ```
#[must_use]
pub fn input_bits(widths: &[usize], words: &[Vec<u128>]) -> Vec<Vec<bool>> {
    let bits =
        widths.iter().enumerate().flat_map(|(k, &width)| (0..width).map(move |bit| (k, bit)));
    bits.map(|(k, bit)| words.iter().map(|word| word[k] >> bit & 1 == 1).collect()).collect()
}

/// Joins the bits of a circuit's outputs to words.
#[must_use]
pub fn output_words(widths: &[usize], bits: &[Vec<bool>]) -> Vec<Vec<u128>> {
    let count = bits.first().map_or(0, Vec::len);
    let mut words = vec![vec![0; widths.len()]; count];
    let places =
        widths.iter().enumerate().flat_map(|(k, &width)| (0..width).map(move |bit| (k, bit)));
    for ((k, bit), values) in places.zip(bits) {
        for (word, &value) in words.iter_mut().zip(values) {
            word[k] |= u128::from(value) << bit;
        }
    }
    words
}
