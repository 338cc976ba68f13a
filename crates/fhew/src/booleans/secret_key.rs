//! The client's key for Boolean gates.

use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Progress, Result};
use cryptable_wire::KeyId;

use super::{EncryptedBits, EvaluationKey, Parameters};
use crate::binding::Binding;
use crate::gates::{bit_phase, decrypt_bit};
use crate::keys::SecretKey as FhewSecret;

/// Domain of identifiers.
const ID_CONTEXT: &str = "cryptable: identifier of a secret key for Boolean gates";

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: FhewSecret,
    binding: Binding,
}

impl SecretKey {
    /// Draws fresh secrets from the operating system's randomness.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self::from_secret(parameters.clone(), FhewSecret::generate(parameters.fhew()))
    }

    /// From secrets of these parameters.
    pub(super) fn from_secret(parameters: Parameters, secret: FhewSecret) -> Self {
        let binding =
            Binding { parameter_digest: parameters.digest(), key_id: secret.id(ID_CONTEXT) };
        Self { parameters, secret, binding }
    }

    /// The secrets themselves, for keys that other methods make of them.
    #[must_use]
    pub fn fhew(&self) -> &FhewSecret {
        &self.secret
    }

    /// The parameters of everything that this key encrypts.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share; it reveals nothing of the secret.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Encrypts any number of bits.
    #[must_use]
    pub fn encrypt(&self, bits: &[bool]) -> EncryptedBits {
        let shape = self.parameters.shape();
        let body = |index: usize, mask: &[u64]| {
            self.secret.body_of(mask, bit_phase(bits[index], shape.modulus), shape.modulus)
        };
        EncryptedBits::new(self.binding, LweList::fresh(shape, bits.len(), body))
    }

    /// Decrypts fresh bits or results of gates.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn decrypt(&self, bits: &EncryptedBits) -> Result<Vec<bool>> {
        bits.check(&self.parameters, &self.binding)?;
        decrypt_each(bits.count(), |index| decrypt_bit(&self.secret, &bits.ciphertext(index)))
    }

    /// Generates an evaluation key for a server in the same process. `progress` counts two steps: generation, and
    /// expansion of the masks.
    ///
    /// # Errors
    /// If `progress` asks to stop.
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        let steps = progress.steps(2)?;
        let key = self.secret.evaluation_key();
        steps.done()?;
        let key = EvaluationKey::expand(self.parameters.clone(), self.id(), &key)?;
        steps.done()?;
        Ok(key)
    }
}
