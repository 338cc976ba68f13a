//! Functions of period 1, which remove the overflow of ModRaise, with given values at fractions of m: trigonometric
//! interpolation, and trigonometric Hermite interpolation of order 1.
//!
//! `f(t) = Re Σ_k c_k·e^{2πikt}`. Table 4 of Bae, Cheon, Kim, Stehlé (EUROCRYPT 2024, ePrint 2024/767) has the
//! functions of degree 1. Their introduction names functions of more inputs, and GateBoot', whose extrema clean.

use std::f64::consts::TAU;

use num_complex::Complex64;

/// Coefficients below this size are rounding errors of their computation, and are taken as zero.
const NEGLIGIBLE: f64 = 1e-12;

/// `f(t) = Re Σ_k c_k·e^{2πikt}` with given values at `0, 1/m, …, (points - 1)/m`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PeriodicFunction {
    m: u64,
    points: usize,
    /// c_0, which is real, to c_d, d > 0, which is not zero.
    coefficients: Vec<Complex64>,
}

impl PeriodicFunction {
    fn new(m: u64, points: usize, mut coefficients: Vec<Complex64>) -> Self {
        while coefficients.len() > 2 && coefficients.last().is_some_and(|c| c.norm() < NEGLIGIBLE) {
            coefficients.pop();
        }
        assert!(coefficients.len() > 1 && coefficients[coefficients.len() - 1].norm() > NEGLIGIBLE);
        Self { m, points, coefficients }
    }

    /// BinBoot: `(1 - cos 2πt)/2` is φ at t = φ/2, with slope 0 there, so that errors are squared.
    pub(crate) fn bin_boot() -> Self {
        Self::new(2, 2, vec![Complex64::from(0.5), Complex64::from(-0.5)])
    }

    /// GateBoot: a trigonometric polynomial of degree 1 through three points, `f(0), f(1/m), f(2/m)`. For m = 3 it is
    /// the trigonometric interpolation of the paper's Table 4. Larger m are for sums of bits that are given modulo m.
    pub(crate) fn gate_boot(outputs: [bool; 3], m: u64) -> Self {
        let [f0, f1, f2] = outputs.map(|bit| f64::from(u8::from(bit)));
        // f(t) = c + a·cos(2πt - θ) + b·sin(2πt - θ), about the point in the middle, θ = 2π/m.
        let theta = TAU / m as f64;
        let a = (f1 - (f0 + f2) / 2.0) / (1.0 - theta.cos());
        let b = (f2 - f0) / (2.0 * theta.sin());
        let first = Complex64::new(a, -b) * Complex64::from_polar(1.0, -theta);
        Self::new(m, 3, vec![Complex64::from(f1 - a), first])
    }

    /// The trigonometric interpolation of m values, of degree m/2 at most: `c_k = (2/m)·Σ_l f(l)·e^{-2πikl/m}`, half of that
    /// for k = 0 and k = m/2.
    pub(crate) fn interpolation(outputs: &[bool]) -> Self {
        let m = outputs.len();
        let coefficient = |k: usize| {
            let factor = if k == 0 || 2 * k == m { 1.0 } else { 2.0 };
            factor / m as f64 * transform(outputs, k)
        };
        Self::new(m as u64, m, (0..=m / 2).map(coefficient).collect())
    }

    /// The trigonometric Hermite interpolation of order 1 of m values, of degree m - 1, with slope 0 at each of them, so
    /// that errors are squared: `c_k = 2(m - k)/m²·Σ_l f(l)·e^{-2πikl/m}` (Theorem 1 of Alexandru, Kim, Polyakov, CRYPTO 2025,
    /// ePrint 2024/1623). GateBoot' for m = 3.
    pub(crate) fn hermite(outputs: &[bool]) -> Self {
        let m = outputs.len();
        let coefficient = |k: usize| {
            let factor = if k == 0 { m as f64 } else { 2.0 * (m - k) as f64 };
            factor / (m * m) as f64 * transform(outputs, k)
        };
        Self::new(m as u64, m, (0..m).map(coefficient).collect())
    }

    /// The modulus m that values are fractions of.
    pub(crate) fn modulus(&self) -> u64 {
        self.m
    }

    /// The degree d.
    pub(crate) fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }

    /// The mean c_0.
    pub(crate) fn mean(&self) -> f64 {
        self.coefficients[0].re
    }

    /// c_k for k from 0 to the degree.
    pub(crate) fn coefficients(&self) -> &[Complex64] {
        &self.coefficients
    }

    /// Returns the value at t.
    #[cfg(test)]
    pub(crate) fn value(&self, t: f64) -> f64 {
        self.sum(t, |_| 1.0).re
    }

    /// Largest factor on an error of t, to first order, at the function's points.
    pub(crate) fn slope(&self) -> f64 {
        let at = |k: usize| self.sum(k as f64 / self.m as f64, |k| TAU * k).im.abs();
        (0..self.points).map(at).fold(0.0, f64::max)
    }

    /// Largest factor on a squared error of t: half the largest second derivative, or more. For degree 1, half the
    /// largest second derivative at the function's points, because `sin x <= x` and `1 - cos x <= x²/2`.
    pub(crate) fn curvature(&self) -> f64 {
        let weight = |k: f64| (TAU * k).powi(2) / 2.0;
        if self.degree() > 1 {
            return self.weighted(weight);
        }
        let at = |k: usize| self.sum(k as f64 / self.m as f64, weight).re.abs();
        (0..self.points).map(at).fold(0.0, f64::max)
    }

    /// Largest factor on an error of `e^{2πit}`.
    pub(crate) fn gain(&self) -> f64 {
        self.weighted(|k| k)
    }

    /// `Σ_k weight(k)·c_k·e^{2πikt}`.
    fn sum(&self, t: f64, weight: impl Fn(f64) -> f64) -> Complex64 {
        let term = |(k, c): (usize, &Complex64)| {
            c * weight(k as f64) * Complex64::from_polar(1.0, TAU * k as f64 * t)
        };
        self.coefficients.iter().enumerate().map(term).sum()
    }

    fn weighted(&self, weight: impl Fn(f64) -> f64) -> f64 {
        self.coefficients.iter().enumerate().map(|(k, c)| weight(k as f64) * c.norm()).sum()
    }
}

