//! The client's key for single values.

use cryptable_lattice::error::check_values;
use cryptable_lattice::lwe_list::check_count;
use cryptable_lattice::{Progress, Result};
use cryptable_wire::KeyId;

use super::VALUES_PER_CIPHERTEXT;
use super::ciphertext::Ciphertext;
use super::evaluation_key::EvaluationKey;
use super::parameters::{Parameters, width};
use crate::keys::CircuitBootstrappingSecretKey;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: CircuitBootstrappingSecretKey,
}

impl SecretKey {
    /// Draws fresh secrets.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let secret = CircuitBootstrappingSecretKey::generate(parameters.circuit_bootstrapping());
        Self::new(parameters.clone(), secret)
    }

    /// Secrets of these parameters.
    pub(super) fn new(parameters: Parameters, secret: CircuitBootstrappingSecretKey) -> Self {
        Self { parameters, secret }
    }

    /// The parameters that the key is of.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secrets of circuit bootstrapping.
    #[must_use]
    pub fn secret(&self) -> &CircuitBootstrappingSecretKey {
        &self.secret
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.secret.id()
    }

    /// Values that go into one ciphertext where many are cut into several, as in files. Every value is by itself, so
    /// that [`SecretKey::encrypt`] takes more.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        VALUES_PER_CIPHERTEXT
    }

    /// Draws an evaluation key for a server, and expands it.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        Ok(EvaluationKey::new(self.parameters.clone(), self.secret.evaluation_key(progress)?))
    }

    /// Encrypts values of `Z_p`, up to [`cryptable_lattice::lwe_list::MAX_VALUES`], one or two bits a ciphertext: errors of
    /// variance 10.5.
    ///
    /// # Errors
    /// If one is not below p, or there are too many for one ciphertext.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters.input_modulus();
        check_values(values, p)?;
        check_count(values.len())?;
        let list = self.secret.encrypt_values(width(p), values)?;
        Ok(Ciphertext::new(&self.parameters, p, self.id(), list))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If they are of other parameters or another client, or a value is not below its modulus, which only happens to
    /// ciphertexts that nobody computed by a lookup.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(&self.parameters, self.id())?;
        let bits = width(ciphertext.modulus());
        let values = self.secret.decrypt_values(bits, ciphertext.list())?;
        check_values(&values, ciphertext.modulus())?;
        Ok(values)
    }
}
