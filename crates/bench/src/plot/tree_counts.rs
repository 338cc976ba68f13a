//! Costs of multiplexer trees by count, beside the formulas of Dumezy et al. (TCHES 2026(1), Section 6), in Markdown: Kronecker
//! products (Figure 2) and digit decomposition.

use cryptable::engines::packed::{CostModel, Counts, Method, Parameters, Request, Result};
use cryptable_papers::dumezy_2026::{DecompositionModel, kronecker_products};

/// Widths of tables in the table of products.
const WIDTHS: [u32; 7] = [8, 10, 12, 14, 16, 18, 20];

/// Bits of digits in the table of products.
const DIGIT_BITS: [u32; 6] = [1, 2, 3, 4, 5, 6];

/// Widths of tables in the table of decompositions.
const DECOMPOSED_WIDTHS: [u32; 3] = [8, 12, 16];

/// Bits of digits in the table of decompositions: those for which the paper has times of their polynomials.
const DECOMPOSED_DIGIT_BITS: [u32; 3] = [1, 2, 4];

/// Parts of a lookup after the decomposition.
const AFTER_DECOMPOSITION: [&str; 3] = ["selectors", "table_step", "row_selection"];

/// Returns the parameters of the tree that the planner chooses for tables of `bits` bits.
fn planned(bits: u32, digit_bits: Option<u32>) -> Result<Parameters> {
    let method = Some(if digit_bits == Some(1) { Method::Bmt } else { Method::Cmt });
    let digit_bits = digit_bits.filter(|&bits| bits > 1);
    Parameters::choose(&Request { method, digit_bits, ..Request::new(1 << bits, 1 << bits) })
}

/// Formats sizes of digits, with powers for equal ones: `8^2 x 16`.
fn product_of_sizes(digits: &[u64]) -> String {
    let groups = digits.chunk_by(|a, b| a == b);
    let power = |group: &[u64]| match group.len() {
        1 => group[0].to_string(),
        count => format!("{}^{count}", group[0]),
    };
    groups.map(power).collect::<Vec<_>>().join(" x ")
}

/// Returns a table of the multiplications of ciphertexts in both Kronecker products by the paper, and the key switches of the
/// corresponding parts of this library's trees.
pub fn products() -> Result<String> {
    let mut table = String::from(
        "| bits | BMT | CMT, digits of 2 bits | 3 | 4 | 5 | 6 | here: digits | selectors | rows |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for bits in WIDTHS {
        let counts = DIGIT_BITS.map(|digit_bits| kronecker_products(bits, digit_bits).to_string());
        let parameters = planned(bits, None)?;
        let tree = parameters.literal().multiplexer.as_ref();
        let digits = tree.map_or_else(String::new, |tree| product_of_sizes(&tree.digits));
        let stages = parameters.stage_counts(1);
        let switches = |name| stage(&stages, name).key_switches;
        let (selectors, rows) = (switches("selectors"), switches("row_selection"));
        let counts = counts.join(" | ");
        table += &format!("| {bits} | {counts} | {digits} | {selectors} | {rows} |\n");
    }
    Ok(table)
}

/// Returns a table of C_PreBMT and C_PreCMT in seconds on the paper's machine, and of the same part of this library's lookups
/// in u by the cost model.
pub fn decompositions() -> Result<String> {
    let mut table = String::from(
        "| bits | paper: bits, s | digits of 2 bits | of 4 bits | here: bits, u | digits of 2 bits | of 4 bits |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for bits in DECOMPOSED_WIDTHS {
        let theirs = DECOMPOSED_DIGIT_BITS.map(|digit_bits| published(bits, digit_bits));
        let theirs = theirs.map(|seconds| format!("{seconds:.0}")).join(" | ");
        let mut ours = Vec::new();
        for digit_bits in DECOMPOSED_DIGIT_BITS {
            // Units are rounded to tens, since counts are not more accurate.
            let units = (decomposition_units(bits, digit_bits)? / 10.0).round() * 10.0;
            ours.push(format!("{units:.0}"));
        }
        table += &format!("| {bits} | {theirs} | {} |\n", ours.join(" | "));
    }
    Ok(table)
}

