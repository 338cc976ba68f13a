//! The server's side: linear combinations and lookups of digits, with bounds on values and noise.

use std::fmt;

use cryptable_lattice::error::{Error, Result, check_power_of_two};
use cryptable_lattice::{NoiseBound, Progress, Table};

use crate::columns::IntegerColumn;
use crate::digit::{Digit, Shape};
use crate::digit_arithmetic::DigitArithmetic;
use crate::integer::{ColumnKind, Integer, IntegerType, Radix, digit_bits, least_output_range};
use crate::noise_budget::{NoiseBudget, is_within};

/// Name that errors use for the range of outputs.
const OUTPUT_RANGE: &str = "largest difference of two outputs of a table";

/// Least modulus, for bits with room for a carry.
const LEAST_MODULUS: u64 = 4;

/// Largest modulus: sums of digits stay far below the range of machine words.
const MAX_MODULUS: u64 = 1 << 16;

/// A function of a digit.
pub(crate) type DigitFunction<'f> = &'f dyn Fn(i64) -> i64;

/// No noise.
pub(crate) const NOISELESS: fn() -> NoiseBound = || NoiseBound::new(0.0, 0.0);

/// Computes on encrypted integers with the key of an engine, whose tables go from p to p. Holds no secret.
///
/// Digits have base B with p = B² if two digits fit side by side. If p is not a square, p = 2B, and a digit and a carry
/// fit. Sums and comparisons then take half the time, and operations that look up two digits together first split each
/// into two halves. Operations are those of Rust's integers; overflows wrap, as in `wrapping_add` and similar
/// functions. All of them fail if columns belong to another client or to other parameters, have different numbers of
/// values, or `progress` asks to stop. None fails because of noise: digits are refreshed and carries propagated when
/// that is needed.
///
/// ```
/// use cryptable_integers::{Evaluator, decrypt, encrypt, insecure_packed_toy};
/// use cryptable_packed::{Progress, SecretKey};
///
/// // `cryptable_integers::packed_parameters(3)` has 128 bits of security; a toy keeps this example quick.
/// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
/// let (x, y) = (encrypt(&secret, &[200u8, 3, 77])?, encrypt(&secret, &[100u8, 5, 77])?);
///
/// // The server:
/// let key = secret.evaluation_key(Progress::silent())?;
/// let server = Evaluator::new(&key)?;
/// let sum = server.add(&x, &y)?;
/// let larger = server.max(&x, &y)?;
///
/// // The client:
/// assert_eq!(decrypt(&secret, &sum)?, [44, 8, 154]);
/// assert_eq!(decrypt(&secret, &larger)?, [200, 5, 77]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
pub struct Evaluator<'a, E: DigitArithmetic> {
    engine: &'a E,
    progress: Progress<'a>,
    modulus: i64,
    /// Largest difference of two outputs of a table.
    output_range: i64,
    digit_bits: u32,
    budget: NoiseBudget,
}

