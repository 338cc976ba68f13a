//! Shifts and rotations by encrypted amounts. They use as many bits of the amount at a time as a digit has.
//!
//! Digit k of the amount, `a_k`, moves every digit by `a_k·2^(k·b)` bits. The target of the bits of `x_i` is a function
//! of both digits, so one lookup of `x_i + B·a_k` has a table for every digit of the result that any of these bits
//! reach. All bits of the integer have different targets, and sums of tables need no carry. With n digits this needs at
//! most `n·⌈log2(BITS)/b⌉` lookups, while selections by one bit of the amount after the other would need `n·log2(BITS)`
//! and the shifts themselves.
//!
//! Amounts of BITS and more leave nothing but the sign. A lookup of the sum of the amount's higher digits detects such
//! amounts, or several lookups if the sum does not fit. If the amount is too large, its last digit becomes the largest
//! one, if that alone moves all bits out: one lookup. If BITS is a power of the base, all digits become the largest
//! ones, and the single bit that is left is then cleared: one lookup for each digit of the amount, and one more unless
//! the operand is signed and shifted right.

use cryptable_lattice::Result;

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::{DigitFunction, Evaluator};
use crate::integer::{ColumnKind, IntegerType, Shift};

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// `x << amount`, or 0 for amounts of `BITS` and more. Needs a lookup per digit for each digit that amounts below
    /// `BITS` have, and two to five that detect larger amounts, or none if the amount has no room for them. Negative
    /// amounts count as the large ones with the same bits.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, decrypt, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
    /// let (x, amount) = (encrypt(&secret, &[200u8, 3, 77])?, encrypt(&secret, &[1u8, 6, 0])?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let server = Evaluator::new(&key)?;
    /// assert_eq!(decrypt(&secret, &server.shl_by(&x, &amount)?)?, [144, 192, 77]);
    /// assert_eq!(decrypt(&secret, &server.rotate_left_by(&x, &amount)?)?, [145, 192, 77]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn shl_by<T: IntegerType, A: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &IntegerColumn<A, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.shift_by(x, amount, Shift::Left)
    }

    /// `x >> amount` with its sign if the type is signed, like [`Evaluator::shl_by`]. Amounts of `BITS` and more yield
    /// 0, or -1 for negative integers.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn shr_by<T: IntegerType, A: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &IntegerColumn<A, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.shift_by(x, amount, Shift::Right)
    }

    /// x rotated by `amount` bits, modulo `BITS`, to the more significant bits, like [`Evaluator::shl_by`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn rotate_left_by<T: IntegerType, A: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &IntegerColumn<A, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.shift_by(x, amount, Shift::RotateLeft)
    }

    /// x rotated by `amount` bits, modulo `BITS`, to the less significant bits, like [`Evaluator::shl_by`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn rotate_right_by<T: IntegerType, A: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &IntegerColumn<A, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.shift_by(x, amount, Shift::RotateRight)
    }

    /// x rotated by a public amount, modulo `BITS`, to the more significant bits, with at most one lookup per digit. A
    /// rotation by `BITS - amount` goes in the other direction.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn rotate_left<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: u32,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let (kind, digits) = (x.kind(), self.reduce(x)?.digits().to_vec());
        let amount = Digit::public((amount % kind.bits()).into());
        let rotated = self.shift_digits(kind, &digits, 0, &amount, Shift::RotateLeft)?;
        Ok(IntegerColumn::new(kind, rotated))
    }

    fn shift_by<T: IntegerType, A: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &IntegerColumn<A, E::Ciphertext>,
        shift: Shift,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        if let Some(halves) = self.of_halves() {
            let (x, amount) = (self.in_halves(x)?, self.in_halves(amount)?);
            return self.joined(&halves, &halves.shift_by(&x, &amount, shift)?);
        }
        let (kind, mut digits) = (x.kind(), self.reduce(x)?.digits().to_vec());
        let amount_bits = kind.bits().ilog2();
        let stages = amount_bits.div_ceil(self.digit_bits()) as usize;
        if shift.is_rotation() {
            for (index, digit) in self.low_digits(amount, stages)?.iter().enumerate() {
                digits = self.shift_digits(kind, &digits, index, digit, shift)?;
            }
            return Ok(IntegerColumn::new(kind, digits));
        }
        let amount = self.reduce(amount)?;
        let (low, high) = amount.digits().split_at(stages.min(amount.digit_count()));
        let is_large = self.any_is_not_zero(high)?;
        let is_exact = amount_bits.is_multiple_of(self.digit_bits());
        for (index, digit) in low.iter().enumerate() {
            let largest;
            let mut digit = digit;
            if is_exact || index + 1 == stages {
                largest = self.largest_where(digit, &is_large)?;
                digit = &largest;
            }
            digits = self.shift_digits(kind, &digits, index, digit, shift)?;
        }
        if is_exact && !(matches!(shift, Shift::Right) && kind.is_signed()) {
            let last = if matches!(shift, Shift::Left) { digits.len() - 1 } else { 0 };
            let base = self.radix(kind).base(last);
            let pair = self.pair(&digits[last], &is_large, base)?;
            digits[last] = self.map(&pair, |pair| if pair < base { pair } else { 0 })?;
        }
        Ok(IntegerColumn::new(kind, digits))
    }

    /// 1 if any of the digits is not 0. No digit is negative.
    fn any_is_not_zero(&self, digits: &[Digit<E::Ciphertext>]) -> Result<Digit<E::Ciphertext>> {
        let is_not_zero = |value: i64| i64::from(value != 0);
        let mut sum = Digit::public(0);
        for digit in digits {
            let mut digit = digit.clone();
            for is_sum in [true, false] {
                if !self.fits(self.shape(&[(1, &sum), (1, &digit)])) {
                    let part = if is_sum { &mut sum } else { &mut digit };
                    *part = self.map(part, is_not_zero)?;
                }
            }
            sum = self.linear(&[(1, &sum), (1, &digit)], 0)?;
        }
        self.map(&sum, is_not_zero)
    }

    /// The digit, or the largest possible digit where the flag is 1.
    fn largest_where(
        &self,
        digit: &Digit<E::Ciphertext>,
        flag: &Digit<E::Ciphertext>,
    ) -> Result<Digit<E::Ciphertext>> {
        let base = self.base();
        let pair = self.pair(digit, flag, base)?;
        self.map(&pair, |pair| pair.min(base - 1))
    }

    /// Shifts by one digit of the amount.
    fn shift_digits(
        &self,
        kind: ColumnKind,
        digits: &[Digit<E::Ciphertext>],
        index: usize,
        amount: &Digit<E::Ciphertext>,
        shift: Shift,
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let (radix, base) = (self.radix(kind), self.base());
        let scaled = self.scaled_beside(digits, amount, base)?;
        let mut sums = vec![Digit::public(0); radix.digits()];
        for (i, digit) in digits.iter().enumerate() {
            let moved = |pair: i64| {
                let word = (pair.rem_euclid(base) as u64) << (i as u32 * radix.digit_bits());
                let amount = (pair.div_euclid(base) as u64) << (index as u32 * radix.digit_bits());
                shift.apply(kind, word, amount)
            };
            let sum = self.sum_beside(digit, &scaled)?;
            let words: Vec<u64> = (sum.low()..=sum.high()).map(moved).collect();
            let (words, low) = (&words, sum.low());
            let tables: Vec<_> = (0..radix.digits())
                .map(|target| move |pair: i64| radix.digit(words[(pair - low) as usize], target))
                .collect();
            let tables: Vec<DigitFunction<'_>> = tables.iter().map(|table| table as _).collect();
            for (target, part) in self.look_up(&sum, &tables)?.iter().enumerate() {
                self.add_apart(&mut sums[target], part, radix.base(target))?;
            }
        }
        Ok(sums)
    }

    /// `factor·y`, looked up if it is too noisy to be added to any of the digits.
    pub(crate) fn scaled_beside(
        &self,
        digits: &[Digit<E::Ciphertext>],
        y: &Digit<E::Ciphertext>,
        factor: i64,
    ) -> Result<Digit<E::Ciphertext>> {
        let fits = |x| self.fits(self.shape(&[(1, x), (factor, y)]));
        if y.ciphertext().is_none() || digits.iter().all(fits) {
            return self.linear(&[(factor, y)], 0);
        }
        if factor * (y.width() - 1) <= self.output_range() {
            return self.map(y, |value| factor * value);
        }
        // With the noise of that many results, multiples differ by more than outputs may.
        self.linear(&[(factor, &self.cleaned(y)?)], 0)
    }

    /// `x + y`, where x is looked up first if it is too noisy.
    pub(crate) fn sum_beside(
        &self,
        x: &Digit<E::Ciphertext>,
        y: &Digit<E::Ciphertext>,
    ) -> Result<Digit<E::Ciphertext>> {
        if self.fits(self.shape(&[(1, x), (1, y)])) {
            return self.linear(&[(1, x), (1, y)], 0);
        }
        self.linear(&[(1, &self.cleaned(x)?), (1, y)], 0)
    }

    /// Adds a part to a sum, where they have no bit in common, or one is 0 wherever the other is not.
    pub(crate) fn add_apart(
        &self,
        sum: &mut Digit<E::Ciphertext>,
        part: &Digit<E::Ciphertext>,
        base: i64,
    ) -> Result<()> {
        let noise = self.noise(sum) + self.noise(part);
        if !self.fits(crate::digit::Shape { low: 0, high: base - 1, noise }) {
            *sum = self.cleaned(sum)?;
        }
        *sum = self.linear(&[(1, sum), (1, part)], 0)?.within(0, base - 1);
        Ok(())
    }
}
