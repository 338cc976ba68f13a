//! The client's key of lookups and AES: generation, files, and encryption of integers bit by bit.

use std::borrow::Borrow;

use cryptable_fhew::keys;
use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::error::{check_values, out_of_range};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Progress, Result};

use super::server_key::{CircuitParameters, ServerKey};
use crate::bootstrapping::{Plaintext, ciphertext_count, decrypt_plaintext, plaintext_body};

/// Largest number of bits of a value.
const MAX_BITS: usize = 64;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_leveled::aes::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let encrypted = secret.encrypt_values(8, &[7, 255])?;
/// assert_eq!(encrypted.len(), 2 * 8);
/// assert_eq!(secret.decrypt_values(8, &encrypted)?, [7, 255]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct ClientKey<P>(keys::ClientKey<P>);

cryptable_lattice::engine_key!(ClientKey<P: CircuitParameters>, keys::ClientKey<P>);

impl<P> Borrow<keys::ClientKey<P>> for ClientKey<P> {
    fn borrow(&self) -> &keys::ClientKey<P> {
        &self.0
    }
}

impl<P> From<keys::ClientKey<P>> for ClientKey<P> {
    fn from(key: keys::ClientKey<P>) -> Self {
        Self(key)
    }
}

impl<P: CircuitParameters> ClientKey<P> {
    /// Draws fresh secrets.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn generate(parameters: &P) -> Self {
        Self(keys::ClientKey::generate(parameters))
    }

    /// Generates an evaluation key for a server in the same process. `progress` counts two steps: generation, and
    /// expansion of the masks.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Cancelled`] if `progress` asks to stop.
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<ServerKey<P>> {
        self.0.evaluation_key(progress).map(ServerKey::from)
    }

    /// Encrypts integers of `bits` bits, the lowest first, with one ciphertext per
    /// [`crate::parameters::CircuitBootstrappingParameters::bits_per_ciphertext`] bits and errors of variance 10.5.
    ///
    /// # Errors
    /// If the number of bits is not from 1 to 64, or a value has more bits.
    pub fn encrypt_values(&self, bits: usize, values: &[u64]) -> Result<LweList> {
        if !(1..=MAX_BITS).contains(&bits) {
            let limit = format!("values have from 1 to {MAX_BITS} bits");
            return Err(out_of_range("number of bits", bits as u64, limit));
        }
        if bits < MAX_BITS {
            check_values(values, 1 << bits)?;
        }
        Ok(self.encrypt_each(bits, values.len(), |index| values[index]))
    }

    /// Encrypts `count` integers of `bits` bits, from 1 to 64, that `value` returns.
    pub(crate) fn encrypt_each(
        &self,
        bits: usize,
        count: usize,
        value: impl Fn(usize) -> u64 + Sync,
    ) -> LweList {
        let each = self.parameters().circuit_bootstrapping().bits_per_ciphertext();
        let width = ciphertext_count(bits, each);
        LweList::fresh(
            self.parameters().circuit_bootstrapping().lwe_shape(),
            width * count,
            |index, mask| {
                let shifted = value(index / width) >> (index % width * each as usize);
                let plaintext = Plaintext { value: shifted & ((1 << each) - 1), bits: each };
                plaintext_body(self.fhew(), mask, plaintext)
            },
        )
    }

    /// Decrypts fresh or computed integers of `bits` bits.
    ///
    /// # Errors
    /// If the number of bits is not from 1 to 64, or the ciphertexts have other sizes or do not make up whole values.
    pub fn decrypt_values(&self, bits: usize, values: &LweList) -> Result<Vec<u64>> {
        let circuit = self.parameters().circuit_bootstrapping();
        values.check_either(circuit.lwe_shape(), circuit.fhew().public_shape())?;
        self.decrypt_list(bits, values)
    }

    /// Decrypts integers whose ciphertexts have been checked to have a shape of these parameters.
    pub(crate) fn decrypt_list(&self, bits: usize, values: &LweList) -> Result<Vec<u64>> {
        let each = self.parameters().circuit_bootstrapping().bits_per_ciphertext();
        let width = ciphertext_count(bits, each);
        if !(1..=MAX_BITS).contains(&bits) || !values.len().is_multiple_of(width) {
            let limit = format!("values of {bits} bits have {width}, at most {MAX_BITS} bits");
            return Err(out_of_range("number of ciphertexts", values.len() as u64, limit));
        }
        let value = |index: usize| -> Result<u64> {
            (index * width..(index + 1) * width).rev().try_fold(0, |sum, i| {
                Ok(sum << each | decrypt_plaintext(self.fhew(), &values.ciphertext(i), each)?)
            })
        };
        decrypt_each(values.len() / width, value)
    }
}
