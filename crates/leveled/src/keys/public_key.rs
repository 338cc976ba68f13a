//! The public key of lookups and AES: encryption of integers bit by bit for the holder of a secret key.

use cryptable_fhew::keys::{self, PublicParameters};
use cryptable_lattice::Result;
use cryptable_lattice::lwe_list::LweList;

use super::client_key::ClientKey;
use super::server_key::CircuitParameters;
use crate::bootstrapping::ciphertext_count;

/// The public key of one client: anyone who has it encrypts, only the secret key decrypts.
///
/// ```
/// use cryptable_lattice::ReadOptions;
/// use cryptable_leveled::aes::{Parameters, PublicKey, SecretKey};
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let file = secret.public_key()?.to_bytes();
/// let public = PublicKey::from_bytes(&file, ReadOptions::default())?;
/// assert_eq!(*secret.decrypt(&public.encrypt(b"bytes")?)?, *b"bytes");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey<P>(keys::PublicKey<P>);

cryptable_lattice::engine_key!(PublicKey<P: CircuitParameters, PublicParameters>, keys::PublicKey<P>);

impl<P: CircuitParameters + PublicParameters> ClientKey<P> {
    /// Generates a public key of this secret key. Every call draws a new one; ciphertexts under any of them belong to this
    /// secret key.
    ///
    /// # Errors
    /// The errors of [`keys::ClientKey::public_key`].
    pub fn public_key(&self) -> Result<PublicKey<P>> {
        (**self).public_key().map(PublicKey)
    }
}

impl<P: CircuitParameters + PublicParameters> PublicKey<P> {
    /// Encrypts integers of `bits` bits, the lowest first, with one ciphertext per
    /// [`crate::parameters::CircuitBootstrappingParameters::bits_per_ciphertext`] bits.
    pub(crate) fn encrypt_each(
        &self,
        bits: usize,
        values: impl IntoIterator<Item = u64>,
    ) -> LweList {
        let circuit = self.parameters().circuit_bootstrapping();
        let each = circuit.bits_per_ciphertext();
        let places = ciphertext_count(bits, each) as u32;
        let step = circuit.fhew().large_modulus() >> each;
        let phase = |(value, place): (u64, u32)| (value >> (place * each)) % (1 << each) * step;
        let digits =
            values.into_iter().flat_map(|value| (0..places).map(move |place| (value, place)));
        self.encrypt_phases(&digits.map(phase).collect::<Vec<u64>>())
    }
}
