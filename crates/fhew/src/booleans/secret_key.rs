//! The client's key for Boolean gates.

use cryptable_lattice::Result;
use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::lwe_list::LweList;

use super::{EncryptedBits, Parameters};
use crate::gates::{bit_phase, decrypt_bit};
use crate::keys::ClientKey;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
pub type SecretKey = ClientKey<Parameters>;

impl SecretKey {
    /// Encrypts any number of bits.
    #[must_use]
    pub fn encrypt(&self, bits: &[bool]) -> EncryptedBits {
        let shape = self.parameters().fhew().lwe_shape();
        let body = |index: usize, mask: &[u64]| {
            self.fhew().body_of(mask, bit_phase(bits[index], shape.modulus), shape.modulus)
        };
        EncryptedBits::new(*self.binding(), LweList::fresh(shape, bits.len(), body))
    }

    /// Decrypts fresh bits or results of gates.
    ///
    /// # Errors
    /// If the bits belong to another client or other parameters.
    pub fn decrypt(&self, bits: &EncryptedBits) -> Result<Vec<bool>> {
        bits.check(self.parameters(), self.binding())?;
        decrypt_each(bits.count(), |index| decrypt_bit(self.fhew(), &bits.ciphertext(index)))
    }
}
