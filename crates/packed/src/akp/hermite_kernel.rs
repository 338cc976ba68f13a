//! The kernel of trigonometric Hermite interpolation of order M at p equidistant points (Theorems 1 to 3 of Alexandru,
//! Kim, Polyakov, CRYPTO 2025, ePrint 2024/1623): the part that all tables of p entries share.

use std::f64::consts::TAU;

use cryptable_lattice::error::{Error, Result};
use num_complex::Complex64;
use serde::{Deserialize, Serialize};

use crate::akp::fourier_sums::FourierSums;

/// The order M: the number of derivatives of an interpolation that vanish at its nodes. Noise ε of an input becomes
/// proportional to ε^(M+1).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum HermiteOrder {
    /// Slopes vanish: p coefficients, errors squared.
    #[default]
    First,
    /// Slopes and curvatures vanish: 3p/2 coefficients, errors cubed.
    Second,
    /// Three derivatives vanish: 2p coefficients, errors to the fourth power.
    Third,
}

impl HermiteOrder {
    /// All orders, the cheapest first.
    pub const ALL: [Self; 3] = [Self::First, Self::Second, Self::Third];

    /// Converts a number to an order.
    ///
    /// # Errors
    /// If the number is not from 1 to 3.
    pub fn new(order: u64) -> Result<Self> {
        let name = "order of the interpolation";
        match order {
            0 => Err(Error::TooSmall { name, value: order, limit: 1 }),
            1..=3 => Ok(Self::ALL[order as usize - 1]),
            _ => Err(Error::TooLarge { name, value: order, limit: 3 }),
        }
    }

    /// M, the number of derivatives that vanish.
    #[must_use]
    pub const fn derivatives(self) -> usize {
        self as usize + 1
    }

    /// Whether this is the first order, which files omit.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }

    /// Number of coefficients of an interpolation of p values, including the constant one.
    ///
    /// ```
    /// use cryptable_packed::HermiteOrder;
    /// assert_eq!(HermiteOrder::ALL.map(|order| order.coefficients(16)), [16, 25, 32]);
    /// ```
    #[must_use]
    pub const fn coefficients(self, p: usize) -> usize {
        match self {
            Self::First => p,
            Self::Second => 3 * p / 2 + 1,
            Self::Third => 2 * p,
        }
    }
}

/// `K(x) = Σ_{|k| < n} c_k·e^{2πikx}` with `K(0) = 1`, `K(d/p) = 0` at the other nodes, and the first M derivatives 0 at
/// all of them; n is [`HermiteOrder::coefficients`], and `c_{-k} = c_k`. The interpolation of f is `Σ_l f(l)·K(x - l/p)`.
///
/// ```
/// use cryptable_packed::{HermiteKernel, HermiteOrder};
/// let kernel = HermiteKernel::new(16, HermiteOrder::Third);
/// // Errors of 1 % of a step: to the second power with the first order, to the fourth with the third.
/// let first = HermiteKernel::new(16, HermiteOrder::First);
/// assert!(kernel.largest_deviation(0.01 / 16.0) < 1e-6);
/// assert!(first.largest_deviation(0.01 / 16.0) > 1e-4);
/// ```
#[derive(Clone, Debug)]
pub struct HermiteKernel {
    p: usize,
    /// `c_0, c_1, …`
    coefficients: Vec<f64>,
}

impl HermiteKernel {
    /// The kernel of p nodes.
    ///
    /// Derivative m at all nodes depends on the sum `Σ_j c_{r+jp}·(r + jp)^m` of every residue class of k modulo p: the
    /// sum must be 1/p for m = 0 and 0 for m = 1, …, M. So the M + 1 members of a class are 1/p times Lagrange's basis
    /// polynomials at 0, `c_k = (1/p)·Π_{k' ≠ k} k'/(k' - k)`, where the class has M + 1 members with |k| ≤ (M +
    /// 1)·p/2. A class that contains both bounds has one member too many; its coefficients are the mean of the two
    /// choices, which keeps K even.
    ///
    /// # Panics
    /// If p is 0.
    #[must_use]
    pub fn new(p: usize, order: HermiteOrder) -> Self {
        assert!(p > 0, "an interpolation needs values");
        let count = order.coefficients(p);
        let coefficients = (0..count).map(|k| coefficient(p, order, k)).collect();
        Self { p, coefficients }
    }

