//! The key that turns ciphertexts of one client into those of another, and its file.

use std::sync::Arc;

use cryptable_lattice::error::Result;
#[cfg(feature = "client")]
use cryptable_lattice::error::{Error, check_parameters};
#[cfg(feature = "client")]
use cryptable_lattice::key_generation::generate_key_between;
use cryptable_lattice::{Binding, KeyParameters, ReadOptions, SwitchingKey, SwitchingKeyShape};
use cryptable_ring::random::Seed;
use cryptable_ring::{Basis, Ring};
use cryptable_wire::{BodyWriter, KeyId, ObjectType, WireError, write_object};

#[cfg(feature = "client")]
use super::secret_key::SecretKey;
use crate::parameters::parameter_set::Parameters;

/// Longest body of a key for a new owner, 16 MiB.
const MAX_REKEYING_KEY_BYTES: u64 = 16 << 20;

/// A key with which a server turns ciphertexts and results of one client into those of another, without decrypting them.
///
/// Both clients' secrets are needed to generate it, and both have the same parameters. It holds one switching key modulo
/// `q_0·p_0`, the prime at the bottom of the chain and one special prime: `N·(log2 q_0 + log2 p_0)/8` bytes and some. It
/// serves in one direction. Whoever has it and the secret of the new owner can decrypt every ciphertext of the owner.
///
/// ```
/// use cryptable_packed::{Parameters, SecretKey};
/// let parameters = Parameters::insecure_toy(16, 16)?;
/// let [clinic, analyst] = [(); 2].map(|()| SecretKey::generate(&parameters));
/// let key = clinic.rekey_to(&analyst)?;
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
    ring: Ring,
    key: SwitchingKey,
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Generates a key with which a server turns this client's ciphertexts into those of `other`. Every call draws another
    /// one; all of them serve.
    ///
    /// # Errors
    /// [`Error::OtherParameters`] if the other key has other parameters; [`Error::Mismatch`] if it is this key.
    pub fn rekey_to(&self, other: &Self) -> Result<RekeyingKey> {
        let parameters = self.parameters().clone();
        check_parameters("new owner's key", parameters.digest(), other.parameters().digest())?;
        let (owner, new_owner) = (self.id(), other.id());
        if owner == new_owner {
            let expected = format!("another client key than the owner's, {owner}");
            return Err(Error::mismatch("new owner's key", new_owner, expected));
        }
        let ring = parameters.bottom_ring();
        let key = generate_key_between(&ring, self.secret(), other.secret(), shape());
        Ok(RekeyingKey { parameters, owner, new_owner, ring, key })
    }
}

/// One digit: words modulo q_0 are small against q_0·p_0.
fn shape() -> SwitchingKeyShape {
    let basis = Basis { special: 1, ..Basis::main(1) };
    SwitchingKeyShape { basis, digit_limbs: 1 }
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

    /// The switching key modulo `q_0·p_0`.
    pub(crate) fn switching_key(&self) -> &SwitchingKey {
        &self.key
    }

    /// Returns the key in its wire format: parameters, the identifiers of the owner and the new owner, the seed of the mask,
    /// and packed words of the body.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        let stored = self.key.stored();
        writer
            .bytes(&self.parameters.to_bytes())
            .and_then(|()| writer.raw(&self.owner.0))
            .and_then(|()| writer.raw(&self.new_owner.0))
            .and_then(|()| writer.raw(stored.seed.as_bytes()))
            .and_then(|()| writer.raw(stored.rows))
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
        let seed = Seed::from_bytes(reader.array("seed of a switching key")?);
        let name = "rows of a switching key";
        // Before the ring is built: its tables are larger than a key that lacks its rows.
        let rows = reader.raw(name, shape().body_bytes(&parameters.bottom_moduli()))?.to_vec();
        reader.finish()?;
        let ring = parameters.bottom_ring();
        let key = SwitchingKey::from_shared(&ring, shape(), seed, Arc::new(rows), 0)
            .ok_or_else(|| WireError::invalid(name, "others", "words below their primes"))?;
        Ok(Self { parameters, owner, new_owner, ring, key })
    }
}
