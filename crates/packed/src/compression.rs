//! Compression of results: as few bits as decryption needs.

use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::{CompressedCiphertext, KeptBits};
use cryptable_lattice::error::Result;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

impl EvaluationKey {
    /// Compresses a result for its way to the client, who decrypts it as before. Nothing else can be done with it.
    ///
    /// Words are rounded to as few bits as keep the stated failure probability, and words without values are dropped: a
    /// full ciphertext of results of 8 bits takes half its bytes, one of 1,000 values a third.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let x = key.mul_scalar(&secret.encrypt(&[1, 9])?, 3)?;
    /// let compressed = key.compress(&x)?;
    /// assert!(compressed.to_bytes().len() < x.to_bytes().len());
    /// assert_eq!(secret.decrypt(&compressed)?, [3, 11]);
    /// assert!(key.add(&compressed, &compressed).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext is of another client or other parameters, or compressed already.
    pub fn compress(&self, result: &Ciphertext) -> Result<Ciphertext> {
        result.check(self.parameters(), self.binding(), None)?;
        let (bits, noise) = self.parameters().compression(result);
        let body = CompressedCiphertext::new(result.body(), bits);
        Ok(Ciphertext::compressed(*self.binding(), noise, body))
    }
}

impl Parameters {
    /// Returns the bits of words that make a result smallest, and its noise with them.
    fn compression(&self, result: &Ciphertext) -> (KeptBits, NoiseBound) {
        let most = self.literal().log2_ciphertext_modulus;
        let bytes = |bits: &KeptBits| {
            let degree = self.literal().ring_degree;
            degree * bits.a as usize + result.count() * bits.b as usize
        };
        let all = (1..=most).flat_map(|a| (1..=a).map(move |b| KeptBits { a, b }));
        let with_noise = all.map(|bits| (bits, self.compressed_noise(result.noise(), bits)));
        let kept = with_noise
            .filter(|(_, noise)| noise.log2_fail(result.modulus()) <= self.stated_log2_fail());
        let unchanged = (KeptBits { a: most, b: most }, result.noise());
        kept.min_by_key(|(bits, _)| bytes(bits)).unwrap_or(unchanged)
    }

    /// Noise of a result whose words are rounded to these bits: of a by the secret, Gaussian since it is a sum of N uniform
    /// terms; of b at most half a unit, whatever the value.
    fn compressed_noise(&self, noise: NoiseBound, bits: KeptBits) -> NoiseBound {
        let literal = self.literal();
        let most = literal.log2_ciphertext_modulus;
        let unit = |bits: u32| if bits < most { (-f64::from(bits)).exp2() } else { 0.0 };
        let of_secret = literal.ring_degree as f64 * literal.owners.secret_variance();
        let law = NoiseLaw::gaussian(of_secret / 12.0 * unit(bits.a).powi(2));
        noise.with_independent(NoiseBound::of_law(law, unit(bits.b) / 2.0))
    }
}
