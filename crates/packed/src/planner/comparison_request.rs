//! Parameters for comparisons and selections of packed integers.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::error::{Result, check_within};
use rayon::prelude::*;

use crate::comparison::operation::Operation;
use crate::comparison::slot_selection::MOST_SIGNS;
use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_DIGITS_MODULUS;
use crate::planner::digit_request::{digits_up_to, fastest};
use crate::planner::literals::Evaluation;
use crate::planner::matrix_choice::choose_primes_and_matrices;
use crate::planner::request::Request;

/// Bits of the last digit that are tried. Other digits have at most the same number of bits.
const LAST_DIGIT_BITS: std::ops::RangeInclusive<u32> = 4..=8;

/// Least bits of integers: smaller integers are compared by a table.
const LEAST_BITS: u64 = 4;

impl Parameters {
    /// Returns the fastest parameters of at least 128 bits for comparisons, maxima and similar operations on integers
    /// of `bits` bits, signed or unsigned ([`crate::Operation`]).
    ///
    /// Inputs are modulo 2^(`bits` + 1), which includes a bit of headroom. No digit is larger than the last one, which
    /// holds the sign, and the noise model admits selecting digits by signs in slots. The failure probability of a
    /// request is that of a whole operation, for any operation ([`Parameters::operation_failure`]). The request's
    /// moduli are ignored; its bits of digits are those of the last digit.
    ///
    /// ```
    /// use cryptable_packed::{Operation, Parameters, Request};
    /// let parameters = Parameters::for_comparisons(32, &Request::new(2, 2))?;
    /// assert_eq!(parameters.input_modulus(), 1 << 33);
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert!(parameters.operation_failure(Operation::Maximum).log2() <= -64.0);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of range, or no digits serve within the memory limit. The error names what is needed.
    pub fn for_comparisons(bits: u32, request: &Request) -> Result<Self> {
        let most = MAX_DIGITS_MODULUS.ilog2() - 1;
        let name = "bits of integers that are compared, without headroom";
        check_within(name, bits.into(), LEAST_BITS..=u64::from(most))?;
        Request { input_modulus: 2, output_modulus: 2, ..*request }.check()?;
        if let Some(last) = request.digit_bits {
            // There is at least one other digit.
            let most = bits.min(*LAST_DIGIT_BITS.end());
            let name = "bits of a digit of integers that are compared";
            check_within(name, last.into(), 2..=u64::from(most))?;
        }
        let sizes = request.digit_bits.map_or(LAST_DIGIT_BITS, |bits| bits..=bits);
        let lists: Vec<Vec<u64>> = sizes.filter_map(|last| comparison_digits(bits, last)).collect();
        let found = lists.into_par_iter().map(|digits| choose(bits, request, &digits)).collect();
        let what = format!("an operation on a ciphertext of integers of {bits} bits");
        fastest(found, request.memory).map_err(|error| request.unreachable(what, error))
    }

    /// Checks that signs of differences may select every digit, and that equality may look up the sum of zero tests.
    fn admits_selection(&self) -> Result<()> {
        let largest = self.output_modulus();
        let fresh = self.fresh_noise(self.input_modulus());
        let all = 0..self.literal().digits.len();
        let of_digits = self.noise_of_digits(fresh + fresh, all.clone());
        let last = of_digits[of_digits.len() - 1];
        for &digit in &of_digits {
            self.checked_selection_noise(digit, last, MOST_SIGNS, largest)?;
        }
        let tests = of_digits.into_iter().map(|digit| self.checked_digit_noise(digit, largest));
        let tests = tests.collect::<Result<Vec<NoiseBound>>>()?;
        let sum = tests.into_iter().reduce(|sum, test| sum + test).expect("a digit");
        self.checked_digit_noise(sum, 2).map(|_| ())
    }
}

/// Chooses the parameters for one list of digits.
fn choose(bits: u32, request: &Request, digits: &[u64]) -> Result<Parameters> {
    let largest = digits[digits.len() - 1];
    let lookups = Operation::most_bootstraps(digits.len()) as f64;
    let request = Request {
        input_modulus: 1 << (bits + 1),
        output_modulus: largest,
        log2_fail: Some(request.log2_fail() - lookups.log2()),
        ..*request
    };
    let evaluation = Evaluation::Selecting(digits);
    choose_primes_and_matrices(&request, evaluation, Parameters::admits_selection)
}

/// Returns the digits of integers of `bits` bits and a sign: the last digit has `last` bits, the others are as even as
/// possible and no larger. `None` if there would be no other digits.
pub(crate) fn comparison_digits(bits: u32, last: u32) -> Option<Vec<u64>> {
    (last > 1 && bits >= last).then(|| digits_up_to(bits + 1, last))
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::error::Error;

    use super::*;

    #[test]
    fn digits_are_no_larger_than_the_last() {
        assert_eq!(comparison_digits(32, 7).unwrap(), [64, 64, 128, 128, 128]);
        assert_eq!(comparison_digits(12, 7).unwrap(), [64, 128]);
        assert_eq!(comparison_digits(8, 3).unwrap(), [8, 8, 8]);
        assert_eq!(comparison_digits(6, 7), None);
    }

    #[test]
    fn digits_of_every_place_must_be_selectable() {
        let parameters = Parameters::for_comparisons(32, &Request::new(2, 2)).unwrap();
        parameters.admits_selection().unwrap();
        let largest = parameters.output_modulus();
        let quiet = NoiseBound::new(0.0, 0.0);
        let one = parameters.checked_selection_noise(quiet, quiet, 1, largest).unwrap();
        let two = parameters.checked_selection_noise(quiet, quiet, 2, largest).unwrap();
        assert!(one.deviation() < two.deviation() && one.bias() <= two.bias());
        // Digits or signs that are nearly confused with others.
        let loud = NoiseBound::new(0.0, 0.4 / largest as f64);
        for (digit, sign) in [(loud, quiet), (quiet, loud)] {
            let error = parameters.checked_selection_noise(digit, sign, 1, largest).unwrap_err();
            assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
        }
    }
}
