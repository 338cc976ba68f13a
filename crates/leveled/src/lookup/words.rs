//! Automata on encrypted words: every value of a word is a symbol.

use std::borrow::Cow;

use cryptable_lattice::error::{check_equal, out_of_range};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::{LweList, MAX_VALUES};
use cryptable_lattice::noise_bound::{check_log2_fail, largest_where};
use cryptable_lattice::{FailureProbability, NoiseBound, Progress, Result, Table};

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::{Parameters, width};
use super::register::Layout;
use crate::keys::BITS_A_THREAD;
use crate::noise::CircuitBootstrappingNoise;
use crate::parameters::LOG2_FAIL;
use crate::tree::{Automaton, DecisionDiagram, LeveledCiphertext};

/// Bits of failure probability that results of CMUX chains must have to spare, since they may be symbols of words of up to
/// [`MAX_VALUES`] values.
const SPARE_BITS: f64 = 16.0;

impl Parameters {
    /// Returns log2 of the probability that a run of an automaton on a word of `length` fresh values goes wrong, including the
    /// next operation on its result.
    ///
    /// ```
    /// use cryptable_leveled::lookup::{Parameters, Request};
    /// use cryptable_leveled::parameters::ParameterSet;
    /// let request = Request { word_length: 1_000, ..Request::new(256, 256) };
    /// let parameters = &Parameters::candidates(&request)?[0];
    /// assert!(parameters.word_log2_fail(256, 1_000) <= -64.0);
    /// assert!(parameters.longest_word(256) >= 1_000);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn word_log2_fail(&self, symbols: u64, length: usize) -> f64 {
        let fresh = self.fresh_noise();
        let public = self.public_noise();
        let symbol = self.lookup_log2_fail(fresh).max(self.lookup_log2_fail(public));
        let depth = (length * width(symbols)) as u64;
        let result = self.chain_log2_fail(depth, 1);
        FailureProbability::from_log2(symbol).of_any(length).log2().max(result)
    }

    /// Returns log2 of the probability that a chain of CMUXes goes wrong, where no bit is used more than `uses` times,
    /// including the next operation on its result. The probability is that of 2^16 chains, so that results may be symbols of
    /// words.
    #[must_use]
    pub fn chain_log2_fail(&self, depth: u64, uses: u64) -> f64 {
        self.lookup_log2_fail(self.chain_noise(depth, uses)) + SPARE_BITS
    }

    /// Returns the length of the longest words on which automata keep within the failure probability.
    #[must_use]
    pub fn longest_word(&self, symbols: u64) -> usize {
        let fits = |length: u64| self.word_log2_fail(symbols, length as usize) <= LOG2_FAIL;
        largest_where(1_000.0, |length| length <= MAX_VALUES as u64 && fits(length)) as usize
    }

    /// Returns the noise of the results of CMUX chains of this depth, where no selector is used more than `uses` times.
    fn chain_noise(&self, depth: u64, uses: u64) -> NoiseBound {
        let noise = CircuitBootstrappingNoise::new(self.circuit_bootstrapping());
        NoiseBound::of_law(noise.path(depth, uses, 1.0), 0.0)
    }

    /// Checks that runs on words of `length` values keep within the failure probability. Values that were computed are results
    /// of lookups, of runs or of registers.
    fn check_word(&self, symbols: u64, length: usize, is_fresh: bool) -> Result<()> {
        let limit = LOG2_FAIL.max(self.log2_fail());
        let mut found = self.word_log2_fail(symbols, length);
        if !is_fresh {
            let symbol = self.lookup_log2_fail(self.result_noise()).max(limit - SPARE_BITS);
            found = found.max(FailureProbability::from_log2(symbol).of_any(length).log2());
        }
        check_log2_fail("a run of the automaton", found, limit)
    }

    /// Checks that results of chains may be symbols of words, and inputs of lookups.
    pub(super) fn check_chain(&self, depth: u64, uses: u64) -> Result<()> {
        let limit = LOG2_FAIL.max(self.log2_fail());
        check_log2_fail("a chain of CMUXes", self.chain_log2_fail(depth, uses), limit)
    }
}

/// One accumulator per state and polynomial of outputs.
type Accumulators = Vec<Vec<LeveledCiphertext>>;

/// A value of a list, read as a symbol.
struct Symbol<'a> {
    of: &'a Ciphertext,
    index: usize,
}

impl Symbol<'_> {
    /// Returns the LWE ciphertexts of the symbol's bits.
    fn ciphertexts(&self) -> impl Iterator<Item = LweCiphertext> {
        let each = self.of.ciphertexts_per_value();
        (self.index * each..(self.index + 1) * each).map(|index| self.of.list().ciphertext(index))
    }
}

