//! The public key of bits: encrypts words of circuits to the holder of a secret key.

use cryptable_ckks::Ciphertext;
use cryptable_ckks::plaintext::rounded_coefficients;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::ring_public_key::{RingPublicKey, RingPublicParameters};
use cryptable_ring::{Embedding, RingModuli};
use cryptable_wire::ObjectType;
use zeroize::Zeroizing;

use crate::encrypted_bits::EncryptedBits;
use crate::parameters::Parameters;
use crate::secret_key::SecretKey;

/// A public key of bits: anyone who has it can encrypt, only the secret key decrypts.
///
/// One ring element modulo the primes of all levels and one special prime, and a seed. Bits have one rounding of noise
/// more than bits that the secret key encrypts ([`Parameters::public_noise`]); plans of circuits can count on it.
///
/// ```
/// use cryptable_bits::{Gate, Packing, Parameters, PublicKey, SecretKey};
/// use cryptable_lattice::{Progress, ReadOptions};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
/// let file = secret.public_key()?.to_bytes();
/// let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
/// let x = public.encrypt(&[false, true])?;
/// let server = secret.evaluation_key(Progress::silent())?;
/// let nand = server.gate(Gate::Nand, &x, &secret.encrypt(&[true, true])?)?;
/// assert_eq!(secret.decrypt(&nand)?, [true, false]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey(RingPublicKey<Parameters>);

cryptable_lattice::engine_key!(PublicKey, RingPublicKey<Parameters>);

impl RingPublicParameters for Parameters {
    const PUBLIC_KEY: ObjectType = ObjectType::SlotBitsPublicKey;

    fn public_moduli(&self) -> RingModuli {
        self.moduli_of_fresh_bits()
    }
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws another one; ciphertexts of all of them belong to
    /// this secret key.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for parameters of several owners, or if the secret's norm exceeds the bound on noise, with a
    /// probability below 2^-80.
    pub fn public_key(&self) -> Result<PublicKey> {
        if !self.parameters().literal().owners.is_one() {
            return Err(Error::Unsupported("public keys of bits of several owners".into()));
        }
        (**self).public_key().map(PublicKey)
    }
}

impl PublicKey {
    /// Encrypts bits with all levels for gates left.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap holds.
    pub fn encrypt(&self, bits: &[bool]) -> Result<EncryptedBits> {
        self.encrypt_at(bits, self.parameters().levels_after_bootstrap())
    }

    /// Encrypts bits with `levels` levels for gates left. Fewer levels need less memory, if the circuit needs no more.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap holds, or more levels than fresh bits have.
    pub fn encrypt_at(&self, bits: &[bool], levels: usize) -> Result<EncryptedBits> {
        let (parameters, binding) = (self.parameters(), self.binding());
        let (degree, slots) = (parameters.literal().ring_degree, parameters.literal().slots());
        let (embedding, noise) = (Embedding::new(slots), parameters.public_noise());
        parameters.encrypted(bits, levels, binding, noise, |values, scale, limbs| {
            let coefficients = rounded_coefficients(degree, &embedding, values, scale);
            let parts = self.0.encrypt_at(&Zeroizing::new(coefficients), limbs);
            Ciphertext { parts, scale }
        })
    }
}
