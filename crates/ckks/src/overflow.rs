//! How far ModRaise overflows, and tails of distributions.

use std::collections::BTreeMap;
use std::f64::consts::LOG2_E;
use std::sync::{Mutex, PoisonError};

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

pub use cryptable_lattice::gaussian_tail::{gaussian_ratio_for, gaussian_tail_log2};

/// Bounds are multiples of this fraction, so that tails are exact rationals.
const STEPS: i64 = 64;

/// Most bounds that are kept: probabilities come from files, too.
const MAX_BOUNDS: usize = 256;

/// Up to this weight tails are exact; above, numbers get long and a Chernoff bound takes over.
const EXACT_WEIGHT: u32 = 200;

/// log2 P(|t| > bound) for t the sum of `weight + 1` independent uniforms on [-1/2, 1/2].
///
/// With a secret s of that Hamming weight, every coefficient of `t = (c0 + c1·s)/q`, c0 and c1 uniform
/// in (-q/2, q/2], has this law (Irwin-Hall, centred). Up to weight 200 it is computed exactly, with the
/// bound rounded down to a 64th; above that it is Chernoff's upper bound. It is negative infinity from
/// `bound = (weight + 1)/2` on.
///
/// ```
/// use cryptable_ckks::overflow::tail_log2;
/// // One uniform variable is beyond 1/4 half of the time.
/// assert!((tail_log2(0, 0.25) + 1.0).abs() < 1e-12);
/// ```
///
/// # Panics
/// If the bound is negative or not a number.
#[must_use]
pub fn tail_log2(weight: u32, bound: f64) -> f64 {
    assert!(bound >= 0.0, "bound {bound}");
    if bound >= 0.5 * (f64::from(weight) + 1.0) {
        f64::NEG_INFINITY
    } else if weight <= EXACT_WEIGHT {
        exact_tail_log2(weight, bound)
    } else {
        chernoff_tail_log2(weight, bound)
    }
}

/// The exact tail, by the distribution function of Irwin and Hall from its far end.
///
/// With m = weight + 1 and y = m/2 - bound, `P(t < -bound) = (1/m!)·Σ_k (-1)^k C(m,k) (y - k)^m` over
/// k < y. The terms cancel, to far below the precision of floating point where y is not small; as y is
/// a multiple of 1/64, they are summed as integers instead.
fn exact_tail_log2(weight: u32, bound: f64) -> f64 {
    let m = i64::from(weight) + 1;
    let y = m * STEPS / 2 - (bound * STEPS as f64).floor() as i64;
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
    // Plus one: both sides.
    (log2(&sum) - m as f64 * (STEPS as f64).log2() - factorial + 1.0).min(0.0)
}

/// log2 of a positive integer.
fn log2(x: &BigInt) -> f64 {
    let shift = x.bits().saturating_sub(60);
    (x >> shift).to_f64().expect("60 bits").log2() + shift as f64
}

/// Chernoff's bound: `2·min_θ E[e^{θt}]·e^{-θ·bound}`, `E[e^{θt}] = (sinh(θ/2)/(θ/2))^m`, m = weight + 1.
///
/// Every θ > 0 gives an upper bound. The best has derivative `m·(coth(θ/2)/2 - 1/θ) = bound`, which
/// grows with θ; it is found by bisection of `x = θ/2`.
fn chernoff_tail_log2(weight: u32, bound: f64) -> f64 {
    let m = f64::from(weight) + 1.0;
    // coth x - 1/x, the Langevin function, is at most 1 - 1/(2x) for x > 1: past this point the
    // derivative is too large.
    let langevin = |x: f64| if x < 1e-4 { x / 3.0 } else { 1.0 / x.tanh() - 1.0 / x };
    let target = 2.0 * bound / m;
    let (mut low, mut high) = (0.0, 2.0 + 1.0 / (1.0 - target));
    for _ in 0..60 {
        let x = 0.5 * (low + high);
        if langevin(x) < target { low = x } else { high = x }
    }
    let x = high;
    // ln(sinh x / x), without overflow and without cancellation.
    let log_mean = if x < 1e-4 { x * x / 6.0 } else { x + (-(-2.0 * x).exp_m1() / (2.0 * x)).ln() };
    ((m * log_mean - 2.0 * x * bound) * LOG2_E + 1.0).min(0.0)
}

