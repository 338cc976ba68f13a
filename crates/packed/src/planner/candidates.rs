//! Comparison of all ways to evaluate the tables of a request, by predicted time within a memory limit.

use cryptable_lattice::Table;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::parameter_set::Parameters;
use crate::planner::candidate::{Candidate, admits, admits_digits, lookups_in_a_row};
use crate::planner::few_values::or_of_few_values;
use crate::planner::literals::Evaluation;
use crate::planner::matrix_choice::choose_matrices;
use crate::planner::prime_choice::choose_primes;
use crate::planner::request::{Method, Request, reached};
use crate::planner::tree_choice::trees;

/// Least input modulus for which trees are tried, unless one is requested: smaller ones gain nothing from digits.
const LEAST_TREE_MODULUS: u64 = 1 << 8;

/// Largest input modulus for tables per value: larger ones were never measured.
const MAX_ENTRIES_MODULUS: u64 = 1 << 12;

impl Parameters {
    /// Chooses parameters for one table with full packing, at the default ring degree.
    ///
    /// # Errors
    /// The errors of [`Parameters::candidates`].
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest parameters of at least 128 bits for a request, by predicted time.
    ///
    /// # Errors
    /// The errors of [`Parameters::candidates`].
    pub fn choose(request: &Request) -> Result<Self> {
        Ok(Self::candidates(request)?.swap_remove(0))
    }

    /// All ways to evaluate the tables of a request within its memory limit, the fastest first: the best of every
    /// method and digit size, except those that need a quarter more memory than another and are less than 2 % faster.
    /// All have 128 bits of security and the requested failure probability.
    ///
    /// ```
    /// use cryptable_packed::{Method, Parameters, Request};
    /// let request = Request { method: Some(Method::Cmt), memory: Some(6 << 30), ..Request::new(256, 256) };
    /// let candidates = Parameters::candidates(&request)?;
    /// assert!(candidates.iter().all(|found| found.prediction().peak_bytes() <= 6 << 30));
    /// assert!(candidates[0].method_name().starts_with("CMT"));
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of range, or there is no candidate. The error names what is needed.
    pub fn candidates(request: &Request) -> Result<Vec<Self>> {
        request.check()?;
        let (mut found, mut last) = (Vec::new(), None);
        let is_wanted = |method| request.method.is_none_or(|wanted| wanted == method);
        if is_wanted(Method::Akp) && request.may_be_akp() {
            match lowest_order(request) {
                Ok(parameters) => found.push(Candidate::new(request, parameters)),
                Err(error) => last = Some((error, Method::Akp)),
            }
        }
        // AKP's tables are polynomials, which all values share.
        let has_entries = request.entries != EntryKind::Shared;
        // Trees cannot hide tables.
        let may_be_tree = request.hidden_bits.is_none();
        let is_large = request.input_modulus >= LEAST_TREE_MODULUS || has_entries;
        for is_binary in [true, false] {
            let method = if is_binary { Method::Bmt } else { Method::Cmt };
            let may_be = request.method.is_some() || is_large;
            if is_wanted(method) && may_be && may_be_tree {
                match trees(&request.of_trees(), is_binary) {
                    Ok(candidates) => found.extend(candidates),
                    Err(error) => {
                        let is_surer = |last: &(Error, Method)| reached(&last.0) <= reached(&error);
                        last = last.filter(is_surer).or(Some((error, method)));
                    }
                }
            }
        }
        demand_lookups_in_a_row(&mut found, request.lookups_in_a_row)?;
        found.retain(|candidate| admits_digits(request, &candidate.parameters).is_ok());
        let least = found.iter().map(|candidate| candidate.peak_bytes).min();
        if let (Some(limit), Some(needed)) = (request.memory, least) {
            found.retain(|candidate| candidate.peak_bytes <= limit);
            if found.is_empty() {
                return Err(Error::Memory { needed, limit });
            }
        }
        if found.is_empty() {
            let Request { input_modulus: p, output_modulus: q, .. } = request;
            let nothing = format!("input modulus {p} and output modulus {q}");
            return Err(last.map_or(Error::Unsupported(nothing), |(error, method)| {
                let what = format!(
                    "a ciphertext of a lookup {p} -> {q} by {method}, the most reliable method,"
                );
                request.unreachable(what, error)
            }));
        }
        found.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        if has_entries && request.input_modulus > MAX_ENTRIES_MODULUS {
            return Err(unmeasured_entries(request, &found[0]));
        }
        drop_wasteful(&mut found);
        Ok(found.into_iter().map(|candidate| candidate.parameters).collect())
    }
}

