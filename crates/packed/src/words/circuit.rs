//! Circuits of sums and lookups of words.

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result, check_values, check_within};

/// Maximum number of words of an input, and of an output.
pub(crate) const MAX_WORDS: usize = 8;

/// A word that a circuit has computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Register(pub(crate) usize);

/// One step of a circuit; its results are the next registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordStep {
    /// Computes `Σ factor·word` modulo p, without a bootstrap.
    Sum(Vec<(Register, i64)>),
    /// Looks a word up in several tables, at little more than the cost of one.
    LookUp(Register, Vec<Table>),
}

/// A function of words modulo p, as sums and lookups of single words, which [`crate::EvaluationKey::lookup_words`]
/// evaluates.
///
/// [`crate::Dictionary::circuit`] makes a circuit of a dictionary; the functions of this type make one of a structured
/// table of two words.
///
/// ```
/// use cryptable_packed::{Parameters, Progress, SecretKey, WordCircuit};
/// // A table of 256 entries on two words of 4 bits each: 3·low + high² modulo 16.
/// let circuit = WordCircuit::sum(16, 16, |low| 3 * low, |high| high * high)?;
/// assert_eq!((circuit.lookups(), circuit.evaluate(&[5, 2])?), (2, vec![3]));
///
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let prepared = key.prepare_words(&circuit)?;
/// let input = secret.encrypt_words(&[0x25, 0xff], 2)?;
/// let output = key.lookup_words(&input, &prepared, Progress::silent())?;
/// assert_eq!(secret.decrypt_words(&output)?, [3, 14]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCircuit {
    modulus: u64,
    inputs: usize,
    steps: Vec<WordStep>,
    registers: usize,
    outputs: Vec<Register>,
}

impl WordCircuit {
    /// Creates a circuit of `inputs` input words, without steps.
    ///
    /// # Errors
    /// If the modulus is below 2, or there is no input or more than eight.
    pub(crate) fn new(modulus: u64, inputs: usize) -> Result<Self> {
        check_within("modulus of words", modulus, 2..)?;
        check_words(inputs)?;
        Ok(Self { modulus, inputs, steps: Vec::new(), registers: inputs, outputs: Vec::new() })
    }

    /// The register of an input word.
    pub(crate) fn input(&self, index: usize) -> Register {
        assert!(index < self.inputs, "a word of the input");
        Register(index)
    }

    /// Adds a sum. Terms with the factor 0 are dropped.
    pub(crate) fn add_sum(&mut self, terms: Vec<(Register, i64)>) -> Register {
        let terms: Vec<_> = terms.into_iter().filter(|&(_, factor)| factor != 0).collect();
        if let [(only, 1)] = terms[..] {
            return only;
        }
        self.steps.push(WordStep::Sum(terms));
        self.registers += 1;
        Register(self.registers - 1)
    }

    /// Adds a lookup of a word in several tables, each given by its outputs.
    ///
    /// # Errors
    /// If an output is not below p.
    pub(crate) fn add_lookup(
        &mut self,
        input: Register,
        tables: Vec<Vec<u64>>,
    ) -> Result<Vec<Register>> {
        let p = self.modulus;
        let tables = tables.into_iter().map(|outputs| Table::new(p, p, outputs));
        let tables = tables.collect::<Result<Vec<_>>>()?;
        let results = (self.registers..self.registers + tables.len()).map(Register).collect();
        self.registers += tables.len();
        self.steps.push(WordStep::LookUp(input, tables));
        Ok(results)
    }

    /// Sets the registers of the output words.
    pub(crate) fn set_outputs(&mut self, outputs: Vec<Register>) {
        self.outputs = outputs;
    }

    /// Modulus p of words.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Number of words of an input.
    #[must_use]
    pub fn input_words(&self) -> usize {
        self.inputs
    }

    /// Number of words of an output.
    #[must_use]
    pub fn output_words(&self) -> usize {
        self.outputs.len()
    }

    /// Number of lookups, each of one or several tables on one word: evaluations of a multiplexer tree.
    #[must_use]
    pub fn lookups(&self) -> usize {
        self.tables_of_lookups().count()
    }

    /// The number of tables of each lookup.
    pub(crate) fn tables_of_lookups(&self) -> impl Iterator<Item = usize> + '_ {
        self.steps.iter().filter_map(|step| match step {
            WordStep::LookUp(_, tables) => Some(tables.len()),
            WordStep::Sum(_) => None,
        })
    }

    pub(crate) fn steps(&self) -> &[WordStep] {
        &self.steps
    }

    pub(crate) fn outputs(&self) -> &[Register] {
        &self.outputs
    }

    /// Evaluates the circuit on the words of an input, in the clear.
    ///
    /// # Errors
    /// If there is not one word per input, or a word is not below p.
    pub fn evaluate(&self, input: &[u64]) -> Result<Vec<u64>> {
        self.check_inputs(input.len())?;
        check_values(input, self.modulus)?;
        let p = self.modulus as i128;
        let mut words = input.to_vec();
        for step in &self.steps {
            match step {
                WordStep::Sum(terms) => {
                    let term = |&(word, factor): &(Register, i64)| {
                        i128::from(factor) * i128::from(words[word.0])
                    };
                    let sum: i128 = terms.iter().map(term).sum();
                    words.push(sum.rem_euclid(p) as u64);
                }
                WordStep::LookUp(word, tables) => {
                    let x = words[word.0] as usize;
                    words.extend(tables.iter().map(|table| table[x]));
                }
            }
        }
        Ok(self.outputs.iter().map(|word| words[word.0]).collect())
    }

    /// Checks that the circuit has this number of input words.
    pub(crate) fn check_inputs(&self, found: usize) -> Result<()> {
        if found != self.inputs {
            return Err(Error::mismatch("number of words of the input", found, self.inputs));
        }
        Ok(())
    }
}

/// Checks that values may have this number of words.
pub(crate) fn check_words(words: usize) -> Result<()> {
    check_within("number of words", words as u64, 1..=MAX_WORDS as u64)
}

/// Returns `count` words of a value modulo p, the least significant first; higher words are dropped.
pub(crate) fn words_of(value: u64, p: u64, count: usize) -> Vec<u64> {
    let mut rest = value;
    let word = |_| {
        let word = rest % p;
        rest /= p;
        word
    };
    (0..count).map(word).collect()
}

/// `p^words`, or 2^64 if that is less.
pub(crate) fn range_of(p: u64, words: usize) -> u128 {
    (0..words).fold(1u128, |range, _| (range * u128::from(p)).min(1 << 64))
}
