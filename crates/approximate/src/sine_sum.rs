//! The odd function of period 1 that approximates the identity near 0 and removes the overflow of phases.
//!
//! `f(t) = (B/2π)·Σ_(m <= M) c_m·sin(2πmt)`, M = 2 or 3, is `B·t` for `|B·t| <= 1`, near every integer. The `c_m` make
//! it exact at the zeros of the Chebyshev polynomial of degree 2M + 1, so that its error is nearly that polynomial:
//! with `θ = 2π/B`, `(B/2π)·θ^5/(30·2^4)` for M = 2, and `(B/2π)·θ^7/(140·2^6)` for M = 3. A single sine would leave
//! `θ³/6`; followed by an arcsine of degree 3, `θ^5·3/40` for two products.
//!
//! With `w = e^{i(2πt + φ)}`, where φ turns the last coefficient, f is the real part of `(B/2π)·|c_M|·w·(w + γ_1)`, or
//! of `(B/2π)·|c_M|·w·(w² + γ_2·w + γ_1)`: M - 1 products.
//!
//! Levels: M - 1 beyond those of the exponential. Noise: errors of w are multiplied by about `B/2π` at t = 0.

use std::f64::consts::TAU;

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::exponential_series::ExponentialSeries;
use cryptable_ckks::bootstrapping::homomorphic_dft::join_halves;
use num_complex::Complex64;

/// Evaluates f, for ranges B = q_0 over the largest message.
#[derive(Clone, Debug)]
pub(crate) struct SineSum {
    pub series: ExponentialSeries,
    range: f64,
    /// `c_1, c_2` and, for M = 3, `c_3`.
    coefficients: Vec<f64>,
}

impl SineSum {
    /// Combines `harmonics` sines, 2 or 3.
    pub(crate) fn new(series: ExponentialSeries, range: f64, harmonics: usize) -> Self {
        assert!((2..=3).contains(&harmonics), "{harmonics} sines");
        Self { series, range, coefficients: coefficients(TAU / range, harmonics) }
    }

    /// `c_M` and the phase φ that turns it: `-i·c_M = |c_M|·e^{iMφ}`.
    fn leading(&self) -> (f64, f64) {
        let last = self.coefficients.len();
        let leading = Complex64::new(0.0, -self.coefficients[last - 1]);
        (leading.norm(), leading.arg() / last as f64)
    }

    /// `γ_m = -i·c_m·e^{-imφ}/|c_M|` for m from 1 on.
    fn inner(&self, m: usize) -> Complex64 {
        let (size, phase) = self.leading();
        Complex64::from_polar(self.coefficients[m - 1] / size, -(m as f64) * phase) * -Complex64::I
    }

    /// Half of a complex number whose real part is f, for `x = t/K`. One prime is left to be dropped, which leads to
    /// the given scale.
    pub(crate) fn half<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        scale: f64,
    ) -> A::Ciphertext {
        let (size, phase) = self.leading();
        let factor = self.range / TAU * size / 2.0;
        let harmonics = self.coefficients.len();
        let limbs = arithmetic.limbs(x) - self.series.levels();
        let primes = (limbs + 1 - harmonics..limbs).map(|index| arithmetic.prime(index));
        let wide = (scale * factor).log2() + primes.map(f64::log2).sum::<f64>();
        let own_scale = (wide / harmonics as f64).exp2();
        let w = self.series.exponential(arithmetic, x, phase, own_scale);
        let inner = if harmonics == 2 { w.clone() } else { self.square(arithmetic, &w) };
        let mut other = inner;
        arithmetic.add_constant_assign(&mut other, self.inner(1));
        let size = self.inner_size();
        arithmetic.declare_power(&mut other, size * size);
        let mut product = arithmetic.relinearize(arithmetic.product(&w, &other), 0);
        arithmetic.divide_slots_assign(&mut product, 1.0 / factor);
        product
    }

    /// `w² + γ_2·w`.
    fn square<A: Arithmetic>(&self, arithmetic: &A, w: &A::Ciphertext) -> A::Ciphertext {
        let mut square = arithmetic.product(w, w);
        let mut turned = w.clone();
        arithmetic.mul_imaginary_unit_assign(&mut turned);
        let factor = self.inner(2);
        for (operand, part) in [(w, factor.re), (&turned, factor.im)] {
            arithmetic.product_add_assign(&mut square, operand, part);
        }
        arithmetic.relinearize(square, 1)
    }

    /// Returns the factor of w at t = 0, which multiplies w's error in addition to the product's own error.
    fn inner_size(&self) -> f64 {
        let (size, _) = self.leading();
        self.coefficients.iter().sum::<f64>().abs() / size
    }

    /// Joins both parts to complex numbers, `f(t_x) + i·f(t_y)`, at the scale of [`Self::half`].
    ///
    /// `2·Re h = h + conj(h)`, so that `f_x + i·f_y = (h_x + i·h_y) + conj(h_x - i·h_y)`: one conjugation for both.
    pub(crate) fn join<A: Arithmetic>(
        &self,
        arithmetic: &A,
        halves: Vec<A::Ciphertext>,
    ) -> A::Ciphertext {
        arithmetic.rescale(join_halves(arithmetic, halves), 1)
    }

    /// The largest distance of f from `B·t` for `|B·t| <= bound`: that of the sines, at 64 points, plus the error of
    /// the series.
    pub(crate) fn bias(&self, bound: f64) -> f64 {
        let error = |step: u32| {
            let theta = TAU * bound / self.range * f64::from(step) / 64.0;
            let sines = self.coefficients.iter().zip(1..);
            let value: f64 = sines.map(|(c, m)| c * (f64::from(m) * theta).sin()).sum();
            (value - theta).abs()
        };
        let of_sines = (0..=64).map(error).fold(0.0, f64::max);
        let slopes = self.coefficients.iter().zip(1..).map(|(c, m)| c.abs() * f64::from(m));
        let of_series = slopes.sum::<f64>() * self.series.approximation_error();
        self.range / TAU * (of_sines + of_series)
    }
}