impl EvaluationKey {
    /// Runs an automaton on words whose symbols are the encrypted values in order, `word_length` per word. Returns one value
    /// per word: the entry of `outputs` at the word's weight.
    ///
    /// A step of progress is a symbol. Circuit bootstraps of its bits take most of the time, five to eight milliseconds
    /// each; a CMUX takes some 40 microseconds.
    ///
    /// ```
    /// use cryptable_lattice::{Progress, Table};
    /// use cryptable_leveled::lookup::{Automaton, Parameters, Request, SecretKey};
    ///
    /// // Counts the occurrences of a pattern in a text. `Parameters::candidates` has parameters of 128 bits.
    /// let text: Vec<u64> = b"bananas".iter().map(|&byte| u64::from(byte)).collect();
    /// let pattern: Vec<u64> = b"ana".iter().map(|&byte| u64::from(byte)).collect();
    /// let request = Request { word_length: 7, ..Request::new(256, 8) };
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_for(&request)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let automaton = Automaton::occurrences(&pattern, 256)?;
    /// let counts = Table::from_fn(8, 8, |count| count)?;
    /// let word = secret.encrypt(&text)?;
    /// let count = key.run(&automaton, &[&word], 7, &counts, Progress::silent())?;
    /// assert_eq!(secret.decrypt(&count)?, [2]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If values belong to another client or other parameters, are not modulo the number of symbols, or do not make up whole
    /// words; if the table has fewer entries than there are possible weights, or more than N, or outputs have more bits than
    /// [`Parameters::max_bits`]; [`cryptable_lattice::Error::NoiseTooLarge`] if words are longer than
    /// [`Parameters::longest_word`]; [`cryptable_lattice::Error::Cancelled`].
    pub fn run(
        &self,
        automaton: &Automaton,
        values: &[&Ciphertext],
        word_length: usize,
        outputs: &Table,
        progress: Progress<'_>,
    ) -> Result<Ciphertext> {
        self.check_run(automaton, values, word_length, outputs)?;
        let layout = Layout::packed(self.parameters(), outputs)?;
        let switched: Vec<Cow<'_, Ciphertext>> =
            values.iter().map(|part| self.switched(part)).collect::<Result<_>>()?;
        let symbols: Vec<Symbol<'_>> = switched
            .iter()
            .flat_map(|part| (0..part.count()).map(move |index| Symbol { of: part, index }))
            .collect();
        let parameters = self.parameters().circuit_bootstrapping();
        let diagram = DecisionDiagram::new(automaton, parameters.bits_per_ciphertext());
        let ends = self.ends(automaton, &layout, outputs);
        let mut results = LweList::computed(parameters.lwe_shape(), [])?;
        let total = symbols.len();
        progress.report(0, total)?;
        for (word, symbols) in symbols.chunks(word_length).enumerate() {
            let walked = |done: usize| progress.report(word * word_length + done, total);
            let first = self.walk(&diagram, symbols, ends.clone(), walked)?;
            results.append(layout.read(self, &first.iter().collect::<Vec<_>>())?);
        }
        Ok(layout.ciphertext(self, results))
    }

    /// Returns the accumulators of the first state, after all symbols from the last one back to the first.
    fn walk(
        &self,
        diagram: &DecisionDiagram,
        symbols: &[Symbol<'_>],
        mut after: Accumulators,
        walked: impl Fn(usize) -> Result<()>,
    ) -> Result<Vec<LeveledCiphertext>> {
        let circuit = self.circuit_bootstrapping();
        let (ring, gadget) =
            (circuit.parameters().fhew().ring(), circuit.parameters().rgsw_gadget());
        let bits = diagram.symbol_bits();
        let at_once = (BITS_A_THREAD * rayon::current_num_threads()).div_ceil(bits);
        let mut done = 0;
        for symbols in symbols.rchunks(at_once) {
            let ciphertexts: Vec<LweCiphertext> =
                symbols.iter().flat_map(Symbol::ciphertexts).collect();
            let ciphertexts: Vec<&LweCiphertext> = ciphertexts.iter().collect();
            let selectors = circuit.bootstrap_values(&ciphertexts, bits)?;
            for selectors in selectors.rchunks(bits) {
                for states in &mut after {
                    *states = diagram.step(ring, gadget, selectors, states);
                }
                done += 1;
                walked(done)?;
            }
        }
        Ok(after.into_iter().map(|mut states| states.swap_remove(0)).collect())
    }

    /// Checks the arguments of [`EvaluationKey::run`].
    fn check_run(
        &self,
        automaton: &Automaton,
        values: &[&Ciphertext],
        word_length: usize,
        outputs: &Table,
    ) -> Result<()> {
        let count: usize = values.iter().map(|part| part.count()).sum();
        if word_length == 0 || count == 0 || !count.is_multiple_of(word_length) {
            let limit = format!("it must be a multiple of the words' length, {word_length}");
            return Err(out_of_range("number of symbols", count as u64, limit));
        }
        for part in values {
            check_equal("modulus of the symbols", part.modulus(), automaton.symbols())?;
        }
        let (heaviest, entries) = (automaton.largest_weight(word_length), outputs.input_modulus());
        if heaviest >= entries {
            let limit = format!("the table of outputs has {entries} entries, one per weight");
            return Err(out_of_range("largest weight of a word", heaviest, limit));
        }
        let shape = self.parameters().circuit_bootstrapping().lwe_shape();
        let is_fresh = |part: &&Ciphertext| part.is_fresh() || part.list().shape() != shape;
        let all_fresh = values.iter().all(is_fresh);
        self.parameters().check_word(automaton.symbols(), word_length, all_fresh)
    }

    /// Returns the accumulators at the end of a word.
    fn ends(&self, automaton: &Automaton, layout: &Layout, outputs: &Table) -> Accumulators {
        let ring = self.parameters().circuit_bootstrapping().fhew().ring();
        let cycle = 2 * ring.degree();
        let of_states = |end: LeveledCiphertext| {
            let moved = |weight| end.times_monomial(ring, (cycle - weight % cycle) % cycle);
            automaton.final_weights().iter().map(moved).collect()
        };
        layout.polynomials(self.parameters(), outputs).into_iter().map(of_states).collect()
    }
}
