//! Tables of integers, evaluated by tables of their digits.

use cryptable_lattice::Result;
use cryptable_lattice::error::Error;

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// `sum(f(i, x_i))` modulo `2^BITS` of U, for any functions of digits: multiples, weighted sums of bits, parities.
    /// The most significant digit of a signed type contains the sign: it is from `-B/2` on. One lookup per digit, with
    /// one table per digit of the results.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn map_digits<T: Integer, U: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        f: impl Fn(usize, i64) -> i128,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        self.map_digits_to(x, ColumnKind::of::<U>(), &f)
    }

    /// [`Evaluator::map_digits`] to a kind that the type of the results can hold.
    pub(crate) fn map_digits_to<T: IntegerType, U: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        to: ColumnKind,
        f: &dyn Fn(usize, i64) -> i128,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        let (kind, radix) = (x.kind(), self.radix(x.kind()));
        let (top, base) = (radix.digits() - 1, radix.top_base());
        self.map_unsigned_digits(x, to, &|index, digit| {
            let is_signed = kind.is_signed() && index == top;
            f(index, if is_signed { Radix::signed(digit, base) } else { digit })
        })
    }

    /// Maps digits like [`Evaluator::map_digits_to`], in two's complement.
    pub(crate) fn map_unsigned_digits<T: IntegerType, U: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        to: ColumnKind,
        f: &dyn Fn(usize, i64) -> i128,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        let (x, radix) = (self.reduce(x)?, self.radix(to));
        let mut lists = vec![Vec::new(); radix.digits()];
        for (index, digit) in x.digits().iter().enumerate() {
            self.push_digits(&mut lists, digit, radix, &|v| f(index, v))?;
        }
        self.sum_lists(to, lists)
    }

    /// Looks up a digit in the tables of all digits of a function. The results go to the lists of their places.
    pub(crate) fn push_digits(
        &self,
        lists: &mut [Vec<Digit<E::Ciphertext>>],
        digit: &Digit<E::Ciphertext>,
        radix: Radix,
        value: &dyn Fn(i64) -> i128,
    ) -> Result<()> {
        // Digits of both signs differ by up to twice as much. If that is too much, they are taken in two's complement.
        let has = |sign: i128| (digit.low()..=digit.high()).any(|v| value(v).signum() == sign);
        let is_narrow = 2 * (radix.full_base() - 1) > self.output_range();
        let in_complement = is_narrow && has(-1) && has(1);
        let part = |place: usize| {
            move |v: i64| match value(v) {
                value if in_complement => radix.digit(value as u64, place),
                value => radix.signed_digits(value)(place),
            }
        };
        let parts: Vec<_> = (0..radix.digits()).map(part).collect();
        let parts: Vec<DigitFunction<'_>> = parts.iter().map(|part| part as _).collect();
        for (list, part) in lists.iter_mut().zip(self.look_up(digit, &parts)?) {
            if part.ciphertext().is_some() || part.low() != 0 {
                list.push(part);
            }
        }
        Ok(())
    }

    /// Any function of integers that fit one digit's modulus, such as those of 8 bits with p = 256: one lookup, with
    /// one table per digit of the results.
    ///
    /// # Errors
    /// The errors of all operations; [`Error::TooLarge`] if p is below `2^BITS` of T.
    pub fn lookup<T: Integer, U: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        f: impl Fn(T) -> U,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        if u64::from(T::BITS) > u64::from(self.modulus().ilog2()) {
            let (name, limit) = ("bits of integers that are looked up", self.modulus().ilog2());
            return Err(Error::TooLarge { name, value: T::BITS.into(), limit: limit.into() });
        }
        let reduced = self.reduce(x)?;
        let weight = |index: usize| 1i64 << (index as u32 * self.digit_bits());
        let terms = |digits: &[Digit<E::Ciphertext>]| -> Result<Digit<E::Ciphertext>> {
            let terms: Vec<_> =
                digits.iter().enumerate().map(|(i, digit)| (weight(i), digit)).collect();
            self.linear(&terms, 0)
        };
        let whole = terms(reduced.digits())?;
        let (to, radix) = (ColumnKind::of::<U>(), self.radix(ColumnKind::of::<U>()));
        let mut lists = vec![Vec::new(); radix.digits()];
        let value = |v: i64| f(T::from_word(v as u64)).to_i128();
        self.push_digits(&mut lists, &whole, radix, &value)?;
        self.sum_lists(to, lists)
    }
}