impl<E: DigitArithmetic> fmt::Debug for Evaluator<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Evaluator");
        shown.field("modulus", &self.modulus).field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<'a, E: DigitArithmetic> Evaluator<'a, E> {
    /// Makes an evaluator with a key of an engine.
    ///
    /// # Errors
    /// If its tables do not map p to p, for a power of two p from 4 to 2^16; if their outputs may not differ by
    /// `2·B - 1` and by `p/B` (by B, if p = 2B); if lookups do not support sums of B + 1 results (of two digits and a
    /// carry), or cannot use results as inputs without end.
    pub fn new(engine: &'a E) -> Result<Self> {
        let modulus = engine.model().modulus()?;
        let bounds = LEAST_MODULUS as usize..=MAX_MODULUS as usize;
        check_power_of_two("modulus of digits", modulus as usize, bounds)?;
        let digit_bits = digit_bits(modulus);
        let output_range = engine.model().output_range().unwrap_or(modulus - 1).min(modulus - 1);
        // For differences of digits or 0, and for carries.
        let least = least_output_range(modulus);
        if output_range < least {
            return Err(Error::TooSmall { name: OUTPUT_RANGE, value: output_range, limit: least });
        }
        let budget = NoiseBudget::new(engine.model())?;
        let (progress, modulus) = (Progress::silent(), modulus as i64);
        let output_range = output_range as i64;
        Ok(Self { engine, progress, modulus, output_range, digit_bits, budget })
    }

    /// Reports the steps of every lookup to `progress`, counted anew for each. If it asks to stop, the operation ends
    /// there.
    #[must_use]
    pub fn with_progress(self, progress: Progress<'a>) -> Self {
        Self { progress, ..self }
    }

    /// Number of bits of a digit.
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.digit_bits
    }

    /// Returns an evaluator with the same key for halves of digits, of which two fit side by side, if two whole digits
    /// do not.
    pub(crate) fn of_halves(&self) -> Option<Self> {
        let half_bits = self.modulus.ilog2() / 2;
        (half_bits < self.digit_bits).then_some(Self { digit_bits: half_bits, ..*self })
    }

    /// The engine's key.
    #[must_use]
    pub fn engine(&self) -> &'a E {
        self.engine
    }

    /// Number of results of lookups whose sum can be the input of another lookup.
    #[must_use]
    pub fn terms(&self) -> u64 {
        self.budget.terms
    }

    /// A public number as a column with any number of values.
    #[must_use]
    pub fn constant<T: Integer>(&self, value: T) -> IntegerColumn<T, E::Ciphertext> {
        self.public(ColumnKind::of::<T>(), value.to_word())
    }

    /// A public word as a column of a kind that the type can hold.
    pub(crate) fn public<T: IntegerType>(
        &self,
        kind: ColumnKind,
        word: u64,
    ) -> IntegerColumn<T, E::Ciphertext> {
        let radix = self.radix(kind);
        let digit = |index| Digit::public(radix.digit(word, index));
        IntegerColumn::new(kind, (0..radix.digits()).map(digit).collect())
    }

    pub(crate) fn radix(&self, kind: ColumnKind) -> Radix {
        Radix::new(self.digit_bits, kind.bits())
    }

    /// The base B of digits.
    pub(crate) fn base(&self) -> i64 {
        1 << self.digit_bits
    }

    /// The modulus p.
    pub(crate) fn modulus(&self) -> i64 {
        self.modulus
    }

    /// Largest difference of two outputs of a table.
    pub(crate) fn output_range(&self) -> i64 {
        self.output_range
    }

    /// Noise of a digit.
    pub(crate) fn noise(&self, digit: &Digit<E::Ciphertext>) -> NoiseBound {
        digit.ciphertext().map_or_else(NOISELESS, |ciphertext| self.engine.noise(ciphertext))
    }

    /// Noise of results.
    pub(crate) fn result_noise(&self) -> NoiseBound {
        self.budget.result
    }

    /// Returns the shape of `sum(factor·digit)`.
    pub(crate) fn shape(&self, terms: &[(i64, &Digit<E::Ciphertext>)]) -> Shape {
        let start = Shape::public(0, NOISELESS());
        terms.iter().filter(|(factor, _)| *factor != 0).fold(start, |sum, &(factor, digit)| {
            let ends = [factor * digit.low(), factor * digit.high()];
            let noise = match digit.ciphertext() {
                Some(_) => self.noise(digit).times(factor.unsigned_abs()),
                None => NOISELESS(),
            };
            sum.plus(Shape { low: ends[0].min(ends[1]), high: ends[0].max(ends[1]), noise })
        })
    }

    /// Returns whether a digit of this shape can be looked up: its values differ modulo p, and its noise is admitted.
    pub(crate) fn fits(&self, shape: Shape) -> bool {
        shape.is_representable(self.modulus) && self.budget.admits(self.engine.model(), shape.noise)
    }

    /// Noise of results of tables whose outputs differ by at most `range`.
    pub(crate) fn result_noise_within(&self, range: i64) -> NoiseBound {
        self.budget.result_within(range as u64)
    }

    /// Returns whether a digit has at most the noise of a result with its range, or below the base.
    pub(crate) fn is_clean(&self, digit: &Digit<E::Ciphertext>) -> bool {
        let range = (digit.width() - 1).max(self.base() - 1);
        is_within(self.noise(digit), self.result_noise_within(range))
    }

    /// `sum(factor·digit) + constant`.
    pub(crate) fn linear(
        &self,
        terms: &[(i64, &Digit<E::Ciphertext>)],
        constant: i64,
    ) -> Result<Digit<E::Ciphertext>> {
        let mut sum: Option<E::Ciphertext> = None;
        let mut public = constant;
        for &(factor, digit) in terms.iter().filter(|(factor, _)| *factor != 0) {
            let Some(ciphertext) = digit.ciphertext() else {
                public += factor * digit.low();
                continue;
            };
            let multiple;
            let term = if factor == 1 {
                ciphertext
            } else {
                multiple = self.engine.mul_scalar(ciphertext, factor)?;
                &multiple
            };
            sum = Some(match &sum {
                Some(sum) => self.engine.add(sum, term)?,
                None => term.clone(),
            });
        }
        let Some(mut sum) = sum else { return Ok(Digit::public(public)) };
        let residue = public.rem_euclid(self.modulus) as u64;
        if residue != 0 {
            sum = self.engine.add_plain(&sum, &vec![residue; self.engine.count(&sum)])?;
        }
        let shape = self.shape(terms);
        let (low, high) = (shape.low + constant, shape.high + constant);
        if high - low >= self.modulus {
            let (value, limit) = ((high - low + 1) as u64, self.modulus as u64);
            return Err(Error::TooLarge { name: "number of values of a digit", value, limit });
        }
        Ok(Digit::encrypted(sum, low, high))
    }

    /// A linear combination with bounds that are narrower than those of its terms imply.
    pub(crate) fn linear_within(
        &self,
        terms: &[(i64, &Digit<E::Ciphertext>)],
    ) -> Result<Digit<E::Ciphertext>> {
        let known: Vec<_> = terms.iter().map(|(f, x)| (*f, (*x).clone().within(0, 0))).collect();
        let known: Vec<_> = known.iter().map(|(f, x)| (*f, x)).collect();
        self.linear(&known, 0)
    }

    /// Evaluates functions of a digit by tables of one lookup; constant functions need none. Values that the digit
    /// cannot have, for example in places without a value, count as its least one.
    pub(crate) fn look_up(
        &self,
        digit: &Digit<E::Ciphertext>,
        functions: &[DigitFunction<'_>],
    ) -> Result<Vec<Digit<E::Ciphertext>>> {
        let Some(ciphertext) = digit.ciphertext() else {
            return Ok(functions.iter().map(|f| Digit::public(f(digit.low()))).collect());
        };
        let (low, high) = (digit.low(), digit.high());
        let range = |f: &DigitFunction<'_>| {
            (low..=high)
                .map(f)
                .fold((i64::MAX, i64::MIN), |(low, high), y| (low.min(y), high.max(y)))
        };
        let ranges: Vec<(i64, i64)> = functions.iter().map(range).collect();
        let mut tables = Vec::new();
        for (f, &(least, most)) in functions.iter().zip(&ranges) {
            if least == most {
                continue;
            }
            if most - least > self.output_range {
                let (value, limit) = ((most - least) as u64, self.output_range as u64);
                return Err(Error::TooLarge { name: OUTPUT_RANGE, value, limit });
            }
            let (p, offset) = (self.modulus as u64, self.offset(least, most));
            let table = Table::from_fn(p, p, |residue| {
                let value = low + (residue as i64 - low).rem_euclid(self.modulus);
                let output = f(if value <= high { value } else { low }) - offset;
                output.rem_euclid(self.modulus) as u64
            })?;
            tables.push(self.engine.prepare(&table)?);
        }
        let mut results = if tables.is_empty() {
            Vec::new()
        } else {
            self.engine.look_up(ciphertext, &tables, self.progress)?
        }
        .into_iter();
        let digit = |&(least, most): &(i64, i64)| {
            if least == most {
                return Ok(Digit::public(least));
            }
            let mut result = results.next().expect("a result a table");
            let offset = self.offset(least, most).rem_euclid(self.modulus) as u64;
            if offset != 0 {
                let offsets = vec![offset; self.engine.count(&result)];
                result = self.engine.add_plain(&result, &offsets)?;
            }
            Ok(Digit::encrypted(result, least, most))
        };
        ranges.iter().map(digit).collect()
    }

    /// Returns the offset that tables with outputs in this range subtract, so that their representatives around 0
    /// differ by no more than the outputs; 0 if they already do.
    fn offset(&self, least: i64, most: i64) -> i64 {
        let half = self.modulus / 2;
        let is_any = self.output_range == self.modulus - 1;
        if is_any || (least >= -half && most < half) {
            return 0;
        }
        least + (most - least + 1) / 2
    }

    /// Evaluates one function of a digit.
    pub(crate) fn map(
        &self,
        digit: &Digit<E::Ciphertext>,
        f: impl Fn(i64) -> i64,
    ) -> Result<Digit<E::Ciphertext>> {
        Ok(self.look_up(digit, &[&f])?.swap_remove(0))
    }

    /// `x + base·y`, for x below the base and y not negative: a lookup of it has two arguments.
    pub(crate) fn pair(
        &self,
        x: &Digit<E::Ciphertext>,
        y: &Digit<E::Ciphertext>,
        base: i64,
    ) -> Result<Digit<E::Ciphertext>> {
        if self.fits(self.shape(&[(1, x), (base, y)])) {
            return self.linear(&[(1, x), (base, y)], 0);
        }
        self.linear(&[(1, &self.cleaned(x)?), (base, &self.cleaned(y)?)], 0)
    }

    /// Returns the digit with the noise of a result.
    pub(crate) fn cleaned(&self, digit: &Digit<E::Ciphertext>) -> Result<Digit<E::Ciphertext>> {
        if self.is_clean(digit) { Ok(digit.clone()) } else { self.map(digit, |value| value) }
    }
}
