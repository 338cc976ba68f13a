//! Choice of primes for one way to evaluate a table: the largest that security allows, for the fewest digits of keys.

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};

use crate::literal::ParametersLiteral;
use crate::parameters::parameter_set::Parameters;
use crate::planner::literals::{Evaluation, literal};
use crate::planner::request::{Request, surer};

/// Numbers of digits of keys (dnum) that are tried: more digits leave room for more or larger primes.
const DNUMS: [usize; 8] = [2, 3, 4, 5, 6, 8, 12, 24];

/// Largest log2 of primes for the 50-bit kernels, with room for primes around the target.
pub(crate) const LARGEST_LOG2_SCALE: u32 = 49;

/// Larger log2 of primes that are tried if no others serve, in the order of their noise.
const WIDE_LOG2_SCALES: [u32; 4] = [51, 53, 55, 57];

/// Largest ring degree at which wide primes are not tried, since a higher order of interpolation, or digits, take less
/// time.
const DEGREE_OF_NARROW_PRIMES: usize = 1 << 16;

/// Largest standard deviation of AKP's results, in half steps, for parameters that are preferred over others. Beyond
/// it, results stay within the failure probability, but only sums of few results do.
pub(crate) const LARGEST_DEVIATION: f64 = 1.0 / 64.0;

/// Chooses parameters that pass `check` for one way to evaluate a request's tables.
///
/// # Errors
/// If no primes provide both 128 bits of security and the failure probability; the errors of `check`.
pub(crate) fn choose_primes(
    request: &Request,
    evaluation: Evaluation<'_>,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Result<Parameters> {
    let degree = request.degree();
    let limit = max_log2_modulus(degree, SecretDistribution::UniformTernary).ok_or_else(|| {
        Error::Unsupported(format!(
            "ring degree {degree}: no security table entry (use 32768, 65536 or 131072)"
        ))
    })?;
    let mut last = Error::Unsupported(format!(
        "input modulus {} and output modulus {} at ring degree {degree}: primes would have more than the {limit} bits that \
         128-bit security allows; smaller outputs need fewer",
        request.input_modulus, request.output_modulus
    ));
    let base = literal(request, evaluation);
    if let Evaluation::Tree(_) = evaluation {
        let mut all = DNUMS.iter().map(|&dnum| base.with_primes(dnum, LARGEST_LOG2_SCALE));
        let fitting = all.find(|literal| literal.log2_modulus_bound() <= limit);
        let found = fitting.map_or(Err(last), Parameters::new)?;
        return check(&found).map(|()| found);
    }
    match largest_primes(limit, &base, &check) {
        Ok(Some(found)) => return Ok(found),
        Ok(None) => {}
        Err(error) => last = surer(Some(last), error),
    }
    match evaluation {
        Evaluation::Akp(_) if degree > DEGREE_OF_NARROW_PRIMES => {
            wide_primes(limit, &base, &check).ok_or(last)
        }
        _ => Err(last),
    }
}

/// Returns a literal with `dnum` digits of keys, primes of this size, and extra primes of the homomorphic DFTs, which
/// add precision if security forces small primes.
fn sized(
    base: &ParametersLiteral,
    dnum: usize,
    log2_scale: u32,
    extra_primes: usize,
) -> ParametersLiteral {
    let mut literal = base.with_primes(dnum, log2_scale);
    literal.slots_to_coeffs.primes += extra_primes.min(1);
    if literal.block_secret.is_none() {
        literal.coeffs_to_slots.primes += extra_primes / 2;
    }
    literal
}

/// Returns the parameters with the fewest digits of keys, and then with the largest primes, that fit in `limit` bits
/// and serve. None if no literal fits.
///
/// # Errors
/// If a literal fits, and none serves.
pub(crate) fn largest_primes(
    limit: f64,
    base: &ParametersLiteral,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Result<Option<Parameters>> {
    let (mut noisy, mut last) = (None, None);
    let tries = DNUMS.iter().flat_map(|&d| [(d, 0), (d, 1), (d, 2)]);
    for (dnum, extra_primes) in tries {
        for log2_scale in (32..=LARGEST_LOG2_SCALE).rev() {
            let literal = sized(base, dnum, log2_scale, extra_primes);
            if literal.log2_modulus_bound() > limit {
                continue;
            }
            // Smaller primes only lose precision from here on.
            let found = Parameters::new(literal).and_then(|found| check(&found).map(|()| found));
            match found {
                Ok(found) if found.failure().typical_ratio > LARGEST_DEVIATION => {
                    noisy = noisy.or(Some(found));
                }
                Ok(parameters) => return Ok(Some(parameters)),
                Err(error) => last = Some(surer(last, error)),
            }
            break;
        }
    }
    match (noisy, last) {
        (None, Some(error)) => Err(error),
        (noisy, _) => Ok(noisy),
    }
}

/// Chooses primes beyond the 50-bit kernels, which take several times as long, with the fewest digits of keys. They
/// serve AKP with larger input moduli than the noise of narrow primes allows, which the table amplifies by a third of
/// the input modulus.
fn wide_primes(
    limit: f64,
    base: &ParametersLiteral,
    check: impl Fn(&Parameters) -> Result<()>,
) -> Option<Parameters> {
    let sizes = WIDE_LOG2_SCALES.into_iter().flat_map(|log2_scale| {
        [0, 1, 2].map(|extra_primes| sized(base, DNUMS[0], log2_scale, extra_primes))
    });
    let fitting = sizes.filter(|literal| literal.log2_modulus_bound() <= limit);
    fitting.filter_map(|literal| Parameters::new(literal).ok()).find(|it| check(it).is_ok())
}
