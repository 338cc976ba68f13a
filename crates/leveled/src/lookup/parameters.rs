//! Parameters of lookups: a parameter set of circuit bootstrapping, and the moduli of tables.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{check_within, demand};
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{Error, NoiseBound, ReadOptions, Result};
use cryptable_wire::{BodyReader, body_bytes};

use crate::bootstrapping::ciphertext_count;
use crate::circuit_parameters::circuit_parameters;
use crate::noise::CircuitBootstrappingNoise;
use crate::parameters::{CircuitBootstrappingParameters, LOG2_FAIL, ParameterSet};
use crate::tree::MAX_INPUT_BITS;

/// Largest modulus of values.
pub(super) const MAX_MODULUS: u64 = 1 << MAX_INPUT_BITS;

/// Largest number of bytes of the parameters of circuit bootstrapping.
const MAX_CIRCUIT_BYTES: u64 = 1 << 16;

/// Returns the number of bits of a value below a modulus, at least 1.
pub(super) fn width(modulus: u64) -> usize {
    (u64::BITS - (modulus - 1).leading_zeros()).max(1) as usize
}

/// A request for parameters.
///
/// ```
/// use cryptable_leveled::lookup::{Parameters, Request};
/// use cryptable_leveled::parameters::ParameterSet;
/// let request = Request { log2_fail: Some(-80.0), ..Request::new(256, 16) };
/// let fastest = &Parameters::candidates(&request)?[0];
/// assert!(fastest.log2_fail() <= -80.0);
/// assert_eq!(fastest.parameter_set(), Some(ParameterSet::Aes128));
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request {
    /// Input modulus p, from 2 to 2^24.
    pub input_modulus: u64,
    /// Output modulus P, from 2 to 2^24.
    pub output_modulus: u64,
    /// log2 of the largest failure probability per value; -64 if `None`.
    pub log2_fail: Option<f64>,
    /// The parameter set; any set if `None`.
    pub method: Option<ParameterSet>,
    /// Number of values in the longest word that automata read, symbols modulo p ([`super::EvaluationKey::run`]); 0 if there
    /// are only lookups.
    pub word_length: usize,
    /// Number of CMUXes in a row on registers, each by a bit of its own ([`super::EvaluationKey::register`]); 0 if there are
    /// only lookups.
    pub chain: u64,
}

impl Request {
    /// Requests any set, with failures below 2^-64 per value.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        let (log2_fail, method) = (None, None);
        Self { input_modulus, output_modulus, log2_fail, method, word_length: 0, chain: 0 }
    }
}

/// A parameter set of circuit bootstrapping, and the moduli of the tables. Immutable, cheap to clone.
///
/// If the larger modulus has w bits, the stated failure probability holds for every table from at most w bits to at most w
/// bits, on fresh values and on results of such tables.
#[derive(Clone, Debug)]
pub struct Parameters {
    set: Option<ParameterSet>,
    circuit: CircuitBootstrappingParameters,
    input_modulus: u64,
    output_modulus: u64,
    log2_fail: f64,
}

impl Parameters {
    /// Returns all sets that satisfy a request, the fastest first. All have 128 bits of security.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24, the failure probability is not below 1, or no set reaches it.
    pub fn candidates(request: &Request) -> Result<Vec<Self>> {
        let Request { input_modulus, output_modulus, .. } = *request;
        let mut all = ParameterSet::ALL
            .into_iter()
            .filter(|set| request.method.is_none_or(|method| method == *set))
            .map(|set| Self::assemble(Some(set), set.parameters(), input_modulus, output_modulus))
            .collect::<Result<Vec<Self>>>()?;
        let limit = request.log2_fail.unwrap_or(LOG2_FAIL);
        demand(limit < 0.0, "log2 of the failure probability", limit, "it must be below 0")?;
        let least = all.iter().map(Self::log2_fail).fold(f64::INFINITY, f64::min);
        all.retain(|parameters| parameters.log2_fail <= limit);
        if all.is_empty() {
            let what = format!("values of {} bits", width(input_modulus.max(output_modulus)));
            return Err(Error::FailureUnreachable { what, found: least, limit });
        }
        Self::retain_chains(&mut all, request)?;
        let model = CostModel::default();
        all.sort_by_cached_key(|parameters| {
            let seconds = model.seconds(&parameters.prediction().work);
            // Positive numbers are ordered like their bits.
            seconds.to_bits()
        });
        Ok(all)
    }

