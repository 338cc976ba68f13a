//! How far ModRaise overflows, and tails of distributions.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

/// Bounds are multiples of this fraction, so that tails are exact rationals.
const STEPS: i64 = 64;

/// log2 P(|t| > bound) for t the sum of `weight + 1` independent uniforms on [-1/2, 1/2].
///
/// With a secret of that Hamming weight, `t = (c0 + c1·s)/q` has this law (Irwin-Hall, centred). With
/// m = weight + 1 and y = m/2 - bound, `P(t < -bound) = (1/m!)·Σ_k (-1)^k C(m,k) (y - k)^m` over k < y,
/// summed in exact integers because the terms cancel. The bound is rounded down to a 64th.
#[must_use]
pub fn tail_log2(weight: u32, bound: f64) -> f64 {
    let m = i64::from(weight) + 1;
    let y = m * STEPS / 2 - (bound * STEPS as f64).floor() as i64;
    if y <= 0 {
        return f64::NEG_INFINITY;
    }
    let (mut sum, mut binomial) = (BigInt::zero(), BigInt::from(1));
    for k in 0..=m {
        let base = y - k * STEPS;
        if base <= 0 {
            break;
        }
        let term = &binomial * BigInt::from(base).pow(m as u32);
        sum += if k % 2 == 0 { term } else { -term };
        binomial = binomial * (m - k) / (k + 1);
    }
    let factorial: f64 = (1..=m).map(|i| (i as f64).log2()).sum();
    (log2(&sum) - m as f64 * (STEPS as f64).log2() - factorial + 1.0).min(0.0)
}

fn log2(x: &BigInt) -> f64 {
    let bits = x.abs().bits();
    let shift = bits.saturating_sub(60);
    (x.abs() >> shift).to_f64().expect("60 bits").log2() + shift as f64
}

/// The smallest multiple of 1/64 with a tail of at most `2^log2_fail`.
#[must_use]
pub fn bound_for(weight: u32, log2_fail: f64) -> f64 {
    let (mut low, mut high) = (0, (i64::from(weight) + 1) * STEPS / 2);
    while low < high {
        let middle = (low + high) / 2;
        if tail_log2(weight, middle as f64 / STEPS as f64) <= log2_fail {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high as f64 / STEPS as f64
}

/// log2 P(|X| > ratio·σ) for a Gaussian of standard deviation σ.
///
/// Above 3 by the continued fraction of the Mills ratio, below by Simpson's rule.
#[must_use]
pub fn gaussian_tail_log2(ratio: f64) -> f64 {
    if ratio <= 0.0 {
        return 0.0;
    }
    let density_log2 = -ratio * ratio / 2.0 * std::f64::consts::LOG2_E;
    let norm = (2.0 / std::f64::consts::PI).sqrt();
    if ratio > 3.0 {
        let mut fraction = ratio;
        for k in (1..=60).rev() {
            fraction = ratio + f64::from(k) / fraction;
        }
        return density_log2 + (norm / fraction).log2();
    }
    let steps = 2000;
    let h = ratio / f64::from(steps);
    let density = |x: f64| (-x * x / 2.0).exp();
    let inside: f64 = (0..steps)
        .map(|i| {
            let x = f64::from(i) * h;
            (density(x) + 4.0 * density(x + h / 2.0) + density(x + h)) * h / 6.0
        })
        .sum();
    (1.0 - norm * inside).log2()
}

/// The ratio at which [`gaussian_tail_log2`] is `log2_fail`.
#[must_use]
pub fn gaussian_ratio_for(log2_fail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if gaussian_tail_log2(middle) > log2_fail { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_few_uniforms_are_exact() {
        // One uniform: P(|t| > b) = 1 - 2b. Two: (1 - b)². At the maximum: none.
        assert!((tail_log2(0, 0.25) - 0.5f64.log2()).abs() < 1e-9);
        assert!((tail_log2(1, 0.25) - (0.75f64 * 0.75).log2()).abs() < 1e-9);
        assert_eq!(tail_log2(32, 16.5), f64::NEG_INFINITY);
        assert!((tail_log2(32, 0.0)).abs() < 1e-9);
    }

    #[test]
    fn bounds_reach_their_tail_and_no_more() {
        for fail in [-20.0, -40.0, -64.0, -65.0, -100.0] {
            let bound = bound_for(32, fail);
            assert!(tail_log2(32, bound) <= fail);
            assert!(tail_log2(32, bound - 1.0 / 64.0) > fail, "2^{fail}: {bound}");
            assert!(bound < 16.5);
        }
    }

    #[test]
    fn gaussian_tails_agree_with_known_values() {
        // erfc(x/√2) at 1, 3, 6 and 9.
        for (ratio, tail) in
            [(1.0, 0.317_310_508), (3.0, 2.699_796e-3), (6.0, 1.973_175e-9), (9.0, 2.257_177e-19)]
        {
            let difference = gaussian_tail_log2(ratio) - f64::log2(tail);
            assert!(difference.abs() < 1e-5, "{ratio}: {difference}");
        }
        assert!((gaussian_tail_log2(gaussian_ratio_for(-64.0)) + 64.0).abs() < 1e-6);
    }
}
