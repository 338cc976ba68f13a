//! The table step of multiplexer trees on a card.

use cryptable_packed::{LookupArithmetic, TableArithmetic};

use crate::ciphertext::{DeviceCiphertext, DeviceProduct};
use crate::evaluator::{DeviceEvaluator, parts};
use crate::table_step::{DeviceTable, selected_matrix_product};

impl TableArithmetic for DeviceEvaluator<'_> {
    type Table = DeviceTable;

    fn select(
        &self,
        columns: &[&DeviceCiphertext],
        table: &DeviceTable,
        selectors: &[Vec<&DeviceCiphertext>],
    ) -> Vec<Vec<DeviceProduct>> {
        let (limbs, scale) = self.selected_shape(columns, selectors);
        let columns = parts(columns);
        let selectors: Vec<_> = selectors.iter().map(|set| parts(set)).collect();
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
