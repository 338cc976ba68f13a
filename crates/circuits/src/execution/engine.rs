//! Operations on bits that plans use.

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::Result;

/// Bits of many words, and what can be done with them. The operations are those of [`crate::schedule::Operation`].
pub trait BitEngine: Sync {
    /// A bit of every word.
    type Bits: Clone + Send + Sync;

    /// The complement.
    ///
    /// # Errors
    /// The errors of the engine.
    fn not(&self, x: &Self::Bits) -> Result<Self::Bits>;

    /// The sum of bits that are never both 1.
    ///
    /// # Errors
    /// The errors of the engine.
    fn union(&self, x: &Self::Bits, y: &Self::Bits) -> Result<Self::Bits>;

    /// Gates of two bits, one level.
    ///
    /// # Errors
    /// The errors of the engine.
    fn gates(&self, gates: &[Gate], x: &Self::Bits, y: &Self::Bits) -> Result<Vec<Self::Bits>>;

    /// Applies tables to the same bits, with results that have `levels` levels left.
    ///
    /// # Errors
    /// The errors of the engine.
    fn tables(
        &self,
        tables: &[BitTable],
        inputs: &[&Self::Bits],
        levels: usize,
    ) -> Result<Vec<Self::Bits>>;

    /// Lowers a bit to `levels` levels, at most those that it has.
    ///
    /// # Errors
    /// The errors of the engine.
    fn lower(&self, x: &Self::Bits, levels: usize) -> Result<Self::Bits>;

    /// Errors squared.
    ///
    /// # Errors
    /// The errors of the engine.
    fn clean(&self, x: &Self::Bits) -> Result<Self::Bits>;

    /// The XOR of all, bootstrapped.
    ///
    /// # Errors
    /// The errors of the engine.
    fn bin_boot(&self, summands: &[&Self::Bits]) -> Result<Self::Bits>;

    /// A gate, bootstrapped; with errors squared, for a level, if it is `cleaning`.
    ///
    /// # Errors
    /// The errors of the engine.
    fn gate_boot(
        &self,
        gate: Gate,
        x: &Self::Bits,
        y: &Self::Bits,
        cleaning: bool,
    ) -> Result<Self::Bits>;

    /// Functions of the sum of bits, on one bootstrap.
    ///
    /// # Errors
    /// The errors of the engine.
    fn sum_boot(&self, gates: &[SumGate], summands: &[&Self::Bits]) -> Result<Vec<Self::Bits>>;
}
