//! The multiplexer trees BMT and CMT: Algorithms 4 and 6 of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301), which
//! differ only in the size of the digits.
//!
//! The table is a matrix of rows and columns. Columns are selected by the most significant digits, rows
//! by the others; a row sum is the same integer combination of the column selectors for every slot:
//!
//! `f = Σ_rows δ_row · Σ_columns f(row, column)·δ_column`.
//!
//! One selector after the other selects rows, the least significant first, so that a sum over a digit is relinearized
//! once: a Kronecker product of all selectors would be relinearized entry by entry. Row sums are never stored: they are
//! made, multiplied by their selector and added up block by block in the cache ([`cryptable_ring::selected_product`]).
//!
//! With full packing every slot holds two values, x in its real and y in its imaginary part. Column
//! selectors are joined, `δ^x + i·δ^y`, so that one table step serves both, `R = R^x + i·R^y`. A row is
//! then selected by
//!
//! `δ^x·R^x + i·δ^y·R^y = Σ R·(δ^x + δ^y)/2 + conj(Σ R·(δ^x - δ^y)/2)`,
//!
//! with one conjugation for the whole sum.

use cryptable_ckks::Arithmetic;
use cryptable_lattice::Result;

use crate::multiplexer::table_step::TableArithmetic;
use crate::step::Step;

/// The selectors of all rows and columns of a table.
#[derive(Clone, Debug)]
pub(crate) struct Selectors<C> {
    /// The row selectors, the least significant first.
    pub rows: Vec<RowSelector<C>>,
    /// `δ_j^x + i·δ_j^y` for every column j.
    pub columns: Vec<C>,
}

/// The entries of one row selector: `[δ]` for one real value per slot, `[(δ^x + δ^y)/2, (δ^x - δ^y)/2]` for two values.
pub(crate) type RowSelector<C> = Vec<Vec<C>>;

/// Makes a row selector from the real deltas of one part or two.
///
/// # Panics
/// If the number of parts is not one or two.
pub(crate) fn row_selector<A: Arithmetic>(
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

/// Evaluates a table. Returns the selected entries, x in the real and y in the imaginary parts of slots (lines 8 to 10
/// of Algorithm 4, 6 to 8 of Algorithm 6, and their sums).
///
/// `tables[t]` are the entries of table step t, for the rows from `t·outer·inner` on ([`step_shape`]); `step()` is
/// called after each table step. Consumes one level per row selector.
///
/// # Errors
/// The errors of `step`, immediately.
///
/// # Panics
/// If there is no row selector, or there is not one part of the table per table step.
pub(crate) fn evaluate<A: TableArithmetic>(
    arithmetic: &A,
    selectors: &Selectors<A::Ciphertext>,
    tables: &[A::Table],
    step: Step<'_>,
) -> Result<A::Ciphertext> {
    let sizes: Vec<usize> = selectors.rows.iter().map(|selector| selector[0].len()).collect();
    assert_eq!(tables.len(), table_steps(&sizes), "one part of the table per step");
    let mut tables = tables.iter();
    select_block(arithmetic, selectors, selectors.rows.len(), &mut tables, step)
}

/// Number of table steps of [`evaluate`] for row selectors of these sizes.
pub(crate) fn table_steps(row_sizes: &[usize]) -> usize {
    row_sizes.iter().skip(2).product()
}

/// Number of outputs of one table step, among which the second row selector chooses, and number of rows per output,
/// among which the first one does.
pub(crate) fn step_shape(row_sizes: &[usize]) -> (usize, usize) {
    (row_sizes.get(1).map_or(1, |&size| size), row_sizes[0])
}

/// Selects among the rows that the next tables hold, by the first `depth` row selectors.
fn select_block<'t, A: TableArithmetic>(
    arithmetic: &A,
    selectors: &Selectors<A::Ciphertext>,
    depth: usize,
    tables: &mut std::slice::Iter<'t, A::Table>,
    step: Step<'_>,
) -> Result<A::Ciphertext>
where
    A::Table: 't,
{
    if depth <= 2 {
        // One table step makes all outputs among which the second selector chooses.
        let columns: Vec<_> = selectors.columns.iter().collect();
        let inner: Vec<Vec<_>> = selectors.rows[0].iter().map(|set| set.iter().collect()).collect();
        let table = tables.next().expect("one part of the table per step");
        arithmetic.begin_stage("table_step");
        let products = arithmetic.select(&columns, table, &inner);
        step()?;
        arithmetic.begin_stage("row_selection");
        let mut outputs = arithmetic.map_all(products, |sets| join_parts(arithmetic, sets));
        if depth == 1 {
            return Ok(outputs.swap_remove(0));
        }
        return select_outputs(arithmetic, outputs.into_iter().map(Ok), &selectors.rows[1]);
    }
    let selector = &selectors.rows[depth - 1];
    let outputs = (0..selector[0].len())
        .map(|_| select_block(arithmetic, selectors, depth - 1, &mut *tables, step));
    select_outputs(arithmetic, outputs, selector)
}

/// Computes `Σ_v outputs_v·δ_v`, part by part. Outputs are made and dropped one by one.
///
/// # Errors
/// The first error of an output.
pub(crate) fn select_outputs<A: Arithmetic>(
    arithmetic: &A,
    outputs: impl Iterator<Item = Result<A::Ciphertext>>,
    selector: &RowSelector<A::Ciphertext>,
) -> Result<A::Ciphertext> {
    let mut sums: Vec<Option<A::Product>> = selector.iter().map(|_| None).collect();
    for (value, output) in outputs.enumerate() {
        let output = output?;
        for (sum, set) in sums.iter_mut().zip(selector) {
            let product = arithmetic.product(&output, &set[value]);
            match sum {
                Some(sum) => arithmetic.add_product_assign(sum, &product),
                None => *sum = Some(product),
            }
        }
    }
    Ok(join_parts(arithmetic, sums.into_iter().map(|sum| sum.expect("an output")).collect()))
}

/// Computes `A`, or `A + conj(B)` for two sets, relinearized and rescaled.
pub(crate) fn join_parts<A: Arithmetic>(arithmetic: &A, sets: Vec<A::Product>) -> A::Ciphertext {
    let mut sets = sets.into_iter().map(|product| arithmetic.relinearize(product, 1));
    let mut sum = sets.next().expect("one or two sets");
    if let Some(difference) = sets.next() {
        arithmetic.add_assign(&mut sum, &arithmetic.conjugate(&difference));
    }
    sum
}
