//! Tables that are encoded once for any number of lookups.

use std::mem::size_of;

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result, check_parameters, check_within};
use cryptable_ring::selected_product::TableMatrix;
use num_complex::Complex64;

use crate::akp::interpolation::Interpolation;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::{MAX_MODULUS, OUTPUT_RANGE};

/// Name of a prepared table in error messages.
const PREPARED: &str = "prepared table";

/// A table in the form that lookups of one parameter set use: the coefficients of its interpolation (AKP), or its
/// entries in the order of the table steps (BMT, CMT).
///
/// A prepared table can be used with the key of any client that has these parameters.
///
/// ```
/// use cryptable_packed::{Parameters, Progress, SecretKey, Table};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let reverse = key.prepare(&Table::from_fn(4, 4, |x| 3 - x)?)?;
/// let once = key.lookup(&secret.encrypt(&[0, 1, 2, 3])?, &reverse, Progress::silent())?;
/// let twice = key.lookup(&once, &reverse, Progress::silent())?;
/// assert_eq!(secret.decrypt(&twice)?, [0, 1, 2, 3]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedTable {
    input_modulus: u64,
    output_modulus: u64,
    /// The largest difference of two outputs.
    output_range: u64,
    parameter_digest: [u8; 32],
    form: PreparedForm,
}

/// Form of a table that the method needs.
#[derive(Debug)]
enum PreparedForm {
    /// The coefficients of the trigonometric Hermite interpolation.
    Interpolation(Interpolation),
    /// The entries, one matrix per table step.
    Matrices(Vec<TableMatrix>),
}

impl PreparedTable {
    /// Modulus of the inputs.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Modulus of the outputs.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// The largest difference of two outputs.
    pub(crate) fn output_range(&self) -> u64 {
        self.output_range
    }

    /// Returns the coefficients of the table's interpolation.
    ///
    /// # Errors
    /// If it was prepared for other parameters.
    pub(crate) fn interpolation(&self, parameters: &Parameters) -> Result<&Interpolation> {
        check_parameters(PREPARED, parameters.digest(), self.parameter_digest)?;
        match &self.form {
            PreparedForm::Interpolation(interpolation) => Ok(interpolation),
            PreparedForm::Matrices(_) => {
                Err(Error::mismatch(PREPARED, "entries of a tree", "an interpolation"))
            }
        }
    }

    /// Returns the table's entries, one matrix per table step of a multiplexer tree.
    ///
    /// # Errors
    /// If it was prepared for other parameters.
    pub(crate) fn matrices(&self, parameters: &Parameters) -> Result<&[TableMatrix]> {
        check_parameters(PREPARED, parameters.digest(), self.parameter_digest)?;
        match &self.form {
            PreparedForm::Matrices(matrices) => Ok(matrices),
            PreparedForm::Interpolation(_) => {
                Err(Error::mismatch(PREPARED, "an interpolation", "entries of a tree"))
            }
        }
    }

    /// The size in memory, in bytes: 16 per entry for AKP, and up to 42 per entry for multiplexer trees (`TableMatrix`
    /// of `ring`).
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        match &self.form {
            PreparedForm::Interpolation(Interpolation::Power(coefficients)) => {
                coefficients.len() * size_of::<Complex64>()
            }
            PreparedForm::Interpolation(Interpolation::Hidden(table)) => {
                table.inputs() * size_of::<i64>()
            }
            PreparedForm::Interpolation(Interpolation::Cosine { .. }) => size_of::<Interpolation>(),
            PreparedForm::Matrices(matrices) => {
                matrices.iter().map(TableMatrix::memory_bytes).sum()
            }
        }
    }
}

impl EvaluationKey {
    /// Encodes a table once, for any number of lookups. If parameters process inputs digit by digit, the input modulus
    /// of a table may be the size of any digit, or any other divisor of the size of the largest digit, and the output
    /// modulus is free.
    ///
    /// # Errors
    /// If the table's moduli are not those of the parameters, or its outputs differ by more than the parameters' range
    /// of outputs ([`Parameters::output_range`]).
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let parameters = self.parameters();
        let (input_modulus, output_modulus) = (table.input_modulus(), table.output_modulus());
        let output_range = table.output_range();
        if parameters.literal().digits.is_empty() {
            table.check_moduli(parameters.table_modulus(), parameters.output_modulus())?;
        }
        let form = match parameters.circuit() {
            Circuit::Akp(circuit) => {
                check_output_range(parameters, output_range)?;
                PreparedForm::Interpolation(circuit.prepared(table))
            }
            Circuit::MultiPrecision(circuit) => {
                check_digit_table(circuit, table)?;
                PreparedForm::Interpolation(circuit.digit_table(table))
            }
            Circuit::Multiplexer(circuit) => PreparedForm::Matrices(circuit.table_matrices(table)),
        };
        let parameter_digest = parameters.digest();
        Ok(PreparedTable { input_modulus, output_modulus, output_range, parameter_digest, form })
    }
}

/// Checks that outputs of a table differ by no more than the parameters' range of outputs.
fn check_output_range(parameters: &Parameters, value: u64) -> Result<()> {
    let (name, limit) = (OUTPUT_RANGE, parameters.output_range());
    if value > limit { Err(Error::TooLarge { name, value, limit }) } else { Ok(()) }
}

/// Checks a table on a digit, or on any other input that the largest digit's interpolation can process.
///
/// # Errors
/// If its input modulus does not divide the size of the largest digit, or its output modulus is above the largest.
pub(crate) fn check_digit_table(circuit: &MultiPrecisionCircuit, table: &Table) -> Result<()> {
    let (size, largest) = (table.input_modulus(), circuit.largest());
    if !largest.is_multiple_of(size) {
        let expected = format!("a divisor of the largest digit's size, {largest}");
        return Err(Error::mismatch("input modulus of the table", size, expected));
    }
    check_within("output modulus of the table", table.output_modulus(), ..=MAX_MODULUS)
}
