//! New keys for old: ciphertexts of one client become those of another.

use cryptable_wire::KeyId;

use super::KeyParameters;
use super::packed_parts::each_part;
use crate::engines::packed;
use crate::{Ciphertext, Execution, NoiseBound, Parameters, ReadOptions, Result};
#[cfg(feature = "client")]
use crate::{Error, PublicKey, SecretKey};

/// A key with which a server turns packed ciphertexts and results of one client into those of another, without decrypting
/// them: to replace a secret key, or to hand results to an analyst.
///
/// [`SecretKey::rekey_to`](crate::SecretKey::rekey_to) makes it, from the owner's secret and the new owner's public key. It
/// serves in one direction, and needs no evaluation key: 1.6 MB for 65,536 values of 8 bits. Values stay the same, and noise grows by [`RekeyingKey::noise`].
///
/// **Whoever has this key and the new owner's secret can decrypt every ciphertext of the owner**, not only those that were
/// handed over. Give it to the server alone, and to none that the new owner controls unless the owner means to share all.
///
/// ```
/// use cryptable::{Engine, Parameters, ReadOptions, RekeyingKey, SecretKey, Table};
/// let parameters = Parameters::insecure_toy(Engine::Packed, 16, 16)?;
/// let (clinic, analyst) = (SecretKey::generate(parameters.clone()), SecretKey::generate(parameters));
/// let file = clinic.rekey_to(&analyst.public_key()?)?.to_bytes();
///
/// // The server: looks up values of the clinic, and gives results to the analyst.
/// let rekeying = RekeyingKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
/// let server = clinic.evaluation_key();
/// let squares = server.prepare(&Table::from_fn(16, 16, |x| x * x % 16)?)?;
/// let results = server.lookup(&clinic.encrypt(&[3, 1, 4])?, &squares)?;
/// let handed_over = rekeying.apply(&results)?;
///
/// assert_eq!(analyst.decrypt(&handed_over)?, [9, 1, 0]);
/// assert!(clinic.decrypt(&handed_over).is_err());
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Debug)]
pub struct RekeyingKey {
    key: packed::RekeyingKey,
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Generates a key with which a server turns ciphertexts of this key into those of the holder of another secret key, by
    /// whose public key. Every call draws another one; all of them serve.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if keys of either kind have no such key: those of packed lookups have;
    /// [`Error::OtherParameters`] if the public key has other parameters, and [`Error::Mismatch`] if it is of this key.
    pub fn rekey_to(&self, new_owner: &PublicKey) -> Result<RekeyingKey> {
        let Self::Packed(secret) = self else {
            let kind = self.kind();
            let what =
                format!("keys for a new owner of kind {kind}: those of packed lookups have them");
            return Err(Error::Unsupported(what));
        };
        Ok(RekeyingKey { key: secret.rekey_to(new_owner.packed()?)? })
    }
}

impl RekeyingKey {
    /// Returns the parameters of both secret keys.
    #[must_use]
    pub fn parameters(&self) -> KeyParameters {
        Parameters::from(self.key.parameters().clone()).into()
    }

    /// Returns the identifier of the secret key whose ciphertexts it takes.
    #[must_use]
    pub fn owner(&self) -> KeyId {
        self.key.owner()
    }

    /// Returns the identifier of the secret key that decrypts what it makes.
    #[must_use]
    pub fn new_owner(&self) -> KeyId {
        self.key.new_owner()
    }

    /// Returns the noise that it adds to every value, independent of the noise that is there.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        self.key.noise()
    }

    /// Turns ciphertexts of the owner, fresh or computed, into ciphertexts of the new owner with the same values. The new
    /// owner's evaluation key computes with them as with any other.
    ///
    /// # Errors
    /// [`Error::OtherKind`](crate::Error::OtherKind) if they are not packed;
    /// [`Error::OtherClient`](crate::Error::OtherClient) or [`Error::OtherParameters`](crate::Error::OtherParameters) if they
    /// are not of the owner; [`Error::Unsupported`](crate::Error::Unsupported) if they are compressed;
    /// [`Error::NoiseTooLarge`](crate::Error::NoiseTooLarge) if they would decrypt wrong with more than the stated
    /// probability.
    pub fn apply(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        let mut found = each_part(ciphertext, Execution::default(), |part, _| {
            self.key.apply(part).map(|part| vec![part])
        })?;
        let result = found.pop().expect("one result a part");
        Ok(result.with_marks(ciphertext.marks()))
    }

    /// Encodes the key for a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.key.to_bytes()
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key for a new owner, or it is of parameters that the options do not
    /// allow.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Ok(Self { key: packed::RekeyingKey::from_bytes(bytes, options)? })
    }
}
