//! By how much tables amplify errors of modulus where they are evaluated on cosines and sines in real slots.
//!
//! A relative error ε of `cos θ + i·sin θ` is one of kε of power k. Polynomials of the exponential make an output of it that
//! [`HermiteKernel`] knows. Sums of cosines and sines of blocks, joined by `cos(M+j) = 2·cos M·cos j - cos(M-j)` and
//! `sin(M+j) = 2·cos M·sin j + sin(M-j)`, are the same on the unit circle, and others beside it: up to some times as much.
//! Errors along the circle are as harmless as ever.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::akp::fourier_sums::FourierSums;
use crate::akp::hermite_kernel::HermiteKernel;

/// The factors of errors of modulus: row m those of a peak at each node, at input m.
#[derive(Clone, Debug)]
pub(crate) struct RealGains {
    rows: Vec<Vec<f64>>,
}

impl RealGains {
    /// The gains of tables of a kernel's p nodes in blocks of `block` powers.
    pub(crate) fn new(kernel: &HermiteKernel, p: usize, block: usize) -> Self {
        let transform = FourierSums::new(p);
        let coefficients = kernel.coefficients();
        let angles: Vec<_> = (0..p).map(|i| (TAU * i as f64 / p as f64).sin_cos()).collect();
        let row = |m: usize| {
            let mut folded = vec![Complex64::ZERO; p];
            let gains = power_gains(|k| angles[k * m % p], coefficients.len(), block);
            for (k, gain) in gains.into_iter().enumerate() {
                folded[k % p] += gain * 2.0 * coefficients[k];
            }
            transform.of(&folded).into_iter().map(|value| value.re).collect()
        };
        Self { rows: (0..p).map(row).collect() }
    }

    /// The largest factor of any table within [-1/2, 1/2] at any input.
    pub(crate) fn largest(&self) -> f64 {
        let of_row = |row: &Vec<f64>| row.iter().map(|g| g.abs()).sum::<f64>() / 2.0;
        self.rows.iter().map(of_row).fold(0.0, f64::max)
    }

    /// The mean square of these factors for uniformly random tables within [-1/2, 1/2], over all inputs.
    pub(crate) fn mean_square(&self) -> f64 {
        let squares: f64 = self.rows.iter().flatten().map(|g| g * g).sum();
        squares / 12.0 / self.rows.len() as f64
    }

    /// The mean square of the factors of a table at every `every`-th input.
    pub(crate) fn mean_square_of(&self, outputs: &[f64], every: usize) -> f64 {
        let rows = self.rows.iter().step_by(every);
        let count = rows.len() as f64;
        let factor = |row: &Vec<f64>| row.iter().zip(outputs).map(|(g, f)| g * f).sum::<f64>();
        rows.map(|row| factor(row).powi(2)).sum::<f64>() / count
    }
}

/// Derivatives of the cosines (real parts) and, negative, of the sines (imaginary parts) of all multiples of an angle below
/// `count`, by the modulus: `angle` gives the sine and the cosine of each.
fn power_gains(angle: impl Fn(usize) -> (f64, f64), count: usize, block: usize) -> Vec<Complex64> {
    // A sine more than cosines: that of a giant step.
    let (mut cosines, mut sines) = (vec![0.0; count], vec![0.0; count + 1]);
    for k in 1..=count {
        let (sine, cosine) = angle(k);
        if k < count {
            cosines[k] = match giant(k, block) {
                Some(giant) if giant < k => {
                    let (step, j) = (angle(giant).1, k - giant);
                    2.0 * step * (giant as f64 * angle(j).1 + cosines[j]) - cosines[giant - j]
                }
                _ => k as f64 * cosine,
            };
        }
        sines[k] = match giant(k - 1, block) {
            Some(giant) => {
                let (step, j) = (angle(giant).1, k - giant);
                2.0 * step * (giant as f64 * angle(j).0 + sines[j]) + sines[giant - j]
            }
            None => k as f64 * sine,
        };
    }
    cosines.into_iter().zip(sines).map(|(cosine, sine)| Complex64::new(cosine, -sine)).collect()
}

/// The largest giant step of at most k: a power of two of blocks.
fn giant(k: usize, block: usize) -> Option<usize> {
    (k >= block).then(|| block << (k / block).ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::akp::hermite_kernel::HermiteOrder;

    #[test]
    fn gains_of_one_block_are_those_of_powers() {
        for order in HermiteOrder::ALL {
            let kernel = HermiteKernel::new(16, order);
            let gains = RealGains::new(&kernel, 16, 64);
            assert!((gains.largest() / kernel.largest_gain() - 1.0).abs() < 1e-9);
            assert!((gains.mean_square() / kernel.mean_square_gain() - 1.0).abs() < 1e-9);
            let outputs: Vec<f64> = (0..16).map(|x| f64::from(x * x % 7) / 14.0).collect();
            let (found, expected) =
                (gains.mean_square_of(&outputs, 2), kernel.mean_square_gain_of(&outputs, 2));
            assert!((found / expected - 1.0).abs() < 1e-9);
        }
    }

    /// The real part of a power at any modulus, joined from blocks.
    fn joined(k: usize, block: usize, part: usize, [r, theta]: [f64; 2]) -> f64 {
        let power = |k: usize| Complex64::from_polar(r.powi(k as i32), k as f64 * theta);
        let step =
            if part == 0 { giant(k, block).filter(|&it| it < k) } else { giant(k - 1, block) };
        let Some(giant) = step else { return [power(k).re, power(k).im][part] };
        let j = k - giant;
        let rest = match (giant - j, part) {
            (0, 0) => 1.0,
            (0, _) => 0.0,
            (rest, 0) => -joined(rest, block, part, [r, theta]),
            (rest, _) => joined(rest, block, part, [r, theta]),
        };
        2.0 * power(giant).re * joined(j, block, part, [r, theta]) + rest
    }

    #[test]
    fn gains_are_derivatives_by_the_modulus() {
        for theta in [0.0, 0.4, 2.0, 3.1] {
            let found = power_gains(|k| (k as f64 * theta).sin_cos(), 32, 4);
            for (k, found) in found.iter().enumerate().skip(1) {
                let slope = |part| {
                    let at = |r: f64| joined(k, 4, part, [r, theta]);
                    (at(1.0 + 1e-6) - at(1.0 - 1e-6)) / 2e-6
                };
                let expected = Complex64::new(slope(0), -slope(1));
                assert!((*found - expected).norm() < 1e-5 * k as f64, "{k} at {theta}");
            }
        }
    }
}
