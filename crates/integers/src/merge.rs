//! Sorting, and merging of sorted columns, by [`Exchange`]s of the places of one ciphertext.
//!
//! A stage compares places i and i + k, for all i that are first in a pair (in a bitonic merge those whose bit k is 0),
//! and leaves the smaller integer at i. From the column x, its shift `X^-k·x` by a free multiplication, and the
//! difference v of both, a comparison computes c = [x_(i+k) < x_i], with `c_i = 0` where i is not first in a pair:
//! public numbers, added to the input of the last lookup, mark these places. Then `e = c·v`, and the column after the
//! stage is `x + e - X^k·e`. This needs n lookups of one table for the comparison of n digits, and n for e. The noise
//! of x grows by that of two results per stage; digits are refreshed when their difference no longer fits.
//!
//! A stage never looks up two digits together, so its digits may be larger than those of columns: base `p/4`, which
//! leaves room for a difference beside a flag, or less if outputs of tables may differ by less. Digits are regrouped
//! before the first stage and after the last.

use cryptable_lattice::Result;
use cryptable_lattice::error::{Error, check_equal, check_within};
use cryptable_packed::Exchange;

use crate::carries::check_kinds;
use crate::columns::IntegerColumn;
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::Places;
use crate::evaluator::Evaluator;
use crate::integer::{ColumnKind, IntegerType, Radix};