/// `c_m` with `Σ c_m·sin(mθ_j) = θ_j` at the positive zeros of the Chebyshev polynomial of degree 2M + 1 on
/// `[-largest, largest]`, by elimination.
fn coefficients(largest: f64, harmonics: usize) -> Vec<f64> {
    let degree = (2 * harmonics + 1) as f64;
    let mut rows: Vec<Vec<f64>> = (0..harmonics)
        .map(|j| {
            let theta = largest * (TAU / 4.0 * (2 * j + 1) as f64 / degree).cos();
            let sines = (1..=harmonics).map(|m| (m as f64 * theta).sin() / theta);
            sines.chain([1.0]).collect()
        })
        .collect();
    for pivot in 0..harmonics {
        let row = rows[pivot].clone();
        for other in rows.iter_mut().skip(pivot + 1) {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut found = vec![0.0; harmonics];
    for m in (0..harmonics).rev() {
        let known: f64 = (m + 1..harmonics).map(|k| rows[m][k] * found[k]).sum();
        found[m] = (rows[m][harmonics] - known) / rows[m][m];
    }
    found
}

#[cfg(test)]
mod tests {
    use cryptable_ckks::bootstrapping::literals::ExponentialLiteral;

    use super::*;

    fn sine_sum(range: f64, harmonics: usize) -> SineSum {
        let shape =
            ExponentialLiteral { log_length: 5, log_babies: 2, doublings: 3, primes: vec![] };
        SineSum::new(ExponentialSeries::new(14.0, &shape), range, harmonics)
    }

    #[test]
    fn the_product_is_the_odd_function() {
        for harmonics in [2, 3] {
            let odd = sine_sum(64.0, harmonics);
            let (size, phase) = odd.leading();
            for t in [-0.01, 0.0, 0.003, 0.2, 1.005] {
                let w = Complex64::from_polar(1.0, TAU * t + phase);
                let square = if harmonics == 2 { w } else { w * w + odd.inner(2) * w };
                let product = size * w * (square + odd.inner(1));
                let sines = odd.coefficients.iter().zip(1..);
                let expected: f64 = sines.map(|(c, m)| c * (f64::from(m) * TAU * t).sin()).sum();
                assert!((product.re - expected).abs() < 1e-12, "{t}: {} {expected}", product.re);
            }
        }
    }

    #[test]
    fn errors_are_those_of_chebyshev_s_polynomials() {
        for (range, harmonics, divisor) in [(64.0, 2, 30.0 * 16.0), (24.0, 3, 140.0 * 64.0)] {
            let theta: f64 = TAU / range;
            let expected = theta.powi(2 * harmonics + 1) / divisor * range / TAU;
            let found = sine_sum(range, harmonics as usize).bias(1.0);
            assert!((0.8..1.25).contains(&(found / expected)), "{found:e} and {expected:e}");
        }
    }
}
