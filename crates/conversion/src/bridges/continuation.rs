//! Operations that follow a packed lookup, on integers, radix integers and leveled values, and their requirements on
//! parameters.

use std::fmt::Debug;

use cryptable_fhew::integers::{self, Function, MAX_RADIX_DIGITS, RADIX_BASE};
use cryptable_lattice::cost::Work;
use cryptable_lattice::error::out_of_range;
use cryptable_lattice::{Error, FailureProbability, NoiseBound, Result};
use cryptable_leveled::cost::CircuitBootstrappingCost;
use cryptable_leveled::lookup as leveled;
use cryptable_leveled::parameters::ParameterSet;
use cryptable_leveled::tree::TreeShape;

use super::Target;

/// Modulus of the digits of leveled values: digits of two bits, both of whose selectors one rotation creates.
const LEVELED_DIGIT: u64 = 4;

/// Largest modulus of small values that are packed.
const MAX_SMALL_MODULUS: u64 = 16;

/// Results that are packed again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Returned {
    /// Modulus of each packed ciphertext.
    pub modulus: u64,
    /// Number of ciphertexts per result, one per digit.
    pub digits: usize,
    /// Noise under the ring secret, before they are packed.
    pub noise: NoiseBound,
    /// Work of preparing one result for packing.
    pub work: Work,
}

/// Largest number of bits of the outputs of packed lookups.
const MAX_PACKED_BITS: u32 = 24;

/// Operation on every value that a packed lookup produced and a bridge extracted.
pub trait Continuation: Clone + Debug {
    /// Parameters of the engine that executes it.
    type Target: Target;

    /// Returns the name for people.
    fn name(&self) -> &'static str;

    /// Returns the output modulus of the packed lookup.
    fn output_modulus(&self) -> u64;

    /// Returns the number of tables of the packed lookup: one per digit that is extracted.
    fn tables(&self) -> usize;

    /// Returns parameters with which one value fails with a probability of about 2^`log2_fail`: the fastest first,
    /// followed by slower ones with less noise.
    ///
    /// # Errors
    /// If there are none.
    fn candidates(&self, log2_fail: f64) -> Result<Vec<Self::Target>>;

    /// Returns INSECURE parameters for tests, in the same order.
    ///
    /// # Errors
    /// If there are none.
    fn insecure_toys(&self) -> Result<Vec<Self::Target>>;

    /// Returns log2 of the probability that one value goes wrong, including the decryption of its result, if its digits
    /// were extracted with this noise.
    ///
    /// # Errors
    /// If the operation does not accept such values.
    fn log2_fail(&self, target: &Self::Target, noise: NoiseBound) -> Result<f64>;

    /// Returns the work for one value with this noise.
    ///
    /// # Errors
    /// If functions of such values would fail too often.
    fn work(&self, target: &Self::Target, noise: NoiseBound) -> Result<Work>;

    /// Describes the results when they are packed. If a modulus is given, they must serve as inputs of tables.
    ///
    /// # Errors
    /// If they cannot be packed.
    fn returned(&self, target: &Self::Target, input_modulus: Option<u64>) -> Result<Returned>;
}

/// A function of whole integers in two's complement, which are outputs of the packed lookup modulo 2^bits.
///
/// Differences must fit for comparisons and maxima, which is the case for values with one bit less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// Number of bits including the sign, from 4 to 24.
    pub bits: u32,
    /// The function: [`Function::Sign`], [`Function::Absolute`] (maximum, ReLU) or [`Function::ToRadix`].
    pub function: Function,
}

impl Continuation for Integers {
    type Target = integers::Parameters;

