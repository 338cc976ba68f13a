//! Arithmetic that lookups run on.

use cryptable_ckks::{Bootstrapping, Evaluator, Transfers};
use cryptable_ring::selected_product::TableMatrix;

use crate::multiplexer::table_step::TableArithmetic;

/// Arithmetic that lookups run on: the processor's is [`Evaluator`].
pub trait LookupArithmetic: TableArithmetic + Bootstrapping + Transfers {
    /// Entries `entry(o, i, j)` of a part of a table for `o < outer`, `i < inner`, `j < columns`, in the form that
    /// [`TableArithmetic::select`] reads; in absolute value below 2^39.
    fn table(
        &self,
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> Self::Table;
}

impl LookupArithmetic for Evaluator<'_> {
    fn table(
        &self,
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> TableMatrix {
        TableMatrix::new(outer, inner, columns, entry)
    }
}
