//! The client's key: encrypts, decrypts, and generates evaluation keys.

use std::sync::Arc;

use cryptable_ckks::encryption;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{EvaluationKeys, Progress};
use cryptable_ring::Ring;
use cryptable_ring::random::RandomStream;
use cryptable_wire::KeyId;
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
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
        let mut bytes = Zeroizing::new(vec![0; degree]);
        bytes.iter_mut().zip(secret.coefficients()).for_each(|(byte, &c)| *byte = c as u8);
        let id = KeyId::of_secret("cryptable: identifier of a secret key of bits", &bytes);
        Self { parameters: parameters.clone(), ring: Arc::new(parameters.ring()), secret, id }
    }

    /// Encrypts bits with all levels for gates left.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap takes.
    pub fn encrypt(&self, bits: &[bool]) -> Result<EncryptedBits> {
        let limit = self.parameters.bits();
        if bits.len() > limit {
            let (name, value) = ("number of bits", bits.len() as u64);
            return Err(Error::TooLarge { name, value, limit: limit as u64 });
        }
        let slots = self.parameters.literal().ring_degree / 2;
        let limbs = self.parameters.literal().output_limbs();
        let scale = self.parameters.circuit().scale_at(limbs);
        let mut parts = bits.chunks(slots);
        let parts = (0..self.parameters.packing().parts())
            .map(|_| {
                let mut slots: Vec<Complex64> = Vec::with_capacity(slots);
                let part = parts.next().unwrap_or_default();
                slots.extend(part.iter().map(|&bit| Complex64::from(f64::from(u8::from(bit)))));
                slots.resize(self.parameters.literal().ring_degree / 2, Complex64::ZERO);
                encryption::encrypt(&self.ring, &self.secret, &slots, scale, limbs)
            })
            .collect();
        let (parameter_digest, key_id) = (self.parameters.digest(), self.id);
        let (count, bottom_limbs) = (bits.len(), self.parameters.literal().input_limbs());
        Ok(EncryptedBits { parts, count, bottom_limbs, parameter_digest, key_id })
    }

    /// The bits.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    pub fn decrypt(&self, bits: &EncryptedBits) -> Result<Vec<bool>> {
        bits.check(&self.parameters, self.id)?;
        let slots = self.parameters.literal().ring_degree / 2;
        let integers = |part| encryption::decrypt_integers(&self.ring, &self.secret, part, slots);
        let values = bits.parts.iter().flat_map(|part| integers(part).to_vec());
        Ok(values.map(|value| value == 1).take(bits.count).collect())
    }

    /// Distances of the slots from `expected`: what is left of the margin of 1/2.
    ///
    /// # Errors
    /// If they are of another client or other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn errors(&self, bits: &EncryptedBits, expected: &[bool]) -> Result<Vec<f64>> {
        bits.check(&self.parameters, self.id)?;
        let slots = self.parameters.literal().ring_degree / 2;
        let of_part = |part| encryption::decrypt(&self.ring, &self.secret, part, slots);
        let values = bits.parts.iter().flat_map(of_part);
        let distance = |(value, &bit): (Complex64, &bool)| value.re - f64::from(u8::from(bit));
        Ok(values.zip(expected).map(distance).collect())
    }

    /// The evaluation key for a server.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        let literal = self.parameters.literal();
        let weight = SecretDistribution::FixedWeightTernary(literal.sparse_weight);
        let sparse =
            TernarySecret::sample(literal.ring_degree, weight, &mut RandomStream::from_os());
        let secrets = SecretPair { dense: &self.secret, sparse: &sparse };
        let requests = self.parameters.circuit().key_requests();
        let steps = progress.steps(requests.len())?;
        let mut keys = EvaluationKeys::new();
        for request in requests {
            keys.insert(
                request.purpose,
                secrets.generate_key(&self.ring, request.purpose, request.shape),
            );
            steps.done()?;
        }
        Ok(EvaluationKey::new(self.parameters.clone(), self.id, Arc::clone(&self.ring), keys))
    }
}
