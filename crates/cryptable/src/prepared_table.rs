//! Tables encoded for lookups.

use std::fmt;

use crate::engine::{each_engine, engine_accessors};
use crate::engines::{bridged, leveled, packed, single};

/// A table as an engine evaluates it, made once by [`crate::EvaluationKey::prepare`] for any number of lookups with any
/// key of the same parameters.
pub enum PreparedTable {
    /// Of the packed engine.
    Packed(Box<packed::PreparedTable>),
    /// Of the engine for single values.
    Single(Box<single::PreparedTable>),
    /// Of the leveled engine.
    Leveled(Box<leveled::PreparedTable>),
    /// Of the engine for single values, and for those that are packed.
    Bridged(Box<bridged::PreparedTable>),
}

impl fmt::Debug for PreparedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, p, q) = (self.engine(), self.input_modulus(), self.output_modulus());
        write!(f, "PreparedTable({engine}, {p} -> {q})")
    }
}

impl PreparedTable {
    engine_accessors!(pub(crate) PreparedTable, "prepared table");

    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        each_engine!(self, it => it.input_modulus())
    }

    /// Output modulus.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        each_engine!(self, it => it.output_modulus())
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        each_engine!(self, it => it.memory_bytes())
    }
}