    fn name(&self) -> &'static str {
        match self.function {
            Function::Sign => "sign or comparison of integers",
            Function::Absolute => "maximum or absolute value of integers",
            Function::ToRadix => "digits of integers",
            Function::ImportDigit | Function::ExportDigit => "tables of digits",
        }
    }

    fn output_modulus(&self) -> u64 {
        1 << self.bits.min(63)
    }

    fn tables(&self) -> usize {
        1
    }

    fn candidates(&self, log2_fail: f64) -> Result<Vec<Self::Target>> {
        if self.bits > MAX_PACKED_BITS {
            let limit = format!("outputs of packed lookups have at most {MAX_PACKED_BITS}");
            return Err(out_of_range("bits of an integer", self.bits.into(), limit));
        }
        integer_candidates(self.bits, log2_fail)
    }

    fn insecure_toys(&self) -> Result<Vec<Self::Target>> {
        Ok(vec![integers::Parameters::insecure_toy(self.bits)?])
    }

    fn log2_fail(&self, target: &Self::Target, noise: NoiseBound) -> Result<f64> {
        target.log2_fail_of(self.output_modulus(), noise)
    }

    fn work(&self, target: &Self::Target, noise: NoiseBound) -> Result<Work> {
        target.function_work(self.function, noise)
    }

    fn returned(&self, target: &Self::Target, input_modulus: Option<u64>) -> Result<Returned> {
        let digits = self.bits.div_ceil(RADIX_BASE.ilog2()) as usize;
        match self.function {
            Function::ToRadix => radix_digits(target, digits),
            Function::Sign => small_values(target, input_modulus.unwrap_or(2)),
            _ => Err(Error::Unsupported(format!(
                "packing results of {}: they are whole integers; only signs and digits can be packed",
                self.name()
            ))),
        }
    }
}

/// Radix integers with digits of three bits: the packed lookup has one table per digit, with outputs modulo 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixDigits {
    /// Number of digits, from 1 to 21.
    pub digits: usize,
}

impl Continuation for RadixDigits {
    type Target = integers::Parameters;

    fn name(&self) -> &'static str {
        "digits of radix integers"
    }

    fn output_modulus(&self) -> u64 {
        RADIX_BASE
    }

    fn tables(&self) -> usize {
        self.digits
    }

    fn candidates(&self, log2_fail: f64) -> Result<Vec<Self::Target>> {
        integer_candidates(self.whole_bits()?, log2_fail)
    }

    fn insecure_toys(&self) -> Result<Vec<Self::Target>> {
        Ok(vec![integers::Parameters::insecure_toy(self.whole_bits()?)?])
    }

    fn log2_fail(&self, target: &Self::Target, noise: NoiseBound) -> Result<f64> {
        let one = FailureProbability::from_log2(target.log2_fail_of(RADIX_BASE, noise)?);
        // The probability includes one operation on the digits.
        Ok(sum_log2([one.of_any(self.digits).log2(), target.log2_fail()]))
    }

    fn work(&self, target: &Self::Target, noise: NoiseBound) -> Result<Work> {
        Ok(target.function_work(Function::ImportDigit, noise)? * self.digits as f64)
    }

    fn returned(&self, target: &Self::Target, _: Option<u64>) -> Result<Returned> {
        radix_digits(target, self.digits)
    }
}

impl RadixDigits {
    /// Returns the number of bits of whole integers that the same parameters serve.
    fn whole_bits(self) -> Result<u32> {
        if !(1..=MAX_RADIX_DIGITS).contains(&self.digits) {
            let limit = format!("it must be from 1 to {MAX_RADIX_DIGITS}");
            return Err(out_of_range("number of digits", self.digits as u64, limit));
        }
        Ok((self.digits as u32 * RADIX_BASE.ilog2()).clamp(4, 24))
    }
}

/// A leveled lookup by circuit bootstrapping and a CMUX tree. Each table of the packed lookup computes one digit of two
/// bits of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeveledTable {
    /// Input modulus, from 2 to 2^24.
    pub input_modulus: u64,
    /// Output modulus, from 2 to 2^24.
    pub output_modulus: u64,
}

impl LeveledTable {
    fn request(self) -> leveled::Request {
        leveled::Request::new(self.input_modulus, self.output_modulus)
    }
}

impl Continuation for LeveledTable {
    type Target = leveled::Parameters;

