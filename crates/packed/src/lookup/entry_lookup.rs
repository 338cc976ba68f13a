//! Lookups of tables of which every value has its own, in the clear or encrypted.

use cryptable_ckks::Plaintext;
use cryptable_lattice::Progress;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Embedding;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::lookup_arithmetic::LookupArithmetic;
use crate::lookup::lookups::Lookups;
use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::multiplexer::entry_tables::SlotSelectors;
use crate::multiplexer::functional_digit_decomposition::STEPS_PER_DIGIT;
use crate::step::Step;
use crate::tables::encrypted_tables::EncryptedTables;
use crate::tables::slot_tables::{SlotTables, entry_circuit};

impl EvaluationKey {
    /// Maps value k of `input` through table k, under encryption.
    ///
    /// # Errors
    /// If the parameters have no level for entries, the tables' moduli are not those of the parameters,
    /// there are fewer tables than values, unless one serves all, or more than slots; and as [`EvaluationKey::lookup`].
    pub fn lookup_slots(
        &self,
        input: &Ciphertext,
        tables: &SlotTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.lookups().lookup_slots(input, tables, progress)
    }

    /// Maps value k of `input` through encrypted table k.
    ///
    /// # Errors
    /// If the parameters have no level for entries, the tables are of another client, of other parameters, or fewer
    /// than values; and as [`EvaluationKey::lookup`].
    pub fn lookup_encrypted(
        &self,
        input: &Ciphertext,
        tables: &EncryptedTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.lookups().lookup_encrypted(input, tables, progress)
    }

    /// Checks the input, and that there is a table for every value.
    fn check_values(&self, input: &Ciphertext, tables: Option<usize>) -> Result<()> {
        let parameters = self.parameters();
        input.check(parameters, self.binding(), Some(parameters.input_modulus()))?;
        match tables {
            Some(tables) if tables < input.count() => {
                let (value, limit) = (tables as u64, input.count() as u64);
                Err(Error::TooSmall { name: "number of tables", value, limit })
            }
            _ => Ok(()),
        }
    }
}

impl<A: LookupArithmetic> Lookups<'_, A> {
    /// As [`EvaluationKey::lookup_slots`], on this arithmetic.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_slots(
        &self,
        input: &Ciphertext,
        tables: &SlotTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.key.parameters())?;
        tables.check(self.key.parameters())?;
        self.key.check_values(input, tables.count())?;
        let encoding = circuit.entry_encoding();
        let stride = circuit.rows().iter().product::<usize>();
        let embedding = Embedding::new(circuit.complex_slots());
        self.lookup_entries(circuit, input, progress, |selectors, step| {
            let entry = |row: usize, column: usize| {
                let slots =
                    circuit.slots_of(&tables.fractions(row + column * stride, circuit.slots()));
                let (scale, limbs) = (encoding.scale, encoding.limbs);
                Plaintext::encode(self.key.ring(), &embedding, &slots, scale, limbs)
            };
            let load = |plain| self.arithmetic.load_plain(plain);
            circuit.look_up_slots(&self.arithmetic, selectors, (&entry, &load), step)
        })
    }

    /// As [`EvaluationKey::lookup_encrypted`], on this arithmetic.
    ///
    /// # Errors
    /// As there.
    pub fn lookup_encrypted(
        &self,
        input: &Ciphertext,
        tables: &EncryptedTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.key.parameters())?;
        tables.check(self.key.binding())?;
        self.key.check_values(input, tables.count())?;
        let stride = circuit.rows().iter().product::<usize>();
        self.lookup_entries(circuit, input, progress, |selectors, step| {
            let ring = self.key.ring();
            let entry = |row: usize, column: usize| tables.entry(ring, row + column * stride);
            let load = |entry| self.arithmetic.load(entry);
            circuit.look_up_encrypted(&self.arithmetic, selectors, (&entry, &load), step)
        })
    }

    fn lookup_entries(
        &self,
        circuit: &MultiplexerCircuit,
        input: &Ciphertext,
        progress: Progress<'_>,
        look_up: impl FnOnce(&SlotSelectors<A::Ciphertext>, Step<'_>) -> Result<A::Ciphertext>,
    ) -> Result<Ciphertext> {
        let noise = self.key.result_noise(input)?;
        let digits = circuit.digits().len();
        let rows: usize = circuit.rows().iter().product();
        let step = progress.steps(digits * STEPS_PER_DIGIT + rows + 2)?;
        let done = || step.done();
        let decomposition = self.decomposition(circuit);
        let mut deltas = Vec::with_capacity(digits);
        decomposition.decompose(input.body(), 0..digits, &done, |_, digit| {
            deltas.push(digit);
            Ok(())
        })?;
        let selectors = circuit.slot_selectors(&self.arithmetic, deltas);
        step.done()?;
        let outputs = look_up(&selectors, &done)?;
        let output_modulus = self.key.parameters().output_modulus();
        let body = decomposition.to_coefficients(outputs, input.body(), output_modulus)?;
        step.done()?;
        Ok(self.key.result(body, noise))
    }
}
