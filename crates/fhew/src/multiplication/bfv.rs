//! BFV multiplication of values packed into constant coefficients (Sec. 2.3.6, Lemma 2 and Theorem 10 of Ma et al.,
//! TCHES 2024).
//!
//! Phases (Q/P)·m_0 + e_0 and (Q/P)·m_1 + e_1 multiply to (Q/P)·m_0·m_1 + …: the tensor product of the ciphertexts
//! over the integers is multiplied by P/Q, rounded, and relinearized. Instead of extending one factor by an auxiliary
//! modulus (Kim, Polyakov, Zucca, ASIACRYPT 2021), the product is computed modulo Q and two more primes, and divided by Q
//! exactly, so only the result is rounded.
//!
//! # Noise
//!
//! A ciphertext's phase over the integers is `(Q/P)·M + e`, where u in `M = m + P·u` counts how often the phase passes Q.
//! The noise of a product is `M_0·e_1 + M_1·e_0` (M in units of 1, e in units of the modulus), as constant coefficients of
//! products of polynomials. Later steps add little:
//!
//! - **M** is a sum of N uniform numbers, the mask's coefficients, times the secret's coefficients. Its tail is below that
//!   of a Gaussian of the same variance at any distance. Bodies are lifted by the multiple of Q that is nearest to minus the
//!   phase's mean over secrets. This halves the variance for binary secrets and makes it the same under every key, since a
//!   binary secret has a fixed norm about its mean 1/2. (For ternary secrets the norm varies by 2 % from key to key.) The
//!   randomness of M comes from the masks of two packings, which are those of independent digits.
//! - **e** in the constant coefficient is the noise of a rotation and of the trace: digits times errors of keys, thousands
//!   of terms at least. Errors of keys are fixed, while digits are drawn anew with every lookup. The mean square error of
//!   one key differs from the expected one by a percent or two.
//! - **`M_0·e_1` and `M_1·e_0` of constant coefficients are single products of two Gaussians**: of kurtosis 9, with a
//!   tail like `e^{-t}`, not `e^{-t²/2}`. Nothing in them is fixed by the key: every lookup draws both factors.
//! - The trace leaves noise in other coefficients, twice as much in sum as in the constant one. This noise multiplies
//!   other coefficients of M, which adds more products. None is larger than that of the trace's noise in the constant
//!   coefficient (the largest has 0.36 of its variance for N = 512).
//! - `e_0·e_1` is below 2^-30 of these. Relinearization and rounding are sums of N or more terms, so Gaussian.

use cryptable_lattice::lwe::modulus_switch_variance;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::{Buffer, Modulus, kernels};

use super::relinearization::RelinearizationKey;
use crate::rlwe::RlweCiphertext;
use crate::variance::{RingNumbers, Variance};

/// Returns the three polynomials of a tensor product: b·b', a·b' + a'·b, a·a'.
fn tensor(ring: &PrimeRing, left: &[Vec<u64>; 2], right: &[Vec<u64>; 2]) -> [Vec<u64>; 3] {
    let m = ring.modulus();
    let evaluated = |polynomials: &[Vec<u64>; 2]| {
        polynomials.clone().map(|mut polynomial| {
            ring.forward_assign(&mut polynomial);
            polynomial
        })
    };
    let ([b0, a0], [b1, a1]) = (evaluated(left), evaluated(right));
    let mut out = [b0.clone(), b0, a0.clone()];
    kernels::mul_assign(m, &mut out[0], &b1);
    kernels::mul_assign(m, &mut out[1], &a1);
    kernels::mul_add_assign(m, &mut out[1], &a0, &b1);
    kernels::mul_assign(m, &mut out[2], &a1);
    for polynomial in &mut out {
        ring.inverse_assign(polynomial);
    }
    out
}

/// Lifts body and mask to integers: the mask to those nearest to 0, the body to those nearest to minus the mean of mask
/// times secret.
fn lifted(q: &Modulus, ciphertext: &RlweCiphertext, secret: SecretDistribution) -> [Vec<i64>; 2] {
    let centred = |words: &[u64]| words.iter().map(|&w| q.center(w)).collect::<Vec<i64>>();
    let [mut body, mask] = [centred(ciphertext.body()), centred(ciphertext.mask())];
    if secret == SecretDistribution::Binary {
        // Twice the mean is the mask times 1 + X + … + X^(N-1), whose coefficients are running sums.
        let mut sum = -mask.iter().sum::<i64>();
        let modulus = q.value() as i64;
        for (b, a) in body.iter_mut().zip(&mask) {
            sum += 2 * a;
            let passes = (2 * *b + sum + modulus).div_euclid(2 * modulus);
            *b -= passes.clamp(-MAX_PASSES, MAX_PASSES) * modulus;
        }
    }
    [body, mask]
}

/// Largest multiple of Q by which bodies are moved: 9 deviations of a mean for N = 8,192.
const MAX_PASSES: i64 = 128;

/// Computes ⌊P·x/Q⌉ modulo Q for integers x known modulo Q and two more primes.
///
/// y = (P·x - [P·x]_Q)/Q is an integer, computed modulo the two primes, whose product exceeds 2|y|.
struct Scaler<'a> {
    q: &'a Modulus,
    primes: [&'a Modulus; 2],
    /// P modulo Q, and P/Q modulo the primes.
    numerator: u64,
    ratios: [u64; 2],
    /// 1/Q modulo the primes.
    inverses: [u64; 2],
    /// 1/p_0 modulo p_1.
    first_inverse: u64,
}

