//! The law of a noise, as far as an upper bound on its tails needs it.
//!
//! A variance alone says nothing about a tail: at 2^-81 a Gaussian is within 10.3 standard deviations, Laplace's law within
//! 39.7, the product of two Gaussians within 55. [`NoiseLaw`] therefore keeps three independent parts apart and bounds the
//! tail of their sum by Chernoff's method:
//!
//! `P(|ε| > t) <= 2·min_λ e^{-λt}·E e^{λε}`, `ln E e^{λε} <= λ²g²/2 + ln M_B(λ²s²/2) - (v/2a²)·ln(1 - λ²a²)`.
//!
//! - **Gaussian**, of deviation g. Sums of very many independent bounded terms, such as roundings, have moments
//!   `E e^{λε}` below those of the Gaussian of their variance (a uniform or ternary term is strictly sub-Gaussian), so that the
//!   bound holds at any distance. Without other parts the tail is the Gaussian one itself, 2.3 bits below Chernoff's at
//!   2^-64. That assumes some hundred terms or more, none much larger than others: their kurtosis is below 3, and far out
//!   their tail below the Gaussian's (the sum of 400 roundings exceeds 9 deviations half as often).
//! - **Slots**, of deviation s: a Gaussian of variance `X·s²`, where X is exponential of mean 1, cut off at B.
//!   A rounding of an RLWE ciphertext leaves `e_0 + e_1·s`; in slot j of a canonical embedding `|s(ζ_j)|²` multiplies its
//!   variance. X is that square divided by its mean. It is **fixed by the key**: slots that are loud once are loud in
//!   every operation under this key. Key generation rejects secrets with a slot beyond B
//!   ([`crate::embedding_bound`]), so that X is cut off there; without a limit the law is Laplace's.
//!   `M_B(c) = (1 - e^{-(1-c)B})/((1 - c)(1 - e^{-B}))` is the moment of X.
//! - **Products** of independent Gaussians, `Σ a_i·x_i·y_i` with variances a_i² that sum up to v, none above a²:
//!   `-½·Σ ln(1 - λ²a_i²)` is at most the term above, since `-ln(1 - x)/x` grows with x. One product has kurtosis 9;
//!   two equal ones are Laplace's law; the mean of k slots of different X is 2k of them.
//!
//! Sums of laws are bounded whatever the dependence of their terms (Hölder's inequality), as long as parts of different
//! kinds are independent: they come from different randomness.

use std::f64::consts::{LN_2, LOG2_E, PI, SQRT_2};
use std::io::{self, Write};
use std::ops::Add;

use cryptable_wire::{BodyReader, BodyWriter, WireError};

use crate::error::Result;
use crate::gaussian_tail::{gaussian_ratio_for, gaussian_tail_log2};

/// `(√5 - 1)/2`.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Steps of the golden section, which leave a share of 10^-8 of the interval.
const SECTIONS: usize = 40;

/// An upper bound on the law of a noise without bias: see the [module](self).
///
/// ```
/// use cryptable_lattice::noise_law::NoiseLaw;
/// let gaussian = NoiseLaw::gaussian(1.0);
/// let slots = NoiseLaw::slots(1.0, f64::INFINITY);
/// assert_eq!(gaussian.deviation(), slots.deviation());
/// assert!(gaussian.log2_exceeds(10.7) < -81.0 && slots.log2_exceeds(10.7) > -20.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NoiseLaw {
    /// Standard deviation g of the Gaussian part.
    gaussian: f64,
    /// Standard deviation s of the part of slots.
    slots: f64,
    /// Limit B of X for the part of slots; infinite for a secret that was not chosen, 0 if there is no such part.
    slot_limit: f64,
    /// Standard deviation √v of the products.
    products: f64,
    /// Standard deviation a of the largest product.
    largest_product: f64,
}

impl NoiseLaw {
    /// Bytes that [`NoiseLaw::write`] writes.
    pub const BYTES: u64 = 40;

