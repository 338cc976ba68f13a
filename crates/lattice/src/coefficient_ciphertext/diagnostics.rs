//! Phases and errors of ciphertexts, for measuring noise: behind the feature `diagnostics`, which no product has.
//!
//! They depend on the noise, and hence on the secret key (Li, Micciancio, EUROCRYPT 2021): anyone who obtains enough of
//! them recovers the key.

use super::CoefficientCiphertext;
use crate::secret::TernarySecret;

impl CoefficientCiphertext {
    /// Returns the phases without rounding, as fractions of the ciphertext modulus within [-1/2, 1/2).
    ///
    /// # Panics
    /// If the secret has another degree.
    #[must_use]
    pub fn fractions(&self, secret: &TernarySecret) -> Vec<f64> {
        self.noisy_fractions(secret).to_vec()
    }

    /// Adds the same fraction of the modulus to the phases of all values: an error of known size.
    pub fn shift_assign(&mut self, fraction: f64) {
        let mask = (1u64 << self.log2_modulus) - 1;
        let word = (fraction * f64::from(self.log2_modulus).exp2()).round() as i64 as u64;
        let (gap, count) = (self.layout.gap(), self.layout.count);
        for value in self.b.iter_mut().step_by(gap).take(count) {
            *value = value.wrapping_add(word) & mask;
        }
    }

    /// Returns the signed distances of the phases from those of `expected`, in units of half a step, `2^k/(2p)`: beyond
    /// ±1 a value decrypts to a wrong result.
    ///
    /// # Panics
    /// If the secret has another degree.
    #[must_use]
    pub fn errors(&self, secret: &TernarySecret, expected: &[u64]) -> Vec<f64> {
        let half_step = f64::from(self.log2_modulus).exp2() / (2.0 * self.plaintext_modulus as f64);
        let encoding = self.encoding();
        self.phases(secret)
            .iter()
            .zip(expected)
            .map(|(&x, &value)| self.signed(x.wrapping_sub(encoding.encode(value))) / half_step)
            .collect()
    }
}
