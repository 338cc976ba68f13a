//! Noise of tables of bits, by the derivatives of their multilinear extensions; see `table_of_bits.rs`.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::dry_run::{Counts, Shape, SlotNoise};
use cryptable_lattice::Result;

use crate::bit_table::BitTable;
use crate::circuit::BitCircuit;
use crate::noise::BitNoise;
use crate::parameters::Parameters;
use crate::table_of_bits::{self, low_half};

impl Parameters {
    /// Noise after tables of the same bits, one value per table, for bits with `levels` levels left and the worst
    /// argument. It consists of the noises of all inputs with which the output changes, added as deviations because
    /// inputs may depend on each other, of products of their errors, and of roundings.
    ///
    /// ```
    /// use cryptable_bits::{BitTable, Packing, Parameters};
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let fresh = parameters.fresh_noise();
    /// let parity = BitTable::from_fn(4, |x| x.count_ones() % 2 == 1)?;
    /// let noise = parameters.noise_after_tables(&[parity], &[fresh; 4], 2)[0];
    /// assert!(noise.deviation() > 4.0 * fresh.deviation());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Panics
    /// If a table has another number of inputs, or needs more levels.
    #[must_use]
    pub fn noise_after_tables(
        &self,
        tables: &[BitTable],
        inputs: &[BitNoise],
        levels: usize,
    ) -> Vec<BitNoise> {
        let limbs = self.literal().input_limbs() + levels;
        let log2_fail = self.noise_model().log2_fail;
        let of_products = of_products(inputs, log2_fail);
        let of_table = |table: &BitTable| {
            assert_eq!(table.inputs(), inputs.len(), "inputs of a table");
            let roundings = self.noise_model().of_slots(roundings(self.circuit(), table, limbs));
            let noise = worst_sum(table, inputs);
            let noise = noise.with_independent(of_products).with_independent(roundings);
            // A constant result has no noise, but no bits are stated to have less noise than fresh ones.
            noise.at_least(self.fresh_noise())
        };
        tables.iter().map(of_table).collect()
    }

    /// Counts the operations of tables of the same bits, with `levels` levels left. `lowered` of the bits have one
    /// level more and are lowered.
    ///
    /// # Errors
    /// If `levels` is not from what the tables need to [`Parameters::levels_after_bootstrap`].
    ///
    /// # Panics
    /// If there are no tables, or their numbers of inputs differ.
    pub fn table_counts(
        &self,
        tables: &[BitTable],
        levels: usize,
        lowered: usize,
    ) -> Result<Counts> {
        let (inputs, top) = (tables[0].inputs(), self.literal().output_limbs());
        self.counts(levels, tables[0].levels(), |dry_run, x, _| {
            let limbs = (x.limbs + 1).min(top);
            let above = Shape { limbs, scale: self.circuit().scale_at(limbs), ..*x };
            for _ in 0..lowered {
                self.circuit().lower(dry_run, &above, x.limbs);
            }
            table_of_bits::evaluate(dry_run, self.circuit(), &vec![*x; inputs], tables)[0]
        })
    }
}

/// Sum of the noises of the inputs with which the output changes, the largest over all arguments.
fn worst_sum(table: &BitTable, inputs: &[BitNoise]) -> BitNoise {
    let sum_at = |x: usize| {
        let sensitive = inputs.iter().enumerate().filter(|(i, _)| table.derivative(x, *i) != 0);
        sensitive.map(|(_, noise)| *noise).sum::<BitNoise>()
    };
    (0..1 << table.inputs()).map(sum_at).fold(BitNoise::default(), BitNoise::at_least)
}

/// Bounds the products of two or more errors, at most `Σ_{|S|≥2} 2^{|S|-1}·Π_{i∈S} ε_i`: a difference of order n of
/// bits is at most 2^{n-1}. The root mean square is that of the products of two errors, from their fourth moments, as
/// if all errors were equal up to a factor.
fn of_products(inputs: &[BitNoise], log2_fail: f64) -> BitNoise {
    let above_first_order = |errors: &[f64]| -> f64 {
        let product: f64 = errors.iter().map(|error| 1.0 + 2.0 * error).product();
        ((product - 1.0) / 2.0 - errors.iter().sum::<f64>()).max(0.0)
    };
    let largest: Vec<f64> = inputs.iter().map(|noise| noise.largest(log2_fail)).collect();
    let average: Vec<f64> = inputs.iter().map(|noise| noise.fourth_moment().powf(0.25)).collect();
    BitNoise::bias_of(above_first_order(&largest), above_first_order(&average))
}

/// Variance of the noise of slots that roundings of characters and of the result add.
fn roundings(circuit: &BitCircuit, table: &BitTable, limbs: usize) -> f64 {
    let inputs: Vec<bool> = (0..table.inputs()).map(|input| table.depends_on(input)).collect();
    let depth = table.levels();
    if depth == 0 {
        return 0.0;
    }
    let half = low_half(inputs.len());
    let halves = [&inputs[..half], &inputs[half..]];
    let characters: f64 =
        halves.iter().map(|group| of_characters(circuit, group, limbs, depth - 1)).sum();
    characters + rounding(circuit, limbs - depth, 1.0)
}

/// Returns the variance that roundings of the characters of a group of inputs add to an output: at most a quarter of
/// one, at every level, if the table depends on the group.
fn of_characters(circuit: &BitCircuit, group: &[bool], limbs: usize, depth: usize) -> f64 {
    if depth == 0 || !group.contains(&true) {
        return 0.0;
    }
    let (low, high) = group.split_at(low_half(group.len()));
    let above: f64 =
        [low, high].iter().map(|half| of_characters(circuit, half, limbs, depth - 1)).sum();
    above + rounding(circuit, limbs - depth, f64::from(1 << group.len())) / 4.0
}

/// Variance of the real part of the rounding of a product with `limbs` limbs left, at the scale of bits over `factor`.
fn rounding(circuit: &BitCircuit, limbs: usize, factor: f64) -> f64 {
    let dry_run = circuit.dry_run();
    let scale = circuit.scale_at(limbs) / factor * dry_run.prime(limbs);
    let product = Shape::new(limbs + 1, scale, 1.0, SlotNoise::ZERO);
    dry_run.relinearize(product, 1).noise.total() / 2.0
}
