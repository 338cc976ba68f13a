//! The search for parameters: for each method of packed lookups, the fastest fitting parameters of single values.

use cryptable_fhew::lookup as single;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result, check_within};
use cryptable_packed as packed;

use super::Parameters;

/// Number of single-value methods, the fastest ones, that are tried for each pair of moduli.
const TRIED: usize = 6;

/// Factor by which single lookups may be slower so that their results can be packed.
const MOST_FOR_SINGLE_RESULTS: f64 = 1.5;

/// Largest modulus for which parameters of single values are searched.
const MAX_SINGLE_MODULUS: u64 = 1 << 6;

impl Parameters {
    /// Returns 128-bit parameters for every method of packed lookups that serves a request, in the packed engine's
    /// order.
    ///
    /// Packed lookups square phase errors and multiply them by p², so they tolerate less noise than single ones: with
    /// the fastest single-value numbers, results of single lookups and unpacked values are too noisy. Numbers made for
    /// tables of 2 and 4 times the moduli have less noise. The choice is the fastest numbers with which unpacked values
    /// can be packed again; among these, the fastest with which results of single lookups can be packed, if that makes
    /// single lookups at most half slower. If there are none, the choice is the fastest numbers with which fresh values
    /// can be packed.
    ///
    /// ```no_run
    /// use cryptable_conversion::lookup::Parameters;
    /// let found = Parameters::candidates(&cryptable_packed::Request::new(16, 16))?;
    /// assert!(found[0].are_chainable() && found[0].log2_fail() <= -64.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If an engine has no parameters for the request, or their noise does not fit; the error states value and limit.
    pub fn candidates(request: &packed::Request) -> Result<Vec<Self>> {
        let singles = single_candidates(request)?;
        let all = packed::Parameters::candidates(request)?;
        let found: Vec<Result<Self>> =
            all.into_iter().map(|packed| best_of(&singles, &packed)).collect();
        let (fit, mut others): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
        match fit.into_iter().collect::<Result<Vec<Self>>>()? {
            none if none.is_empty() => others.swap_remove(0).map(|one| vec![one]),
            fit => Ok(fit),
        }
    }
}

/// Returns the best single-value parameters for these packed ones, by the criteria of [`Parameters::candidates`].
/// `singles` is sorted by time.
fn best_of(singles: &[single::Parameters], packed: &packed::Parameters) -> Result<Parameters> {
    let (mut fitting, mut chainable): (Option<Parameters>, Option<Parameters>) = (None, None);
    let mut refusal = None;
    for single in singles {
        let found = match Parameters::new(single.clone(), packed.clone()) {
            Ok(found) => found,
            Err(error) => {
                refusal = Some(error);
                continue;
            }
        };
        if let Some(first) = &chainable
            && seconds(single) > MOST_FOR_SINGLE_RESULTS * seconds(first.single())
        {
            break;
        }
        if found.packs_single_results() {
            return Ok(found);
        }
        let best = if found.are_chainable() { &mut chainable } else { &mut fitting };
        best.get_or_insert(found);
    }
    match (chainable.or(fitting), refusal) {
        (Some(best), _) => Ok(best),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Error::TooSmall { name: "number of parameters", value: 0, limit: 1 }),
    }
}

/// Predicts the time of a single lookup in seconds.
fn seconds(single: &single::Parameters) -> f64 {
    CostModel::default().seconds(&single.prediction().work)
}

/// Returns single-value parameters for the moduli, with numbers made for these and for larger moduli, the fastest
/// first.
fn single_candidates(request: &packed::Request) -> Result<Vec<single::Parameters>> {
    let (p, output) = (request.input_modulus, request.output_modulus);
    check_within(
        "modulus of single values that may be packed",
        p.max(output),
        ..=MAX_SINGLE_MODULUS,
    )?;
    // Methods serve either even or odd moduli.
    let factors: [u64; 3] = if p.is_multiple_of(2) { [1, 2, 4] } else { [1, 3, 5] };
    let mut found: Vec<single::Parameters> = Vec::new();
    for factor in factors.into_iter().filter(|f| f * p.max(output) <= MAX_SINGLE_MODULUS) {
        let larger = single::Request {
            log2_fail: request.log2_fail,
            ..single::Request::new(factor * p, factor * output)
        };
        match single::Parameters::candidates(&larger) {
            Ok(all) => found
                .extend(all.iter().take(TRIED).filter_map(|one| one.with_moduli(p, output).ok())),
            Err(error) if factor == 1 => return Err(error),
            Err(_) => break,
        }
    }
    // Positive floating-point numbers are ordered like their bit patterns.
    found.sort_by_cached_key(|one| seconds(one).to_bits());
    Ok(found)
}
