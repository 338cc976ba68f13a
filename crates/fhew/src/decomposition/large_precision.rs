//! Values of up to some 28 bits in one LWE ciphertext, under the ring secret.
//!
//! A value m of `bits` bits is the phase m·q_0/2^bits modulo q_0 = 2^⌊log2 Q⌋, of dimension N. Ma et al. keep such
//! ciphertexts under the LWE secret, whose dimension must then serve the large modulus (1,340 for 2^35). Under the
//! ring secret, which serves Q as it is, no bootstrap's result has to pass an LWE key switch before it is added, so
//! that noise stays that of blind rotation, and LWE needs only the dimension of a small modulus: fewer steps.

use cryptable_lattice::lwe::LweCiphertext;
#[cfg(feature = "client")]
use cryptable_ring::random::RandomStream;

use crate::error::{Error, Result};
use crate::keys::evaluation_key::EvaluationKey;
#[cfg(feature = "client")]
use crate::keys::secret_key::{SecretKey, lwe_body};
use crate::noise::{NoiseModel, Variance};
use crate::parameters::{ERROR_VARIANCE, Parameters};
#[cfg(feature = "client")]
use crate::test_polynomial::decode;

impl Parameters {
    /// q_0, the modulus of ciphertexts of large precision: the power of two below Q.
    #[must_use]
    pub fn large_modulus(&self) -> u64 {
        1 << self.prime().ilog2()
    }

    /// Demands that values of this many bits fit a ciphertext of large precision.
    ///
    /// # Errors
    /// If they are none, or the modulus leaves each value fewer than two phases.
    pub fn check_large_bits(&self, bits: u32) -> Result<()> {
        let most = self.large_modulus().ilog2() - 1;
        if (1..=most).contains(&bits) {
            return Ok(());
        }
        let limit = format!("it must be from 1 to {most}");
        Err(Error::Parameter { name: "bits of a large value", value: f64::from(bits), limit })
    }
}

impl EvaluationKey {
    /// Demands that a ciphertext is one of large precision of these parameters.
    ///
    /// # Errors
    /// If its dimension is not N, or its modulus not q_0.
    pub fn check_large(&self, ciphertext: &LweCiphertext) -> Result<()> {
        let parameters = self.parameters();
        let pairs = [
            ("dimension", ciphertext.dimension() as u64, parameters.ring_degree() as u64),
            ("modulus", ciphertext.modulus(), parameters.large_modulus()),
        ];
        match pairs.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(Error::Ciphertext { what, found, expected }),
            None => Ok(()),
        }
    }

    /// The result of a blind rotation, LWE modulo Q, as a ciphertext of large precision.
    #[must_use]
    pub fn to_large(&self, raw: &LweCiphertext) -> LweCiphertext {
        let parameters = self.parameters();
        raw.modulus_switch(parameters.large_modulus(), parameters.literal().ring_secret)
    }
}

impl NoiseModel {
    /// A fresh ciphertext of large precision.
    #[must_use]
    pub fn fresh_large(&self) -> Variance {
        Variance::of_units(ERROR_VARIANCE, self.parameters().large_modulus() as f64)
    }

    /// Switching from Q to q_0.
    #[must_use]
    pub fn to_large(&self) -> Variance {
        self.ring_modulus_switch(self.parameters().large_modulus())
    }
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Encrypts a value of `bits` bits: phase value·q_0/2^bits + e, e of variance 10.5, modulo q_0, under the ring
    /// secret.
    ///
    /// ```
    /// use cryptable_fhew::parameters::Parameters;
    /// use cryptable_fhew::keys::SecretKey;
    /// let secret = SecretKey::generate(&Parameters::default_128());
    /// let ciphertext = secret.encrypt_large(1_234_567, 24)?;
    /// assert_eq!(secret.decrypt_large(&ciphertext, 24)?, 1_234_567);
    /// # Ok::<(), cryptable_fhew::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the value has more bits, or they do not fit ([`Parameters::check_large_bits`]).
    pub fn encrypt_large(&self, value: u64, bits: u32) -> Result<LweCiphertext> {
        self.parameters().check_large_bits(bits)?;
        if value >> bits != 0 {
            return Err(Error::Value { value, position: 0, modulus: 1 << bits });
        }
        Ok(self.encrypt_large_phase(value << (self.parameters().large_modulus().ilog2() - bits)))
    }

    /// Encrypts a phase modulo q_0 under the ring secret.
    #[must_use]
    pub fn encrypt_large_phase(&self, phase: u64) -> LweCiphertext {
        let modulus = self.parameters().large_modulus();
        let mut words = vec![0; self.ring_coefficients().len()];
        RandomStream::from_os().uniform_assign(&mut words, modulus);
        let error = RandomStream::from_os().centered_binomial(1)[0];
        let message = i128::from(phase) + i128::from(error);
        words.push(lwe_body(&words, self.ring_coefficients(), message, modulus));
        LweCiphertext::from_words(words, modulus)
    }

    /// Decrypts a value of `bits` bits.
    ///
    /// # Errors
    /// If the ciphertext's dimension is not that of the parameters, or the bits do not fit.
    pub fn decrypt_large(&self, ciphertext: &LweCiphertext, bits: u32) -> Result<u64> {
        self.parameters().check_large_bits(bits)?;
        Ok(decode(self.phase(ciphertext)?, 1 << bits, ciphertext.modulus()))
    }
}
