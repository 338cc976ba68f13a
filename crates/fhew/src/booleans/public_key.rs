//! Bits under public keys: encryption, and the switch to the LWE secret before gates.

use std::borrow::Cow;

use cryptable_lattice::Result;
#[cfg(feature = "client")]
use cryptable_lattice::noise_bound::{NoiseBound, check_log2_fail};

#[cfg(feature = "client")]
use super::Parameters;
use super::{EncryptedBits, EvaluationKey};
#[cfg(feature = "client")]
use crate::gates::{self, bit_phase};
#[cfg(feature = "client")]
use crate::keys;
#[cfg(feature = "client")]
use crate::noise::{NoiseModel, Variance};

/// The public key of one client.
///
/// ```
/// use cryptable_fhew::booleans::{Gate, Parameters, SecretKey};
/// use cryptable_lattice::Progress;
/// let secret = SecretKey::generate(&Parameters::insecure_toy());
/// let a = secret.public_key()?.encrypt(&[false, true])?;
/// let b = secret.encrypt(&[true, true]);
/// let key = secret.evaluation_key(Progress::silent())?;
/// assert_eq!(secret.decrypt(&key.gate(Gate::Nand, &a, &b, Progress::silent())?)?, [true, false]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[cfg(feature = "client")]
pub type PublicKey = keys::PublicKey<Parameters>;

#[cfg(feature = "client")]
impl PublicKey {
    /// Encrypts any number of bits.
    ///
    /// Once switched to the LWE secret, these bits may have as much noise as results of gates. The errors of bits under one
    /// key depend on each other through the key, so a sum of two is counted with twice the variance of independent ones.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if gates would fail with more than their stated probability.
    pub fn encrypt(&self, bits: &[bool]) -> Result<EncryptedBits> {
        let fhew = self.parameters().fhew();
        let model = NoiseModel::new(fhew);
        let modulus = fhew.large_modulus();
        let fresh = NoiseBound::by_public_key(fhew.ring_degree(), modulus as f64, 2);
        let switched = Variance(2.0 * fresh.law().variance()) + model.key_switching();
        let results = gates::noise(&model);
        let input = if switched > results { switched } else { results };
        let found = gates::log2_fail_of(&model, input);
        check_log2_fail("a gate", found, self.parameters().log2_fail())?;
        let phases: Vec<u64> = bits.iter().map(|&bit| bit_phase(bit, modulus)).collect();
        Ok(EncryptedBits::new(*self.binding(), self.encrypt_phases(&phases)))
    }
}

impl EvaluationKey {
    /// Returns the bits under the LWE secret; bits encrypted with a public key are switched to it.
    ///
    /// # Errors
    /// If the bits belong to another client or other parameters.
    pub(super) fn switched<'a>(&self, bits: &'a EncryptedBits) -> Result<Cow<'a, EncryptedBits>> {
        bits.check(self.parameters(), self.binding())?;
        if bits.values().shape() == self.fhew().parameters().lwe_shape() {
            return Ok(Cow::Borrowed(bits));
        }
        let values = self.fhew().switch_public(bits.values());
        Ok(Cow::Owned(EncryptedBits::of_values(self.parameters(), self.key_id(), values)?))
    }
}
