//! Leveled values under public keys: encryption, and the switch to modulus Q before anything is computed.

use std::borrow::Cow;

#[cfg(feature = "client")]
use cryptable_lattice::lwe_list::check_plain_values;
use cryptable_lattice::{Error, NoiseBound, Result};

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::Parameters;
#[cfg(feature = "client")]
use super::parameters::width;
#[cfg(feature = "client")]
use crate::keys;
use crate::noise::CircuitBootstrappingNoise;

/// The public key of one client.
///
/// ```
/// use cryptable_lattice::{Progress, Table};
/// use cryptable_leveled::lookup::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(10, 10)?);
/// let input = secret.public_key()?.encrypt(&[7, 2])?;
/// assert_eq!(secret.decrypt(&input)?, [7, 2]);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let tens = key.prepare(&Table::from_fn(10, 10, |x| x * x / 10)?)?;
/// let outputs = key.lookup_many(&input, &[&tens], Progress::silent())?;
/// assert_eq!(secret.decrypt(&outputs[0])?, [4, 0]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[cfg(feature = "client")]
pub type PublicKey = keys::PublicKey<Parameters>;

#[cfg(feature = "client")]
impl PublicKey {
    /// Encrypts values below the input modulus, up to [`cryptable_lattice::lwe_list::MAX_VALUES`].
    ///
    /// # Errors
    /// If a value is not below the modulus, or there are too many values for one ciphertext;
    /// [`Error::NoiseTooLarge`] if a lookup would fail with more than the stated probability.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let parameters = self.parameters();
        let p = parameters.input_modulus();
        check_plain_values(values, p)?;
        parameters.check_import(parameters.public_noise())?;
        let list = self.encrypt_each(width(p), values.iter().copied());
        Ok(Ciphertext::new(parameters, p, *self.binding(), list))
    }
}

impl Parameters {
    /// Returns the noise of values that a public key encrypts, after the switch to modulus Q.
    #[must_use]
    pub fn public_noise(&self) -> NoiseBound {
        CircuitBootstrappingNoise::new(self.circuit_bootstrapping()).by_public_key()
    }
}

impl EvaluationKey {
    /// Returns the values modulo Q; values encrypted with a public key are switched to it.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters, or are compressed.
    pub(super) fn switched<'a>(&self, values: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>> {
        values.check(self.parameters(), self.binding())?;
        let circuit = self.parameters().circuit_bootstrapping();
        let shape = values.list().shape();
        if shape != circuit.lwe_shape() && shape != circuit.fhew().public_shape() {
            let what = "computing with compressed results, which can be decrypted and nothing else";
            return Err(Error::Unsupported(what.into()));
        }
        Ok(match circuit.switched(values.list()) {
            Cow::Borrowed(_) => Cow::Borrowed(values),
            Cow::Owned(list) => Cow::Owned(Ciphertext::new(
                self.parameters(),
                values.modulus(),
                *self.binding(),
                list,
            )),
        })
    }
}
