//! The complex exponential of the raised phase, which removes the overflow.
//!
//! For t = m/p + I with |t| <= K, `e^{2πit}` is the Chebyshev series of `e^{2πiKx/2^r}` on
//! x = t/K in [-1, 1], squared r times (Sec. 4 of Alexandru, Kim, Polyakov). For p = 2 only the cosine
//! is needed (Remark 1), and the doublings are `cos 2θ = 2·cos²θ - 1`.

use std::f64::consts::TAU;

use cryptable_ckks::Arithmetic;
use cryptable_ckks::chebyshev::ChebyshevSeries;
use cryptable_ckks::paterson_stockmeyer::{ConstantScale, PolynomialBasis, Steps};
use num_complex::Complex64;

/// Which function of the phase is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wave {
    /// `e^{2πit}`.
    Exponential,
    /// `cos 2πt`.
    Cosine,
}

/// The Chebyshev series and doublings for one interval.
#[derive(Clone, Debug)]
pub struct Exponential {
    wave: Wave,
    series: ChebyshevSeries,
    doublings: u32,
    log_length: u32,
    log_babies: u32,
}

impl Exponential {
    /// Interpolates for phases in `[-bound, bound]`, with `2^log_length` coefficients in blocks of
    /// `2^log_babies`.
    #[must_use]
    pub fn new(wave: Wave, bound: f64, doublings: u32, log_length: u32, log_babies: u32) -> Self {
        let angle = TAU * bound / f64::from(doublings).exp2();
        let f = |x: f64| match wave {
            Wave::Exponential => Complex64::from_polar(1.0, angle * x),
            Wave::Cosine => Complex64::new((angle * x).cos(), 0.0),
        };
        let series = ChebyshevSeries::interpolate(f, (1 << log_length) - 1);
        Self { wave, series, doublings, log_length, log_babies }
    }

    /// Largest error of the result, over phases of the interval.
    #[must_use]
    pub fn approximation_error(bound: f64, doublings: u32, log_length: u32) -> f64 {
        let angle = TAU * bound / f64::from(doublings).exp2();
        let f = |x: f64| Complex64::from_polar(1.0, angle * x);
        let series = ChebyshevSeries::interpolate(f, (1 << log_length) - 1);
        series.max_error(f, 1000) * f64::from(doublings).exp2()
    }

    /// Levels it takes: one a Chebyshev doubling, one for the constants, one a doubling of the angle.
    #[must_use]
    pub fn levels(log_length: u32, doublings: u32) -> usize {
        (log_length + 1 + doublings) as usize
    }

    /// Evaluates it on a ciphertext of x = t/K.
    #[must_use]
    pub fn evaluate<A: Arithmetic>(&self, arithmetic: &A, x: &A::Ciphertext) -> A::Ciphertext {
        let basis = PolynomialBasis::Chebyshev;
        let steps = Steps::new(arithmetic, basis, x, self.log_length, self.log_babies);
        let coefficients = &self.series.coefficients;
        let mut z = steps.evaluate(arithmetic, coefficients, ConstantScale::Rescaled);
        drop(steps);
        arithmetic.declare_power(&mut z, 1.0);
        for _ in 0..self.doublings {
            z = arithmetic.mul(&z, &z);
            if self.wave == Wave::Cosine {
                arithmetic.mul_integer_assign(&mut z, 2);
                arithmetic.add_constant_assign(&mut z, Complex64::new(-1.0, 0.0));
            }
            arithmetic.declare_power(&mut z, 1.0);
        }
        z
    }
}