    /// `c_0, c_1, …` up to the last one that is not zero.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The largest error of outputs, over all tables within [-1/2, 1/2], for inputs that are off by a phase φ (a
    /// fraction of the torus): `(|1 - K(φ)| + Σ_{d ≠ 0} |K(φ - d/p)|)/2`, which some table reaches.
    #[must_use]
    pub fn largest_deviation(&self, phase: f64) -> f64 {
        self.deviations(phase).into_iter().map(f64::abs).sum::<f64>() / 2.0
    }

    /// The errors of a table's outputs at all inputs, for inputs that are off by a phase φ:
    /// `Σ_l f(l)·(K(φ + (m - l)/p) - δ_{ml})` at input m.
    ///
    /// # Panics
    /// If the number of outputs is not p.
    #[must_use]
    pub fn errors(&self, outputs: &[f64], phase: f64) -> Vec<f64> {
        // Entry d belongs to the node that lies d steps above.
        self.sums(outputs, &self.deviations(phase))
    }

    /// The mean square error of outputs of uniformly random tables within [-1/2, 1/2], for phases with a Gaussian error
    /// of this variance: the outputs' variance, 1/12, times `E Σ_d (K(φ - d/p) - δ_d)²`.
    #[must_use]
    pub fn mean_square_deviation(&self, phase_variance: f64) -> f64 {
        gaussian_mean(phase_variance, |phase| self.sum_of_squares(phase)) / 12.0
    }

    /// `Σ_d (K(φ - d/p) - δ_d)²`, by Parseval's identity `p·Σ_r |Σ_k c_k·(e^{2πikφ} - 1)|²` over residue classes r of k modulo
    /// p.
    fn sum_of_squares(&self, phase: f64) -> f64 {
        let p = self.p;
        let mut classes = vec![Complex64::ZERO; p];
        for ((k, c), root) in self.coefficients.iter().enumerate().zip(powers_of_root(phase)) {
            let term = c * (root - 1.0);
            classes[k % p] += term;
            classes[(p - k % p) % p] += term.conj();
        }
        p as f64 * classes.iter().map(Complex64::norm_sqr).sum::<f64>()
    }

    /// Mean square error of a table's outputs at every `every`-th input, for phases with a Gaussian error of this
    /// variance.
    ///
    /// # Panics
    /// If the number of outputs is not p.
    #[must_use]
    pub fn mean_square_error(&self, outputs: &[f64], every: usize, phase_variance: f64) -> f64 {
        gaussian_mean(phase_variance, |phase| mean_square(&self.errors(outputs, phase), every))
    }

    /// The largest factor by which any table within [-1/2, 1/2] amplifies relative errors of `e^{2πix}`:
    /// `Σ_d |G(d)|/2`, where `G(d) = 2·Σ_{k>0} k·c_k·cos(2πkd/p)` is the gain of a peak d nodes away.
    #[must_use]
    pub fn largest_gain(&self) -> f64 {
        self.gains().into_iter().map(f64::abs).sum::<f64>() / 2.0
    }

    /// The mean square of the factors by which uniformly random tables within [-1/2, 1/2] amplify relative errors of
    /// `e^{2πix}`: `Σ_d G(d)²/12`.
    #[must_use]
    pub fn mean_square_gain(&self) -> f64 {
        self.gains().into_iter().map(|g| g * g).sum::<f64>() / 12.0
    }

    /// Mean square of the factors by which the table amplifies relative errors of `e^{2πix}`, at every `every`-th
    /// input: `Σ_l f(l)·G(l - m)` at input m.
    ///
    /// # Panics
    /// If the number of outputs is not p.
    #[must_use]
    pub fn mean_square_gain_of(&self, outputs: &[f64], every: usize) -> f64 {
        mean_square(&self.sums(outputs, &self.gains()), every)
    }

    /// `Σ_l f(l)·terms[(l - m) mod p]` at all inputs m.
    fn sums(&self, outputs: &[f64], terms: &[f64]) -> Vec<f64> {
        assert_eq!(outputs.len(), self.p, "one value per node");
        let sum =
            |m: usize| (0..self.p).map(|l| outputs[l] * terms[(l + self.p - m) % self.p]).sum();
        (0..self.p).map(sum).collect()
    }

