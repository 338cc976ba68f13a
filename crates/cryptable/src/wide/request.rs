//! Parameters for values in words, and what lookups of them take.

use std::fmt;
use std::time::Duration;

use cryptable_packed::{Dictionary, WordCircuit};

use crate::engines::packed;
use crate::{CostModel, Error, FailureProbability, Parameters, Prediction, Result};

/// Bits of words that are tried, the most first: fewer are noisier lookups the less, but a dictionary has as many entries as
/// a word has values.
const WORD_BITS: [u32; 3] = [16, 12, 8];

/// Modulus of words of toys.
const TOY_MODULUS: u64 = 1 << 4;

/// Words that a value of a dictionary has at most.
const MAX_VALUE_WORDS: usize = 2;

/// The number of words modulo `modulus` that a value of so many bits takes.
///
/// ```
/// use cryptable::wide::words_of_bits;
/// assert_eq!([16, 17, 64].map(|bits| words_of_bits(bits, 1 << 16)), [1, 2, 4]);
/// ```
#[must_use]
pub fn words_of_bits(bits: u32, modulus: u64) -> usize {
    bits.div_ceil(modulus.ilog2().max(1)) as usize
}

/// What values are looked up, and what it may take.
///
/// ```
/// use cryptable::wide::Request;
/// let plan = Request::new(32).values(65_536).memory(8 << 30).plan()?;
/// assert!(plan.failure_probability().log2() <= -64.0);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Request {
    bits: u32,
    value_bits: Option<u32>,
    values: Option<usize>,
    memory: Option<usize>,
    log2_fail: f64,
    is_toy: bool,
}

impl Request {
    /// A request for a dictionary with keys, or a table with inputs, of so many bits.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        let (values, memory, log2_fail) = (None, None, -64.0);
        Self { bits, value_bits: None, values, memory, log2_fail, is_toy: false }
    }

    /// Values of the dictionary have so many bits. Left out: two less than a word has, which are as many as the comparison of
    /// keys of four words leaves room for.
    #[must_use]
    pub fn value_bits(mut self, bits: u32) -> Self {
        self.value_bits = Some(bits);
        self
    }

    /// So many encrypted values are looked up at a time. Left out: as many as a ciphertext holds.
    #[must_use]
    pub fn values(mut self, values: usize) -> Self {
        self.values = Some(values);
        self
    }

    /// The most bytes of memory that a lookup may take on the server, keys included. Left out: any number.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// log2 of the largest probability that any value of a ciphertext comes out wrong. Left out: -64.
    #[must_use]
    pub fn log2_fail(mut self, log2_fail: f64) -> Self {
        self.log2_fail = log2_fail;
        self
    }

    /// INSECURE parameters of small rings and words of 4 bits, for tests.
    #[must_use]
    pub fn insecure_toy(mut self) -> Self {
        self.is_toy = true;
        self
    }

    /// Finds the fastest parameters for a dictionary of such keys and values.
    ///
    /// # Errors
    /// If nothing serves the request; names what is missing for the longest words.
    pub fn plan(&self) -> Result<Plan> {
        if self.is_toy {
            let parameters = packed::Parameters::insecure_toy(TOY_MODULUS, TOY_MODULUS)?;
            return Ok(self.plan_of(self.dictionary(TOY_MODULUS)?, parameters));
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

    fn plan_of_words(&self, modulus: u64) -> Result<Plan> {
        let circuit = self.dictionary(modulus)?;
        let request = packed::Request {
            count: self.values,
            memory: self.memory,
            log2_fail: Some(self.log2_fail),
            ..packed::Request::new(modulus, modulus)
        };
        let parameters = packed::Parameters::for_words(&circuit, &request)?;
        Ok(self.plan_of(circuit, parameters))
    }

    fn plan_of(&self, circuit: WordCircuit, parameters: packed::Parameters) -> Plan {
        let value_bits = self.value_bits_of(circuit.modulus());
        Plan { bits: self.bits, value_bits, circuit, parameters: parameters.into() }
    }

    fn value_bits_of(&self, modulus: u64) -> u32 {
        self.value_bits.unwrap_or(modulus.ilog2() - 2)
    }

    /// A dictionary of two entries in words of this modulus.
    fn dictionary(&self, modulus: u64) -> Result<WordCircuit> {
        let value_bits = self.value_bits_of(modulus);
        let (found, most) = (words_of_bits(value_bits, modulus), MAX_VALUE_WORDS);
        if found > most {
            let name = "number of words of a dictionary's values";
            return Err(Error::TooLarge { name, value: found as u64, limit: most as u64 });
        }
        let words = words_of_bits(self.bits, modulus);
        Dictionary::new(modulus, words, 1 << value_bits, [(0, 0), (1, 0)], 0)?.circuit()
    }
}

/// Parameters for values in words, and what lookups of them take. Its `Display` says both.
#[derive(Clone, Debug)]
pub struct Plan {
    bits: u32,
    value_bits: u32,
    circuit: WordCircuit,
    parameters: Parameters,
}

/// What a lookup of a full ciphertext in one kind of table takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedTable {
    /// The kind of table, for people.
    pub name: &'static str,
    /// Functional bootstraps, each of one word of all values.
    pub lookups: usize,
    /// Predicted time.
    pub duration: Duration,
}

