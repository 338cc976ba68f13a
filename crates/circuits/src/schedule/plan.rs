//! Plans: the steps of a circuit, with levels and noise.

use std::ops::Range;

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::{CostModel, Work};

/// The number in a plan of an encrypted bit (of all words).
pub type ValueId = usize;

/// Operation of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An input bit.
    Input(usize),
    /// The complement: free.
    Not(ValueId),
    /// The sum of two bits that are never both 1: free.
    Union(ValueId, ValueId),
    /// Gates of two bits with one product, one output per gate.
    Gates(Vec<Gate>, ValueId, ValueId),
    /// Tables of the same bits, one output per table.
    Tables(TableStep),
    /// The same bit with fewer levels left, as needed by the readers of the result.
    Lower(ValueId),
    /// A bit with squared errors, for two levels.
    Clean(ValueId),
    /// The XOR of all bits, with all levels restored.
    BinBoot(Vec<ValueId>),
    /// A gate, with all levels restored.
    GateBoot(Gate, ValueId, ValueId),
    /// A gate with squared errors, with all levels but one restored.
    CleaningGateBoot(Gate, ValueId, ValueId),
    /// Functions of a sum of bits with one bootstrap, one output per function: adders.
    SumBoot(Vec<SumGate>, Vec<ValueId>),
}

/// Tables of the same bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableStep {
    /// The tables, all of the same inputs.
    pub tables: Vec<BitTable>,
    /// The bits: input i of the tables is bit i.
    pub inputs: Vec<ValueId>,
    /// Levels left in the outputs: bits are first lowered to the levels that this needs.
    pub levels: usize,
}

impl Operation {
    /// The values that the operation reads.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Self::Input(_) => Vec::new(),
            Self::Not(x) | Self::Lower(x) | Self::Clean(x) => vec![*x],
            Self::Union(x, y)
            | Self::Gates(_, x, y)
            | Self::GateBoot(_, x, y)
            | Self::CleaningGateBoot(_, x, y) => vec![*x, *y],
            Self::BinBoot(list) | Self::SumBoot(_, list) => list.clone(),
            Self::Tables(step) => step.inputs.clone(),
        }
    }

    /// Number of values that the operation makes.
    #[must_use]
    pub fn output_count(&self) -> usize {
        match self {
            Self::Gates(gates, ..) => gates.len(),
            Self::Tables(step) => step.tables.len(),
            Self::SumBoot(gates, _) => gates.len(),
            _ => 1,
        }
    }

    /// Returns the operation's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Not(_) => "NOT",
            Self::Union(..) => "disjoint OR",
            Self::Gates(gates, ..) => match gates[..] {
                [Gate::Xor | Gate::Xnor] => "XOR",
                _ => "AND",
            },
            Self::Tables(_) => "tables",
            Self::Lower(_) => "lowering",
            Self::Clean(_) => "cleaning",
            Self::BinBoot(_) => "BinBoot",
            Self::GateBoot(..) => "GateBoot",
            Self::CleaningGateBoot(..) => "GateBoot'",
            Self::SumBoot(..) => "adder",
        }
    }

    /// The same operation on other values.
    pub(super) fn renamed(&self, of: impl Fn(ValueId) -> ValueId) -> Self {
        let all = |list: &[ValueId]| list.iter().map(|&value| of(value)).collect();
        match self {
            Self::Input(bit) => Self::Input(*bit),
            Self::Not(x) => Self::Not(of(*x)),
            Self::Lower(x) => Self::Lower(of(*x)),
            Self::Clean(x) => Self::Clean(of(*x)),
            Self::Union(x, y) => Self::Union(of(*x), of(*y)),
            Self::Gates(gates, x, y) => Self::Gates(gates.clone(), of(*x), of(*y)),
            Self::Tables(step) => {
                Self::Tables(TableStep { inputs: all(&step.inputs), ..step.clone() })
            }
            Self::BinBoot(list) => Self::BinBoot(all(list)),
            Self::GateBoot(gate, x, y) => Self::GateBoot(*gate, of(*x), of(*y)),
            Self::CleaningGateBoot(gate, x, y) => Self::CleaningGateBoot(*gate, of(*x), of(*y)),
            Self::SumBoot(gates, list) => Self::SumBoot(gates.clone(), all(list)),
        }
    }

    /// The modulus m if the bootstrap uses its sum as a fraction of m.
    pub(super) fn modulus(&self) -> Option<u64> {
        match self {
            Self::BinBoot(_) => Some(2),
            Self::GateBoot(..) | Self::CleaningGateBoot(..) => Some(3),
            Self::SumBoot(_, list) => Some(list.len() as u64 + 1),
            _ => None,
        }
    }

    /// Returns whether the operation is a bootstrap.
    #[must_use]
    pub fn is_bootstrap(&self) -> bool {
        self.modulus().is_some()
    }
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Operation of the step.
    pub operation: Operation,
    /// The values that the step makes.
    pub outputs: Range<ValueId>,
    /// Values that no later step reads, and that are not outputs of the circuit.
    pub freed: Vec<ValueId>,
}

