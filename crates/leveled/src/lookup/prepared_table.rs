//! Tables encoded as polynomials.

use cryptable_lattice::error::{check_equal, check_parameters};
use cryptable_lattice::{Result, Table};

use super::parameters::{Parameters, width};
use crate::tree::CmuxTree;

/// A table encoded as polynomials, once for any number of lookups. For 20 bits, encoding takes a good part of the time of
/// one lookup.
///
/// A prepared table belongs to the parameters of the key that prepared it; any key with these parameters can use it.
#[derive(Debug)]
pub struct PreparedTable {
    parameter_digest: [u8; 32],
    input_modulus: u64,
    output_modulus: u64,
    tree: CmuxTree,
}

impl PreparedTable {
    /// Encodes a table as polynomials, with zeros where there is no input.
    ///
    /// # Errors
    /// If inputs or outputs have more bits than [`Parameters::max_bits`].
    pub(super) fn new(parameters: &Parameters, table: &Table) -> Result<Self> {
        let (input_modulus, output_modulus) = (table.input_modulus(), table.output_modulus());
        parameters.check_bits("number of bits of the table's inputs", input_modulus)?;
        parameters.check_bits("number of bits of the table's outputs", output_modulus)?;
        let mut entries = table.values().to_vec();
        entries.resize(1 << width(input_modulus), 0);
        let circuit = parameters.circuit_bootstrapping();
        let tree = CmuxTree::new(circuit, &entries, width(output_modulus))?;
        Ok(Self { parameter_digest: parameters.digest(), input_modulus, output_modulus, tree })
    }

    /// Returns the modulus of values that are looked up.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Returns the modulus of results.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Returns the bytes of memory that the polynomials occupy.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tree.shape().bytes()
    }

    /// Returns the polynomials of the table.
    pub(super) fn tree(&self) -> &CmuxTree {
        &self.tree
    }

    /// Checks that the table belongs to these parameters and has inputs of this modulus.
    ///
    /// # Errors
    /// `Error::OtherParameters`, `Error::Mismatch`.
    pub(super) fn check(&self, parameters: &Parameters, modulus: u64) -> Result<()> {
        check_parameters("table", parameters.digest(), self.parameter_digest)?;
        check_equal("input modulus of the table", self.input_modulus, modulus)
    }
}
