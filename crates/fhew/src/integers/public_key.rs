//! Integers under public keys.

use cryptable_lattice::{NoiseBound, Result};

use super::ciphertexts::Encoding;
use super::secret_key::{comparable_phases, full_range_phases};
use super::{EncryptedIntegers, Parameters};
use crate::keys;

/// The public key of one client.
///
/// ```
/// use cryptable_fhew::integers::{Parameters, SecretKey};
/// use cryptable_lattice::Progress;
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16)?);
/// let x = secret.public_key()?.encrypt(&[-12_345])?;
/// let key = secret.evaluation_key(Progress::silent())?;
/// assert_eq!(secret.decrypt(&key.absolute(&x, Progress::silent())?)?, [12_345]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub type PublicKey = keys::PublicKey<Parameters>;

impl PublicKey {
    /// Encrypts any number of integers, like [`super::SecretKey::encrypt`].
    ///
    /// # Errors
    /// If an integer is out of range; the error names it. [`cryptable_lattice::Error::NoiseTooLarge`] if functions would fail
    /// with more than the stated probability.
    pub fn encrypt(&self, values: &[i64]) -> Result<EncryptedIntegers> {
        self.encrypted(&comparable_phases(self.parameters(), values)?)
    }

    /// Encrypts any number of integers of all bits, like [`super::SecretKey::encrypt_full_range`].
    ///
    /// # Errors
    /// Same as [`PublicKey::encrypt`].
    pub fn encrypt_full_range(&self, values: &[i64]) -> Result<EncryptedIntegers> {
        self.encrypted(&full_range_phases(self.parameters(), values)?)
    }

    fn encrypted(&self, phases: &[u64]) -> Result<EncryptedIntegers> {
        let noise = self.parameters().public_noise();
        self.parameters().check_integer_noise(noise)?;
        let list = self.encrypt_phases(phases);
        Ok(EncryptedIntegers::new(*self.binding(), Encoding::Imported { noise }, list))
    }
}

impl Parameters {
    /// Returns the noise of integers that a public key encrypts. Phases are multiples of a power of two, so nothing is rounded.
    #[must_use]
    pub fn public_noise(&self) -> NoiseBound {
        let fhew = self.fhew();
        NoiseBound::by_public_key(fhew.ring_degree(), fhew.large_modulus() as f64, 2)
    }
}
