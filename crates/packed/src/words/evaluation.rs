//! Evaluation of circuits of words on ciphertexts.

use cryptable_lattice::Progress;
use cryptable_lattice::error::{Error, Result, check_equal};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::prepared_table::PreparedTable;
use crate::words::circuit::{Register, WordCircuit, WordStep};

/// A circuit with encoded tables, for any number of lookups with keys of one parameter set.
#[derive(Debug)]
pub struct PreparedWords {
    circuit: WordCircuit,
    /// Tables of each lookup.
    tables: Vec<Vec<PreparedTable>>,
}

impl PreparedWords {
    /// The circuit.
    #[must_use]
    pub fn circuit(&self) -> &WordCircuit {
        &self.circuit
    }

    /// Bytes of the tables in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tables.iter().flatten().map(PreparedTable::memory_bytes).sum()
    }
}

impl EvaluationKey {
    /// Encodes the tables of a circuit.
    ///
    /// # Errors
    /// If the parameters' tables do not map words to words.
    pub fn prepare_words(&self, circuit: &WordCircuit) -> Result<PreparedWords> {
        self.parameters().check_words(circuit)?;
        let prepare = |step: &WordStep| match step {
            WordStep::LookUp(_, tables) => {
                Some(tables.iter().map(|table| self.prepare(table)).collect::<Result<_>>())
            }
            WordStep::Sum(_) => None,
        };
        let tables = circuit.steps().iter().filter_map(prepare).collect::<Result<_>>()?;
        Ok(PreparedWords { circuit: circuit.clone(), tables })
    }

    /// Maps the words of every value, one ciphertext per word, the least significant first, through a circuit. Returns
    /// the words of the outputs.
    ///
    /// # Errors
    /// If the ciphertexts do not belong together or to the key, or there is not one per input word of the circuit;
    /// [`Error::NoiseTooLarge`] before anything is computed if a lookup would fail with more than the stated
    /// probability; [`Error::Cancelled`].
    pub fn lookup_words(
        &self,
        input: &[Ciphertext],
        prepared: &PreparedWords,
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let (circuit, parameters) = (&prepared.circuit, self.parameters());
        circuit.check_inputs(input.len())?;
        for word in input {
            word.check(parameters, self.binding(), Some(circuit.modulus()))?;
            check_equal("number of values", word.count(), input[0].count())?;
        }
        let noise: Vec<_> = input.iter().map(Ciphertext::noise).collect();
        parameters.check_noise_of_words(circuit, &noise)?;
        let mut words = input.to_vec();
        let (mut tables, lookups) = (prepared.tables.iter(), prepared.tables.len());
        for step in circuit.steps() {
            match step {
                WordStep::Sum(terms) => {
                    let sum = self.sum_of_words(&words, terms)?;
                    words.push(sum);
                }
                WordStep::LookUp(word, _) => {
                    let index = lookups - tables.len();
                    let tables: Vec<_> =
                        tables.next().expect("tables of every lookup").iter().collect();
                    let share = progress.part(index..index + 1, lookups);
                    let results =
                        self.lookup_many(&words[word.0], &tables, Progress::new(&share))?;
                    words.extend(results);
                }
            }
        }
        Ok(circuit.outputs().iter().map(|word| words[word.0].clone()).collect())
    }

    fn sum_of_words(&self, words: &[Ciphertext], terms: &[(Register, i64)]) -> Result<Ciphertext> {
        let mut sum: Option<Ciphertext> = None;
        for &(word, factor) in terms {
            let word = &words[word.0];
            sum = Some(match (sum, factor) {
                (None, 1) => word.clone(),
                (None, factor) => self.mul_scalar(word, factor)?,
                (Some(sum), 1) => self.add(&sum, word)?,
                (Some(sum), -1) => self.sub(&sum, word)?,
                (Some(sum), factor) => self.add(&sum, &self.mul_scalar(word, factor)?)?,
            });
        }
        sum.ok_or(Error::TooSmall { name: "number of terms", value: 0, limit: 1 })
    }
}