/// Returns the paper's cost of the decomposition of `bits` bits into digits of `digit_bits` bits.
fn published(bits: u32, digit_bits: u32) -> f64 {
    let (model, bits, digit_bits) =
        (DecompositionModel::published(), f64::from(bits), f64::from(digit_bits));
    match DecompositionModel::published_polynomial(digit_bits) {
        Some(polynomial) if digit_bits > 1.0 => model.collapsed(bits, digit_bits, polynomial),
        _ => model.binary(bits),
    }
}

/// Returns the units of the decomposition of a planned lookup by the cost model. They exclude the selectors, the table, and the
/// result's share of SlotsToCoeffs, which costs as much as that of each digit but the last.
fn decomposition_units(bits: u32, digit_bits: u32) -> Result<f64> {
    let parameters = planned(bits, Some(digit_bits))?;
    let digits = parameters.literal().multiplexer.as_ref().map_or(1, |tree| tree.digits.len());
    let model = CostModel::default();
    let units = |(name, counts): &(&str, Counts)| {
        let units = model.seconds(&counts.work(parameters.ring_degree())) / model.unit();
        match *name {
            name if AFTER_DECOMPOSITION.contains(&name) => 0.0,
            "slots_to_coeffs" => units * (digits - 1) as f64 / digits as f64,
            _ => units,
        }
    };
    Ok(parameters.stage_counts(1).iter().map(units).sum())
}

/// Returns the counts of a part of a lookup; zero if there is no such part.
fn stage(stages: &[(&str, Counts)], name: &str) -> Counts {
    let found = stages.iter().find(|(other, _)| *other == name);
    found.map_or_else(Counts::default, |(_, counts)| *counts)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use cryptable::engines::packed::MultiplexerLiteral;
    use cryptable_papers::dumezy_2026::kronecker_product;

    use super::*;

    /// Checks that trees of two selectors, the paper's form, need twice the paper's number of products, since a slot holds two
    /// values, except for the last products of columns, which are added before they are relinearized.
    #[test]
    fn trees_of_the_papers_form_take_its_products() {
        for digits in [vec![2; 8], vec![2; 11], vec![4; 4], vec![4; 5], vec![8; 4], vec![16; 4]] {
            let lower = digits.len().div_ceil(2);
            let selectors = vec![lower, digits.len() - lower];
            let tree =
                MultiplexerLiteral { digits: digits.clone(), selectors, ..Default::default() };
            let toy = Parameters::insecure_toy_tree(16, 1024, 1024, tree, 0).unwrap();
            let found = stage(&toy.stage_counts(1), "selectors").key_switches as u64;
            let (rows, columns) = digits.split_at(lower);
            let products = kronecker_product(rows) + kronecker_product(columns);
            let joined: u64 = columns.iter().product();
            assert_eq!(found, 2 * products - joined, "{digits:?}");
            let (bits, digit_bits) = (digits[0].ilog2() * digits.len() as u32, digits[0].ilog2());
            assert_eq!(products, kronecker_products(bits, digit_bits));
        }
    }

    #[test]
    fn tables_of_the_book_are_those_of_today() {
        let plots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plots");
        let kept = |name: &str| fs::read_to_string(plots.join(name)).unwrap();
        assert_eq!(kept("kronecker_products.md"), products().unwrap());
        assert_eq!(kept("decomposition_costs.md"), decompositions().unwrap());
    }

    /// Checks that digits of 2 and of 4 bits decompose faster than bits, both by the paper's formula and here.
    #[test]
    fn larger_digits_decompose_faster() {
        for of in [published, |bits, digit_bits| decomposition_units(bits, digit_bits).unwrap()] {
            let [bits, two, four] = DECOMPOSED_DIGIT_BITS.map(|digit_bits| of(16, digit_bits));
            assert!(two < bits && four < two, "{bits} {two} {four}");
        }
    }

    #[test]
    fn sizes_are_powers() {
        assert_eq!(product_of_sizes(&[8, 8, 16]), "8^2 x 16");
        assert_eq!(product_of_sizes(&[2, 4]), "2 x 4");
    }
}
