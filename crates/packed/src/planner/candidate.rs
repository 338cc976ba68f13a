//! Candidates for serving a request, with predicted time and memory, and checks that parameters admit the request.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};

use crate::parameters::parameter_set::Parameters;
use crate::planner::request::{DigitInputs, Request};

/// Factor by which parameters in real slots must be faster than others.
const LEAST_GAIN_OF_REAL_SLOTS: f64 = 1.05;

/// Parameters, and the predicted costs of a lookup of the request's tables.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub parameters: Parameters,
    /// Time on one thread of a machine of the default cost model. Only proportions between candidates matter.
    pub seconds: f64,
    pub peak_bytes: usize,
}

impl Candidate {
    pub(crate) fn new(request: &Request, parameters: Parameters) -> Self {
        let prediction = parameters.prediction_for(request.entries, request.tables);
        let seconds = CostModel::default().seconds(&prediction.work);
        Self { parameters, seconds, peak_bytes: prediction.peak_bytes() }
    }

    /// Returns the better one of two candidates in complex and in real slots. The one in real slots must be faster by
    /// some percent, since its results have more noise.
    ///
    /// # Errors
    /// The error of `complex` if both failed.
    pub(crate) fn or_in_real_slots(
        request: &Request,
        complex: Result<Self>,
        real: Result<Self>,
    ) -> Result<Self> {
        let (Ok(found), Ok(real)) = (&complex, &real) else {
            return complex.or_else(|e| real.map_err(|_| e));
        };
        // Results in real slots have more noise, so that fewer lookups in a row may be possible.
        if admits_chain(request, &real.parameters).is_err() {
            return complex;
        }
        let least = Self { seconds: real.seconds * LEAST_GAIN_OF_REAL_SLOTS, ..real.clone() };
        if least.is_better(request, found) { Ok(real.clone()) } else { complex }
    }

    /// Whether the candidate fits in memory where the other does not, or is faster.
    pub(crate) fn is_better(&self, request: &Request, other: &Self) -> bool {
        let limit = request.memory.unwrap_or(usize::MAX);
        let key = |candidate: &Self| (candidate.peak_bytes > limit, candidate.seconds);
        key(self) < key(other)
    }
}

/// The maximum number of lookups in a row, each on the result of the one before.
pub(crate) fn lookups_in_a_row(parameters: &Parameters) -> u32 {
    parameters.sum_limits().lookups_in_a_row.unwrap_or(u32::MAX)
}

/// Checks that parameters can look up all ciphertexts of a request, and admit its number of lookups in a row.
///
/// # Errors
/// The errors of [`admits_digits`] and [`admits_chain`].
pub(crate) fn admits(request: &Request, parameters: &Parameters) -> Result<()> {
    admits_digits(request, parameters)?;
    admits_chain(request, parameters)
}

/// Checks that parameters admit the request's number of lookups in a row.
///
/// # Errors
/// [`Error::TooLarge`] if they do not.
fn admits_chain(request: &Request, parameters: &Parameters) -> Result<()> {
    let wanted = request.lookups_in_a_row;
    let most = if wanted > 1 { lookups_in_a_row(parameters) } else { 1 };
    if most >= wanted {
        return Ok(());
    }
    let (name, value) = ("number of lookups in a row", wanted.into());
    Err(Error::TooLarge { name, value, limit: most.into() })
}

/// Checks that parameters can look up the request's ciphertexts of digits.
///
/// # Errors
/// [`Error::FailureProbability`] if lookups would fail too often; the errors of [`Parameters::digits_of_inputs`].
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
