//! Operations on bits that plans use.

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::Result;

/// Bits of many words, with the operations of [`crate::schedule::Operation`].
pub trait BitEngine: Sync {
    /// A bit of every word.
    type Bits: Clone + Send + Sync;

    /// Complement of a bit.
    ///
    /// # Errors
    /// The errors of the engine.
    fn not(&self, x: &Self::Bits) -> Result<Self::Bits>;

    /// Sum of two bits that are never both 1.
    ///
    /// # Errors
    /// The errors of the engine.
    fn union(&self, x: &Self::Bits, y: &Self::Bits) -> Result<Self::Bits>;

    /// Gates of two bits; they consume one level.
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

    /// Lowers a bit to `levels` levels, or leaves it as it is if it has fewer.
    ///
    /// # Errors
    /// The errors of the engine.
    fn lower(&self, x: &Self::Bits, levels: usize) -> Result<Self::Bits>;

    /// Squares the errors of a bit.
    ///
    /// # Errors
    /// The errors of the engine.
    fn clean(&self, x: &Self::Bits) -> Result<Self::Bits>;

    /// The XOR of all summands, bootstrapped.
    ///
    /// # Errors
    /// The errors of the engine.
    fn bin_boot(&self, summands: &[&Self::Bits]) -> Result<Self::Bits>;

    /// A gate with a bootstrap. If `cleaning`, it also squares errors, and consumes a level.
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

    /// Functions of the sum of bits, with one bootstrap.
    ///
    /// # Errors
    /// The errors of the engine.
    fn sum_boot(&self, gates: &[SumGate], summands: &[&Self::Bits]) -> Result<Vec<Self::Bits>>;
}
