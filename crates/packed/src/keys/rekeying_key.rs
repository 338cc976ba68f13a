//! The key that turns ciphertexts of one client into those of another, and its file.

use std::sync::Arc;

use cryptable_lattice::error::Result;
use cryptable_lattice::{Binding, Handover, KeyParameters, ReadOptions, RlweCiphertext};
use cryptable_ring::{Poly, Ring};
use cryptable_wire::{ObjectType, object_bytes};

#[cfg(feature = "client")]
use super::public_key::PublicKey;
#[cfg(feature = "client")]
use super::secret_key::SecretKey;
use crate::parameters::parameter_set::Parameters;

/// Maximum length of the body of a rekeying key, 16 MiB.
const MAX_REKEYING_KEY_BYTES: u64 = 16 << 20;

/// A key with which a server turns ciphertexts and results of one client into those of another, without decrypting them.
///
/// The key is made from the owner's secret and the public key of the new owner; both have the same parameters. The key
/// is an encryption of `p_0·s`, s the owner's secret, under the new owner's secret modulo `q_0·p_0`, the prime at the
/// bottom of the chain and one special prime: slightly more than `N·(log2 q_0 + log2 p_0)/4` bytes. The key works in
/// one direction only. Whoever has it and the secret of the new owner can decrypt every ciphertext of the owner.
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
    handover: Handover,
    ring: Arc<Ring>,
    key: RlweCiphertext,
}

#[cfg(feature = "client")]
impl SecretKey {
    /// Generates a key with which a server turns this client's ciphertexts into those of the holder of another secret
    /// key. Every call draws a new one; all of them work.
    ///
    /// # Errors
    /// The errors of [`Handover::between`].
    pub fn rekey_to(&self, new_owner: &PublicKey) -> Result<RekeyingKey> {
        let parameters = self.parameters().clone();
        let handover = Handover::between(self.binding(), new_owner.binding())?;
        let key = new_owner.encrypt_times_special(self.secret().coefficients());
        Ok(RekeyingKey { parameters, handover, ring: Arc::clone(new_owner.ring()), key })
    }
}

impl RekeyingKey {
    /// Returns the parameters of both clients.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the binding of the ciphertexts that the key applies to: the owner's.
    #[must_use]
    pub fn owner(&self) -> &Binding {
        &self.handover.owner
    }

    /// Returns the binding of the ciphertexts that the key makes: the new owner's.
    #[must_use]
    pub fn new_owner(&self) -> &Binding {
        &self.handover.new_owner
    }

    /// Returns the ring of q_0 and p_0.
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The encryption of `p_0·s` modulo `q_0·p_0`.
    pub(crate) fn encrypted_secret(&self) -> &RlweCiphertext {
        &self.key
    }

    /// Returns the key in its wire format: parameters, the identifiers of the owner and the new owner, and packed words of
    /// both halves.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(ObjectType::PackedRekeyingKey, &self.parameters.digest(), |writer| {
            writer.bytes(&self.parameters.to_bytes())?;
            self.handover.write(writer)?;
            self.key.write(writer, self.ring.moduli())
        })
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key for a new owner, or its parameters are insecure and the options
    /// do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let object_type = ObjectType::PackedRekeyingKey;
        let (parameters, mut reader) =
            Parameters::open(bytes, object_type, MAX_REKEYING_KEY_BYTES, options)?;
        let handover = Handover::read(&mut reader, parameters.digest())?;
        // Reads the words before the ring is built: a truncated key must not cause the allocation of the ring's larger
        // tables.
        let moduli = parameters.bottom_moduli();
        let mut words = || {
            let name = "words of a rekeying key";
            reader.packed_limbs(name, moduli.degree(), moduli.values())
        };
        let halves = [words()?, words()?];
        reader.finish()?;
        let ring = Arc::new(Ring::of(moduli));
        let [c0, c1] = halves.map(|words| Poly::from_words(&ring, ring.full_basis(), words));
        Ok(Self { parameters, handover, ring, key: RlweCiphertext { c0, c1 } })
    }
}
