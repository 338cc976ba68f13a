//! Decryption of results of real tables: rounded, so that no noise remains in them, and flooded on request.
//!
//! A real table has values in steps of 1/P, where P is the output modulus. A phase that is nearer to the true value
//! than half a step rounds to it exactly. The decrypted number is then a function of the values alone, and the noise,
//! which depends on the secret key, does not show (Li, Micciancio, EUROCRYPT 2021). It shows only in failures, whose
//! probability the parameters bound.
//!
//! If that bound is not enough, or if ciphertexts are not trusted to keep to it, flooding hides noise in other noise
//! (Li, Micciancio, Schultz, Sorrell, CRYPTO 2022).
//!
//! Phases are converted to integers, and integers to real numbers, by products, sums and masks, in a time that does not
//! depend on them. Flooding is the exception: the time for drawing its noise depends on that noise.

use super::CoefficientCiphertext;
use crate::error::{Result, demand};
use crate::plaintext_encoding::{PlaintextEncoding, below};
use crate::secret::TernarySecret;
use cryptable_ring::public_divisor::PublicDivisor;
use cryptable_ring::random::RandomStream;
use cryptable_ring::rounding::{FractionOf, nearest_integer};

/// The largest standard deviation of flooding, as a fraction of the range of values: beyond it hardly anything of the
/// values remains.
const MAX_DEVIATION: f64 = 0.125;

/// Gaussian noise that hides a ciphertext's own.
///
/// The noise is added to decrypted numbers before they are shown. For q queries about n values each, whose own errors
/// are at most t, noise of standard deviation `σ = 8·√(q·n)·2^(κ/2)·t` leaves at least κ bits of security against an
/// attacker who sees the results (Li, Micciancio, Schultz, Sorrell, CRYPTO 2022: the Gaussian mechanism with
/// `t²·n/(2σ²) ≤ 2^(-κ-7)/q`).
///
/// ```
/// use cryptable_lattice::coefficient_ciphertext::Flooding;
/// // Of one value in steps of 2^-24, with κ = 20: 11 bits are left above the standard deviation.
/// let deviation = Flooding::new(20, 1).deviation(0.5f64.powi(25), 1);
/// assert_eq!(deviation, 2f64.powi(-12));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flooding {
    security_bits: u32,
    queries: u64,
}

impl Flooding {
    /// Sets κ = `security_bits`, for up to `queries` decryptions under one key whose results others see.
    #[must_use]
    pub const fn new(security_bits: u32, queries: u64) -> Self {
        Self { security_bits, queries }
    }

    /// Returns the standard deviation for `count` values per decryption whose errors are at most `bound`, in units of
    /// that bound.
    #[must_use]
    pub fn deviation(&self, bound: f64, count: usize) -> f64 {
        let draws = self.queries as f64 * count as f64;
        8.0 * draws.sqrt() * (f64::from(self.security_bits) / 2.0).exp2() * bound
    }
}

/// The way to decrypt results of a real table.
///
/// ```
/// use cryptable_lattice::coefficient_ciphertext::{Flooding, RealDecryption};
/// let to_the_table = RealDecryption::default();
/// let coarse = RealDecryption::default().precision(8);
/// let flooded = coarse.flooding(Flooding::new(16, 1));
/// assert!(to_the_table != coarse && coarse != flooded);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RealDecryption {
    precision: Option<u32>,
    flooding: Option<Flooding>,
}

impl RealDecryption {
    /// Rounds results to multiples of 2^-`bits`. By default, results are multiples of 1/P, the steps of the table.
    #[must_use]
    pub const fn precision(mut self, bits: u32) -> Self {
        self.precision = Some(bits);
        self
    }

    /// Adds noise before rounding. By default there is no noise, and results are exact.
    #[must_use]
    pub const fn flooding(mut self, flooding: Flooding) -> Self {
        self.flooding = Some(flooding);
        self
    }

    /// Returns the number of steps of the range that results are rounded to, for a table of `modulus` steps.
    fn steps(self, modulus: u64) -> Result<u64> {
        let Some(bits) = self.precision else { return Ok(modulus) };
        let most = modulus.ilog2();
        let limit = format!("it must be from 1 to {most}: the table has {modulus} steps");
        demand((1..=most).contains(&bits), "bits of precision", bits.into(), &limit)?;
        Ok(1 << bits)
    }
}