    /// `K(φ - d/p) - δ_d` for d = 0, …, p - 1.
    fn deviations(&self, phase: f64) -> Vec<f64> {
        let roots: Vec<_> = powers_of_root(phase).take(self.coefficients.len()).collect();
        let mut values = self.at_nodes(|k| 2.0 * self.coefficients[k] * roots[k]);
        for value in &mut values {
            *value -= self.coefficients[0];
        }
        values[0] -= 1.0;
        values
    }

    /// G(d) for d = 0, …, p - 1.
    fn gains(&self) -> Vec<f64> {
        self.at_nodes(|k| Complex64::from(2.0 * k as f64 * self.coefficients[k]))
    }

    /// `Re Σ_k term(k)·e^{-2πikd/p}` for d = 0, …, p - 1.
    fn at_nodes(&self, term: impl Fn(usize) -> Complex64) -> Vec<f64> {
        let mut folded = vec![Complex64::ZERO; self.p];
        for k in 0..self.coefficients.len() {
            folded[k % self.p] += term(k).conj();
        }
        // Conjugates have the same real parts.
        FourierSums::new(self.p).of(&folded).into_iter().map(|value| value.re).collect()
    }
}

/// `e^{2πikφ}` for k = 0, 1, …. Each is a product of two roots, so that errors do not accumulate.
fn powers_of_root(phase: f64) -> impl Iterator<Item = Complex64> {
    const SMALL: usize = 32;
    let power = move |k: usize| Complex64::from_polar(1.0, TAU * k as f64 * phase);
    let small: [Complex64; SMALL] = std::array::from_fn(power);
    (0..).flat_map(move |large| {
        let large = power(SMALL * large);
        small.into_iter().map(move |small| small * large)
    })
}

/// The mean of a function over a Gaussian of this variance.
fn gaussian_mean(variance: f64, f: impl Fn(f64) -> f64) -> f64 {
    /// Points of the sum on either side, at a distance of half the standard deviation.
    const POINTS: i32 = 16;
    let (mut sum, mut weights) = (0.0, 0.0);
    for point in -POINTS..=POINTS {
        let ratio = f64::from(point) / 2.0;
        let weight = (-ratio * ratio / 2.0).exp();
        sum += weight * f(ratio * variance.sqrt());
        weights += weight;
    }
    sum / weights
}

/// Mean square of every `every`-th number.
fn mean_square(numbers: &[f64], every: usize) -> f64 {
    let chosen = numbers.iter().step_by(every);
    let count = chosen.len() as f64;
    chosen.map(|x| x * x).sum::<f64>() / count
}

