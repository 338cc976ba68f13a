//! Bounds on the size of slots and on their errors.

use std::ops::{Add, Mul};

use cryptable_lattice::error::demand;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{NoiseBound, Result};
use num_complex::Complex64;

/// log2 of the probability, per slot, that an error is larger than products and lookups without a bootstrap assume.
pub(crate) const LOG2_FAIL: f64 = -80.0;

/// Bounds on the absolute real and imaginary parts of all slots of a ciphertext.
///
/// ```
/// use cryptable_approximate::SlotBounds;
/// let real = SlotBounds::real(2.0);
/// let complex = SlotBounds { re: 1.0, im: 0.5 };
/// assert_eq!(real * complex, SlotBounds { re: 2.0, im: 1.0 });
/// assert_eq!((complex * complex).re, 1.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotBounds {
    /// Bound on real parts.
    pub re: f64,
    /// Bound on imaginary parts.
    pub im: f64,
}

impl SlotBounds {
    /// Bounds on real slots.
    #[must_use]
    pub const fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    /// Returns the least bounds of these slots.
    #[must_use]
    pub fn of(slots: &[Complex64]) -> Self {
        let largest = |part: fn(&Complex64) -> f64| slots.iter().map(part).fold(0.0, f64::max);
        Self { re: largest(|z| z.re.abs()), im: largest(|z| z.im.abs()) }
    }

    /// Bound on absolute values.
    #[must_use]
    pub fn modulus(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Bound on both parts.
    #[must_use]
    pub fn part(self) -> f64 {
        self.re.max(self.im)
    }

    /// Number of parts of the slots: one if they are real, else two.
    pub(crate) fn parts(self) -> usize {
        if self.im == 0.0 { 1 } else { 2 }
    }

    /// Checks that the numbers can be bounds.
    ///
    /// # Errors
    /// If one is negative or not finite.
    pub(crate) fn check(self) -> Result<()> {
        for bound in [self.re, self.im] {
            let ok = bound >= 0.0 && bound.is_finite();
            demand(ok, "bound of slots", bound, "a number that is not negative")?;
        }
        Ok(())
    }
}

impl Add for SlotBounds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Mul for SlotBounds {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            re: self.re * other.re + self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

/// Errors of slots: the standard deviation of noise, and the largest error that is not noise, such as the difference
/// between a function and the polynomial that approximates it.
///
/// The deviation is that of the absolute value of a complex slot's error. Noises of operands count as correlated, and
/// are multiplied by slots as large as their bounds. All of the deviation counts as noise of slots
/// ([`cryptable_lattice::noise_law`]): a rounding of `c_1` is multiplied in slot j by `s(ζ_j)`, whose square is
/// exponentially distributed over slots.
///
/// The stated error is an upper bound for sums, products, linear maps, and the propagation of errors through
/// polynomials; but roundings of constants and of matrices count as random, though they are fixed. It is not a bound
/// for the errors that evaluating a polynomial, a bootstrap or a lookup adds: terms of a series count as independent
/// there, and phases by their mean square. The measured variance was at most 1.3 times the predicted one, and the
/// prediction counts 1.5 times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SlotError {
    /// Standard deviation of noise.
    pub deviation: f64,
    /// Largest error that is not noise.
    pub bias: f64,
    /// The limit on noise of slots that key generation enforces ([`cryptable_lattice::embedding_bound`]).
    pub slot_limit: f64,
}

impl SlotError {
    /// Law and bias of the error of one part of a slot, real or imaginary.
    #[must_use]
    pub fn of_part(self) -> NoiseBound {
        let law = if self.deviation == 0.0 {
            NoiseLaw::ZERO
        } else {
            // A part has half the variance.
            NoiseLaw::slots(self.deviation.powi(2) / 2.0, self.slot_limit)
        };
        NoiseBound::of_law(law, self.bias)
    }

    /// Returns the largest error of a part of a slot, except with probability 2^`log2_fail` per slot.
    ///
    /// ```
    /// use cryptable_approximate::SlotError;
    /// let error = SlotError { deviation: 1e-6, bias: 1e-7, slot_limit: 10.0 };
    /// assert!(error.largest(-40.0) < 2e-5);
    /// ```
    #[must_use]
    pub fn largest(self, log2_fail: f64) -> f64 {
        self.of_part().largest(log2_fail)
    }

    /// Number of bits of precision of the root mean square: -log2 of the error.
    #[must_use]
    pub fn bits(self) -> f64 {
        -self.deviation.hypot(self.bias).log2()
    }
}
