//! A table of its own for every value of a ciphertext.

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result};

use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;

/// Tables of one pair of moduli: value k of a ciphertext is mapped through table k.
///
/// They need parameters of a multiplexer tree with a level for entries, see
/// [`crate::MultiplexerLiteral::entry_levels`].
///
/// ```
/// use cryptable_packed::{
///     MultiplexerLiteral, Parameters, Progress, SecretKey, SlotTables, Table,
/// };
/// let digits = vec![4, 4];
/// let tree =
///     MultiplexerLiteral { digits, selectors: vec![1, 1], entry_levels: 1, ..Default::default() };
/// let secret = SecretKey::generate(&Parameters::insecure_toy_tree(16, 1024, 1024, tree, 0)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let multiples = |k| Table::from_fn(16, 16, |x| k * x % 16);
/// let tables = SlotTables::new((0..4).map(multiples).collect::<Result<_, _>>()?)?;
/// let input = secret.encrypt(&[5, 5, 5, 6])?;
/// let output = key.lookup_slots(&input, &tables, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 5, 10, 2]);
///
/// // The same tables, which the server does not see.
/// let encrypted = secret.encrypt_tables(&tables)?;
/// let output = key.lookup_encrypted(&input, &encrypted, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 5, 10, 2]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotTables {
    tables: Vec<Table>,
}

impl SlotTables {
    /// One table a value.
    ///
    /// # Errors
    /// If there are none, or one has other moduli than the first.
    pub fn new(tables: Vec<Table>) -> Result<Self> {
        let Some(first) = tables.first() else {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        };
        for (index, table) in tables.iter().enumerate() {
            for (name, found, expected) in [
                ("input modulus", table.input_modulus(), first.input_modulus()),
                ("output modulus", table.output_modulus(), first.output_modulus()),
            ] {
                if found != expected {
                    return Err(Error::TableModulus { index, name, found, expected });
                }
            }
        }
        Ok(Self { tables })
    }

    /// The tables, in the order of the values.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Outputs at input x as fractions of the output modulus within [-1/2, 1/2].
    pub(crate) fn fractions(&self, x: usize) -> Vec<f64> {
        let modulus = self.tables[0].output_modulus() as f64;
        self.tables.iter().map(|table| table.centered_value(x) as f64 / modulus).collect()
    }

    /// Checks moduli and number against parameters.
    pub(crate) fn check(&self, parameters: &Parameters) -> Result<()> {
        self.tables[0].check_moduli(parameters.input_modulus(), parameters.output_modulus())?;
        let (value, limit) = (self.tables.len() as u64, parameters.literal().slots as u64);
        if value > limit {
            return Err(Error::TooLarge { name: "number of tables", value, limit });
        }
        Ok(())
    }
}

/// The circuit, if it has a level for entries.
pub(crate) fn entry_circuit(parameters: &Parameters) -> Result<&MultiplexerCircuit> {
    let name = &parameters.literal().name;
    match parameters.circuit() {
        Circuit::Multiplexer(circuit) if circuit.has_entry_level() => Ok(circuit),
        Circuit::Multiplexer(_) => Err(Error::Unsupported(format!(
            "a table of its own for every value: {name} has entry_levels = 0, but needs 1"
        ))),
        Circuit::Akp(_) | Circuit::MultiPrecision(_) => Err(Error::Unsupported(format!(
            "a table of its own for every value: {name} is no multiplexer tree"
        ))),
    }
}
