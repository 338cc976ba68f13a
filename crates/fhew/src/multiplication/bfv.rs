//! BFV multiplication of values packed into constant coefficients (Sec. 2.3.6, Lemma 2 and Theorem 10 of Ma et al.,
//! TCHES 2024).
//!
//! Phases (Q/P)·m_0 + e_0 and (Q/P)·m_1 + e_1 multiply to (Q/P)·m_0·m_1 + …: the tensor product of the ciphertexts
//! over the integers, times P/Q, rounded, and relinearized. Instead of extending one factor by an auxiliary modulus
//! (Kim, Polyakov, Zucca, ASIACRYPT 2021) the product is taken modulo Q and two more primes, and divided by Q
//! exactly: no rounding but the last.

use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::{Buffer, Modulus, kernels};

use super::relinearization::RelinearizationKey;
use crate::rlwe::RlweCiphertext;
use crate::variance::{RingNumbers, Variance};

/// The three polynomials of a tensor product: b·b', a·b' + a'·b, a·a'.
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

/// Body and mask modulo another prime, from centred representatives.
fn lifted(from: &Modulus, to: &Modulus, ciphertext: &RlweCiphertext) -> [Vec<u64>; 2] {
    let lift = |words: &[u64]| words.iter().map(|&w| to.reduce_i64(from.center(w))).collect();
    [lift(ciphertext.body()), lift(ciphertext.mask())]
}

/// Computes ⌊P·x/Q⌉ modulo Q for integers x known modulo Q and two more primes.
///
/// y = (P·x - [P·x]_Q)/Q is an integer, found modulo the two primes, whose product is more than 2|y|.
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

    /// `residues`: x modulo Q, and modulo the two primes.
    fn scale(&self, residues: [u64; 3]) -> u64 {
        let remainder = self.q.center(self.q.mul(residues[0], self.numerator));
        let quotient = |k: usize| {
            let m = self.primes[k];
            let subtracted = m.mul(m.reduce_i64(remainder), self.inverses[k]);
            m.sub(m.mul(residues[k + 1], self.ratios[k]), subtracted)
        };
        let (first, second) = (quotient(0), quotient(1));
        // y = first + p_0·k with 0 <= k < p_1, or that minus the product of both primes.
        let [p0, p1] = self.primes;
        let k = p1.mul(p1.sub(second, p1.reduce(first)), self.first_inverse);
        let y = i128::from(first) + i128::from(p0.value()) * i128::from(k);
        let all = i128::from(p0.value()) * i128::from(p1.value());
        self.q.reduce_i128(if 2 * y > all { y - all } else { y })
    }
}

/// BFVMult: phases (Q/P)·m and (Q/P)·m' to (Q/P)·m·m', P the plaintext modulus. Adds the noise of [`noise`].
///
/// # Panics
/// Unless 2 <= P <= 2^20.
pub(crate) fn multiply(
    key: &RelinearizationKey,
    ring: &PrimeRing,
    factors: [&RlweCiphertext; 2],
    plaintext_modulus: u64,
) -> RlweCiphertext {
    assert!((2..=1 << 20).contains(&plaintext_modulus), "plaintext modulus {plaintext_modulus}");
    let q = ring.modulus();
    let product = |ring: &PrimeRing| {
        let [left, right] = factors.map(|factor| lifted(q, ring.modulus(), factor));
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
    /// Variance of the constant coefficient, packing included.
    pub constant: Variance,
    /// Mean variance of all coefficients that packing adds.
    pub packing: Variance,
}

/// Variance of the overflow u of a phase over the integers, `b + a·s = phase + u·Q`: `N·E[s²]/12`, and 1/12 of the
/// body. (The paper's σ_ms².)
pub(crate) fn overflow(ring: &RingNumbers) -> f64 {
    (ring.secret_norm() + 1.0) / 12.0
}

/// The constant coefficient of [`multiply`], for a left factor that is 0 or ±1 (Theorem 10 without an auxiliary
/// modulus):
/// `σ_1² + P²/4·σ_0² + P²·σ_0²·σ_1² + P²·σ_u²·(σ_0² + σ_1²)·terms + P²·N·σ_u²·(σ_0'² + σ_1'²) + relinearization`.
///
/// `terms` is 1; by the analysis of CLOT21, in which errors are polynomials of N coefficients, it is N: N times the
/// dominating term (Proposition 1).
pub(crate) fn noise(
    ring: &RingNumbers,
    gadget: Gadget,
    [sign, value]: [PackedNoise; 2],
    plaintext_modulus: u64,
    terms: f64,
) -> Variance {
    let square = (plaintext_modulus as f64).powi(2);
    let overflow = overflow(ring);
    let scalars = value.constant
        + sign.constant * (square / 4.0)
        + sign.constant * (square * value.constant.0)
        + (sign.constant + value.constant) * (square * overflow * terms);
    let polynomials = (sign.packing + value.packing) * (square * ring.degree * overflow);
    scalars + polynomials + relinearization_noise(ring, gadget)
}

/// Relinearization, and the rounding of the product.
fn relinearization_noise(ring: &RingNumbers, gadget: Gadget) -> Variance {
    let square = ring.square_moment();
    let rounding = (1.0 + ring.secret_norm() + ring.degree * square) / 12.0;
    ring.gadget_product(gadget, ring.degree * square) + ring.units(rounding)
}
