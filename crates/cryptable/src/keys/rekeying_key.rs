//! Rekeying keys, which turn ciphertexts of one client into those of another.

use cryptable_wire::{KeyId, ObjectType, WireError, peek_header};

use super::KeyParameters;
use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::engines::{leveled, packed, single};
use crate::{Ciphertext, Engine, NoiseBound, Parameters, ReadOptions, Result};
#[cfg(feature = "client")]
use crate::{Error, PublicKey, SecretKey};

/// Key with which a server turns ciphertexts and results of one client into those of another without decrypting them,
/// to replace a secret key or to hand results to an analyst.
///
/// [`SecretKey::rekey_to`](crate::SecretKey::rekey_to) creates it from the owner's secret and the new owner's public
/// key. It works in one direction and needs no evaluation key. Its size is 1.6 MB for packed values of 8 bits, and 26
/// kB for single and leveled ones. Values stay the same, and noise grows by [`RekeyingKey::noise`].
///
/// **Whoever has this key and the new owner's secret can decrypt every ciphertext of the owner**, not only those that
/// were handed over. Give it only to the server, and only to one that the new owner does not control, unless the owner
/// means to share everything.
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
    key: Key,
}

#[derive(Debug)]
enum Key {
    Packed(packed::RekeyingKey),
    Single(single::RekeyingKey),
    Leveled(leveled::RekeyingKey),
}

macro_rules! each_key {
    ($key:expr, $it:ident => $of:expr) => {
        match &$key {
            Key::Packed($it) => $of,
            Key::Single($it) => $of,
            Key::Leveled($it) => $of,
        }
    };
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Generates a key with which a server turns ciphertexts of this key into those of the holder of another secret
    /// key, given the public key of that holder. Every call draws a new key, and all of them work.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if keys of either kind cannot be rekeyed, as only keys for lookups can;
    /// [`Error::OtherParameters`] if the public key has other parameters; [`Error::Mismatch`] if it belongs to this
    /// key.
    pub fn rekey_to(&self, new_owner: &PublicKey) -> Result<RekeyingKey> {
        let key = match self {
            Self::Packed(secret) => Key::Packed(secret.rekey_to(new_owner.packed()?)?),
            Self::Single(secret) => Key::Single(secret.rekey_to(new_owner.single()?)?),
            Self::Leveled(secret) => Key::Leveled(secret.rekey_to(new_owner.leveled()?)?),
            _ => {
                let kind = self.kind();
                let what =
                    format!("keys for a new owner of kind {kind}: only keys of lookups have them");
                return Err(Error::Unsupported(what));
            }
        };
        Ok(RekeyingKey { key })
    }
}

impl RekeyingKey {
    /// Returns the parameters of both clients.
    #[must_use]
    pub fn parameters(&self) -> KeyParameters {
        each_key!(self.key, key => Parameters::from(key.parameters().clone()).into())
    }

    /// Returns the engine of the ciphertexts that it converts.
    #[must_use]
    pub fn engine(&self) -> Engine {
        match &self.key {
            Key::Packed(_) => Engine::Packed,
            Key::Single(_) => Engine::Single,
            Key::Leveled(_) => Engine::Leveled,
        }
    }

    /// Returns the identifier of the secret key whose ciphertexts it converts.
    #[must_use]
    pub fn owner(&self) -> KeyId {
        each_key!(self.key, key => key.owner().key_id)
    }

    /// Returns the identifier of the secret key that decrypts the converted ciphertexts.
    #[must_use]
    pub fn new_owner(&self) -> KeyId {
        each_key!(self.key, key => key.new_owner().key_id)
    }

    /// Returns the noise that it adds to every ciphertext of a value, independent of the noise already there.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        match &self.key {
            Key::Packed(key) => key.noise(),
            Key::Single(key) => NoiseBound::of_law(key.noise(), 0.0),
            Key::Leveled(key) => NoiseBound::of_law(key.noise(), 0.0),
        }
    }

    /// Turns ciphertexts of the owner, fresh or computed, into ciphertexts of the new owner with the same values. The
    /// new owner's evaluation key computes with them as with any other. An exception are results of single lookups,
    /// which may have too much noise for another lookup; it then refuses them.
    ///
    /// # Errors
    /// [`Error::OtherKind`](crate::Error::OtherKind) if they are of another engine;
    /// [`Error::OtherClient`](crate::Error::OtherClient) or [`Error::OtherParameters`](crate::Error::OtherParameters) if they
    /// are not of the owner; [`Error::Unsupported`](crate::Error::Unsupported) if they are compressed, or single or leveled
    /// values that a public key encrypted and no lookup has seen;
    /// [`Error::NoiseTooLarge`](crate::Error::NoiseTooLarge) if they would decrypt wrong with more than the stated
    /// probability.
    pub fn apply(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        let apply = |part: &Part| -> Result<Part> {
            Ok(match (&self.key, part) {
                (Key::Packed(key), Part::Packed(part)) => key.apply(part)?.into(),
                (Key::Single(key), Part::Single(part)) => key.apply(part)?.into(),
                (Key::Leveled(key), Part::Leveled(part)) => leveled::hand_over(key, part)?.into(),
                _ => return Err(other_engine("ciphertext", self.engine(), part.engine())),
            })
        };
        let parts = ciphertext.parts().iter().map(apply).collect::<Result<_>>()?;
        Ok(Ciphertext::new(parts)?.with_marks(ciphertext.marks()))
    }

    /// Encodes the key for a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        each_key!(self.key, key => key.to_bytes())
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged rekeying key, or if `options` refuse its parameters.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let key = match peek_header(bytes)?.object_type {
            ObjectType::PackedRekeyingKey => {
                Key::Packed(packed::RekeyingKey::from_bytes(bytes, options)?)
            }
            ObjectType::SingleRekeyingKey => {
                Key::Single(single::RekeyingKey::from_bytes(bytes, options)?)
            }
            ObjectType::LeveledRekeyingKey => {
                Key::Leveled(leveled::RekeyingKey::from_bytes(bytes, options)?)
            }
            found => {
                let expected = "a key that gives ciphertexts a new owner";
                return Err(WireError::WrongKind { expected, found }.into());
            }
        };
        Ok(Self { key })
    }
}
