//! Tables for both ways of looking up.

use cryptable_fhew::lookup as single;
use cryptable_packed as packed;

/// A table encoded for single values and for packed ones.
#[derive(Debug)]
pub struct PreparedTable {
    pub(super) single: single::PreparedTable,
    pub(super) packed: packed::PreparedTable,
}

impl PreparedTable {
    /// For lookups one by one.
    #[must_use]
    pub fn single(&self) -> &single::PreparedTable {
        &self.single
    }

    /// For lookups of packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::PreparedTable {
        &self.packed
    }

    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.single.input_modulus()
    }

    /// Output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.single.output_modulus()
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.single.memory_bytes() + self.packed.memory_bytes()
    }
}
