//! Comparisons with public thresholds, many at once.
//!
//! `sum(w_i·s_i) < 0` exactly if x < t, for signs `s_i` of `x_i - t_i` (for the least significant digit -1 or 0) and
//! weights 1, 1, 2, 4, …: less significant signs together never outweigh a more significant one. The signs for all
//! thresholds are tables of one lookup per digit; then every threshold needs one more. These are n lookups of m tables
//! and m lookups of one table, where m comparisons would need n·m. Eight digits use all 256 numbers of p = 256; if more
//! digits do not fit, or weights exceed the allowed difference of outputs, a lookup reduces the sum to its sign.

use cryptable_lattice::Result;
use cryptable_lattice::error::Error;

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{Integer, IntegerType, Radix};

/// The weight of a digit's sign.
#[derive(Clone, Copy, Debug)]
struct Weight {
    factor: i64,
    /// Whether the sum so far is first reduced to its sign by a lookup.
    is_after_lookup: bool,
}

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// x < t, for every threshold t: n lookups with one table per threshold, then one lookup of one table for each
    /// threshold.
    ///
    /// # Errors
    /// The errors of all operations; [`Error::TooSmall`] if there are no thresholds.
    pub fn lt_constants<T: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        thresholds: &[T],
    ) -> Result<Vec<BooleanColumn<E::Ciphertext>>> {
        let thresholds: Vec<u64> = thresholds.iter().map(|threshold| threshold.to_word()).collect();
        let flags = self.below(x, &thresholds, &i64::from)?;
        Ok(flags.into_iter().map(BooleanColumn::new).collect())
    }

    /// A function of whether x is below the threshold, for the word of every threshold.
    pub(crate) fn below<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        thresholds: &[u64],
        f: &dyn Fn(bool) -> i64,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        if thresholds.is_empty() {
            return Err(Error::TooSmall { name: "number of thresholds", value: 0, limit: 1 });
        }
        let (x, radix) = (self.reduce(x)?, self.radix(x.kind()));
        let mut sums: Vec<Digit<E::Ciphertext>> = vec![Digit::public(0); thresholds.len()];
        for (index, weight) in self.weights(radix.digits()).into_iter().enumerate() {
            if weight.is_after_lookup {
                for sum in &mut sums {
                    *sum = self.map(sum, |sum| -i64::from(sum < 0))?;
                }
            }
            let is_signed = x.kind().is_signed() && index + 1 == radix.digits();
            let base = radix.top_base();
            let value = move |v: i64| if is_signed { Radix::signed(v, base) } else { v };
            let signs: Vec<_> = thresholds
                .iter()
                .map(|threshold| {
                    let threshold = value(radix.digit(*threshold, index));
                    let highest = i64::from(index > 0);
                    move |v: i64| weight.factor * (value(v) - threshold).signum().min(highest)
                })
                .collect();
            let signs: Vec<DigitFunction<'_>> = signs.iter().map(|sign| sign as _).collect();
            let signs = self.look_up(&x.digits()[index], &signs)?;
            for (sum, sign) in sums.iter_mut().zip(signs) {
                *sum = self.linear(&[(1, sum), (1, &sign)], 0)?;
            }
        }
        sums.iter().map(|sum| self.map(sum, |sum| f(sum < 0))).collect()
    }

    /// Returns the weights of `digits` digits, the least significant first.
    fn weights(&self, digits: usize) -> Vec<Weight> {
        let result = self.result_noise();
        let mut sum = Shape { low: -1, high: 0, noise: result };
        let mut weights = vec![Weight { factor: 1, is_after_lookup: false }];
        while weights.len() < digits {
            let next = |sum: Shape| {
                let factor = (sum.high + 1).max(-sum.low);
                (factor, sum.plus(Shape { low: -factor, high: factor, noise: result }))
            };
            let (mut factor, mut larger) = next(sum);
            let is_after_lookup = !self.fits(larger) || 2 * factor > self.output_range();
            if is_after_lookup {
                (factor, larger) = next(Shape { low: -1, high: 0, noise: result });
            }
            weights.push(Weight { factor, is_after_lookup });
            sum = larger;
        }
        weights
    }
}