/// The steps of a circuit over encrypted bits, with their time, memory and failure probability: made by [`Plan::new`],
/// run by [`crate::execute`].
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) circuit: String,
    pub(super) words: usize,
    pub(super) input_bits: usize,
    pub(super) steps: Vec<Step>,
    pub(super) outputs: Vec<ValueId>,
    pub(super) levels: Vec<usize>,
    pub(super) deviations: Vec<f64>,
    pub(super) work: Work,
    pub(super) cost: CostModel,
    pub(super) ciphertext_bytes: usize,
    pub(super) working_bytes: usize,
    pub(super) key_bytes: usize,
    pub(super) parallel: usize,
    pub(super) log2_fail: f64,
}

/// Number of steps of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Gates between bootstraps.
    pub gates: usize,
    /// Products of these gates: gates of the same two bits share one.
    pub products: usize,
    /// Additions of disjoint bits.
    pub unions: usize,
    /// Tables between bootstraps.
    pub tables: usize,
    /// Groups of tables of the same bits, which share characters.
    pub table_groups: usize,
    /// Cleanings of bits, which square errors.
    pub cleanings: usize,
    /// BinBoots of one bit.
    pub bin_boots: usize,
    /// BinBoots of sums: XORs.
    pub xor_boots: usize,
    /// GateBoots of either kind.
    pub gate_boots: usize,
    /// Bootstraps of adders: carries of two or three bits, most of them together with the sums.
    pub adders: usize,
    /// Bits that are lowered to the levels that their readers need.
    pub lowerings: usize,
    /// Number of summands of the longest sum.
    pub longest_sum: usize,
}

impl StepCounts {
    /// Number of bootstraps of all kinds.
    #[must_use]
    pub fn bootstraps(&self) -> usize {
        self.bin_boots + self.xor_boots + self.gate_boots + self.adders
    }
}

impl Plan {
    /// The steps, in an order in which they can run.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Output bits of the circuit, as values.
    #[must_use]
    pub fn outputs(&self) -> &[ValueId] {
        &self.outputs
    }

