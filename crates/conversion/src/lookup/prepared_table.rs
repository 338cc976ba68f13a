//! Tables that are prepared for both single and packed lookups.

use cryptable_fhew::lookup as single;
use cryptable_packed as packed;

/// A table encoded for single values and for packed ones.
#[derive(Debug)]
pub struct PreparedTable {
    pub(super) single: single::PreparedTable,
    pub(super) packed: packed::PreparedTable,
}

impl PreparedTable {
    /// Returns the table for lookups one by one.
    #[must_use]
    pub fn single(&self) -> &single::PreparedTable {
        &self.single
    }

    /// Returns the table for packed lookups.
    #[must_use]
    pub fn packed(&self) -> &packed::PreparedTable {
        &self.packed
    }

    /// Returns the input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.single.input_modulus()
    }

    /// Returns the output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.single.output_modulus()
    }

    /// Returns the number of bytes of memory that the table uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.single.memory_bytes() + self.packed.memory_bytes()
    }
}
