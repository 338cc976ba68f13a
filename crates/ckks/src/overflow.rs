//! The size of ModRaise's overflow, and tails of distributions.

use std::f64::consts::LOG2_E;

use cryptable_lattice::Owners;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

pub use cryptable_lattice::gaussian_tail::{gaussian_ratio_for, gaussian_tail_log2};

use crate::kept::Kept;

/// Bounds are multiples of one over this number, so that tails are exact rationals.
const STEPS: i64 = 64;

/// Largest weight with exact tails; above it, numbers get long, and a Chernoff bound is used.
const EXACT_WEIGHT: u32 = 200;

/// The secret of a ciphertext when it is raised: a sparse one, or the sum of several owners' sparse secrets.
///
/// Every coefficient of the raised phase is `t = u + Σ_k c_k·u_k` for a secret with coefficients c_k, where u and all
/// u_k are independent and uniform on [-1/2, 1/2]. For one owner's secret of weight h, t is a sum of h + 1 uniforms,
/// whose tail is known exactly.
///
/// With n owners, c is a sum of n secrets of weight h, each with its own positions and signs. Where two of them meet,
/// c_k is 2, -2 or 0. Let `g(θ) = sinh(θ/2)/(θ/2)` be the moment of a uniform. A further secret multiplies the moment
/// of t by g(θ) for each of its coefficients. Where it meets others, it also multiplies it, on average over its sign,
/// by at most `2 + θ`: if `|c_k| = 1` by at most `g(2θ)/g(θ)² = (θ/2)·coth(θ/2)`, for larger ones by twice that. It
/// meets `i·h` others in a hypergeometric number of places, whose moment is below the binomial's (Hoeffding 1963). Over
/// the draw of all secrets, therefore, `E e^{θt} <= g(θ)^{nh + 1}·e^{(1 + θ)·δ}` with `δ = h²·n(n - 1)/2N`, and the
/// tail at K is at most `e^δ` times Chernoff's bound for n·h + 1 uniforms at `K - δ`. For three owners of weight 32 at
/// degree 65,536, δ is 0.05.
///
/// ```
/// use cryptable_ckks::overflow::EncapsulatedSecret;
/// use cryptable_lattice::Owners;
/// let one = EncapsulatedSecret { degree: 65_536, weight: 32, owners: Owners::ONE };
/// // It overflows by 16.5 at most, and hardly ever by that much.
/// assert!(one.bound_for(-64.0) < 14.0);
/// assert_eq!(one.bound_for(f64::NEG_INFINITY), 16.5);
/// let three = EncapsulatedSecret { owners: Owners::new(3).unwrap(), ..one };
/// assert!((1.7..2.0).contains(&(three.bound_for(-64.0) / one.bound_for(-64.0))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EncapsulatedSecret {
    /// Ring degree N.
    pub degree: usize,
    /// Hamming weight of each owner's secret.
    pub weight: u32,
    /// Number of owners.
    pub owners: Owners,
}

impl EncapsulatedSecret {
    /// Returns the variance of t, on average over secrets: `(n·h + 1)/12`.
    #[must_use]
    pub fn overflow_variance(self) -> f64 {
        f64::from(self.total_weight() + 1) / 12.0
    }

    /// Returns log2 of the probability that `|t| > bound`: exact for one owner with a weight of at most 200, an upper
    /// bound otherwise.
    ///
    /// # Panics
    /// If the bound is negative or not a number.
    #[must_use]
    pub fn tail_log2(self, bound: f64) -> f64 {
        if self.owners.is_one() {
            return tail_log2(self.weight, bound);
        }
        let weight = self.total_weight();
        if bound >= 0.5 * f64::from(weight + 1) {
            return f64::NEG_INFINITY;
        }
        let shift = self.mean_meetings();
        (chernoff_tail_log2(weight, (bound - shift).max(0.0)) + shift * LOG2_E).min(0.0)
    }

    /// Returns the smallest multiple of 1/64 with a tail of at most `2^log2_fail`.
    #[must_use]
    pub fn bound_for(self, log2_fail: f64) -> f64 {
        static BOUNDS: Kept<(EncapsulatedSecret, u64), f64> = Kept::new();
        BOUNDS.get((self, log2_fail.to_bits()), |_| true, || self.searched_bound(log2_fail))
    }

