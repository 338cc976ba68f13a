//! Real parts of polynomials on the unit circle, in real slots: sums of cosines and sines, whose blocks have both.
//!
//! `cos(M+j) = 2·cos M·cos j - cos(M-j)` and `sin(M+j) = 2·cos M·sin j + sin(M-j)`, so that giant steps are cosines alone and
//! one tree of products joins both sums, at no level more than powers of `z = c + is` take. All steps are parts of powers of z:
//! errors of its modulus grow with the power, where by `2c² - 1` those of c would grow with its square.

use num_complex::Complex64;

use super::{PolynomialBasis, Steps, divide_by_giants, split_at_giant};
use crate::arithmetic::Arithmetic;

impl<C: Clone + Send + Sync> Steps<C> {
    /// Computes the steps of the cosine and the sine of an angle for [`PolynomialBasis::RealParts`], as [`Steps::new`].
    ///
    /// # Panics
    /// If `log_babies` is 0 or above `log_length`.
    pub fn of_parts<A: Arithmetic<Ciphertext = C>>(
        arithmetic: &A,
        parts: &[C; 2],
        log_length: u32,
        log_babies: u32,
    ) -> Self {
        assert!((1..=log_babies.min(log_length)).contains(&log_babies), "{log_babies}");
        let block = 1usize << log_babies;
        // powers[i] has the parts of power i + 1.
        let mut powers = vec![parts.clone()];
        while powers.len() < block {
            let last = (2 * powers.len()).min(block);
            let next = arithmetic.map_all((powers.len() + 1..=last).collect(), |k: usize| {
                arithmetic.sum_of_angles(&powers[k.div_ceil(2) - 1], &powers[k / 2 - 1])
            });
            powers.extend(next);
        }
        let mut giants = Vec::new();
        let mut giant = powers[block - 1].clone();
        let count = log_length - log_babies;
        for left in (0..count).rev() {
            giants.push(giant[0].clone());
            giant = match left {
                0 => break,
                // The last sine is not needed.
                1 => {
                    giants.push(arithmetic.cosine_of_sum(&giant, &giant));
                    break;
                }
                _ => arithmetic.sum_of_angles(&giant, &giant),
            };
        }
        let (cosines, sines): (Vec<C>, Vec<C>) =
            powers.into_iter().map(|[cosine, sine]| (cosine, sine)).unzip();
        let babies = cosines.into_iter().take(block - 1).chain(sines).collect();
        Self { basis: PolynomialBasis::RealParts, log_babies, babies, giants, triple: None }
    }
}

/// The blocks of the real part of `Σ_k coefficients[k]·z^k`: of each the constant and the factors of `block - 1` cosines, then
/// those of `block` sines.
pub(super) fn blocks(coefficients: &[Complex64], block: usize) -> Vec<Complex64> {
    let length = coefficients.len().div_ceil(block) * block;
    let factors = |skip: usize, factor: fn(&Complex64) -> f64| {
        let own = coefficients.iter().skip(skip).map(|c| Complex64::from(factor(c)));
        own.chain(std::iter::repeat(Complex64::ZERO)).take(length).collect::<Vec<_>>()
    };
    let (mut cosines, mut sines) = (factors(0, |c| c.re), factors(1, |c| -c.im));
    divide_by_giants(&mut cosines, block, split_at_giant);
    divide_by_giants(&mut sines, block, split_sines);
    let pairs = cosines.chunks(block).zip(sines.chunks(block));
    pairs.flat_map(|(cosines, sines)| [cosines, sines].concat()).collect()
}

/// Rewrites a sum of sines, the first of which is entry 0, as `low + high·cos M`, M the length of the lower part.
fn split_sines(low: &mut [Complex64], high: &mut [Complex64]) {
    let giant = low.len();
    for (j, factor) in (1..).zip(high) {
        if j < giant {
            low[giant - j - 1] += *factor;
        }
        *factor *= 2.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins blocks at an angle as [`Steps::evaluate`] does.
    fn joined(blocks: &[Vec<f64>], giant: usize, theta: f64) -> f64 {
        if let [sum] = blocks {
            let half = sum.len() / 2;
            let term = |(i, c): (usize, &f64)| {
                let angle = if i < half { i } else { i + 1 - half } as f64 * theta;
                c * if i < half { angle.cos() } else { angle.sin() }
            };
            return sum.iter().enumerate().map(term).sum();
        }
        let (low, high) = blocks.split_at(blocks.len().next_power_of_two() / 2);
        let cosine = ((low.len() * giant) as f64 * theta).cos();
        joined(low, giant, theta) + cosine * joined(high, giant, theta)
    }

    #[test]
    fn blocks_of_cosines_and_sines_join_to_real_parts() {
        for (length, block) in [(16, 4), (25, 4), (32, 8), (8, 8), (49, 2)] {
            let coefficients: Vec<Complex64> = (0..length)
                .map(|k| Complex64::from_polar(1.0 / (k + 1) as f64, k as f64))
                .collect();
            let divided: Vec<f64> = blocks(&coefficients, block).iter().map(|c| c.re).collect();
            let blocks: Vec<Vec<f64>> = divided.chunks(2 * block).map(<[f64]>::to_vec).collect();
            for theta in [-2.0f64, 0.0, 0.3, 1.1, 3.1] {
                let term = |(k, c): (usize, &Complex64)| {
                    (c * Complex64::from_polar(1.0, k as f64 * theta)).re
                };
                let direct: f64 = coefficients.iter().enumerate().map(term).sum();
                let found = joined(&blocks, block, theta);
                assert!((found - direct).abs() < 1e-12, "{length} by {block}: {found}, {direct}");
            }
        }
    }
}
