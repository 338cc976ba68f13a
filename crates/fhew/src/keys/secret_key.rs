//! The client's secrets, encryption and decryption.

use cryptable_lattice::block_secret::block_coefficients;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_encryption;
use cryptable_lattice::plaintext_encoding::PlaintextEncoding;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Error, Result};
use cryptable_ring::random::{RandomStream, SecretSeed, StreamPurpose};
use zeroize::Zeroizing;

use crate::parameters::Parameters;

/// The LWE secret and the ring secret. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// ```
/// use cryptable_fhew::parameters::Parameters;
/// use cryptable_fhew::keys::SecretKey;
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let ciphertext = secret.encrypt(11, 16)?;
/// assert_eq!(secret.decrypt(&ciphertext, 16)?, 11);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct SecretKey {
    parameters: Parameters,
    lwe: Zeroizing<Vec<i8>>,
    ring: Zeroizing<Vec<i8>>,
    /// Secret of the ring of lower degree; empty if there is none.
    small: Zeroizing<Vec<i8>>,
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({:?}, redacted)", self.parameters.literal())
    }
}

/// Draws a secret of the given distribution.
fn sample(
    count: usize,
    secret: SecretDistribution,
    stream: &mut RandomStream,
) -> Zeroizing<Vec<i8>> {
    match secret {
        SecretDistribution::UniformTernary => return stream.uniform_ternary(count),
        SecretDistribution::Blocks(blocks) => {
            return block_coefficients(count, blocks as usize, stream);
        }
        _ => {}
    }
    let mut bits = Zeroizing::new(vec![0; count]);
    stream.uniform_assign(&mut bits, 2);
    Zeroizing::new(bits.iter().map(|&bit| bit as i8).collect())
}

impl SecretKey {
    /// Draws fresh secrets: of LWE, of the ring, and of the ring of lower degree if there is one.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let seed = SecretSeed::random();
        let stream = |index| RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, index);
        let literal = parameters.literal();
        Self {
            lwe: sample(literal.lwe_dimension, literal.lwe_secret, &mut stream(0)),
            ring: sample(literal.ring_degree, literal.ring_secret, &mut stream(1)),
            small: match &literal.intermediate {
                Some(small) => sample(small.degree, small.secret, &mut stream(2)),
                None => Zeroizing::default(),
            },
            parameters: parameters.clone(),
        }
    }

    /// Wraps secrets that were read from a file; `None` if a length or a coefficient does not fit the parameters.
    #[must_use]
    pub fn from_coefficients(
        parameters: &Parameters,
        lwe: Zeroizing<Vec<i8>>,
        ring: Zeroizing<Vec<i8>>,
        small: Zeroizing<Vec<i8>>,
    ) -> Option<Self> {
        let literal = parameters.literal();
        let fits = |secret: &[i8], length, kind| {
            let least = if kind == SecretDistribution::UniformTernary { -1 } else { 0 };
            let is_one = |block: &[i8]| block.iter().map(|&c| i32::from(c)).sum::<i32>() == 1;
            let has_blocks = match kind {
                SecretDistribution::Blocks(blocks) => {
                    secret.chunks(length / blocks as usize).all(is_one)
                }
                _ => true,
            };
            secret.len() == length && secret.iter().all(|c| (least..=1).contains(c)) && has_blocks
        };
        let intermediate = literal.intermediate.map(|small| (small.degree, small.secret));
        let (small_degree, small_secret) = intermediate.unwrap_or((0, SecretDistribution::Binary));
        (fits(&lwe, literal.lwe_dimension, literal.lwe_secret)
            && fits(&ring, literal.ring_degree, literal.ring_secret)
            && fits(&small, small_degree, small_secret))
        .then(|| Self { parameters: parameters.clone(), lwe, ring, small })
    }

    /// Returns the parameters that the secrets were drawn for.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the coefficients of the LWE secret.
    #[must_use]
    pub fn lwe_coefficients(&self) -> &[i8] {
        &self.lwe
    }

    /// Returns the coefficients of the ring secret.
    #[must_use]
    pub fn ring_coefficients(&self) -> &[i8] {
        &self.ring
    }

    /// Returns the coefficients of the secret of the ring of lower degree; empty if there is no such ring.
    #[must_use]
    pub fn small_ring_coefficients(&self) -> &[i8] {
        &self.small
    }

    /// Encrypts `value` modulo `plaintext_modulus`: phase value·q/p + e, e of variance 10.5.
    ///
    /// # Errors
    /// If the value is not below the plaintext modulus, or the plaintext modulus is 0 or above the LWE modulus.
    pub fn encrypt(&self, value: u64, plaintext_modulus: u64) -> Result<LweCiphertext> {
        let q = self.parameters.lwe_modulus();
        if plaintext_modulus == 0 || plaintext_modulus > q {
            let reason = format!("it must be from 1 to the LWE modulus {q}");
            return Err(Error::PlaintextModulus { modulus: plaintext_modulus, reason });
        }
        if value >= plaintext_modulus {
            return Err(Error::ValueOutOfRange { value, index: 0, limit: plaintext_modulus });
        }
        Ok(self.encrypt_phase(PlaintextEncoding::new(plaintext_modulus, q).encode(value), q))
    }

    /// Encrypts a phase modulo `modulus`.
    #[must_use]
    pub fn encrypt_phase(&self, phase: u64, modulus: u64) -> LweCiphertext {
        lwe_encryption::encrypt_phase(&self.lwe, phase, modulus)
    }

    /// Returns the body that encrypts a phase modulo `modulus` with the given mask, which must be fresh and uniform.
    ///
    /// # Panics
    /// If the mask's length is not n.
    #[must_use]
    pub fn body_of(&self, mask: &[u64], phase: u64, modulus: u64) -> u64 {
        lwe_encryption::lwe_body(&self.lwe, mask, phase, modulus)
    }

    /// Returns the phase b + ⟨a, s⟩ under the LWE secret or the ring secret, depending on the dimension. The phase must be
    /// rounded and never handed out.
    ///
    /// # Errors
    /// If the dimension is neither n nor N.
    pub(crate) fn noisy_phase(&self, ciphertext: &LweCiphertext) -> Result<u64> {
        let secret = if ciphertext.dimension() == self.lwe.len() {
            &self.lwe
        } else if ciphertext.dimension() == self.ring.len() {
            &self.ring
        } else {
            let expected = format!("{} or {}", self.lwe.len(), self.ring.len());
            return Err(Error::mismatch("LWE dimension", ciphertext.dimension(), expected));
        };
        Ok(lwe_encryption::phase(secret, ciphertext))
    }

    /// Decrypts a value modulo `plaintext_modulus`.
    ///
    /// # Errors
    /// If the ciphertext's dimension is not that of the parameters, or the plaintext modulus is 0 or above the ciphertext's.
    pub fn decrypt(&self, ciphertext: &LweCiphertext, plaintext_modulus: u64) -> Result<u64> {
        let modulus = ciphertext.modulus();
        if plaintext_modulus == 0 || plaintext_modulus > modulus {
            let reason = format!("it must be from 1 to the modulus {modulus} of the ciphertext");
            return Err(Error::PlaintextModulus { modulus: plaintext_modulus, reason });
        }
        Ok(PlaintextEncoding::new(plaintext_modulus, modulus).decode(self.noisy_phase(ciphertext)?))
    }
}
