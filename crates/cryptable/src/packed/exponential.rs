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

/// What a level costs, in multiplications of each wave: a limb more in everything above it. Measured on
/// 8-bit lookups, where 64 coefficients and a level less took 5 % more time than 32.
const MULTIPLICATIONS_PER_LEVEL: f64 = 2.5;

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

    /// A bound on the error of the result, over phases of the interval: that of the series (proven, from
    /// the Bessel functions that are cut off), times what the doublings make of it.
    #[must_use]
    pub fn approximation_error(wave: Wave, bound: f64, doublings: u32, log_length: u32) -> f64 {
        let angle = TAU * bound / f64::from(doublings).exp2();
        // d(z²) = 2·dz on the unit circle; d(2c² - 1) = 4c·dc.
        let growth: f64 = match wave {
            Wave::Exponential => 2.0,
            Wave::Cosine => 4.0,
        };
        2.0 * ChebyshevSeries::exponential_truncation_error(angle, (1 << log_length) - 1)
            * growth.powi(doublings as i32)
    }

    /// The cheapest number of doublings and log2 of the number of coefficients and of the baby steps,
    /// with an error of at most `tolerance`.
    ///
    /// Cost: multiplications, of which a level is worth two and a half.
    ///
    /// # Panics
    /// If no combination of up to 8 doublings and 256 coefficients reaches the tolerance.
    #[must_use]
    pub fn choose(wave: Wave, bound: f64, tolerance: f64) -> (u32, u32, u32) {
        let mut best = None;
        for log_length in 2..=8u32 {
            for doublings in 0..=8u32 {
                if Self::approximation_error(wave, bound, doublings, log_length) > tolerance {
                    continue;
                }
                for log_babies in 1..=log_length {
                    let giants = log_length - log_babies;
                    let steps = (1 << log_babies) - 2 + giants;
                    let multiplications = steps + (1 << giants) - 1 + doublings;
                    let cost = f64::from(multiplications)
                        + MULTIPLICATIONS_PER_LEVEL * Self::levels(log_length, doublings) as f64;
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, (doublings, log_length, log_babies)));
                    }
                }
            }
        }
        best.expect("256 coefficients and 8 doublings reach any tolerance of use").1
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stay_below_their_bound_and_the_tolerance_is_met() {
        for (wave, tolerance) in
            [(Wave::Exponential, 1e-7), (Wave::Exponential, 1e-4), (Wave::Cosine, 1e-3)]
        {
            let (doublings, log_length, log_babies) = Exponential::choose(wave, 13.2, tolerance);
            let exponential = Exponential::new(wave, 13.2, doublings, log_length, log_babies);
            let bound = Exponential::approximation_error(wave, 13.2, doublings, log_length);
            assert!(bound <= tolerance);
            for i in 0..=200 {
                let x = f64::from(i) / 100.0 - 1.0;
                let mut z = exponential.series.evaluate(x);
                for _ in 0..doublings {
                    z = if wave == Wave::Cosine { 2.0 * z * z - 1.0 } else { z * z };
                }
                let exact = Complex64::from_polar(1.0, TAU * 13.2 * x);
                let error = match wave {
                    Wave::Exponential => (z - exact).norm(),
                    Wave::Cosine => (z.re - exact.re).abs(),
                };
                assert!(error <= bound * 1.01 + 1e-11, "{wave:?} at {x}: {error:e} > {bound:e}");
            }
        }
    }

    #[test]
    fn looser_tolerances_are_cheaper() {
        let cost = |tolerance| {
            let (doublings, log_length, _) =
                Exponential::choose(Wave::Exponential, 13.2, tolerance);
            Exponential::levels(log_length, doublings) + (1 << log_length)
        };
        assert!(cost(1e-4) < cost(1e-9));
    }
}
