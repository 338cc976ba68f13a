//! Carry propagation when it is needed: brings digits back below the base.
//!
//! `x_i + c_i = r_i + B·c_(i+1)`, `0 <= r_i < B`: one lookup of two tables per digit, the least significant first. For
//! packed values one digit takes as long as all digits of a level, so the method with the fewest lookups is the
//! fastest: a parallel prefix (Kogge, Stone 1973) would need log2(n) times as many.

use cryptable_lattice::error::{Error, Result};

use crate::columns::IntegerColumn;
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{Evaluator, NOISELESS};
use crate::integer::{ColumnKind, IntegerType, Radix};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// Returns the same integers with digits below the base and the noise of results. Needs one lookup for every digit
    /// that does not have these yet.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn reduce<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let mut digits = x.digits().to_vec();
        self.carry_out(&mut digits, self.radix(x.kind()))?;
        Ok(IntegerColumn::new(x.kind(), digits))
    }

    /// The given least significant digits, reduced like those of [`Evaluator::reduce`].
    pub(crate) fn low_digits<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        count: usize,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let mut digits = x.digits()[..count.min(x.digit_count())].to_vec();
        self.carry_out(&mut digits, self.radix(x.kind()))?;
        Ok(digits)
    }

    /// Splits a digit into one below its base and the carry to the next: one lookup, or none if nothing is to be done.
    pub(crate) fn split(
        &self,
        digit: &Digit<E::Ciphertext>,
        radix: Radix,
        index: usize,
    ) -> Result<[Digit<E::Ciphertext>; 2]> {
        let base = radix.base(index);
        if digit.is_below(base) {
            return Ok([self.cleaned(digit)?, Digit::public(0)]);
        }
        let low = |value: i64| value.rem_euclid(base);
        if index + 1 == radix.digits() {
            return Ok([self.map(digit, low)?, Digit::public(0)]);
        }
        let mut parts = self.look_up(digit, &[&low, &|value| value.div_euclid(base)])?;
        let carry = parts.swap_remove(1);
        Ok([parts.swap_remove(0), carry])
    }

    /// The values of the most significant digit after carries, if digits of these shapes can be propagated, that is if
    /// every sum of a digit and a carry fits.
    pub(crate) fn top_values(&self, shapes: &[Shape], radix: Radix) -> Option<(i64, i64)> {
        let mut carry = Shape::public(0, NOISELESS());
        let mut top = (0, 0);
        for (index, &shape) in shapes.iter().enumerate() {
            let sum = shape.plus(carry);
            if !self.fits(sum) {
                return None;
            }
            carry = self.carry_of(sum, radix.base(index));
            top = (sum.low, sum.high);
        }
        Some(top)
    }

    /// The carry of a digit.
    pub(crate) fn carry_of(&self, sum: Shape, base: i64) -> Shape {
        let (low, high) = (sum.low.div_euclid(base), sum.high.div_euclid(base));
        let noise = if low == high { NOISELESS() } else { self.result_noise_within(high - low) };
        Shape { low, high, noise }
    }

    /// Shapes of the digits of a column.
    pub(crate) fn shapes<T: IntegerType>(&self, x: &IntegerColumn<T, E::Ciphertext>) -> Vec<Shape> {
        x.digits().iter().map(|digit| self.shape(&[(1, digit)])).collect()
    }

    /// Returns the column, or its reduced form if its digits may represent more than the type holds: comparisons then
    /// see the wrapped values.
    pub(crate) fn wrapped<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let radix = self.radix(x.kind());
        match self.top_values(&self.shapes(x), radix) {
            Some((low, high)) if low >= 0 && high < radix.top_base() => Ok(x.clone()),
            _ => self.reduce(x),
        }
    }

    /// `sum(factor·x)`, digit by digit. Columns are reduced first if the sum could not be propagated otherwise.
    pub(crate) fn combine<T: IntegerType>(
        &self,
        terms: &[(i64, &IntegerColumn<T, E::Ciphertext>)],
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        if let Some(sum) = self.combine_lazy(terms)? {
            return Ok(sum);
        }
        let reduced = terms.iter().map(|(factor, x)| Ok((*factor, self.reduce(x)?)));
        let reduced = reduced.collect::<Result<Vec<_>>>()?;
        let terms: Vec<_> = reduced.iter().map(|(factor, x)| (*factor, x)).collect();
        self.combine_lazy(&terms)?.ok_or_else(|| too_narrow(self.modulus()))
    }

    /// `sum(factor·x)`, digit by digit, if it can be propagated.
    pub(crate) fn combine_lazy<T: IntegerType>(
        &self,
        terms: &[(i64, &IntegerColumn<T, E::Ciphertext>)],
    ) -> Result<Option<IntegerColumn<T, E::Ciphertext>>> {
        let kind = terms.first().map_or(ColumnKind::BOOLEANS, |(_, x)| x.kind());
        check_kinds(terms.iter().map(|(_, x)| x.kind()))?;
        let radix = self.radix(kind);
        let digits = |index: usize| -> Vec<(i64, &Digit<E::Ciphertext>)> {
            terms.iter().map(|(factor, x)| (*factor, &x.digits()[index])).collect()
        };
        let shapes: Vec<Shape> =
            (0..radix.digits()).map(|index| self.shape(&digits(index))).collect();
        if self.top_values(&shapes, radix).is_none() {
            return Ok(None);
        }
        let sums = (0..radix.digits()).map(|index| self.linear(&digits(index), 0));
        Ok(Some(IntegerColumn::new(kind, sums.collect::<Result<_>>()?)))
    }

    /// The column whose digit i is the sum of all terms of list i. Sums are as large as the modulus and the noise
    /// allow; then a carry goes to the next list.
    pub(crate) fn sum_lists<T: IntegerType>(
        &self,
        kind: ColumnKind,
        mut lists: Vec<Vec<Digit<E::Ciphertext>>>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let radix = self.radix(kind);
        let mut carry = Shape::public(0, NOISELESS());
        let mut digits = Vec::with_capacity(radix.digits());
        // Carries of lists that are split go to the next list.
        lists.resize_with(radix.digits() + 1, Vec::new);
        for index in 0..radix.digits() {
            let mut sum = Digit::public(0);
            let mut terms = std::mem::take(&mut lists[index]);
            while let Some(mut term) = terms.pop() {
                let fits = |sum: &_, term: &_, carry| {
                    self.fits(self.shape(&[(1, sum), (1, term)]).plus(carry))
                };
                for is_sum in [true, false] {
                    if !fits(&sum, &term, carry) {
                        let part = if is_sum { &mut sum } else { &mut term };
                        let [low, next] = self.split(part, radix, index)?;
                        lists[index + 1].push(next);
                        *part = low;
                    }
                }
                if !fits(&sum, &term, carry) {
                    terms.push(self.carry_out(&mut digits, radix)?);
                    carry = Shape::public(0, NOISELESS());
                }
                if !fits(&sum, &term, carry) {
                    return Err(too_narrow(self.modulus()));
                }
                sum = self.linear(&[(1, &sum), (1, &term)], 0)?;
            }
            carry = self.carry_of(self.shape(&[(1, &sum)]).plus(carry), radix.base(index));
            digits.push(sum);
        }
        Ok(IntegerColumn::new(kind, digits))
    }

    /// Propagates carries through the least significant digits, and returns the carry of the last one.
    pub(crate) fn carry_out(
        &self,
        digits: &mut [Digit<E::Ciphertext>],
        radix: Radix,
    ) -> Result<Digit<E::Ciphertext>> {
        let mut carry = Digit::public(0);
        for (index, digit) in digits.iter_mut().enumerate() {
            let mut first = Digit::public(0);
            if !self.fits(self.shape(&[(1, digit), (1, &carry)])) {
                // Every digit fits by itself.
                [*digit, first] = self.split(digit, radix, index)?;
            }
            let sum = self.linear(&[(1, digit), (1, &carry)], 0)?;
            let [low, second] = self.split(&sum, radix, index)?;
            *digit = low;
            carry = self.linear(&[(1, &first), (1, &second)], 0)?;
        }
        Ok(carry)
    }
}

/// Checks that columns are of one kind. For Rust's integers, types ensure this.
///
/// # Errors
/// If one is of another kind.
pub(crate) fn check_kinds(mut kinds: impl Iterator<Item = ColumnKind>) -> Result<()> {
    let Some(first) = kinds.next() else { return Ok(()) };
    match kinds.find(|&kind| kind != first) {
        Some(other) => Err(Error::mismatch("column", other, first)),
        None => Ok(()),
    }
}

/// Returns the error for a modulus too small for two digits and a carry. Unreachable for validated parameters.
fn too_narrow(modulus: i64) -> Error {
    Error::Unsupported(format!("sum of two digits and a carry: the modulus {modulus} is too small"))
}
