//! Series at the least depth, or a level below: cut into halves until a block leaves a level for its constants.

use num_complex::Complex64;

use super::{PolynomialBasis, Steps, split_at_giant};
use crate::arithmetic::Arithmetic;

/// Baby steps from which on sums of blocks are made together: reading the steps takes longer than products with them.
const MANY_BABIES: usize = 7;

/// A series of steps, cut into high halves times giant steps, and one block of baby steps.
struct Series {
    /// Limbs of the block's sum, and of the products that are added to it.
    limbs: usize,
    /// Their scale.
    scale: f64,
    /// Coefficients of the block.
    block: Vec<Complex64>,
    /// High halves, and the log2 of the steps that multiply them.
    highs: Vec<(Series, u32)>,
}

/// Where a series is to be.
#[derive(Clone, Copy, Debug)]
struct Place {
    limbs: usize,
    scale: f64,
    /// Levels below the least depth.
    spared: usize,
}

impl Series {
    /// Itself and the series in it, each for its block; before those that it has in it.
    fn blocks(&self) -> Vec<&Self> {
        let inner = self.highs.iter().flat_map(|(high, _)| high.blocks());
        std::iter::once(self).chain(inner).collect()
    }
}

impl<C: Clone + Send + Sync> Steps<C> {
    /// Evaluates `Σ_k coefficients[k]·step_k` at the least depth, to an exact scale: `2^d` coefficients take d levels
    /// of x, their constants included.
    ///
    /// The series is cut in halves, `low + high·step_half`, as in [`Steps::evaluate`], but only until a block leaves a level
    /// for its constants, which takes more products: 4 in place of 3 for 16 coefficients in blocks of 4, 8 in place of 7
    /// for 32. A low half is cut again at the level of the whole, and all its products and its last block are added before
    /// one relinearization and one rescale: there are 3 relinearizations, or 5. Small blocks thus cost little: two baby
    /// steps less outweigh one product more.
    ///
    /// # Panics
    /// If the number of coefficients is no power of two that the steps serve.
    pub fn evaluate_at_least_depth<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: &[Complex64],
        scale: f64,
    ) -> C {
        self.evaluate_whole(arithmetic, &[coefficients.to_vec()], scale, 0).swap_remove(0)
    }

    /// Evaluates series of one length like [`Steps::evaluate_at_least_depth`], a level below: half as many products for long
    /// series. Sums of blocks are made of all series together, so that the steps are read once.
    ///
    /// # Panics
    /// As there.
    pub fn evaluate_with_constant_level<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<C> {
        self.evaluate_whole(arithmetic, series, scale, 1)
    }

    /// Evaluates series, `spared` levels below the least depth.
    fn evaluate_whole<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: &[Vec<Complex64>],
        scale: f64,
        spared: usize,
    ) -> Vec<C> {
        let cut = |coefficients: &Vec<Complex64>| {
            let length = coefficients.len();
            assert!(length.is_power_of_two() && (2..=self.length()).contains(&length), "{length}");
            let limbs = arithmetic.limbs(&self.babies[0]) - length.ilog2() as usize - spared;
            self.cut(arithmetic, coefficients.clone(), Place { limbs, scale, spared })
        };
        let series: Vec<Series> = series.iter().map(cut).collect();
        let mut sums = (self.babies.len() >= MANY_BABIES).then(|| self.sums(arithmetic, &series));
        series.into_iter().map(|it| self.join(arithmetic, it, &mut sums)).collect()
    }

    /// Cuts `Σ_k coefficients[k]·step_k` at a place into high halves, times giant steps, and one block,
    /// which are added up one prime above. Below the least depth, halves of zeros are skipped, as those beyond the 3p/2
    /// coefficients of second order.
    fn cut<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: Vec<Complex64>,
        place: Place,
    ) -> Series {
        let Place { limbs, scale, spared } = place;
        let levels = (arithmetic.limbs(&self.babies[0]) - limbs) as u32;
        let log_babies = self.log_babies;
        let wide = scale * arithmetic.prime(limbs);
        let (mut block, mut highs) = (coefficients, Vec::new());
        while !is_block(block.len().ilog2(), log_babies, levels) {
            let half = block.len() / 2;
            let mut high = block.split_off(half);
            if self.basis == PolynomialBasis::Chebyshev {
                split_at_giant(&mut block, &mut high);
            }
            if spared > 0 && is_zero(&high) {
                continue;
            }
            let log_giant = half.ilog2();
            let scale = wide / arithmetic.scale(self.power_of_two_step(log_giant));
            let above = Place { limbs: limbs + 1, scale, spared };
            highs.push((self.cut(arithmetic, high, above), log_giant));
        }
        // Steps above the last constant are not read.
        while spared > 0 && block.len() > 2 && is_zero(&block[block.len() / 2..]) {
            block.truncate(block.len() / 2);
        }
        Series { limbs: limbs + 1, scale: wide, block, highs }
    }

    /// Combines the baby steps for all blocks of series, in the order of [`Series::blocks`]: blocks of one level read the steps
    /// once.
    fn sums<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: &[Series],
    ) -> std::vec::IntoIter<C> {
        let blocks: Vec<&Series> = series.iter().flat_map(Series::blocks).collect();
        let mut sums: Vec<Option<C>> = vec![None; blocks.len()];
        for first in 0..blocks.len() {
            if sums[first].is_some() {
                continue;
            }
            let alike = |&index: &usize| {
                let (one, other) = (blocks[first], blocks[index]);
                (one.limbs, one.block.len()) == (other.limbs, other.block.len())
            };
            let group: Vec<usize> = (first..blocks.len()).filter(alike).collect();
            let of_group: Vec<&Series> = group.iter().map(|&index| blocks[index]).collect();
            for (index, sum) in group.into_iter().zip(self.combine_alike(arithmetic, &of_group)) {
                sums[index] = Some(sum);
            }
        }
        sums.into_iter().flatten().collect::<Vec<C>>().into_iter()
    }

    /// Combines the baby steps for blocks of as many limbs and coefficients.
    fn combine_alike<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        blocks: &[&Series],
    ) -> Vec<C> {
        let &Series { limbs, scale, .. } = blocks[0];
        let blocks: Vec<_> = blocks.iter().map(|it| (it.block.as_slice(), it.scale)).collect();
        self.combine(arithmetic, limbs, scale, &blocks)
    }

    /// Joins the blocks of a series: their sums are taken from the list, or made here where there is none.
    fn join<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: Series,
        sums: &mut Option<std::vec::IntoIter<C>>,
    ) -> C {
        let sum = sums.as_mut().map(|sums| sums.next().expect("a sum for each block"));
        let block = |it: &Series| self.combine_alike(arithmetic, &[it]).swap_remove(0);
        if series.highs.is_empty() {
            return arithmetic.rescale(sum.unwrap_or_else(|| block(&series)), 1);
        }
        let mut series = series;
        let highs: Vec<(C, &C)> = std::mem::take(&mut series.highs)
            .into_iter()
            .map(|(high, giant)| (self.join(arithmetic, high, sums), self.power_of_two_step(giant)))
            .collect();
        let pairs: Vec<(&C, &C)> = highs.iter().map(|(high, giant)| (high, *giant)).collect();
        let mut product = arithmetic.product_sum(&pairs);
        let sum = sum.unwrap_or_else(|| block(&series));
        arithmetic.product_add_assign(&mut product, &sum, 1.0);
        arithmetic.relinearize(product, 1)
    }
}

