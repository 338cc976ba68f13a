//! Parameters that process large inputs digit by digit, for signs and tables of the most significant digit.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result, check_within};
use rayon::prelude::*;

use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_DIGITS_MODULUS;
use crate::planner::digit_choice::even_digits;
use crate::planner::literals::Evaluation;
use crate::planner::matrix_choice::choose_primes_and_matrices;
use crate::planner::request::{Request, surer};

/// Bits of the largest digits that are tried: polynomials of larger ones cost more than another digit.
const DIGIT_BITS: std::ops::RangeInclusive<u32> = 3..=9;

impl Parameters {
    /// The fastest parameters of at least 128 bits that process inputs modulo 2^`bits` digit by digit, for tables from
    /// the most significant digit to the request's output modulus, such as the sign with 2
    /// ([`crate::EvaluationKey::sign`]). The request's input modulus is ignored; its bits of digits are those of the
    /// most significant digit, and no other digit has more.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Request};
    /// let parameters = Parameters::for_digits(21, &Request::new(2, 2))?;
    /// assert_eq!(parameters.input_modulus(), 1 << 21);
    /// assert_eq!(parameters.literal().digits.iter().product::<u64>(), 1 << 21);
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert!(parameters.failure_probability().log2() <= -64.0);
    /// let request = Request { digit_bits: Some(5), ..Request::new(2, 2) };
    /// assert_eq!(Parameters::for_digits(21, &request)?.literal().digits, [16, 16, 16, 16, 32]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of range, or no digits serve within the memory limit. The error names what is needed.
    pub fn for_digits(bits: u32, request: &Request) -> Result<Self> {
        check_bits(bits, 2 * DIGIT_BITS.start())?;
        let lists = match digit_bits(request)? {
            Some(most) => vec![digits_up_to(bits, most)],
            None => {
                let counts = bits.div_ceil(*DIGIT_BITS.end()).max(2)..=bits / DIGIT_BITS.start();
                counts.map(|count| even_digits(bits, count)).collect()
            }
        };
        fastest_digits(bits, lists, request)
    }

    /// Returns the parameters of [`Parameters::for_digits`] with a digit that ends after `floor` bits, so that
    /// [`crate::EvaluationKey::floor`] removes exactly those.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Request};
    /// let request = Request { digit_bits: Some(6), ..Request::new(2, 2) };
    /// let parameters = Parameters::for_floors(20, 12, &request)?;
    /// assert_eq!(parameters.literal().digits, [64, 64, 4, 64]);
    /// assert!(Parameters::for_floors(20, 20, &request).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Parameters::for_digits`]; [`Error::TooSmall`] or [`Error::TooLarge`] if `floor` is not from 1 to
    /// `bits - 1`.
    pub fn for_floors(bits: u32, floor: u32, request: &Request) -> Result<Self> {
        check_bits(bits, *DIGIT_BITS.start())?;
        check_within("bits that a floor removes", floor.into(), 1..=u64::from(bits) - 1)?;
        let sizes = digit_bits(request)?.map_or(DIGIT_BITS, |most| most..=most);
        let mut lists: Vec<Vec<u64>> = sizes
            .map(|most| [digits_up_to(floor, most), digits_up_to(bits - floor, most)].concat())
            .collect();
        lists.dedup();
        fastest_digits(bits, lists, request)
    }
}

/// Checks the number of bits of inputs that are processed digit by digit.
fn check_bits(bits: u32, least: u32) -> Result<()> {
    let (name, value) = ("bits of values that are taken digit by digit", u64::from(bits));
    let most = MAX_DIGITS_MODULUS.ilog2();
    check_within(name, value, u64::from(least)..=u64::from(most))
}

/// The bits of digits that a request states, if it does.
fn digit_bits(request: &Request) -> Result<Option<u32>> {
    let Some(bits) = request.digit_bits else { return Ok(None) };
    let [least, most] = [DIGIT_BITS.start(), DIGIT_BITS.end()].map(|&bits| u64::from(bits));
    check_within("bits of a digit", bits.into(), least..=most)?;
    Ok(Some(bits))
}

/// The fastest parameters with one of these lists of digits.
fn fastest_digits(bits: u32, lists: Vec<Vec<u64>>, request: &Request) -> Result<Parameters> {
    // Digits are those of the lists, and have other limits than digits of trees.
    Request { input_modulus: 2, digit_bits: None, ..*request }.check()?;
    let request = Request { input_modulus: 1 << bits, digit_bits: None, ..*request };
    let found: Vec<Result<Parameters>> = lists
        .into_par_iter()
        .map(|digits| choose_primes_and_matrices(&request, Evaluation::Digits(&digits), |_| Ok(())))
        .collect();
    fastest(found, request.memory)
}

/// Digits of values of `bits` bits: the last one has `most` bits, or `bits` if that is less; the others are as even as
/// possible and no larger.
pub(crate) fn digits_up_to(bits: u32, most: u32) -> Vec<u64> {
    let last = most.min(bits);
    let rest = bits - last;
    let mut digits = even_digits(rest, rest.div_ceil(most));
    digits.push(1 << last);
    digits
}

/// Returns the fastest parameters within a memory limit.
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
        _ => last.unwrap_or_else(|| Error::Unsupported("an empty list of digits".into())),
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
        assert_eq!(digits_up_to(21, 6), [32, 32, 32, 64]);
        assert_eq!(digits_up_to(21, 9), [64, 64, 512]);
        assert_eq!(digits_up_to(12, 6), [64, 64]);
        assert_eq!(digits_up_to(4, 6), [16]);
    }
}
