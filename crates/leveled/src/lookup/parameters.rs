//! Parameters of lookups bit by bit: a set of circuit bootstrapping, and the moduli of tables.

use crate::cmux_tree::MAX_INPUT_BITS;
use crate::digit_selectors::digit_count;
use crate::noise::CircuitNoise;
use crate::parameters::{CircuitParameters, LOG2_FAIL};
use cryptable_wire::{BodyReader, BodyWriter};

use super::{Prediction, width};
use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result};

/// Largest modulus of values.
pub(super) const MAX_MODULUS: u64 = 1 << MAX_INPUT_BITS;

/// Longest parameters of circuit bootstrapping.
const MAX_CIRCUIT_BYTES: u64 = 1 << 16;

/// Name of parameters that are none of the sets.
const OTHER: &str = "other";

/// Name of the toy.
const TOY: &str = "insecure toy";

/// All sets, by name.
fn sets() -> [(&'static str, CircuitParameters); 9] {
    [
        ("DIGITS_1", CircuitParameters::digits_1()),
        ("DIGITS_2", CircuitParameters::digits_2()),
        ("DIGITS_3", CircuitParameters::digits_3()),
        ("CMUX_1", CircuitParameters::set_1()),
        ("CMUX_2", CircuitParameters::set_2()),
        ("CMUX_3", CircuitParameters::set_3()),
        ("CMUX_4", CircuitParameters::set_4()),
        ("CMUX_5", CircuitParameters::set_5()),
        ("AES_128", CircuitParameters::aes_128()),
    ]
}

/// What parameters are chosen for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Input modulus p.
    pub input_modulus: u64,
    /// Output modulus P.
    pub output_modulus: u64,
    /// Name of the set, by [`Parameters::name`]; the fastest if `None`.
    pub set: Option<&'a str>,
    /// log2 of the largest failure probability of a value.
    pub log2_fail: f64,
}

impl Request<'_> {
    /// The fastest set with failures below 2^-64.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self { input_modulus, output_modulus, set: None, log2_fail: LOG2_FAIL }
    }
}

/// A set of circuit bootstrapping, and the moduli of the tables that it looks up. Immutable, cheap to clone.
///
/// With w the number of bits of the larger modulus, the stated failure probability holds for every table from at most
/// w bits to at most w bits, on fresh values and on results of such tables.
#[derive(Clone, Debug)]
pub struct Parameters {
    name: &'static str,
    circuit: CircuitParameters,
    input_modulus: u64,
    output_modulus: u64,
    log2_fail: f64,
}

impl Parameters {
    /// The fastest 128-bit parameters for the moduli of a table, failures below 2^-64 a value.
    ///
    /// # Errors
    /// As [`Parameters::candidates`].
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest 128-bit parameters for a request.
    ///
    /// # Errors
    /// As [`Parameters::candidates`].
    pub fn choose(request: &Request<'_>) -> Result<Self> {
        Ok(Self::candidates(request)?.swap_remove(0))
    }

    /// All sets that serve a request, the fastest first.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24, there is no set of that name, or none reaches the failure probability.
    pub fn candidates(request: &Request<'_>) -> Result<Vec<Self>> {
        let moduli = (request.input_modulus, request.output_modulus);
        let all: Result<Vec<Self>> = sets()
            .into_iter()
            .filter(|(name, _)| request.set.is_none_or(|set| set == *name))
            .map(|(name, circuit)| Self::assemble(name, circuit, moduli))
            .collect();
        let all = all?;
        if let (Some(set), true) = (request.set, all.is_empty()) {
            let names = sets().map(|(name, _)| name).join(", ");
            return Err(Error::Unsupported(format!("set {set}: there are {names}")));
        }
        let least = all.iter().map(Self::log2_fail).fold(f64::INFINITY, f64::min);
        let mut found: Vec<Self> =
            all.into_iter().filter(|set| set.log2_fail <= request.log2_fail).collect();
        if found.is_empty() {
            let limit = request.log2_fail;
            return Err(Error::FailureProbability { found: least, limit });
        }
        found.sort_by(|a, b| a.prediction().eval_units.total_cmp(&b.prediction().eval_units));
        Ok(found)
    }

