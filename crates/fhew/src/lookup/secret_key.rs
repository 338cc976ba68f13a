//! The client's key for single values.

use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::error::Result;
use cryptable_lattice::lwe_list::{LweList, check_plain_values};
use cryptable_lattice::plaintext_encoding::PlaintextEncoding;

use super::{Ciphertext, Parameters, VALUES_PER_CIPHERTEXT};
use crate::keys::ClientKey;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
pub type SecretKey = ClientKey<Parameters>;

impl SecretKey {
    /// Returns the number of values that go into one ciphertext of a file: 1,024. [`SecretKey::encrypt`] accepts more.
    #[must_use]
    pub fn values_per_ciphertext(&self) -> usize {
        VALUES_PER_CIPHERTEXT
    }

    /// Encrypts values below the input modulus p, up to [`cryptable_lattice::lwe_list::MAX_VALUES`], as LWE ciphertexts of
    /// phase m·q/p + e, e of variance 10.5.
    ///
    /// # Errors
    /// If a value is not below p (the error names its position), or there are too many values for one ciphertext.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let p = self.parameters().input_modulus();
        check_plain_values(values, p)?;
        let shape = self.parameters().fhew().lwe_shape();
        let (q, encoding) = (shape.modulus, PlaintextEncoding::new(p, shape.modulus));
        let body =
            |i: usize, mask: &[u64]| self.fhew().body_of(mask, encoding.encode(values[i]), q);
        let list = LweList::fresh(shape, values.len(), body);
        let noise = self.parameters().noise().fresh();
        Ok(Ciphertext::new(*self.binding(), p, noise, list))
    }

    /// Decrypts fresh ciphertexts or results.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters, or its modulus is neither p nor P;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if it claims more noise than can be decrypted.
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<Vec<u64>> {
        ciphertext.check(self.parameters(), self.binding())?;
        let modulus = ciphertext.modulus();
        let encoding = PlaintextEncoding::new(modulus, ciphertext.values().shape().modulus);
        decrypt_each(ciphertext.count(), |index| {
            Ok(encoding.decode(self.fhew().noisy_phase(&ciphertext.values().ciphertext(index))?))
        })
    }
}
