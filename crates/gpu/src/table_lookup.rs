//! The table step of multiplexer trees on a card.

use cryptable_ckks::{Evaluator, Transfers};
use cryptable_packed::{LookupArithmetic, TableArithmetic};
use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};

use crate::ciphertext::{DeviceCiphertext, DeviceProduct};
use crate::evaluator::DeviceEvaluator;
use crate::poly::DevicePoly;
use crate::tensor::DeviceTensor;

impl TableArithmetic for DeviceEvaluator<'_> {
    type Table = TableMatrix;

    fn select(
        &self,
        columns: &[&DeviceCiphertext],
        table: &TableMatrix,
        selectors: &[Vec<&DeviceCiphertext>],
    ) -> Vec<Vec<DeviceProduct>> {
        let ring = self.ring();
        let fetch = |ct: &&DeviceCiphertext| self.fetch((*ct).clone()).expect("card");
        let columns: Vec<_> = columns.iter().map(fetch).collect();
        let selectors: Vec<Vec<_>> =
            selectors.iter().map(|set| set.iter().map(fetch).collect()).collect();
        let all = || columns.iter().chain(selectors.iter().flatten());
        let limbs = all().map(|ct| ct.limbs()).min().expect("columns");
        let scale = columns[0].scale * selectors[0][0].scale;
        Evaluator::check_scales(scale, scale);
        let columns: Vec<_> = columns.iter().map(|ct| [&ct.parts.c0, &ct.parts.c1]).collect();
        let selectors: Vec<Vec<_>> = selectors
            .iter()
            .map(|set| set.iter().map(|ct| [&ct.parts.c0, &ct.parts.c1]).collect())
            .collect();
        let tensors = selected_matrix_product(ring.ring(), limbs, &columns, table, &selectors);
        let up = |poly: &cryptable_ring::Poly<cryptable_ring::Evaluations>| {
            DevicePoly::upload(ring, poly)
        };
        tensors
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(|t| DeviceProduct {
                        tensor: DeviceTensor { d0: up(&t.d0), d1: up(&t.d1), d2: up(&t.d2) },
                        scale,
                    })
                    .collect()
            })
            .collect()
    }
}

impl LookupArithmetic for DeviceEvaluator<'_> {
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
