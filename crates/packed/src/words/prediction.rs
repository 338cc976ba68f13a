//! Costs and failure probabilities of circuits of words.

use cryptable_lattice::cost::{CostModel, Prediction, Work};
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::noise_bound::{check_log2_fail, log2_of_sum};
use cryptable_lattice::{FailureProbability, NoiseBound};

use crate::parameters::parameter_set::Parameters;
use crate::planner::request::Request;
use crate::words::circuit::{Register, WordCircuit, WordStep};
use crate::words::structured_table::MAX_SEARCHED_MODULUS;

/// log2 of the failure probabilities of a circuit's lookups, in order, and of the decryption of its outputs.
struct WordFailures {
    lookups: Vec<f64>,
    decryption: f64,
}

impl Parameters {
    /// The fastest parameters for evaluating a circuit of words on fresh inputs, where the probability of any wrong
    /// value of a ciphertext, over all lookups, is at most that of the request. Moduli are those of the circuit.
    ///
    /// ```no_run
    /// use cryptable_packed::{Dictionary, Parameters, Request};
    /// let dictionary = Dictionary::new(1 << 16, 2, 256, [(0xdead_beef, 1), (0x0bad_cafe, 2)], 0)?;
    /// let circuit = dictionary.circuit()?;
    /// let parameters = Parameters::for_words(&circuit, &Request::new(2, 2))?;
    /// assert!(parameters.words_failure(&circuit).log2() <= -64.0);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no parameters serve the circuit. The error names what is missing.
    pub fn for_words(circuit: &WordCircuit, request: &Request) -> Result<Self> {
        let p = circuit.modulus();
        // Every lookup, and the decryption, has a share of the failure probability.
        let shares = (circuit.lookups() + 1) as f64;
        let log2_fail = Some(request.log2_fail() - shares.log2());
        let tables = circuit.tables_of_lookups().max().unwrap_or(1);
        let base = Request { input_modulus: p, output_modulus: p, tables, log2_fail, ..*request };
        let mut last = None;
        // Sums have more noise than fresh inputs. Parameters that admit more lookups in a row have more room for noise.
        for lookups_in_a_row in [base.lookups_in_a_row, base.lookups_in_a_row.max(4)] {
            let candidates = match Self::candidates(&Request { lookups_in_a_row, ..base }) {
                Ok(candidates) => candidates,
                Err(error) => return Err(last.unwrap_or(error)),
            };
            for found in candidates {
                let noise = vec![found.fresh_noise(p); circuit.input_words()];
                match found.check_noise_of_words(circuit, &noise) {
                    Ok(()) => return Ok(found),
                    Err(error) => last = last.or(Some(error)),
                }
            }
        }
        Err(last.expect("a candidate was tried"))
    }

    /// The probability that a circuit of words returns any wrong value for a full ciphertext of fresh inputs.
    #[must_use]
    pub fn words_failure(&self, circuit: &WordCircuit) -> FailureProbability {
        self.words_value_failure(circuit).of_any(self.literal().slots)
    }

    /// The probability that a circuit of words returns a wrong result for one fresh value: the sum over all lookups and
    /// decryption.
    #[must_use]
    pub fn words_value_failure(&self, circuit: &WordCircuit) -> FailureProbability {
        let noise = vec![self.fresh_noise(circuit.modulus()); circuit.input_words()];
        let WordFailures { lookups, decryption } = self.failures_of_words(circuit, &noise);
        FailureProbability::from_log2(lookups.into_iter().fold(decryption, log2_of_sum))
    }

    /// Predicts work, memory and sizes of a circuit of words on one full ciphertext per word.
    #[must_use]
    pub fn words_prediction(&self, circuit: &WordCircuit) -> Prediction {
        let mut whole = self.prediction_of(circuit.tables_of_lookups().max().unwrap_or(1));
        let works = circuit.tables_of_lookups().map(|tables| self.prediction_of(tables).work);
        whole.work = works.sum();
        whole.working_bytes +=
            circuit.tables_of_lookups().sum::<usize>() * 2 * 8 * circuit.modulus() as usize;
        whole
    }

    /// A lower bound on the work of a table of two words without structure: one table per value of the high word, all
    /// on the same selectors of the low word.
    #[must_use]
    pub fn arbitrary_table_work(&self) -> Work {
        let [one, two] = [1, 2].map(|tables| self.prediction_of(tables).work);
        let more = two.table_products - one.table_products;
        let mut work = one;
        work += one;
        work.table_products += (self.input_modulus() - 1) as f64 * more;
        work
    }

    /// Returns a circuit for a function of two words, if it has structure: [`WordCircuit::recognise`].
    ///
    /// # Errors
    /// If it has no structure. The error says how long a table of all its values would take.
    pub fn circuit_of_function(
        &self,
        output_modulus: u64,
        f: impl Fn(u64) -> u64 + Sync,
    ) -> Result<WordCircuit> {
        let p = self.input_modulus();
        match WordCircuit::recognise(p, output_modulus, f) {
            Err(Error::TooLarge { .. }) if p <= MAX_SEARCHED_MODULUS => {
                let entries = p * p;
                let hours = CostModel::default().seconds(&self.arbitrary_table_work()) / 3600.0;
                Err(Error::Unsupported(format!(
                    "a table of {entries} entries without structure, neither a sum of functions of its words nor \
                     of few classes of words: it would take at least {hours:.3} hours on one thread"
                )))
            }
            found => found,
        }
    }

    /// Checks that the parameters' tables map words to words.
    pub(crate) fn check_words(&self, circuit: &WordCircuit) -> Result<()> {
        check_equal("input modulus", self.table_modulus(), circuit.modulus())?;
        check_equal("output modulus", self.output_modulus(), circuit.modulus())?;
        if !self.literal().digits.is_empty() {
            let name = &self.literal().name;
            return Err(Error::Unsupported(format!("words: {name} takes digits of inputs")));
        }
        Ok(())
    }

    /// Checks that every lookup of a circuit stays within the stated failure probability, for input words with this
    /// noise.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if one does not.
    pub(crate) fn check_noise_of_words(
        &self,
        circuit: &WordCircuit,
        inputs: &[NoiseBound],
    ) -> Result<()> {
        let found = self.failures_of_words(circuit, inputs);
        let limit = self.stated_log2_fail();
        let mut lookups = found.lookups.into_iter();
        lookups.try_for_each(|lookup| check_log2_fail("a lookup of words", lookup, limit))?;
        check_log2_fail("decryption of words", found.decryption, limit)
    }

    fn failures_of_words(&self, circuit: &WordCircuit, inputs: &[NoiseBound]) -> WordFailures {
        let mut noise = inputs.to_vec();
        let mut lookups = Vec::with_capacity(circuit.lookups());
        for step in circuit.steps() {
            match step {
                WordStep::Sum(terms) => {
                    let of = |&(word, factor): &(Register, i64)| {
                        noise[word.0].times(factor.unsigned_abs())
                    };
                    let sum = terms.iter().map(of).reduce(|sum, term| sum + term);
                    noise.push(sum.unwrap_or(NoiseBound::new(0.0, 0.0)));
                }
                WordStep::LookUp(word, tables) => {
                    lookups.push(self.lookup_log2_fail(noise[word.0]));
                    let result = self.result_noise(noise[word.0]);
                    noise.extend(tables.iter().map(|_| result));
                }
            }
        }
        let p = circuit.modulus();
        let failures = circuit.outputs().iter().map(|word| noise[word.0].log2_fail(p));
        let decryption = failures.reduce(log2_of_sum).unwrap_or(f64::NEG_INFINITY);
        WordFailures { lookups, decryption }
    }
}
