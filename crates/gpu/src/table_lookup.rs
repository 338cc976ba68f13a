//! The table step of multiplexer trees on a card.

use cryptable_ckks::Evaluator;
use cryptable_packed::{LookupArithmetic, TableArithmetic};

use crate::ciphertext::{DeviceCiphertext, DeviceProduct};
use crate::evaluator::DeviceEvaluator;
use crate::table_step::{DeviceTable, selected_matrix_product};

impl TableArithmetic for DeviceEvaluator<'_> {
    type Table = DeviceTable;

    fn select(
        &self,
        columns: &[&DeviceCiphertext],
        table: &DeviceTable,
        selectors: &[Vec<&DeviceCiphertext>],
    ) -> Vec<Vec<DeviceProduct>> {
        let all = || columns.iter().chain(selectors.iter().flatten());
        let limbs = all().map(|ct| ct.limbs()).min().expect("columns");
        let (column, selector) = (columns[0], selectors[0][0]);
        columns.iter().for_each(|ct| Evaluator::check_scales(column.scale, ct.scale));
        let of_sets = selectors.iter().flatten();
        of_sets.for_each(|ct| Evaluator::check_scales(selector.scale, ct.scale));
        let columns: Vec<_> = columns.iter().map(|ct| ct.pair()).collect();
        let selectors: Vec<Vec<_>> =
            selectors.iter().map(|set| set.iter().map(|ct| ct.pair()).collect()).collect();
        let scale = column.scale * selector.scale;
        let tensors = selected_matrix_product(self.ring(), limbs, &columns, table, &selectors);
        let product = |tensor| DeviceProduct { tensor, scale };
        tensors.into_iter().map(|row| row.into_iter().map(product).collect()).collect()
    }
}

impl LookupArithmetic for DeviceEvaluator<'_> {
    fn table(
        &self,
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> DeviceTable {
        DeviceTable::new(self.ring().device(), outer, inner, columns, entry)
    }
}