    /// Retains the parameters that support the words and chains of a request.
    fn retain_chains(all: &mut Vec<Self>, request: &Request) -> Result<()> {
        let limit = request.log2_fail.unwrap_or(LOG2_FAIL);
        let worst = |parameters: &Self| match (request.word_length, request.chain) {
            (0, 0) => f64::NEG_INFINITY,
            (0, chain) => parameters.chain_log2_fail(chain, 1),
            (length, chain) => parameters
                .word_log2_fail(request.input_modulus, length)
                .max(parameters.chain_log2_fail(chain, 1)),
        };
        let least = all.iter().map(worst).fold(f64::INFINITY, f64::min);
        all.retain(|parameters| worst(parameters) <= limit);
        if all.is_empty() {
            let (length, chain) = (request.word_length, request.chain);
            let what = format!("words of {length} values and chains of {chain} CMUXes");
            return Err(Error::FailureUnreachable { what, found: least, limit });
        }
        Ok(())
    }

    /// Returns toy parameters for tests, with two bits per ciphertext: not secure, and marked so.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Self::insecure_toy_of(ParameterSet::TwoBitDepth11, input_modulus, output_modulus)
    }

    /// Returns toy parameters with the noise of any set: not secure.
    ///
    /// # Errors
    /// The errors of [`Parameters::insecure_toy`].
    pub fn insecure_toy_of(
        set: ParameterSet,
        input_modulus: u64,
        output_modulus: u64,
    ) -> Result<Self> {
        Self::assemble(None, set.insecure_toy(), input_modulus, output_modulus)
    }

    /// Returns toy parameters of the fastest set for a request: not secure.
    ///
    /// # Errors
    /// The errors of [`Parameters::candidates`].
    pub fn insecure_toy_for(request: &Request) -> Result<Self> {
        let fastest = Self::candidates(request)?.swap_remove(0);
        let set = fastest.set.expect("candidates have names");
        Self::insecure_toy_of(set, request.input_modulus, request.output_modulus)
    }

    fn assemble(
        set: Option<ParameterSet>,
        circuit: CircuitBootstrappingParameters,
        input_modulus: u64,
        output_modulus: u64,
    ) -> Result<Self> {
        check_within("input modulus", input_modulus, 2..=MAX_MODULUS)?;
        check_within("output modulus", output_modulus, 2..=MAX_MODULUS)?;
        let mut found = Self { set, circuit, input_modulus, output_modulus, log2_fail: 0.0 };
        found.log2_fail = found.lookup_log2_fail(found.result_noise());
        Ok(found)
    }

    /// Returns the noise of the results of lookups, as a fraction of Q, for the noisiest tree, whose CMUXes all choose 1.
    #[must_use]
    pub fn result_noise(&self) -> NoiseBound {
        self.tree_noise(self.max_bits())
    }

    /// Returns the noise of the results of trees of this depth.
    pub(super) fn tree_noise(&self, depth: usize) -> NoiseBound {
        NoiseBound::of_law(CircuitBootstrappingNoise::new(&self.circuit).tree(depth, 1.0), 0.0)
    }

    /// Returns the noise of fresh values.
    #[must_use]
    pub fn fresh_noise(&self) -> NoiseBound {
        CircuitBootstrappingNoise::new(&self.circuit).fresh().into()
    }

    /// Returns log2 of the probability that a lookup of a value with this noise goes wrong, because any of its ciphertexts is
    /// read wrong.
    ///
    /// ```
    /// use cryptable_leveled::lookup::Parameters;
    /// let parameters = Parameters::insecure_toy(16, 16)?;
    /// assert_eq!(parameters.lookup_log2_fail(parameters.result_noise()), parameters.log2_fail());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        let noise = CircuitBootstrappingNoise::new(&self.circuit);
        let ciphertexts = ciphertext_count(self.max_bits(), self.circuit.bits_per_ciphertext());
        noise.log2_fail(input) + (ciphertexts as f64).log2()
    }

    /// Returns the named set, or `None` if no set has these numbers.
    #[must_use]
    pub fn parameter_set(&self) -> Option<ParameterSet> {
        self.set
    }

    /// Returns a description of the method, such as "CMUX tree, 2 bits per rotation, depth 11".
    #[must_use]
    pub fn method_name(&self) -> String {
        let bits = self.circuit.bits_per_ciphertext();
        match self.set {
            Some(set) => format!("CMUX tree, {}", set.description()),
            None if self.security_level().is_insecure() => {
                format!("CMUX tree, {bits} bits per rotation, insecure toy")
            }
            None => format!("CMUX tree, {bits} bits per rotation, other parameters"),
        }
    }

    /// Returns the input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Returns the output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Returns the ring degree N, which is also the dimension of LWE ciphertexts.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.circuit.fhew().ring_degree()
    }

    /// Returns the bits of the largest values that keep within the failure probability.
    #[must_use]
    pub fn max_bits(&self) -> usize {
        width(self.input_modulus.max(self.output_modulus))
    }

    /// Checks that values of a modulus have no more bits than [`Parameters::max_bits`].
    pub(super) fn check_bits(&self, name: &'static str, modulus: u64) -> Result<()> {
        let (value, limit) = (width(modulus) as u64, self.max_bits() as u64);
        if value > limit { Err(Error::TooLarge { name, value, limit }) } else { Ok(()) }
    }

    /// Returns log2 of the probability that a lookup of one value, whose input is itself a result, goes wrong.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns the LWE problems on which the security of the secrets rests.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        self.circuit.fhew().lwe_instances()
    }

    /// Returns the canonical bytes, both moduli and the set's numbers; their digest names these parameters.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        body_bytes(|writer| {
            writer.u64(self.input_modulus)?;
            writer.u64(self.output_modulus)?;
            writer.bytes(&self.circuit.to_bytes())
        })
    }

    /// Reads the bytes of [`Parameters::to_bytes`] and validates the parameters.
    ///
    /// # Errors
    /// If the bytes are not parameters, or the parameters are not valid, claim a security that they do not have, or are
    /// insecure or fail too often and the options do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let mut reader = BodyReader::new(bytes);
        let input_modulus = reader.u64("input modulus")?;
        let output_modulus = reader.u64("output modulus")?;
        let circuit = reader.bytes("parameters of circuit bootstrapping", MAX_CIRCUIT_BYTES)?;
        reader.finish()?;
        let circuit = CircuitBootstrappingParameters::from_bytes(circuit, options)?;
        let set = ParameterSet::of_literal(circuit.literal());
        let found = Self::assemble(set, circuit, input_modulus, output_modulus)?;
        options.check_failures(found.failure_probability())?;
        Ok(found)
    }

    /// Returns the BLAKE3 digest of [`Parameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

