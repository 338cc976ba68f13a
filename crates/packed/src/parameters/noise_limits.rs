//! Limits on noise: that of inputs of lookups, and that of sums that are decrypted.

use std::ops::Range;

use cryptable_lattice::error::{check_equal, demand};
use cryptable_lattice::noise_bound::{
    check_log2_fail, largest_admitted, largest_where, log2_of_sum,
};
use cryptable_lattice::{NoiseBound, Result, SumLimits};

use crate::multi_precision::circuit::MultiPrecisionCircuit;
use crate::parameters::circuit::Circuit;
use crate::parameters::failure::WorstCase;
use crate::parameters::hidden_tables::largest_phase;
use crate::parameters::parameter_set::Parameters;

/// Maximum number of lookups in a row that are followed: if the noise of results still grows after these, this is the
/// limit.
const MAX_LOOKUPS: u32 = 1000;

/// Relative growth of a bias below which it counts as constant.
const CONVERGED: f64 = 1e-12;

impl Parameters {
    /// log2 of the stated failure probability per value, which no lookup and no operation on ciphertexts exceeds.
    #[must_use]
    pub fn stated_log2_fail(&self) -> f64 {
        self.literal().log2_fail
    }

    /// Noise of fresh ciphertexts of values of this modulus, encrypted with the secret key, or with the public key if
    /// the key has several owners.
    #[must_use]
    pub fn fresh_noise(&self, modulus: u64) -> NoiseBound {
        self.literal().noise_of_inputs(modulus, self.bottom_primes())
    }

    /// Noise of the result of a lookup whose input has this noise, for the worst table.
    ///
    /// Noise of the input leaves only a bias: its square times half the curvature of the table's interpolation, whose
    /// slopes are zero.
    #[must_use]
    pub fn result_noise(&self, input: NoiseBound) -> NoiseBound {
        self.result_noise_within(input, u64::MAX)
    }