impl<E: Places> Evaluator<'_, E> {
    /// Joins fresh columns x and y to one column, x first. Together they have as many values as a ciphertext has
    /// places. No lookup.
    ///
    /// # Errors
    /// The errors of all operations; [`Error::Mismatch`] if a column is not fresh, or the number of values is not the
    /// number of places.
    pub fn concatenate<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        check_kinds([x.kind(), y.kind()].into_iter())?;
        let places = self.engine().places();
        let digits = x.digits().iter().zip(y.digits()).map(|(x, y)| {
            let (first, second) = (self.fresh(x)?, self.fresh(y)?);
            let offset = self.engine().count(first);
            check_equal(
                "number of values of both columns",
                offset + self.engine().count(second),
                places,
            )?;
            let first = self.engine().shift(first, 0, places)?;
            let second = self.engine().shift(second, offset as i64, places)?;
            let (low, high) = (x.low().min(y.low()), x.high().max(y.high()));
            Ok(Digit::encrypted(self.engine().add(&first, &second)?, low, high))
        });
        Ok(IntegerColumn::new(x.kind(), digits.collect::<Result<_>>()?))
    }

    fn fresh<'d>(&self, digit: &'d Digit<E::Ciphertext>) -> Result<&'d E::Ciphertext> {
        match digit.ciphertext() {
            Some(ciphertext) if self.engine().is_fresh(ciphertext) => Ok(ciphertext),
            _ => Err(Error::mismatch("column", "a result", "fresh values")),
        }
    }

    /// Merges two columns with as many values as a ciphertext has places, the first rising, the second falling. Returns
    /// the smaller and the larger half of all their values, both rising.
    ///
    /// # Errors
    /// The errors of [`Evaluator::bitonic_merge`].
    pub fn merge<T: IntegerType>(
        &self,
        rising: &IntegerColumn<T, E::Ciphertext>,
        falling: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<[IntegerColumn<T, E::Ciphertext>; 2]> {
        let [smaller, larger] = self.min_max(rising, falling)?;
        Ok([self.bitonic_merge(&smaller)?, self.bitonic_merge(&larger)?])
    }

    /// Sorts a column that rises and then falls, or falls and then rises, with any turning point. The number of stages
    /// is log2 of the number of values; each needs 2n lookups, for n digits of base p/4 (less, if outputs of tables may
    /// not differ by `p/2 - 1`). Further lookups are at most one per digit to regroup digits before and after, two for
    /// signed integers, and refreshes of noise.
    ///
    /// # Errors
    /// The errors of all operations; [`Error::Mismatch`] if the number of values is not the number of places of a
    /// ciphertext; [`Error::TooSmall`] if p is below 16.
    pub fn bitonic_merge<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let places = self.engine().places();
        for digit in x.ciphertexts() {
            check_equal("number of values", self.engine().count(digit), places)?;
        }
        let mut digits = self.reduce(x)?.digits().to_vec();
        self.turn_sign(&mut digits, x.kind())?;
        self.exchange(x.kind(), &digits, places, Exchange::of_merge(places))
    }

    /// Sorts a column, the smallest value first, in `log2(n)·(log2(n) + 1)/2` stages of 2m lookups, for n values,
    /// rounded up to a power of two, and m digits as for [`Evaluator::bitonic_merge`]: 136 stages for 65,536 values.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, decrypt, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 16)?);
    /// let x = encrypt(&secret, &[9i8, 100, -3, 77, 9])?;
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let sorted = Evaluator::new(&key)?.sort(&x)?;
    /// assert_eq!(decrypt(&secret, &sorted)?, [-3, 9, 9, 77, 100]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all operations; [`Error::TooSmall`] if p is below 16.
    pub fn sort<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let kind = x.kind();
        let Some(first) = x.ciphertexts().next() else { return Ok(x.clone()) };
        let rows = self.engine().count(first);
        let mut digits = self.reduce(x)?.digits().to_vec();
        for digit in &mut digits {
            *digit = self.in_all_places(digit, rows)?;
        }
        self.turn_sign(&mut digits, kind)?;
        let sorted: IntegerColumn<T, _> =
            self.exchange(kind, &digits, rows, Exchange::of_sort(rows))?;
        let first = sorted.digits().iter().map(|digit| self.first_rows(digit, rows));
        Ok(IntegerColumn::new(kind, first.collect::<Result<_>>()?))
    }

    /// Runs all stages on these digits, which exchange the first `rows` places, and joins the digits to integers.
    fn exchange<T: IntegerType>(
        &self,
        kind: ColumnKind,
        digits: &[Digit<E::Ciphertext>],
        rows: usize,
        stages: impl Iterator<Item = Exchange>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        check_within("modulus of digits of a merge", self.modulus() as u64, 16..)?;
        let radix = self.radix(kind);
        let wide = Radix::new(self.stage_bits(), kind.bits());
        let mut digits = self.regroup(digits, radix, wide)?;
        for stage in stages {
            digits = self.stage(&digits, wide, rows, stage)?;
        }
        let mut digits = self.regroup(&digits, wide, radix)?;
        self.turn_sign(&mut digits, kind)?;
        Ok(IntegerColumn::new(kind, digits))
    }

    /// Number of bits of the digits of a stage: sums are of twice as many numbers as differences, and tables contain
    /// differences, and `2·base - 1` beside 0.
    fn stage_bits(&self) -> u32 {
        let of_outputs = (self.output_range() + 1) / 2;
        (self.modulus() / 4).min(of_outputs).ilog2()
    }

    /// Maps signed integers to unsigned ones of the same order, and back: inverts the sign bit.
    pub(crate) fn turn_sign(
        &self,
        digits: &mut [Digit<E::Ciphertext>],
        kind: ColumnKind,
    ) -> Result<()> {
        if let (true, Some(top)) = (kind.is_signed(), digits.last_mut()) {
            let base = self.radix(kind).top_base();
            *top = self.map(top, |digit| (digit + base / 2) % base)?;
        }
        Ok(())
    }

    /// Runs one stage.
    fn stage(
        &self,
        digits: &[Digit<E::Ciphertext>],
        radix: Radix,
        rows: usize,
        stage: Exchange,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let (places, distance) = (self.engine().places(), stage.distance());
        let mut digits = digits.to_vec();
        for digit in &mut digits {
            let difference = self.shape(&[(1, digit), (-1, digit)]);
            if !self.fits(difference.plus(Shape::public(0, self.result_noise()))) {
                *digit = self.cleaned(digit)?;
            }
        }
        // Pairs that reach beyond the last place are not compared, and are kept within the bounds of differences.
        let differences = digits.iter().enumerate().map(|(index, digit)| {
            let Some(ciphertext) = digit.ciphertext() else { return Ok(Digit::public(0)) };
            let largest = radix.base(index) - 1;
            let other = self.engine().shift(ciphertext, -(distance as i64), places)?;
            let minus = self.engine().mul_scalar(ciphertext, -1)?;
            let difference =
                Digit::encrypted(self.engine().add(&other, &minus)?, -largest, largest);
            let is_beyond = |place: usize| place + distance >= places;
            self.add_where(&difference, |place| if is_beyond(place) { largest } else { 0 })
        });
        let differences = differences.collect::<Result<Vec<_>>>()?;
        let is_first = |place: usize| stage.is_first(place, rows);
        let swap = self.swaps(&differences, radix, &is_first)?;
        let changed = digits.iter().zip(&differences).map(|(digit, difference)| {
            let width = 2 * radix.full_base() - 1;
            let low = difference.low();
            let sum = self.linear(&[(1, difference), (1, &swap)], -low)?;
            let change = self.map(&sum, |sum| if sum >= width { sum - width + low } else { 0 })?;
            let Some(ciphertext) = change.ciphertext() else { return Ok(digit.clone()) };
            let back = self.engine().shift(ciphertext, distance as i64, places)?;
            let back = Digit::encrypted(back, change.low(), change.high());
            let stage = self.linear_within(&[(1, digit), (1, &change), (-1, &back)])?;
            Ok(stage.within(digit.low(), digit.high()))
        });
        changed.collect()
    }

    /// Differences of a digit where the second integer of a pair is smaller, in the pair's first place; 0 elsewhere.
    fn swaps(
        &self,
        differences: &[Digit<E::Ciphertext>],
        radix: Radix,
        is_first: &dyn Fn(usize) -> bool,
    ) -> Result<Digit<E::Ciphertext>> {
        let (base, top) = (radix.full_base(), differences.len() - 1);
        let mut borrow = Digit::public(0);
        for (index, difference) in differences[..top].iter().enumerate() {
            let sum = self.linear(&[(1, difference), (1, &borrow)], 0)?;
            borrow = self.map(&sum, |value| value.div_euclid(radix.base(index)))?;
        }
        let sum = self.linear(&[(1, &differences[top]), (1, &borrow)], 0)?;
        let compared = self
            .add_where(&sum, |place| if is_first(place) { 2 * base } else { 0 })?
            .within(-base, 3 * base - 1);
        // In compared places from base to 3·base - 1, negative if below 2·base.
        self.map(
            &compared,
            |value| {
                if (base..2 * base).contains(&value) { 2 * base - 1 } else { 0 }
            },
        )
    }

    /// Adds public numbers, which are not negative, to the places of a digit; bounds include all of them.
    pub(crate) fn add_where(
        &self,
        digit: &Digit<E::Ciphertext>,
        number: impl Fn(usize) -> i64,
    ) -> Result<Digit<E::Ciphertext>> {
        let Some(ciphertext) = digit.ciphertext() else {
            return Err(Error::mismatch("column", "a public number", "encrypted values"));
        };
        let numbers: Vec<u64> =
            (0..self.engine().places()).map(|place| number(place) as u64).collect();
        let sum = self.engine().add_plain(ciphertext, &numbers)?;
        Ok(Digit::encrypted(sum, digit.low(), digit.high()))
    }
}
