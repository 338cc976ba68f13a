//! Tables whose results reveal only the requested outputs: random multiples of P are added to their outputs.
//!
//! A lookup is linear in the outputs f(j) if everything before they are used is computed without them. Its phase is
//! then `Σ_j ρ_j·D_j`, where `ρ_j = f(j)/P` and D_j is the ciphertext of the deltas of j: 1 where the input is j, and
//! an error η_j elsewhere, which reveals outputs that nobody requested. Multiples of P make no difference to results.
//! The server therefore draws every ρ_j from a discrete Gaussian on `f(j)/P + Z`, with weights `exp(-ρ²/V)`, and adds
//! flooding, Gaussian as well. The sum of all errors then has the same distribution for all f, up to 2^-κ
//! ([`HiddenTables`]).
//!
//! **Proof.** Let η be the smoothing parameter of Z^p for ε: `η² = ln(2p(1 + 1/ε))/π` (Micciancio and Regev, SIAM
//! Journal on Computing 37(1), 2007, Lemma 3.3). Let E map ρ to errors, `t` be the parameter of flooding in every
//! coordinate, and `S² = πV`. The probability of `o = E·ρ + y` is, by completing the square, `exp(-π·Q(o))` times
//! `Σ exp(-π·(ρ - c(o))ᵀ·K·(ρ - c(o)))` over `ρ ∈ f/P + Z^p`, with `K = I/S² + EᵀE/t²`, where Q and c do not depend on
//! f. If no eigenvalue of K exceeds 1/η², that sum differs from the sum over any other coset by a factor of at most
//! `(1 + ε)/(1 - ε)`. This holds for `S² = 2η²` and `t = S·|E|`. Inputs that occur have D_j of size 1. Anyone who knows
//! f(j) can draw their ρ_j alike, and everything else is as if the other outputs were 0 (Bourse, Del Pino, Minelli and
//! Wee, CRYPTO 2016, use randomized digits in this way).

use cryptable_ring::random::RandomStream;

/// The distribution by which tables are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HiddenTables {
    /// V in the weights `exp(-ρ²/V)`.
    spread: u64,
    /// The largest multiple of P that is drawn.
    window: i64,
}

/// Additional bits of statistical distance for each of the terms that the total distance is the sum of.
pub const SHARE: u32 = 5;

impl HiddenTables {
    /// Returns the distribution that hides tables of p inputs within a statistical distance of 2^-bits.
    #[must_use]
    pub fn new(bits: u32, input_modulus: u64) -> Self {
        let exponent = f64::from(bits + SHARE);
        let p = input_modulus as f64;
        // V = S²/π = 2η²/π, and 1/ε = 2^exponent.
        let log = (2.0 * p).ln() + exponent * std::f64::consts::LN_2 + 1e-9;
        let spread = (2.0 * log / std::f64::consts::PI.powi(2)).ceil();
        // Multiples beyond the window have a probability of at most 4·exp(-B²/V) each.
        let window = (spread * (p.ln() + (exponent + 2.0) * std::f64::consts::LN_2)).sqrt().ceil();
        Self { spread: spread as u64, window: window as i64 + 1 }
    }

    /// Returns the variance of ρ_j.
    #[must_use]
    pub fn variance(self) -> f64 {
        self.spread as f64 / 2.0
    }

    /// Returns the parameter S of ρ_j: flooding with the parameter `S·|E|` hides errors if |E| is the norm of their
    /// matrix E.
    #[must_use]
    pub fn parameter(self) -> f64 {
        (std::f64::consts::PI * self.spread as f64).sqrt()
    }

    /// Returns the largest absolute value of ρ_j.
    #[must_use]
    pub fn largest(self) -> f64 {
        self.window as f64 + 0.5
    }

    /// Draws `P·ρ` for an output in `[-P/2, P/2]`, from the multiples of the window, each of which is accepted with its
    /// weight.
    #[must_use]
    pub fn draw(self, stream: &mut RandomStream, output: i64, modulus: u64) -> i64 {
        let width = 2 * self.window as u64 + 1;
        let denominator = u128::from(self.spread) * u128::from(modulus) * u128::from(modulus);
        loop {
            let multiple = below(stream, width) as i64 - self.window;
            let drawn = output + multiple * modulus as i64;
            let square = u128::from(drawn.unsigned_abs()).pow(2);
            if is_accepted(stream, square, denominator) {
                return drawn;
            }
        }
    }
}

