//! The public key of vectors: encrypts to the holder of a secret key.

use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_lattice::ring_public_key::{RingPublicKey, RingPublicParameters};
use cryptable_lattice::{Binding, Owners, Result};
use cryptable_ring::{Chain, RingModuli};
use cryptable_wire::ObjectType;
use zeroize::Zeroizing;

use crate::encryption::{Encryption, encrypting_key};
use crate::parameters::Parameters;
use crate::secret_key::SecretKey;

/// A public key of vectors: anyone who has it can encrypt, only the secret key decrypts.
///
/// One ring element modulo the primes of all levels and one special prime, and a seed: 0.78 MB for seven levels of 40
/// bits at ring degree 16,384. Ciphertexts have the error of a rounding, which is larger than that of ciphertexts that
/// the secret key encrypts, and state it.
///
/// ```
/// use cryptable_approximate::{Parameters, PublicKey, SecretKey};
/// use cryptable_lattice::ReadOptions;
/// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
/// let file = secret.public_key()?.to_bytes();
/// let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
/// let x = public.encrypt_reals(&[0.5, -0.25])?;
/// assert!((secret.decrypt_reals(&x)?[1] + 0.25).abs() < 1e-5);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey(RingPublicKey<Parameters>);

cryptable_lattice::engine_key!(PublicKey, RingPublicKey<Parameters>);

impl RingPublicParameters for Parameters {
    const PUBLIC_KEY: ObjectType = ObjectType::VectorPublicKey;

    fn public_moduli(&self) -> RingModuli {
        let chain = Chain::new(self.primes(self.level_scales().top()));
        RingModuli::new(self.literal().ring_degree, vec![chain], &[self.special_prime()])
    }
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws another one; ciphertexts of all of them belong to
    /// this secret key.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Unsupported`] if the secret's norm exceeds the bound on noise, with a probability below 2^-80.
    pub fn public_key(&self) -> Result<PublicKey> {
        (**self).public_key().map(PublicKey)
    }
}

impl Encryption for PublicKey {
    fn parameters(&self) -> &Parameters {
        self.0.parameters()
    }

    fn binding(&self) -> &Binding {
        self.0.binding()
    }

    /// Returns the shape of a ciphertext with the rounding of the division by the special prime p, and the key's error
    /// divided by p.
    fn shape(&self) -> Shape {
        let parameters = self.0.parameters();
        let (dry_run, levels) = (parameters.dry_run(), parameters.level_scales());
        let scale = levels.scale_at(levels.top());
        let of_key = Owners::ONE.public_error_variance(parameters.literal().ring_degree)
            / (parameters.special_prime() as f64).powi(2);
        let mut noise = dry_run.rounding_noise(scale);
        noise += SlotNoise::gaussian(dry_run.slots_of_coefficients(of_key, scale));
        parameters.encrypted_shape(1.0, noise)
    }

    fn encrypt_coefficients(
        &self,
        coefficients: Zeroizing<Vec<i64>>,
        scale: f64,
    ) -> cryptable_ckks::Ciphertext {
        cryptable_ckks::Ciphertext { parts: self.0.encrypt(&coefficients), scale }
    }
}

encrypting_key!(PublicKey);
