//! Lookups with a table per value, in the clear or encrypted.

use cryptable_ckks::{Ciphertext as SlotCiphertext, Plaintext};
use cryptable_lattice::Progress;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::{Error, Result};
use cryptable_ring::Embedding;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::table_lookup::InputDigits;
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
    /// If the parameters have no level for entries, the tables' moduli are not those of the parameters, there are fewer
    /// tables than values (unless one table serves all values) or more than slots; the errors of
    /// [`EvaluationKey::lookup`].
    pub fn lookup_slots(
        &self,
        input: &Ciphertext,
        tables: &SlotTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        entry_circuit(self.parameters())?;
        self.check_whole(input)?;
        self.lookup_slots_digits(std::slice::from_ref(input), tables, progress)
    }

    /// Maps values that are spread over several ciphertexts, the least significant digits first, each through its own
    /// table. Such tables are functions of several variables, as in [`EvaluationKey::lookup_digits`].
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, SlotTables, Table};
    /// // `Request { entries: EntryKind::Plain, ..Request::new(16, 16) }` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_entries(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// // Entry x + 4·y of table k is k + x·y: functions of two variables below 4.
    /// let of_slot = |k| Table::from_fn(16, 16, |m| (k + (m % 4) * (m / 4)) % 16);
    /// let tables = SlotTables::new((0..3).map(of_slot).collect::<Result<_, _>>()?)?;
    /// let (x, y) = (secret.encrypt_digits(&[3, 2, 0], 4)?, secret.encrypt_digits(&[3, 1, 2], 4)?);
    /// let output = key.lookup_slots_digits(&[x, y], &tables, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&output)?, [9, 3, 2]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup_slots`] and [`EvaluationKey::lookup_digits`].
    pub fn lookup_slots_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &SlotTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.parameters())?;
        let (ranges, noise) = self.checked_digits(circuit, inputs)?;
        check_number(tables.count(), inputs[0].count())?;
        let encoding = circuit.entry_encoding();
        let stride = circuit.rows().iter().product::<usize>();
        let embedding = Embedding::new(circuit.complex_slots());
        let body = self.lookup_entries(circuit, &ranges, progress, |selectors, step| {
            let entry = |row: usize, column: usize| {
                let slots =
                    circuit.slots_of(&tables.fractions(row + column * stride, circuit.slots()));
                let (scale, limbs) = (encoding.scale, encoding.limbs);
                Plaintext::encode(self.ring(), &embedding, &slots, scale, limbs)
            };
            circuit.look_up_slots(&self.evaluator(), selectors, entry, step)
        })?;
        Ok(self.result(body, noise))
    }

    /// Maps value k of `input` through encrypted table k.
    ///
    /// # Errors
    /// If the parameters have no level for entries, if the tables belong to another client, have other parameters, or
    /// are fewer than values; the errors of [`EvaluationKey::lookup`].
    pub fn lookup_encrypted(
        &self,
        input: &Ciphertext,
        tables: &EncryptedTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        entry_circuit(self.parameters())?;
        self.check_whole(input)?;
        self.lookup_encrypted_digits(std::slice::from_ref(input), tables, progress)
    }

    /// Maps values that are spread over several ciphertexts, the least significant digits first, through encrypted
    /// tables of several variables, as in [`EvaluationKey::lookup_slots_digits`]. The work is that of a table of one
    /// variable with the same number of entries.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey, SlotTables, Table};
    /// // `Request { entries: EntryKind::Encrypted, ..Request::new(16, 16) }` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_entries(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let product = SlotTables::shared(&Table::from_fn(16, 16, |m| (m % 4) * (m / 4))?)?;
    /// let hidden = secret.encrypt_tables(&product)?;
    /// let (x, y) = (secret.encrypt_digits(&[3, 2, 0], 4)?, secret.encrypt_digits(&[3, 1, 2], 4)?);
    /// let output = key.lookup_encrypted_digits(&[x, y], &hidden, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&output)?, [9, 2, 0]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup_encrypted`] and [`EvaluationKey::lookup_digits`].
    pub fn lookup_encrypted_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &EncryptedTables,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        let circuit = entry_circuit(self.parameters())?;
        tables.check(self.binding())?;
        let (ranges, noise) = self.checked_digits(circuit, inputs)?;
        check_number(tables.count(), inputs[0].count())?;
        let stride = circuit.rows().iter().product::<usize>();
        let body = self.lookup_entries(circuit, &ranges, progress, |selectors, step| {
            let ring = self.ring();
            let entry = |row: usize, column: usize| tables.entry(ring, row + column * stride);
            circuit.look_up_encrypted(&self.evaluator(), selectors, entry, step)
        })?;
        Ok(self.result(body, noise))
    }

    fn lookup_entries(
        &self,
        circuit: &MultiplexerCircuit,
        inputs: &[InputDigits<'_>],
        progress: Progress<'_>,
        look_up: impl FnOnce(&SlotSelectors<SlotCiphertext>, Step<'_>) -> Result<SlotCiphertext>,
    ) -> Result<CoefficientCiphertext> {
        let digits = circuit.digits().len();
        let rows: usize = circuit.rows().iter().product();
        let step = progress.steps(digits * STEPS_PER_DIGIT + rows + 2)?;
        let done = || step.done();
        let decomposition = self.decomposition(circuit);
        let deltas = decomposition.deltas(inputs, &done)?;
        let selectors = circuit.slot_selectors(&self.evaluator(), deltas);
        step.done()?;
        let outputs = look_up(&selectors, &done)?;
        let output_modulus = self.parameters().output_modulus();
        let body = decomposition.to_coefficients(outputs, inputs[0].0.body(), output_modulus);
        step.done()?;
        Ok(body)
    }
}

/// Checks that there are at least as many tables as values, if each value has its own table.
fn check_number(tables: Option<usize>, values: usize) -> Result<()> {
    match tables {
        Some(tables) if tables < values => {
            let (value, limit) = (tables as u64, values as u64);
            Err(Error::TooSmall { name: "number of tables", value, limit })
        }
        _ => Ok(()),
    }
}