impl<'a> Scaler<'a> {
    fn new(q: &'a Modulus, primes: [&'a Modulus; 2], numerator: u64) -> Self {
        let inverses = primes.map(|m| m.inv(m.reduce(q.value())));
        let ratio = |k: usize| primes[k].mul(primes[k].reduce(numerator), inverses[k]);
        Self {
            q,
            primes,
            numerator: q.reduce(numerator),
            ratios: [ratio(0), ratio(1)],
            inverses,
            first_inverse: primes[1].inv(primes[1].reduce(primes[0].value())),
        }
    }

    /// Scales x, given by its residues modulo Q and modulo the two primes.
    fn scale(&self, residues: [u64; 3]) -> u64 {
        let remainder = self.q.center(self.q.mul(residues[0], self.numerator));
        let quotient = |k: usize| {
            let m = self.primes[k];
            let subtracted = m.mul(m.reduce_i64(remainder), self.inverses[k]);
            m.sub(m.mul(residues[k + 1], self.ratios[k]), subtracted)
        };
        let (first, second) = (quotient(0), quotient(1));
        // y = first + p_0·k with 0 <= k < p_1, or this minus the product of both primes.
        let [p0, p1] = self.primes;
        let k = p1.mul(p1.sub(second, p1.reduce(first)), self.first_inverse);
        let y = i128::from(first) + i128::from(p0.value()) * i128::from(k);
        let all = i128::from(p0.value()) * i128::from(p1.value());
        self.q.reduce_i128(if 2 * y > all { y - all } else { y })
    }
}

/// BFVMult: multiplies ciphertexts of phases (Q/P)·m and (Q/P)·m' to one of phase (Q/P)·m·m', with plaintext modulus P,
/// under a ring secret of this distribution. Adds the noise of [`noise`].
///
/// # Panics
/// Unless 2 <= P <= 2^20.
pub(crate) fn multiply(
    key: &RelinearizationKey,
    ring: &PrimeRing,
    factors: [&RlweCiphertext; 2],
    plaintext_modulus: u64,
    secret: SecretDistribution,
) -> RlweCiphertext {
    assert!((2..=1 << 20).contains(&plaintext_modulus), "plaintext modulus {plaintext_modulus}");
    let q = ring.modulus();
    let factors = factors.map(|factor| lifted(q, factor, secret));
    let product = |ring: &PrimeRing| {
        let reduce =
            |words: &Vec<i64>| words.iter().map(|&w| ring.modulus().reduce_i64(w)).collect();
        let [left, right] = factors.each_ref().map(|factor| factor.each_ref().map(reduce));
        tensor(ring, &left, &right)
    };
    let residues = [product(ring), product(&key.auxiliary[0]), product(&key.auxiliary[1])];
    let primes = [key.auxiliary[0].modulus(), key.auxiliary[1].modulus()];
    let scaler = Scaler::new(q, primes, plaintext_modulus);
    let [body, mask, square] = [0, 1, 2].map(|k| {
        let words = (0..ring.degree()).map(|x| residues.each_ref().map(|r| r[k][x]));
        words.map(|residues| scaler.scale(residues)).collect::<Vec<u64>>()
    });
    let mut out = RlweCiphertext::from_words(Buffer::copied(&[body, mask].concat()));
    key.add_square(ring, &mut out, &square);
    out
}

/// Noise of a value packed into the constant coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedNoise {
    /// Variance of the constant coefficient, including packing.
    pub constant: Variance,
    /// Noise that packing adds to the constant coefficient.
    pub packing: Variance,
    /// Sum of the noise that packing adds to all coefficients but the constant one.
    pub others: Variance,
}

/// Returns the variance of M/P, the number of times that a phase over the integers passes Q: `N·Var(s)/12`, plus 1/12 for
/// the body. (The paper's σ_ms² has `N·E[s²]`.)
pub(crate) fn overflow(degree: usize, secret: SecretDistribution) -> f64 {
    modulus_switch_variance(degree, secret)
}

/// Predicts the noise of the constant coefficient of [`multiply`] (Theorem 10 without an auxiliary modulus):
/// `P²·σ_M²·(σ_0² + σ_1²)·terms` for two products, and `P²·σ_M²·(Σ' + Σ')` for further ones, Σ' over the noise that packing
/// leaves in other coefficients; `relinearization` is Gaussian.
///
/// `terms` is 1. By the analysis of CLOT21, in which errors are polynomials of N coefficients, it is N: N times the
/// dominating term (Proposition 1), as N products.
pub(crate) fn noise(
    ring: &RingNumbers,
    gadget: Gadget,
    factors: [PackedNoise; 2],
    plaintext_modulus: u64,
    terms: f64,
) -> NoiseLaw {
    let square = (plaintext_modulus as f64).powi(2) * overflow(ring.degree as usize, ring.secret);
    let total = factors.map(|factor| factor.constant * terms + factor.others);
    let largest = factors.map(|factor| factor.constant.0.max(factor.packing.0));
    NoiseLaw::products(square * (total[0] + total[1]).0, square * largest[0].max(largest[1]))
        .with_independent(relinearization_noise(ring, gadget).law())
}

/// Returns the noise of relinearization and of rounding the product.
fn relinearization_noise(ring: &RingNumbers, gadget: Gadget) -> Variance {
    let square = ring.square_moment();
    let rounding = (1.0 + ring.secret_norm() + ring.degree * square) / 12.0;
    ring.gadget_product(gadget, ring.degree * square) + ring.units(rounding)
}