    /// Number of input bits of the circuit.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// Number of values of all steps.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.levels.len()
    }

    /// Levels left in a value.
    #[must_use]
    pub fn levels_of(&self, value: ValueId) -> usize {
        self.levels[value]
    }

    /// Predicted standard deviation of a value from 0 or 1.
    #[must_use]
    pub fn deviation_of(&self, value: ValueId) -> f64 {
        self.deviations[value]
    }

    /// Largest number of steps that run at once.
    #[must_use]
    pub fn parallel(&self) -> usize {
        self.parallel
    }

    /// How far ahead of the first unfinished step others may begin. [`Plan::memory_bytes`] relies on this.
    #[must_use]
    pub fn window(&self) -> usize {
        window_of(self.parallel)
    }

    /// Number of words on which the circuit runs at once.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Predicted time on one thread, in seconds, by the cost model that the plan was made with.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.cost.seconds(&self.work)
    }

    /// Predicted work of all steps, in the units of the cost model.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Upper bound on the memory in bytes, keys included.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key_bytes + self.ciphertext_bytes + self.parallel * self.working_bytes
    }

    /// Bytes of the evaluation key in memory, with its matrices.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        self.key_bytes
    }

    /// Levels that each input bit needs. Inputs with more levels are lowered to these.
    #[must_use]
    pub fn input_levels(&self) -> Vec<usize> {
        let mut levels = vec![0; self.input_bits];
        for step in &self.steps {
            if let Operation::Input(bit) = step.operation {
                levels[bit] = self.levels[step.outputs.start];
            }
        }
        levels
    }

    /// Upper bound on the bytes of ciphertexts that are live at once.
    #[must_use]
    pub fn ciphertext_bytes(&self) -> usize {
        self.ciphertext_bytes
    }

    /// Upper bound on the probability that a bit of any output of one word is wrong.
    #[must_use]
    pub fn word_failure(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail)
    }

    /// Upper bound on the probability that a bit of any output of any word is wrong.
    #[must_use]
    pub fn failure(&self) -> FailureProbability {
        self.word_failure().of_any(self.words)
    }

    /// Returns the number of steps of each kind.
    #[must_use]
    pub fn counts(&self) -> StepCounts {
        let mut counts = StepCounts::default();
        for step in &self.steps {
            match &step.operation {
                Operation::Input(_) | Operation::Not(_) => {}
                Operation::Union(..) => counts.unions += 1,
                Operation::Gates(gates, ..) => {
                    counts.gates += gates.len();
                    counts.products += 1;
                }
                Operation::Tables(step) => {
                    counts.tables += step.tables.len();
                    counts.table_groups += 1;
                }
                Operation::Clean(_) => counts.cleanings += 1,
                Operation::Lower(_) => counts.lowerings += 1,
                Operation::SumBoot(..) => counts.adders += 1,
                Operation::BinBoot(list) if list.len() == 1 => counts.bin_boots += 1,
                Operation::BinBoot(list) => {
                    counts.xor_boots += 1;
                    counts.longest_sum = counts.longest_sum.max(list.len());
                }
                Operation::GateBoot(..) | Operation::CleaningGateBoot(..) => counts.gate_boots += 1,
            }
        }
        counts
    }
}

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A circuit has no inputs: it is a table of constants.
    #[error("the circuit has no inputs")]
    NoInputs,
    /// A bit would be too noisy, in the best plan found.
    #[error(
        "{gate}, which output {output} needs, would fail with probability 2^{found:.1} per bit, above 2^{limit:.1}"
    )]
    Noise {
        /// The gate.
        gate: String,
        /// The first output that depends on it.
        output: String,
        /// log2 of its failure probability.
        found: f64,
        /// log2 of the probability that the engine accepts.
        limit: f64,
    },
    /// A sum before a bootstrap has too many terms, in the best plan found.
    #[error("{gate}, which output {output} needs, is a sum of too many bits for a bootstrap")]
    LongSum {
        /// The gate.
        gate: String,
        /// The first output that depends on it.
        output: String,
    },
    /// A table needs more levels than the engine has.
    #[error("a table of {inputs} bits needs {needed} levels, but bootstraps leave {found}")]
    Levels {
        /// Inputs of the table.
        inputs: usize,
        /// Levels that the table needs.
        needed: usize,
        /// Levels after a bootstrap.
        found: usize,
    },
    /// The plan needs more memory than the limit allows.
    #[error(
        "the circuit takes {needed} bytes of memory, above the limit of {limit}; most ciphertexts live at {gate}"
    )]
    Memory {
        /// Bytes.
        needed: usize,
        /// The limit.
        limit: usize,
        /// The step that needs the most memory.
        gate: String,
    },
    /// Planning itself needs more memory than the limit allows.
    #[error("{gates} gates take {needed} bytes of memory to plan, above the limit of {limit}")]
    Planning {
        /// Number of gates.
        gates: usize,
        /// Bytes.
        needed: usize,
        /// The limit.
        limit: usize,
    },
    /// Inputs have fewer levels than the best plan found needs.
    #[error(
        "input {input} has {found} levels, where {needed} are needed: encrypt it for this circuit"
    )]
    InputLevels {
        /// The input bit.
        input: String,
        /// Levels that the input needs.
        needed: usize,
        /// Levels that the input has.
        found: usize,
    },
    /// The failure probability of all words together exceeds the limit.
    #[error(
        "the circuit fails with probability {found} for any of its words, above the limit {limit}: {results} results fail with \
         2^{each:.1} per bit or less, most of all {gate}"
    )]
    Failure {
        /// Number of results that may fail.
        results: usize,
        /// log2 of the largest failure probability of a result.
        each: f64,
        /// The result with this probability.
        gate: String,
        /// The predicted probability.
        found: FailureProbability,
        /// The limit.
        limit: FailureProbability,
    },
}

/// Returns how far steps may run ahead of the first unfinished one, if `parallel` steps run at once.
pub(super) fn window_of(parallel: usize) -> usize {
    if parallel <= 1 { 1 } else { 4 * parallel }
}

/// Reason for not turning a placement into steps.
#[derive(Debug)]
pub(in crate::schedule) enum NotEmitted {
    /// The plan needs more bootstraps than another one.
    TooDear,
    /// The plan violates a limit.
    Error(PlanError),
}

impl From<PlanError> for NotEmitted {
    fn from(error: PlanError) -> Self {
        Self::Error(error)
    }
}
