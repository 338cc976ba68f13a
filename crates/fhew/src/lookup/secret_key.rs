//! The client's key for single values.

use cryptable_lattice::Progress;
use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::error::{Result, check_values};
use cryptable_lattice::lwe_list::{LweList, check_count};
use cryptable_lattice::plaintext_encoding::PlaintextEncoding;
use cryptable_wire::KeyId;

use super::{Ciphertext, EvaluationKey, Parameters, VALUES_PER_CIPHERTEXT};
use crate::keys::SecretKey as FhewSecret;

/// Domain of identifiers.
const ID_CONTEXT: &str = "cryptable: identifier of a secret key for single values";

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    secret: FhewSecret,
    id: KeyId,
}

impl SecretKey {
    /// Draws fresh secrets from the operating system's randomness.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self::from_secret(parameters.clone(), FhewSecret::generate(parameters.fhew()))
    }

    /// From secrets of these parameters.
    pub(super) fn from_secret(parameters: Parameters, secret: FhewSecret) -> Self {
        let id = secret.id(ID_CONTEXT);
        Self { parameters, secret, id }
    }

    /// The parameters of everything that this key encrypts.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The identifier that this key, its evaluation keys and its ciphertexts share; it reveals nothing of the secret.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The secrets of LWE and ring, for what [`crate::full_domain`] and [`crate::functions`] do beyond lookups.
    #[must_use]
    pub fn fhew(&self) -> &FhewSecret {
        &self.secret
    }

    /// The number of values that go into one ciphertext of a file: 1,024. [`SecretKey::encrypt`] takes more.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        VALUES_PER_CIPHERTEXT
    }

    /// Encrypts values below the input modulus p, up to [`cryptable_lattice::lwe_list::MAX_VALUES`]: LWE ciphertexts of phase m·q/p + e, e of
    /// variance 10.5.
    ///
    /// # Errors
    /// If a value is not below p: names its position; if there are too many for one ciphertext.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters.input_modulus();
        check_values(values, p)?;
        check_count(values.len())?;
        let q = self.parameters.fhew().lwe_modulus();
        let encoding = PlaintextEncoding::new(p, q);
        let body =
            |i: usize, mask: &[u64]| self.secret.body_of(mask, encoding.encode(values[i]), q);
        let list = LweList::fresh(self.parameters.shape(), values.len(), body);
        let contents = (p, self.parameters.noise().fresh());
        Ok(Ciphertext::new(&self.parameters, self.id, contents, list))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If they are of another client or other parameters, or their modulus is neither p nor P;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if they claim more noise than decrypts.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(&self.parameters, self.id)?;
        let modulus = ciphertext.modulus();
        let encoding = PlaintextEncoding::new(modulus, ciphertext.values().shape().modulus);
        decrypt_each(ciphertext.count(), |index| {
            Ok(encoding.decode(self.secret.noisy_phase(&ciphertext.values().ciphertext(index))?))
        })
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
        let key = EvaluationKey::expand(self.parameters.clone(), self.id, &key)?;
        steps.done()?;
        Ok(key)
    }
}