/// Relinearizations of [`Steps::evaluate_at_least_depth`] for `2^log_length` coefficients in blocks of `2^log_babies`,
/// beside those of the steps.
#[must_use]
pub fn relinearizations_at_least_depth(log_length: u32, log_babies: u32) -> u32 {
    of_subseries(log_length, log_babies, log_length)
}

/// Counts the relinearizations to evaluate a series of `2^log_length` coefficients with `2^log_babies` baby steps
/// within `levels` levels.
fn of_subseries(log_length: u32, log_babies: u32, levels: u32) -> u32 {
    let mut highs = (0..log_length).rev();
    let is_block = |log: u32| is_block(log, log_babies, levels);
    let (mut rest, mut count) = (log_length, 0);
    while !is_block(rest) {
        rest = highs.next().expect("two coefficients are a block");
        count += of_subseries(rest, log_babies, levels - 1);
    }
    count + u32::from(rest < log_length)
}

fn is_zero(coefficients: &[Complex64]) -> bool {
    coefficients.iter().all(|coefficient| *coefficient == Complex64::ZERO)
}

/// Whether `2^log_length` coefficients are one block, of up to `2^log_babies`, that leaves one of the levels for its
/// constants.
pub(super) fn is_block(log_length: u32, log_babies: u32, levels: u32) -> bool {
    let needed = if log_length == 1 { 1 } else { log_length + 1 };
    log_length <= log_babies && needed <= levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relinearizations_of_series() {
        // 3 of 16 coefficients in blocks of 4, 5 of 32, as counted by hand.
        let found = [(4, 2), (5, 2), (5, 3), (2, 2)]
            .map(|(length, babies)| relinearizations_at_least_depth(length, babies));
        assert_eq!(found, [3, 5, 4, 1]);
    }
}