/// The coefficient `c_k` of a kernel.
fn coefficient(p: usize, order: HermiteOrder, k: usize) -> f64 {
    let (members, k) = (order.derivatives() as i64 + 1, k as i64);
    let signed_p = p as i64;
    // The class of k between the bounds ±(M + 1)·p/2, doubled to stay integers.
    let bound = members * signed_p;
    let class: Vec<i64> =
        (-members..=members).map(|j| k + j * signed_p).filter(|m| 2 * m.abs() <= bound).collect();
    let choices: Vec<&[i64]> = if class.len() as i64 > members {
        vec![&class[1..], &class[..class.len() - 1]]
    } else {
        vec![&class[..]]
    };
    let count = choices.len() as f64;
    let lagrange = |class: &[i64]| {
        let others = class.iter().filter(|&&other| other != k);
        others.map(|&other| other as f64 / (other - k) as f64).product::<f64>()
    };
    let of_k = choices.into_iter().filter(|class| class.contains(&k));
    of_k.map(lagrange).sum::<f64>() / count / p as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [usize; 10] = [1, 2, 3, 4, 5, 12, 16, 31, 256, 257];

    /// `K` and its derivatives, computed by the sum: derivative m in units of p^m.
    fn derivative(kernel: &HermiteKernel, m: usize, x: f64) -> f64 {
        let p = kernel.p as f64;
        let term = |(k, c): (usize, &f64)| {
            let angle = TAU * k as f64 * x + std::f64::consts::FRAC_PI_2 * m as f64;
            let twice = if k == 0 { 1.0 } else { 2.0 };
            twice * c * (TAU * k as f64 / p).powi(m as i32) * angle.cos()
        };
        kernel.coefficients.iter().enumerate().map(term).sum()
    }

    #[test]
    fn kernels_are_one_at_zero_and_flat_at_all_nodes() {
        for p in SIZES {
            for order in HermiteOrder::ALL {
                let kernel = HermiteKernel::new(p, order);
                for d in 0..p {
                    let x = d as f64 / p as f64;
                    let value = derivative(&kernel, 0, x) - f64::from(u8::from(d == 0));
                    assert!(value.abs() < 1e-12, "p = {p}, {order:?}, d = {d}: {value:e}");
                    for m in 1..=order.derivatives() {
                        let slope = derivative(&kernel, m, x);
                        assert!(slope.abs() < 1e-9, "p = {p}, {order:?}, d = {d}, {m}: {slope:e}");
                    }
                }
                // The next derivative does not vanish, except where K is even around all nodes.
                let next = order.derivatives() + 1;
                if p > 2 {
                    let largest = (0..p)
                        .map(|d| derivative(&kernel, next, d as f64 / p as f64).abs())
                        .fold(0.0, f64::max);
                    assert!(largest > 0.1, "p = {p}, {order:?}: derivative {next} is {largest:e}");
                }
            }
        }
    }

    #[test]
    fn closed_forms_of_the_paper() {
        for p in SIZES {
            let q = p as f64;
            let [first, second, third] =
                HermiteOrder::ALL.map(|order| HermiteKernel::new(p, order).coefficients);
            for k in 0..p {
                let x = k as f64;
                let alpha = (q - x) / (q * q);
                assert!((first[k] - alpha).abs() < 1e-15);
                if k == 0 {
                    continue;
                }
                // Theorem 3: β is half of what is added at k, and δ and θ are subtracted at p + k and p - k.
                let beta = |k: f64| k * (q - k) * (2.0 * q - k) / (3.0 * q.powi(4));
                let mirrored = beta(q - x);
                assert!((third[k] - (alpha + beta(x) - mirrored / 2.0)).abs() < 1e-14, "{p}, {k}");
                assert!((third[p + k] + beta(x) / 2.0).abs() < 1e-14, "{p}, {k}");
            }
            assert!((second[0] - 1.0 / q).abs() < 1e-15);
        }
    }

    #[test]
    fn deviations_follow_the_first_derivative_that_does_not_vanish() {
        for p in [3usize, 4, 16, 256] {
            for order in HermiteOrder::ALL {
                let kernel = HermiteKernel::new(p, order);
                let m = order.derivatives() + 1;
                let factorial: f64 = (1..=m).map(|i| i as f64).product();
                let phase = 0.01 / p as f64;
                let leading: f64 =
                    (0..p).map(|d| derivative(&kernel, m, d as f64 / p as f64).abs()).sum::<f64>()
                        / factorial
                        * 0.01f64.powi(m as i32)
                        / 2.0;
                let found = kernel.largest_deviation(phase);
                assert!(
                    (found / leading - 1.0).abs() < 0.1,
                    "p = {p}, {order:?}: {found:e}, {leading:e}"
                );
            }
        }
    }

    #[test]
    fn first_order_has_closed_forms() {
        for p in [2usize, 3, 16, 256] {
            let (kernel, q) = (HermiteKernel::new(p, HermiteOrder::First), p as f64);
            assert!((kernel.largest_gain() - (q * q - 1.0) / (3.0 * q)).abs() < 1e-12 * q);
            let mean_square = (q.powi(4) - 1.0) / (90.0 * q * q);
            // The closed form of Σ_d G(d)²/12 leaves out lower powers of p.
            assert!((kernel.mean_square_gain() / mean_square - 1.0).abs() < 2.0 / q, "p = {p}");
            let variance = (0.01 / q).powi(2);
            let curvature = TAU.powi(4) * (q.powi(4) - 1.0) / 30.0 / 12.0;
            let expected = curvature * 3.0 * variance * variance / 4.0;
            let found = kernel.mean_square_deviation(variance);
            assert!((found / expected - 1.0).abs() < 0.02, "p = {p}: {found:e}, {expected:e}");
        }
    }
}
