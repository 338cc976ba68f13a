//! Chooses parameters for what a caller asks for.

use cryptable_ckks::overflow::bound_for;
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};

use crate::Table;
use crate::digit_choice::DigitChoice;
use crate::methods::exponential::{Exponential, ExponentialShape, Wave};
use crate::parameters::{DftLiteral, MultiplexerLiteral, Parameters, ParametersLiteral};
use crate::planner::plan;
use cryptable_lattice::error::{Error, Result};

/// The default failure probability: 2^-64 a value.
pub const DEFAULT_LOG2_FAIL: f64 = -64.0;

/// The failure probability of tables of more than 18 bits: 2^-40 a value.
pub const LARGE_TABLE_LOG2_FAIL: f64 = -40.0;

/// Numbers of digits that are tried: more of them leave room for more or larger primes.
const DIGITS: [usize; 8] = [2, 3, 4, 5, 6, 8, 12, 24];

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

/// Largest prime size that the 50-bit kernels take, with room for primes around the target.
const LARGEST_LOG2_SCALE: u32 = 49;

/// A packed method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// One trigonometric interpolation (Alexandru, Kim, Polyakov).
    Akp,
    /// A multiplexer tree over bits (Dumezy et al., Algorithm 5).
    Bmt,
    /// A multiplexer tree over larger digits (Dumezy et al., Algorithm 7).
    Cmt,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Akp, Self::Bmt, Self::Cmt];

    /// Its short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Akp => "akp",
            Self::Bmt => "bmt",
            Self::Cmt => "cmt",
        }
    }
}

/// What a caller needs parameters for.
///
/// ```
/// use cryptable_packed::{Parameters, Request};
/// let request = Request { ring_degree: Some(32768), ..Request::new(2, 2) };
/// let parameters = Parameters::choose(&request)?;
/// assert!(parameters.security_bits() >= 128.0);
/// assert!(parameters.failure().log2_fail() <= -64.0);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Input modulus p.
    pub input_modulus: u64,
    /// Output modulus P.
    pub output_modulus: u64,
    /// Ring degree; chosen if `None`.
    pub ring_degree: Option<usize>,
    /// How many values a ciphertext is to serve; all of the ring if `None`. Fewer than half of the
    /// ring degree make a lookup cheaper.
    pub count: Option<usize>,
    /// The method; the fastest within the memory limit if `None`.
    pub method: Option<Method>,
    /// Bits of the digits of a multiplexer tree; the fastest if `None`.
    pub digit_bits: Option<u32>,
    /// Most bytes of memory that a lookup may take.
    pub memory_limit: Option<usize>,
}

impl Request {
    /// A request for full ciphertexts of the default ring degree.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self {
            input_modulus,
            output_modulus,
            ring_degree: None,
            count: None,
            method: None,
            digit_bits: None,
            memory_limit: None,
        }
    }

    /// The ring degree asked for, or the default: one bit is served with the least latency at 2^15,
    /// everything else at 2^16.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.ring_degree.unwrap_or(if self.input_modulus == 2 { 1 << 15 } else { 1 << 16 })
    }

    /// The failure probability that is stated: 2^-64 a value, 2^-40 above 18 bits of input.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        if self.input_modulus > 1 << 18 { LARGE_TABLE_LOG2_FAIL } else { DEFAULT_LOG2_FAIL }
    }
}

impl Parameters {
    /// Parameters for one table, full packing, at the default ring degree.
    ///
    /// # Errors
    /// As [`Parameters::choose`].
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest parameters of at least 128 bits for a request, by predicted time.
    ///
    /// # Errors
    /// If a number is out of range, or no set reaches 128 bits and the stated failure probability within
    /// the memory limit.
    pub fn choose(request: &Request) -> Result<Self> {
        Ok(plan(request)?.swap_remove(0).parameters)
    }

    /// The parameters of one way to evaluate a request's table: fewest digits of keys first, and the
    /// largest primes that security allows.
    ///
    /// # Errors
    /// As [`Parameters::choose`].
    pub(crate) fn choose_primes(request: &Request, choice: Option<&DigitChoice>) -> Result<Self> {
        let degree = request.degree();
        let limit =
            max_log2_modulus(degree, SecretDistribution::UniformTernary).ok_or_else(|| {
                Error::Unsupported(format!(
                    "ring degree {degree}: no security table entry (use 32768 or 65536)"
                ))
            })?;
        let mut last = Error::Unsupported(format!(
            "input modulus {} and output modulus {} at ring degree {degree}: no modulus of {limit} bits",
            request.input_modulus, request.output_modulus
        ));
        if let Some(choice) = choice {
            let mut fits =
                DIGITS.iter().map(|&d| literal(request, d, LARGEST_LOG2_SCALE, Some(choice)));
            let literal = fits.find(|literal| literal.log2_modulus_bound() <= limit);
            return literal.map_or(Err(last), Self::new);
        }
        // Extra primes of the homomorphic DFTs buy precision where security forces small primes.
        let tries = DIGITS.iter().flat_map(|&d| [(d, 0), (d, 1), (d, 2)]);
        for (digits, extra_primes) in tries {
            for log2_scale in (32..=LARGEST_LOG2_SCALE).rev() {
                let mut literal = literal(request, digits, log2_scale, None);
                literal.slots_to_coeffs.primes += extra_primes.min(1);
                literal.coeffs_to_slots.primes += extra_primes / 2;
                if literal.log2_modulus_bound() > limit {
                    continue;
                }
                // Smaller primes only lose precision from here on.
                match Self::new(literal) {
                    Ok(parameters) => return Ok(parameters),
                    Err(error) => last = error,
                }
                break;
            }
        }
        Err(last)
    }

