//! AKP for few values under a secret of blocks, at half the ring degree. Phases are exponentiated by products over the
//! blocks, in place of CoeffsToSlots and a series. Work grows with the number of values, since values and blocks share
//! the slots.

use cryptable_ckks::bootstrapping::exponential::ExponentialShape;
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::literal::{BlockSecretLiteral, DftLiteral, ParametersLiteral};
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::parameter_set::Parameters;
use crate::planner::key_choice::weighted;
use crate::planner::literals::{Evaluation, literal};
use crate::planner::prime_choice::largest_primes;
use crate::planner::request::{Method, Request};

/// The secret whose security the tables contain: the least dimension, and the number of blocks that meet-in-the-middle
/// attacks require. The prime is below 2^29.
const SECRET: BlockSecretLiteral =
    BlockSecretLiteral { dimension: 2048, blocks: 128, log2_prime: 28.99 };

/// Ring degree: all levels fit, and everything costs half of what it costs at twice the degree.
const DEGREE: usize = 1 << 15;

/// Maximum number of values: with more, plaintexts take longer than CoeffsToSlots.
const MAX_VALUES: usize = 1 << 10;

/// Returns the literal with a secret of blocks in place of CoeffsToSlots and a series.
pub(crate) fn with_block_secret(
    literal: ParametersLiteral,
    secret: BlockSecretLiteral,
) -> ParametersLiteral {
    ParametersLiteral {
        name: format!("{}_blocks{}", literal.name, secret.blocks),
        trace_halvings: TraceHalvings::default(),
        coeffs_to_slots: DftLiteral::default(),
        raising_matrix: false,
        block_secret: Some(secret),
        ..literal
    }
    .with_exponential(ExponentialShape::default())
}

/// Returns whether a secret of blocks may serve a request. The request must state the ring degree.
fn may_serve(request: &Request) -> bool {
    request.ring_degree == Some(DEGREE)
        && request.method.is_none_or(|method| method == Method::Akp)
        && request.count.is_some_and(|count| count <= MAX_VALUES)
        && request.entries == EntryKind::Shared
        && request.input_modulus > 2
        && request.digit_bits.is_none()
        && !request.complex_outputs
        && request.hidden_bits.is_none()
        && request.owners.is_one()
}

/// Returns `found`, or parameters for few values with an interpolation of this order that pass `check`: if there are
/// both, the better one by time and key bytes within the request's memory limit.
///
/// # Errors
/// The error of `found`, if there are no parameters for few values.
pub(crate) fn or_of_few_values(
    request: &Request,
    order: HermiteOrder,
    found: Result<Parameters>,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Result<Parameters> {
    let limit = request.memory.unwrap_or(usize::MAX);
    let rank = |parameters: &Parameters| {
        let prediction = parameters.prediction_of(request.tables);
        (prediction.peak_bytes() > limit, weighted(&prediction))
    };
    match (of_few_values(request, order, check), found) {
        (Ok(few), Ok(found)) => Ok(if rank(&few) < rank(&found) { few } else { found }),
        (Ok(few), Err(_)) => Ok(few),
        (Err(_), found) => found,
    }
}

/// Chooses parameters for few values with an interpolation of this order that pass `check`.
///
/// # Errors
/// If there are too many values, or the request has other options that a secret of blocks does not serve; if no primes
/// serve.
fn of_few_values(
    request: &Request,
    order: HermiteOrder,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Result<Parameters> {
    if !may_serve(request) {
        return Err(Error::Unsupported("a secret of blocks for this request".into()));
    }
    let limit = max_log2_modulus(DEGREE, SecretDistribution::UniformTernary)
        .expect("the tables know the degree");
    let base = with_block_secret(literal(request, Evaluation::Akp(order)), SECRET);
    largest_primes(limit, &base, check)?
        .ok_or_else(|| Error::Unsupported("a secret of blocks: primes have no room".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_with_scales_beyond_numbers_are_refused() {
        // Security leaves 32 bits per prime, and the first scale is off by a quarter of a bit, which 12 levels multiply
        // by 2^12.
        let (ring_degree, count) = (Some(DEGREE), Some(MAX_VALUES));
        let request = Request { ring_degree, count, ..Request::new(1 << 12, 1 << 12) };
        let of = |order| of_few_values(&request, order, |_| Ok(()));
        let errors = HermiteOrder::ALL.map(|order| of(order).unwrap_err());
        assert!(matches!(errors[0], Error::FailureProbability { found: 0.0, .. }), "{errors:?}");
    }
}
