//! Fourier extension: a trigonometric polynomial of a longer period that approximates a function on an interval. Its
//! values on the rest of the period are free, so that smooth functions need no jump ("High-Precision Functional
//! Bootstrapping for CKKS from Fourier Extension", EUROCRYPT 2026, ePrint 2026/367).
//!
//! With x = middle + u·half and a period of ρ interval lengths, the basis is cos(kπu/ρ) and sin(kπu/ρ), k < n. It is
//! nearly dependent on the interval, so that plain least squares yields huge coefficients. Instead
//!
//! `mean over Chebyshev's points of (F - f)² + λ²·Σ k²·(a_k² + b_k²)`
//!
//! is minimized, with the largest λ that meets the tolerance. The second term is the effect of an error λ of the phase
//! on F, averaged over the whole period, so that of all extensions within the tolerance the least sensitive is chosen.
//! Points are symmetric, so that cosines and sines are two problems of half the size, each solved by Householder
//! reflections.

use std::f64::consts::PI;

/// A trigonometric polynomial in `πu/ρ`.
#[derive(Clone, Debug)]
pub(crate) struct Extension {
    /// ρ, the period over the length of the interval.
    pub ratio: f64,
    /// Coefficients of cos(kπu/ρ), k from 0 on.
    pub cosines: Vec<f64>,
    /// Coefficients of sin(kπu/ρ), k from 0 on; the first is 0.
    pub sines: Vec<f64>,
}

impl Extension {
    /// The value at u.
    pub(crate) fn value(&self, u: f64) -> f64 {
        let (sine, cosine) = (PI * u / self.ratio).sin_cos();
        let (mut c, mut s, mut sum) = (1.0, 0.0, 0.0);
        for (a, b) in self.cosines.iter().zip(&self.sines) {
            sum += a * c + b * s;
            (c, s) = (c * cosine - s * sine, s * cosine + c * sine);
        }
        sum
    }

    /// Absolute values of the coefficients of `e^{ikπu/ρ}`.
    pub(crate) fn amplitudes(&self) -> impl Iterator<Item = f64> {
        self.cosines.iter().zip(&self.sines).map(|(a, b)| a.hypot(*b))
    }

    /// Factor on errors of the exponential and its powers, as a root mean square over the period.
    pub(crate) fn unrest(&self) -> f64 {
        let terms = self.amplitudes().zip(0u32..);
        terms.map(|(size, k)| size * size * f64::from(1 + k * k)).sum::<f64>().sqrt()
    }
}

/// A function on [-1, 1], sampled for series with `length` harmonics, the constant included.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    points: Vec<f64>,
    even: Vec<f64>,
    odd: Vec<f64>,
}

impl Samples {
    /// Samples at the positive zeros of a Chebyshev polynomial, four per harmonic.
    pub(crate) fn new(f: impl Fn(f64) -> f64, length: usize) -> Self {
        let count = 4 * length + 16;
        let angle = |i: usize| PI * (2 * i + 1) as f64 / (4 * count) as f64;
        let points: Vec<f64> = (0..count).map(|i| angle(i).cos()).collect();
        let pairs: Vec<_> = points.iter().map(|&u| (f(u), f(-u))).collect();
        let even = pairs.iter().map(|(right, left)| (right + left) / 2.0).collect();
        let odd = pairs.iter().map(|(right, left)| (right - left) / 2.0).collect();
        Self { points, even, odd }
    }

    /// Largest absolute value.
    fn magnitude(&self) -> f64 {
        self.even.iter().zip(&self.odd).fold(0.0, |most, (e, o)| most.max(e.abs() + o.abs()))
    }

    /// Prepares the fit with `length` harmonics, the constant included, and a period of `ratio` intervals.
    pub(crate) fn fit(&self, length: usize, ratio: f64) -> Fit {
        let columns = |first: usize, wave: fn(f64) -> f64| -> Vec<Vec<f64>> {
            let of = |k: usize| self.points.iter().map(move |u| wave(k as f64 * PI * u / ratio));
            (first..length).map(|k| of(k).collect()).collect()
        };
        let even = Triangle::of(columns(0, f64::cos), self.even.clone());
        let odd = Triangle::of(columns(1, f64::sin), self.odd.clone());
        Fit { ratio, even, odd, count: self.points.len(), magnitude: self.magnitude() }
    }
}

/// A fit whose matrices are triangular.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    ratio: f64,
    even: Triangle,
    odd: Triangle,
    count: usize,
    magnitude: f64,
}

impl Fit {
    /// Returns the extension with the largest λ of those tried that `is_near` accepts: from `largest` down by factors
    /// of 4, until rounding errors of the fit dominate.
    pub(crate) fn quietest(
        &self,
        largest: f64,
        is_near: impl Fn(&Extension) -> bool,
    ) -> Option<Extension> {
        let mut lambda = largest;
        while lambda > 1e-14 * self.magnitude.max(f64::MIN_POSITIVE) {
            let found = self.regularised(lambda / self.magnitude);
            if is_near(&found) {
                return Some(found);
            }
            lambda /= 4.0;
        }
        None
    }

    fn regularised(&self, lambda: f64) -> Extension {
        let weight = lambda * (self.count as f64).sqrt();
        let cosines = self.even.regularised(0, weight);
        let sines = [vec![0.0], self.odd.regularised(1, weight)].concat();
        Extension { ratio: self.ratio, cosines, sines }
    }
}

/// An upper triangular system with the same least squares solution as the original one.
#[derive(Clone, Debug)]
struct Triangle {
    columns: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl Triangle {
    /// Reflects columns to multiples of unit vectors, one after the other (Householder, 1958).
    fn of(mut columns: Vec<Vec<f64>>, mut right: Vec<f64>) -> Self {
        let size = columns.len();
        for j in 0..size {
            let (done, rest) = columns.split_at_mut(j + 1);
            let column = &mut done[j];
            let mut mirror = column[j..].to_vec();
            let norm = dot(&mirror, &mirror).sqrt();
            let image = if mirror[0] > 0.0 { -norm } else { norm };
            mirror[0] -= image;
            let square = dot(&mirror, &mirror);
            column.truncate(j);
            column.push(image);
            if square > 0.0 {
                for other in rest.iter_mut().chain([&mut right]) {
                    let factor = 2.0 * dot(&mirror, &other[j..]) / square;
                    other[j..].iter_mut().zip(&mirror).for_each(|(x, m)| *x -= factor * m);
                }
            }
        }
        right.truncate(size);
        Self { columns, right }
    }

    /// Returns the solution with `weight²·k²·c_k²` added for every k from `first` on; for the constant as for k = 1.
    fn regularised(&self, first: usize, weight: f64) -> Vec<f64> {
        let size = self.columns.len();
        let column = |j: usize| {
            let mut column = self.columns[j].clone();
            column.resize(2 * size, 0.0);
            column[size + j] = weight * (first + j).max(1) as f64;
            column
        };
        let mut right = self.right.clone();
        right.resize(2 * size, 0.0);
        Self::of((0..size).map(column).collect(), right).solve()
    }

    /// Back substitution.
    fn solve(mut self) -> Vec<f64> {
        let mut found = vec![0.0; self.columns.len()];
        for (j, column) in self.columns.iter().enumerate().rev() {
            // A column of zeros has no influence.
            found[j] = if column[j] == 0.0 { 0.0 } else { self.right[j] / column[j] };
            for (x, entry) in self.right.iter_mut().zip(&column[..j]) {
                *x -= entry * found[j];
            }
        }
        found
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
