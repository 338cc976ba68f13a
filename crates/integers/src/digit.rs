//! Digits of encrypted integers: a ciphertext with bounds on its values.

use cryptable_lattice::NoiseBound;

/// Largest size of a digit's value. Sums of public digits are limited to it, far below the range of machine words.
pub(crate) const MAX_DIGIT_VALUE: i64 = 1 << 40;

/// A digit of all values of a column: encrypted, within `low..=high`, or a public constant.
///
/// The bounds follow every operation. A ciphertext modulo p determines the digit if there are at most p values between
/// the bounds. Digits may exceed the base, or be below 0: carries are lazy.
#[derive(Clone, Debug)]
pub(crate) struct Digit<C> {
    ciphertext: Option<C>,
    low: i64,
    high: i64,
}

/// Modulus, range and noise of a digit, without its ciphertext.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) low: i64,
    pub(crate) high: i64,
    pub(crate) noise: NoiseBound,
}

impl<C> Digit<C> {
    /// A public number, the same for all values.
    pub(crate) fn public(value: i64) -> Self {
        Self { ciphertext: None, low: value, high: value }
    }

    /// An encrypted digit.
    pub(crate) fn encrypted(ciphertext: C, low: i64, high: i64) -> Self {
        Self { ciphertext: Some(ciphertext), low, high }
    }

    /// The same digit with narrower bounds, where more is known about it than its computation shows.
    pub(crate) fn within(self, low: i64, high: i64) -> Self {
        match self.ciphertext {
            None => self,
            Some(_) => Self { low, high, ..self },
        }
    }

    /// The ciphertext, if it is not public.
    pub(crate) fn ciphertext(&self) -> Option<&C> {
        self.ciphertext.as_ref()
    }

    /// The least value.
    pub(crate) fn low(&self) -> i64 {
        self.low
    }

    /// The largest value.
    pub(crate) fn high(&self) -> i64 {
        self.high
    }

    /// Number of values between the bounds, both included.
    pub(crate) fn width(&self) -> i64 {
        self.high - self.low + 1
    }

    /// Returns whether the digit is below a base and not negative.
    pub(crate) fn is_below(&self, base: i64) -> bool {
        self.low >= 0 && self.high < base
    }
}

impl Shape {
    /// The shape of a public number: the given noise and one value.
    pub(crate) const fn public(value: i64, noise: NoiseBound) -> Self {
        Self { low: value, high: value, noise }
    }

    /// Returns whether the values differ modulo p, and none is too large for further sums.
    pub(crate) fn is_representable(&self, modulus: i64) -> bool {
        let is_bounded = -MAX_DIGIT_VALUE <= self.low && self.high <= MAX_DIGIT_VALUE;
        is_bounded && self.high - self.low < modulus
    }

    /// The sum of both shapes.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            low: self.low + other.low,
            high: self.high + other.high,
            noise: self.noise + other.noise,
        }
    }
}
