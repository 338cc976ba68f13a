//! All ways to evaluate the tables of a request, side by side: by predicted time within a memory limit.

use cryptable_lattice::Table;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};
use rayon::prelude::*;

use crate::akp::hermite_kernel::HermiteOrder;
use crate::literal::MultiplexerLiteral;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::parameter_set::Parameters;
use crate::planner::digit_choice::OutputPrecision::{self, FewestPrimes, PrimeMore, WholePrimes};
use crate::planner::digit_choice::{DigitChoice, Evaluation, digit_lists, selector_choices};
use crate::planner::few_values::or_of_few_values;
use crate::planner::matrix_choice::choose_matrices;
use crate::planner::prime_choice::{choose_primes, choose_primes_where};
use crate::planner::request::{DigitInputs, Method, Request, reached, surer};

/// Smaller input moduli have nothing to gain from digits, unless a tree is asked for.
const LEAST_TREE_MODULUS: u64 = 1 << 8;

/// Largest input modulus of tables of which every value has its own: larger ones were never measured.
const MAX_ENTRIES_MODULUS: u64 = 1 << 12;

/// Precisions that are tried, the cheapest first: cleanings of the exponential and of the deltas, extra primes of
/// CoeffsToSlots, and precision of SlotsToCoeffs.
const CLEANINGS: [(u32, u32, usize, OutputPrecision); 14] = [
    (0, 0, 0, FewestPrimes),
    (1, 0, 0, FewestPrimes),
    (0, 0, 0, PrimeMore),
    (0, 0, 1, FewestPrimes),
    (1, 0, 0, PrimeMore),
    (1, 0, 1, FewestPrimes),
    (0, 0, 1, PrimeMore),
    (1, 0, 1, PrimeMore),
    (1, 0, 2, FewestPrimes),
    (0, 1, 0, FewestPrimes),
    (0, 1, 0, PrimeMore),
    (1, 0, 2, PrimeMore),
    (0, 2, 0, FewestPrimes),
    (0, 2, 0, PrimeMore),
];

impl Parameters {
    /// Parameters for one table, full packing, at the default ring degree.
    ///
    /// # Errors
    /// As [`Parameters::candidates`].
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest parameters of at least 128 bits for a request, by predicted time.
    ///
    /// # Errors
    /// As [`Parameters::candidates`].
    pub fn choose(request: &Request) -> Result<Self> {
        Ok(Self::candidates(request)?.swap_remove(0))
    }