    /// The law of no noise.
    pub const ZERO: Self =
        Self { gaussian: 0.0, slots: 0.0, slot_limit: 0.0, products: 0.0, largest_product: 0.0 };

    /// The Gaussian law of this variance.
    ///
    /// # Panics
    /// If the variance is negative or no number.
    #[must_use]
    pub fn gaussian(variance: f64) -> Self {
        assert!(variance >= 0.0, "variance {variance}");
        Self { gaussian: variance.sqrt(), ..Self::ZERO }
    }

    /// The law in a slot, of this variance on average over slots and keys; X is at most `limit`, which may be infinite.
    ///
    /// # Panics
    /// If the variance is negative or no number, or the limit is below 1.
    #[must_use]
    pub fn slots(variance: f64, limit: f64) -> Self {
        assert!(variance >= 0.0 && limit >= 1.0, "variance {variance}, limit {limit}");
        if variance == 0.0 {
            Self::ZERO
        } else {
            Self { slots: variance.sqrt(), slot_limit: limit, ..Self::ZERO }
        }
    }

    /// A sum of products of two Gaussians each, of this variance in all; the variance of the largest product is
    /// `largest`.
    ///
    /// # Panics
    /// If a variance is negative or no number, or there is none for the largest product.
    #[must_use]
    pub fn products(variance: f64, largest: f64) -> Self {
        assert!(
            variance >= 0.0 && (largest > 0.0 || variance == 0.0),
            "variances {variance}, {largest}"
        );
        if variance == 0.0 {
            return Self::ZERO;
        }
        Self {
            products: variance.sqrt(),
            largest_product: largest.min(variance).sqrt(),
            ..Self::ZERO
        }
    }

    /// The mean of noises of `count` slots whose X are independent, of this variance: `2·count` equal products.
    ///
    /// # Panics
    /// If the variance is negative or no number, or the count is 0.
    #[must_use]
    pub fn mean_of_slots(variance: f64, count: usize) -> Self {
        Self::products(variance, variance / (2 * count) as f64)
    }

