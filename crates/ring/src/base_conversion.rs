//! Base conversion between residue number systems: ModUp, ModDown and rescale.
//!
//! An integer x, given by its residues modulo `q_1 … q_k` (product Q), equals `Σ y_i·(Q/q_i) - v·Q`, where
//! `y_i = [x·(Q/q_i)^-1]_{q_i}` and v is a small integer. A conversion finds `v = round(Σ y_i/q_i)`, which yields the
//! representative of least absolute value (Halevi, Polyakov, Shoup 2019). Omitting v (Bajard et al. 2016) would save
//! one term in a sum of k. With rounding, however, the digits of key switching are half as large, and ModDown rounds to
//! nearest.

use rayon::prelude::*;

use crate::combination::by_block;
use crate::kernels;
use crate::{Buffer, NttTable};

/// Words that the source blocks of a conversion may occupy together, 32 KiB: they stay in the first-level cache for all
/// targets.
const BLOCK_WORDS: usize = 4096;

/// A conversion from one set of primes, of product Q, to all primes of a ring.
///
/// Primes are numbered by their place in `tables`, which every method receives: the tables of the ring.
#[derive(Debug)]
pub(crate) struct BaseConverter {
    /// The numbers of the source primes q_i.
    sources: Vec<usize>,
    /// `(Q/q_i)^-1 · N^-1 mod q_i`: includes the factor that the inverse NTT leaves.
    scaled_inverses: Vec<u64>,
    /// `1/q_i`.
    reciprocals: Vec<f64>,
    /// `[target][i] = Q/q_i mod target`, and `-Q mod target` as the last entry.
    factors: Vec<Vec<u64>>,
    /// `[target] = Q^-1 mod target` (0 where the target shares a prime with a source).
    product_inverses: Vec<u64>,
    /// Whether a source prime exceeds 2^50.
    wide: bool,
}

impl BaseConverter {
    /// Computes the constants for the given source primes.
    pub(crate) fn new(tables: &[NttTable], sources: &[usize]) -> Self {
        let modulus = |prime: usize| tables[prime].modulus();
        let values: Vec<u64> = sources.iter().map(|&i| modulus(i).value()).collect();
        // Product of all source primes but `skip`, modulo the prime `target`.
        let product = |target: usize, skip: Option<usize>| {
            let m = modulus(target);
            values
                .iter()
                .enumerate()
                .filter(|&(i, _)| Some(i) != skip)
                .fold(1, |product, (_, &q)| m.mul(product, m.reduce(q)))
        };
        let scaled_inverses = sources
            .iter()
            .enumerate()
            .map(|(i, &source)| {
                let m = modulus(source);
                m.mul(m.inv(product(source, Some(i))), tables[source].degree_inverse())
            })
            .collect();
        let factors = (0..tables.len())
            .map(|target| {
                let mut row: Vec<u64> =
                    (0..sources.len()).map(|i| product(target, Some(i))).collect();
                row.push(modulus(target).neg(product(target, None)));
                row
            })
            .collect();
        let product_inverses = (0..tables.len())
            .map(|target| modulus(target).try_inv(product(target, None)).unwrap_or(0))
            .collect();
        Self {
            sources: sources.to_vec(),
            scaled_inverses,
            reciprocals: values.iter().map(|&q| 1.0 / q as f64).collect(),
            factors,
            product_inverses,
            wide: values.iter().any(|&q| q >= 1 << 50),
        }
    }

    /// `Q^-1` modulo the modulus `target`, or 0 if it shares a prime with Q.
    pub(crate) fn product_inverse(&self, target: usize) -> u64 {
        self.product_inverses[target]
    }

    /// See [`crate::Ring::convert_base`].
    pub(crate) fn convert(
        &self,
        tables: &[NttTable],
        source: &[u64],
        targets: &mut [(usize, &mut [u64])],
    ) {
        let degree = tables[0].degree();
        let mut scaled = Buffer::unspecified(source.len());
        let limbs = scaled.par_chunks_mut(degree).zip(source.par_chunks(degree));
        limbs.enumerate().for_each(|(i, (limb, source))| {
            let table = &tables[self.sources[i]];
            table.inverse_scaled(limb, source, self.scaled_inverses[i]);
        });
        self.convert_prepared(tables, &scaled, targets);
    }

    /// Converts evaluations modulo source prime `index` to the `y_i` of the conversion, in place.
    pub(crate) fn prepare(&self, tables: &[NttTable], index: usize, words: &mut [u64]) {
        let table = &tables[self.sources[index]];
        table.inverse_scaled_assign(words, self.scaled_inverses[index]);
    }

    /// Converts like [`BaseConverter::convert`], from limbs that [`BaseConverter::prepare`] wrote.
    pub(crate) fn convert_prepared(
        &self,
        tables: &[NttTable],
        scaled: &[u64],
        targets: &mut [(usize, &mut [u64])],
    ) {
        let degree = tables[0].degree();
        assert_eq!(scaled.len(), degree * self.sources.len());
        let terms = self.sources.len() + 1;
        let block = (BLOCK_WORDS / terms).next_power_of_two().clamp(64, BLOCK_WORDS).min(degree);
        let primes: Vec<usize> = targets.iter().map(|(prime, _)| *prime).collect();
        let columns = by_block(targets.iter_mut().map(|(_, limb)| &mut **limb), block);
        columns.into_par_iter().enumerate().for_each(|(index, column)| {
            let inputs: Vec<&[u64]> = scaled
                .chunks(degree)
                .map(|limb| &limb[index * block..(index + 1) * block])
                .collect();
            let outputs = primes.iter().copied().zip(column);
            self.convert_block(tables, inputs, outputs);
        });
    }

    /// Converts one block of coefficients, small enough to stay in cache for all targets.
    fn convert_block<'a>(
        &self,
        tables: &[NttTable],
        inputs: Vec<&[u64]>,
        mut outputs: impl Iterator<Item = (usize, &'a mut [u64])>,
    ) {
        if inputs.len() == 1 {
            let source = tables[self.sources[0]].modulus();
            for (prime, output) in outputs {
                kernels::lift_centered(tables[prime].modulus(), output, inputs[0], source);
            }
            return;
        }
        let mut overflow = vec![0; inputs[0].len()];
        let isa = tables[self.sources[0]].modulus().wide_isa();
        kernels::fractions_round(isa, &mut overflow, &inputs, &self.reciprocals);
        let inputs = [&inputs[..], &[&overflow]].concat();
        let modulus = |prime: usize| {
            let m = tables[prime].modulus();
            // Words of a source prime above 2^50 are too long for the vector kernels of a shorter target prime.
            if self.wide { m.for_wide_words() } else { *m }
        };
        let factors = |prime: usize| &self.factors[prime][..];
        while let Some((prime0, output0)) = outputs.next() {
            let (m0, factors0) = (modulus(prime0), factors(prime0));
            let Some((prime1, output1)) = outputs.next() else {
                return kernels::linear_combination(&m0, output0, &inputs, factors0);
            };
            let (moduli, factors) = ([&m0, &modulus(prime1)], [factors0, factors(prime1)]);
            kernels::linear_combinations_of_two(moduli, [output0, output1], &inputs, factors);
        }
    }
}
