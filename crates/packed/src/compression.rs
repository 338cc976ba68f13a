//! Compression of results: short masks, and the fewest bits that decryption needs.
//!
//! A key switch ([`ResultKey`]) replaces the mask of a result by one of 4,096 or 8,192 words, under a second secret of
//! the client. A compressed result consists of the words of b, 9 bits for a value of 8 bits, and these few words of a:
//! 65,536 results of 8 bits take some 83 kB. If the evaluation key has no key for this switch (as with several owners,
//! or in keys of earlier versions), words are only rounded.

use cryptable_ckks::bootstrapping::mod_raise::switch_to_bottom;
use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::{
    CoefficientCiphertext, CompressedCiphertext, KeptBits,
};
use cryptable_lattice::error::Result;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::result_key::{ResultKey, ResultKeyShape, rounding_variance};
use cryptable_wire::bit_packing::packed_bytes;
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, KeyId};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::parameter_set::Parameters;

/// Bytes of the numbers before the words of a compressed result, and of one with a short mask.
const NUMBERS: usize = 40;
const SHORT_NUMBERS: usize = NUMBERS + 8;

impl EvaluationKey {
    /// Compresses a result for transport to the client, who decrypts it as usual. A compressed result can only be
    /// decrypted.
    ///
    /// Results get short masks, words are rounded to the fewest bits that keep the stated failure probability, and
    /// words without values are dropped: a full ciphertext of results of 8 bits shrinks to a fifth of its bytes, one of
    /// 1,000 values to a fortieth.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let x = key.mul_scalar(&secret.encrypt(&[1, 9])?, 3)?;
    /// let compressed = key.compress(&x)?;
    /// assert_eq!(compressed.to_bytes().len(), secret.parameters().compressed_bytes(2));
    /// assert_eq!(secret.decrypt(&compressed)?, [3, 11]);
    /// assert!(key.add(&compressed, &compressed).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client, has other parameters, or is already compressed.
    pub fn compress(&self, result: &Ciphertext) -> Result<Ciphertext> {
        result.check(self.parameters(), self.binding(), None)?;
        let (key, count) = (self.result_key(), result.count());
        let words = key.map(ResultKey::mask_words);
        let Compression { mask_words, bits, noise } =
            self.parameters().compression(result.noise(), result.modulus(), count, words);
        let body = match key.filter(|key| key.mask_words() == mask_words) {
            Some(key) => CompressedCiphertext::new(&switched(key, result.body()), bits, mask_words),
            None => CompressedCiphertext::new(result.body(), bits, mask_words),
        };
        Ok(Ciphertext::compressed(*self.binding(), noise, body))
    }
}

/// The form of a compressed result: words of its mask, bits per word, and its noise.
struct Compression {
    mask_words: usize,
    bits: KeptBits,
    noise: NoiseBound,
}

/// Switches a ciphertext to a short mask, between two changes of the modulus.
fn switched(key: &ResultKey, body: &CoefficientCiphertext) -> CoefficientCiphertext {
    let CoefficientCiphertext { log2_modulus, plaintext_modulus, layout, .. } = *body;
    let ring = key.ring();
    let short = key.switch(switch_to_bottom(ring, body));
    let shape = CoefficientShape { log2_modulus, plaintext_modulus, layout };
    switch_to_power_of_two(ring, short, shape)
}

impl Parameters {
    /// Returns the shape of the key that switches results to short masks, if there is one.
    pub(crate) fn result_key_shape(&self) -> Option<ResultKeyShape> {
        let moduli = self.bottom_moduli();
        self.mask_words().map(|mask_words| ResultKeyShape { moduli, mask_words })
    }

    /// Returns the noise that a short mask adds: the rounding modulo q_0 by the client's secret, the switch, and the
    /// rounding of the result by the second secret. Given the keys, all are sums of bounded symmetric terms, so that a
    /// Gaussian bounds them.
    fn short_mask_noise(&self) -> Option<NoiseBound> {
        let shape = self.result_key_shape()?;
        let primes = self.bottom_primes();
        let unit = (-f64::from(self.literal().log2_ciphertext_modulus)).exp2();
        let to_bottom = self.literal().owners.rounding_variance(self.ring_degree());
        let variance = to_bottom / (primes[0] * primes[0])
            + shape.noise_variance(primes)
            + rounding_variance(shape.mask_words) * unit * unit;
        Some(NoiseBound::of_law(NoiseLaw::gaussian(variance), 0.0))
    }

    /// Returns the size in bytes of a file with the compressed result of a lookup of `count` fresh values.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Request};
    /// let parameters = Parameters::choose(&Request::new(256, 256))?;
    /// assert!(parameters.compressed_bytes(65_536) < 90_000 && parameters.compressed_bytes(1_000) < 12_000);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    #[must_use]
    pub fn compressed_bytes(&self, count: usize) -> usize {
        let noise = self.result_noise(self.fresh_noise(self.input_modulus()));
        let found = self.compression(noise, self.output_modulus(), count, self.mask_words());
        let Compression { mask_words, bits, .. } = found;
        let numbers = if mask_words < self.ring_degree() { SHORT_NUMBERS } else { NUMBERS };
        let around = HEADER_BYTES + CHECKSUM_BYTES + KeyId::BYTES + NoiseBound::BYTES as usize;
        around + numbers + packed_bytes(count, bits.b) + packed_bytes(mask_words, bits.a)
    }

    /// Chooses the compression that makes a result with this noise smallest. The mask has `short` words if there is a
    /// key for short masks.
    fn compression(
        &self,
        noise: NoiseBound,
        modulus: u64,
        count: usize,
        short: Option<usize>,
    ) -> Compression {
        let most = self.literal().log2_ciphertext_modulus;
        let limit = self.stated_log2_fail();
        let smallest = |noise: NoiseBound, mask_words: usize| {
            let size = |bits: &KeptBits| mask_words * bits.a as usize + count * bits.b as usize;
            let all = (1..=most).flat_map(|a| (1..=a).map(move |b| KeptBits { a, b }));
            let with_noise = all.map(|bits| (bits, self.compressed_noise(noise, bits, mask_words)));
            let kept = with_noise.filter(|(_, noise)| noise.log2_fail(modulus) <= limit);
            let (bits, noise) = kept.min_by_key(|(bits, _)| size(bits))?;
            Some(Compression { mask_words, bits, noise })
        };
        let degree = self.ring_degree();
        let short = short
            .and_then(|words| smallest(noise.with_independent(self.short_mask_noise()?), words));
        let unchanged =
            || Compression { mask_words: degree, bits: KeptBits { a: most, b: most }, noise };
        short.or_else(|| smallest(noise, degree)).unwrap_or_else(unchanged)
    }

    /// Noise of a result whose words are rounded to these bits. The rounding of a, multiplied by the secret, is
    /// Gaussian, since it is a sum of many uniform terms; the rounding of b is at most half a unit.
    fn compressed_noise(&self, noise: NoiseBound, bits: KeptBits, mask_words: usize) -> NoiseBound {
        let literal = self.literal();
        let most = literal.log2_ciphertext_modulus;
        let unit = |bits: u32| if bits < most { (-f64::from(bits)).exp2() } else { 0.0 };
        let of_secret = literal.owners.rounding_variance(mask_words);
        let law = NoiseLaw::gaussian(of_secret * unit(bits.a).powi(2));
        noise.with_independent(NoiseBound::of_law(law, unit(bits.b) / 2.0))
    }
}
