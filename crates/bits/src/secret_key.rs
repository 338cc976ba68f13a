//! The client's key: encrypts, decrypts, and generates evaluation keys.

use cryptable_ckks::{Ciphertext, encryption};
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::ring_secret_key::{RingSecretKey, RingSecretParameters};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Binding, Progress};
use cryptable_ring::SecretSlots;
use cryptable_wire::ObjectType;
use num_complex::Complex64;

use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
#[cfg(feature = "diagnostics")]
use crate::half_form::RlweInput;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// The secret key of one client: a uniform ternary polynomial. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct SecretKey(RingSecretKey<Parameters>);

cryptable_lattice::engine_key!(SecretKey, RingSecretKey<Parameters>);

impl RingSecretParameters for Parameters {
    const SECRET_KEY: ObjectType = ObjectType::SlotBitsSecretKey;
    const IDENTIFIER: &'static str = "cryptable: identifier of a secret key of bits";

    fn sparse_weight(&self) -> u32 {
        self.literal().sparse_weight
    }
}

impl SecretKey {
    /// Draws a fresh secret.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> Self {
        Self(RingSecretKey::generate(parameters))
    }

    /// Returns the key with a secret that it shares with another key of the client.
    ///
    /// # Panics
    /// If the secret has another ring degree.
    #[must_use]
    pub fn of_secret(parameters: &Parameters, secret: TernarySecret) -> Self {
        assert_eq!(secret.coefficients().len(), parameters.literal().ring_degree, "coefficients");
        Self(RingSecretKey::from_secret(parameters.clone(), secret))
    }

    /// Generates the evaluation key for a server in the same process. `progress` counts switching keys.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKey> {
        self.generate_keys(self.parameters().clone(), progress).map(EvaluationKey::new)
    }

    /// Encrypts bits with all levels for gates left.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap holds.
    pub fn encrypt(&self, bits: &[bool]) -> Result<EncryptedBits> {
        self.encrypt_at(bits, self.parameters().levels_after_bootstrap())
    }

    /// Encrypts bits with `levels` levels for gates left. Fewer levels need less memory, if the circuit needs no more.
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
    /// If there are more bits than a bootstrap holds, or more levels than fresh bits have.
    pub fn encrypt_at(&self, bits: &[bool], levels: usize) -> Result<EncryptedBits> {
        let (parameters, binding) = (self.parameters(), self.binding());
        let noise = parameters.fresh_noise();
        parameters.encrypted(bits, levels, binding, noise, |values, scale, limbs| {
            encryption::encrypt(self.ring(), self.secret(), values, scale, limbs)
        })
    }

    /// Decrypts bits.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters.
    pub fn decrypt(&self, bits: &EncryptedBits) -> Result<Vec<bool>> {
        bits.check(self.binding())?;
        let slots = self.parameters().literal().slots();
        let mut decrypted = Vec::with_capacity(bits.parts.len() * slots);
        for part in &bits.parts {
            let values = encryption::decrypt_integers(self.ring(), self.secret(), part, slots);
            let bit = |i| values[self.parameters().slot(i)] == 1;
            decrypted.extend((0..slots).map(bit));
        }
        decrypted.truncate(bits.count);
        Ok(decrypted)
    }

    /// Distances of the slots from `expected`, each of which must be below the margin of 1/2. Where slots repeat, the
    /// distances of all copies, copy after copy; a bit is off by their mean.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn errors(&self, bits: &EncryptedBits, expected: &[bool]) -> Result<Vec<f64>> {
        bits.check(self.binding())?;
        let literal = self.parameters().literal();
        let (slots, all) = (literal.slots(), literal.ring_degree / 2);
        let mut errors = Vec::new();
        let parts: Vec<_> = bits
            .parts
            .iter()
            .map(|part| encryption::decrypt(self.ring(), self.secret(), part, all))
            .collect();
        for copy in (0..all).step_by(slots) {
            for (i, &bit) in expected.iter().enumerate() {
                let value = parts[i / slots][copy + self.parameters().slot(i % slots)].re;
                errors.push(value - f64::from(u8::from(bit)));
            }
        }
        Ok(errors)
    }

    /// Distances of coefficients from `expected[i]/m`, as fractions of q_0.
    ///
    /// # Errors
    /// If the values belong to another client or to other parameters.
    #[cfg(feature = "diagnostics")]
    pub fn coefficient_errors(&self, values: &RlweInput, expected: &[u64]) -> Result<Vec<f64>> {
        values.check(self.binding())?;
        let phases =
            encryption::decrypt_coefficients(self.ring(), self.secret(), values.ciphertext());
        let modulus = self.ring().main_prime(0) as f64;
        let error = |(phase, &value): (f64, &u64)| {
            let error = phase / modulus - value as f64 / values.modulus() as f64;
            error - error.round()
        };
        let gap = self.parameters().coefficient_gap();
        Ok(phases.into_iter().step_by(gap).zip(expected).map(error).collect())
    }
}

impl Parameters {
    /// The slot of bit i of a part.
    fn slot(&self, i: usize) -> usize {
        let literal = self.literal();
        literal.packing.slot(literal.ring_degree, i)
    }

    /// Encrypts bits with `levels` levels by a function that encrypts slots at a scale and a number of limbs.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap holds, or more levels than fresh bits have.
    pub(crate) fn encrypted(
        &self,
        bits: &[bool],
        levels: usize,
        binding: &Binding,
        noise: BitNoise,
        encrypt: impl Fn(&SecretSlots, f64, usize) -> Ciphertext,
    ) -> Result<EncryptedBits> {
        let limbs = self.limbs_of(levels, 0)?;
        let scale = self.circuit().scale_at(limbs);
        let slots = self.slots_of_bits(bits)?;
        let parts = slots.iter().map(|values| encrypt(values, scale, limbs)).collect();
        let bottom_limbs = self.literal().input_limbs();
        Ok(EncryptedBits { parts, count: bits.len(), noise, bottom_limbs, binding: *binding })
    }

    /// Bits in the slots of every part, padded with 0.
    ///
    /// # Errors
    /// If there are more bits than a bootstrap holds.
    fn slots_of_bits(&self, bits: &[bool]) -> Result<Vec<SecretSlots>> {
        let limit = self.bits();
        if bits.len() > limit {
            let (name, value) = ("number of bits", bits.len() as u64);
            return Err(Error::TooLarge { name, value, limit: limit as u64 });
        }
        let slots = self.literal().slots();
        let mut chunks = bits.chunks(slots);
        let part = |_| {
            let mut values = SecretSlots::from_fn(slots, |_| Complex64::ZERO);
            for (i, &bit) in chunks.next().unwrap_or_default().iter().enumerate() {
                values[self.slot(i)] = Complex64::from(f64::from(u8::from(bit)));
            }
            values
        };
        Ok((0..self.packing().parts()).map(part).collect())
    }
}
