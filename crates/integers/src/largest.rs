//! Largest values of a column: the k-th largest value, the rows with at least that value, and the row of the maximum,
//! found by counting and without the client.
//!
//! The digits of a threshold are found one after the other, the most significant first. Rows whose digits so far are
//! above or below those of the threshold get the largest or the least *candidate*; the candidates c of all other rows
//! are their next digit. The threshold's digit is the largest v with `#{c >= v} >= k`, and so the number of v > 0 for
//! which this holds.
//!
//! **Counting.** Let there be n places and digits of base B. Place i has class `⌊i·B/n⌋`. One lookup of `c + B·class`
//! in B tables determines whether a row counts for the class t further on, negated if that is beyond the last class:
//! the shift by `t·n/B` places, a free multiplication by a monomial, negates it once more. The sum of the shifted
//! results has in each place of class v the count of B rows. Further shifts and sums, with lookups in between that keep
//! noise and values small, end with the count of all rows in the last place of each class. Counts are limited to k if a
//! digit has room for twice k, and are integers of several digits otherwise. The digit that was found is spread to all
//! places by shifts and sums of a column that is 0 in all other places.
//!
//! **Ties.** Rows with equal values are all selected. For the row of a maximum, the search continues over the digits of
//! public row numbers.

use cryptable_lattice::Result;
use cryptable_lattice::error::{Error, check_equal, check_within};

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::Places;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{AnyInteger, ColumnKind, IntegerType, Radix};

/// Least modulus of digits: two candidates have room beside digits.
const LEAST_MODULUS: i64 = 16;

/// The rows of the largest values, and the least of these values.
type Selection<T, C> = (BooleanColumn<C>, IntegerColumn<T, C>);

/// A digit in all rows.
enum RowDigit<'a, C> {
    /// An encrypted digit.
    Value(&'a Digit<C>),
    /// Part of the number of a row, counted from the last place.
    FromLast(Radix, usize),
}

/// State of a search: the last digit of candidates minus that of the threshold, and the digits of the threshold so far.
struct Found<C> {
    /// Negative in rows below the threshold, positive in rows above it, 0 in rows that are equal so far; `None` before
    /// the first digit.
    difference: Option<Digit<C>>,
    digits: Vec<Digit<C>>,
}

/// The row of a maximum: [`Evaluator::argmax`].
#[derive(Clone, Debug)]
pub struct Maximum<T, C> {
    /// The number of the first row with the largest value, in every row.
    pub row: IntegerColumn<u32, C>,
    /// The largest value, in every row.
    pub value: IntegerColumn<T, C>,
    /// True in that row only.
    pub is_there: BooleanColumn<C>,
}

