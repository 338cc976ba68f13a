//! Compression of results: packs them into ring elements with only the bits that decryption needs.

use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::{NoiseBound, Result};
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, KeyId, packed_field_bytes};

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::Parameters;
use crate::bootstrapping::ciphertext_count;
use crate::noise::CircuitBootstrappingNoise;

impl Parameters {
    /// Returns the dimension and modulus of compressed results: the least power of two that keeps the stated failure
    /// probability.
    #[must_use]
    pub fn compressed_shape(&self) -> LweShape {
        let shape = self.circuit_bootstrapping().lwe_shape();
        let most = shape.modulus.ilog2();
        let least = LweShape::MIN_MODULUS.ilog2();
        let bits = (least..most).find(|&bits| self.compressed_log2_fail(bits) <= self.log2_fail());
        LweShape { modulus: 1 << bits.unwrap_or(most), ..shape }
    }

    /// Returns the bytes of a file with this number of compressed results.
    #[must_use]
    pub fn compressed_bytes(&self, count: usize) -> usize {
        let LweShape { dimension, modulus } = self.compressed_shape();
        let bodies = count * self.ciphertexts_of(self.output_modulus());
        let masks = bodies.div_ceil(dimension) * dimension;
        let words = packed_field_bytes(masks, modulus) + packed_field_bytes(bodies, modulus);
        // Modulus, bits per ciphertext, client, shape, number of values, kind of masks.
        let numbers = 12 + KeyId::BYTES as u64 + LweShape::BYTES + 12;
        HEADER_BYTES + CHECKSUM_BYTES + (numbers + words) as usize
    }

    /// Returns log2 of the probability that a result compressed to words of `bits` bits decrypts wrong.
    #[must_use]
    pub fn compressed_log2_fail(&self, bits: u32) -> f64 {
        let circuit = self.circuit_bootstrapping();
        let ciphertexts = ciphertext_count(self.max_bits(), circuit.bits_per_ciphertext());
        self.compressed_noise(bits).log2_exceeds(circuit.margin()) + (ciphertexts as f64).log2()
    }

    /// Returns the noise of results compressed to words of `bits` bits, as a fraction of their modulus.
    #[must_use]
    pub fn compressed_noise(&self, bits: u32) -> NoiseBound {
        let noise = CircuitBootstrappingNoise::new(self.circuit_bootstrapping());
        let compression = noise.model().compression(bits);
        let body = 0.5 * (-f64::from(bits)).exp2();
        let of_compression = NoiseBound::of_law(compression.law(), body);
        self.result_noise().with_independent(of_compression)
    }
}

impl EvaluationKey {
    /// Compresses results for sending them to the client, who decrypts them as usual. Compressed results can only be
    /// decrypted.
    ///
    /// A result of b bits is ⌈b/d⌉ LWE ciphertexts of N + 1 words. Up to N of them are packed into one ring element, with the
    /// keys of the trace, which circuit bootstrapping has anyway (PackLWEs of Chen et al., ACNS 2021). Words are rounded to
    /// the bits of [`Parameters::compressed_shape`]: six results of 8 bits have 2.7 kB instead of 290 kB, a thousand
    /// 10 kB instead of 48 MB.
    ///
    /// ```
    /// use cryptable_lattice::{Progress, Table};
    /// use cryptable_leveled::lookup::{Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let square = key.prepare(&Table::from_fn(16, 16, |x| x * x % 16)?)?;
    /// let results = key.lookup_many(&secret.encrypt(&[3, 5])?, &[&square], Progress::silent())?;
    /// let compressed = key.compress(&results[0])?;
    /// assert_eq!(compressed.to_bytes().len(), secret.parameters().compressed_bytes(2));
    /// assert_eq!(secret.decrypt(&compressed)?, [9, 9]);
    /// assert!(key.lookup_many(&compressed, &[&square], Progress::silent()).is_err());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters, or is already compressed.
    pub fn compress(&self, results: &Ciphertext) -> Result<Ciphertext> {
        let results = self.switched(results)?;
        let bits = self.parameters().compressed_shape().modulus.ilog2();
        let list = self.fhew().compress_list(results.list(), bits);
        Ok(Ciphertext::new(self.parameters(), results.modulus(), *self.binding(), list))
    }
}