    /// A toy set at ring degree 1024, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a modulus is out of range.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Self::insecure_toy_of(input_modulus, output_modulus, 1024, 1024)
    }

    /// A toy set of AKP for any ring degree and packing, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_of(
        input_modulus: u64,
        output_modulus: u64,
        degree: usize,
        slots: usize,
    ) -> Result<Self> {
        Self::new_insecure(Self::insecure_literal(
            input_modulus,
            output_modulus,
            degree,
            slots,
            None,
        ))
    }

    /// A toy set of a multiplexer tree, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_tree(
        output_modulus: u64,
        degree: usize,
        slots: usize,
        multiplexer: MultiplexerLiteral,
        wave_cleanings: u32,
    ) -> Result<Self> {
        let input_modulus = multiplexer.digits.iter().product();
        let choice = DigitChoice { multiplexer, wave_cleanings, extra_primes: [0, 0] };
        let literal =
            Self::insecure_literal(input_modulus, output_modulus, degree, slots, Some(&choice));
        Self::new_insecure(literal)
    }

    /// The literal of a toy set.
    fn insecure_literal(
        input_modulus: u64,
        output_modulus: u64,
        degree: usize,
        slots: usize,
        choice: Option<&DigitChoice>,
    ) -> ParametersLiteral {
        let request = Request {
            ring_degree: Some(degree),
            count: Some(slots),
            ..Request::new(input_modulus, output_modulus)
        };
        let mut literal = literal(&request, 2, LARGEST_LOG2_SCALE, choice);
        literal.name = format!("insecure_{}", literal.name);
        literal
    }
}

fn literal(
    request: &Request,
    digits: usize,
    log2_scale: u32,
    choice: Option<&DigitChoice>,
) -> ParametersLiteral {
    let log2_scale = f64::from(log2_scale);
    let Request { input_modulus, output_modulus, count, .. } = *request;
    let degree = request.degree();
    let slots = count.unwrap_or(degree).next_power_of_two().clamp(8.min(degree), degree);
    let levels = (slots.max(2) / 2).trailing_zeros();
    let dft = |extra_primes| DftLiteral {
        stages: split_levels(levels),
        primes: split_levels(levels).len().min(2) + extra_primes,
        baby_steps: 8,
    };
    let extra_primes = choice.map_or([0, 0], |choice| choice.extra_primes);
    let exponential = match choice {
        Some(choice) => choice.exponential(SPARSE_WEIGHT, output_modulus, request.log2_fail()),
        None => akp_exponential(input_modulus, output_modulus),
    };
    let (input_bits, output_bits) =
        (input_modulus.next_power_of_two().ilog2(), output_modulus.next_power_of_two().ilog2());
    let log2_ciphertext_modulus = match choice {
        Some(_) => (output_bits.max(input_bits) + 20).min(48),
        None => (output_bits.max(input_modulus.ilog2()) + 20).min(32),
    };
    let method = choice.map_or_else(|| "akp".into(), DigitChoice::name);
    ParametersLiteral {
        name: format!("{method}_{input_modulus}_to_{output_modulus}_n{degree}_s{slots}"),
        ring_degree: degree,
        input_modulus,
        output_modulus,
        slots,
        log2_scale,
        log2_special: 50.0,
        digits,
        coeffs_to_slots: dft(extra_primes[0]),
        slots_to_coeffs: dft(extra_primes[1]),
        chebyshev_log_length: exponential.log_length,
        chebyshev_log_babies: exponential.log_babies,
        doublings: exponential.doublings,
        wave_cleanings: exponential.cleanings,
        multiplexer: choice.map(|choice| choice.multiplexer.clone()),
        log_babies: input_modulus.next_power_of_two().trailing_zeros().div_ceil(2).clamp(1, 5),
        constant_bits: if input_modulus == 2 { 0.0 } else { log2_scale / 2.0 },
        log2_ciphertext_modulus,
        sparse_weight: SPARSE_WEIGHT,
        log2_fail: request.log2_fail(),
    }
}

/// The exponential of AKP: its error, amplified by up to p/3, may take 1/64 of half an output step.
fn akp_exponential(input_modulus: u64, output_modulus: u64) -> ExponentialShape {
    let wave = if input_modulus == 2 { Wave::Cosine } else { Wave::Exponential };
    let amplification = 1.0 + input_modulus as f64 / 3.0;
    let tolerance = 0.5 / output_modulus as f64 / amplification / 64.0;
    let bound = bound_for(SPARSE_WEIGHT, DEFAULT_LOG2_FAIL - 1.0);
    Exponential::choose(wave, bound, tolerance, 0)
}

/// Butterfly levels in matrices of at most five levels each, as even as possible.
fn split_levels(levels: u32) -> Vec<u32> {
    let count = levels.div_ceil(5).max(1);
    (0..count).map(|i| levels / count + u32::from(i < levels % count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_split_evenly() {
        assert_eq!(split_levels(15), [5, 5, 5]);
        assert_eq!(split_levels(14), [5, 5, 4]);
        assert_eq!(split_levels(9), [5, 4]);
        assert_eq!(split_levels(2), [2]);
    }
}