    /// Toy parameters for tests, with two bits a ciphertext: not secure.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let moduli = (input_modulus, output_modulus);
        Self::assemble(TOY, CircuitParameters::insecure_toy_of_digits(), moduli)
    }

    fn assemble(
        name: &'static str,
        circuit: CircuitParameters,
        (input_modulus, output_modulus): (u64, u64),
    ) -> Result<Self> {
        for (name, value) in [("input modulus", input_modulus), ("output modulus", output_modulus)]
        {
            if value < 2 {
                return Err(Error::TooSmall { name, value, limit: 2 });
            }
            if value > MAX_MODULUS {
                return Err(Error::TooLarge { name, value, limit: MAX_MODULUS });
            }
        }
        let noise = CircuitNoise::new(&circuit);
        let bits = width(input_modulus.max(output_modulus));
        let digits = digit_count(bits, circuit.digit_bits()) as f64;
        // A chain of CMUXes that all choose 1 is the noisiest; any ciphertext of a value may be read wrong.
        let log2_fail = noise.log2_fail(noise.cmux(1.0) * bits as f64) + digits.log2();
        Ok(Self { name, circuit, input_modulus, output_modulus, log2_fail })
    }

    /// The set's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The numbers behind it.
    #[must_use]
    pub fn circuit(&self) -> &CircuitParameters {
        &self.circuit
    }

    /// Ciphertexts of a value of this modulus.
    pub(super) fn digits(&self, modulus: u64) -> usize {
        digit_count(width(modulus), self.circuit.digit_bits())
    }

    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Bits of the largest values that keep to the failure probability.
    #[must_use]
    pub fn max_bits(&self) -> usize {
        width(self.input_modulus.max(self.output_modulus))
    }

    /// log2 of the probability that a lookup of one value goes wrong, its input a result itself.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Estimated security in bits.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.circuit.security_bits()
    }

    /// Predicted time and memory of a lookup of one value.
    #[must_use]
    pub fn prediction(&self) -> Prediction {
        Prediction::of(self)
    }

    /// Canonical bytes, of which the digest names these parameters: both moduli, and the set.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = BodyWriter::new(&mut bytes);
        writer
            .u64(self.input_modulus)
            .and_then(|()| writer.u64(self.output_modulus))
            .and_then(|()| writer.bytes(&self.circuit.to_bytes()))
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads what [`Parameters::to_bytes`] wrote and validates it: 128 bits of security, unless they say that they
    /// are insecure.
    ///
    /// # Errors
    /// If the bytes are no parameters, or those are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = BodyReader::new(bytes);
        let moduli = (reader.u64("input modulus")?, reader.u64("output modulus")?);
        let circuit = reader.bytes("parameters of circuits", MAX_CIRCUIT_BYTES)?;
        reader.finish()?;
        let circuit = CircuitParameters::from_bytes(circuit)?;
        let toy = (TOY, CircuitParameters::insecure_toy_of_digits());
        let name = sets().into_iter().chain([toy]).find(|(_, set)| *set == circuit);
        Self::assemble(name.map_or(OTHER, |(name, _)| name), circuit, moduli)
    }

    /// BLAKE3 of [`Parameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for parameters in [
            Parameters::insecure_toy(100, 3).unwrap(),
            Parameters::choose(&Request::new(1 << 16, 1 << 12)).unwrap(),
        ] {
            let bytes = parameters.to_bytes();
            let read = Parameters::from_bytes(&bytes).unwrap();
            assert_eq!((read.to_bytes(), read.name()), (bytes.clone(), parameters.name()));
            assert_eq!(read.digest(), parameters.digest());
            for length in 0..bytes.len() {
                assert!(Parameters::from_bytes(&bytes[..length]).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn every_width_is_served_securely() {
        for bits in 1..=MAX_INPUT_BITS {
            let found = Parameters::candidates(&Request::new(1 << bits, 1 << bits)).unwrap();
            assert!(found.is_sorted_by_key(|set| set.prediction().eval_units), "{bits}");
            for set in &found {
                assert!(set.security_bits() >= 128.0 && set.log2_fail() <= -64.0, "{bits}");
                let digits = bits.div_ceil(set.circuit().digit_bits() as usize);
                assert_eq!((set.max_bits(), set.prediction().bootstraps), (bits, digits));
            }
            assert!(found.len() >= 5, "{bits}: {}", found.len());
        }
    }

    /// Two bits a rotation, wherever there are two.
    #[test]
    fn digits_are_faster() {
        let chosen =
            |bits: u32| Parameters::choose(&Request::new(1 << bits, 1 << bits)).unwrap().name();
        assert_eq!(
            [1, 2, 8, 9, 13, 14, 24].map(chosen),
            ["CMUX_1", "DIGITS_1", "DIGITS_1", "DIGITS_2", "DIGITS_2", "DIGITS_3", "DIGITS_3"]
        );
    }

    #[test]
    fn failures_grow_with_the_larger_modulus() {
        let log2_fail = |input, output| {
            let request =
                Request { set: Some("CMUX_1"), log2_fail: 0.0, ..Request::new(input, output) };
            Parameters::choose(&request).unwrap().log2_fail()
        };
        assert_eq!(log2_fail(1 << 6, 2).to_bits(), log2_fail(2, 1 << 6).to_bits());
        assert_eq!(log2_fail(33, 2).to_bits(), log2_fail(64, 64).to_bits());
        assert!(log2_fail(1 << 6, 2) + 1.0 < log2_fail(1 << 7, 2));
    }

    #[test]
    fn what_is_not_served_is_named() {
        let message = |request: &Request<'_>| Parameters::choose(request).unwrap_err().to_string();
        let unknown = Request { set: Some("CMUX_9"), ..Request::new(16, 16) };
        assert!(message(&unknown).contains("CMUX_5, AES_128"));
        assert!(message(&Request::new(1, 16)).contains("input modulus is 1"));
        assert!(message(&Request::new(16, (1 << 24) + 1)).contains("output modulus is 16777217"));
        let shallow = Request { set: Some("CMUX_1"), ..Request::new(1 << 20, 2) };
        assert!(message(&shallow).contains("2^-64"), "{}", message(&shallow));
        let sure = Request { log2_fail: -5000.0, ..Request::new(16, 16) };
        assert!(message(&sure).contains("2^-5000"));
    }
}
