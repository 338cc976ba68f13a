//! The client's key: encrypts, decrypts, and generates evaluation keys.

use std::sync::Arc;

use cryptable_ckks::encryption;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::key_generation::{generate_stored_keys, generate_switching_keys};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{EvaluationKeys, KeyRequest, Progress, StoredKey, SwitchingKey};
use cryptable_ring::random::RandomStream;
use cryptable_ring::{Ring, SecretSlots, clear_stack};
use cryptable_wire::{KeyId, pack_ternary};
use num_complex::Complex64;

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
#[cfg(feature = "diagnostics")]
use crate::half_form::RlweInput;
use crate::parameters::Parameters;

/// The secret key of one client: a uniform ternary polynomial. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey {
    parameters: Parameters,
    ring: Arc<Ring>,
    secret: TernarySecret,
    id: KeyId,
}

impl SecretKey {
    /// Draws a fresh secret.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        let distribution = SecretDistribution::UniformTernary;
        let degree = parameters.literal().ring_degree;
        let secret = TernarySecret::sample(degree, distribution, &mut RandomStream::from_os());
        Self::from_secret(parameters.clone(), secret)
    }

    pub(crate) fn from_secret(parameters: Parameters, secret: TernarySecret) -> Self {
        let ring = parameters.ring();
        let packed = pack_ternary(secret.coefficients());
        let id = KeyId::of_secret("cryptable: identifier of a secret key of bits", &packed);
        clear_stack();
        Self { parameters, ring, secret, id }
    }

    /// The identifier that everything under this key carries.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.id
    }

    /// Encrypts bits with all levels for gates left.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap takes.
    pub fn encrypt(&self, bits: &[bool]) -> Result<EncryptedBits> {
        self.encrypt_at(bits, self.parameters.levels_after_bootstrap())
    }

    /// Encrypts bits with so many levels for gates left: fewer take less memory, where a circuit needs no more.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let x = secret.encrypt_at(&[true, false], 1)?;
    /// assert_eq!(x.levels(), 1);
    /// assert_eq!(secret.decrypt(&x)?, [true, false]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are more bits than a bootstrap takes, or more levels than fresh bits have.
    pub fn encrypt_at(&self, bits: &[bool], levels: usize) -> Result<EncryptedBits> {
        let limit = self.parameters.bits();
        if bits.len() > limit {
            let (name, value) = ("number of bits", bits.len() as u64);
            return Err(Error::TooLarge { name, value, limit: limit as u64 });
        }
        let slots = self.parameters.literal().ring_degree / 2;
        let limbs = self.parameters.limbs_of(levels, 0)?;
        let scale = self.parameters.circuit().scale_at(limbs);
        let mut parts = bits.chunks(slots);
        let parts = (0..self.parameters.packing().parts())
            .map(|_| {
                let mut values = SecretSlots::from_fn(slots, |_| Complex64::ZERO);
                for (i, &bit) in parts.next().unwrap_or_default().iter().enumerate() {
                    values[bit_reversed(i, slots)] = Complex64::from(f64::from(u8::from(bit)));
                }
                encryption::encrypt(&self.ring, &self.secret, &values, scale, limbs)
            })
            .collect();
        let (parameter_digest, key_id) = (self.parameters.digest(), self.id);
        let (count, bottom_limbs) = (bits.len(), self.parameters.literal().input_limbs());
        let noise = self.parameters.fresh_noise();
        Ok(EncryptedBits { parts, count, noise, bottom_limbs, parameter_digest, key_id })
    }

    /// The bits.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn decrypt(&self, bits: &EncryptedBits) -> Result<Vec<bool>> {
        bits.check(&self.parameters, self.id)?;
        let slots = self.parameters.literal().ring_degree / 2;
        let mut decrypted = Vec::with_capacity(bits.parts.len() * slots);
        for part in &bits.parts {
            let values = encryption::decrypt_integers(&self.ring, &self.secret, part, slots);
            decrypted.extend((0..slots).map(|i| values[bit_reversed(i, slots)] == 1));
        }
        decrypted.truncate(bits.count);
        Ok(decrypted)
    }

    /// Distances of the slots from `expected`: what is left of the margin of 1/2.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn errors(&self, bits: &EncryptedBits, expected: &[bool]) -> Result<Vec<f64>> {
        bits.check(&self.parameters, self.id)?;
        let slots = self.parameters.literal().ring_degree / 2;
        let values = bits.parts.iter().flat_map(|part| {
            let values = encryption::decrypt(&self.ring, &self.secret, part, slots);
            (0..slots).map(move |i| values[bit_reversed(i, slots)])
        });
        let distance = |(value, &bit): (Complex64, &bool)| value.re - f64::from(u8::from(bit));
        Ok(values.zip(expected).map(distance).collect())
    }

    /// Distances of coefficients from `expected[i]/m`, as fractions of q_0.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn coefficient_errors(&self, values: &RlweInput, expected: &[u64]) -> Result<Vec<f64>> {
        values.check(&self.parameters, self.id)?;
        let phases =
            encryption::decrypt_coefficients(&self.ring, &self.secret, values.ciphertext());
        let modulus = self.ring.main_prime(0) as f64;
        let error = |(phase, &value): (f64, &u64)| {
            let error = phase / modulus - value as f64 / values.modulus() as f64;
            error - error.round()
        };
        Ok(phases.into_iter().zip(expected).map(error).collect())
    }

    /// The evaluation key for a server.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        let mut keys = EvaluationKeys::new();
        self.generate_keys(progress, |request, key| {
            keys.insert(request.purpose, key);
            Ok(())
        })?;
        Ok(EvaluationKey::new(self.parameters.clone(), self.id, Arc::clone(&self.ring), keys))
    }

    /// Generates the switching keys one at a time.
    ///
    /// # Errors
    /// Whatever `consume` returns, or [`Error::Cancelled`].
    pub(crate) fn generate_keys(
        &self,
        progress: Progress<'_>,
        consume: impl FnMut(KeyRequest, SwitchingKey) -> Result<()>,
    ) -> Result<()> {
        let secret = (&self.secret, self.parameters.literal().sparse_weight);
        let requests = self.parameters.circuit().key_requests();
        generate_switching_keys(&self.ring, secret, requests, progress, consume)
    }

    /// Generates what a file holds of the switching keys, one at a time.
    ///
    /// # Errors
    /// Whatever `consume` returns, or [`Error::Cancelled`].
    pub(crate) fn generate_stored_keys(
        &self,
        requests: &[KeyRequest],
        progress: Progress<'_>,
        consume: impl FnMut(StoredKey<'_>) -> Result<()>,
    ) -> Result<()> {
        let secret = (&self.secret, self.parameters.literal().sparse_weight);
        generate_stored_keys(&self.ring, secret, requests, progress, consume)
    }

    /// The parameters of everything that this key encrypts.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The secret polynomial itself, for keys that conversions make of it.
    #[must_use]
    pub fn secret(&self) -> &TernarySecret {
        &self.secret
    }
}

/// The slot of bit i: SlotsToCoeffs takes slots in bit-reversed order, so that bit i comes to coefficient i.
fn bit_reversed(i: usize, slots: usize) -> usize {
    i.reverse_bits() >> (usize::BITS - slots.ilog2())
}
