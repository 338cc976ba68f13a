//! Tails of the Gaussian, from which failure probabilities are computed.

use std::f64::consts::{LOG2_E, PI};

/// Returns log2 P(|X| > ratio·σ) for a Gaussian X of mean 0 and standard deviation σ.
///
/// With φ the density, both sides together are `2·φ(r)/(r + 1/(r + 2/(r + 3/(r + …))))` (Laplace's
/// continued fraction of the Mills ratio), used above r = 3, and `1 - 2·φ(r)·Σ_k r^(2k+1)/(2k+1)!!`,
/// used below.
///
/// ```
/// use cryptable_lattice::gaussian_tail::gaussian_tail_log2;
/// assert!((gaussian_tail_log2(1.0).exp2() - 0.317_310_507_862_914).abs() < 1e-14);
/// assert!((gaussian_tail_log2(9.0) + 61.942).abs() < 1e-3);
/// ```
#[must_use]
pub fn gaussian_tail_log2(ratio: f64) -> f64 {
    if ratio <= 0.0 {
        return 0.0;
    }
    let exponent_log2 = -0.5 * ratio * ratio * LOG2_E;
    let norm = (2.0 / PI).sqrt();
    if ratio > 3.0 {
        let fraction = (1..=100).rev().fold(ratio, |tail, k| ratio + f64::from(k) / tail);
        return exponent_log2 + (norm / fraction).log2();
    }
    // 60 terms: the last is below 10^-24 of the first few at r = 3.
    let mut term = ratio;
    let mut sum = 0.0;
    for k in 1..=60 {
        sum += term;
        term *= ratio * ratio / f64::from(2 * k + 1);
    }
    (1.0 - norm * exponent_log2.exp2() * sum).log2()
}

/// Returns the ratio r at which [`gaussian_tail_log2`] is `log2_fail`, and 0 if `log2_fail` is 0 or more. The ratio is
/// rounded up, so that the tail is not above `2^log2_fail`.
///
/// ```
/// use cryptable_lattice::gaussian_tail::gaussian_ratio_for;
/// assert!((gaussian_ratio_for(-64.0) - 9.1553).abs() < 1e-3);
/// ```
///
/// # Panics
/// If `log2_fail` is not finite.
#[must_use]
pub fn gaussian_ratio_for(log2_fail: f64) -> f64 {
    assert!(log2_fail.is_finite(), "log2 of a failure probability: {log2_fail}");
    // The tail is at most e^{-r²/2}.
    let (mut low, mut high) = (0.0, (2.0 * log2_fail.min(0.0).abs() / LOG2_E).sqrt());
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if gaussian_tail_log2(middle) > log2_fail { low = middle } else { high = middle }
    }
    high
}
