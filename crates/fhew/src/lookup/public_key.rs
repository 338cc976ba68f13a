//! Single values under public keys: encryption, and the switch to the LWE secret before anything is computed.

use std::borrow::Cow;

use cryptable_lattice::error::Result;
#[cfg(feature = "client")]
use cryptable_lattice::lwe_list::check_plain_values;
use cryptable_lattice::noise_bound::NoiseBound;

use super::{Ciphertext, EvaluationKey, Parameters};
#[cfg(feature = "client")]
use crate::keys;
use crate::noise::NoiseModel;
#[cfg(feature = "client")]
use crate::test_polynomial::encode;

/// The public key of one client.
///
/// ```
/// use cryptable_fhew::lookup::{Parameters, SecretKey};
/// use cryptable_lattice::{Progress, Table};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(8, 8)?);
/// let input = secret.public_key()?.encrypt(&[3, 5])?;
/// assert_eq!(secret.decrypt(&input)?, [3, 5]);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let double = key.prepare(&Table::from_fn(8, 8, |x| 2 * x % 8)?)?;
/// let outputs = key.lookup_many(&input, &[&double], Progress::silent())?;
/// assert_eq!(secret.decrypt(&outputs[0])?, [6, 2]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[cfg(feature = "client")]
pub type PublicKey = keys::PublicKey<Parameters>;

#[cfg(feature = "client")]
impl PublicKey {
    /// Encrypts values below the input modulus p, up to [`cryptable_lattice::lwe_list::MAX_VALUES`], with the noise of
    /// [`Parameters::public_noise`].
    ///
    /// # Errors
    /// If a value is not below p (the error names its position), or there are too many values for one ciphertext;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if a lookup would fail with more than the stated probability.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let parameters = self.parameters();
        let p = parameters.input_modulus();
        check_plain_values(values, p)?;
        let noise = parameters.public_noise();
        parameters.check_lookup(parameters.switched_noise(noise))?;
        let modulus = parameters.fhew().large_modulus();
        let phases: Vec<u64> = values.iter().map(|&value| encode(value, p, modulus)).collect();
        Ok(Ciphertext::new(*self.binding(), p, noise, self.encrypt_phases(&phases)))
    }
}

impl Parameters {
    /// Returns the noise of values that a public key encrypts, as a fraction of their own modulus q_0.
    #[must_use]
    pub fn public_noise(&self) -> NoiseBound {
        let (degree, modulus) = (self.ring_degree(), self.fhew().large_modulus());
        NoiseBound::by_public_key(degree, modulus as f64, self.input_modulus())
    }

    /// Returns the noise of values with noise `noise` after the switch from the ring secret to the LWE secret.
    pub(super) fn switched_noise(&self, noise: NoiseBound) -> NoiseBound {
        let switch = NoiseModel::new(self.fhew()).key_switching();
        noise.with_independent(NoiseBound::of_law(switch.law(), 0.0))
    }
}

impl EvaluationKey {
    /// Returns the values under the LWE secret; values encrypted with a public key are switched to it.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters, or claims noise that it cannot have.
    pub(super) fn switched<'a>(&self, input: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>> {
        input.check(self.parameters(), self.binding())?;
        if input.values().shape() == self.fhew().parameters().lwe_shape() {
            return Ok(Cow::Borrowed(input));
        }
        let noise = self.parameters().switched_noise(input.noise());
        let (operation, modulus) = ("the switch to the LWE secret", input.modulus());
        noise.check_decryption(operation, modulus, self.parameters().stated_log2_fail())?;
        let values = self.fhew().switch_public(input.values());
        Ok(Cow::Owned(Ciphertext::new(*self.binding(), modulus, noise, values)))
    }
}
