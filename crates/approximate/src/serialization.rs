//! Encrypted vectors as files.

use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_lattice::error::{Error, Result, check_parameters};
use cryptable_lattice::{Binding, RlweCiphertext};
use cryptable_wire::{ObjectType, WireError, object_bytes};

use crate::bounds::SlotBounds;
use crate::ciphertext::{Ciphertext, Tags};
use crate::parameters::Parameters;

/// Name that errors use for ciphertexts.
const VECTOR: &str = "encrypted vector";

/// Longest body of a ciphertext: two polynomials of 64 limbs at degree 131,072, and 1 MiB.
const MAX_CIPHERTEXT_BYTES: u64 = (2 * 64 * 131_072 * 8) + (1 << 20);

impl Ciphertext {
    /// Writes the ciphertext in its wire format: identifier of its key, limbs, bounds of slots, deviation and bias of
    /// errors, and the words of every limb at the width of its prime.
    ///
    /// ```
    /// use cryptable_approximate::{Ciphertext, Parameters, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let bytes = secret.encrypt_reals(&[0.5])?.to_bytes(secret.parameters())?;
    /// let read = Ciphertext::from_bytes(secret.parameters(), &bytes)?;
    /// assert!((secret.decrypt_reals(&read)?[0] - 0.5).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        let Binding { parameter_digest, key_id } = self.tags.binding;
        check_parameters(VECTOR, parameters.digest(), parameter_digest)?;
        Ok(object_bytes(ObjectType::VectorCiphertext, &parameter_digest, |writer| {
            writer.raw(&key_id.0)?;
            writer.u64(self.inner.limbs() as u64)?;
            let (bounds, error) = (self.bounds(), self.error());
            for number in [bounds.re, bounds.im, error.deviation, error.bias] {
                writer.f64(number)?;
            }
            self.inner.parts.write(writer, &parameters.moduli())
        }))
    }

    /// Reads a ciphertext of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext, it belongs to other parameters, a number in it is not
    /// allowed, or it claims less noise than fresh ciphertexts have.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::VectorCiphertext;
        let (binding, mut reader) = Binding::open(bytes, object_type, MAX_CIPHERTEXT_BYTES)?;
        check_parameters(VECTOR, parameters.digest(), binding.parameter_digest)?;
        let levels = parameters.level_scales();
        let (bottom, top) = (levels.bottom(), levels.top());
        let limbs = reader.u64_within("limbs of the vector", bottom as u64..=top as u64)? as usize;
        let capacity = levels.capacity(limbs);
        let mut number = |name, most: f64| {
            let value = reader.f64(name)?;
            // Negative zero would be another encoding of the same number.
            if (0.0..=most).contains(&value) && value.is_sign_positive() {
                return Ok(value);
            }
            Err(WireError::invalid(name, value, "a number that a ciphertext of its level has"))
        };
        let re = number("bound of real parts", capacity)?;
        let im = number("bound of imaginary parts", capacity)?;
        let deviation = number("deviation of errors", capacity)?;
        let bias = number("bias of errors", capacity)?;
        let least = parameters.fresh_shape(1.0).noise.total().sqrt();
        // Two machines may round differently when they compute a deviation.
        if deviation < least * (1.0 - 1e-6) {
            let expected = format!("at least {least:e}, that of fresh ones");
            return Err(Error::mismatch("noise of the vector", format!("{deviation:e}"), expected));
        }
        let (ring, name) = (parameters.ring(), "words of the vector");
        let parts = RlweCiphertext::read(&mut reader, name, &ring, ring.main_basis(limbs))?;
        reader.finish()?;
        let scale = levels.scale_at(limbs);
        let inner = cryptable_ckks::Ciphertext { parts, scale };
        let noise = SlotNoise::roundings(deviation * deviation);
        let shape = Shape::new(limbs, scale, 0.0, noise);
        let tags = Tags {
            bounds: SlotBounds { re, im },
            bias,
            slot_limit: parameters.slot_limit(),
            bottom_limbs: bottom,
            slots: parameters.slots(),
            binding,
        };
        Ok(Self::join(inner, shape, tags))
    }
}
