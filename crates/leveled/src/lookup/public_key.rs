//! Leveled values by public keys: encryption, and the switch to modulus Q before anything is computed.

use std::borrow::Cow;

#[cfg(feature = "client")]
use cryptable_fhew::keys;
use cryptable_fhew::noise::NoiseModel;
#[cfg(feature = "client")]
use cryptable_lattice::error::check_values;
#[cfg(feature = "client")]
use cryptable_lattice::lwe_list::check_count;
use cryptable_lattice::{Error, NoiseBound, Result};

use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::Parameters;
#[cfg(feature = "client")]
use super::parameters::width;
#[cfg(feature = "client")]
use crate::bootstrapping::ciphertext_count;

/// The public key of one client.
///
/// ```
/// use cryptable_lattice::{Progress, Table};
/// use cryptable_leveled::lookup::{Parameters, SecretKey, encrypt_by};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(10, 10)?);
/// let input = encrypt_by(&secret.public_key()?, &[7, 2])?;
/// assert_eq!(secret.decrypt(&input)?, [7, 2]);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let tens = key.prepare(&Table::from_fn(10, 10, |x| x * x / 10)?)?;
/// let outputs = key.lookup_many(&input, &[&tens], Progress::silent())?;
/// assert_eq!(secret.decrypt(&outputs[0])?, [4, 0]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[cfg(feature = "client")]
pub type PublicKey = keys::PublicKey<Parameters>;

/// Encrypts values below the input modulus by a public key, up to [`cryptable_lattice::lwe_list::MAX_VALUES`].
///
/// # Errors
/// If a value is not below the modulus, or there are too many for one ciphertext;
/// [`Error::NoiseTooLarge`] if a lookup would fail with more than the stated probability.
#[cfg(feature = "client")]
pub fn encrypt_by(public: &PublicKey, values: &[u64]) -> Result<Ciphertext> {
    let parameters = public.parameters();
    let p = parameters.input_modulus();
    check_values(values, p)?;
    check_count(values.len())?;
    parameters.check_import(parameters.public_noise())?;
    let circuit = parameters.circuit_bootstrapping();
    let each = circuit.bits_per_ciphertext();
    let digits = ciphertext_count(width(p), each) as u32;
    let step = circuit.fhew().large_modulus() >> each;
    let phase = |(value, place): (u64, u32)| (value >> (place * each)) % (1 << each) * step;
    let places = values.iter().flat_map(|&value| (0..digits).map(move |place| (value, place)));
    let phases: Vec<u64> = places.map(phase).collect();
    let list = public.encrypt_phases(&phases);
    Ok(Ciphertext::new(parameters, p, *public.binding(), list))
}

impl Parameters {
    /// Returns the noise of values that a public key encrypts, once they are modulo Q.
    #[must_use]
    pub fn public_noise(&self) -> NoiseBound {
        let fhew = self.circuit_bootstrapping().fhew();
        let switch = NoiseModel::new(fhew).ring_modulus_switch(fhew.prime());
        let modulus = fhew.large_modulus();
        // Digits of some bits are multiples of a power of two, which nothing rounds.
        let noise = NoiseBound::by_public_key(fhew.ring_degree(), modulus as f64, 2);
        noise.with_independent(NoiseBound::of_law(switch.law(), 1.0 / modulus as f64))
    }
}

impl EvaluationKey {
    /// Returns values modulo Q, to which those of public keys are switched.
    ///
    /// # Errors
    /// If the values are of another client or other parameters, or compressed.
    pub(super) fn switched<'a>(&self, values: &'a Ciphertext) -> Result<Cow<'a, Ciphertext>> {
        values.check(self.parameters(), self.binding())?;
        let circuit = self.parameters().circuit_bootstrapping();
        if values.list().shape() == circuit.lwe_shape() {
            return Ok(Cow::Borrowed(values));
        }
        if values.list().shape() != circuit.fhew().public_shape() {
            let what = "computing with compressed results, which can be decrypted and nothing else";
            return Err(Error::Unsupported(what.into()));
        }
        let secret = circuit.fhew().literal().ring_secret;
        let list = values.list().modulus_switch(circuit.fhew().prime(), secret);
        Ok(Cow::Owned(Ciphertext::new(self.parameters(), values.modulus(), *self.binding(), list)))
    }
}
