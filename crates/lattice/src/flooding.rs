//! Flooding: noise in the coefficients of a polynomial that hides other noise of any distribution.
//!
//! A coefficient of flooding is `F = U - V` with U and V uniform below `M = 2^w`, so that `P(F = x) = (M - |x|)/M²`. An
//! error e that is added to it is hidden up to the statistical distance between F and F + e.
//!
//! **Distance.** Let `H²(P, Q) = 1 - Σ √(P·Q)` be the squared Hellinger distance. H is a metric and does not change
//! when both distributions are shifted, so that `H(F, F + e) <= |e|·H(F, F + 1)`, and
//!
//! `H²(F, F + 1) = M⁻²·Σ_{k=1}^{M} (√k - √(k-1))² <= (5/4 + ln(M)/4)/M² = h`,
//!
//! because the first term is 1 and the others are at most `1/(4(k - 1))`. For independent coefficients `Σ √(P·Q)` is
//! the product of theirs, hence `H² <= h·Σ e_i²`: only the Euclidean norm of the error counts. The statistical distance
//! is at most `√(2H²) = √(2h)·|e|`. For T polynomials whose errors may depend on everything seen before, the squares
//! add up: `√(2hT)·|e|` if every error has a norm of at most |e|.
//!
//! For a discrete Gaussian of the same variance `M²/6`, the distance would be `√T·|e|/2` divided by its deviation, two
//! bits less. A triangular distribution is drawn exactly at any width, in a time that does not depend on the result,
//! and its range is bounded.
//!
//! **Tail.** U - V is a sum of independent signs times powers of two, so that `E exp(λF) <= exp(λ²·Var(F)/2)`, and the
//! same holds for every sum of coefficients times constants. Chernoff's bound for a Gaussian therefore holds at any
//! distance: `P(|Σ c_i·F_i| > t) <= 2·exp(-t²/(2·Var))`.

use std::f64::consts::LOG2_E;

#[cfg(feature = "client")]
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
#[cfg(feature = "client")]
use cryptable_ring::{Basis, Coefficients, Evaluations, Poly, Ring};
#[cfg(feature = "client")]
use zeroize::Zeroizing;

/// The largest w: sums of several coefficients still fit a signed double word.
const MAX_LOG2_WIDTH: u32 = 120;

/// Bits of a coefficient that are drawn at once.
#[cfg(feature = "client")]
const PIECE: u32 = 48;

/// Independent noise with a triangular distribution in every coefficient of a polynomial: see the [module](self).
///
/// ```
/// use cryptable_lattice::flooding::Flooding;
/// // An error of norm 2^20 is hidden to 2^-40, in each of 1,024 polynomials.
/// let flooding = Flooding::hiding(2f64.powi(20), 1024.0, -40.0).unwrap();
/// assert_eq!(flooding.log2_width(), 68);
/// assert!(flooding.log2_distance(2f64.powi(20), 1024.0) <= -40.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flooding {
    log2_width: u32,
}

impl Flooding {
    /// Returns the least flooding that hides errors of this Euclidean norm in a number of polynomials, up to a total
    /// statistical distance of `2^log2_distance`. Returns `None` if there is none below 2^120.
    #[must_use]
    pub fn hiding(norm: f64, polynomials: f64, log2_distance: f64) -> Option<Self> {
        (1..=MAX_LOG2_WIDTH)
            .map(|log2_width| Self { log2_width })
            .find(|flooding| flooding.log2_distance(norm, polynomials) <= log2_distance)
    }

    /// Returns log2 of the width M.
    #[must_use]
    pub fn log2_width(self) -> u32 {
        self.log2_width
    }

    /// Returns log2 of an upper bound on the statistical distance between this number of polynomials with errors of
    /// this norm and the same number without errors.
    #[must_use]
    pub fn log2_distance(self, norm: f64, polynomials: f64) -> f64 {
        let width = f64::from(self.log2_width);
        let unit = (1.25 + width / LOG2_E / 4.0) * 2.0;
        0.5 * (unit * polynomials).log2() + norm.log2() - width
    }

    /// Returns the variance of a coefficient.
    #[must_use]
    pub fn variance(self) -> f64 {
        (f64::from(2 * self.log2_width).exp2() - 1.0) / 6.0
    }

    /// Returns log2 of an upper bound on the probability that a sum of coefficients times constants exceeds `margin`,
    /// where `squares` is the sum of the squares of the constants.
    #[must_use]
    pub fn log2_exceeds(self, squares: f64, margin: f64) -> f64 {
        if margin <= 0.0 {
            return 0.0;
        }
        let chernoff = 1.0 - margin * margin / (2.0 * squares * self.variance()) * LOG2_E;
        chernoff.min(0.0)
    }