/// The smallest multiple of 1/64 with a tail of at most `2^log2_fail`.
///
/// ```
/// use cryptable_ckks::overflow::bound_for;
/// // A secret of weight 32 overflows by 16.5 at most, and hardly ever by that much.
/// assert!(bound_for(32, -64.0) < 14.0);
/// assert_eq!(bound_for(32, f64::NEG_INFINITY), 16.5);
/// ```
#[must_use]
pub fn bound_for(weight: u32, log2_fail: f64) -> f64 {
    let key = (weight, log2_fail.to_bits());
    let bounds = || BOUNDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&bound) = bounds().get(&key) {
        return bound;
    }
    let bound = searched_bound(weight, log2_fail);
    let mut bounds = bounds();
    if bounds.len() >= MAX_BOUNDS {
        bounds.clear();
    }
    bounds.insert(key, bound);
    bound
}

/// Bounds that were asked for, by weight and probability: a planner asks for the same ones hundreds of times.
static BOUNDS: Mutex<BTreeMap<(u32, u64), f64>> = Mutex::new(BTreeMap::new());

/// [`bound_for`], by halving.
fn searched_bound(weight: u32, log2_fail: f64) -> f64 {
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

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The tail by recurrences without subtractions, in floating point: the density of a sum of m
    /// uniforms on [0, 1] is `f_m(x) = (x·f_{m-1}(x) + (m - x)·f_{m-1}(x - 1))/(m - 1)`, and as
    /// `f_{m+1}(x) = F_m(x) - F_m(x - 1)`, the distribution function is `F_m(x) = Σ_j f_{m+1}(x - j)`.
    fn tail_by_recurrence(weight: u32, bound: f64) -> f64 {
        let m = weight as usize + 1;
        let y = m as f64 / 2.0 - bound;
        // densities[j] is f_i(y - j).
        let count = y.floor() as usize + 1;
        let mut densities: Vec<f64> = (0..=count)
            .map(|j| f64::from(u8::from((0.0..1.0).contains(&(y - j as f64)))))
            .collect();
        for i in 2..=m + 1 {
            for j in 0..count {
                let x = y - j as f64;
                let sum = x * densities[j] + (i as f64 - x) * densities[j + 1];
                densities[j] = sum / (i - 1) as f64;
            }
        }
        2.0 * densities.iter().sum::<f64>()
    }

    #[test]
    fn tails_of_few_uniforms_are_exact() {
        // One uniform: P(|t| > b) = 1 - 2b. Two: (1 - b)². Three, beyond 1/2: (3/2 - b)³/3.
        assert!((tail_log2(0, 0.25) - 0.5f64.log2()).abs() < 1e-12);
        assert!((tail_log2(1, 0.25) - (0.75f64 * 0.75).log2()).abs() < 1e-12);
        assert!((tail_log2(2, 1.25) - (0.25f64.powi(3) / 3.0).log2()).abs() < 1e-12);
        for weight in [0, 1, 32, 192, 300] {
            assert!(tail_log2(weight, 0.0).abs() < 1e-9);
            let largest = 0.5 * f64::from(weight + 1);
            assert_eq!(tail_log2(weight, largest), f64::NEG_INFINITY);
            assert_eq!(tail_log2(weight, f64::INFINITY), f64::NEG_INFINITY);
            assert!(tail_log2(weight, largest - 0.25).is_finite());
        }
    }

    #[test]
    fn far_tails_agree_with_recurrences_without_cancellation() {
        for weight in [1, 4, 31, 32, 64, 200] {
            let mut least = 0.0f64;
            for step in 0..32 {
                let bound = f64::from((weight + 1) * step) / 64.0;
                let expected = tail_by_recurrence(weight, bound).log2();
                if expected.is_finite() && expected > -1000.0 {
                    let found = tail_log2(weight, bound);
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{weight}, {bound}: {found}, {expected}"
                    );
                    least = least.min(found);
                }
            }
            assert!(weight < 31 || least < -70.0, "far tails were not reached: {least}");
        }
    }

    #[test]
    fn tails_agree_with_samples() {
        let mut state = 1u64;
        let mut uniform = || {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) as f64 / 64f64.exp2() - 0.5
        };
        let (bounds, runs) = ([0.5, 2.0, 4.0, 6.0], 200_000);
        let mut beyond = [0u32; 4];
        for _ in 0..runs {
            let t: f64 = (0..33).map(|_| uniform()).sum();
            beyond.iter_mut().zip(bounds).for_each(|(n, bound)| *n += u32::from(t.abs() > bound));
        }
        for (count, bound) in beyond.into_iter().zip(bounds) {
            let expected = tail_log2(32, bound).exp2() * f64::from(runs);
            let deviation = (f64::from(count) - expected).abs() / expected.sqrt();
            assert!(deviation < 5.0, "{count} beyond {bound} instead of {expected}");
        }
    }

    #[test]
    fn chernoff_bounds_are_above_and_near_the_exact_tail() {
        for weight in [1, 32, 64, 200] {
            let largest = 0.5 * f64::from(weight + 1);
            for part in 0..64 {
                let bound = largest * f64::from(part) / 64.0;
                let (exact, chernoff) =
                    (tail_log2(weight, bound), chernoff_tail_log2(weight, bound));
                assert!(chernoff >= exact, "{weight}, {bound}: {chernoff} below {exact}");
                assert!(chernoff < exact + 8.0, "{weight}, {bound}: {chernoff} far above {exact}");
            }
        }
        assert!(bound_for(201, -64.0) >= bound_for(200, -64.0));
        assert!(bound_for(201, -64.0) < 1.05 * bound_for(200, -64.0));
        // Many uniforms are nearly Gaussian, with variance (weight + 1)/12.
        let gaussian = gaussian_ratio_for(-64.0) * (43_691.0f64 / 12.0).sqrt();
        let ratio = bound_for(43_690, -64.0) / gaussian;
        assert!((1.0..1.05).contains(&ratio), "{ratio}");
    }

    #[test]
    fn bounds_reach_their_tail_and_no_more() {
        for weight in [0, 5, 32, 192, 250] {
            let mut last = 0.0;
            for fail in [-1.0, -20.0, -40.0, -64.0, -65.0, -100.0, -150.0] {
                let bound = bound_for(weight, fail);
                assert!(tail_log2(weight, bound) <= fail);
                assert!(
                    tail_log2(weight, bound - 1.0 / 64.0) > fail,
                    "{weight}, 2^{fail}: {bound}"
                );
                assert!(bound >= last && bound <= 0.5 * f64::from(weight + 1));
                last = bound;
            }
            assert_eq!(bound_for(weight, f64::NEG_INFINITY), 0.5 * f64::from(weight + 1));
            assert_eq!(bound_for(weight, 0.0), 0.0);
        }
    }

    #[test]
    fn gaussian_tails_agree_with_known_values() {
        // erfc(r/√2) to 15 digits.
        for (ratio, tail) in [
            (0.5, 0.617_075_077_451_974),
            (1.0, 0.317_310_507_862_914),
            (3.0, 2.699_796_063_260_19e-3),
            (6.0, 1.973_175_290_075_4e-9),
            (9.0, 2.257_176_811_907_68e-19),
        ] {
            let difference = gaussian_tail_log2(ratio) - f64::log2(tail);
            assert!(difference.abs() < 1e-11, "{ratio}: {difference:e}");
        }
        // The two formulas meet.
        let step = gaussian_tail_log2(3.0) - gaussian_tail_log2(3.0 + 1e-12);
        assert!((0.0..1e-10).contains(&step), "{step:e}");
        // 1/r - 1/r³ < Mills ratio < 1/r.
        let (far, density) =
            (gaussian_tail_log2(100.0), -5000.0 * LOG2_E + (2.0 / PI).log2() / 2.0);
        assert!(far < density - 100f64.log2() && far > density - 100f64.log2() - 1.5e-4);
    }

    #[test]
    fn gaussian_ratios_invert_the_tail() {
        for fail in [-0.5, -1.0, -10.0, -64.0, -128.0, -5000.0] {
            let found = gaussian_tail_log2(gaussian_ratio_for(fail));
            assert!(found <= fail && found > fail - 1e-9 * fail.abs(), "{fail}: {found}");
        }
        assert_eq!(gaussian_ratio_for(0.0), 0.0);
        assert_eq!(gaussian_tail_log2(f64::INFINITY), f64::NEG_INFINITY);
    }
}
