//! The client's key for single values.

use cryptable_lattice::Result;
use cryptable_lattice::error::check_values;
use cryptable_lattice::lwe_list::check_plain_values;

use super::VALUES_PER_CIPHERTEXT;
use super::ciphertext::Ciphertext;
use super::parameters::{Parameters, width};
use crate::keys::ClientKey;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
pub type SecretKey = ClientKey<Parameters>;

impl SecretKey {
    /// Returns the number of values that go into one ciphertext of a file. Every value is encrypted by itself, so
    /// [`SecretKey::encrypt`] accepts more.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        VALUES_PER_CIPHERTEXT
    }

    /// Encrypts values in `Z_p`, up to [`cryptable_lattice::lwe_list::MAX_VALUES`], with one or two bits per LWE ciphertext and
    /// errors of variance 10.5.
    ///
    /// # Errors
    /// If a value is not below p, or there are too many values for one ciphertext.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters().input_modulus();
        check_plain_values(values, p)?;
        let list = self.encrypt_values(width(p), values)?;
        Ok(Ciphertext::new(self.parameters(), p, *self.binding(), list))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If the ciphertext belongs to other parameters or another client, or a value is not below its modulus, which cannot
    /// happen to results of lookups.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(self.parameters(), self.binding())?;
        let bits = width(ciphertext.modulus());
        let values = self.decrypt_list(bits, ciphertext.list())?;
        check_values(&values, ciphertext.modulus())?;
        Ok(values)
    }
}
