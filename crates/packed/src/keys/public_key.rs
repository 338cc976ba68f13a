//! The public key: encrypts values for the holder of a secret key.

use cryptable_lattice::KeyParameters;
use cryptable_lattice::coefficient_ciphertext::RlwePublicKey;
use cryptable_lattice::error::Result;
use cryptable_lattice::{Binding, NoiseBound, ReadOptions};
use cryptable_wire::{BodyWriter, KeyId, ObjectType, write_object};

use super::secret_key::{SecretKey, check_plain_values};
use crate::ciphertext::Ciphertext;
use crate::parameters::parameter_set::Parameters;

/// Longest body of a public key, 2 MiB.
const MAX_PUBLIC_KEY_BYTES: u64 = 2 << 20;

/// A public key of packed values: anyone who has it encrypts, only the secret key decrypts.
///
/// One ring element and a seed, `N·k/8` bytes and some at ring degree N and a ciphertext modulus of 2^k: 0.23 MB for 8 bits.
/// Ciphertexts are twice as large as fresh ones of the secret key, since their masks have no seed, and as noisy as
/// [`PublicKey::noise`] states.
///
/// ```
/// use cryptable_packed::{Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let public = secret.public_key()?;
/// let ciphertext = public.encrypt(&[3, 1, 4])?;
/// assert_eq!(secret.decrypt(&ciphertext)?, [3, 1, 4]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey {
    parameters: Parameters,
    binding: Binding,
    key: RlwePublicKey,
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws another one; ciphertexts of all of them belong to this
    /// key.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Unsupported`] if the secret's norm exceeds the bound on noise, with a probability below 2^-80.
    pub fn public_key(&self) -> Result<PublicKey> {
        let parameters = self.parameters().clone();
        let log2_modulus = parameters.literal().log2_ciphertext_modulus;
        let key = RlwePublicKey::generate(self.secret().coefficients(), log2_modulus)?;
        Ok(PublicKey { parameters, binding: *self.binding(), key })
    }
}

impl PublicKey {
    /// Returns the parameters of everything that this key encrypts.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the identifier of the secret key, which the secret key, evaluation keys and ciphertexts share.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Returns the noise of ciphertexts with values of this modulus.
    #[must_use]
    pub fn noise(&self, modulus: u64) -> NoiseBound {
        let literal = self.parameters.literal();
        let ciphertext_modulus = f64::from(literal.log2_ciphertext_modulus).exp2();
        NoiseBound::by_public_key(literal.ring_degree, ciphertext_modulus, modulus)
    }

    /// Encrypts up to [`SecretKey::values_per_ciphertext`] values of `Z_p` into one ciphertext.
    ///
    /// # Errors
    /// If there are more values than slots, or one is not below p; [`cryptable_lattice::Error::NoiseTooLarge`] if a lookup would fail more
    /// often than the parameters state.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let modulus = self.parameters.input_modulus();
        check_plain_values(&self.parameters, values, modulus)?;
        let noise = self.noise(modulus);
        let digits = self.parameters.circuit().digits();
        self.parameters.checked_result_noise(&[(noise, digits)])?;
        let body = self.key.encrypt(values, self.parameters.literal().input_slots(), modulus);
        Ok(Ciphertext::new(self.binding, noise, body))
    }

    /// Returns a ciphertext of the same values with a fresh mask: the sum with a fresh encryption of zero.
    ///
    /// Whoever has no secret key cannot tell of which ciphertext it was made, if RLWE is hard. The holder of the secret key
    /// can, by the noise.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let ciphertext = secret.encrypt(&[3, 1, 4])?;
    /// let again = secret.public_key()?.rerandomize(&ciphertext)?;
    /// assert_eq!(secret.decrypt(&again)?, [3, 1, 4]);
    /// assert_ne!(again, ciphertext);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext is of another client or other parameters, or compressed;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if it would decrypt wrong with more than the stated probability.
    pub fn rerandomize(&self, ciphertext: &Ciphertext) -> Result<Ciphertext> {
        ciphertext.check(&self.parameters, &self.binding, None)?;
        let (body, modulus) = (ciphertext.body(), ciphertext.modulus());
        let noise = ciphertext.noise().with_independent(self.noise(modulus));
        let limit = self.parameters.stated_log2_fail();
        noise.check_decryption("decryption after a fresh mask", modulus, limit)?;
        let zeros = self.key.encrypt(&vec![0; ciphertext.count()], body.layout.slots, modulus);
        Ok(Ciphertext::new(self.binding, noise, body.add(&zeros)?))
    }

    /// Returns the key in its wire format: parameters, the identifier of the secret key, the ring element and the seed.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer
            .bytes(&self.parameters.to_bytes())
            .and_then(|()| writer.raw(&self.id().0))
            .and_then(|()| self.key.write(&mut writer))
            .and_then(|()| {
                let digest = self.binding.parameter_digest;
                write_object(&mut bytes, ObjectType::PackedPublicKey, &digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a public key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged public key, or it is of insecure parameters where those are not allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let object_type = ObjectType::PackedPublicKey;
        let (parameters, mut reader) =
            Parameters::open(bytes, object_type, MAX_PUBLIC_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        let literal = parameters.literal();
        let (degree, log2_modulus) = (literal.ring_degree, literal.log2_ciphertext_modulus);
        let key = RlwePublicKey::read(&mut reader, degree, log2_modulus)?;
        reader.finish()?;
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Ok(Self { parameters, binding, key })
    }
}