    /// [`EncapsulatedSecret::bound_for`], by bisection.
    fn searched_bound(self, log2_fail: f64) -> f64 {
        let (mut low, mut high) = (0, (i64::from(self.total_weight()) + 1) * STEPS / 2);
        while low < high {
            let middle = (low + high) / 2;
            if self.tail_log2(middle as f64 / STEPS as f64) <= log2_fail {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high as f64 / STEPS as f64
    }

    /// The sum of all weights.
    fn total_weight(self) -> u32 {
        self.weight.saturating_mul(self.owners.count())
    }

    /// Bound on the mean number of places where secrets meet: δ.
    fn mean_meetings(self) -> f64 {
        let (weight, owners) = (f64::from(self.weight), f64::from(self.owners.count()));
        weight * weight * owners * (owners - 1.0) / (2.0 * self.degree as f64)
    }
}

/// log2 P(|t| > bound) for t the sum of `weight + 1` independent uniforms on [-1/2, 1/2].
///
/// With a secret s of that Hamming weight, every coefficient of `t = (c0 + c1·s)/q`, c0 and c1 uniform in (-q/2, q/2],
/// has this law (Irwin-Hall, centred). Up to weight 200 the probability is computed exactly, with the bound rounded
/// down to a 64th; above, it is Chernoff's upper bound. It is negative infinity from `bound = (weight + 1)/2` on.
///
/// # Panics
/// If the bound is negative or not a number.
fn tail_log2(weight: u32, bound: f64) -> f64 {
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
/// With m = weight + 1 and y = m/2 - bound, `P(t < -bound) = (1/m!)·Σ_k (-1)^k C(m,k) (y - k)^m` over k < y. If y is
/// not small, the terms cancel far below the precision of floating point. Since y is a multiple of 1/64, they are
/// summed as integers instead.
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
    // Plus one, for both sides.
    (log2(&sum) - m as f64 * (STEPS as f64).log2() - factorial + 1.0).min(0.0)
}

/// log2 of a positive integer.
fn log2(x: &BigInt) -> f64 {
    let shift = x.bits().saturating_sub(60);
    (x >> shift).to_f64().expect("60 bits").log2() + shift as f64
}

/// Chernoff's bound: `2·min_θ E[e^{θt}]·e^{-θ·bound}`, `E[e^{θt}] = (sinh(θ/2)/(θ/2))^m`, m = weight + 1.
///
/// Every θ > 0 gives an upper bound. The best one satisfies `m·(coth(θ/2)/2 - 1/θ) = bound`. The left side grows with
/// θ, and the solution is found by bisection of `x = θ/2`.
fn chernoff_tail_log2(weight: u32, bound: f64) -> f64 {
    let m = f64::from(weight) + 1.0;
    // coth x - 1/x, the Langevin function, is at least 1 - 1/x: at the upper end it exceeds the target.
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

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn bound_for(weight: u32, log2_fail: f64) -> f64 {
        EncapsulatedSecret { degree: 1 << 16, weight, owners: Owners::ONE }.bound_for(log2_fail)
    }

    /// The tail by recurrences without subtractions, in floating point. The density of a sum of m uniforms on [0, 1] is
    /// `f_m(x) = (x·f_{m-1}(x) + (m - x)·f_{m-1}(x - 1))/(m - 1)`, and since `f_{m+1}(x) = F_m(x) - F_m(x - 1)`, the
    /// distribution function is `F_m(x) = Σ_j f_{m+1}(x - j)`.
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

    /// Words of SplitMix64 (Steele, Lea, Flood 2014).
    fn words(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }
    }

    #[test]
    fn tails_agree_with_samples() {
        let mut word = words(1);
        let mut uniform = || word() as f64 / 64f64.exp2() - 0.5;
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
        // The two formulas agree where they meet.
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

    /// Sums of sparse secrets that meet often: counts over draws of secrets and words, bounded from both sides.
    #[test]
    fn tails_of_several_owners_agree_with_samples() {
        let mut word = words(7);
        let owners = Owners::new(3).unwrap();
        // Two secrets meet in one key of five, and in one of eleven.
        for (degree, weight) in [(1024, 8), (8192, 16)] {
            let secret = EncapsulatedSecret { degree, weight, owners };
            let runs = 200_000;
            let mut sizes = Vec::with_capacity(runs);
            for _ in 0..runs {
                let mut coefficients = vec![0.0; degree];
                for _ in 0..owners.count() {
                    let mut positions = Vec::new();
                    while positions.len() < weight as usize {
                        let position = word() as usize % degree;
                        if !positions.contains(&position) {
                            positions.push(position);
                            coefficients[position] += [-1.0, 1.0][word() as usize % 2];
                        }
                    }
                }
                let mut uniform = || word() as f64 / 64f64.exp2() - 0.5;
                let sum: f64 = coefficients.iter().map(|c| c * uniform()).sum();
                sizes.push((sum + uniform()).abs());
            }
            let square: f64 = sizes.iter().map(|size| size * size).sum();
            let ratio = square / runs as f64 / secret.overflow_variance();
            assert!((0.97..1.03).contains(&ratio), "{degree}: variance {ratio} of the mean");
            for log2_fail in [-4.0, -7.0, -10.0] {
                let bound = secret.bound_for(log2_fail);
                let beyond = sizes.iter().filter(|&&size| size > bound).count() as f64;
                let found = (beyond / runs as f64).log2();
                // Chernoff's bound is some three bits above the tail of a Gaussian, the bound on meetings about one
                // more.
                assert!(found < log2_fail, "{degree}, 2^{log2_fail}: 2^{found} beyond {bound}");
                assert!(found > log2_fail - 5.0, "{degree}, 2^{log2_fail}: 2^{found}");
            }
        }
    }

    #[test]
    fn bounds_of_more_owners_are_larger_and_nothing_is_beyond_the_sum_of_weights() {
        let of = |count| {
            let owners = Owners::new(count).unwrap();
            EncapsulatedSecret { degree: 1 << 16, weight: 32, owners }
        };
        let bounds: Vec<f64> = (1..=16).map(|count| of(count).bound_for(-82.0)).collect();
        assert!(bounds.is_sorted_by(|a, b| a < b), "{bounds:?}");
        let three = of(3);
        assert_eq!(three.tail_log2(48.5), f64::NEG_INFINITY);
        assert!(three.tail_log2(48.0).is_finite());
        // The bound is near √3 times that of one owner, whose tail ends at 16.5.
        let ratio = bounds[2] / bounds[0];
        assert!((3f64.sqrt()..2.1).contains(&ratio), "{ratio}");
    }
}
