//! Integers from a discrete Gaussian of any width up to a modulus, exact to a statistical distance of 2^-90 per number.
//!
//! The distribution `D_t` assigns x the weight `ρ_t(x) = exp(-π·x²/t²)`. A narrow one, with `exp(-π/t_0²) = 1 - 2^-14`
//! and hence t_0 = 226.9, is drawn from a table of cumulative weights. Its weights are products of that number, so that
//! shifts and subtractions of 128-bit integers compute all of them, each with an error below 2^-99 of the first.
//!
//! A wide one is a sum `Σ_i 2^(e_i)·x_i` of narrow ones with `e_0 = 0` and steps of at most five. By the convolution
//! lemma (Peikert, CRYPTO 2010; Micciancio and Peikert, CRYPTO 2013) `2^e·D_(t_0) + D_t` is `D_(√(4^e·t_0² + t²))` up
//! to a factor of `1 ± 4ε` for every result, as long as `√(1/(t^-2 + 4^-e·t_0^-2))` is at least the smoothing parameter
//! of `2^e·Z`. For `t >= 2^(e-5)·t_0` it is `7.08·2^e`, and ε is below 2^-220.

use std::f64::consts::PI;
use std::sync::OnceLock;

use rand::RngCore;
use zeroize::Zeroizing;

use super::{RandomStream, Seed, StreamPurpose};
use crate::{Basis, Coefficients, Poly, Ring};

/// The ratio of the weights of 1 and 0 is 1 minus 2 to the power of minus this number.
const LOG2_DECAY: u32 = 14;

/// log2 of the weight of 0 in the table: all weights add up to less than 2^127.
const LOG2_FIRST: u32 = 119;

/// Weights below 2 to this power count as zero.
const LOG2_LEAST: u32 = 20;

/// The largest step between the powers of two.
const STEP: u32 = 5;

/// Numbers that fit together in a signed word: the first is multiplied by 1, the last by 2^45.
const NUMBERS_OF_PIECE: usize = 10;

/// A discrete Gaussian over the integers, drawn as a sum of narrow ones.
///
/// ```
/// use cryptable_ring::random::WideGaussian;
/// let wide = WideGaussian::at_least(1e9).unwrap();
/// assert!((1e9..2.1e9).contains(&wide.parameter()));
/// assert!(WideGaussian::at_least(2f64.powi(200)).is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WideGaussian {
    /// The logarithms of the powers of two.
    exponents: Vec<u32>,
}

impl WideGaussian {
    /// The largest power of two of a sum: its words fit a signed double word.
    const MAX_EXPONENT: u32 = 112;

    /// Returns the narrowest distribution whose parameter is at least t, or `None` if it would be too wide.
    #[must_use]
    pub fn at_least(parameter: f64) -> Option<Self> {
        (0..=Self::MAX_EXPONENT).map(Self::of_top).find(|wide| wide.parameter() >= parameter)
    }

    /// Returns the distribution whose largest power of two has the exponent `top`.
    fn of_top(top: u32) -> Self {
        let mut exponents: Vec<u32> = (0..top).step_by(STEP as usize).collect();
        exponents.push(top);
        Self { exponents }
    }

    /// Returns the parameter t.
    #[must_use]
    pub fn parameter(&self) -> f64 {
        let squares: f64 = self.exponents.iter().map(|&e| f64::from(2 * e).exp2()).sum();
        narrow_parameter() * squares.sqrt()
    }

    /// Returns the variance, `t²/2π`.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.parameter().powi(2) / (2.0 * PI)
    }

    /// Draws words. Returns `None` unless all of them fit, as they do for parameters up to 2^52.
    ///
    /// The time that this takes depends on the numbers drawn.
    #[must_use]
    pub fn words(&self, stream: &mut RandomStream, count: usize) -> Option<Zeroizing<Vec<i64>>> {
        let mut words = Zeroizing::new(vec![0; count]);
        let fit = self.exponents.len() <= NUMBERS_OF_PIECE;
        fit.then(|| {
            self.exponents.iter().for_each(|&e| add_narrow(stream, &mut words, e));
            words
        })
    }

    /// Draws the coefficients of a polynomial, from a secret seed.
    ///
    /// The time that this takes depends on the numbers drawn.
    #[must_use]
    pub fn sample(
        &self,
        ring: &Ring,
        basis: Basis,
        seed: &[u8; Seed::BYTES],
    ) -> Poly<Coefficients> {
        let mut sum = Poly::<Coefficients>::zero(ring, basis);
        for (index, piece) in self.exponents.chunks(NUMBERS_OF_PIECE).enumerate() {
            let mut stream = RandomStream::new(seed, StreamPurpose::Flooding, index as u64);
            let piece_of_word = Self { exponents: piece.iter().map(|e| e - piece[0]).collect() };
            let words = piece_of_word.words(&mut stream, ring.degree()).expect("a piece fits");
            let mut term = Poly::from_signed(ring, basis, &words);
            term.mul_integer_assign(ring, 1 << piece[0]);
            sum.add_assign(ring, &term);
        }
        sum
    }
}

/// The parameter of the narrow distribution: `√(π/-ln(1 - 2^-14))`.
fn narrow_parameter() -> f64 {
    (PI / -(-(-f64::from(LOG2_DECAY)).exp2()).ln_1p()).sqrt()
}

