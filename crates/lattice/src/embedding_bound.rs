//! A bound on the slots of a ring secret, which multiply every rounding error of a ciphertext.
//!
//! For a uniform ternary secret s of degree N, `X_j = |s(ζ_j)|²/(2N/3)` is exponentially distributed over the N/2 slots
//! and over secrets. The largest X_j determines how far out noise of slots lies ([`crate::noise_law`]), for as long as
//! the secret is in use. Secrets are therefore drawn until no X_j is above `B = ln(N/2) - 0.4`.
//!
//! A secret passes with a probability of `(1 - e^{-B})^{N/2}`, about `e^{-e^{0.4}} = 0.225`: 4.4 secrets are drawn on
//! average. The secret is then a uniform ternary secret conditioned on passing, so that an adversary's probability of
//! success grows by a factor of at most 1/0.225, 2.15 bits, over that with an unconditioned secret.

use std::f64::consts::PI;

/// The least degree for which secrets are bounded. Lower degrees are those of tests, and of blocks whose slots nothing
/// reads.
const LEAST_DEGREE: usize = 1024;

/// The difference between the size that one slot exceeds on average, and the limit.
const BELOW_EXPECTED: f64 = 0.4;

/// Returns the limit B of `|s(ζ_j)|²/(2N/3)` that key generation enforces for a uniform ternary secret of this degree.
/// It is infinite below degree 1,024.
///
/// ```
/// use cryptable_lattice::embedding_bound::embedding_limit;
/// assert!((embedding_limit(65_536) - 9.997).abs() < 1e-3);
/// assert_eq!(embedding_limit(512), f64::INFINITY);
/// ```
#[must_use]
pub fn embedding_limit(degree: usize) -> f64 {
    if degree < LEAST_DEGREE { f64::INFINITY } else { (degree as f64 / 2.0).ln() - BELOW_EXPECTED }
}

/// Returns the limit of `s(ζ_j)²` divided by its mean that key generation enforces for a uniform ternary secret of the
/// real ring, whose N slots are real. It is infinite below degree 1,024.
///
/// A slot exceeds B times its mean with the probability `erfc(√(B/2))`, at most `√(2/(πB))·e^(-B/2)`. The limit is the
/// B for which N times this is 1, so that a secret passes with a probability of about e^-1 or more, where other secrets
/// pass with 0.225.
///
/// ```
/// use cryptable_lattice::embedding_bound::real_embedding_limit;
/// assert!((real_embedding_limit(65_536) - 18.8).abs() < 0.01);
/// ```
#[must_use]
pub fn real_embedding_limit(degree: usize) -> f64 {
    if degree < LEAST_DEGREE {
        return f64::INFINITY;
    }
    // B = 2·ln N - ln(πB/2): the iteration contracts.
    let next = |limit: f64| 2.0 * (degree as f64).ln() - (PI * limit / 2.0).ln();
    (0..30).fold(20.0, |limit, _| next(limit))
}

#[cfg(feature = "client")]
mod client {
    use cryptable_ring::random::RandomStream;
    use cryptable_ring::{Embedding, SecretSlots};
    use num_complex::Complex64;
    use zeroize::Zeroizing;

    use super::{embedding_limit, real_embedding_limit};

    /// Draws uniform ternary coefficients until they satisfy [`embedding_limit`]. The number of draws reveals nothing
    /// about the final ones.
    pub(crate) fn bounded_uniform_ternary(
        degree: usize,
        stream: &mut RandomStream,
    ) -> Zeroizing<Vec<i8>> {
        let embedding = Embedding::new(degree / 2);
        bounded(degree, embedding_limit(degree), stream, |it| largest_slot(&embedding, it))
    }

    /// Draws uniform ternary coefficients of the real ring until they satisfy [`real_embedding_limit`].
    pub(crate) fn bounded_real_ternary(
        degree: usize,
        stream: &mut RandomStream,
    ) -> Zeroizing<Vec<i8>> {
        let embedding = Embedding::new(degree);
        bounded(degree, real_embedding_limit(degree), stream, |it| {
            largest_real_slot(&embedding, it)
        })
    }

    fn bounded(
        degree: usize,
        limit: f64,
        stream: &mut RandomStream,
        largest: impl Fn(&[i8]) -> f64,
    ) -> Zeroizing<Vec<i8>> {
        loop {
            let coefficients = stream.uniform_ternary(degree);
            if limit.is_infinite() || largest(&coefficients) <= limit {
                return coefficients;
            }
        }
    }

    /// Returns the largest `s(ζ_j)²/(4N/3)` of a secret of the real ring, whose slots are those of the ring of degree
    /// 2N.
    pub(crate) fn largest_real_slot(embedding: &Embedding, coefficients: &[i8]) -> f64 {
        let degree = coefficients.len();
        let mut lifted = Zeroizing::new(vec![0i8; 2 * degree]);
        lifted[..degree].copy_from_slice(coefficients);
        (1..degree).for_each(|k| lifted[2 * degree - k] = -coefficients[k]);
        // The divisor is 4N/3, the mean in a ring of degree 2N; here every coefficient counts twice.
        largest_slot(embedding, &lifted)
    }

