//! Evaluation of series that are halved until a block is left: at the least depth, a level below it, or with constants
//! that stay in the scale.

use num_complex::Complex64;

use super::{PolynomialBasis, Steps, split_at_giant};
use crate::arithmetic::Arithmetic;

/// Least number of baby steps for which the sums of all blocks are computed together: reading the steps then takes
/// longer than the products with them.
const MANY_BABIES: usize = 7;

/// A series of steps, split into high parts times giant steps, and one block of baby steps.
struct Series {
    /// Limbs of the block's sum, and of the products added to it.
    limbs: usize,
    /// Scale of these.
    scale: f64,
    /// Coefficients of the block.
    block: Vec<Complex64>,
    /// High parts, and the number of the step that multiplies each ([`Steps::factor`]).
    highs: Vec<(Series, usize)>,
    /// Number of primes that a block without high parts has to drop.
    surplus: usize,
}

/// Position of a series: its limbs, its scale and the place of its constants.
#[derive(Clone, Copy, Debug)]
struct Place {
    limbs: usize,
    scale: f64,
    constants: Constants,
}

/// Place of the constants.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Constants {
    /// On a level that blocks leave free, this number of levels below the least depth.
    OnLevel(usize),
    /// In the scale of the result.
    InScale,
}

impl Series {
    /// Lists the series and all series in it, each before those that it contains: each has one block.
    fn blocks(&self) -> Vec<&Self> {
        let inner = self.highs.iter().flat_map(|(high, _)| high.blocks());
        std::iter::once(self).chain(inner).collect()
    }
}

impl<C: Clone + Send + Sync> Steps<C> {
    /// Evaluates `Σ_k coefficients[k]·step_k` at the least depth, to an exact scale: up to `2^d` coefficients consume d
    /// levels of x, their constants included.
    ///
    /// The series is halved, `low + high·step_half`, as in [`Steps::evaluate`], but only until a block leaves a level
    /// for its constants. This needs more products: 4 in place of 3 for 16 coefficients in blocks of 4, 8 in place of 7
    /// for 32. A low half is cut again at the level of the whole, and all its products and its last block are added
    /// before one relinearization and one rescale. There are 3 relinearizations, or 5 for 32 coefficients; for 28
    /// coefficients 3. Small blocks thus cost little: saving two baby steps outweighs one more product.
    ///
    /// # Panics
    /// If there are fewer than two coefficients, or more than the steps support.
    pub fn evaluate_at_least_depth<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: &[Complex64],
        scale: f64,
    ) -> C {
        self.evaluate_whole(arithmetic, &[coefficients.to_vec()], scale, 0).swap_remove(0)
    }

    /// Evaluates series of one length like [`Steps::evaluate_at_least_depth`], one level below: this halves the number
    /// of products of long series. Sums of blocks of all series are computed together, so that the steps are read once.
    ///
    /// # Panics
    /// The panics of [`Steps::evaluate_at_least_depth`].
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
            assert!((2..=self.length()).contains(&length), "{length} coefficients");
            let levels = ceil_log2(length) as usize + spared;
            let limbs = arithmetic.limbs(&self.babies[0]) - levels;
            let constants = Constants::OnLevel(spared);
            self.cut(arithmetic, coefficients.clone(), Place { limbs, scale, constants })
        };
        self.evaluate_cut(arithmetic, series.iter().map(cut).collect())
    }

    /// Evaluates like [`Steps::evaluate`], with constants of this many bits that stay in the scale.
    ///
    /// A series is `low + high·step_half`, its low half is split again, and so on down to a block. All of these
    /// products are computed at the level of the whole, and so share one relinearization. For 16 blocks, this leaves 8
    /// relinearizations of 15, or 5 if the last of every four blocks has a step of its own.
    pub(super) fn evaluate_kept<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: Vec<Complex64>,
        bits: f64,
    ) -> C {
        let z = &self.babies[0];
        let count = coefficients.len().div_ceil(self.width());
        let limbs = arithmetic.limbs(z) - (ceil_log2(count) + self.log_babies) as usize;
        let scale = arithmetic.scale(z) * bits.exp2();
        let place = Place { limbs, scale, constants: Constants::InScale };
        let series = self.cut(arithmetic, coefficients, place);
        self.evaluate_cut(arithmetic, vec![series]).swap_remove(0)
    }

    fn evaluate_cut<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: Vec<Series>,
    ) -> Vec<C> {
        let mut sums = (self.babies.len() >= MANY_BABIES).then(|| self.sums(arithmetic, &series));
        series.into_iter().map(|it| self.join(arithmetic, it, &mut sums)).collect()
    }

    /// Number of coefficients of a block.
    fn width(&self) -> usize {
        self.babies.len() + 1
    }

    /// The step that multiplies the part after this number of coefficients.
    fn factor(&self, coefficients: usize) -> &C {
        match coefficients / self.width() {
            0 => &self.babies[coefficients - 1],
            3 => self.triple.as_ref().expect("a step of three blocks"),
            blocks => &self.giants[blocks.ilog2() as usize],
        }
    }

    /// Returns whether this number of coefficients forms a block.
    fn is_block(&self, length: usize, levels: u32, constants: Constants) -> bool {
        match constants {
            Constants::OnLevel(_) => is_block(ceil_log2(length), self.log_babies, levels),
            Constants::InScale => length <= self.width(),
        }
    }

    /// Cuts `Σ_k coefficients[k]·step_k` at a place into high parts, times giant steps, and one block. These are added
    /// up one prime above. Below the least depth, halves that are zero are skipped, for example beyond the 3p/2
    /// coefficients of second order.
    fn cut<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: Vec<Complex64>,
        place: Place,
    ) -> Series {
        let Place { limbs, scale, constants } = place;
        let levels = (arithmetic.limbs(&self.babies[0]) - limbs) as u32;
        let wide = scale * arithmetic.prime(limbs);
        let skips_zeros = matches!(constants, Constants::OnLevel(1..));
        let (mut block, mut highs) = (coefficients, Vec::new());
        let mut cut_high = |high: Vec<Complex64>, start: usize| {
            let scale = wide / arithmetic.scale(self.factor(start));
            let above = Place { limbs: limbs + 1, scale, constants };
            highs.push((self.cut(arithmetic, high, above), start));
        };
        // The last of four blocks, if step 3B has enough limbs.
        let triple = self.triple.as_ref().filter(|&step| arithmetic.limbs(step) > limbs);
        let last = triple.map(|_| 3 * self.width());
        while !self.is_block(block.len(), levels, constants) {
            let half = block.len().next_power_of_two() / 2;
            let mut high = block.split_off(half);
            if self.basis == PolynomialBasis::Chebyshev {
                split_at_giant(&mut block, &mut high);
            }
            if skips_zeros && is_zero(&high) {
                continue;
            }
            if let Some(last) = last.filter(|last| (half + 1..half + high.len()).contains(last)) {
                cut_high(high.split_off(last - half), last);
            }
            cut_high(high, half);
        }
        // Steps beyond the last constant are not read.
        while skips_zeros && block.len() > 2 && is_zero(&block[block.len() / 2..]) {
            block.truncate(block.len() / 2);
        }
        match (highs.is_empty(), constants) {
            (true, Constants::InScale) => Series { limbs, scale, block, highs, surplus: 0 },
            _ => Series { limbs: limbs + 1, scale: wide, block, highs, surplus: 1 },
        }
    }

    /// Combines the baby steps for all blocks of series, in the order of [`Series::blocks`]. Blocks of one level read
    /// the steps only once.
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

    /// Combines the baby steps for blocks with equal numbers of limbs and coefficients.
    fn combine_alike<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        blocks: &[&Series],
    ) -> Vec<C> {
        let &Series { limbs, scale, .. } = blocks[0];
        let blocks: Vec<_> = blocks.iter().map(|it| (it.block.as_slice(), it.scale)).collect();
        self.combine(arithmetic, limbs, scale, &blocks)
    }

    /// Joins the blocks of a series. Their sums come from the list, or are computed here if the list has none.
    fn join<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        series: Series,
        sums: &mut Option<std::vec::IntoIter<C>>,
    ) -> C {
        let sum = sums.as_mut().map(|sums| sums.next().expect("a sum for each block"));
        let block = |it: &Series| self.combine_alike(arithmetic, &[it]).swap_remove(0);
        if series.highs.is_empty() {
            let sum = sum.unwrap_or_else(|| block(&series));
            return if series.surplus > 0 { arithmetic.rescale(sum, series.surplus) } else { sum };
        }
        let mut series = series;
        let highs: Vec<(C, &C)> = std::mem::take(&mut series.highs)
            .into_iter()
            .map(|(high, start)| (self.join(arithmetic, high, sums), self.factor(start)))
            .collect();
        let pairs: Vec<(&C, &C)> = highs.iter().map(|(high, giant)| (high, *giant)).collect();
        let mut product = arithmetic.product_sum(&pairs);
        let sum = sum.unwrap_or_else(|| block(&series));
        arithmetic.product_add_assign(&mut product, &sum, 1.0);
        arithmetic.relinearize(product, 1)
    }
}