    /// The standard deviation of the whole noise.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.variance().sqrt()
    }

    /// The variance of the whole noise.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.gaussian * self.gaussian + self.slots * self.slots + self.products * self.products
    }

    /// The variance of the Gaussian part.
    #[must_use]
    pub fn gaussian_variance(self) -> f64 {
        self.gaussian * self.gaussian
    }

    /// The kurtosis `E ε⁴/σ⁴`: 3 for a Gaussian, 6 for Laplace's law, 9 for one product; 3 without noise.
    #[must_use]
    pub fn kurtosis(self) -> f64 {
        let variance = self.variance();
        if variance == 0.0 {
            return 3.0;
        }
        let [_, _, spread] = slot_moments(0.0, self.slot_limit);
        let slots = 3.0 * spread * self.slots.powi(4);
        let products = 6.0 * (self.products * self.largest_product).powi(2);
        3.0 + (slots + products) / (variance * variance)
    }

    /// The law with independent noise added, part by part.
    #[must_use]
    pub fn with_independent(self, other: Self) -> Self {
        Self {
            gaussian: self.gaussian.hypot(other.gaussian),
            slots: self.slots.hypot(other.slots),
            slot_limit: self.slot_limit.max(other.slot_limit),
            products: self.products.hypot(other.products),
            largest_product: self.largest_product.max(other.largest_product),
        }
    }

    /// A law with each part at least as large as in both.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            gaussian: self.gaussian.max(other.gaussian),
            slots: self.slots.max(other.slots),
            slot_limit: self.slot_limit.max(other.slot_limit),
            products: self.products.max(other.products),
            largest_product: self.largest_product.max(other.largest_product),
        }
    }

    /// The law of the noise times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let factor = factor.abs();
        Self {
            gaussian: factor * self.gaussian,
            slots: factor * self.slots,
            products: factor * self.products,
            largest_product: factor * self.largest_product,
            ..self
        }
    }

    /// log2 of an upper bound on the probability that the noise exceeds `margin` in size: Chernoff's, and for a Gaussian
    /// part alone the Gaussian tail ([module](self)). It is 0 for a margin that is not positive, and negative infinity
    /// without noise.
    #[must_use]
    pub fn log2_exceeds(self, margin: f64) -> f64 {
        if margin <= 0.0 {
            return 0.0;
        }
        if self.variance() == 0.0 {
            return f64::NEG_INFINITY;
        }
        if self.is_gaussian() {
            return gaussian_tail_log2(margin / self.gaussian);
        }
        let least = self.least_over_rates(|rate| self.log_moment(rate) - rate * margin);
        ((LN_2 + least) * LOG2_E).min(0.0)
    }

    /// The size that the noise exceeds with a probability of at most `2^log2_fail`: the inverse of
    /// [`NoiseLaw::log2_exceeds`].
    #[must_use]
    pub fn largest(self, log2_fail: f64) -> f64 {
        if self.variance() == 0.0 {
            return 0.0;
        }
        if self.is_gaussian() {
            return self.gaussian * gaussian_ratio_for(log2_fail);
        }
        self.least_over_rates(|rate| (self.log_moment(rate) + LN_2 * (1.0 - log2_fail)) / rate)
    }

    /// log2 of an estimate of the probability that the noise exceeds `margin`, for comparison with counts and with
    /// [`NoiseLaw::log2_exceeds`], which is above it: the saddlepoint approximation of Lugannani and Rice, within some percent.
    #[must_use]
    pub fn log2_exceeds_estimate(self, margin: f64) -> f64 {
        if self.variance() == 0.0 {
            return f64::NEG_INFINITY;
        }
        // Below a quarter of a deviation the formula loses its digits to cancellation; no count needs it there.
        let margin = margin.max(self.deviation() / 4.0);
        let rate = self.saddlepoint(margin);
        let [value, _, curvature] = self.cumulants(rate);
        let distance = (2.0 * (rate * margin - value)).sqrt();
        let scaled = rate * curvature.sqrt();
        let both_sides = (-distance * distance / 2.0).exp()
            * (2.0 / PI).sqrt()
            * (1.0 / scaled - 1.0 / distance);
        let gaussian = gaussian_tail_log2(distance).exp2();
        let tail = gaussian + both_sides;
        if tail > 0.0 && tail.is_normal() {
            return tail.log2().min(0.0);
        }
        // Far out, where doubles end: the first term of the same formula.
        (-distance * distance / 2.0 + (2.0 / PI).sqrt().ln() - scaled.ln()) * LOG2_E
    }

    /// Whether there is no other part than the Gaussian one.
    fn is_gaussian(self) -> bool {
        self.slots == 0.0 && self.products == 0.0
    }

    /// The rate λ at which the derivative of `ln E e^{λε}` is `margin`.
    fn saddlepoint(self, margin: f64) -> f64 {
        let pole = self.pole();
        let mut high = margin / self.variance();
        while high < pole && self.cumulants(high)[1] < margin {
            high *= 2.0;
        }
        let (mut low, mut high) = (0.0, high.min(pole));
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if self.cumulants(middle)[1] < margin { low = middle } else { high = middle }
        }
        low
    }

    /// `ln E e^{λε}` and its first two derivatives, for λ below the pole.
    fn cumulants(self, rate: f64) -> [f64; 3] {
        let (g, s, v) = (self.gaussian.powi(2), self.slots.powi(2), self.products.powi(2));
        let [value, slope, curvature] = slot_moments(rate * rate * s / 2.0, self.slot_limit);
        let mut all = [
            rate * rate * g / 2.0 + value,
            rate * g + slope * rate * s,
            g + slope * s + curvature * (rate * s).powi(2),
        ];
        if v > 0.0 {
            let a = self.largest_product.powi(2);
            let x = rate * rate * a;
            all[0] -= v / (2.0 * a) * (-x).ln_1p();
            all[1] += rate * v / (1.0 - x);
            all[2] += v * (1.0 + x) / (1.0 - x).powi(2);
        }
        all
    }

    /// `ln E e^{λε}`, for λ below the pole.
    fn log_moment(self, rate: f64) -> f64 {
        let products = match self.largest_product {
            0.0 => 0.0,
            largest => {
                (self.products / largest).powi(2) / 2.0 * (-(rate * largest).powi(2)).ln_1p()
            }
        };
        let slots = if self.slots == 0.0 {
            0.0
        } else {
            slot_log_moment((rate * self.slots).powi(2) / 2.0, self.slot_limit)
        };
        (rate * self.gaussian).powi(2) / 2.0 + slots - products
    }

    /// The rate from which on a moment is infinite.
    fn pole(self) -> f64 {
        let slots = if self.slots > 0.0 && self.slot_limit.is_infinite() {
            SQRT_2 / self.slots
        } else {
            f64::INFINITY
        };
        slots.min(1.0 / self.largest_product) * (1.0 - 1e-9)
    }

    /// The least value over all rates of a function that falls and then rises. Any rate gives a bound, so that the width of the
    /// last interval costs no safety.
    fn least_over_rates(self, value: impl Fn(f64) -> f64) -> f64 {
        let pole = self.pole();
        // Rates of interest are of the order of 1/σ and above.
        let mut high = (1e-3 / self.deviation()).min(pole);
        while high < pole && value((2.0 * high).min(pole)) < value(high) {
            high *= 2.0;
        }
        let (mut low, mut high) = (0.0, (2.0 * high).min(pole));
        let inner = |low: f64, high: f64| high - (high - low) * GOLDEN;
        let (mut left, mut right) = (inner(low, high), inner(high, low));
        let (mut at_left, mut at_right) = (value(left), value(right));
        for _ in 0..SECTIONS {
            if at_left < at_right {
                (high, right, at_right) = (right, left, at_left);
                left = inner(low, high);
                at_left = value(left);
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = inner(high, low);
                at_right = value(right);
            }
        }
        at_left.min(at_right)
    }

    /// Writes all parts.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write<W: Write>(self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        let Self { gaussian, slots, slot_limit, products, largest_product } = self;
        // Files have finite numbers: 0 stands for no limit.
        let limit = if slot_limit.is_finite() { slot_limit } else { 0.0 };
        [gaussian, slots, limit, products, largest_product]
            .iter()
            .try_for_each(|&part| writer.f64(part))
    }

    /// Reads a law that [`NoiseLaw::write`] wrote. Whoever has the parameters checks it against them.
    ///
    /// # Errors
    /// If bytes are missing, a deviation is not from 0 to 1/2, or the parts contradict each other.
    pub fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let mut part = |name: &'static str| {
            let value = reader.f64(name)?;
            // Negative zero would be another encoding of the same law.
            (value >= 0.0 && value.is_sign_positive())
                .then_some(value)
                .ok_or_else(|| WireError::invalid(name, value, "not negative"))
        };
        let mut law = Self {
            gaussian: part("deviation of Gaussian noise")?,
            slots: part("deviation of the noise of slots")?,
            slot_limit: part("limit of the noise of slots")?,
            products: part("deviation of products of noises")?,
            largest_product: part("deviation of the largest product of noises")?,
        };
        for (name, value) in [
            ("deviation of Gaussian noise", law.gaussian),
            ("deviation of the noise of slots", law.slots),
            ("deviation of products of noises", law.products),
        ] {
            if value > 0.5 {
                return Err(WireError::invalid(name, value, "from 0 to 1/2").into());
            }
        }
        match (law.slots > 0.0, law.slot_limit) {
            (true, 0.0) => law.slot_limit = f64::INFINITY,
            (true, 1.0..) | (false, 0.0) => {}
            (_, limit) => {
                let expected = "at least 1, or 0 for none";
                return Err(
                    WireError::invalid("limit of the noise of slots", limit, expected).into()
                );
            }
        }
        let is_one =
            law.largest_product > 0.0 && law.largest_product <= law.products * (1.0 + 1e-9);
        if !is_one && (law.products > 0.0 || law.largest_product > 0.0) {
            let limit = "above 0, at most that of all products";
            let name = "deviation of the largest product of noises";
            return Err(WireError::invalid(name, law.largest_product, limit).into());
        }
        Ok(law)
    }
}