/// `Σ_l f(l)·e^{-2πikl/m}`.
fn transform(outputs: &[bool], k: usize) -> Complex64 {
    let m = outputs.len();
    let ones = outputs.iter().enumerate().filter(|(_, output)| **output);
    ones.map(|(l, _)| Complex64::from_polar(1.0, -TAU * (k * l % m) as f64 / m as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Gate;

    fn check_values(function: &PeriodicFunction, outputs: &[bool]) {
        for (k, &output) in outputs.iter().enumerate() {
            for whole in [-3.0, 0.0, 5.0] {
                let value = function.value(whole + k as f64 / function.modulus() as f64);
                assert!((value - f64::from(u8::from(output))).abs() < 1e-11, "{function:?} at {k}");
            }
        }
    }

    /// All outputs at m points except the constant ones.
    fn tables(m: usize) -> impl Iterator<Item = Vec<bool>> {
        (1..(1u32 << m) - 1).map(move |table| (0..m).map(|k| table >> k & 1 == 1).collect())
    }

    #[test]
    fn functions_have_the_outputs_of_their_gates() {
        check_values(&PeriodicFunction::bin_boot(), &[false, true]);
        for gate in Gate::SYMMETRIC {
            for m in 3..9 {
                check_values(&PeriodicFunction::gate_boot(gate.outputs(), m), &gate.outputs());
            }
            let linear = PeriodicFunction::gate_boot(gate.outputs(), 3);
            let interpolation = PeriodicFunction::interpolation(&gate.outputs());
            let same = linear.coefficients().iter().zip(interpolation.coefficients());
            assert!(same.clone().all(|(a, b)| (a - b).norm() < 1e-12) && linear.degree() == 1);
        }
        for m in 2..9 {
            for outputs in tables(m) {
                let interpolation = PeriodicFunction::interpolation(&outputs);
                check_values(&interpolation, &outputs);
                assert!(interpolation.degree() <= m / 2);
                let hermite = PeriodicFunction::hermite(&outputs);
                check_values(&hermite, &outputs);
                assert!(hermite.slope() < 1e-10 && hermite.degree() < m);
            }
        }
    }

    #[test]
    fn errors_grow_as_the_lemmas_say() {
        // Lemma 1: π²/4·ε², ε = 2δ. Lemma 2: 2√3π/9·|ε| + 2π²/27·ε², ε = 3δ, for δ the error of t. Lemma 2's second
        // term holds at the points of largest slope, where the second derivative is half of the largest.
        let binary = PeriodicFunction::bin_boot();
        assert!(binary.slope() < 1e-12);
        assert!((binary.curvature() - TAU * TAU / 4.0).abs() < 1e-12);
        for gate in Gate::SYMMETRIC {
            let linear = PeriodicFunction::gate_boot(gate.outputs(), 3);
            assert!((linear.slope() - 3f64.sqrt() * TAU / 3.0).abs() < 1e-12, "{gate}");
            assert!((linear.gain() - 2.0 / 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn slopes_and_curvatures_bound_differences() {
        for m in 2..7 {
            for outputs in tables(m) {
                for function in
                    [PeriodicFunction::interpolation(&outputs), PeriodicFunction::hermite(&outputs)]
                {
                    let (slope, curvature) = (function.slope(), function.curvature());
                    for (k, &output) in outputs.iter().enumerate() {
                        for error in [-0.02, -1e-3, 1e-3, 0.02f64] {
                            let value = function.value(k as f64 / m as f64 + error);
                            let found = (value - f64::from(u8::from(output))).abs();
                            let bound = slope * error.abs() + curvature * error * error;
                            assert!(found <= bound + 1e-12, "{outputs:?} at {k}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn linear_functions_stay_within_slope_and_curvature() {
        for (gate, m) in
            Gate::SYMMETRIC.into_iter().flat_map(|gate| [(gate, 3), (gate, 4), (gate, 8)])
        {
            let function = PeriodicFunction::gate_boot(gate.outputs(), m);
            let (slope, curvature) = (function.slope(), function.curvature());
            let mut closest: f64 = 0.0;
            for (k, output) in gate.outputs().into_iter().enumerate() {
                for error in [-0.1, -0.02, -1e-3, 1e-3, 0.02, 0.1f64] {
                    let value = function.value(k as f64 / m as f64 + error);
                    let found = (value - f64::from(u8::from(output))).abs();
                    let bound = slope * error.abs() + curvature * error * error;
                    assert!(found <= bound + 1e-12, "{gate} {m} at {k}");
                    closest = closest.max(found / bound);
                }
            }
            assert!(closest > 0.9, "{gate} {m}: {closest}");
        }
    }
}
