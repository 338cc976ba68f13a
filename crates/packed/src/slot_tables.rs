//! A table of its own for every value of a ciphertext; lookups in such tables, in the clear or encrypted.

use cryptable_ckks::{Ciphertext as SlotCiphertext, Evaluator, Plaintext};
use cryptable_ring::Embedding;

use crate::evaluation_key::Steps;
use crate::methods::circuit::Circuit;
use crate::methods::functional_digit_decomposition::STEPS_PER_DIGIT;
use crate::methods::multiplexer_bootstrapping::MultiplexerCircuit;
use crate::methods::slot_tables::SlotSelectors;
use crate::{Ciphertext, EncryptedTables, EvaluationKey, Parameters, Table};
use cryptable_lattice::error::{Error, Result};

/// Tables of one pair of moduli: value k of a ciphertext is mapped through table k.
///
/// They need parameters of a multiplexer tree with a level for entries, see
/// [`crate::MultiplexerLiteral::entry_levels`].
///
/// ```
/// use cryptable_packed::{Table, MultiplexerLiteral, Parameters, SecretKey, SlotTables};
/// let digits = vec![4, 4];
/// let tree =
///     MultiplexerLiteral { digits, selectors: vec![1, 1], entry_levels: 1, ..Default::default() };
/// let secret = SecretKey::generate(&Parameters::insecure_toy_tree(16, 1024, 1024, tree, 0)?);
/// let key = secret.evaluation_key(&|_, _| ());
/// let multiples = |k| Table::from_fn(16, 16, |x| k * x % 16);
/// let tables = SlotTables::new((0..4).map(multiples).collect::<Result<_, _>>()?)?;
/// let input = secret.encrypt(&[5, 5, 5, 6])?;
/// let output = key.lookup_slots(&input, &tables, &|_, _| ())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 5, 10, 2]);
///
/// // The same tables, which the server does not see.
/// let encrypted = secret.encrypt_tables(&tables)?;
/// let output = key.lookup_encrypted(&input, &encrypted, &|_, _| ())?;
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

    /// The tables.
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
        Circuit::Akp(_) => Err(Error::Unsupported(format!(
            "a table of its own for every value: {name} is no multiplexer tree"
        ))),
    }
}

impl EvaluationKey {
    /// Maps value k of `input` through table k, under encryption.
    ///
    /// # Errors
    /// If the parameters have no level for entries, the tables' moduli are not those of the parameters,
    /// there are fewer tables than values or more than slots; and as [`EvaluationKey::lookup`].
    pub fn lookup_slots(
        &self,
        input: &Ciphertext,
        tables: &SlotTables,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.parameters())?;
        self.check_values(input, tables.tables.len())?;
        let (encoding, stride) =
            (circuit.entry_encoding(), circuit.rows().iter().product::<usize>());
        let embedding = Embedding::new(circuit.complex_slots());
        Ok(self.lookup_entries(circuit, input, progress, |evaluator, selectors, step| {
            let entry = |row: usize, column: usize| {
                let slots = circuit.slots_of(&tables.fractions(row + column * stride));
                let (scale, limbs) = (encoding.scale, encoding.limbs);
                Plaintext::encode(evaluator.ring(), &embedding, &slots, scale, limbs)
            };
            circuit.look_up_slots(evaluator, selectors, &entry, step)
        }))
    }

    /// Maps value k of `input` through encrypted table k.
    ///
    /// # Errors
    /// If the parameters have no level for entries, the tables are of other parameters, or fewer than values;
    /// and as [`EvaluationKey::lookup`].
    pub fn lookup_encrypted(
        &self,
        input: &Ciphertext,
        tables: &EncryptedTables,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.parameters())?;
        self.check_values(input, tables.count())?;
        let stride = circuit.rows().iter().product::<usize>();
        Ok(self.lookup_entries(circuit, input, progress, |evaluator, selectors, step| {
            let ring = evaluator.ring();
            let entry =
                |row: usize, column: usize| tables.entry(row + column * stride).expand(ring);
            circuit.look_up_encrypted(evaluator, selectors, &entry, step)
        }))
    }

    /// Checks the input, and that there is a table for every value.
    fn check_values(&self, input: &Ciphertext, tables: usize) -> Result<()> {
        input.check(self.parameters(), Some(self.parameters().literal().input_modulus))?;
        if tables < input.count() {
            let (value, limit) = (tables as u64, input.count() as u64);
            return Err(Error::TooSmall { name: "number of tables", value, limit });
        }
        Ok(())
    }

    fn lookup_entries(
        &self,
        circuit: &MultiplexerCircuit,
        input: &Ciphertext,
        progress: &(dyn Fn(usize, usize) + Sync),
        look_up: impl FnOnce(
            &Evaluator<'_>,
            &SlotSelectors<SlotCiphertext>,
            &dyn Fn(),
        ) -> SlotCiphertext,
    ) -> Ciphertext {
        let digits = circuit.digits().len();
        let rows: usize = circuit.rows().iter().product();
        let step = Steps::new(progress, digits * STEPS_PER_DIGIT + rows + 2);
        let decomposition = self.decomposition(circuit);
        let mut deltas = Vec::with_capacity(digits);
        let (pair, done) = (input.body().to_pair(), || step.done());
        decomposition.decompose(pair, 0..digits, &done, |_, digit| deltas.push(digit));
        let selectors = circuit.slot_selectors(&decomposition.evaluator, deltas);
        step.done();
        let outputs = look_up(&decomposition.evaluator, &selectors, &done);
        let pair = decomposition.to_coefficients(outputs);
        step.done();
        self.result(input, self.parameters().literal().output_modulus, pair)
    }
}
