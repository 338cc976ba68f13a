//! Lookups of tables of which every value has its own, in the clear or encrypted.

use cryptable_ckks::{Ciphertext as SlotCiphertext, Plaintext};
use cryptable_lattice::Progress;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Embedding;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
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
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.parameters())?;
        self.check_values(input, tables.count())?;
        let encoding = circuit.entry_encoding();
        let stride = circuit.rows().iter().product::<usize>();
        let embedding = Embedding::new(circuit.complex_slots());
        self.lookup_entries(circuit, input, progress, |selectors, step| {
            let entry = |row: usize, column: usize| {
                let slots =
                    circuit.slots_of(&tables.fractions(row + column * stride, circuit.slots()));
                let (scale, limbs) = (encoding.scale, encoding.limbs);
                Plaintext::encode(self.ring(), &embedding, &slots, scale, limbs)
            };
            circuit.look_up_slots(&self.evaluator(), selectors, entry, step)
        })
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
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.binding())?;
        self.check_values(input, tables.count())?;
        let stride = circuit.rows().iter().product::<usize>();
        self.lookup_entries(circuit, input, progress, |selectors, step| {
            let ring = self.ring();
            let entry = |row: usize, column: usize| tables.entry(ring, row + column * stride);
            circuit.look_up_encrypted(&self.evaluator(), selectors, entry, step)
        })
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

    fn lookup_entries(
        &self,
        circuit: &MultiplexerCircuit,
        input: &Ciphertext,
        progress: Progress<'_>,
        look_up: impl FnOnce(&SlotSelectors<SlotCiphertext>, Step<'_>) -> Result<SlotCiphertext>,
    ) -> Result<Ciphertext> {
        let noise = self.result_noise(input)?;
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
        let selectors = circuit.slot_selectors(&self.evaluator(), deltas);
        step.done()?;
        let outputs = look_up(&selectors, &done)?;
        let output_modulus = self.parameters().output_modulus();
        let body = decomposition.to_coefficients(outputs, input.body(), output_modulus);
        step.done()?;
        Ok(self.result(body, noise))
    }
}
