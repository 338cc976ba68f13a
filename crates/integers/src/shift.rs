//! Shifts by public amounts, and conversions between types.

use cryptable_lattice::Result;

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// `x << amount`, or 0 for amounts of `BITS` and more. Digits move, and are multiplied by the rest of the amount;
    /// this needs no lookups as long as they fit.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn shl<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: u32,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        if amount >= x.kind().bits() {
            return Ok(self.public(x.kind(), 0));
        }
        let (places, rest) = ((amount / self.digit_bits()) as usize, amount % self.digit_bits());
        let moved = |x: &IntegerColumn<T, E::Ciphertext>| {
            let zeros = (0..places).map(|_| Digit::public(0));
            let kept = x.digit_count() - places;
            IntegerColumn::new(x.kind(), zeros.chain(x.digits()[..kept].iter().cloned()).collect())
        };
        let lazy = moved(x);
        if let Some(product) = self.combine_lazy(&[(1 << rest, &lazy)])? {
            return Ok(product);
        }
        // Every digit has two parts, which do not overlap with those of other digits.
        let (x, base) = (self.reduce(x)?, self.base());
        let mut lists = vec![Vec::new(); x.digit_count() + 1];
        for (index, digit) in moved(&x).digits().iter().enumerate() {
            let low = |value: i64| (value << rest) % base;
            let mut parts = self.look_up(digit, &[&low, &|value| (value << rest) / base])?;
            lists[index + 1].push(parts.swap_remove(1));
            lists[index].push(parts.swap_remove(0));
        }
        self.sum_lists(x.kind(), lists)
    }

    /// `x >> amount`, with its sign if the type is signed. Amounts of `BITS` and more yield 0, or -1 for negative
    /// integers. Needs one lookup of two tables per remaining digit, or none if the amount is a multiple of the bits of
    /// a digit.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn shr<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: u32,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let bits = x.kind().bits();
        if amount == 0 {
            return Ok(x.clone());
        }
        if amount >= bits && !x.kind().is_signed() {
            return Ok(self.public(x.kind(), 0));
        }
        // Only the sign is left.
        let amount = if amount < bits { amount } else { bits - 1 };
        let (places, rest) = ((amount / self.digit_bits()) as usize, amount % self.digit_bits());
        let digits = self.extended(&self.reduce(x)?)?;
        let mut lists = vec![Vec::new(); digits.len()];
        for (index, digit) in digits.iter().enumerate().skip(places) {
            if rest == 0 {
                lists[index - places].push(digit.clone());
                continue;
            }
            // The top digit may be negative: shifts round down.
            let high = |value: i64| value >> rest;
            if index == places {
                lists[0].push(self.map(digit, high)?);
                continue;
            }
            let low_bits = self.base() - 1;
            let low = |value: i64| (value << (self.digit_bits() - rest)) & low_bits;
            let mut parts = self.look_up(digit, &[&low, &high])?;
            lists[index - places].push(parts.swap_remove(1));
            lists[index - places - 1].push(parts.swap_remove(0));
        }
        self.sum_lists(x.kind(), lists)
    }

    /// `x as U`: wider types extend the sign if T has one, narrower ones drop the high bits.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn cast<T: Integer, U: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        self.cast_to(x, ColumnKind::of::<U>())
    }

    /// [`Evaluator::cast`] to a kind that the type of the results can hold.
    pub(crate) fn cast_to<T: IntegerType, U: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        to: ColumnKind,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        let (count, is_wider) = (self.radix(to).digits(), to.bits() > x.kind().bits());
        let digits = if is_wider { self.extended(&self.wrapped(x)?)? } else { x.digits().to_vec() };
        let mut lists: Vec<_> = digits.into_iter().take(count).map(|digit| vec![digit]).collect();
        lists.resize_with(count, Vec::new);
        self.sum_lists(to, lists)
    }

    /// Digits that represent the integers themselves, not only modulo `2^BITS`: the most significant one contains the
    /// sign.
    fn extended<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        if !x.kind().is_signed() {
            return Ok(x.digits().to_vec());
        }
        let mut digits = self.reduce(x)?.digits().to_vec();
        let (base, top) = (self.radix(x.kind()).top_base(), digits.len() - 1);
        digits[top] = self.map(&digits[top], |digit| Radix::signed(digit, base))?;
        Ok(digits)
    }
}