/// Adds noises that may depend on each other. Deviations of one kind add up, and so do deviations of the largest products.
impl Add for NoiseLaw {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        // Hölder's inequality with weights (a_1 + a_2)/a_i: the pole moves to 1/(a_1 + a_2), and the variance becomes
        // (a_1 + a_2)·Σ v_i/a_i, at least (√v_1 + √v_2)².
        let largest = self.largest_product + other.largest_product;
        let part = |law: Self| {
            if law.products > 0.0 { law.products.powi(2) / law.largest_product } else { 0.0 }
        };
        Self {
            gaussian: self.gaussian + other.gaussian,
            slots: self.slots + other.slots,
            slot_limit: self.slot_limit.max(other.slot_limit),
            products: (largest * (part(self) + part(other))).sqrt(),
            largest_product: largest,
        }
    }
}

/// `ln M_B(c)`, for any c if B is finite, for c < 1 otherwise.
fn slot_log_moment(c: f64, limit: f64) -> f64 {
    if limit.is_infinite() {
        return -(-c).ln_1p();
    }
    let d = 1.0 - c;
    let share = -(-limit).exp_m1();
    // (1 - e^{-dB})/d, which is B at d = 0; for negative d the exponential is taken out, for it may be too large.
    let log = if (d * limit).abs() < 1e-6 {
        limit.ln() - d * limit / 2.0
    } else if d > 0.0 {
        (-(-d * limit).exp_m1() / d).ln()
    } else {
        -d * limit + ((d * limit).exp_m1() / d).ln()
    };
    log - share.ln()
}

