//! Tables encoded for lookups.

use std::fmt;

use crate::engine::{each_engine, engine_accessors};
use crate::engines::{bridged, leveled, packed, single};

/// A table as an engine evaluates it, made once by [`crate::EvaluationKey::prepare`] for any number of lookups with any
/// key of the same parameters.
pub enum PreparedTable {
    /// Of [`crate::Engine::Packed`].
    Packed(Box<packed::PreparedTable>),
    /// Of [`crate::Engine::Single`].
    Single(Box<single::PreparedTable>),
    /// Of [`crate::Engine::Leveled`].
    Leveled(Box<leveled::PreparedTable>),
    /// Of single values that a server may pack ([`crate::Request::inputs`]): for lookups one by one and of packed ones.
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

    /// Input modulus p: inputs are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        each_engine!(self, it => it.input_modulus())
    }

    /// Output modulus: outputs are 0 to one less.
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
