//! The key that turns ciphertexts of one client into those of another, and its file.

use std::sync::Arc;

use cryptable_lattice::error::Result;
#[cfg(feature = "client")]
use cryptable_lattice::error::{Error, check_parameters};
use cryptable_lattice::{Binding, KeyParameters, ReadOptions, RlweCiphertext};
use cryptable_ring::{Poly, Ring};
use cryptable_wire::{BodyWriter, KeyId, ObjectType, WireError, write_object};

#[cfg(feature = "client")]
use super::public_key::PublicKey;
#[cfg(feature = "client")]
use super::secret_key::SecretKey;
use crate::parameters::parameter_set::Parameters;

/// Longest body of a key for a new owner, 16 MiB.
const MAX_REKEYING_KEY_BYTES: u64 = 16 << 20;

/// A key with which a server turns ciphertexts and results of one client into those of another, without decrypting them.
///
/// The owner's secret and the public key of the new owner make it; both have the same parameters. It is an encryption of
/// `p_0·s`, s the owner's secret, under the new owner's secret modulo `q_0·p_0`, the prime at the bottom of the chain and one
/// special prime: `N·(log2 q_0 + log2 p_0)/4` bytes and some. It serves in one direction. Whoever has it and the secret of the
/// new owner can decrypt every ciphertext of the owner.
///
/// ```
/// use cryptable_packed::{Parameters, SecretKey};
/// let parameters = Parameters::insecure_toy(16, 16)?;
/// let [clinic, analyst] = [(); 2].map(|()| SecretKey::generate(&parameters));
/// let key = clinic.rekey_to(&analyst.public_key()?)?;
/// let handed_over = key.apply(&clinic.encrypt(&[3, 1, 4])?)?;
/// assert_eq!(analyst.decrypt(&handed_over)?, [3, 1, 4]);
/// assert!(clinic.decrypt(&handed_over).is_err());
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Debug)]
pub struct RekeyingKey {
    parameters: Parameters,
    owner: KeyId,
    new_owner: KeyId,
    ring: Arc<Ring>,
    key: RlweCiphertext,
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Generates a key with which a server turns this client's ciphertexts into those of the holder of another secret key.
    /// Every call draws another one; all of them serve.
    ///
    /// # Errors
    /// [`Error::OtherParameters`] if the public key has other parameters; [`Error::Mismatch`] if it is of this key.
    pub fn rekey_to(&self, new_owner: &PublicKey) -> Result<RekeyingKey> {
        let parameters = self.parameters().clone();
        let other = new_owner.parameters().digest();
        check_parameters("new owner's key", parameters.digest(), other)?;
        if self.id() == new_owner.id() {
            let expected = format!("another client's public key than the owner's, {}", self.id());
            return Err(Error::mismatch("new owner's key", new_owner.id(), expected));
        }
        let key = new_owner.encrypt_times_special(self.secret().coefficients());
        let ring = Arc::clone(new_owner.ring());
        Ok(RekeyingKey { parameters, owner: self.id(), new_owner: new_owner.id(), ring, key })
    }
}

impl RekeyingKey {
    /// Returns the parameters of both clients.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifier of the secret key whose ciphertexts it takes.
    #[must_use]
    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// Returns the identifier of the secret key that decrypts the results.
    #[must_use]
    pub fn new_owner(&self) -> KeyId {
        self.new_owner
    }

    /// The binding of ciphertexts of one of both clients.
    pub(crate) fn binding(&self, key_id: KeyId) -> Binding {
        Binding { parameter_digest: self.parameters.digest(), key_id }
    }

    /// The ring of the switching key.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The encryption of `p_0·s` modulo `q_0·p_0`.
    pub(crate) fn encrypted_secret(&self) -> &RlweCiphertext {
        &self.key
    }

    /// Returns the key in its wire format: parameters, the identifiers of the owner and the new owner, and packed words of
    /// both halves.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        let moduli = self.ring.moduli().values();
        writer
            .bytes(&self.parameters.to_bytes())
            .and_then(|()| writer.raw(&self.owner.0))
            .and_then(|()| writer.raw(&self.new_owner.0))
            .and_then(|()| writer.packed_limbs(self.key.c0.words(), moduli))
            .and_then(|()| writer.packed_limbs(self.key.c1.words(), moduli))
            .and_then(|()| {
                let digest = self.parameters.digest();
                write_object(&mut bytes, ObjectType::PackedRekeyingKey, &digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key for a new owner, or it is of insecure parameters where those are not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let object_type = ObjectType::PackedRekeyingKey;
        let (parameters, mut reader) =
            Parameters::open(bytes, object_type, MAX_REKEYING_KEY_BYTES, options)?;
        let owner = KeyId(reader.array("owner's key identifier")?);
        let new_owner = KeyId(reader.array("new owner's key identifier")?);
        if owner == new_owner {
            let expected = "another client key than the owner's";
            return Err(
                WireError::invalid("new owner's key identifier", new_owner, expected).into()
            );
        }
        // Words before the ring, whose tables are larger than a key that lacks them.
        let moduli = parameters.bottom_moduli();
        let mut words = || {
            let name = "words of a rekeying key";
            reader.packed_limbs(name, moduli.degree(), moduli.values())
        };
        let halves = [words()?, words()?];
        reader.finish()?;
        let ring = Arc::new(parameters.bottom_ring());
        let [c0, c1] = halves.map(|words| Poly::from_words(&ring, ring.full_basis(), words));
        Ok(Self { parameters, owner, new_owner, ring, key: RlweCiphertext { c0, c1 } })
    }
}