/// A table that is hidden in lookups.
#[derive(Clone, Debug)]
pub struct HiddenTable {
    /// Outputs in `[-P/2, P/2)`.
    outputs: Vec<i64>,
    /// P.
    modulus: u64,
    /// The distribution, or `None` for dry runs, which use the outputs as they are.
    hidden: Option<HiddenTables>,
}

impl HiddenTable {
    /// Makes a table with these outputs in `[-P/2, P/2)`, without a distribution for dry runs.
    #[must_use]
    pub fn new(outputs: Vec<i64>, modulus: u64, hidden: Option<HiddenTables>) -> Self {
        Self { outputs, modulus, hidden }
    }

    /// Returns the output modulus P.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the number p of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.outputs.len()
    }

    /// Draws outputs plus fresh multiples of P, from the operating system's randomness.
    #[must_use]
    pub fn draw(&self) -> Vec<i64> {
        let Some(hidden) = self.hidden else { return self.outputs.clone() };
        let mut stream = RandomStream::from_os();
        let draw = |&output: &i64| hidden.draw(&mut stream, output, self.modulus);
        self.outputs.iter().map(draw).collect()
    }
}

/// Draws a uniform number below a bound.
fn below(stream: &mut RandomStream, bound: u64) -> u64 {
    let mut word = [0];
    stream.uniform_assign(&mut word, bound);
    word[0]
}

/// Returns true with probability `exp(-numerator/denominator)`, exactly: Algorithm 1 of Canonne, Kamath and Steinke
/// (NeurIPS 2020).
fn is_accepted(stream: &mut RandomStream, numerator: u128, denominator: u128) -> bool {
    let whole = numerator / denominator;
    (0..whole).all(|_| is_accepted_below_one(stream, 1, 1))
        && is_accepted_below_one(stream, numerator % denominator, denominator)
}

/// Does the same for a fraction of at most 1: the first k for which a coin of `fraction/k` fails is odd.
fn is_accepted_below_one(stream: &mut RandomStream, numerator: u128, denominator: u128) -> bool {
    let mut k = 1;
    while below_wide(stream, denominator * k) < numerator {
        k += 1;
    }
    k % 2 == 1
}

/// Draws a uniform number below a bound of at most 120 bits.
fn below_wide(stream: &mut RandomStream, bound: u128) -> u128 {
    let mask = u128::MAX >> (bound - 1).leading_zeros().min(127);
    loop {
        let mut words = [0; 2];
        stream.uniform_assign(&mut words, 1 << 60);
        let word = (u128::from(words[0]) << 60 | u128::from(words[1])) & mask;
        if word < bound {
            return word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the counts of a coset with its weights, by χ².
    #[test]
    fn multiples_have_the_weights_of_their_coset() {
        let hidden = HiddenTables::new(40, 256);
        assert_eq!((hidden.spread, hidden.largest()), (8, 19.5));
        let (mut stream, modulus, draws) = (RandomStream::from_os(), 16u64, 20_000);
        for output in [-8i64, 0, 5] {
            let mut counts = vec![0u32; 2 * hidden.window as usize + 1];
            for _ in 0..draws {
                let drawn = hidden.draw(&mut stream, output, modulus);
                let multiple = (drawn - output) / modulus as i64;
                assert_eq!(output + multiple * modulus as i64, drawn);
                counts[(multiple + hidden.window) as usize] += 1;
            }
            let weight = |multiple: i64| {
                let rho = output as f64 / modulus as f64 + multiple as f64;
                (-rho * rho / hidden.spread as f64).exp()
            };
            let total: f64 = (-hidden.window..=hidden.window).map(weight).sum();
            let (mut statistic, mut freedom) = (0.0, 0.0);
            for (count, multiple) in counts.iter().zip(-hidden.window..) {
                let expected = weight(multiple) / total * f64::from(draws);
                if expected > 10.0 {
                    statistic += (f64::from(*count) - expected).powi(2) / expected;
                    freedom += 1.0;
                }
            }
            let limit = freedom + 6.0 * (2.0_f64 * freedom).sqrt();
            assert!(statistic < limit, "{output}: {statistic} for {freedom}");
        }
    }

    #[test]
    fn coins_have_their_probabilities() {
        let mut stream = RandomStream::from_os();
        for (numerator, denominator) in [(0u128, 3u128), (1, 3), (1, 1), (7, 2)] {
            let count = 40_000;
            let accepted = (0..count).filter(|_| is_accepted(&mut stream, numerator, denominator));
            let found = accepted.count() as f64 / f64::from(count);
            let expected = (-(numerator as f64) / denominator as f64).exp();
            assert!((found - expected).abs() < 0.015, "{numerator}/{denominator}: {found}");
        }
    }
}
