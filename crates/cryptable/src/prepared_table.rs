//! Tables encoded for lookups.

use std::fmt;

use crate::engine::{each_engine, engine_accessors};
use crate::engines::{bridged, leveled, packed, single};
use crate::{Engine, Result};

/// Table in the form in which an engine evaluates it.
///
/// [`crate::EvaluationKey::prepare`] creates it once, for any number of lookups with any key of the same parameters.
pub struct PreparedTable {
    of_engine: Prepared,
    signed_inputs: bool,
    signed_outputs: bool,
}

/// The prepared table of one engine.
pub(crate) enum Prepared {
    Packed(Box<packed::PreparedTable>),
    Single(Box<single::PreparedTable>),
    Leveled(Box<leveled::PreparedTable>),
    /// Table of single values that a server may pack ([`crate::Request::inputs`]), for lookups both one by one and
    /// packed.
    Bridged(Box<bridged::PreparedTable>),
}

impl fmt::Debug for PreparedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, p, q) = (self.engine(), self.input_modulus(), self.output_modulus());
        write!(f, "PreparedTable({engine}, {p} -> {q})")
    }
}

impl Prepared {
    engine_accessors!(pub(crate) PreparedTable, "prepared table");
}

impl PreparedTable {
    pub(crate) fn new(of_engine: Prepared, signed_inputs: bool, signed_outputs: bool) -> Self {
        Self { of_engine, signed_inputs, signed_outputs }
    }

    pub(crate) fn of_engine(&self) -> &Prepared {
        &self.of_engine
    }

    /// Returns the table as the packed engine prepared it.
    ///
    /// # Errors
    /// [`OtherKind`](crate::Error::OtherKind) if it was prepared for another engine.
    pub fn packed(&self) -> Result<&packed::PreparedTable> {
        self.of_engine.packed()
    }

    /// Returns the table as the leveled engine prepared it.
    ///
    /// # Errors
    /// [`OtherKind`](crate::Error::OtherKind) if it was prepared for another engine.
    pub fn leveled(&self) -> Result<&leveled::PreparedTable> {
        self.of_engine.leveled()
    }

    /// Returns the engine that the table was prepared for.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.of_engine.engine()
    }

    /// Returns the input modulus p: inputs are 0 to p - 1.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.of_engine.input_modulus()
    }

    /// Returns the output modulus P: outputs are 0 to P - 1.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.of_engine.output_modulus()
    }

    /// Returns whether inputs are signed values ([`crate::Table::signed_inputs`]).
    #[must_use]
    pub fn signed_inputs(&self) -> bool {
        self.signed_inputs
    }

    /// Returns whether results are signed values ([`crate::Table::signed_outputs`]).
    #[must_use]
    pub fn signed_outputs(&self) -> bool {
        self.signed_outputs
    }

    /// Returns the number of bytes of memory that the prepared table uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.of_engine.memory_bytes()
    }
}

impl Prepared {
    fn input_modulus(&self) -> u64 {
        each_engine!(self, it => it.input_modulus())
    }

    fn output_modulus(&self) -> u64 {
        each_engine!(self, it => it.output_modulus())
    }

    fn memory_bytes(&self) -> usize {
        each_engine!(self, it => it.memory_bytes())
    }
}

/// Wraps a table of unsigned inputs and outputs.
impl From<packed::PreparedTable> for PreparedTable {
    fn from(table: packed::PreparedTable) -> Self {
        Self::new(Prepared::Packed(Box::new(table)), false, false)
    }
}

/// Wraps a table of unsigned inputs and outputs.
impl From<leveled::PreparedTable> for PreparedTable {
    fn from(table: leveled::PreparedTable) -> Self {
        Self::new(Prepared::Leveled(Box::new(table)), false, false)
    }
}
