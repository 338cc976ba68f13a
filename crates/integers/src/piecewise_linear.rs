//! Piecewise linear functions, such as tax tables: thresholds determine the piece, and tables of two arguments evaluate
//! its line.
//!
//! On piece j the value is `intercept_j + slope_j·x = sum(f_ij(x_i))`: tables of x_i and j together, looked up in
//! `x_i + B·j`. With n digits, m pieces and r digits of the result there are n lookups of m - 1 tables, m - 1 lookups
//! of one table, and n lookups of at most r tables.

use cryptable_lattice::Result;
use cryptable_lattice::error::{Error, check_within};

use crate::columns::IntegerColumn;
use crate::digit::Digit;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::{ColumnKind, Integer, IntegerType, Radix};

/// A piece of a function: `intercept + slope·x` from `start` on.
///
/// Values are modulo 2^128. Larger values still yield what columns hold: integers modulo 2^64 or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<T> {
    /// The least x.
    pub start: T,
    /// The value of the line at x = 0.
    pub intercept: i128,
    /// Growth of the value per unit of x.
    pub slope: i64,
}

impl<T: Copy + Into<i128>> Piece<T> {
    /// Returns the pieces of a continuous function that is 0 at the least x, from starts and slopes: for example, taxes
    /// from brackets and rates.
    ///
    /// ```
    /// use cryptable_integers::Piece;
    /// let pieces = Piece::continuous(&[(0u32, 0), (10_000, 20), (50_000, 40)]);
    /// assert_eq!(pieces[2].value(60_000), 40_000 * 20 + 10_000 * 40);
    /// ```
    #[must_use]
    pub fn continuous(slopes: &[(T, i64)]) -> Vec<Self> {
        let mut pieces: Vec<Self> = Vec::with_capacity(slopes.len());
        for &(start, slope) in slopes {
            let before = pieces.last().map_or(0, |last| last.value(start));
            let from_zero = Self { start, intercept: 0, slope }.value(start);
            pieces.push(Self { start, intercept: before.wrapping_sub(from_zero), slope });
        }
        pieces
    }

    /// Returns the same piece with its start as a number.
    fn widened(&self) -> Piece<i128> {
        let Self { start, intercept, slope } = *self;
        Piece { start: start.into(), intercept, slope }
    }

