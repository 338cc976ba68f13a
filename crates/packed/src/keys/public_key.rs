//! The public key: encrypts values for the holder of a secret key.

use cryptable_ckks::bootstrapping::modulus_switch::{CoefficientShape, switch_to_power_of_two};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, CoefficientLayout};
use cryptable_lattice::error::Result;
use cryptable_lattice::ring_public_key::{RingPublicKey, RingPublicParameters};
use cryptable_ring::RingModuli;
use cryptable_wire::ObjectType;

use super::secret_key::{SecretKey, check_plain_values};
use crate::ciphertext::Ciphertext;
use crate::parameters::parameter_set::Parameters;

/// A public key for packed values: anyone who has it can encrypt, only the secret key decrypts. [`SecretKey::rekey_to`]
/// uses the public key of a new owner to hand ciphertexts over.
///
/// The key is one ring element modulo q_0·p_0 and a seed, slightly more than `N·(log2 q_0 + log2 p_0)/8` bytes at ring
/// degree N: 0.81 MB for 8 bits. Ciphertexts are twice as large as fresh ones of the secret key, since their masks have
/// no seed. Their noise is that of [`PublicKey::noise`].
///
/// ```
/// use cryptable_packed::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let public = secret.public_key()?;
/// let ciphertext = public.encrypt(&[3, 1, 4])?;
/// assert_eq!(secret.decrypt(&ciphertext)?, [3, 1, 4]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey(pub(super) RingPublicKey<Parameters>);

cryptable_lattice::engine_key!(PublicKey, RingPublicKey<Parameters>);

impl RingPublicParameters for Parameters {
    const PUBLIC_KEY: ObjectType = ObjectType::PackedPublicKey;

    fn public_moduli(&self) -> RingModuli {
        self.bottom_moduli()
    }
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws a new one; ciphertexts of all of them belong to this
    /// secret key.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Unsupported`] if the secret's norm exceeds the bound on noise, with a probability below 2^-80.
    pub fn public_key(&self) -> Result<PublicKey> {
        (**self).public_key().map(PublicKey)
    }
}

impl PublicKey {
    /// Returns the noise of ciphertexts with values of this modulus: the roundings to q_0 and to the ciphertext modulus, and
    /// the error of the key over p_0.
    #[must_use]
    pub fn noise(&self, modulus: u64) -> NoiseBound {
        self.parameters().literal().public_noise(modulus, self.parameters().bottom_primes())
    }

    /// Encrypts up to [`SecretKey::values_per_ciphertext`] values of `Z_p` into one ciphertext.
    ///
    /// # Errors
    /// If there are more values than slots, or one is not below p; [`cryptable_lattice::Error::NoiseTooLarge`] if a lookup would fail more
    /// often than the parameters state.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let parameters = self.parameters();
        let modulus = parameters.input_modulus();
        check_plain_values(parameters, values, modulus)?;
        let noise = self.noise(modulus);
        parameters.checked_result_noise(&[(noise, parameters.circuit().digits())], u64::MAX)?;
        let literal = parameters.literal();
        let slots = literal.input_slots();
        let layout =
            CoefficientLayout { ring_degree: literal.ring_degree, slots, count: values.len() };
        let body = self.encrypt_zeros(layout, modulus).add_plain(values)?;
        Ok(Ciphertext::new(*self.binding(), noise, body))
    }

    /// Encrypts zeros modulo `modulus`.
    fn encrypt_zeros(&self, layout: CoefficientLayout, modulus: u64) -> CoefficientCiphertext {
        let log2_modulus = self.parameters().literal().log2_ciphertext_modulus;
        let shape = CoefficientShape { log2_modulus, plaintext_modulus: modulus, layout };
        switch_to_power_of_two(self.ring(), self.encrypt_zero(), shape)
    }

    /// Returns a ciphertext of the same values with a fresh mask: the sum with a fresh encryption of zero.
    ///
    /// Without the secret key, nobody can tell which ciphertext the result was made from, if RLWE is hard. The holder
    /// of the secret key can, by the noise.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let ciphertext = secret.encrypt(&[3, 1, 4])?;
    /// let again = secret.public_key()?.rerandomize(&ciphertext)?;
    /// assert_eq!(secret.decrypt(&again)?, [3, 1, 4]);
    /// assert_ne!(again, ciphertext);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext is of another client or other parameters, or compressed;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if it would decrypt wrong with more than the stated probability.
    pub fn rerandomize(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        ciphertext.check(self.parameters(), self.binding(), None)?;
        let (body, modulus) = (ciphertext.body(), ciphertext.modulus());
        let noise = ciphertext.noise().with_independent(self.noise(modulus));
        let limit = self.parameters().stated_log2_fail();
        noise.check_decryption("decryption after a fresh mask", modulus, limit)?;
        let zeros = self.encrypt_zeros(body.layout, modulus);
        Ok(Ciphertext::new(*self.binding(), noise, body.add(&zeros)?))
    }
}