/// `ln M_B(c)` and its first two derivatives in c; zeros for a limit of 0, which stands for no such noise.
fn slot_moments(c: f64, limit: f64) -> [f64; 3] {
    if limit == 0.0 {
        return [0.0; 3];
    }
    let (d, value) = (1.0 - c, slot_log_moment(c, limit));
    if limit.is_infinite() {
        return [value, 1.0 / d, 1.0 / (d * d)];
    }
    let x = d * limit;
    if x.abs() < 1e-3 {
        return [value, limit / 2.0 - d * limit * limit / 12.0, limit * limit / 12.0];
    }
    // sinh form of e^x/(e^x - 1)², without overflow.
    let square = (limit / (2.0 * (x / 2.0).sinh())).powi(2);
    [value, 1.0 / d - limit / x.exp_m1(), 1.0 / (d * d) - square]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAPLACE: f64 = f64::INFINITY;

    /// `P(|ε| > r·σ)` of slots by integration over X, in steps that bound it from both sides.
    fn slots_by_integration(ratio: f64, limit: f64) -> [f64; 2] {
        let end = limit.min(200.0);
        let steps = 40_000;
        let mut sums = [0.0; 2];
        for i in 0..steps {
            let [from, to] = [i, i + 1].map(|i| end * f64::from(i) / f64::from(steps));
            let mass = (-from).exp() - (-to).exp();
            let tail = |x: f64| gaussian_tail_log2(ratio / x.sqrt()).exp2();
            sums[0] += mass * tail(from);
            sums[1] += mass * tail(to);
        }
        sums.map(|sum| (sum / (1.0 - (-limit).exp())).log2())
    }

    #[test]
    fn bounds_are_above_exact_tails_and_near_them() {
        for log2_fail in [-20.0, -65.0, -81.0, -145.0] {
            let gaussian = NoiseLaw::gaussian(1.0).largest(log2_fail);
            assert!(
                (1.0..1.15).contains(&(gaussian / gaussian_ratio_for(log2_fail))),
                "{gaussian}"
            );
            let laplace = NoiseLaw::slots(1.0, LAPLACE).largest(log2_fail);
            let exact = -log2_fail * LN_2 / SQRT_2;
            assert!((1.0..1.3).contains(&(laplace / exact)), "{laplace} and {exact}");
        }
        for limit in [7.0, 10.0, LAPLACE] {
            for ratio in [8.0, 15.0, 30.0, 40.0] {
                let law = NoiseLaw::slots(1.0, limit);
                let (bound, estimate) = (law.log2_exceeds(ratio), law.log2_exceeds_estimate(ratio));
                let [low, high] = slots_by_integration(ratio, limit);
                assert!(
                    bound > low && bound < high + 8.0,
                    "{limit}, {ratio}: {bound}, {low} to {high}"
                );
                // Laplace's pole takes the saddlepoint beyond its best.
                let tolerance = if limit.is_infinite() { 0.2 } else { 0.5 };
                assert!(
                    (estimate - high).abs() < tolerance,
                    "{limit}, {ratio}: {estimate}, {high}"
                );
            }
        }
    }

    /// Known laws: two equal products are Laplace's law, and very many are Gaussian.
    #[test]
    fn products_are_between_laplace_and_gauss() {
        for ratio in [5.0, 10.0, 40.0] {
            let (two, laplace) = (NoiseLaw::products(1.0, 0.5), NoiseLaw::slots(1.0, LAPLACE));
            assert!((two.log2_exceeds(ratio) - laplace.log2_exceeds(ratio)).abs() < 1e-6);
            let many = NoiseLaw::mean_of_slots(1.0, 1 << 30).log2_exceeds(ratio);
            let chernoff = 1.0 - ratio * ratio / 2.0 * LOG2_E;
            assert!((many / chernoff - 1.0).abs() < 1e-5 && many < 0.0);
            let gaussian = NoiseLaw::gaussian(1.0).log2_exceeds(ratio);
            assert!(gaussian < many && gaussian > many - 8.0, "{gaussian}, {many}");
            assert!(NoiseLaw::products(1.0, 1.0).log2_exceeds(ratio) > two.log2_exceeds(ratio));
        }
        let kurtosis = |law: NoiseLaw| (law.kurtosis() * 1e6).round() / 1e6;
        assert_eq!(kurtosis(NoiseLaw::gaussian(2.0)), 3.0);
        assert_eq!(kurtosis(NoiseLaw::slots(2.0, LAPLACE)), 6.0);
        assert_eq!(kurtosis(NoiseLaw::products(2.0, 2.0)), 9.0);
        assert_eq!(kurtosis(NoiseLaw::products(2.0, 1.0)), 6.0);
    }

    /// One product x·y of standard Gaussians, by counts: estimates follow them, bounds are above.
    #[test]
    fn estimates_follow_counts_of_products() {
        let mut state = 1u64;
        let mut uniform = || {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / 2f64.powi(53)
        };
        let samples = 400_000;
        let mut beyond = [0u32; 3];
        let ratios = [3.0, 4.0, 6.0];
        for _ in 0..samples {
            // Box and Muller: two Gaussians.
            let (radius, angle) = ((-2.0 * (1.0 - uniform()).ln()).sqrt(), 2.0 * PI * uniform());
            let product = radius * radius * angle.cos() * angle.sin();
            beyond.iter_mut().zip(ratios).for_each(|(n, at)| *n += u32::from(product.abs() > at));
        }
        let law = NoiseLaw::products(1.0, 1.0);
        for (count, ratio) in beyond.into_iter().zip(ratios) {
            let measured = (f64::from(count) / f64::from(samples)).log2();
            let (bound, estimate) = (law.log2_exceeds(ratio), law.log2_exceeds_estimate(ratio));
            assert!(bound > measured, "{ratio}: {bound}, {measured}");
            assert!((estimate - measured).abs() < 0.3, "{ratio}: {estimate}, {measured}");
        }
    }

    #[test]
    fn no_noise_exceeds_nothing() {
        assert_eq!(NoiseLaw::ZERO.log2_exceeds(1e-9), f64::NEG_INFINITY);
        assert_eq!(NoiseLaw::ZERO.largest(-64.0), 0.0);
        assert_eq!(NoiseLaw::gaussian(1.0).log2_exceeds(0.0), 0.0);
        assert_eq!(NoiseLaw::slots(0.0, 10.0), NoiseLaw::ZERO);
        assert_eq!(NoiseLaw::products(0.0, 0.0), NoiseLaw::ZERO);
    }

    #[test]
    fn laws_are_read_back_and_others_refused() {
        let all = NoiseLaw::gaussian(1e-6).with_independent(NoiseLaw::slots(1e-8, 10.0));
        let all = all.with_independent(NoiseLaw::products(1e-7, 1e-9));
        for law in [NoiseLaw::ZERO, NoiseLaw::slots(1e-8, LAPLACE), all] {
            let mut writer = BodyWriter::new(Vec::new());
            law.write(&mut writer).unwrap();
            let bytes = writer.into_inner();
            assert_eq!(bytes.len() as u64, NoiseLaw::BYTES);
            assert_eq!(NoiseLaw::read(&mut BodyReader::new(&bytes)).unwrap(), law);
        }
        for parts in [
            [0.6, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.1, 0.5, 0.0, 0.0],
            [0.0, 0.0, 5.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.1, 0.0],
            [0.0, 0.0, 0.0, 0.1, 0.2],
            [f64::NAN, 0.0, 0.0, 0.0, 0.0],
            [0.0, 0.1, f64::NAN, 0.0, 0.0],
            [-0.0, 0.0, 0.0, 0.0, 0.0],
        ] {
            let mut writer = BodyWriter::new(Vec::new());
            parts.iter().for_each(|&part| writer.f64(part).unwrap());
            assert!(
                NoiseLaw::read(&mut BodyReader::new(&writer.into_inner())).is_err(),
                "{parts:?}"
            );
        }
    }

    fn any_law() -> impl Strategy<Value = NoiseLaw> {
        let part = || prop_oneof![Just(0.0), 1e-3..1.0f64];
        (part(), part(), prop_oneof![Just(LAPLACE), 2.0..14.0f64], part(), 0.01..1.0f64).prop_map(
            |(gaussian, slots, limit, products, share)| {
                NoiseLaw::gaussian(gaussian)
                    .with_independent(NoiseLaw::slots(slots, limit))
                    .with_independent(NoiseLaw::products(products, products * share))
            },
        )
    }

    proptest! {
        #[test]
        fn largest_sizes_invert_the_tail(law in any_law(), log2_fail in -200.0..-10.0f64) {
            prop_assume!(law.variance() > 0.0);
            let found = law.log2_exceeds(law.largest(log2_fail));
            prop_assert!((found - log2_fail).abs() < 1e-4 * log2_fail.abs(), "{}", found);
            prop_assert!(law.log2_exceeds_estimate(law.largest(log2_fail)) < log2_fail + 0.1);
        }

        /// Sums of dependent laws are above those of independent ones, and `x + x` is twice x.
        #[test]
        fn sums_bound_what_they_are_of(a in any_law(), b in any_law(), ratio in 2.0..40.0f64) {
            prop_assume!(a.variance() > 0.0);
            let margin = ratio * a.deviation();
            let twice = (a + a).log2_exceeds(2.0 * margin);
            prop_assert!((twice - a.log2_exceeds(margin)).abs() < 1e-6 * twice.abs().max(1.0));
            let (sum, independent) = (a + b, a.with_independent(b));
            prop_assert!(sum.log2_exceeds(margin) >= independent.log2_exceeds(margin) - 1e-6);
            prop_assert!(independent.log2_exceeds(margin) >= a.log2_exceeds(margin) - 1e-6);
            prop_assert!(a.max(b).log2_exceeds(margin) >= a.log2_exceeds(margin) - 1e-6);
        }
    }
}