    /// Noise of a result like [`Parameters::result_noise`], for the worst table whose outputs differ by at most
    /// `range`. Most of AKP's noise is proportional to that range.
    ///
    /// ```
    /// use cryptable_packed::Parameters;
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// let fresh = parameters.fresh_noise(16);
    /// let [flags, any] = [1, 15].map(|range| parameters.result_noise_within(fresh, range));
    /// assert!(flags.deviation() < any.deviation() && flags.bias() < any.bias());
    /// assert_eq!(any, parameters.result_noise(fresh));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn result_noise_within(&self, input: NoiseBound, range: u64) -> NoiseBound {
        let inputs = [(input, self.circuit().digits())];
        self.model_within(range).worst_case(self.circuit(), &inputs).noise
    }

    /// log2 of the probability that a lookup of one value with this noise goes wrong, including decryption of its
    /// result.
    #[must_use]
    pub fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        self.estimate_of(input).value_log2_fail()
    }

    /// log2 of the probability that a lookup of one value in several ciphertexts goes wrong; each ciphertext comes with
    /// its number of digits: [`crate::EvaluationKey::lookup_digits`].
    ///
    /// ```
    /// use cryptable_packed::{MultiplexerLiteral, Parameters};
    /// let digits = MultiplexerLiteral { digits: vec![4, 4], selectors: vec![1, 1], ..Default::default() };
    /// let parameters = Parameters::insecure_toy_tree(4, 64, 64, digits, 0)?;
    /// let digit = (parameters.fresh_noise(4), 1);
    /// let found = parameters.lookup_digits_log2_fail(&[digit, digit]);
    /// assert!(found <= parameters.stated_log2_fail());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the numbers of digits do not add up to those of the parameters.
    #[must_use]
    pub fn lookup_digits_log2_fail(&self, inputs: &[(NoiseBound, usize)]) -> f64 {
        self.failure_model().worst_case(self.circuit(), inputs).value_log2_fail()
    }

    /// Counts the digits of an input that each of several ciphertexts holds, if each holds values of this modulus. The
    /// counts are the input of [`Parameters::lookup_digits_log2_fail`]. Parameters that process inputs as a whole have
    /// one digit.
    ///
    /// ```
    /// use cryptable_packed::{MultiplexerLiteral, Parameters};
    /// let digits = MultiplexerLiteral { digits: vec![2, 2, 4], selectors: vec![2, 1], ..Default::default() };
    /// let parameters = Parameters::insecure_toy_tree(4, 64, 64, digits, 0)?;
    /// assert_eq!(parameters.digits_of_inputs(4, 2)?, [2, 1]);
    /// assert!(parameters.digits_of_inputs(8, 2).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no consecutive digits have that product, or there are too many or too few ciphertexts for all digits.
    pub fn digits_of_inputs(&self, modulus: u64, ciphertexts: usize) -> Result<Vec<usize>> {
        let whole = [self.input_modulus()];
        let tree = self.literal().multiplexer.as_ref().map(|tree| tree.digits.as_slice());
        let mut left = tree.unwrap_or(&whole);
        let mut widths = Vec::with_capacity(ciphertexts);
        for _ in 0..ciphertexts {
            let (mut width, mut product) = (0, 1);
            while product < modulus && width < left.len() {
                product *= left[width];
                width += 1;
            }
            let name = "product of the tree's digits for one ciphertext";
            check_equal(name, product, modulus)?;
            left = &left[width..];
            widths.push(width);
        }
        check_equal("number of the tree's digits that no ciphertext holds", left.len(), 0)?;
        Ok(widths)
    }

    /// The largest noise without bias that inputs of lookups may have: with more, lookups would fail more often than
    /// [`Parameters::stated_log2_fail`].
    ///
    /// ```
    /// use cryptable_packed::Parameters;
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// let limit = parameters.input_noise_limit();
    /// assert!(limit.deviation() > parameters.fresh_noise(16).deviation());
    /// assert!(parameters.lookup_log2_fail(limit) <= parameters.stated_log2_fail());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn input_noise_limit(&self) -> NoiseBound {
        largest_admitted(|input| self.admits(input))
    }

    /// Bits κ of hidden tables: results of a lookup reveal nothing of its table but outputs, up to a statistical
    /// distance of 2^-κ. None if tables are not hidden.
    #[must_use]
    pub fn hidden_bits(&self) -> Option<u32> {
        self.literal().hidden_bits
    }

    /// The maximum number of terms of sums.
    #[must_use]
    pub fn sum_limits(&self) -> SumLimits {
        let (input, output) = (self.input_modulus(), self.output_modulus());
        let lookups = |one: NoiseBound| largest_where(1.0, |terms| self.admits(one.times(terms)));
        let fresh = self.fresh_noise(input);
        let result = self.result_noise(fresh);
        SumLimits {
            fresh_lookup: lookups(fresh),
            result_lookup: if input == output { lookups(result) } else { 0 },
            result_decryption: result.terms(output, self.stated_log2_fail()),
            lookups_in_a_row: self.lookups_in_a_row(),
        }
    }

    /// The maximum number of lookups in a row, each on the result of the one before; `None` if the noise of results
    /// always stays within what lookups admit.
    ///
    /// Lookups square the error of their input, in units that the worst table's curvature determines: small errors
    /// vanish, larger ones grow from lookup to lookup.
    fn lookups_in_a_row(&self) -> Option<u32> {
        if self.input_modulus() != self.output_modulus() {
            return Some(1);
        }
        let mut noise = self.fresh_noise(self.input_modulus());
        for count in 0..MAX_LOOKUPS {
            if !self.admits(noise) {
                return Some(count);
            }
            let next = self.result_noise(noise);
            // The noise of a result is monotonic in that of its input: once it stops growing, it never grows again.
            if count > 0 && next.bias() <= noise.bias() * (1.0 + CONVERGED) {
                return None;
            }
            noise = next;
        }
        Some(MAX_LOOKUPS)
    }

    /// Whether lookups of inputs with this noise stay within the stated failure probability.
    fn admits(&self, input: NoiseBound) -> bool {
        self.lookup_log2_fail(input) <= self.stated_log2_fail() && self.check_hidden(input).is_ok()
    }

    /// Checks that lookups of inputs with this noise hide their tables, if tables are to be hidden.
    fn check_hidden(&self, input: NoiseBound) -> Result<()> {
        let Circuit::Akp(akp) = self.circuit() else { return Ok(()) };
        let Some(limit) = akp.largest_phase() else { return Ok(()) };
        let log2 = self.literal().log2_hidden_slot();
        let found = largest_phase(self.failure_model(), self.circuit(), input, log2);
        let name = "log2 of the error of inputs of hidden tables";
        let limit_text =
            format!("at most {:.2}: sum fewer values, and look up no results", limit.log2());
        demand(found <= limit * (1.0 + CONVERGED), name, found.log2(), &limit_text)
    }

    /// The failure probability of lookups of whole inputs with this noise.
    fn estimate_of(&self, input: NoiseBound) -> WorstCase {
        self.failure_model().worst_case(self.circuit(), &[(input, self.circuit().digits())])
    }

    /// Returns the noise of a lookup's result, for tables whose outputs differ by at most `range`. Each input comes
    /// with its number of digits.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the lookup would fail too often.
    pub(crate) fn checked_result_noise(
        &self,
        inputs: &[(NoiseBound, usize)],
        range: u64,
    ) -> Result<NoiseBound> {
        let found = self.model_within(range).worst_case(self.circuit(), inputs);
        check_log2_fail("a lookup", found.value_log2_fail(), self.stated_log2_fail())?;
        inputs.iter().try_for_each(|&(input, _)| self.check_hidden(input))?;
        Ok(found.noise)
    }

    /// Noise of a ciphertext of each of these digits of an input, modulo the digit's size, once the digits before are
    /// cleared.
    ///
    /// # Panics
    /// If inputs are not processed digit by digit.
    pub(crate) fn noise_of_digits(
        &self,
        input: NoiseBound,
        digits: Range<usize>,
    ) -> Vec<NoiseBound> {
        let circuit = self.digit_circuit();
        let cleared = digits.start..digits.end - 1;
        let rests = self.failure_model().noise_of_rests(circuit, input, cleared);
        digits.zip(rests).map(|(digit, rest)| rest.times(circuit.multiplier(digit))).collect()
    }

    /// The noise of a lookup of a digit with this noise, whose outputs are modulo `modulus`.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the lookup would fail too often.
    ///
    /// # Panics
    /// If the parameters do not process digits.
    pub(crate) fn checked_digit_noise(
        &self,
        digit: NoiseBound,
        modulus: u64,
    ) -> Result<NoiseBound> {
        let model = self.failure_model();
        let noise = model.noise_of_digit_table(self.digit_circuit(), digit);
        let found = log2_of_sum(noise.log2_fail(modulus), model.log2_overflow);
        check_log2_fail("a lookup of a digit", found, self.stated_log2_fail())?;
        Ok(noise)
    }

    /// Returns the noise of a digit that `signs` signs select, of values whose digits, and whose last one, have this
    /// noise; outputs are modulo `modulus`.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if a lookup or the selection would fail too often.
    ///
    /// # Panics
    /// If the parameters do not select in slots.
    pub(crate) fn checked_selection_noise(
        &self,
        digit: NoiseBound,
        last: NoiseBound,
        signs: usize,
        modulus: u64,
    ) -> Result<NoiseBound> {
        let model = self.failure_model();
        let [digit, sign] =
            [digit, last].map(|it| model.noise_of_digit_table(self.digit_circuit(), it));
        let selection = self.selection().expect("parameters that select in slots");
        let noise = selection.noise(digit, sign, signs);
        let found = log2_of_sum(noise.log2_fail(modulus), model.log2_overflow);
        check_log2_fail("a selection of a digit", found, self.stated_log2_fail())?;
        Ok(noise)
    }

    fn digit_circuit(&self) -> &MultiPrecisionCircuit {
        match self.circuit() {
            Circuit::MultiPrecision(circuit) => circuit,
            Circuit::Akp(_) | Circuit::Multiplexer(_) => {
                panic!("{} takes no digits", self.literal().name)
            }
        }
    }
}
