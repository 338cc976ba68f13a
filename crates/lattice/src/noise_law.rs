//! The distribution of a noise, as far as an upper bound on its tails needs it.
//!
//! A variance alone says nothing about a tail: at 2^-81 a Gaussian is within 10.3 standard deviations, Laplace's
//! distribution within 39.7, the product of two Gaussians within 55. [`NoiseLaw`] therefore has three independent parts
//! and bounds the tail of their sum by Chernoff's method:
//!
//! `P(|ε| > t) <= 2·min_λ e^{-λt}·E e^{λε}`, `ln E e^{λε} <= λ²g²/2 + ln M_B(λ²s²/2) - (v/2a²)·ln(1 - λ²a²)`.
//!
//! - **Gaussian**, of deviation g. Sums of very many independent bounded terms, such as roundings, have moments
//!   `E e^{λε}` below those of the Gaussian of their variance (a uniform or ternary term is strictly sub-Gaussian), so
//!   that the bound holds at any distance. Without other parts the tail is the Gaussian one itself, 2.3 bits below
//!   Chernoff's at 2^-64. That assumes about a hundred terms or more, none much larger than others: their kurtosis is
//!   below 3, and far out their tail is below the Gaussian's (the sum of 400 roundings exceeds 9 deviations half as
//!   often).
//! - **Slots**, of deviation s: a Gaussian of variance `X·s²`, where X is exponential of mean 1, cut off at B. A
//!   rounding of an RLWE ciphertext leaves `e_0 + e_1·s`; in slot j of a canonical embedding `|s(ζ_j)|²` multiplies its
//!   variance. X is that square divided by its mean. It is **fixed by the key**: a slot that is loud once is loud in
//!   every operation under this key. Key generation rejects secrets with a slot beyond B ([`crate::embedding_bound`]),
//!   so that X is cut off there; without a limit the distribution is Laplace's.
//!   `M_B(c) = (1 - e^{-(1-c)B})/((1 - c)(1 - e^{-B}))` is the moment of X.
//! - **Products** of independent Gaussians, `Σ a_i·x_i·y_i` with variances a_i² that sum up to v, none above a²:
//!   `-½·Σ ln(1 - λ²a_i²)` is at most the term above, since `-ln(1 - x)/x` grows with x. One product has kurtosis 9;
//!   two equal ones have Laplace's distribution; the mean of k slots of different X is 2k of them.
//!
//! Sums of distributions are bounded however their terms depend on each other (Hölder's inequality), as long as parts
//! of different kinds are independent: they come from different randomness.

use std::f64::consts::{LN_2, LOG2_E, PI, SQRT_2};
use std::io::{self, Write};
use std::ops::Add;

use cryptable_wire::{BodyReader, BodyWriter, WireError};

use crate::error::Result;
use crate::gaussian_tail::{gaussian_ratio_for, gaussian_tail_log2};

/// `(√5 - 1)/2`.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Steps of the golden-section search, which reduce the interval to 10^-8 of its length.
const SECTIONS: usize = 40;

/// An upper bound on the distribution of a noise without bias: see the [module](self).
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
    /// Standard deviation s of the slots part.
    slots: f64,
    /// Limit B of X for the slots part: infinite for a secret without a bound on its slots, 0 if there is no such part.
    slot_limit: f64,
    /// Standard deviation √v of the products.
    products: f64,
    /// Standard deviation a of the largest product.
    largest_product: f64,
}

impl NoiseLaw {
    /// The number of bytes that [`NoiseLaw::write`] writes.
    pub const BYTES: u64 = 40;

    /// The distribution of no noise.
    pub const ZERO: Self =
        Self { gaussian: 0.0, slots: 0.0, slot_limit: 0.0, products: 0.0, largest_product: 0.0 };

    /// Returns the Gaussian distribution of this variance.
    ///
    /// # Panics
    /// If the variance is negative or not a number.
    #[must_use]
    pub fn gaussian(variance: f64) -> Self {
        assert!(variance >= 0.0, "variance {variance}");
        Self { gaussian: variance.sqrt(), ..Self::ZERO }
    }

    /// Returns the distribution in a slot, with this variance on average over slots and keys. X is at most `limit`,
    /// which may be infinite.
    ///
    /// # Panics
    /// If the variance is negative or not a number, or if the limit is below 1.
    #[must_use]
    pub fn slots(variance: f64, limit: f64) -> Self {
        assert!(variance >= 0.0 && limit >= 1.0, "variance {variance}, limit {limit}");
        if variance == 0.0 {
            Self::ZERO
        } else {
            Self { slots: variance.sqrt(), slot_limit: limit, ..Self::ZERO }
        }
    }

    /// Returns the distribution of a sum of products of two Gaussians each, of this total variance. The variance of the
    /// largest product is `largest`.
    ///
    /// # Panics
    /// If a variance is negative or not a number, or if there is variance but none for the largest product.
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

