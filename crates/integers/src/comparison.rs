//! Comparisons: the last borrow of a difference.
//!
//! `x_i - y_i + b_i = r_i + B·b_(i+1)` with `b_i` 0 or -1: one lookup of one table per digit, the least significant
//! first; x < y if the last borrow is -1. For signed integers the most significant digits have another weight, which
//! needs one more lookup of both of them, or one of each if there is no room for two.

use cryptable_lattice::Result;

use crate::carries::check_kinds;
use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// x < y: one lookup per digit, one more for signed integers.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn lt<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        let flags = self.compare(x, y, &[&|borrow| -borrow])?;
        Ok(BooleanColumn::new(flags.into_iter().next().expect("one function")))
    }

    /// x <= y, like [`Evaluator::lt`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn le<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        self.not(&self.lt(y, x)?)
    }

    /// x = y: one lookup per digit, and one of the number of digits that differ.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn eq<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        check_kinds([x.kind(), y.kind()].into_iter())?;
        let (x, y) = (self.reduce(x)?, self.reduce(y)?);
        let differs = |value: i64| i64::from(value != 0);
        let mut sum = Digit::public(0);
        for (x, y) in x.digits().iter().zip(y.digits()) {
            let flag = self.map(&self.linear(&[(1, x), (-1, y)], 0)?, differs)?;
            if !self.fits(self.shape(&[(1, &sum), (1, &flag)])) {
                sum = self.map(&sum, differs)?;
            }
            sum = self.linear(&[(1, &sum), (1, &flag)], 0)?;
        }
        Ok(BooleanColumn::new(self.map(&sum, |count| i64::from(count == 0))?))
    }

    /// Functions of the last borrow of `x - y`, which is -1 if x < y, and 0 otherwise.
    pub(crate) fn compare<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
        functions: &[DigitFunction<'_>],
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        check_kinds([x.kind(), y.kind()].into_iter())?;
        let (kind, radix) = (x.kind(), self.radix(x.kind()));
        let (mut x, mut y) = if kind.is_signed() {
            (self.reduce(x)?, self.reduce(y)?)
        } else {
            (self.wrapped(x)?, self.wrapped(y)?)
        };
        let shapes: Vec<Shape> = (x.digits().iter().zip(y.digits()))
            .map(|(x, y)| self.shape(&[(1, x), (-1, y)]))
            .collect();
        if self.top_values(&shapes, radix).is_none() {
            (x, y) = (self.reduce(&x)?, self.reduce(&y)?);
        }
        let differences = x.digits().iter().zip(y.digits());
        let differences = differences.map(|(x, y)| self.linear(&[(1, x), (-1, y)], 0));
        let mut differences = differences.collect::<Result<Vec<_>>>()?;
        if kind.is_signed() {
            let (top, base) = (radix.digits() - 1, radix.top_base());
            let (x, y) = (&x.digits()[top], &y.digits()[top]);
            differences[top] = if base * base > self.modulus() {
                let signed = |digit| self.map(digit, |value| Radix::signed(value, base));
                self.linear(&[(1, &signed(x)?), (-1, &signed(y)?)], 0)?
            } else {
                self.map(&self.pair(x, y, base)?, |pair| {
                    Radix::signed(pair.rem_euclid(base), base)
                        - Radix::signed(pair.div_euclid(base), base)
                })?
            };
        }
        self.last_borrow(&differences, radix, functions)
    }

    /// Functions of the carry out of the last digit, which is 0 or -1.
    pub(crate) fn last_borrow(
        &self,
        differences: &[Digit<E::Ciphertext>],
        radix: Radix,
        functions: &[DigitFunction<'_>],
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let mut borrow = Digit::public(0);
        for (index, difference) in differences.iter().enumerate() {
            let sum = self.linear(&[(1, difference), (1, &borrow)], 0)?;
            if index + 1 < differences.len() {
                let base = radix.base(index);
                borrow = self.map(&sum, |value| value.div_euclid(base))?;
                continue;
            }
            let of_sum: Vec<_> =
                functions.iter().map(|f| move |value: i64| f(-i64::from(value < 0))).collect();
            let of_sum: Vec<DigitFunction<'_>> = of_sum.iter().map(|f| f as _).collect();
            return self.look_up(&sum, &of_sum);
        }
        unreachable!("integers have digits")
    }

    /// Not x: no lookup.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn not(&self, x: &BooleanColumn<E::Ciphertext>) -> Result<BooleanColumn<E::Ciphertext>> {
        Ok(BooleanColumn::new(self.linear(&[(-1, x.digit())], 1)?))
    }

    /// x and y: one lookup.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn and(
        &self,
        x: &BooleanColumn<E::Ciphertext>,
        y: &BooleanColumn<E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        self.of_booleans(x, y, |ones| ones == 2)
    }

    /// x or y: one lookup.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn or(
        &self,
        x: &BooleanColumn<E::Ciphertext>,
        y: &BooleanColumn<E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        self.of_booleans(x, y, |ones| ones > 0)
    }

    /// x or y, but not both: one lookup.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn xor(
        &self,
        x: &BooleanColumn<E::Ciphertext>,
        y: &BooleanColumn<E::Ciphertext>,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        self.of_booleans(x, y, |ones| ones == 1)
    }

    /// A symmetric function of two booleans: a function of the number that are true.
    fn of_booleans(
        &self,
        x: &BooleanColumn<E::Ciphertext>,
        y: &BooleanColumn<E::Ciphertext>,
        f: impl Fn(i64) -> bool,
    ) -> Result<BooleanColumn<E::Ciphertext>> {
        let mut terms = [x.digit().clone(), y.digit().clone()];
        if !self.fits(self.shape(&[(1, &terms[0]), (1, &terms[1])])) {
            terms = [self.cleaned(&terms[0])?, self.cleaned(&terms[1])?];
        }
        let ones = self.linear(&[(1, &terms[0]), (1, &terms[1])], 0)?;
        Ok(BooleanColumn::new(self.map(&ones, |ones| i64::from(f(ones)))?))
    }

    /// 1 where x is true, else 0, for example to count true values. No lookup.
    #[must_use]
    pub fn to_integers<T: Integer>(
        &self,
        x: &BooleanColumn<E::Ciphertext>,
    ) -> IntegerColumn<T, E::Ciphertext> {
        self.ones(ColumnKind::of::<T>(), x)
    }

    /// [`Evaluator::to_integers`] for a kind that the column's type can hold.
    pub(crate) fn ones<T: IntegerType>(
        &self,
        kind: ColumnKind,
        x: &BooleanColumn<E::Ciphertext>,
    ) -> IntegerColumn<T, E::Ciphertext> {
        let zeros = (1..self.radix(kind).digits()).map(|_| Digit::public(0));
        IntegerColumn::new(kind, std::iter::once(x.digit().clone()).chain(zeros).collect())
    }
}
