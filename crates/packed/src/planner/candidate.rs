//! A way to serve a request, with its predicted time and memory, and what parameters have to admit.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};

use crate::parameters::parameter_set::Parameters;
use crate::planner::request::{DigitInputs, Request};

/// By how much parameters in real slots have to be faster than others.
const LEAST_GAIN_OF_REAL_SLOTS: f64 = 1.05;

/// Parameters, and what a lookup of the request's tables is predicted to take.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub parameters: Parameters,
    /// On one thread of a machine of the default cost model: proportions are what counts.
    pub seconds: f64,
    pub peak_bytes: usize,
}

impl Candidate {
    pub(crate) fn new(request: &Request, parameters: Parameters) -> Self {
        let prediction = parameters.prediction_for(request.entries, request.tables);
        let seconds = CostModel::default().seconds(&prediction.work);
        Self { parameters, seconds, peak_bytes: prediction.peak_bytes() }
    }

    /// The better of candidates in complex and in real slots: those in real slots have to be faster by some percent, as their
    /// results have more noise.
    ///
    /// # Errors
    /// The errors of `complex` if there is neither.
    pub(crate) fn or_in_real_slots(
        request: &Request,
        complex: Result<Self>,
        real: Result<Self>,
    ) -> Result<Self> {
        let (Ok(found), Ok(real)) = (&complex, &real) else {
            return complex.or_else(|e| real.map_err(|_| e));
        };
        // Results in real slots have more noise, so that fewer lookups in a row may be of them.
        if admits_chain(request, &real.parameters).is_err() {
            return complex;
        }
        let least = Self { seconds: real.seconds * LEAST_GAIN_OF_REAL_SLOTS, ..real.clone() };
        if least.is_better(request, found) { Ok(real.clone()) } else { complex }
    }

    /// Whether it fits where the other does not, or is faster.
    pub(crate) fn is_better(&self, request: &Request, other: &Self) -> bool {
        let limit = request.memory.unwrap_or(usize::MAX);
        let key = |candidate: &Self| (candidate.peak_bytes > limit, candidate.seconds);
        key(self) < key(other)
    }
}

/// Most lookups in a row, each of the result of the one before.
pub(crate) fn lookups_in_a_row(parameters: &Parameters) -> u32 {
    parameters.sum_limits().lookups_in_a_row.unwrap_or(u32::MAX)
}

/// Checks that parameters look up all ciphertexts of a request, and as often in a row as it asks for.
///
/// # Errors
/// The errors of [`admits_digits`] and [`admits_chain`].
pub(crate) fn admits(request: &Request, parameters: &Parameters) -> Result<()> {
    admits_digits(request, parameters)?;
    admits_chain(request, parameters)
}

/// Checks that parameters admit as many lookups in a row as the request has.
///
/// # Errors
/// If it does not: [`Error::TooLarge`].
fn admits_chain(request: &Request, parameters: &Parameters) -> Result<()> {
    let wanted = request.lookups_in_a_row;
    let most = if wanted > 1 { lookups_in_a_row(parameters) } else { 1 };
    if most >= wanted {
        return Ok(());
    }
    let (name, value) = ("number of lookups in a row", wanted.into());
    Err(Error::TooLarge { name, value, limit: most.into() })
}

/// Checks that parameters look up the ciphertexts of digits that the request has.
///
/// # Errors
/// If they do not: [`Error::FailureProbability`], or those of other digits.
pub(crate) fn admits_digits(request: &Request, parameters: &Parameters) -> Result<()> {
    let Some(DigitInputs { modulus, noise }) = request.digit_inputs else { return Ok(()) };
    let (mut ciphertexts, mut product) = (0, 1);
    while product < request.input_modulus {
        product = modulus.max(2).saturating_mul(product);
        ciphertexts += 1;
    }
    let widths = parameters.digits_of_inputs(modulus, ciphertexts)?;
    let inputs: Vec<_> = widths.into_iter().map(|digits| (noise, digits)).collect();
    let found = parameters.lookup_digits_log2_fail(&inputs);
    let limit = parameters.stated_log2_fail();
    if found > limit {
        return Err(Error::FailureProbability { found, limit });
    }
    Ok(())
}