circuit_parameters!(LeveledSecretKey, LeveledEvaluationKey, LeveledPublicKey);

#[cfg(test)]
mod tests {
    use super::*;

    fn fastest(request: &Request) -> Result<Parameters> {
        Ok(Parameters::candidates(request)?.swap_remove(0))
    }

    #[test]
    fn failure_probabilities_are_below_one() {
        for log2_fail in [0.0, 3.0, f64::NAN] {
            let request = Request { log2_fail: Some(log2_fail), ..Request::new(16, 16) };
            let error = Parameters::candidates(&request).unwrap_err().to_string();
            assert!(error.contains("must be below 0"), "{error}");
        }
    }

    #[test]
    fn bytes_come_back() {
        let all = ReadOptions::default().allow_insecure();
        for parameters in [
            Parameters::insecure_toy(100, 3).unwrap(),
            fastest(&Request::new(1 << 16, 1 << 12)).unwrap(),
        ] {
            let bytes = parameters.to_bytes();
            let read = Parameters::from_bytes(&bytes, all).unwrap();
            assert_eq!(
                (read.to_bytes(), read.parameter_set(), read.method_name()),
                (bytes.clone(), parameters.parameter_set(), parameters.method_name())
            );
            assert_eq!(read.digest(), parameters.digest());
            let strict = Parameters::from_bytes(&bytes, ReadOptions::default());
            assert_eq!(strict.is_err(), parameters.security_level().is_insecure());
            for length in 0..bytes.len() {
                assert!(Parameters::from_bytes(&bytes[..length], all).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn every_width_is_served_securely() {
        let seconds = |set: &Parameters| CostModel::default().seconds(&set.prediction().work);
        for bits in 1..=MAX_INPUT_BITS {
            let found = Parameters::candidates(&Request::new(1 << bits, 1 << bits)).unwrap();
            assert!(found.is_sorted_by_key(seconds), "{bits}");
            for set in &found {
                assert!(set.security_bits() >= 128.0 && set.log2_fail() <= -64.0, "{bits}");
                let each = set.circuit_bootstrapping().bits_per_ciphertext() as usize;
                let ciphertexts = bits.div_ceil(each);
                assert_eq!((set.max_bits(), set.bootstraps()), (bits, ciphertexts));
                assert_eq!(set.prediction().parallelism, ciphertexts);
            }
            assert!(found.len() >= 5, "{bits}: {}", found.len());
        }
    }

    /// Secrets of blocks are fastest if their noise leaves room, otherwise two bits per rotation.
    #[test]
    fn blocks_and_two_bits_per_rotation_are_fastest() {
        use ParameterSet::{Aes128, TwoBitDepth24, TwoBitDepth117};
        let chosen = |bits: u32, log2_fail: f64| {
            let request = Request::new(1 << bits, 1 << bits);
            let request = Request { log2_fail: Some(log2_fail), ..request };
            fastest(&request).unwrap().parameter_set().unwrap()
        };
        for (log2_fail, sets) in [
            (-64.0, [(1, Aes128), (2, Aes128), (12, Aes128), (24, TwoBitDepth24)]),
            (
                -128.0,
                [(2, TwoBitDepth24), (8, TwoBitDepth24), (9, TwoBitDepth117), (24, TwoBitDepth117)],
            ),
        ] {
            for (bits, set) in sets {
                assert_eq!(chosen(bits, log2_fail), set, "{bits} bits, 2^{log2_fail}");
            }
        }
    }

    #[test]
    fn failures_grow_with_the_larger_modulus() {
        let log2_fail = |input, output| {
            let method = Some(ParameterSet::CmuxDepth2);
            let request = Request { method, log2_fail: Some(-1.0), ..Request::new(input, output) };
            fastest(&request).unwrap().log2_fail()
        };
        assert_eq!(log2_fail(1 << 6, 2).to_bits(), log2_fail(2, 1 << 6).to_bits());
        assert_eq!(log2_fail(33, 2).to_bits(), log2_fail(64, 64).to_bits());
        assert!(log2_fail(1 << 6, 2) + 1.0 < log2_fail(1 << 7, 2));
    }

    #[test]
    fn what_is_not_served_is_named() {
        let message = |request: &Request| fastest(request).unwrap_err().to_string();
        assert!(message(&Request::new(1, 16)).contains("input modulus is 1"));
        assert!(message(&Request::new(16, (1 << 24) + 1)).contains("output modulus is 16777217"));
        let method = Some(ParameterSet::CmuxDepth2);
        let shallow = Request { method, ..Request::new(1 << 20, 2) };
        assert!(message(&shallow).contains("2^-64"), "{}", message(&shallow));
        let sure = Request { log2_fail: Some(-5000.0), ..Request::new(16, 16) };
        assert!(message(&sure).contains("2^-5000"));
    }
}