    /// All ways to evaluate the tables of a request within its memory limit, the fastest first: the best of
    /// every method and digit size, but for those that take a quarter more memory than another and gain less than 2 % of its
    /// time. All have 128 bits of security and the failure probability that is asked for.
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
    /// If a number is out of range, or there is no way: names what is needed.
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
        // AKP's tables are polynomials, the same for all values.
        let has_entries = request.entries != EntryKind::Shared;
        // Trees hide no tables.
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
            let Request { input_modulus, output_modulus, .. } = request;
            let nothing =
                format!("input modulus {input_modulus} and output modulus {output_modulus}");
            return Err(last.map_or(Error::Unsupported(nothing), |(error, method)| {
                unreachable_by(request, error, method)
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

/// Why no method serves: the lowest failure probability of a ciphertext that one reaches, where that is the reason.
fn unreachable_by(request: &Request, error: Error, method: Method) -> Error {
    let Error::FailureProbability { found, limit } = error else { return error };
    let Request { input_modulus: p, output_modulus: q, .. } = request;
    let what = format!("a ciphertext of a lookup {p} -> {q} by {method}, the surest method,");
    let of_ciphertext = request.log2_fail() - limit;
    let found = (found + of_ciphertext).min(0.0);
    Error::FailureUnreachable { what, found, limit: request.log2_fail() }
}

/// Why a table for every value is not served: what a full ciphertext would take, entries included.
fn unmeasured_entries(request: &Request, fastest: &Candidate) -> Error {
    let Request { input_modulus, entries, .. } = request;
    let units = fastest.seconds / CostModel::default().unit();
    let words = fastest.parameters.literal().slots as u64 * input_modulus;
    let memory = fastest.peak_bytes as f64 / 1e9;
    Error::Unsupported(format!(
        "{entries} of {input_modulus} inputs: lookups were measured up to {MAX_ENTRIES_MODULUS}; by count, one of a full \
         ciphertext would take {units:.0} u, {memory:.0} GB of memory and {words} entries"
    ))
}

/// Parameters, and what a lookup of the request's tables is predicted to take.
#[derive(Clone, Debug)]
struct Candidate {
    parameters: Parameters,
    /// On one thread of a machine of the default cost model: proportions are what counts.
    seconds: f64,
    peak_bytes: usize,
}

impl Candidate {
    fn new(request: &Request, parameters: Parameters) -> Self {
        let prediction = parameters.prediction_for(request.entries, request.tables);
        let seconds = CostModel::default().seconds(&prediction.work);
        Self { parameters, seconds, peak_bytes: prediction.peak_bytes() }
    }

    /// Whether it fits where the other does not, or is faster.
    fn is_better(&self, request: &Request, other: &Self) -> bool {
        let limit = request.memory.unwrap_or(usize::MAX);
        let key = |candidate: &Self| (candidate.peak_bytes > limit, candidate.seconds);
        key(self) < key(other)
    }
}

/// Leaves out what gains less time than predictions are good for, and takes a quarter more memory for it.
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

/// AKP by the interpolation of the lowest order that serves: each order costs a level or a longer polynomial more than
/// the one below it, and none saves as much elsewhere.
fn lowest_order(request: &Request) -> Result<Parameters> {
    let of_hidden = request.hidden_bits.map(|_| HermiteOrder::First);
    let orders = of_hidden.or(request.order);
    let orders = orders.map_or_else(|| HermiteOrder::ALL.to_vec(), |order| vec![order]);
    let mut last: Option<Result<Parameters>> = None;
    for order in orders {
        let wanted = request.lookups_in_a_row;
        let serves = |found: &Parameters| {
            (wanted <= 1 || lookups_in_a_row(found) >= wanted)
                && admits_digits(request, found).is_ok()
        };
        let check = |found: &Parameters| match serves(found) {
            true => Ok(()),
            false => Err(Error::Unsupported(
                "this number of lookups in a row, or inputs with this noise".into(),
            )),
        };
        let found = choose_primes(request, Evaluation::Akp(order));
        let found = found.map(|found| choose_matrices(request, found, check));
        let found = or_of_few_values(request, order, found, check);
        if found.as_ref().is_ok_and(serves) {
            return found;
        }
        last = last.filter(Result::is_ok).or(Some(found));
    }
    last.expect("some order was tried")
}

/// Most lookups in a row, each of the result of the one before.
fn lookups_in_a_row(parameters: &Parameters) -> u32 {
    parameters.sum_limits().lookups_in_a_row.unwrap_or(u32::MAX)
}

/// Removes the candidates that do not admit `wanted` lookups in a row.
///
/// # Errors
/// If there were candidates, and none does: names the most that one admits.
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

/// The fastest tree of every list of digits.
fn trees(request: &Request, is_binary: bool) -> Result<Vec<Candidate>> {
    let lists = digit_lists(request.input_modulus, is_binary, request.digit_bits);
    let results: Vec<Result<Candidate>> =
        lists.into_par_iter().map(|digits| fastest_tree(request, &digits)).collect();
    let mut found = Vec::new();
    let mut last = Error::Unsupported(format!(
        "digits for input modulus {}: it needs at least two factors of at most 64",
        request.input_modulus
    ));
    for result in results {
        match result {
            Ok(candidate) => found.push(candidate),
            Err(error) => last = surer(Some(last), error),
        }
    }
    if found.is_empty() { Err(last) } else { Ok(found) }
}

/// The fastest tree over the given digits. For several lookups in a row it is that of one lookup, if that admits them, perhaps
/// with other matrices, unless one with more cleaning or precision is faster.
fn fastest_tree(request: &Request, digits: &[u64]) -> Result<Candidate> {
    let admits = |found: &Parameters| {
        admits_digits(request, found)?;
        admits_chain(request, found)
    };
    let of_one = fastest_tree_where(request, digits, &|found| admits_digits(request, found));
    if request.lookups_in_a_row <= 1 {
        return of_one;
    }
    let of_chain = fastest_tree_where(request, digits, &admits);
    match (of_one, of_chain) {
        (Ok(one), Ok(chain)) if admits(&one.parameters).is_ok() => {
            Ok(if chain.is_better(request, &one) { chain } else { one })
        }
        // Those that admit too few say how many they do.
        (Ok(one), Err(_)) => Ok(one),
        (_, of_chain) => of_chain,
    }
}

/// The fastest tree over the given digits whose primes pass `check`. How much cleaning and precision the digits need hardly
/// depends on how they are grouped to selectors, so that is found for one grouping: the first, or where that has too many
/// levels, the one of the fewest.
fn fastest_tree_where(request: &Request, digits: &[u64], check: Check<'_>) -> Result<Candidate> {
    let choices = selector_choices(digits);
    let unserved = || Error::Unsupported(format!("selectors for digits {digits:?}"));
    let first = choices.first().ok_or_else(unserved)?;
    let levels = |selectors: &&Vec<usize>| {
        let (digits, selectors) = (digits.to_vec(), (*selectors).clone());
        MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() }.levels()
    };
    let flattest = choices.iter().min_by_key(levels).unwrap_or(first);
    let found = cheapest_cleaning(request, digits, first.clone(), check);
    let found = found.or_else(|error| {
        let of_flattest = cheapest_cleaning(request, digits, flattest.clone(), check);
        of_flattest.map_err(|other| surer(Some(error), other))
    });
    let (choice, parameters) = found?;
    let mut best = Candidate::new(request, parameters);
    let used = choice.multiplexer.selectors.clone();
    let others = choices.into_iter().filter(|selectors| *selectors != used);
    let others: Vec<_> = alternatives(&choice, others)
        .into_par_iter()
        .filter_map(|choice| choose_primes_where(request, Evaluation::Tree(&choice), check).ok())
        .map(|parameters| Candidate::new(request, parameters))
        .collect();
    for candidate in others {
        if candidate.is_better(request, &best) {
            best = candidate;
        }
    }
    let parameters = choose_matrices(request, best.parameters, |other| {
        admits_digits(request, other)?;
        admits_chain(request, other)
    });
    Ok(Candidate::new(request, parameters))
}

/// The same digits with other selectors; and, where SlotsToCoeffs has a prime more, with matrices that need none. Those leave
/// less of the margin to errors of phases, which a further prime of CoeffsToSlots makes smaller.
fn alternatives(
    choice: &DigitChoice,
    selectors: impl Iterator<Item = Vec<usize>>,
) -> Vec<DigitChoice> {
    let with_selectors = |selectors| DigitChoice {
        multiplexer: MultiplexerLiteral { selectors, ..choice.multiplexer.clone() },
        ..choice.clone()
    };
    let mut all: Vec<_> = selectors.map(with_selectors).collect();
    if choice.output_precision == PrimeMore {
        let mut of_whole = Vec::new();
        for choice in [choice].into_iter().chain(&all) {
            for extra_primes in [choice.extra_primes, choice.extra_primes + 1] {
                let output_precision = WholePrimes;
                of_whole.push(DigitChoice { extra_primes, output_precision, ..choice.clone() });
            }
        }
        all.extend(of_whole);
    }
    all
}

/// Check that parameters must pass.
type Check<'a> = &'a (dyn Fn(&Parameters) -> Result<()> + Sync);

/// Whether parameters admit as many lookups in a row as the request has.
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

/// Whether parameters look up the ciphertexts of digits that the request has.
///
/// # Errors
/// If they do not: [`Error::FailureProbability`], or those of other digits.
fn admits_digits(request: &Request, parameters: &Parameters) -> Result<()> {
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

/// The fewest levels of cleaning and of precision of the homomorphic DFTs that reach the failure
/// probability and pass `check`: cleaned deltas leave less of the noise of inputs, extra primes make less of it.
fn cheapest_cleaning(
    request: &Request,
    digits: &[u64],
    selectors: Vec<usize>,
    check: Check<'_>,
) -> Result<(DigitChoice, Parameters)> {
    let mut last = None;
    for (exponential_cleanings, delta_cleanings, extra_primes, output_precision) in CLEANINGS {
        let multiplexer = MultiplexerLiteral {
            digits: digits.to_vec(),
            selectors: selectors.clone(),
            delta_cleanings,
            cleaning_and: false,
            entry_levels: u32::from(request.entries != EntryKind::Shared),
        };
        let choice =
            DigitChoice { multiplexer, exponential_cleanings, extra_primes, output_precision };
        if exponential_cleanings > 0 && choice.is_binary() {
            continue;
        }
        match choose_primes_where(request, Evaluation::Tree(&choice), check) {
            Ok(parameters) => return Ok((choice, parameters)),
            Err(error) => last = Some(surer(last, error)),
        }
    }
    Err(last.expect("some cleaning was tried"))
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::SecurityLevel;

    use super::*;
    use crate::literal::DftLiteral;

    #[test]
    fn large_outputs_take_matrices_of_a_prime_each() {
        let base = Request::new(1 << 16, 1 << 16);
        let request = Request { method: Some(Method::Cmt), digit_bits: Some(4), ..base };
        let found = Parameters::candidates(&request).unwrap();
        let of = &found[0].literal().slots_to_coeffs;
        assert_eq!((&of.stages[..], of.primes), (&[7, 8][..], 2));
        // Three matrices with three primes are as precise, and take a limb more in all that comes before.
        let mut three = found[0].literal().clone();
        // There is no room for that limb: what counts here is the time.
        three.security = SecurityLevel::Insecure;
        let stages = vec![5; 3];
        three.slots_to_coeffs = DftLiteral { stages, primes: 3, baby_steps: 8, ..of.clone() };
        let three = Candidate::new(&request, Parameters::new(three).unwrap());
        assert!(three.seconds > 1.02 * Candidate::new(&request, found[0].clone()).seconds);
    }

    /// The fastest tree with G_and: with any selectors, cleanings and precision.
    fn fastest_with_cleaning_and(request: &Request, digits: &[u64]) -> Option<Candidate> {
        let joined = |selectors: &Vec<usize>| selectors.iter().any(|&count| count > 1);
        let selectors = selector_choices(digits).into_iter().filter(joined);
        let all = selectors.flat_map(|selectors| {
            CLEANINGS.map(|(exponential_cleanings, delta_cleanings, extra_primes, precision)| {
                let (digits, selectors) = (digits.to_vec(), selectors.clone());
                let (cleaning_and, entry_levels) = (true, 0);
                let multiplexer = MultiplexerLiteral {
                    digits,
                    selectors,
                    delta_cleanings,
                    cleaning_and,
                    entry_levels,
                };
                let output_precision = precision;
                DigitChoice { multiplexer, exponential_cleanings, extra_primes, output_precision }
            })
        });
        let all: Vec<_> = all.collect();
        let found = all.into_par_iter().filter_map(|choice| {
            if choice.exponential_cleanings > 0 && choice.is_binary() {
                return None;
            }
            let found = choose_primes_where(request, Evaluation::Tree(&choice), |_| Ok(())).ok()?;
            Some(Candidate::new(request, found))
        });
        found.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Checks that no tree with G_and is as fast as the fastest without, for tables of these bits.
    fn check_cleaning_and(method: Method, widths: &[u32]) {
        for bits in widths {
            let request = Request { method: Some(method), ..Request::new(1 << bits, 1 << bits) };
            let seconds = |found: Vec<Candidate>| {
                found.into_iter().map(|it| it.seconds).fold(f64::INFINITY, f64::min)
            };
            let lists = digit_lists(1 << bits, method == Method::Bmt, None);
            let of = |find: &dyn Fn(&[u64]) -> Option<Candidate>| {
                seconds(lists.iter().filter_map(|digits| find(digits)).collect())
            };
            let plain = of(&|digits| fastest_tree(&request, digits).ok());
            let cleaning = of(&|digits| fastest_with_cleaning_and(&request, digits));
            println!("{method} {bits} bits: {:.2} times as long with G_and", cleaning / plain);
            assert!(cleaning > 1.02 * plain, "{method} {bits} bits: {cleaning} s for {plain}");
        }
    }

    #[test]
    fn selectors_are_not_joined_by_cleaning() {
        check_cleaning_and(Method::Cmt, &[12]);
        check_cleaning_and(Method::Bmt, &[8]);
    }

    #[test]
    #[ignore = "a minute"]
    fn selectors_of_wide_tables_are_not_joined_by_cleaning() {
        check_cleaning_and(Method::Cmt, &[16, 18, 20, 22, 24]);
        check_cleaning_and(Method::Bmt, &[12, 16]);
    }

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
