//! Choice of the fastest multiplexer tree over digits: its cleanings, its precision, and the grouping of its digits.

use cryptable_lattice::cost::equivalent_limbs;
use cryptable_lattice::error::{Error, Result};
use rayon::prelude::*;

use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::circuit::entry_factor;
use crate::multiplexer::entry_kind::EntryKind;
use crate::parameters::parameter_set::Parameters;
use crate::planner::candidate::{Candidate, admits, admits_digits};
use crate::planner::digit_choice::OutputPrecision::{
    self, FewestPrimes, PrimeMore, SpareBits, WholePrimes,
};
use crate::planner::digit_choice::{DigitChoice, digit_lists, selector_choices};
use crate::planner::literals::Evaluation;
use crate::planner::matrix_choice::choose_matrices;
use crate::planner::prime_choice::choose_primes;
use crate::planner::request::{Request, surer};

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

/// Maximum number of bits by which the modulus of the table step is reduced to make it faster.
const MOST_TABLE_BITS_LESS: u32 = 30;

/// Chooses the fastest tree for every list of digits, in complex or in real slots.
pub(crate) fn trees(request: &Request, is_binary: bool) -> Result<Vec<Candidate>> {
    let lists = digit_lists(request.input_modulus, is_binary, request.digit_bits);
    let of_both = |digits: Vec<u64>| {
        let complex = fastest_tree(request, &Digits { digits: digits.clone(), real_slots: false });
        if !may_be_real(request, is_binary) {
            return complex;
        }
        let real = fastest_tree(request, &Digits { digits, real_slots: true });
        Candidate::or_in_real_slots(request, complex, real)
    };
    let results: Vec<Result<Candidate>> = lists.into_par_iter().map(of_both).collect();
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

/// Digits of a tree, and whether they are looked up in real slots.
struct Digits {
    digits: Vec<u64>,
    real_slots: bool,
}

/// Whether real slots may serve a request: values of one owner fill the ring, and all share the same tables.
fn may_be_real(request: &Request, is_binary: bool) -> bool {
    !is_binary
        && request.slots() == request.degree()
        && request.entries == EntryKind::Shared
        && !request.complex_outputs
        && request.owners.is_one()
}

/// Chooses the fastest tree over the given digits. For several lookups in a row, this is the tree for one lookup if it
/// admits them, perhaps with other matrices, unless a tree with more cleaning or precision is faster.
fn fastest_tree(request: &Request, digits: &Digits) -> Result<Candidate> {
    let check = |found: &Parameters| admits(request, found);
    let of_one = fastest_tree_where(request, digits, &|found| admits_digits(request, found));
    if request.lookups_in_a_row <= 1 {
        return of_one;
    }
    let of_chain = fastest_tree_where(request, digits, &check);
    match (of_one, of_chain) {
        (Ok(one), Ok(chain)) if check(&one.parameters).is_ok() => {
            Ok(if chain.is_better(request, &one) { chain } else { one })
        }
        // Parameters that admit too few lookups are kept, so that the error states how many they admit.
        (Ok(one), Err(_)) => Ok(one),
        (_, of_chain) => of_chain,
    }
}

/// Chooses the fastest tree over the given digits whose primes pass `check`. The cleaning and precision that digits
/// need hardly depend on their grouping into selectors, so they are determined for one grouping: the first, or if that
/// has too many levels, the one with the fewest levels.
fn fastest_tree_where(request: &Request, ways: &Digits, check: Check<'_>) -> Result<Candidate> {
    let digits = &ways.digits;
    let choices = selector_choices(digits);
    let unserved = || Error::Unsupported(format!("selectors for digits {digits:?}"));
    let first = choices.first().ok_or_else(unserved)?;
    let levels = |selectors: &&Vec<usize>| {
        let (digits, selectors) = (digits.to_vec(), (*selectors).clone());
        MultiplexerLiteral { digits, selectors, ..MultiplexerLiteral::default() }.levels()
    };
    let flattest = choices.iter().min_by_key(levels).unwrap_or(first);
    let found = cheapest_cleaning(request, ways, first.clone(), check);
    let found = found.or_else(|error| {
        let of_flattest = cheapest_cleaning(request, ways, flattest.clone(), check);
        of_flattest.map_err(|other| surer(Some(error), other))
    });
    let (choice, parameters) = found?;
    let first = Candidate::new(request, parameters);
    let used = choice.multiplexer.selectors.clone();
    let others = choices.into_iter().filter(|selectors| *selectors != used);
    let others: Vec<_> = alternatives(&choice, others)
        .into_par_iter()
        .filter_map(|choice| choose_primes(request, Evaluation::Tree(&choice), check).ok())
        .map(|parameters| Candidate::new(request, parameters))
        .collect();
    let better =
        |best: Candidate, it: Candidate| if it.is_better(request, &best) { it } else { best };
    let best = others.into_iter().fold(first, better);
    let narrower: Vec<_> = with_fewer_table_bits(best.parameters.literal())
        .into_par_iter()
        .filter_map(|literal| Parameters::new(literal).ok())
        .filter(|found| check(found).is_ok())
        .map(|parameters| Candidate::new(request, parameters))
        .collect();
    let best = narrower.into_iter().fold(best, better);
    let check = |other: &Parameters| admits(request, other);
    let parameters = choose_matrices(request, best.parameters, check);
    Ok(Candidate::new(request, parameters))
}

/// Returns the same tree with smaller primes of the table step, which then needs fewer products, and with selectors
/// that spare bits.
fn with_fewer_table_bits(literal: &ParametersLiteral) -> Vec<ParametersLiteral> {
    let Some(multiplexer) = literal.multiplexer.as_ref().filter(|tree| tree.may_spare_bits())
    else {
        return Vec::new();
    };
    let columns = multiplexer.columns();
    let log2_entry = (entry_factor(literal) as f64 * literal.output_modulus as f64 / 2.0).log2();
    let limbs_of = |literal: &ParametersLiteral| {
        equivalent_limbs(&literal.log2_table_primes(), log2_entry, columns)
    };
    let most = (literal.table_limbs() as f64 * literal.log2_scale) as u32;
    let with_bits = |table_bits| {
        let multiplexer = MultiplexerLiteral { spare_bits: 1, table_bits, ..multiplexer.clone() };
        ParametersLiteral { multiplexer: Some(multiplexer), ..literal.clone() }.with_spare_bits()
    };
    let mut least = limbs_of(literal);
    let mut found = Vec::new();
    for narrower in (most - MOST_TABLE_BITS_LESS..most).rev().map(with_bits) {
        let limbs = limbs_of(&narrower);
        if limbs < least {
            least = limbs;
            found.push(narrower);
        }
    }
    found
}

/// Returns alternatives with the same digits: with other selectors; if SlotsToCoeffs has one more prime, with matrices
/// that do not need it; in real slots, also with these larger matrices of SlotsToCoeffs and with cleaned doublings,
/// since the way back uses part of the primes of matrices and cleaning needs no conjugations. Larger matrices leave
/// less of the margin to errors of phases, which one more prime of CoeffsToSlots reduces.
fn alternatives(
    choice: &DigitChoice,
    selectors: impl Iterator<Item = Vec<usize>>,
) -> Vec<DigitChoice> {
    let with_selectors = |selectors| DigitChoice {
        multiplexer: MultiplexerLiteral { selectors, ..choice.multiplexer.clone() },
        ..choice.clone()
    };
    let mut all: Vec<_> = selectors.map(with_selectors).collect();
    let mut of_whole = Vec::new();
    for choice in [choice].into_iter().chain(&all) {
        for extra_primes in [choice.extra_primes, choice.extra_primes + 1] {
            let with =
                |output_precision| DigitChoice { extra_primes, output_precision, ..choice.clone() };
            if choice.output_precision == PrimeMore || choice.real_slots {
                of_whole.push(with(WholePrimes));
            }
            if choice.multiplexer.may_spare_bits() {
                let mut sparing = with(SpareBits);
                sparing.multiplexer.spare_bits = 1;
                of_whole.push(sparing);
            }
        }
    }
    all.extend(of_whole);
    if choice.real_slots && choice.exponential_cleanings == 0 {
        let cleaned: Vec<_> = [choice].into_iter().chain(&all).cloned().collect();
        let clean = |it| DigitChoice { exponential_cleanings: 1, ..it };
        all.extend(cleaned.into_iter().map(clean));
    }
    all
}

/// A check that parameters must pass.
type Check<'a> = &'a (dyn Fn(&Parameters) -> Result<()> + Sync);

/// Finds the cheapest cleanings and precision of the homomorphic DFTs that reach the failure probability and pass
/// `check`. Cleaned deltas keep less of the noise of inputs, and extra primes add less noise.
fn cheapest_cleaning(
    request: &Request,
    &Digits { ref digits, real_slots }: &Digits,
    selectors: Vec<usize>,
    check: Check<'_>,
) -> Result<(DigitChoice, Parameters)> {
    let mut last = None;
    for (exponential_cleanings, delta_cleanings, extra_primes, output_precision) in CLEANINGS {
        let multiplexer = MultiplexerLiteral {
            digits: digits.clone(),
            selectors: selectors.clone(),
            delta_cleanings,
            cleaning_and: false,
            entry_levels: u32::from(request.entries != EntryKind::Shared),
            spare_bits: 0,
            table_bits: 0,
        };
        let choice = DigitChoice {
            multiplexer,
            exponential_cleanings,
            extra_primes,
            output_precision,
            real_slots,
        };
        if exponential_cleanings > 0 && choice.is_binary() {
            continue;
        }
        match choose_primes(request, Evaluation::Tree(&choice), check) {
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
    use crate::planner::request::Method;

    #[test]
    fn wide_tables_take_a_smaller_modulus() {
        let request = Request { method: Some(Method::Cmt), ..Request::new(1 << 20, 1 << 20) };
        let digits = Digits { digits: vec![16; 5], real_slots: false };
        let found = fastest_tree(&request, &digits).unwrap();
        let mut literal = found.parameters.literal().clone();
        let tree = literal.multiplexer.as_mut().unwrap();
        assert!(tree.table_bits > 0 && f64::from(tree.table_bits) < 4.6 * literal.log2_scale);
        (tree.table_bits, tree.spare_bits) = (0, 0);
        let alike = Candidate::new(&request, Parameters::new(literal).unwrap());
        assert!(found.seconds < 0.96 * alike.seconds);
        assert!(found.parameters.failure().noise_ratio > alike.parameters.failure().noise_ratio);
    }

    #[test]
    fn large_outputs_take_matrices_of_a_prime_each() {
        let request = Request { method: Some(Method::Cmt), ..Request::new(1 << 16, 1 << 16) };
        let digits = Digits { digits: vec![16; 4], real_slots: false };
        let found = fastest_tree(&request, &digits).unwrap();
        let of = &found.parameters.literal().slots_to_coeffs;
        assert_eq!((&of.stages[..], of.primes), (&[7, 8][..], 2));
        // Three matrices with three primes are equally precise, but need one more limb in all earlier steps.
        let mut three = found.parameters.literal().clone();
        // Secure parameters have no room for that limb; only the time matters here.
        three.security = SecurityLevel::Insecure;
        three.relinearization = Vec::new();
        let tree = three.multiplexer.as_mut().unwrap();
        (tree.table_bits, tree.spare_bits) = (0, 0);
        let stages = vec![5; 3];
        three.slots_to_coeffs = DftLiteral { stages, primes: 3, baby_steps: 8, ..of.clone() };
        let three = Candidate::new(&request, Parameters::new(three).unwrap());
        assert!(three.seconds > 1.02 * found.seconds);
        // In real slots, the way back uses part of the primes, but the lookup still takes less time.
        let real = trees(&Request { digit_bits: Some(4), ..request }, false).unwrap();
        assert!(real[0].parameters.literal().real_slots && 1.05 * real[0].seconds < found.seconds);
    }
}
