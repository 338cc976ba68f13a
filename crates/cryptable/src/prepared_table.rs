//! Tables encoded for lookups.

use std::fmt;

use crate::engine::{each_engine, other_engine};
use crate::engines::{leveled, packed, single};
use crate::{Engine, Result};

/// A table as an engine evaluates it, made once by [`crate::EvaluationKey::prepare`] for any number of lookups with any
/// key of the same parameters.
pub enum PreparedTable {
    /// Of the packed engine.
    Packed(Box<packed::PreparedTable>),
    /// Of the engine for single values.
    Single(Box<single::PreparedTable>),
    /// Of the leveled engine.
    Leveled(Box<leveled::PreparedTable>),
}

impl fmt::Debug for PreparedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, p, q) = (self.engine(), self.input_modulus(), self.output_modulus());
        write!(f, "PreparedTable({engine}, {p} -> {q})")
    }
}

impl PreparedTable {
    /// Which engine it is of.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match self {
            Self::Packed(_) => Engine::Packed,
            Self::Single(_) => Engine::Single,
            Self::Leveled(_) => Engine::Leveled,
        }
    }

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

    pub(crate) fn packed(&self) -> Result<&packed::PreparedTable> {
        match self {
            Self::Packed(table) => Ok(table),
            other => Err(other_engine("prepared table", Engine::Packed, other.engine())),
        }
    }

    pub(crate) fn single(&self) -> Result<&single::PreparedTable> {
        match self {
            Self::Single(table) => Ok(table),
            other => Err(other_engine("prepared table", Engine::Single, other.engine())),
        }
    }

    pub(crate) fn leveled(&self) -> Result<&leveled::PreparedTable> {
        match self {
            Self::Leveled(table) => Ok(table),
            other => Err(other_engine("prepared table", Engine::Leveled, other.engine())),
        }
    }
}
