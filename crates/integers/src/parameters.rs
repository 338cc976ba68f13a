//! Parameters of engines for digits of a given size.

use cryptable_lattice::error::Error;
use cryptable_lattice::{FailureProbability, Result};
use cryptable_packed::{CostModel, HermiteOrder, Method, Parameters, ParametersLiteral, Request};

use crate::integer::{digit_bits, least_output_range};
use crate::noise_budget::NoiseBudget;

/// Largest number of bits of a digit: with more, tables of two digits would have more than 10 bits.
const MAX_DIGIT_BITS: u32 = 5;

/// Number of bits of ciphertexts beyond those for lookups alone: the rounding errors of ciphertexts are also summed.
const EXTRA_CIPHERTEXT_BITS: u32 = 4;

/// Number of additional bits of the interpolation's constants if SlotsToCoeffs has one more prime.
const EXTRA_CONSTANT_BITS: f64 = 10.0;

/// Refinements of precision, the cheapest first: additional primes of SlotsToCoeffs and of CoeffsToSlots, and cleanings
/// of the exponential.
const REFINEMENTS: [(usize, usize, u32); 5] =
    [(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1)];

/// Factors on log2 of the failure probability for which parameters of single values are chosen.
const SURER: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0];

/// Baby steps of every matrix of CoeffsToSlots, and number of bits that all primes lose, for digits with room for a
/// carry only.
const OF_SUMS: [(Option<usize>, f64); 4] =
    [(None, 0.0), (Some(8), 0.0), (Some(8), 3.0), (Some(8), 6.0)];

/// Additional digits of keys that are tried, beyond those for lookups alone: more primes may need them, or be faster
/// with them.
const EXTRA_DNUM: std::ops::Range<usize> = 0..3;

/// Differences of outputs that tables may support, the largest first and at least as large as requested: any
/// difference, and the one that all operations need. Smaller ranges need interpolations of lower order.
fn output_ranges(modulus: u64, least: Option<u64>) -> Vec<Option<u64>> {
    let needed = Some(least_output_range(modulus));
    let needed = needed.filter(|&needed| least.is_none_or(|least| least <= needed));
    std::iter::once(None).chain(needed.map(Some)).collect()
}

/// Returns the modulus of digits of `digit_bits` bits: with room for two digits, or `wanted` if that leaves room for a
/// carry only.
fn modulus(digit_bits: u32, wanted: u64) -> Result<u64> {
    let (name, value) = ("bits of a digit", u64::from(digit_bits));
    match digit_bits {
        0 => Err(Error::TooSmall { name, value, limit: 1 }),
        1..=MAX_DIGIT_BITS if wanted == 2 << digit_bits && digit_bits.is_multiple_of(2) => {
            Ok(wanted)
        }
        1..=MAX_DIGIT_BITS => Ok(1 << (2 * digit_bits)),
        _ => Err(Error::TooLarge { name, value, limit: MAX_DIGIT_BITS.into() }),
    }
}

/// Finds parameters of packed values of at least 128 bits of security, for digits of 1 to 5 bits: tables of
/// `4^digit_bits` entries by AKP, the fastest of all orders of interpolation and precisions for which the sums that
/// operations need can be looked up without end. If the request's input modulus is `2^(digit_bits + 1)`, for 2 or 4
/// bits, digits have room for a carry only: sums and comparisons take half the time, products twice as much. A lookup
/// fails with at most the probability of the request, by default 2^-64 per ciphertext.
///
/// `request` determines everything else; its other moduli, method, order and number of lookups in a row do not matter.
/// Outputs of tables may differ by at least the range of the request. With `p/2 - 1`, merges use digits of base p/4,
/// and thresholds need fewer lookups. Other operations are faster with `2^(digit_bits + 1) - 1`, which all of them
/// need.
///
/// ```
/// use cryptable_integers::packed_parameters_for;
/// use cryptable_packed::Request;
/// let fastest = packed_parameters_for(3, &Request::new(4, 4))?;
/// assert_eq!((fastest.method_name().as_str(), fastest.output_range()), ("AKP-3", 15));
/// let for_merges = Request { output_range: Some(31), ..Request::new(64, 64) };
/// assert!(packed_parameters_for(3, &for_merges)?.output_range() >= 31);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
///
/// # Errors
/// If there are no such parameters.
pub fn packed_parameters_for(digit_bits: u32, request: &Request) -> Result<Parameters> {
    let modulus = modulus(digit_bits, request.input_modulus)?;
    if let Some(value) = request.output_range.filter(|&range| range >= modulus) {
        let (name, limit) = ("largest difference of two outputs of a table", modulus - 1);
        return Err(Error::TooLarge { name, value, limit });
    }
    fastest(modulus, request, |order, output_range| {
        Parameters::choose(&Request {
            input_modulus: modulus,
            output_modulus: modulus,
            method: Some(Method::Akp),
            order: Some(order),
            output_range,
            lookups_in_a_row: 1,
            ..*request
        })
    })
}

/// Returns a toy set of packed values at a ring degree of `places` places, at least 1024, for tests only: **insecure**.
/// Digits of four bits need 4096 places.
///
/// # Errors
/// If a number is out of range.
pub fn insecure_packed_toy(digit_bits: u32, places: usize) -> Result<Parameters> {
    insecure_packed_toy_of(modulus(digit_bits, 0)?, places)
}

