//! Plans: the steps of a circuit, with levels and noise.

use std::ops::Range;

use cryptable_bits::Gate;
use cryptable_lattice::FailureProbability;
use cryptable_lattice::cost::Work;

/// A bit of all words, encrypted, by its number in a plan.
pub type ValueId = usize;

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An input bit.
    Input(usize),
    /// The complement: free.
    Not(ValueId),
    /// The sum of two bits that are never both 1: free.
    Union(ValueId, ValueId),
    /// Gates of two bits on one product, an output each.
    Gates(Vec<Gate>, ValueId, ValueId),
    /// Errors squared, for two levels.
    Clean(ValueId),
    /// The XOR of all, with all levels back.
    BinBoot(Vec<ValueId>),
    /// A gate, with all levels back.
    GateBoot(Gate, ValueId, ValueId),
    /// A gate with errors squared, with all levels back but one.
    CleaningGateBoot(Gate, ValueId, ValueId),
}

impl Operation {
    /// The values that it reads.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueId> {
        match self {
            Self::Input(_) => Vec::new(),
            Self::Not(x) | Self::Clean(x) => vec![*x],
            Self::Union(x, y)
            | Self::Gates(_, x, y)
            | Self::GateBoot(_, x, y)
            | Self::CleaningGateBoot(_, x, y) => vec![*x, *y],
            Self::BinBoot(list) => list.clone(),
        }
    }

    /// How many values it makes.
    #[must_use]
    pub fn output_count(&self) -> usize {
        if let Self::Gates(gates, ..) = self { gates.len() } else { 1 }
    }

    /// Whether it is a bootstrap.
    #[must_use]
    pub fn is_bootstrap(&self) -> bool {
        matches!(self, Self::BinBoot(_) | Self::GateBoot(..) | Self::CleaningGateBoot(..))
    }
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub operation: Operation,
    /// The values that it makes.
    pub outputs: Range<ValueId>,
    /// Values that no later step reads, and that are no outputs of the circuit.
    pub freed: Vec<ValueId>,
}

/// The steps of a circuit over encrypted bits, and what they take: made by [`Plan::new`], run by [`crate::execute`].
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
    pub(super) ciphertext_bytes: usize,
    pub(super) working_bytes: usize,
    pub(super) key_bytes: usize,
    pub(super) parallel: usize,
    pub(super) log2_fail: f64,
}

/// Steps of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepCounts {
    /// Gates between bootstraps.
    pub gates: usize,
    /// Products that they take: gates of the same two bits share one.
    pub products: usize,
    /// Additions of disjoint bits.
    pub unions: usize,
    /// Cleanings.
    pub cleanings: usize,
    /// BinBoots of one bit.
    pub bin_boots: usize,
    /// BinBoots of sums: XORs.
    pub xor_boots: usize,
    /// GateBoots of either kind.
    pub gate_boots: usize,
    /// Summands of the longest sum.
    pub longest_sum: usize,
}

impl StepCounts {
    /// Bootstraps of every kind.
    #[must_use]
    pub fn bootstraps(&self) -> usize {
        self.bin_boots + self.xor_boots + self.gate_boots
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

    /// Input bits of the circuit.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// Values of all steps.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.levels.len()
    }

    /// Levels that a value has left.
    #[must_use]
    pub fn levels_of(&self, value: ValueId) -> usize {
        self.levels[value]
    }

    /// Predicted standard deviation of a value from 0 or 1.
    #[must_use]
    pub fn deviation_of(&self, value: ValueId) -> f64 {
        self.deviations[value]
    }

    /// Steps that run at once, at most.
    #[must_use]
    pub fn parallel(&self) -> usize {
        self.parallel
    }

    /// How far ahead of the first unfinished step others may begin: what [`Plan::memory_bytes`] counts on.
    #[must_use]
    pub fn window(&self) -> usize {
        window_of(self.parallel)
    }

    /// Words on which the circuit runs at once.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    /// Predicted work.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }

    /// Bytes of memory, keys included, at most.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key_bytes + self.ciphertext_bytes + self.parallel * self.working_bytes
    }

    /// Bytes of ciphertexts that live at once, at most.
    #[must_use]
    pub fn ciphertext_bytes(&self) -> usize {
        self.ciphertext_bytes
    }

    /// The probability that a bit of any output of one word is wrong, at most.
    #[must_use]
    pub fn word_failure(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail)
    }

    /// The probability that a bit of any output of any word is wrong, at most.
    #[must_use]
    pub fn failure(&self) -> FailureProbability {
        self.word_failure().of_any(self.words)
    }

    /// Steps of each kind.
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
                Operation::Clean(_) => counts.cleanings += 1,
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

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A circuit without inputs is a table of constants.
    #[error("the circuit has no inputs")]
    NoInputs,
    /// A bit would be too noisy, in the best plan that was found.
    #[error(
        "{gate}, which output {output} needs, would fail with probability 2^{found:.1} a bit, above 2^{limit:.1}"
    )]
    Noise {
        /// The gate.
        gate: String,
        /// The first output that depends on it.
        output: String,
        /// log2 of its failure probability.
        found: f64,
        /// log2 of what the engine accepts.
        limit: f64,
    },
    /// A sum before a bootstrap has too many terms, in the best plan that was found.
    #[error("{gate}, which output {output} needs, is a sum of too many bits for a bootstrap")]
    LongSum {
        /// The gate.
        gate: String,
        /// The first output that depends on it.
        output: String,
    },
    /// More memory than is allowed.
    #[error(
        "the circuit takes {needed} bytes of memory, above the limit of {limit}; most ciphertexts live at {gate}"
    )]
    Memory {
        /// Bytes.
        needed: usize,
        /// The limit.
        limit: usize,
        /// The step at which most memory is taken.
        gate: String,
    },
    /// All words together fail more often than asked for.
    #[error(
        "the circuit fails with probability {found} for any of its words, above the limit {limit}"
    )]
    Failure {
        /// The predicted probability.
        found: FailureProbability,
        /// The limit.
        limit: FailureProbability,
    },
}

/// How far ahead of the first unfinished step others may begin, where so many run at once.
pub(super) fn window_of(parallel: usize) -> usize {
    if parallel <= 1 { 1 } else { 4 * parallel }
}
