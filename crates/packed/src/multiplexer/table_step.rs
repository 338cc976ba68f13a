//! The table step of multiplexer trees, on ciphertexts and on their shapes: an integer matrix product of a table with
//! its column selectors, whose rows are immediately multiplied by row selectors.
//!
//! These are lines 9 and 7 of Algorithms 4 and 6 of Dumezy et al. (ePrint 2025/1301).

use cryptable_ckks::dry_run::{Counts, Shape, SlotNoise, SlotVariance};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_ckks::{Arithmetic, Ciphertext, DryRun, Evaluator, Product};
use cryptable_lattice::cost::{equivalent_limbs, table_products};
use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};

/// Arithmetic that supports the table step.
pub(crate) trait TableArithmetic: Arithmetic {
    /// The integers of a part of a table, prepared for [`TableArithmetic::select`].
    type Table: Sync;

    /// Computes the table step, at the lowest level of its operands:
    /// `out[o][k] = Σ_i (Σ_j table[o][i][j]·columns[j]) · selectors[k][i]`, unrelinearized.
    ///
    /// All columns have the same scale, and so have all selectors.
    fn select(
        &self,
        columns: &[&Self::Ciphertext],
        table: &Self::Table,
        selectors: &[Vec<&Self::Ciphertext>],
    ) -> Vec<Vec<Self::Product>>;
}

/// Shape of a part of a table in a dry run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TableShape {
    /// Number of outputs of the table step.
    pub outer: usize,
    /// Number of rows that one output selects from.
    pub inner: usize,
    /// Number of columns of the table, one per column selector.
    pub columns: usize,
    /// Mean square of the entries.
    pub mean_square: f64,
}

impl TableArithmetic for Evaluator<'_> {
    type Table = TableMatrix;

    fn select(
        &self,
        columns: &[&Ciphertext],
        table: &TableMatrix,
        selectors: &[Vec<&Ciphertext>],
    ) -> Vec<Vec<Product>> {
        let all = columns.iter().chain(selectors.iter().flatten());
        let limbs = all.map(|ct| ct.limbs()).min().expect("columns");
        let column = columns[0].scale;
        let selector = selectors[0][0].scale;
        columns.iter().for_each(|ct| Self::check_scales(column, ct.scale));
        selectors.iter().flatten().for_each(|ct| Self::check_scales(selector, ct.scale));
        let columns: Vec<_> = columns.iter().map(|ct| [&ct.parts.c0, &ct.parts.c1]).collect();
        let selectors: Vec<Vec<_>> = selectors
            .iter()
            .map(|set| set.iter().map(|ct| [&ct.parts.c0, &ct.parts.c1]).collect())
            .collect();
        let tensors = selected_matrix_product(self.ring(), limbs, &columns, table, &selectors);
        let product = |tensor| Product { tensor, scale: column * selector };
        tensors.into_iter().map(|row| row.into_iter().map(product).collect()).collect()
    }
}

impl TableArithmetic for DryRun {
    type Table = TableShape;

    fn select(
        &self,
        columns: &[&Shape],
        table: &TableShape,
        selectors: &[Vec<&Shape>],
    ) -> Vec<Vec<Shape>> {
        assert_eq!(columns.len(), table.columns);
        let all = || columns.iter().chain(selectors.iter().flatten());
        let limbs = all().map(|ct| ct.limbs).min().expect("columns");
        let rows = table.outer * table.inner;
        let log2_primes: Vec<f64> = (0..limbs).map(|limb| self.prime(limb).log2()).collect();
        let log2_entry = table.mean_square.log2() / 2.0;
        let table_limbs = equivalent_limbs(&log2_primes, log2_entry, columns.len());
        self.add_counts(Counts {
            limb_products: 2 * limbs * columns.len() + rows * selectors.len() * limbs / 2,
            table_products: (2.0 * table_limbs * table_products(rows, columns.len())).round()
                as usize,
            ..Counts::default()
        });
        // Exactly one column selector is 1, so a row sum has the power of an entry; all columns contribute noise.
        let power = columns.iter().map(|ct| ct.power.0).sum::<f64>() * table.mean_square;
        let row = Shape {
            limbs,
            chain: 0,
            scale: columns[0].scale,
            power: SlotVariance(power),
            noise: columns.iter().map(|ct| ct.noise).sum::<SlotNoise>() * table.mean_square,
            sources: NoiseSources::union_of(columns.iter().map(|ct| ct.sources)),
        };
        // Entries are not bits: their absolute values, not their squares, multiply errors of selectors.
        let bound = |s: &Shape| row.noise.bound * s.power.0 + s.noise.bound * row.power.0.sqrt();
        let product = |s: &Shape| SlotNoise { bound: bound(s), ..row.product_noise(s) };
        let outputs = selectors.iter().map(|set| Shape {
            limbs,
            chain: 0,
            scale: row.scale * set[0].scale,
            power: SlotVariance(set.iter().map(|s| s.power.0 * row.power.0).sum()),
            noise: set.iter().map(|s| product(s)).sum(),
            sources: NoiseSources::union_of(set.iter().map(|s| row.sources.union(s.sources))),
        });
        vec![outputs.collect(); table.outer]
    }
}