/// Returns a toy set like [`insecure_packed_toy`] for digits of this modulus.
#[doc(hidden)]
pub fn insecure_packed_toy_of(modulus: u64, places: usize) -> Result<Parameters> {
    fastest(modulus, &Request::new(modulus, modulus), |order, _| {
        let degree = places.max(1024);
        Parameters::insecure_toy_of_order(modulus, modulus, degree, places, order)
    })
}

/// Returns the fastest refinement of parameters of any order that admits the sums that operations need, within the
/// request's memory limit, if there is one.
fn fastest(
    modulus: u64,
    request: &Request,
    of_order: impl Fn(HermiteOrder, Option<u64>) -> Result<Parameters>,
) -> Result<Parameters> {
    let limit = request.memory.unwrap_or(usize::MAX);
    let mut best: Option<((bool, f64), Parameters)> = None;
    let mut last = Error::Unsupported(format!("digits modulo {modulus}: no order was tried"));
    let ranges = output_ranges(modulus, request.output_range);
    for (range, order) in ranges.iter().flat_map(|&it| HermiteOrder::ALL.map(|order| (it, order))) {
        let found = of_order(order, range).map(|base| refinements(base.literal(), range));
        let literals = found.unwrap_or_else(|error| {
            last = error;
            Vec::new()
        });
        for literal in literals {
            let serves = Parameters::new(literal).and_then(|parameters| {
                NoiseBudget::new(&parameters)?;
                Ok(parameters)
            });
            match serves {
                Ok(parameters) => {
                    let prediction = parameters.prediction_of(2);
                    let seconds = CostModel::default().seconds(&prediction.work);
                    let rank = (prediction.peak_bytes() > limit, seconds);
                    if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                        best = Some((rank, parameters));
                    }
                }
                Err(error) => last = error,
            }
        }
    }
    best.map(|(_, parameters)| parameters).ok_or(last)
}

/// Refines the precision of a literal in several ways.
fn refinements(base: &ParametersLiteral, output_range: Option<u64>) -> Vec<ParametersLiteral> {
    let with_room = digit_bits(base.input_modulus) * 2 == base.input_modulus.ilog2();
    let of_sums = &OF_SUMS[..if with_room { 1 } else { OF_SUMS.len() }];
    let refined = |((slots_to_coeffs, coeffs_to_slots, cleanings), dnum, (babies, lost_bits))| {
        let mut literal = base.clone();
        if let Some(baby_steps) = babies {
            literal.coeffs_to_slots.matrix_babies.clear();
            literal.coeffs_to_slots.baby_steps = baby_steps;
            literal.log2_scale -= lost_bits;
            literal.constant_bits -= lost_bits / 2.0;
        }
        literal.name = format!("{}_integers", base.name);
        literal.output_range = output_range;
        literal.log2_ciphertext_modulus += EXTRA_CIPHERTEXT_BITS;
        literal.slots_to_coeffs.primes += slots_to_coeffs;
        literal.coeffs_to_slots.primes += coeffs_to_slots;
        literal.exponential_cleanings += cleanings;
        if slots_to_coeffs > 0 {
            literal.constant_bits += EXTRA_CONSTANT_BITS;
        }
        literal.dnum += dnum;
        // The base's numbers are for its number of limbs.
        literal.relinearization.clear();
        literal
    };
    let all = REFINEMENTS.iter().flat_map(|&it| EXTRA_DNUM.map(move |dnum| (it, dnum)));
    let all = all.flat_map(|(it, dnum)| of_sums.iter().map(move |&of_sums| (it, dnum, of_sums)));
    all.map(refined).collect()
}

/// Calls [`packed_parameters_for`] with full ciphertexts and failure probabilities below 2^-64.
///
/// # Errors
/// If the digits are too large.
pub fn packed_parameters(digit_bits: u32) -> Result<Parameters> {
    packed_parameters_for(digit_bits, &Request::new(4, 4))
}

/// Calls [`single_parameters_for`] with failure probabilities below 2^-64.
///
/// # Errors
/// If there are no such parameters.
pub fn single_parameters(digit_bits: u32) -> Result<cryptable_fhew::lookup::Parameters> {
    single_parameters_for(digit_bits, FailureProbability::DEFAULT.log2())
}

/// Finds parameters of single values of at least 128 bits of security, for digits of 1 to 3 bits: the fastest method
/// that looks up sums of `2^digit_bits + 1` results with a failure probability of at most 2^`stated` per value. Its
/// numbers are chosen for smaller probabilities, which leaves room for sums.
///
/// # Errors
/// If there are no such parameters.
pub fn single_parameters_for(
    digit_bits: u32,
    stated: f64,
) -> Result<cryptable_fhew::lookup::Parameters> {
    let modulus = modulus(digit_bits, 0)?;
    let mut last = None;
    for factor in SURER {
        let log2_fail = Some(factor * stated);
        let request = cryptable_fhew::lookup::Request {
            log2_fail,
            ..cryptable_fhew::lookup::Request::new(modulus, modulus)
        };
        let candidates = cryptable_fhew::lookup::Parameters::candidates(&request);
        let candidates = match candidates {
            Ok(candidates) => candidates,
            // Smaller probabilities cannot be reached, either.
            Err(error) => return Err(last.unwrap_or(error)),
        };
        for found in candidates {
            let found = found.stating(stated)?;
            match NoiseBudget::new(&found) {
                Ok(_) => return Ok(found),
                Err(error) => last = Some(error),
            }
        }
    }
    Err(last.expect("candidates are not empty"))
}
