//! BMT and CMT: Algorithms 4 and 6 of Dumezy et al., which differ in the size of the digits only.
//!
//! The table is a matrix of rows and columns. Columns are selected by the most significant digits, rows
//! by the others; a row sum is the same integer combination of the column selectors for every slot:
//!
//! `f = Σ_rows δ_row · Σ_columns f(row, column)·δ_column`.
//!
//! Rows are selected by one selector after the other, the least significant first, so that a sum over a
//! digit is relinearized once: a Kronecker product of all of them would be relinearized entry by entry.
//! Row sums are never kept: they are made, multiplied by their selector and added up block by block in
//! the cache ([`cryptable_ring::selected_product`]).
//!
//! With full packing every slot holds two values, x in its real and y in its imaginary part. Column
//! selectors are joined, `δ^x + i·δ^y`, so that one table step serves both, `R = R^x + i·R^y`. A row is
//! then selected by
//!
//! `δ^x·R^x + i·δ^y·R^y = Σ R·(δ^x + δ^y)/2 + conj(Σ R·(δ^x - δ^y)/2)`,
//!
//! with one conjugation for the whole sum.

use cryptable_ckks::Arithmetic;
use rayon::prelude::*;

/// The selectors of all rows and columns of a table.
#[derive(Clone, Debug)]
pub struct Selectors<C> {
    /// One a row selector, the least significant first.
    pub rows: Vec<RowSelector<C>>,
    /// `δ_j^x + i·δ_j^y` for every column j.
    pub columns: Vec<C>,
}

/// The entries of one row selector: `[δ]` for one real value a slot, `[(δ^x + δ^y)/2, (δ^x - δ^y)/2]` for
/// two values.
pub type RowSelector<C> = Vec<Vec<C>>;

/// Rows of a table that one table step takes: `first + o·inner + i` for o < outer, i < inner, in all
/// columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRows {
    /// The first row.
    pub first: usize,
    /// Outputs.
    pub outer: usize,
    /// Rows an output.
    pub inner: usize,
}

impl<C> Selectors<C> {
    /// Number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.iter().map(|selector| selector[0].len()).product()
    }
}

/// A row selector of real deltas of one part, or of two.
///
/// # Panics
/// If there are not one or two parts.
#[must_use]
pub fn row_selector<A: Arithmetic>(
    arithmetic: &A,
    mut parts: Vec<Vec<A::Ciphertext>>,
) -> RowSelector<A::Ciphertext> {
    let (imaginary, real) = match parts.len() {
        1 => return parts,
        2 => (parts.swap_remove(1), parts.swap_remove(0)),
        count => panic!("{count} parts of a slot"),
    };
    let half = |mut ct| {
        arithmetic.divide_slots_assign(&mut ct, 2.0);
        ct
    };
    let (sums, differences) = real
        .into_iter()
        .zip(imaginary)
        .map(|(x, y)| {
            let (mut sum, mut difference) = (x.clone(), x);
            arithmetic.add_assign(&mut sum, &y);
            arithmetic.sub_assign(&mut difference, &y);
            (half(sum), half(difference))
        })
        .unzip();
    vec![sums, differences]
}

/// Evaluates a table: the selected entries, x in the real and y in the imaginary parts of slots.
///
/// `table(rows)` gives the entries of some rows as [`Arithmetic::select`] needs them, `step()` is called
/// after each table step. Takes one level a row selector.
///
/// # Panics
/// If there is no row selector.
#[must_use]
pub fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    selectors: &Selectors<A::Ciphertext>,
    table: &impl Fn(TableRows) -> A::Table,
    step: &dyn Fn(),
) -> A::Ciphertext {
    let mut outputs = select_block(arithmetic, selectors, selectors.rows.len(), 0, table, step);
    assert_eq!(outputs.len(), 1);
    outputs.swap_remove(0)
}

/// Table steps that [`evaluate`] takes for row selectors of these sizes.
#[must_use]
pub fn table_steps(row_sizes: &[usize]) -> usize {
    row_sizes.iter().skip(2).product()
}

/// Selects by the first `depth` row selectors in the rows from `first` on.
fn select_block<A: Arithmetic>(
    arithmetic: &A,
    selectors: &Selectors<A::Ciphertext>,
    depth: usize,
    first: usize,
    table: &impl Fn(TableRows) -> A::Table,
    step: &dyn Fn(),
) -> Vec<A::Ciphertext> {
    let sizes: Vec<usize> = selectors.rows[..depth].iter().map(|s| s[0].len()).collect();
    if depth <= 2 {
        // One table step makes all outputs over which the second selector chooses.
        let outer = if depth == 2 { sizes[1] } else { 1 };
        let rows = TableRows { first, outer, inner: sizes[0] };
        let columns: Vec<_> = selectors.columns.iter().collect();
        let inner: Vec<Vec<_>> = selectors.rows[0].iter().map(|set| set.iter().collect()).collect();
        let products = arithmetic.select(&columns, &table(rows), &inner);
        step();
        let outputs: Vec<_> =
            products.into_par_iter().map(|sets| join_parts(arithmetic, sets)).collect();
        if depth == 1 {
            return outputs;
        }
        return vec![select_outputs(arithmetic, outputs.into_iter(), &selectors.rows[1])];
    }
    let stride: usize = sizes[..depth - 1].iter().product();
    let outputs = (0..sizes[depth - 1]).map(|value| {
        let first = first + value * stride;
        select_block(arithmetic, selectors, depth - 1, first, table, step).swap_remove(0)
    });
    vec![select_outputs(arithmetic, outputs, &selectors.rows[depth - 1])]
}

/// `Σ_v outputs_v·δ_v`, part by part; outputs are made and dropped one by one.
pub(crate) fn select_outputs<A: Arithmetic>(
    arithmetic: &A,
    outputs: impl Iterator<Item = A::Ciphertext>,
    selector: &RowSelector<A::Ciphertext>,
) -> A::Ciphertext {
    let mut sums: Vec<Option<A::Product>> = selector.iter().map(|_| None).collect();
    for (value, output) in outputs.enumerate() {
        for (sum, set) in sums.iter_mut().zip(selector) {
            let product = arithmetic.product(&output, &set[value]);
            match sum {
                Some(sum) => arithmetic.add_product_assign(sum, &product),
                None => *sum = Some(product),
            }
        }
    }
    join_parts(arithmetic, sums.into_iter().map(|sum| sum.expect("an output")).collect())
}

/// `A`, or `A + conj(B)` for two sets, relinearized and rescaled.
pub(crate) fn join_parts<A: Arithmetic>(arithmetic: &A, sets: Vec<A::Product>) -> A::Ciphertext {
    let mut sets = sets.into_iter().map(|product| arithmetic.relinearize(product, 1));
    let mut sum = sets.next().expect("one or two sets");
    if let Some(difference) = sets.next() {
        arithmetic.add_assign(&mut sum, &arithmetic.conjugate(&difference));
    }
    sum
}