    /// Draws a polynomial from a secret seed: the same one from the same seed.
    ///
    /// A seed serves only one width: polynomials of two widths would have coefficients in common.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn sample(
        self,
        ring: &Ring,
        basis: Basis,
        seed: &[u8; Seed::BYTES],
    ) -> Zeroizing<Poly<Evaluations>> {
        let mut sum: Option<Zeroizing<Poly<Coefficients>>> = None;
        let pieces = self.log2_width.div_ceil(PIECE);
        for piece in 0..pieces {
            let bits = PIECE.min(self.log2_width - piece * PIECE);
            let mut stream = RandomStream::new(seed, StreamPurpose::Flooding, piece.into());
            let differences = stream.uniform_differences(ring.degree(), bits);
            let mut term = Zeroizing::new(Poly::from_signed(ring, basis, &differences));
            term.mul_integer_assign(ring, 1 << (piece * PIECE));
            match &mut sum {
                None => sum = Some(term),
                Some(sum) => sum.add_assign(ring, &term),
            }
        }
        let mut sum = sum.expect("a piece");
        let sum = std::mem::replace(&mut *sum, Poly::zero(ring, ring.main_basis(1)));
        Zeroizing::new(sum.into_secret_evaluations(ring))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the probabilities of F for a small width, by index x + M.
    fn law(log2_width: u32) -> Vec<f64> {
        let width = 1i64 << log2_width;
        let square = (width * width) as f64;
        (-width..=width).map(|x| (width - x.abs()) as f64 / square).collect()
    }

    /// Computes distances for small widths and shifts from the distributions themselves: the bound holds, and is close.
    #[test]
    fn distances_of_laws_are_below_their_bound_and_near_it() {
        for log2_width in [6, 9, 12] {
            let (law, flooding) = (law(log2_width), Flooding { log2_width });
            for shift in [1usize, 3, 8] {
                let shifted = |x: usize| x.checked_sub(shift).map_or(0.0, |x| law[x]);
                let after = (0..law.len() + shift).map(|x| {
                    let p = law.get(x).copied().unwrap_or(0.0);
                    let q = if x < shift { 0.0 } else { shifted(x) };
                    (p, q)
                });
                let (mut overlap, mut distance) = (0.0, 0.0);
                for (p, q) in after {
                    overlap += (p * q).sqrt();
                    distance += (p - q).abs() / 2.0;
                }
                let bound = flooding.log2_distance(shift as f64, 1.0).exp2();
                let hellinger = (2.0 * (1.0 - overlap)).sqrt();
                assert!(hellinger <= bound && bound < 2.0 * hellinger, "{hellinger} {bound}");
                assert!(distance <= hellinger, "{distance} {hellinger}");
                // For 100 coefficients the exact overlap is the 100th power.
                let many = (2.0 * (1.0 - overlap.powi(100))).sqrt();
                let bound = flooding.log2_distance(10.0 * shift as f64, 1.0).exp2();
                assert!(many <= bound, "{many} {bound}");
            }
        }
    }

    #[test]
    fn the_least_width_that_hides_is_found() {
        let distance = |width| Flooding { log2_width: width }.log2_distance(1e6, 4.0);
        let found = Flooding::hiding(1e6, 4.0, -64.0).unwrap().log2_width();
        assert!(distance(found) <= -64.0 && distance(found - 1) > -64.0);
        assert_eq!(Flooding::hiding(1e6, 4.0, -110.0), None);
        let once = Flooding { log2_width: 90 };
        let difference = once.log2_distance(1.0, 65_536.0) - once.log2_distance(1.0, 1.0);
        assert!((difference - 8.0).abs() < 1e-9, "{difference}");
    }

    /// Checks a tail beyond the bound for a sum whose probabilities can be counted: a single coefficient.
    #[test]
    fn tails_are_below_chernoffs_bound() {
        let (law, flooding) = (law(9), Flooding { log2_width: 9 });
        for margin in [100.0, 300.0, 500.0, 511.0] {
            let beyond: f64 = law
                .iter()
                .zip(-512i64..)
                .filter(|(_, x)| x.abs() as f64 > margin)
                .map(|(p, _)| p)
                .sum();
            assert!(beyond <= flooding.log2_exceeds(1.0, margin).exp2(), "{margin}");
        }
    }

    /// Checks coefficients of 70 bits, which take two pieces: mean, variance, kurtosis (2.4 for a triangular
    /// distribution), ends, and low bits.
    #[cfg(feature = "client")]
    #[test]
    fn samples_have_the_triangular_law_at_widths_above_a_machine_word() {
        let primes = cryptable_ring::primes::ntt_primes(4096, 49.0, 2, &[]);
        let ring = Ring::new(4096, &primes, &[]);
        let flooding = Flooding { log2_width: 70 };
        let basis = ring.main_basis(2);
        let draw = |seed: u8| {
            let poly = flooding.sample(&ring, basis, &[seed; 32]);
            let poly = Poly::clone(&poly).into_coefficients(&ring);
            let [p, q] = [0, 1].map(|i| i128::from(ring.modulus(i).value()));
            let inverse = ring.modulus(1).inv(ring.modulus(1).reduce(p as u64));
            let words = poly.limb(0).iter().zip(poly.limb(1)).map(|(&x, &y)| {
                let m = ring.modulus(1);
                let high = m.mul(m.sub(y, m.reduce(x)), inverse);
                let value = i128::from(x) + p * i128::from(high);
                if value > p * q / 2 { value - p * q } else { value }
            });
            words.collect::<Vec<i128>>()
        };
        assert!(draw(1) == draw(1) && draw(1) != draw(2));
        let values: Vec<i128> = (0..16).flat_map(draw).collect();
        let scaled: Vec<f64> = values.iter().map(|&x| x as f64 / 2f64.powi(70)).collect();
        let count = scaled.len() as f64;
        let moment = |k: i32| scaled.iter().map(|x| x.powi(k)).sum::<f64>() / count;
        let variance = flooding.variance() / 2f64.powi(140);
        assert!(moment(1).abs() < 5.0 * (variance / count).sqrt(), "{}", moment(1));
        assert!((moment(2) / variance - 1.0).abs() < 5.0 * (1.4 / count).sqrt());
        assert!((moment(4) / moment(2).powi(2) - 2.4).abs() < 0.1);
        assert!(scaled.iter().all(|x| x.abs() < 1.0) && scaled.iter().any(|x| x.abs() > 0.98));
        // Low bits are uniform: an error shows in none of them.
        let mut counts = [0u32; 16];
        values.iter().for_each(|x| counts[(x & 15) as usize] += 1);
        let expected = count / 16.0;
        assert!(counts.iter().all(|&n| (f64::from(n) - expected).abs() < 5.0 * expected.sqrt()));
    }
}