impl<E: Places> Evaluator<'_, E> {
    /// Returns the rows whose values are at least the k-th largest one, and that value in every row. If several values
    /// equal it, there are more than k rows. Nothing is revealed, including the threshold.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, decrypt, decrypt_booleans, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 16)?);
    /// let x = encrypt(&secret, &[9u8, 200, 3, 77, 77])?;
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (selected, least) = Evaluator::new(&key)?.largest(&x, 2)?;
    /// assert_eq!(decrypt_booleans(&secret, &selected)?, [false, true, false, true, true]);
    /// assert_eq!(decrypt(&secret, &least)?, [77; 5]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all operations; also if k is 0 or larger than the number of rows; [`Error::TooSmall`] if the
    /// modulus of digits is below 16, or there are fewer places than values of a digit.
    pub fn largest<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        k: u64,
    ) -> Result<Selection<T, E::Ciphertext>> {
        if let Some(halves) = self.of_halves() {
            let (selected, least) = halves.largest(&self.in_halves(x)?, k)?;
            return Ok((selected, self.joined(&halves, &least)?));
        }
        let rows = self.rows(x)?;
        let found = self.search(x, k, rows)?;
        let difference = found.difference.as_ref().expect("a digit is encrypted");
        let selected = self.map(difference, |difference| i64::from(difference >= 0))?;
        let selected = BooleanColumn::new(self.first_rows(&selected, rows)?);
        Ok((selected, self.threshold(x.kind(), found.digits, rows)?))
    }

    /// Returns the first row with the largest value.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, decrypt, decrypt_booleans, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 16)?);
    /// let x = encrypt(&secret, &[9i8, 100, -3, 100])?;
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let found = Evaluator::new(&key)?.argmax(&x)?;
    /// assert_eq!(decrypt(&secret, &found.row)?, [1; 4]);
    /// assert_eq!(decrypt(&secret, &found.value)?, [100; 4]);
    /// assert_eq!(decrypt_booleans(&secret, &found.is_there)?, [false, true, false, false]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Evaluator::largest`].
    pub fn argmax<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Maximum<T, E::Ciphertext>> {
        if let Some(halves) = self.of_halves() {
            let Maximum { row, value, is_there } = halves.argmax(&self.in_halves(x)?)?;
            let (row, value) = (self.joined(&halves, &row)?, self.joined(&halves, &value)?);
            return Ok(Maximum { row, value, is_there });
        }
        let rows = self.rows(x)?;
        let mut found = self.search(x, 1, rows)?;
        let values = std::mem::take(&mut found.digits);
        let (kind, places) = (ColumnKind::of::<u32>(), self.engine().places());
        let numbers = Radix::new(self.digit_bits(), places.ilog2());
        for index in (0..numbers.digits()).rev() {
            self.find_digit(&mut found, &RowDigit::FromLast(numbers, index), 1, rows)?;
        }
        let difference = found.difference.as_ref().expect("a digit is encrypted");
        let is_there = self.map(difference, |difference| i64::from(difference == 0))?;
        let is_there = BooleanColumn::new(self.first_rows(&is_there, rows)?);
        found.digits.reverse();
        let mut digits = Vec::with_capacity(numbers.digits());
        for (index, digit) in found.digits.iter().enumerate() {
            let from_first = self.linear(&[(-1, digit)], numbers.base(index) - 1)?;
            digits.push(self.first_rows(&from_first, rows)?);
        }
        digits.resize_with(self.radix(kind).digits(), || Digit::public(0));
        let value = self.threshold(x.kind(), values, rows)?;
        Ok(Maximum { row: IntegerColumn::new(kind, digits), value, is_there })
    }

    /// Joins ciphertexts, each of which has a digit of base p, the most significant first, to integers of a kind: one
    /// lookup per ciphertext.
    ///
    /// ```
    /// use cryptable_integers::{ColumnKind, Evaluator, decrypt_words, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 16)?);
    /// let (high, low) = (secret.encrypt(&[1, 15])?, secret.encrypt(&[2, 0])?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let x = Evaluator::new(&key)?.from_words(ColumnKind::of::<u8>(), &[&high, &low])?;
    /// assert_eq!(decrypt_words(&secret, &x)?, [0x12, 0xf0]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all lookups; [`Error::Mismatch`] if p is not a square, or integers of the kind have another number
    /// of digits.
    pub fn from_words(
        &self,
        kind: ColumnKind,
        words: &[&E::Ciphertext],
    ) -> Result<IntegerColumn<AnyInteger, E::Ciphertext>> {
        let (base, modulus) = (self.base(), self.modulus());
        kind.check_integers()?;
        check_equal("modulus of digits", (base * base) as u64, modulus as u64)?;
        let bits = words.len() as u64 * u64::from(2 * self.digit_bits());
        check_equal("bits of all words", bits, u64::from(kind.bits()))?;
        let mut digits = Vec::with_capacity(2 * words.len());
        for &word in words.iter().rev() {
            let word = Digit::encrypted(word.clone(), 0, modulus - 1);
            digits.extend(self.look_up(&word, &[&|word| word % base, &|word| word / base])?);
        }
        Ok(IntegerColumn::new(kind, digits))
    }

    /// Number of values of an encrypted column, after checking that a search has room for them.
    fn rows<T: IntegerType>(&self, x: &IntegerColumn<T, E::Ciphertext>) -> Result<usize> {
        let (base, places) = (self.base(), self.engine().places());
        for (name, value, limit) in [
            ("modulus of digits of a search", self.modulus(), LEAST_MODULUS),
            ("number of places of a search", places as i64, base),
        ] {
            check_within(name, value as u64, limit as u64..)?;
        }
        let first = x.ciphertexts().next();
        let public = || Error::mismatch("column", "a public number", "encrypted values");
        Ok(self.engine().count(first.ok_or_else(public)?))
    }

    /// Finds all digits of the k-th largest value, the most significant one first.
    fn search<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        k: u64,
        rows: usize,
    ) -> Result<Found<E::Ciphertext>> {
        let name = "place of a largest value";
        check_within(name, k, 1..=rows as u64)?;
        let mut digits = self.reduce(x)?.digits().to_vec();
        for digit in &mut digits {
            *digit = self.in_all_places(digit, rows)?;
        }
        self.turn_sign(&mut digits, x.kind())?;
        let mut found = Found { difference: None, digits: Vec::new() };
        for digit in digits.iter().rev() {
            if digit.ciphertext().is_none() {
                found.digits.push(digit.clone());
                continue;
            }
            self.find_digit(&mut found, &RowDigit::Value(digit), k, rows)?;
        }
        Ok(found)
    }

    /// Extends a digit to all places; places without rows get one of its values.
    pub(crate) fn in_all_places(
        &self,
        digit: &Digit<E::Ciphertext>,
        rows: usize,
    ) -> Result<Digit<E::Ciphertext>> {
        let Some(ciphertext) = digit.ciphertext() else { return Ok(digit.clone()) };
        let places = self.engine().places();
        let is_whole = rows == places || self.engine().is_fresh(ciphertext);
        let moved = self.engine().shift(ciphertext, 0, places)?;
        let moved = Digit::encrypted(moved, digit.low(), digit.high());
        if is_whole { Ok(moved) } else { self.map(&moved, |value| value) }
    }

    /// Restricts a digit to the first places.
    pub(crate) fn first_rows(
        &self,
        digit: &Digit<E::Ciphertext>,
        rows: usize,
    ) -> Result<Digit<E::Ciphertext>> {
        let Some(ciphertext) = digit.ciphertext() else { return Ok(digit.clone()) };
        let first = self.engine().shift(ciphertext, 0, rows)?;
        Ok(Digit::encrypted(first, digit.low(), digit.high()))
    }

    /// Joins digits, the most significant first, to the threshold as a column.
    fn threshold<T: IntegerType>(
        &self,
        kind: ColumnKind,
        mut digits: Vec<Digit<E::Ciphertext>>,
        rows: usize,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        digits.reverse();
        self.turn_sign(&mut digits, kind)?;
        let digits = digits.iter().map(|digit| self.first_rows(digit, rows));
        Ok(IntegerColumn::new(kind, digits.collect::<Result<_>>()?))
    }

    /// Finds the next digit of the threshold.
    fn find_digit(
        &self,
        found: &mut Found<E::Ciphertext>,
        digit: &RowDigit<'_, E::Ciphertext>,
        k: u64,
        rows: usize,
    ) -> Result<()> {
        let [candidate, within] = self.candidates(found.difference.as_ref(), digit, rows)?;
        let counts = self.counts(&within)?;
        let threshold = self.in_every_row(&self.number_of_true(&self.are_enough(counts, k)?)?)?;
        found.difference = Some(self.linear(&[(1, &candidate), (-1, &threshold)], 0)?);
        let last = match digit {
            RowDigit::Value(digit) => digit.high(),
            RowDigit::FromLast(radix, index) => radix.base(*index) - 1,
        };
        found.digits.push(threshold.within(0, last));
        Ok(())
    }

    /// The next digits of rows that are equal to the threshold so far. In the first result rows above it have B, and
    /// rows below it -1; in the second result they have the largest and the least digit.
    fn candidates(
        &self,
        difference: Option<&Digit<E::Ciphertext>>,
        digit: &RowDigit<'_, E::Ciphertext>,
        rows: usize,
    ) -> Result<[Digit<E::Ciphertext>; 2]> {
        let (base, places) = (self.base(), self.engine().places());
        // 0: below, 1: equal, 2: above.
        let state = difference.map(|it| self.map(it, |difference| difference.signum() + 1));
        let pair = match (state.transpose()?, digit) {
            (Some(state), RowDigit::Value(digit)) => self.pair(digit, &state, base)?,
            (Some(state), RowDigit::FromLast(radix, index)) => {
                let number = |place: usize| radix.digit((places - 1 - place) as u64, *index);
                self.add_where(&self.linear(&[(base, &state)], 0)?, number)?
            }
            (None, RowDigit::Value(digit)) if rows == places => {
                return Ok([(*digit).clone(), (*digit).clone()]);
            }
            (None, RowDigit::Value(digit)) => {
                self.add_where(digit, |place| if place < rows { base } else { 0 })?
            }
            (None, RowDigit::FromLast(..)) => unreachable!("values have digits"),
        };
        let pair = pair.within(0, 3 * base - 1);
        let of_rows = |least: i64, most: i64| {
            move |pair: i64| match pair / base {
                0 => least,
                1 => pair % base,
                _ => most,
            }
        };
        let found = self.look_up(&pair, &[&of_rows(-1, base), &of_rows(0, base - 1)])?;
        Ok(found.try_into().unwrap_or_else(|_| unreachable!("two tables")))
    }

    /// In each place of class v > 0, the number among B rows whose candidates are at least v.
    fn counts(&self, candidate: &Digit<E::Ciphertext>) -> Result<Digit<E::Ciphertext>> {
        let (base, places) = (self.base(), self.engine().places());
        let width = places / base as usize;
        let by_class = self.add_where(candidate, |place| base * (place / width) as i64)?;
        let by_class = by_class.within(0, base * base - 1);
        let counts_for = |turn: i64| {
            move |value: i64| {
                let (class, candidate) = (value / base, value % base);
                let least = (class + turn) % base;
                let counts = i64::from(least > 0 && candidate >= least);
                if class + turn < base { counts } else { -counts }
            }
        };
        let functions: Vec<_> = (0..base).map(counts_for).collect();
        let functions: Vec<DigitFunction<'_>> =
            functions.iter().map(|it| it as DigitFunction<'_>).collect();
        let found = self.look_up(&by_class, &functions)?;
        let moved = found.iter().enumerate().map(|(turn, digit)| self.moved(digit, turn * width));
        let moved = moved.collect::<Result<Vec<_>>>()?;
        let terms: Vec<_> = moved.iter().map(|digit| (1, digit)).collect();
        Ok(self.linear(&terms, 0)?.within(0, base))
    }

    /// Shifts a digit by some places.
    fn moved(&self, digit: &Digit<E::Ciphertext>, offset: usize) -> Result<Digit<E::Ciphertext>> {
        let Some(ciphertext) = digit.ciphertext() else { return Ok(digit.clone()) };
        let moved = self.engine().shift(ciphertext, offset as i64, self.engine().places())?;
        Ok(Digit::encrypted(moved, digit.low(), digit.high()))
    }

    /// Adds a digit and itself shifted by some places.
    fn doubled(&self, digit: &Digit<E::Ciphertext>, offset: usize) -> Result<Digit<E::Ciphertext>> {
        self.linear(&[(1, digit), (1, &self.moved(digit, offset)?)], 0)
    }

    /// In the last place of each class, 1 if its counts add up to at least k, and 0 otherwise. Other places have 0 or
    /// 1.
    fn are_enough(&self, counts: Digit<E::Ciphertext>, k: u64) -> Result<Digit<E::Ciphertext>> {
        let width = self.engine().places() / self.base() as usize;
        let offsets = (0..width.ilog2()).rev().map(|log2| 1usize << log2);
        let most = self.output_range().min((self.modulus() - 1) / 2);
        let Some(k) = i64::try_from(k).ok().filter(|&k| k <= most) else {
            return self.are_many(counts, k, offsets);
        };
        let mut counts = counts;
        for offset in offsets {
            if !self.fits(self.shape(&[(2, &counts)])) {
                counts = self.map(&counts, |count| count.min(k))?;
            }
            counts = self.doubled(&counts, offset)?;
        }
        self.map(&counts, |count| i64::from(count >= k))
    }

    /// Like [`Self::are_enough`], for k of several digits.
    fn are_many(
        &self,
        counts: Digit<E::Ciphertext>,
        k: u64,
        offsets: impl Iterator<Item = usize>,
    ) -> Result<Digit<E::Ciphertext>> {
        let kind = ColumnKind::of::<u32>();
        let radix = self.radix(kind);
        let mut digits = vec![counts];
        digits.resize_with(radix.digits(), || Digit::public(0));
        for offset in offsets {
            let shapes: Vec<Shape> = digits.iter().map(|digit| self.shape(&[(2, digit)])).collect();
            if self.top_values(&shapes, radix).is_none() {
                self.carry_out(&mut digits, radix)?;
            }
            for digit in &mut digits {
                *digit = self.doubled(digit, offset)?;
            }
        }
        let column = IntegerColumn::<u32, _>::new(kind, digits);
        let k: IntegerColumn<u32, _> = self.public(kind, k);
        Ok(self.le(&k, &column)?.digit().clone())
    }

    /// In the last place, the number of classes whose last place has 1; 0 in all other places.
    fn number_of_true(&self, bits: &Digit<E::Ciphertext>) -> Result<Digit<E::Ciphertext>> {
        let (base, places) = (self.base(), self.engine().places());
        let mut sum = bits.clone();
        for log2 in 0..self.digit_bits() {
            sum = self.doubled(&sum, (places / base as usize) << log2)?;
        }
        // Class 0 has no bit. Values that re-entered negated at other places have absolute values within the digit's
        // bounds.
        let elsewhere = |place: usize| if place == places - 1 { 0 } else { 2 * base };
        let sum = self.add_where(&sum, elsewhere)?.within(0, 3 * base - 1);
        self.map(&sum, |sum| if sum < base { sum } else { 0 })
    }

    /// Copies the last place's value to all places, for a digit that is 0 in all others. The noise of the result leaves
    /// room for another result.
    fn in_every_row(&self, digit: &Digit<E::Ciphertext>) -> Result<Digit<E::Ciphertext>> {
        let Some(ciphertext) = digit.ciphertext() else { return Ok(digit.clone()) };
        let places = self.engine().places();
        let first = self.engine().shift(ciphertext, 1 - places as i64, places)?;
        let mut everywhere = Digit::encrypted(first, digit.low(), digit.high());
        let all = places.ilog2();
        let last = self.last_doublings(all);
        for left in (1..=all).rev() {
            let is_last = left == last && !self.is_clean(&everywhere);
            if is_last || !self.fits(self.shape(&[(2, &everywhere)])) {
                everywhere = self.map(&everywhere, |value| value)?;
            }
            let offset = 1usize << (left - 1);
            let doubled = self.doubled(&everywhere, offset)?;
            everywhere = doubled.within(digit.low(), digit.high());
        }
        Ok(everywhere)
    }

    /// Number of doublings of a result, at most `all`, that leave room for another result.
    fn last_doublings(&self, all: u32) -> u32 {
        let room = Shape::public(0, self.result_noise());
        let leaves_room = |log2: &u32| {
            let noise = self.result_noise().times(1 << log2);
            self.fits(Shape::public(0, noise).plus(room))
        };
        (1..=all).take_while(leaves_room).last().unwrap_or(1)
    }
}
