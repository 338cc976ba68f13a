//! Requests for lookups of values of several words: parameters, and a prediction for each kind of table.

use cryptable_packed::{Dictionary, WordCircuit};

use crate::engines::packed;
use crate::operation_plan::Title;
use crate::{Error, FailureProbability, OperationPlan, PlannedOperation, Request, Result};

/// Bits per word, in the order in which they are tried. Shorter words make lookups less noisy, but the number of
/// entries of a dictionary is at most the number of values of a word.
const WORD_BITS: [u32; 3] = [16, 12, 8];

/// Modulus of the words of toys.
const TOY_MODULUS: u64 = 1 << 4;

/// Largest number of words of a dictionary's values.
const MAX_VALUE_WORDS: usize = 2;

/// Returns the number of words modulo `modulus` in a value of `bits` bits.
///
/// ```
/// use cryptable::wide::words_of_bits;
/// assert_eq!([16, 17, 64].map(|bits| words_of_bits(bits, 1 << 16)), [1, 2, 4]);
/// ```
#[must_use]
pub fn words_of_bits(bits: u32, modulus: u64) -> usize {
    bits.div_ceil(modulus.ilog2().max(1)) as usize
}

/// The job of looking up values of several words, in dictionaries or in tables with structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Words {
    bits: u32,
    value_bits: Option<u32>,
}

impl Request<Words> {
    /// Creates a request for a dictionary with keys, or a table with inputs, of `bits` bits.
    ///
    /// ```
    /// use cryptable::Request;
    /// let plan = Request::words(32).values(65_536).memory(8 << 30).plan()?;
    /// assert!(plan.failure_probability().log2() <= -64.0);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn words(bits: u32) -> Self {
        Self::of(Words { bits, value_bits: None })
    }

    /// Sets the number of bits of a dictionary's values. Default: two less than a word has, since the comparison of
    /// keys of four words needs the rest.
    #[must_use]
    pub fn value_bits(mut self, bits: u32) -> Self {
        self.job.value_bits = Some(bits);
        self
    }

    /// Finds the fastest parameters for a dictionary of such keys and values, and predicts lookups in each kind of
    /// table.
    ///
    /// # Errors
    /// If no parameters meet the request; the error is the one for the longest words.
    pub fn plan(&self) -> Result<OperationPlan<Words>> {
        if self.limits.insecure_toy {
            let parameters = packed::Parameters::insecure_toy(TOY_MODULUS, TOY_MODULUS)?;
            return self.plan_of(&self.dictionary(TOY_MODULUS)?, parameters);
        }
        let mut refusal = None;
        for bits in WORD_BITS {
            match self.plan_of_words(1 << bits) {
                Ok(plan) => return Ok(plan),
                Err(error) => refusal = refusal.or(Some(error)),
            }
        }
        Err(refusal.expect("words of some bits were tried"))
    }

    fn plan_of_words(&self, modulus: u64) -> Result<OperationPlan<Words>> {
        let circuit = self.dictionary(modulus)?;
        let request = packed::Request {
            count: self.limits.count(),
            memory: self.limits.memory,
            log2_fail: self.limits.log2_fail,
            ..packed::Request::new(modulus, modulus)
        };
        let parameters = packed::Parameters::for_words(&circuit, &request)?;
        self.plan_of(&circuit, parameters)
    }

    fn plan_of(
        &self,
        dictionary: &WordCircuit,
        parameters: packed::Parameters,
    ) -> Result<OperationPlan<Words>> {
        let modulus = dictionary.modulus();
        let limits = self.limits;
        let cost = limits.cost();
        let threads = limits.threads();
        let values = parameters.literal().slots as u64;
        let mut operations = Vec::new();
        for (name, circuit) in kinds_of_tables(dictionary)? {
            let lookups = circuit.lookups();
            operations.push(PlannedOperation {
                name,
                lookups,
                tables: lookups,
                duration: parameters.words_prediction(&circuit).duration(&cost, values, threads),
                failure: parameters.words_failure(&circuit),
            });
        }
        let prediction = parameters.words_prediction(dictionary);
        Ok(OperationPlan {
            job: Words { value_bits: Some(self.value_bits_of(modulus)), ..self.job },
            threads,
            operations,
            peak_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            parameters: parameters.into(),
        })
    }

    fn value_bits_of(&self, modulus: u64) -> u32 {
        self.job.value_bits.unwrap_or(modulus.ilog2() - 2)
    }

    /// Returns a dictionary of two entries in words of this modulus.
    fn dictionary(&self, modulus: u64) -> Result<WordCircuit> {
        let value_bits = self.value_bits_of(modulus);
        let (found, most) = (words_of_bits(value_bits, modulus), MAX_VALUE_WORDS);
        if found > most {
            let name = "number of words of a dictionary's values";
            return Err(Error::TooLarge { name, value: found as u64, limit: most as u64 });
        }
        let words = words_of_bits(self.job.bits, modulus);
        Dictionary::new(modulus, words, 1 << value_bits, [(0, 0), (1, 0)], 0)?.circuit()
    }
}

/// Returns a dictionary and a table of each kind of structure, with names for people.
fn kinds_of_tables(dictionary: &WordCircuit) -> Result<[(&'static str, WordCircuit); 5]> {
    let p = dictionary.modulus();
    let ones = || vec![1; p as usize];
    Ok([
        ("dictionary", dictionary.clone()),
        ("sum of functions of the halves", WordCircuit::sum(p, p, |x| x, |x| x)?),
        ("the same, outputs of two words", WordCircuit::sum(p, p * p, |x| x, |x| x)?),
        ("product of functions of the halves", WordCircuit::products(p, &[(ones(), ones())])?),
        ("few pieces, large blocks", WordCircuit::piecewise_constant(p, p, &[(0, 0), (1, 1)])?),
    ])
}

impl OperationPlan<Words> {
    /// Returns the number of bits of the dictionary's keys.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.job.bits
    }

    /// Returns the number of bits of the dictionary's values.
    #[must_use]
    pub fn value_bits(&self) -> u32 {
        self.job.value_bits.unwrap_or_default()
    }

    /// Returns the modulus of words, which is also the largest number of entries of a dictionary.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.parameters.input_modulus()
    }

    /// Returns the probability that a dictionary lookup of a full ciphertext goes wrong for any of its values.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        self.operations[0].failure
    }

    /// Returns the probability that a dictionary lookup of one value goes wrong.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        self.failure_probability().of_each(self.parameters.values_per_ciphertext())
    }
}

impl Title for OperationPlan<Words> {
    fn title(&self) -> String {
        let word_bits = self.modulus().ilog2();
        format!(
            "values of {} bits in words of {word_bits}, of a dictionary of up to 2^{word_bits} entries to {} bits",
            self.bits(),
            self.value_bits()
        )
    }
}