    /// The value of the piece's line, modulo 2^128.
    ///
    /// ```
    /// use cryptable_integers::Piece;
    /// assert_eq!(Piece { start: 10u8, intercept: -5, slope: 3 }.value(20), 55);
    /// ```
    pub fn value(&self, x: T) -> i128 {
        self.intercept.wrapping_add(i128::from(self.slope).wrapping_mul(x.into()))
    }
}

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// Evaluates a piecewise linear function of x, modulo `2^BITS` of U: the last piece whose start is at most x, or
    /// the first piece for all x below the second one's start.
    ///
    /// ```
    /// use cryptable_integers::{Evaluator, Piece, decrypt, encrypt, insecure_packed_toy};
    /// use cryptable_packed::{Progress, SecretKey};
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let server = Evaluator::new(&key)?;
    /// let tax = Piece::continuous(&[(0u8, 0), (100, 1), (200, 2)]);
    /// let x = encrypt(&secret, &[99u8, 110, 200, 255])?;
    /// let taxes = server.piecewise_linear::<u8, u8>(&x, &tax)?;
    /// assert_eq!(decrypt(&secret, &taxes)?, [0, 10, 100, 210]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of all operations; also if there are no pieces, more than p/B, or their starts do not rise.
    pub fn piecewise_linear<T: Integer, U: Integer>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        pieces: &[Piece<T>],
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        let pieces: Vec<_> = pieces.iter().map(Piece::widened).collect();
        self.piecewise_linear_to(x, ColumnKind::of::<U>(), &pieces)
    }

    /// [`Evaluator::piecewise_linear`] to a kind that the type of the results can hold.
    pub(crate) fn piecewise_linear_to<T: IntegerType, U: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        to: ColumnKind,
        pieces: &[Piece<i128>],
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        if let Some(halves) = self.of_halves() {
            let found = halves.piecewise_linear_to(&self.in_halves(x)?, to, pieces)?;
            return self.joined(&halves, &found);
        }
        self.check_pieces(pieces)?;
        let (kind, radix, base) = (x.kind(), self.radix(x.kind()), self.base());
        let x = self.reduce(x)?;
        let piece = self.piece_times_base(&x, pieces)?;
        let results = self.radix(to);
        let mut lists = vec![Vec::new(); results.digits()];
        for (index, digit) in x.digits().iter().enumerate() {
            let is_signed = kind.is_signed() && index + 1 == radix.digits();
            let value = |v: i64| {
                let (digit, piece) = (v.rem_euclid(base), &pieces[v.div_euclid(base) as usize]);
                let digit = if is_signed { Radix::signed(digit, radix.top_base()) } else { digit };
                let scaled = (i128::from(piece.slope) * i128::from(digit))
                    .wrapping_shl(index as u32 * self.digit_bits());
                if index == 0 { scaled.wrapping_add(piece.intercept) } else { scaled }
            };
            let sum = self.linear(&[(1, digit), (1, &piece)], 0)?;
            self.push_digits(&mut lists, &sum, results, &value)?;
        }
        self.sum_lists(to, lists)
    }

    /// B times the number of pieces that start at x or below, without the first one; its noise leaves room for a digit.
    fn piece_times_base<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        pieces: &[Piece<i128>],
    ) -> Result<Digit<E::Ciphertext>> {
        let base = self.base();
        let mut sum = Digit::public(0);
        if pieces.len() == 1 {
            return Ok(sum);
        }
        let starts = pieces[1..].iter().map(|piece| x.kind().word(piece.start));
        let starts: Vec<u64> = starts.collect::<Result<_>>()?;
        for flag in self.below(x, &starts, &|is_below| if is_below { 0 } else { base })? {
            if !self.fits(self.shape(&[(1, &sum), (1, &flag)])) {
                sum = self.cleaned_multiple(&sum, base)?;
            }
            sum = self.linear(&[(1, &sum), (1, &flag)], 0)?;
        }
        let fits = |digit| self.fits(self.shape(&[(1, digit), (1, &sum)]));
        if x.digits().iter().all(fits) { Ok(sum) } else { self.cleaned_multiple(&sum, base) }
    }

    /// A multiple of the base with the noise of a result; or with that of B results, if multiples differ by more than
    /// outputs of tables may. The lookup is then of the number that is multiplied.
    fn cleaned_multiple(
        &self,
        sum: &Digit<E::Ciphertext>,
        base: i64,
    ) -> Result<Digit<E::Ciphertext>> {
        if sum.high() - sum.low() <= self.output_range() {
            return self.cleaned(sum);
        }
        let factor = self.map(sum, |sum| sum.div_euclid(base))?;
        self.linear(&[(base, &factor)], 0)
    }

    fn check_pieces(&self, pieces: &[Piece<i128>]) -> Result<()> {
        let (name, value) = ("number of pieces", pieces.len() as u64);
        let limit = (self.modulus() / self.base()) as u64;
        check_within(name, value, 1..=limit)?;
        if let Some(pair) = pieces.windows(2).find(|pair| pair[0].start >= pair[1].start) {
            let found = format!("{:?} after {:?}", pair[1].start, pair[0].start);
            return Err(Error::mismatch("start of a piece", found, "starts that rise"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Piece;

    #[test]
    fn values_beyond_128_bits_are_right_modulo_the_size_of_columns() {
        let (least, most) = (i128::from(i64::MIN), u64::MAX);
        let pieces = Piece::continuous(&[(0, i64::MIN), (most - 1, i64::MAX), (most, i64::MIN)]);
        let before = most.wrapping_sub(1).wrapping_mul(i64::MIN as u64);
        assert_eq!(pieces[1].value(most - 1) as u64, before);
        assert_eq!(pieces[2].value(most) as u64, before.wrapping_add(i64::MAX as u64));
        let far = Piece::continuous(&[(i128::MIN, i64::MAX), (least, i64::MIN), (i128::MAX, 1)]);
        assert_eq!(far[2].value(i128::MAX), far[1].value(i128::MAX));
    }
}
