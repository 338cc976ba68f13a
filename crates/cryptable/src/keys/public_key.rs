//! Public keys: anyone who has one encrypts for the holder of the secret key.

use cryptable_wire::KeyId;

use crate::ciphertext::Ciphertext;
use crate::engines::packed;
use crate::{Error, KeyParameters, Parameters, ReadOptions, Result, SecretKey};

/// A client's public key. Its ciphertexts can be looked up and decrypted like those of the secret key.
///
/// Phones or hospitals can thus send values to a server without sharing a secret: whoever has the public key encrypts, and
/// only the holder of the secret key decrypts. Ciphertexts have more noise than those of the secret key, which the stated
/// failure probabilities include, and twice their size. Packed values have public keys so far.
///
/// ```
/// use cryptable::{Engine, Parameters, PublicKey, ReadOptions, SecretKey, Table};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
/// let server = secret.evaluation_key();
/// let file = secret.public_key()?.to_bytes();
///
/// // A contributor has nothing but the file of the public key.
/// let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
/// let values = public.encrypt(&[3, 1, 4])?;
///
/// let squares = server.prepare(&Table::from_fn(16, 16, |x| x * x % 16)?)?;
/// assert_eq!(secret.decrypt(&server.lookup(&values, &squares)?)?, [9, 1, 0]);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey {
    packed: packed::PublicKey,
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws another one; all of them serve.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if keys of this kind have no public keys: only those of packed lookups do.
    pub fn public_key(&self) -> Result<PublicKey> {
        match self.packed() {
            Ok(secret) => Ok(PublicKey { packed: secret.public_key()? }),
            Err(_) => {
                let kind = self.parameters().kind();
                Err(Error::Unsupported(format!("public keys of {kind}: packed lookups have them")))
            }
        }
    }
}

impl PublicKey {
    /// Returns the parameters of the secret key.
    #[must_use]
    pub fn parameters(&self) -> KeyParameters {
        Parameters::from(self.packed.parameters().clone()).into()
    }

    /// Returns the identifier of the secret key, which its evaluation keys and ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.packed.id()
    }

    /// Encrypts one or more integers below the input modulus. Decryption returns them in the same order.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] for the first value that is not below the input modulus; [`Error::TooSmall`] if there is
    /// no value; [`Error::NoiseTooLarge`] if lookups of such ciphertexts would fail more often than the parameters state.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let per_part = self.packed.parameters().literal().slots;
        Ciphertext::of_chunks(values, per_part, |part| Ok(self.packed.encrypt(part)?.into()))
    }

    /// Encodes the key for a file. It reveals nothing about the secret key.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.packed.to_bytes()
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged public key, or it is of parameters that the options do not allow.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        Ok(Self { packed: packed::PublicKey::from_bytes(bytes, options)? })
    }
}
