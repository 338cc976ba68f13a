//! Selection by encrypted booleans, minimum and maximum.
//!
//! `y + c·(x - y)`, digit by digit. If a difference has W possible values, `c·(x_i - y_i)` is a function of
//! `(x_i - y_i) + W·c`: one lookup of one table. Minimum and maximum share it: their sum is x + y.

use cryptable_lattice::Result;

use crate::carries::check_kinds;
use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::IntegerType;

/// Differences of two columns, ready for a selection.
struct Differences<T, C> {
    x: IntegerColumn<T, C>,
    y: IntegerColumn<T, C>,
    /// `x_i - y_i`.
    digits: Vec<Digit<C>>,
    /// Largest number of values of a difference.
    width: i64,
}

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// x where `condition` is true, and y elsewhere: one lookup per digit.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn select<T: IntegerType>(
        &self,
        condition: &BooleanColumn<E::Ciphertext>,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        check_kinds([x.kind(), y.kind()].into_iter())?;
        let flag = condition.digit();
        if flag.ciphertext().is_none() {
            return Ok(if flag.low() == 1 { x.clone() } else { y.clone() });
        }
        let Some(differences) = self.differences(x, y)? else {
            let (x, y) = (self.reduce(x)?, self.reduce(y)?);
            let digits: Vec<_> = x.digits().iter().chain(y.digits()).cloned().collect();
            return self.choose_narrow(&self.scaled_beside(&digits, flag, self.base())?, &x, &y);
        };
        let width = differences.width;
        let fits =
            differences.digits.iter().all(|x| self.fits(self.shape(&[(1, x), (width, flag)])));
        let scaled = if fits {
            self.linear(&[(width, flag)], 0)?
        } else {
            self.map(flag, |flag| width * flag)?
        };
        self.choose(&scaled, &differences)
    }

    /// The larger of x and y, by the lookups of [`Evaluator::lt`] and [`Evaluator::select`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn max<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let [_, _, max] = self.with_larger(x, y)?;
        Ok(max)
    }

    /// The larger one, with x and y in the digits among which it was selected.
    fn with_larger<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<[IntegerColumn<T, E::Ciphertext>; 3]> {
        check_kinds([x.kind(), y.kind()].into_iter())?;
        let (x, y) = (self.wrapped(x)?, self.wrapped(y)?);
        // y where x < y.
        let Some(differences) = self.differences(&y, &x)? else {
            let (x, y, base) = (self.reduce(&x)?, self.reduce(&y)?, self.base());
            let flags = self.compare(&x, &y, &[&|borrow| -base * borrow])?;
            let max = self.choose_narrow(&flags[0], &y, &x)?;
            return Ok([x, y, max]);
        };
        let width = differences.width;
        let flags = self.compare(&differences.y, &differences.x, &[&|borrow| -width * borrow])?;
        let max = self.choose(&flags[0], &differences)?;
        Ok([differences.y, differences.x, max])
    }

    /// The smaller of x and y, like [`Evaluator::max`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn min<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let [min, _] = self.min_max(x, y)?;
        Ok(min)
    }

    /// The smaller and the larger of x and y: `min = x + y - max`, without a further lookup.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn min_max<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<[IntegerColumn<T, E::Ciphertext>; 2]> {
        let [x, y, max] = self.with_larger(x, y)?;
        let digits = x.digits().iter().zip(y.digits()).zip(max.digits()).map(|((x, y), max)| {
            let (mut x, mut y, mut max) = (x.clone(), y.clone(), max.clone());
            // The column that is not chosen has the noise of all three, and must decrypt.
            let (low, high) = (x.low().min(y.low()), x.high().max(y.high()));
            let noise = self.noise(&x) + self.noise(&y) + self.noise(&max);
            if !self.fits(Shape { low, high, noise }) {
                (x, y, max) = (self.cleaned(&x)?, self.cleaned(&y)?, self.cleaned(&max)?);
            }
            Ok(self.linear_within(&[(1, &x), (1, &y), (-1, &max)])?.within(low, high))
        });
        Ok([IntegerColumn::new(x.kind(), digits.collect::<Result<_>>()?), max])
    }

    /// Differences of digits; columns are reduced first if their digits are too wide. `None` if reduced digits are,
    /// too.
    fn differences<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Option<Differences<T, E::Ciphertext>>> {
        if 2 * (2 * self.base() - 1) > self.modulus() {
            return Ok(None);
        }
        if let Some(found) = self.lazy_differences(x, y)? {
            return Ok(Some(found));
        }
        self.lazy_differences(&self.reduce(x)?, &self.reduce(y)?)
    }

    fn lazy_differences<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Option<Differences<T, E::Ciphertext>>> {
        let pairs = || x.digits().iter().zip(y.digits());
        let fits = |(x, y): (&Digit<E::Ciphertext>, &Digit<E::Ciphertext>)| {
            // Noise of the difference and of the condition; and of the choice, which becomes a digit.
            let shape = self.shape(&[(1, x), (-1, y)]);
            let noise = shape.noise + self.result_noise();
            let width = shape.high - shape.low + 1;
            // Outputs of two tables: of a flag, 0 or the width, and of a difference or 0.
            let outputs = width.max(shape.high.max(0) - shape.low.min(0));
            2 * width <= self.modulus()
                && outputs <= self.output_range()
                && self.fits(Shape { noise, ..shape })
        };
        if !pairs().all(fits) {
            return Ok(None);
        }
        let digits = pairs().map(|(x, y)| self.linear(&[(1, x), (-1, y)], 0));
        let digits = digits.collect::<Result<Vec<_>>>()?;
        let width = digits.iter().map(Digit::width).max().unwrap_or(1);
        Ok(Some(Differences { x: x.clone(), y: y.clone(), digits, width }))
    }

    /// `y + c·(x - y)`, given `width·c`.
    fn choose<T: IntegerType>(
        &self,
        scaled: &Digit<E::Ciphertext>,
        differences: &Differences<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let Differences { x, y, digits, width } = differences;
        let chosen = digits.iter().enumerate().map(|(index, difference)| {
            let (x, y) = (&x.digits()[index], &y.digits()[index]);
            let (low, high) = (x.low().min(y.low()), x.high().max(y.high()));
            if difference.low() == 0 && difference.high() == 0 {
                return Ok(y.clone());
            }
            let least = difference.low();
            let sum = self.linear(&[(1, difference), (1, scaled)], -least)?;
            let change =
                self.map(&sum, |sum| if sum >= *width { sum - width + least } else { 0 })?;
            Ok(self.linear(&[(1, y), (1, &change)], 0)?.within(low, high))
        });
        Ok(IntegerColumn::new(x.kind(), chosen.collect::<Result<_>>()?))
    }

    /// Selection of reduced columns if differences do not fit beside a boolean, by B times the boolean: a lookup of
    /// each operand.
    fn choose_narrow<T: IntegerType>(
        &self,
        scaled: &Digit<E::Ciphertext>,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let base = self.base();
        let digits = x.digits().iter().zip(y.digits()).map(|(x, y)| {
            let of = |digit, wanted: i64| {
                let value = move |v: i64| if v.div_euclid(base) == wanted { v % base } else { 0 };
                self.map(&self.sum_beside(digit, scaled)?, value)
            };
            let (low, high) = (x.low().min(y.low()), x.high().max(y.high()));
            let (x, y) = (of(x, 1)?, of(y, 0)?);
            Ok(self.linear(&[(1, &x), (1, &y)], 0)?.within(low.min(0), high))
        });
        Ok(IntegerColumn::new(x.kind(), digits.collect::<Result<_>>()?))
    }
}