/// Makes the error for tables per value that are too large. States the costs of a full ciphertext, including entries.
fn unmeasured_entries(request: &Request, fastest: &Candidate) -> Error {
    let Request { input_modulus, entries, .. } = request;
    let units = fastest.seconds / CostModel::default().unit();
    let words = fastest.parameters.literal().slots as u64 * input_modulus;
    let memory = fastest.peak_bytes as f64 / 1e9;
    Error::Unsupported(format!(
        "{entries} of {input_modulus} inputs: lookups were only measured up to {MAX_ENTRIES_MODULUS}; by operation \
         counts, one of a full ciphertext would take {units:.0} u, {memory:.0} GB of memory and {words} entries"
    ))
}

/// Drops candidates that need a quarter more memory than another one for a gain in time below the accuracy of
/// predictions.
fn drop_wasteful(found: &mut Vec<Candidate>) {
    const TIME: f64 = 1.02;
    const MEMORY: f64 = 1.25;
    let costs: Vec<_> = found.iter().map(|it| (it.seconds, it.peak_bytes as f64)).collect();
    found.retain(|candidate| {
        let (most_seconds, most_bytes) =
            (TIME * candidate.seconds, candidate.peak_bytes as f64 / MEMORY);
        !costs.iter().any(|&(seconds, bytes)| seconds <= most_seconds && bytes <= most_bytes)
    });
}

/// Chooses AKP with the interpolation of the lowest order that serves. Each order costs one more level or a longer
/// polynomial than the order below it, and none saves that much elsewhere.
fn lowest_order(request: &Request) -> Result<Parameters> {
    let of_hidden = request.hidden_bits.map(|_| HermiteOrder::First);
    let orders = of_hidden.or(request.order);
    let orders = orders.map_or_else(|| HermiteOrder::ALL.to_vec(), |order| vec![order]);
    let mut last: Option<Result<Parameters>> = None;
    for order in orders {
        let check = |found: &Parameters| admits(request, found);
        let found = choose_primes(request, Evaluation::Akp(order), |_| Ok(()));
        let found = found.map(|found| choose_matrices(request, found, check));
        let found = or_of_few_values(request, order, found, check);
        if found.as_ref().is_ok_and(|found| check(found).is_ok()) {
            return found;
        }
        last = last.filter(Result::is_ok).or(Some(found));
    }
    last.expect("some order was tried")
}

/// Removes the candidates that do not admit `wanted` lookups in a row.
///
/// # Errors
/// If there were candidates, and none admits that many. The error states the maximum that any admits.
fn demand_lookups_in_a_row(found: &mut Vec<Candidate>, wanted: u32) -> Result<()> {
    if wanted <= 1 || found.is_empty() {
        return Ok(());
    }
    let mut most = 0;
    found.retain(|candidate| {
        let count = lookups_in_a_row(&candidate.parameters);
        most = most.max(count);
        count >= wanted
    });
    if found.is_empty() {
        let (name, value) = ("number of lookups in a row", wanted.into());
        return Err(Error::TooLarge { name, value, limit: most.into() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_not_taken_for_nothing() {
        for bits in [8, 12, 18] {
            let found = Parameters::candidates(&Request::new(1 << bits, 1 << bits)).unwrap();
            let cost = |of: &Parameters| {
                let prediction = of.prediction();
                (CostModel::default().seconds(&prediction.work), prediction.peak_bytes() as f64)
            };
            let costs: Vec<_> = found.iter().map(cost).collect();
            assert!(costs.is_sorted_by(|a, b| a.0 <= b.0));
            let wasteful = |&(seconds, bytes): &(f64, f64)| {
                costs.iter().any(|other| other.0 <= 1.02 * seconds && 1.25 * other.1 <= bytes)
            };
            assert!(!costs.iter().any(wasteful), "{bits} bits: {costs:?}");
        }
    }
}