impl Plan {
    /// Bits of the dictionary's keys.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Bits of the dictionary's values.
    #[must_use]
    pub fn value_bits(&self) -> u32 {
        self.value_bits
    }

    /// Modulus of words: a dictionary has at most as many entries.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.circuit.modulus()
    }

    /// The parameters that keys are generated for.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Work, memory and sizes of a lookup of a full ciphertext in a dictionary, in bytes.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        self.packed().words_prediction(&self.circuit)
    }

    /// The probability that any value of a full ciphertext comes out wrong of a dictionary.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        self.packed().words_failure(&self.circuit)
    }

    /// The probability that one value comes out wrong of a dictionary.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        self.packed().words_value_failure(&self.circuit)
    }

    /// What a dictionary and each kind of structure takes on so many threads.
    ///
    /// # Errors
    /// If words are too small for one of the kinds.
    pub fn tables(&self, threads: usize) -> Result<Vec<PlannedTable>> {
        let (cost, p) = (CostModel::calibrated(), self.modulus());
        let ones = || vec![1; p as usize];
        let kinds = [
            ("dictionary", self.circuit.clone()),
            ("sum of functions of the halves", WordCircuit::sum(p, p, |x| x, |x| x)?),
            ("the same, outputs of two words", WordCircuit::sum(p, p * p, |x| x, |x| x)?),
            ("product of functions of the halves", WordCircuit::products(p, &[(ones(), ones())])?),
            ("few pieces, large blocks", WordCircuit::piecewise_constant(p, p, &[(0, 0), (1, 1)])?),
        ];
        let values = self.packed().literal().slots as u64;
        let planned = |(name, circuit): (_, WordCircuit)| {
            let prediction = self.packed().words_prediction(&circuit);
            let duration = prediction.duration(&cost, values, threads);
            PlannedTable { name, lookups: circuit.lookups(), duration }
        };
        Ok(kinds.into_iter().map(planned).collect())
    }

    fn packed(&self) -> &packed::Parameters {
        self.parameters.packed().expect("parameters of packed values")
    }
}

impl AsRef<Parameters> for Plan {
    fn as_ref(&self) -> &Parameters {
        &self.parameters
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word_bits, prediction) = (self.modulus().ilog2(), self.prediction());
        let Self { bits, value_bits, parameters, .. } = self;
        writeln!(
            f,
            "values of {bits} bits in words of {word_bits}, of a dictionary of up to 2^{word_bits} entries to {value_bits} bits"
        )?;
        writeln!(f, "  {parameters}")?;
        writeln!(
            f,
            "  {} lookups; any value of a ciphertext fails with {}",
            self.circuit.lookups(),
            self.failure_probability()
        )?;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        write!(
            f,
            "  {:.1} GB of memory, evaluation key of {:.1} GB",
            gigabytes(prediction.peak_bytes()),
            gigabytes(prediction.key_file_bytes)
        )
    }
}