/// Returns the cumulative sums of the weights of 0, ±1, … for every absolute value.
fn cumulative_weights() -> &'static [u128] {
    static SUMS: OnceLock<Vec<u128>> = OnceLock::new();
    SUMS.get_or_init(|| {
        let (mut weight, mut sum, mut sums) = (1u128 << LOG2_FIRST, 0, Vec::new());
        while weight >= 1 << LOG2_LEAST {
            let size = sums.len();
            sum += if size == 0 { weight } else { 2 * weight };
            sums.push(sum);
            // Multiplies once for every integer between the square of a size and the next square.
            (0..=2 * size).for_each(|_| weight -= weight >> LOG2_DECAY);
        }
        sums
    })
}

/// Adds `2^exponent` times a number from the narrow distribution to every word.
fn add_narrow(stream: &mut RandomStream, words: &mut [i64], exponent: u32) {
    let sums = cumulative_weights();
    let total = sums[sums.len() - 1];
    for word in words {
        let (sign, size) = loop {
            let (high, low) = (stream.generator.next_u64(), stream.generator.next_u64());
            let draw = u128::from(high >> 1) << 64 | u128::from(low);
            if draw < total {
                break (high & 1, sums.partition_point(|&sum| sum <= draw) as i64);
            }
        };
        let signed = if sign == 0 { size } else { -size };
        *word += signed << exponent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the table with sums of floating-point weights, and checks that the weights beyond it are negligible.
    #[test]
    fn weights_are_those_of_a_gaussian() {
        let sums = cumulative_weights();
        let first = f64::from(LOG2_FIRST).exp2();
        let mut expected = 0.0;
        for (size, &sum) in sums.iter().enumerate() {
            let square = (size * size) as f64;
            let weight = (-PI * square / narrow_parameter().powi(2)).exp();
            expected += if size == 0 { weight } else { 2.0 * weight };
            assert!((sum as f64 / first / expected - 1.0).abs() < 1e-12, "{size}");
        }
        assert!((expected / narrow_parameter() - 1.0).abs() < 1e-12);
        assert!(sums[sums.len() - 1] < 1 << 127 && sums[sums.len() - 1] > 1 << 126);
        let largest = (sums.len() - 1) as i64;
        assert!(largest << (STEP * (NUMBERS_OF_PIECE as u32 - 1)) < 1 << 57);
    }

    /// Checks mean, variance and kurtosis of narrow and wide numbers, the exact counts of the smallest ones, and low
    /// bits.
    #[test]
    fn samples_have_the_moments_of_a_gaussian_and_uniform_low_bits() {
        let primes = crate::primes::ntt_primes(4096, 49.0, 2, &[]);
        let ring = Ring::new(4096, &primes, &[]);
        let basis = ring.main_basis(2);
        for top in [0, 3, 40, 61] {
            let wide = WideGaussian::of_top(top);
            let values: Vec<i128> = (0..24)
                .flat_map(|seed| {
                    let poly = wide.sample(&ring, basis, &[seed; 32]);
                    centred(&ring, poly.limb(0), poly.limb(1))
                })
                .collect();
            let mut stream = RandomStream::new(&[0; 32], StreamPurpose::Flooding, 0);
            match wide.words(&mut stream, 4096) {
                Some(words) => {
                    assert!(words.iter().zip(&values).all(|(&x, &y)| i128::from(x) == y))
                }
                None => assert!(top > 45),
            }
            let (count, scale) = (values.len() as f64, wide.variance().sqrt());
            let moment =
                |k: i32| values.iter().map(|&x| (x as f64 / scale).powi(k)).sum::<f64>() / count;
            assert!(moment(1).abs() < 5.0 / count.sqrt(), "{top}: {}", moment(1));
            assert!((moment(2) - 1.0).abs() < 5.0 * (2.0 / count).sqrt(), "{top}: {}", moment(2));
            assert!((moment(4) - 3.0).abs() < 5.0 * (96.0 / count).sqrt(), "{top}: {}", moment(4));
            let mut counts = [0u32; 16];
            values.iter().for_each(|x| counts[(x & 15) as usize] += 1);
            let expected = count / 16.0;
            let is_near = |&n: &u32| (f64::from(n) - expected).abs() < 5.0 * expected.sqrt();
            assert!(counts.iter().all(is_near), "{top}: {counts:?}");
        }
    }

    /// Returns the integers with these two residues.
    fn centred(ring: &Ring, low: &[u64], high: &[u64]) -> Vec<i128> {
        let [p, q] = [0, 1].map(|i| i128::from(ring.modulus(i).value()));
        let m = ring.modulus(1);
        let inverse = m.inv(m.reduce(p as u64));
        let words = low.iter().zip(high).map(|(&x, &y)| {
            let digit = m.mul(m.sub(y, m.reduce(x)), inverse);
            let value = i128::from(x) + p * i128::from(digit);
            if value > p * q / 2 { value - p * q } else { value }
        });
        words.collect()
    }

    #[test]
    fn the_narrowest_that_serves_is_found() {
        for wanted in [1.0, 1e3, 1e12, 1e33] {
            let wide = WideGaussian::at_least(wanted).unwrap();
            let top = wide.exponents[wide.exponents.len() - 1];
            assert!(wide.parameter() >= wanted);
            assert!(top == 0 || WideGaussian::of_top(top - 1).parameter() < wanted);
            let steps = wide.exponents.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(
                wide.exponents[0] == 0 && steps.into_iter().all(|step| (1..=STEP).contains(&step))
            );
        }
    }
}