    /// Returns the distribution of the mean of the noises of `count` slots whose X are independent, of this variance:
    /// `2·count` equal products.
    ///
    /// # Panics
    /// If the variance is negative or not a number, or if the count is 0.
    #[must_use]
    pub fn mean_of_slots(variance: f64, count: usize) -> Self {
        Self::products(variance, variance / (2 * count) as f64)
    }

    /// Returns the standard deviation of the whole noise.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.variance().sqrt()
    }

    /// Returns the variance of the whole noise.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.gaussian * self.gaussian + self.slots * self.slots + self.products * self.products
    }

    /// Returns the kurtosis `E ε⁴/σ⁴`: 3 for a Gaussian, 6 for Laplace's distribution, 9 for one product, and 3 without
    /// noise.
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

    /// Returns the distribution with independent noise added, part by part.
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

    /// Returns a distribution with each part at least as large as in both.
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

    /// Returns the distribution of the noise times `factor`.
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

    /// Returns the distribution in a slot whose X is at most `size`. Noise of slots is Gaussian there, and depends on
    /// no other noise of its slot.
    #[must_use]
    pub fn in_slots_up_to(self, size: f64) -> Self {
        let gaussian = self.gaussian.hypot(self.slot_limit.min(size).sqrt() * self.slots);
        Self { gaussian, slots: 0.0, slot_limit: 0.0, ..self }
    }

    /// Returns log2 of an upper bound on the probability that the absolute value of the noise exceeds `margin`:
    /// Chernoff's bound, or the Gaussian tail if there is only a Gaussian part ([module](self)). The result is 0 for a
    /// margin that is not positive, and negative infinity without noise.
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

    /// Returns the size that the noise exceeds with a probability of at most `2^log2_fail`: the inverse of
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

    /// Returns log2 of an estimate of the probability that the noise exceeds `margin`, for comparison with counts and
    /// with [`NoiseLaw::log2_exceeds`], which is larger. It is the saddlepoint approximation of Lugannani and Rice,
    /// within some percent.
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
        // Far out, where doubles underflow, the first term of the same formula is used.
        (-distance * distance / 2.0 + (2.0 / PI).sqrt().ln() - scaled.ln()) * LOG2_E
    }

    /// Returns whether there is only the Gaussian part.
    fn is_gaussian(self) -> bool {
        self.slots == 0.0 && self.products == 0.0
    }

    /// Returns the rate λ at which the derivative of `ln E e^{λε}` is `margin`.
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

    /// Returns `ln E e^{λε}` and its first two derivatives, for λ below the pole.
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

    /// Returns `ln E e^{λε}`, for λ below the pole.
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

    /// Returns the rate from which on a moment is infinite.
    fn pole(self) -> f64 {
        let slots = if self.slots > 0.0 && self.slot_limit.is_infinite() {
            SQRT_2 / self.slots
        } else {
            f64::INFINITY
        };
        slots.min(1.0 / self.largest_product) * (1.0 - 1e-9)
    }

    /// Returns the least value over all rates of a function that falls and then rises. Any rate yields a valid bound,
    /// so that the width of the last interval costs no safety.
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
    /// If the writer fails.
    pub fn write<W: Write>(self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        let Self { gaussian, slots, slot_limit, products, largest_product } = self;
        // Files have finite numbers: 0 stands for no limit.
        let limit = if slot_limit.is_finite() { slot_limit } else { 0.0 };
        [gaussian, slots, limit, products, largest_product]
            .iter()
            .try_for_each(|&part| writer.f64(part))
    }

    /// Reads a distribution that [`NoiseLaw::write`] wrote. Callers that have the parameters check it against them.
    ///
    /// # Errors
    /// If bytes are missing, a deviation is not from 0 to 1/2, or the parts contradict each other.
    pub fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let mut part = |name: &'static str| {
            let value = reader.f64(name)?;
            // Negative zero would be another encoding of the same distribution.
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

/// Returns `ln M_B(c)`, for any c if B is finite, and for c < 1 otherwise.
fn slot_log_moment(c: f64, limit: f64) -> f64 {
    if limit.is_infinite() {
        return -(-c).ln_1p();
    }
    let d = 1.0 - c;
    let share = -(-limit).exp_m1();
    // This is (1 - e^{-dB})/d, or B at d = 0. For negative d the exponential is factored out, since it may be too
    // large.
    let log = if (d * limit).abs() < 1e-6 {
        limit.ln() - d * limit / 2.0
    } else if d > 0.0 {
        (-(-d * limit).exp_m1() / d).ln()
    } else {
        -d * limit + ((d * limit).exp_m1() / d).ln()
    };
    log - share.ln()
}

/// Returns `ln M_B(c)` and its first two derivatives in c, or zeros for a limit of 0, which stands for no such noise.
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
    // The sinh form of e^x/(e^x - 1)², which does not overflow.
    let square = (limit / (2.0 * (x / 2.0).sinh())).powi(2);
    [value, 1.0 / d - limit / x.exp_m1(), 1.0 / (d * d) - square]
}

#[cfg(test)]
mod tests;