    fn name(&self) -> &'static str {
        "leveled lookup"
    }

    fn output_modulus(&self) -> u64 {
        LEVELED_DIGIT
    }

    fn tables(&self) -> usize {
        bits_of(self.input_modulus).div_ceil(LEVELED_DIGIT.ilog2()) as usize
    }

    fn candidates(&self, log2_fail: f64) -> Result<Vec<Self::Target>> {
        let request = leveled::Request { log2_fail: Some(log2_fail), ..self.request() };
        let mut found = leveled::Parameters::candidates(&request)?;
        found.retain(|it| 1 << it.circuit_bootstrapping().bits_per_ciphertext() == LEVELED_DIGIT);
        if found.is_empty() {
            let what = format!("leveled values of {} bits in digits", bits_of(self.input_modulus));
            return Err(Error::Unsupported(what));
        }
        Ok(found)
    }

    fn insecure_toys(&self) -> Result<Vec<Self::Target>> {
        let (input, output) = (self.input_modulus, self.output_modulus);
        // The last set has the least noise.
        [ParameterSet::TwoBitDepth11, ParameterSet::TwoBitDepth117]
            .map(|set| leveled::Parameters::insecure_toy_of(set, input, output))
            .into_iter()
            .collect()
    }

    fn log2_fail(&self, target: &Self::Target, noise: NoiseBound) -> Result<f64> {
        let reading = target.log2_fail_of(LEVELED_DIGIT, noise)?;
        let digit = target.result_noise().log2_fail(LEVELED_DIGIT);
        let decryption = FailureProbability::from_log2(digit);
        let digits = target.ciphertexts_of(self.output_modulus);
        Ok(sum_log2([reading, decryption.of_any(digits).log2()]))
    }

    fn work(&self, target: &Self::Target, _: NoiseBound) -> Result<Work> {
        Ok(target.prediction().work)
    }

    fn returned(&self, target: &Self::Target, input_modulus: Option<u64>) -> Result<Returned> {
        let (width, digit) = (bits_of(self.output_modulus), LEVELED_DIGIT.ilog2());
        if input_modulus.is_some() && !width.is_multiple_of(digit) {
            let even = width.next_multiple_of(digit);
            return Err(Error::Unsupported(format!(
                "looking results of {width} bits up again: they come back in digits of {digit} bits; use tables of {even} \
                bits"
            )));
        }
        let circuit = target.circuit_bootstrapping();
        let digits = target.ciphertexts_of(self.output_modulus);
        let bits = LEVELED_DIGIT.ilog2() as usize;
        let digit =
            CircuitBootstrappingCost::of(circuit).lookup(TreeShape::new(circuit, bits, bits));
        let noise = target.exported_noise();
        Ok(Returned { modulus: LEVELED_DIGIT, digits, noise, work: digit * digits as f64 })
    }
}

/// Returns the parameters for this failure probability, followed by parameters that fail less often and thus have less
/// noise.
fn integer_candidates(bits: u32, log2_fail: f64) -> Result<Vec<integers::Parameters>> {
    let first = integers::Parameters::with_log2_fail(bits, log2_fail)?;
    let surer = integers::Parameters::with_log2_fail(bits, first.log2_fail() - 1.0).ok();
    Ok(std::iter::once(first).chain(surer).collect())
}

fn radix_digits(target: &integers::Parameters, digits: usize) -> Result<Returned> {
    let one = target.function_work(Function::ExportDigit, target.fresh_integer_noise())?;
    let noise = target.exported_noise(RADIX_BASE);
    Ok(Returned { modulus: RADIX_BASE, digits, noise, work: one * digits as f64 })
}

fn small_values(target: &integers::Parameters, modulus: u64) -> Result<Returned> {
    if !(2..=MAX_SMALL_MODULUS).contains(&modulus) {
        let reason =
            format!("signs are packed modulo 2 to {MAX_SMALL_MODULUS}, to be looked up again");
        return Err(Error::PlaintextModulus { modulus, reason });
    }
    let work = target.function_work(Function::ExportDigit, target.fresh_integer_noise())?;
    Ok(Returned { modulus, digits: 1, noise: target.exported_noise(modulus), work })
}

/// Returns the number of bits of values below a modulus.
fn bits_of(modulus: u64) -> u32 {
    (u64::BITS - modulus.saturating_sub(1).leading_zeros()).max(1)
}

/// Returns log2 of a sum of probabilities.
pub(super) fn sum_log2<const N: usize>(log2: [f64; N]) -> f64 {
    log2.into_iter().map(f64::exp2).sum::<f64>().log2()
}
