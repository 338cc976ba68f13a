//! The client's key for values bit by bit.

use crate::secret_key::CircuitSecretKey;

use super::{Ciphertext, EvaluationKey, Parameters, width};
use cryptable_lattice::error::{Result, check_values};
use cryptable_wire::KeyId;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: CircuitSecretKey,
}

impl SecretKey {
    /// Draws fresh secrets.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let secret = CircuitSecretKey::generate(parameters.circuit());
        Self { parameters: parameters.clone(), secret }
    }

    /// From secrets of these parameters.
    pub(super) fn from_secret(parameters: Parameters, secret: CircuitSecretKey) -> Result<Self> {
        if secret.parameters() != parameters.circuit() {
            return Err(crate::error::Error::OtherParameters.into());
        }
        Ok(Self { parameters, secret })
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secrets below, for all that `cryptable-leveled` does with bits.
    #[must_use]
    pub fn circuit(&self) -> &CircuitSecretKey {
        &self.secret
    }

    /// The evaluation key for a server, in memory.
    ///
    /// # Panics
    /// Never: the keys are of these parameters.
    #[must_use]
    pub fn evaluation_key(&self) -> EvaluationKey {
        EvaluationKey::new(self.parameters.clone(), self.secret.evaluation_key())
            .expect("keys of these parameters")
    }

    /// Encrypts values of `Z_p`, bit by bit or two bits at a time.
    ///
    /// # Errors
    /// If one is not below p.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters.input_modulus();
        check_values(values, p)?;
        let bits = self.secret.encrypt_values(width(p), values)?;
        Ok(Ciphertext::new(&self.parameters, p, bits))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If they are of other parameters or another client, or a value is not below its modulus, which only happens to
    /// ciphertexts that nobody computed by a lookup.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(&self.parameters)?;
        let values = self.secret.decrypt_values(ciphertext.values())?;
        check_values(&values, ciphertext.modulus())?;
        Ok(values)
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.secret.id()
    }
}
