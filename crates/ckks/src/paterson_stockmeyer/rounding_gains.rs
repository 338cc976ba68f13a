//! Gains of the roundings of a Chebyshev series at the least depth, to first order. A dry run adds variances where
//! numbers are added. Giant steps, however, are computed from each other, and their roundings meet again in the sum.

use num_complex::Complex64;

use super::least_depth::{ceil_log2, is_block};
use super::split_at_giant;

/// A number, with its derivatives by all earlier roundings.
#[derive(Clone, Debug)]
struct Rounded {
    value: Complex64,
    derivatives: Vec<Complex64>,
}

impl Rounded {
    /// An exact number.
    fn exact(value: Complex64) -> Self {
        Self { value, derivatives: Vec::new() }
    }

    fn add(&mut self, other: &Self, factor: Complex64) {
        self.value += factor * other.value;
        let length = self.derivatives.len().max(other.derivatives.len());
        self.derivatives.resize(length, Complex64::ZERO);
        for (own, other) in self.derivatives.iter_mut().zip(&other.derivatives) {
            *own += factor * other;
        }
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = Self::exact(Complex64::ZERO);
        product.add(self, other.value);
        product.add(other, self.value);
        product.value = self.value * other.value;
        product
    }

    /// The number after a rounding of its own.
    fn rounded(mut self, roundings: &mut usize) -> Self {
        *roundings += 1;
        self.derivatives.resize(*roundings, Complex64::ZERO);
        self.derivatives[*roundings - 1] = Complex64::ONE;
        self
    }
}

/// The steps of x, as [`super::Steps`] computes them.
struct Steps {
    babies: Vec<Rounded>,
    giants: Vec<Rounded>,
}

impl Steps {
    fn new(x: f64, log_length: u32, log_babies: u32, roundings: &mut usize) -> Self {
        let first = Rounded::exact(x.into());
        let mut join = |a: &Rounded, b: &Rounded, same: bool| {
            let mut product = a.times(b);
            if !same {
                product.add(&first, Complex64::from(-0.5));
            }
            let mut step = Rounded::exact(Complex64::from(if same { -1.0 } else { 0.0 }));
            step.add(&product.rounded(roundings), Complex64::from(2.0));
            step
        };
        let mut babies = vec![first.clone()];
        for k in 2..1usize << log_babies {
            let (high, low) = (k.div_ceil(2), k / 2);
            babies.push(join(&babies[high - 1], &babies[low - 1], high == low));
        }
        let mut giants: Vec<Rounded> = Vec::new();
        for _ in log_babies..log_length {
            let half = giants.last().unwrap_or(&babies[babies.len() / 2]);
            giants.push(join(half, half, true));
        }
        Self { babies, giants }
    }

    /// Evaluates a series with `levels` levels, as [`super::Steps::evaluate_at_least_depth`] does.
    fn evaluate(&self, mut block: Vec<Complex64>, levels: u32, roundings: &mut usize) -> Rounded {
        let log_babies = (self.babies.len() + 1).ilog2();
        let mut sum = Rounded::exact(Complex64::ZERO);
        while !is_block(ceil_log2(block.len()), log_babies, levels) {
            let half = block.len().next_power_of_two() / 2;
            let mut high = block.split_off(half);
            split_at_giant(&mut block, &mut high);
            let high = self.evaluate(high, levels - 1, roundings);
            let giant = match half.ilog2().checked_sub(log_babies) {
                Some(giant) => &self.giants[giant as usize],
                None => &self.babies[half - 1],
            };
            sum.add(&high.times(giant), Complex64::ONE);
        }
        sum.value += block[0];
        for (step, &coefficient) in self.babies.iter().zip(&block[1..]) {
            sum.add(step, coefficient);
        }
        sum.rounded(roundings)
    }
}

/// Returns the ratio of the relative variance of a series at x, squared `doublings` times, to that of one rounding.
///
/// ```
/// use cryptable_ckks::paterson_stockmeyer::rounding_gain;
/// use num_complex::Complex64;
/// // A rounding of the sum, and one of each square, which the next one doubles.
/// let series = [Complex64::ZERO, Complex64::ONE];
/// assert_eq!(rounding_gain(&series, 1, 0, 1.0), 1.0);
/// assert_eq!(rounding_gain(&series, 1, 2, 1.0), 16.0 + 4.0 + 1.0);
/// ```
#[must_use]
pub fn rounding_gain(coefficients: &[Complex64], log_babies: u32, doublings: u32, x: f64) -> f64 {
    let (mut roundings, log_length) = (0, ceil_log2(coefficients.len()));
    let steps = Steps::new(x, log_length, log_babies, &mut roundings);
    let mut z = steps.evaluate(coefficients.to_vec(), log_length, &mut roundings);
    for _ in 0..doublings {
        z = z.times(&z).rounded(&mut roundings);
    }
    z.derivatives.iter().map(Complex64::norm_sqr).sum::<f64>() / z.value.norm_sqr()
}
