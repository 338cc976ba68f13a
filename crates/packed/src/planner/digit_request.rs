//! Parameters that take large inputs digit by digit: for signs, and tables of the most significant digit.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};
use rayon::prelude::*;

use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_DIGITS_MODULUS;
use crate::planner::digit_choice::Evaluation;
use crate::planner::matrix_choice::choose_primes_and_matrices;
use crate::planner::request::{Request, surer};

/// Bits of the largest digits that are tried: larger ones have polynomials that cost more than another digit.
const DIGIT_BITS: std::ops::RangeInclusive<u32> = 3..=9;

impl Parameters {
    /// The fastest parameters of at least 128 bits that take inputs modulo 2^`bits` digit by digit, for tables from the most
    /// significant digit to the request's output modulus, as the sign is with 2 ([`crate::EvaluationKey::sign`]). The
    /// request's input modulus counts for nothing.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Request};
    /// let parameters = Parameters::for_digits(21, &Request::new(2, 2))?;
    /// assert_eq!(parameters.input_modulus(), 1 << 21);
    /// assert_eq!(parameters.literal().digits.iter().product::<u64>(), 1 << 21);
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert!(parameters.failure_probability().log2() <= -64.0);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of range, or no digits serve within the memory limit: names what is needed.
    pub fn for_digits(bits: u32, request: &Request) -> Result<Self> {
        let (least, most) = (2 * *DIGIT_BITS.start(), MAX_DIGITS_MODULUS.ilog2());
        let (name, value) = ("bits of values that are taken digit by digit", u64::from(bits));
        if bits < least {
            return Err(Error::TooSmall { name, value, limit: least.into() });
        }
        if bits > most {
            return Err(Error::TooLarge { name, value, limit: most.into() });
        }
        Request { input_modulus: 2, ..*request }.check()?;
        let request = Request { input_modulus: 1 << bits, ..*request };
        let counts = bits.div_ceil(*DIGIT_BITS.end()).max(2)..=bits / DIGIT_BITS.start();
        let lists: Vec<Vec<u64>> = counts.map(|count| even_digits(bits, count)).collect();
        let found: Vec<Result<Self>> = lists
            .into_par_iter()
            .map(|digits| {
                choose_primes_and_matrices(&request, Evaluation::Digits(&digits), |_| Ok(()))
            })
            .collect();
        fastest(found, request.memory)
    }
}

/// Digits of a number of bits, as even as possible; the most significant are the largest.
pub(crate) fn even_digits(bits: u32, count: u32) -> Vec<u64> {
    (0..count).rev().map(|i| 1 << (bits / count + u32::from(i < bits % count))).collect()
}

/// The fastest parameters within a memory limit.
pub(crate) fn fastest(found: Vec<Result<Parameters>>, memory: Option<usize>) -> Result<Parameters> {
    let (mut best, mut least, mut last) = (None, usize::MAX, None);
    for parameters in found {
        let parameters = match parameters {
            Ok(parameters) => parameters,
            Err(error) => {
                last = Some(surer(last, error));
                continue;
            }
        };
        let prediction = parameters.prediction();
        least = least.min(prediction.peak_bytes());
        if memory.is_some_and(|limit| prediction.peak_bytes() > limit) {
            continue;
        }
        let seconds = CostModel::default().seconds(&prediction.work);
        if best.as_ref().is_none_or(|&(fastest, _)| seconds < fastest) {
            best = Some((seconds, parameters));
        }
    }
    let nothing = || match memory {
        Some(limit) if least < usize::MAX => Error::Memory { needed: least, limit },
        _ => last.unwrap_or_else(|| Error::Unsupported("digits of no number".into())),
    };
    best.map(|(_, parameters)| parameters).ok_or_else(nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_even_and_the_last_ones_largest() {
        assert_eq!(even_digits(21, 3), [1 << 7; 3]);
        assert_eq!(even_digits(32, 5), [1 << 6, 1 << 6, 1 << 6, 1 << 7, 1 << 7]);
        assert_eq!(even_digits(7, 2), [8, 16]);
    }
}
