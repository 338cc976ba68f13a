//! The complex exponential of phases: lines 3 and 4 of Algorithms 2 and 3 of Bae, Cheon, Kim, Stehlé (EUROCRYPT 2024,
//! ePrint 2024/767), except for the real part.
//!
//! With `θ = (2πt + φ)/2^r`, `e^{iθ}` is a Chebyshev series, whose coefficients contain the phase φ, and r squarings
//! double the angle. The paper evaluates the cosine and doubles it by `2c² - 1`, on real slots. This has half as many
//! coefficients, but where cos θ = ±1, as for bits, an error grows by 4 per doubling, and by 2 here. Measured at degree
//! 2^14 with primes of 31 bits: four doublings of a series of 16 coefficients leave errors of 2^-12.7 (root mean
//! square); three of the cosine 2^-10.3.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::Arithmetic;
use crate::bootstrapping::literals::ExponentialLiteral;
use crate::chebyshev::ChebyshevSeries;
use crate::paterson_stockmeyer::{PolynomialBasis, Steps};

/// The Chebyshev series of the complex exponential, with its squarings.
#[derive(Clone, Debug)]
pub struct ExponentialSeries {
    /// Bound K of the phases: the input is x = t/K.
    pub bound: f64,
    shape: ExponentialLiteral,
    /// Coefficients of `e^{2πiKx/2^r}` in `T_k(x)`.
    coefficients: Vec<Complex64>,
}

impl ExponentialSeries {
    /// Plans the series for phases t in `[-bound, bound]`.
    #[must_use]
    pub fn new(bound: f64, shape: &ExponentialLiteral) -> Self {
        let degree = (1 << shape.log_length) - 1;
        let coefficients = ChebyshevSeries::exponential(angle(bound, shape), degree).coefficients;
        Self { bound, shape: shape.clone(), coefficients }
    }

    /// A bound on the error of the exponential: the error of the series, doubled by each squaring on the unit circle.
    #[must_use]
    pub fn approximation_error(&self) -> f64 {
        let degree = (1 << self.shape.log_length) - 1;
        ChebyshevSeries::exponential_truncation_error(angle(self.bound, &self.shape), degree)
            * f64::from(self.shape.doublings).exp2()
    }

    /// Levels that the evaluation consumes.
    #[must_use]
    pub fn levels(&self) -> usize {
        (self.shape.log_length + self.shape.doublings) as usize
    }

    /// Evaluates `e^{i(2πt + φ)}` on `x = t/K`, at the given scale. The literal has one prime per level.
    #[must_use]
    pub fn exponential<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        phase: f64,
        scale: f64,
    ) -> A::Ciphertext {
        self.square_up(arithmetic, x, phase, scale, true)
    }

    /// Evaluates the exponential like [`Self::exponential`], but keeps the last prime, whose division leads to the
    /// given scale: for circuits that add noise which that prime is to divide.
    #[must_use]
    pub fn exponential_before_rescale<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        phase: f64,
        scale: f64,
    ) -> A::Ciphertext {
        self.square_up(arithmetic, x, phase, scale, false)
    }

    fn square_up<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        phase: f64,
        scale: f64,
        rescale_last: bool,
    ) -> A::Ciphertext {
        let ExponentialLiteral { log_length, log_babies, doublings, .. } = self.shape;
        let steps = Steps::new(arithmetic, PolynomialBasis::Chebyshev, x, log_length, log_babies);
        let turn = Complex64::from_polar(1.0, phase / f64::from(doublings).exp2());
        let coefficients: Vec<_> = self.coefficients.iter().map(|c| c * turn).collect();
        // Every doubling squares the scale and drops a prime.
        let bottom = arithmetic.limbs(x) - self.levels();
        let first_scale = (bottom..bottom + doublings as usize)
            .fold(scale, |scale, prime| (scale * arithmetic.prime(prime)).sqrt());
        let mut w = steps.evaluate_at_least_depth(arithmetic, &coefficients, first_scale);
        drop(steps);
        arithmetic.declare_power(&mut w, 1.0);
        for doubling in 1..=doublings {
            let rescale = usize::from(doubling < doublings || rescale_last);
            w = arithmetic.relinearize(arithmetic.product(&w, &w), rescale);
            arithmetic.declare_power(&mut w, 1.0);
        }
        w
    }
}

/// The angle of the series at x = 1.
fn angle(bound: f64, shape: &ExponentialLiteral) -> f64 {
    TAU * bound / f64::from(shape.doublings).exp2()
}