impl CoefficientCiphertext {
    /// Returns the values as fractions within [-1/2, 1/2). Without flooding they are first rounded to the exact
    /// multiples of 1/p that [`CoefficientCiphertext::decrypt`] returns, then to the requested precision: they contain
    /// nothing but the values. With flooding, noise is added to unrounded phases. Errors are assumed to be at most half
    /// a step, 1/(2p), which holds wherever results are right.
    ///
    /// # Errors
    /// If the precision is finer than the steps of the table, or if flooding would leave nothing of the values.
    ///
    /// # Panics
    /// If the secret has another degree.
    pub fn decrypt_reals(
        &self,
        secret: &TernarySecret,
        options: RealDecryption,
    ) -> Result<Vec<f64>> {
        let modulus = self.plaintext_modulus;
        let steps = options.steps(modulus)?;
        let fractions = FractionOf::new(steps);
        let Some(flooding) = options.flooding else {
            let (encoding, coarser) = (self.encoding(), PlaintextEncoding::new(steps, modulus));
            let value = |&phase: &u64| {
                // The absolute value is rounded: ties go away from zero.
                let exact = centred(encoding.decode(phase), modulus);
                let sign = exact >> 63;
                let size = coarser.decode(((exact ^ sign) - sign) as u64) as i64;
                let residue = ((size ^ sign) - sign) + (steps as i64 & sign);
                fractions.of(centred(below(residue as u64, steps), steps))
            };
            return Ok(self.phases(secret).iter().map(value).collect());
        };
        let deviation = flooding.deviation(0.5 / modulus as f64, self.layout.count);
        let limit = format!(
            "it must be at most {MAX_DEVIATION} of the range: fewer bits, fewer queries, fewer values per ciphertext or a \
             table of finer steps"
        );
        demand(deviation <= MAX_DEVIATION, "standard deviation of flooding", deviation, &limit)?;
        let phases = self.noisy_fractions(secret);
        let noise = RandomStream::from_os().gaussian(phases.len(), deviation);
        let divisor = PublicDivisor::new(steps);
        let value = |(x, e): (&f64, &f64)| {
            // Drawn noise is never beyond 14 deviations, so the sum is positive.
            let rounded = nearest_integer((x + e) * steps as f64) + 16 * steps as i64;
            fractions.of(centred(divisor.divide(rounded as u128).1, steps))
        };
        Ok(phases.iter().zip(noise.iter()).map(value).collect())
    }
}

/// Returns the representative of a residue that has the least absolute value; that of half of the modulus is negative.
fn centred(residue: u64, modulus: u64) -> i64 {
    let (residue, modulus) = (residue as i64, modulus as i64);
    // All bits are set for residues from half of the modulus on: both numbers are below 2^62.
    let is_upper = (modulus - 1 - 2 * residue) >> 63;
    residue - (modulus & is_upper)
}

#[cfg(test)]
mod tests {
    use cryptable_ring::random::replay;

    use super::*;

    fn encrypted(modulus: u64, values: &[u64]) -> (TernarySecret, CoefficientCiphertext) {
        let secret = TernarySecret::uniform(256);
        let ciphertext = CoefficientCiphertext::encrypt(&secret, values, 256, modulus, 44);
        (secret, ciphertext)
    }

    #[test]
    fn results_are_multiples_of_the_step() {
        let values = [0, 1, 499, 500, 501, 999];
        let (secret, ciphertext) = encrypted(1000, &values);
        let found = ciphertext.decrypt_reals(&secret, RealDecryption::default()).unwrap();
        assert_eq!(found, [0.0, 0.001, 0.499, -0.5, -0.499, -0.001]);
        // Unrounded phases are not exact: the tested ciphertext has noise.
        assert!(ciphertext.noisy_fractions(&secret).iter().zip(&found).any(|(x, y)| x != y));
        let coarse = RealDecryption::default().precision(2);
        let found = ciphertext.decrypt_reals(&secret, coarse).unwrap();
        assert_eq!(found, [0.0, 0.0, -0.5, -0.5, -0.5, 0.0]);
    }

    #[test]
    fn every_value_is_what_a_division_gives() {
        let centred = |x: f64| x - (x + 0.5).floor();
        for modulus in [2, 3, 10, 255, 256, 1000, 4093, (1 << 24) - 3, 1 << 24] {
            let step = (modulus / 256).max(1) as usize;
            let values: Vec<u64> = (0..modulus).rev().step_by(step).take(256).collect();
            let (secret, ciphertext) = encrypted(modulus, &values);
            let all = (1..=modulus.ilog2()).map(Some).chain([None]);
            for precision in all {
                let options = RealDecryption { precision, flooding: None };
                let steps = precision.map_or(modulus as f64, |bits| f64::from(bits).exp2());
                let expected = |&value: &u64| {
                    let exact = centred(value as f64 / modulus as f64);
                    centred((exact * steps).round() / steps)
                };
                let expected: Vec<f64> = values.iter().map(expected).collect();
                assert_eq!(ciphertext.decrypt_reals(&secret, options).unwrap(), expected);
            }
        }
    }

    #[test]
    fn precision_is_at_most_the_table_s() {
        let (secret, ciphertext) = encrypted(1000, &[3]);
        for bits in [0, 10, u32::MAX] {
            let options = RealDecryption::default().precision(bits);
            let error = ciphertext.decrypt_reals(&secret, options).unwrap_err().to_string();
            assert!(error.contains("bits of precision") && error.contains("1000 steps"), "{error}");
        }
    }

    #[test]
    fn flooding_has_the_deviation_that_it_states() {
        let _replay = replay::begin();
        let modulus = 1 << 24;
        let values = vec![modulus / 8; 256];
        let (secret, ciphertext) = encrypted(modulus, &values);
        let flooding = Flooding::new(16, 2);
        let deviation = flooding.deviation(0.5 / modulus as f64, 256);
        let options = RealDecryption::default().flooding(flooding);
        let found = ciphertext.decrypt_reals(&secret, options).unwrap();
        let variance = found.iter().map(|x| (x - 0.125).powi(2)).sum::<f64>() / 256.0;
        // The estimate of a variance from 256 samples has a relative deviation of 0.09.
        let ratio = variance / (deviation * deviation);
        assert!((0.55..1.6).contains(&ratio), "{ratio}");
        let too_much = RealDecryption::default().flooding(Flooding::new(128, 1));
        let error = ciphertext.decrypt_reals(&secret, too_much).unwrap_err().to_string();
        assert!(error.contains("standard deviation of flooding"), "{error}");
    }
}