    /// Returns the largest `|s(ζ_j)|²/(2N/3)` of a secret.
    pub(crate) fn largest_slot(embedding: &Embedding, coefficients: &[i8]) -> f64 {
        let slots = slots(embedding, coefficients);
        let largest = slots.iter().map(|slot| slot.norm_sqr()).fold(0.0, f64::max);
        largest * 1.5 / coefficients.len() as f64
    }

    /// Returns the slots `s(ζ_j)` of a secret.
    pub(crate) fn slots(embedding: &Embedding, coefficients: &[i8]) -> SecretSlots {
        let half = coefficients.len() / 2;
        let mut slots = SecretSlots::from_fn(half, |k| {
            Complex64::new(coefficients[k].into(), coefficients[k + half].into())
        });
        embedding.slots_from_coefficients(&mut slots);
        slots
    }
}

#[cfg(feature = "client")]
pub(crate) use client::{bounded_real_ternary, bounded_uniform_ternary};

#[cfg(all(test, feature = "client"))]
mod tests {
    use std::f64::consts::PI;

    use cryptable_ring::Embedding;
    use cryptable_ring::random::{RandomStream, replay};

    use super::client::{
        bounded_real_ternary, bounded_uniform_ternary, largest_real_slot, largest_slot, slots,
    };
    use super::{embedding_limit, real_embedding_limit};

    /// Checks that a fifth to a quarter of secrets satisfy the limit, and that all secrets from key generation do.
    #[test]
    fn secrets_keep_their_limit_and_one_in_four_or_five_would() {
        let _replay = replay::begin();
        let mut stream = RandomStream::from_os();
        let (degree, samples) = (4096, 2000);
        let embedding = Embedding::new(degree / 2);
        let limit = embedding_limit(degree);
        let passes = |_| largest_slot(&embedding, &stream.uniform_ternary(degree)) <= limit;
        let passed = (0..samples).map(passes).filter(|&it| it).count() as f64;
        let expected = (1.0 - (-limit).exp()).powi(degree as i32 / 2);
        let deviation = (expected * (1.0 - expected) / samples as f64).sqrt();
        let share = passed / samples as f64;
        assert!((share - expected).abs() < 5.0 * deviation, "{share} of {expected}");
        let mut stream = RandomStream::from_os();
        for _ in 0..20 {
            let secret = bounded_uniform_ternary(degree, &mut stream);
            assert!(largest_slot(&embedding, &secret) <= limit);
        }
    }

    /// Checks that slots of the real ring are sums of cosines, that a third to a half of secrets satisfy their limit,
    /// and that all returned ones do.
    #[test]
    fn secrets_of_real_slots_keep_their_limit() {
        let _replay = replay::begin();
        let mut stream = RandomStream::from_os();
        let (degree, samples) = (1024, 400);
        let (embedding, limit) = (Embedding::new(degree), real_embedding_limit(degree));
        let secret = stream.uniform_ternary(degree);
        let slot = |j: usize| {
            let angle =
                |k: usize| PI * ((2 * j + 1) * k % (4 * degree)) as f64 / (2 * degree) as f64;
            let terms = (1..degree).map(|k| 2.0 * f64::from(secret[k]) * angle(k).cos());
            f64::from(secret[0]) + terms.sum::<f64>()
        };
        let largest = (0..degree).map(slot).fold(0.0, |largest: f64, x| largest.max(x * x));
        let expected = largest * 0.75 / degree as f64;
        assert!((largest_real_slot(&embedding, &secret) - expected).abs() < 1e-9);
        let passes = |_| largest_real_slot(&embedding, &stream.uniform_ternary(degree)) <= limit;
        let share = (0..samples).map(passes).filter(|&it| it).count() as f64 / samples as f64;
        assert!((0.28..0.52).contains(&share), "{share}");
        for _ in 0..5 {
            let secret = bounded_real_ternary(degree, &mut stream);
            assert!(largest_real_slot(&embedding, &secret) <= limit);
        }
    }

    /// Checks that squares of slots are exponentially distributed, by counts above several sizes.
    #[test]
    fn slots_of_secrets_are_exponentially_distributed() {
        let _replay = replay::begin();
        let mut stream = RandomStream::from_os();
        let (degree, secrets) = (4096, 100);
        let embedding = Embedding::new(degree / 2);
        let mut beyond = [0u32; 4];
        for _ in 0..secrets {
            let secret = stream.uniform_ternary(degree);
            for slot in slots(&embedding, &secret).iter() {
                let x = slot.norm_sqr() * 1.5 / degree as f64;
                beyond
                    .iter_mut()
                    .zip([1.0, 3.0, 6.0, 9.0])
                    .for_each(|(n, at)| *n += u32::from(x > at));
            }
        }
        for (count, at) in beyond.into_iter().zip([1.0f64, 3.0, 6.0, 9.0]) {
            let expected = f64::from(secrets) * degree as f64 / 2.0 * (-at).exp();
            let deviation = (f64::from(count) - expected).abs() / expected.sqrt();
            assert!(deviation < 5.0, "{count} beyond {at} instead of {expected}");
        }
    }
}
