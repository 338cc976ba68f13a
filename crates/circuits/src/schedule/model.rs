//! Noise and cost model of an engine, for schedules.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::hash::Hash;

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::cost::Work;

/// A kind of work on bits, to determine its cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// Gates of two bits with one product, on bits with `levels` levels left.
    Gates {
        /// Levels of the operands.
        levels: usize,
    },
    /// Tables of the same bits, which are lowered to `levels` levels.
    Tables {
        /// Number of bits that are read.
        inputs: usize,
        /// Number of these bits that are lowered before.
        lowered: usize,
        /// Number of tables.
        count: usize,
        /// Levels of the operands.
        levels: usize,
    },
    /// A cleaning of a bit with `levels` levels left.
    Cleaning {
        /// Levels of the operand.
        levels: usize,
    },
    /// Lowering a bit to `levels` levels.
    Lowering {
        /// Levels of the result.
        levels: usize,
    },
    /// BinBoot, GateBoot or GateBoot'.
    Bootstrap,
    /// Functions of a sum, with one bootstrap.
    SumBoot(Vec<SumGate>),
}

/// Levels, noise, work and memory of packed bits: the numbers that schedules depend on.
pub trait BitModel: Sync {
    /// The noise of a bit: its distance from 0 or 1.
    type Noise: Copy + Debug + Eq + Hash + Send + Sync;

    /// Number of bits of one ciphertext: how many times the circuit runs at once.
    fn slots(&self) -> usize;

    /// Number of gates in a row that fresh and bootstrapped bits allow.
    fn levels_after_bootstrap(&self) -> usize;

    /// Levels that a cleaning consumes.
    fn cleaning_levels(&self) -> usize;

    /// Noise of fresh bits.
    fn fresh_noise(&self) -> Self::Noise;

    /// Noise of bits after they are lowered to the level of others.
    fn noise_after_lowering(&self, x: Self::Noise) -> Self::Noise;

    /// Noise of each of several gates of two bits of one level, with one product.
    fn noise_after_gates(&self, gates: &[Gate], x: Self::Noise, y: Self::Noise)
    -> Vec<Self::Noise>;

    /// Noise of each of several tables of the same bits, with `levels` levels left.
    fn noise_after_tables(
        &self,
        tables: &[BitTable],
        inputs: &[Self::Noise],
        levels: usize,
    ) -> Vec<Self::Noise>;

    /// Noise of the sum of two bits that are never both 1.
    fn noise_after_union(&self, x: Self::Noise, y: Self::Noise) -> Self::Noise;

    /// Noise after cleaning.
    fn noise_after_cleaning(&self, x: Self::Noise) -> Self::Noise;

    /// Noise after BinBoot of a sum of bits.
    fn noise_after_bin_boot(&self, summands: &[Self::Noise]) -> Self::Noise;

    /// Noise after GateBoot.
    fn noise_after_gate_boot(&self, gate: Gate, x: Self::Noise, y: Self::Noise) -> Self::Noise;

    /// Noise after GateBoot', which squares errors and consumes one of the levels after a bootstrap.
    fn noise_after_cleaning_gate_boot(
        &self,
        gate: Gate,
        x: Self::Noise,
        y: Self::Noise,
    ) -> Self::Noise;

    /// Noise after functions of a sum of bits with one bootstrap, one value per function; `None` if they need more
    /// levels than there are.
    fn noise_after_sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[Self::Noise],
    ) -> Option<Vec<Self::Noise>>;

    /// Number of levels after a bootstrap that functions of a sum consume.
    fn levels_of_sum_boot(&self, gates: &[SumGate]) -> usize;

    /// log2 of the probability that a bit is off by half.
    fn log2_fail(&self, noise: Self::Noise) -> f64;

    /// The largest error of a bit, except with the failure probability that the engine accepts.
    fn largest_error(&self, noise: Self::Noise) -> f64;

    /// Standard deviation of a bit from 0 or 1.
    fn deviation(&self, noise: Self::Noise) -> f64;

    /// log2 of the largest failure probability per bit that the engine accepts for any result.
    fn log2_fail_limit(&self) -> f64;

    /// Work of a task.
    fn work(&self, task: Task) -> Work;

    /// Bytes of a ciphertext with `levels` levels left.
    fn ciphertext_bytes(&self, levels: usize) -> usize;

    /// Bytes of memory that a bootstrap needs while it runs, beside its operands.
    fn working_bytes(&self) -> usize;

    /// Bytes of the evaluation key in memory, for bootstraps of sums as fractions of these moduli.
    fn key_bytes(&self, moduli: &BTreeSet<u64>) -> usize;
}