/// Number of relinearizations of [`Steps::evaluate_at_least_depth`] for this number of coefficients in blocks of
/// `2^log_babies`, without those of the steps.
#[must_use]
pub fn relinearizations_at_least_depth(length: usize, log_babies: u32) -> u32 {
    of_subseries(length, log_babies, ceil_log2(length))
}

/// Counts the relinearizations to evaluate a series of this many coefficients with `2^log_babies` baby steps
/// within `levels` levels.
fn of_subseries(length: usize, log_babies: u32, levels: u32) -> u32 {
    let (mut rest, mut count) = (length, 0);
    while !is_block(ceil_log2(rest), log_babies, levels) {
        let half = rest.next_power_of_two() / 2;
        count += of_subseries(rest - half, log_babies, levels - 1);
        rest = half;
    }
    count + u32::from(rest < length)
}

/// Returns the logarithm of the smallest power of two that is at least `number`.
pub(super) fn ceil_log2(number: usize) -> u32 {
    number.next_power_of_two().ilog2()
}

fn is_zero(coefficients: &[Complex64]) -> bool {
    coefficients.iter().all(|coefficient| *coefficient == Complex64::ZERO)
}

/// Returns whether `2^log_length` coefficients form one block, of at most `2^log_babies`, which leaves one of the
/// levels for its constants.
pub(super) fn is_block(log_length: u32, log_babies: u32, levels: u32) -> bool {
    let needed = if log_length == 1 { 1 } else { log_length + 1 };
    log_length <= log_babies && needed <= levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relinearizations_of_series() {
        // Counted by hand: 3 for 16 coefficients in blocks of 4, 5 for 32 and 3 for 28.
        let found = [(16, 2), (32, 2), (28, 2), (32, 3), (4, 2)]
            .map(|(length, babies)| relinearizations_at_least_depth(length, babies));
        assert_eq!(found, [3, 5, 3, 4, 1]);
    }
}
