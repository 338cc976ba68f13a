//! Ciphertexts of bits as files: encrypted bits, and values in coefficients.

use cryptable_ckks::Ciphertext;
use cryptable_lattice::error::{Result, check_parameters};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Binding, RlweCiphertext};
use cryptable_wire::{ObjectType, object_bytes};

use crate::circuit::MAX_MODULUS;
use crate::encrypted_bits::EncryptedBits;
use crate::half_form::RlweInput;
use crate::noise::BitNoise;
use crate::parameters::Parameters;

/// Name that errors use for the words of ciphertexts.
pub(crate) const WORDS: &str = "words of the bits";

/// Longest body of encrypted bits: two parts of two polynomials of 64 limbs at degree 65,536, and 1 MiB.
const MAX_CIPHERTEXT_BYTES: u64 = (4 * 64 * 65_536 * 8) + (1 << 20);

/// Longest body of values in coefficients: two polynomials of one limb at degree 65,536, and 1 KiB.
const MAX_COEFFICIENT_BYTES: u64 = (2 * 65_536 * 8) + (1 << 10);

impl EncryptedBits {
    /// Writes the bits in their wire format: identifier of their key, number, noise, limbs, and the words of every limb
    /// at the width of its modulus.
    ///
    /// # Errors
    /// If the bits belong to other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        check_parameters("encrypted bits", parameters.digest(), self.binding.parameter_digest)?;
        let (digest, moduli) = (parameters.digest(), parameters.moduli());
        Ok(object_bytes(ObjectType::SlotBitsCiphertext, &digest, |writer| {
            writer.raw(&self.binding.key_id.0)?;
            writer.u64(self.count as u64)?;
            self.noise.write(writer)?;
            writer.u64(self.limbs() as u64)?;
            self.parts.iter().try_for_each(|part| part.parts.write(writer, &moduli))
        }))
    }

    /// Reads encrypted bits of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of bits, it belongs to other parameters, a number in it is
    /// not allowed, or it claims less noise than fresh bits have, or more than can be decrypted.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SlotBitsCiphertext;
        let (binding, mut reader) = Binding::open(bytes, object_type, MAX_CIPHERTEXT_BYTES)?;
        check_parameters("encrypted bits", parameters.digest(), binding.parameter_digest)?;
        let count = reader.u64_within("number of bits", 0..=parameters.bits() as u64)? as usize;
        let noise = BitNoise::read(&mut reader)?;
        noise.check_floor(parameters.fresh_noise())?;
        noise.check("decryption", parameters.literal().log2_fail)?;
        let literal = parameters.literal();
        let allowed = literal.input_limbs() as u64..=literal.output_limbs() as u64;
        let limbs = reader.u64_within("limbs of the bits", allowed)? as usize;
        let (ring, scale) = (parameters.ring(), parameters.circuit().scale_at(limbs));
        let mut part = || -> Result<Ciphertext> {
            let parts = RlweCiphertext::read(&mut reader, WORDS, &ring, ring.main_basis(limbs))?;
            Ok(Ciphertext { parts, scale })
        };
        let parts = (0..parameters.packing().parts()).map(|_| part()).collect::<Result<_>>()?;
        reader.finish()?;
        let bottom_limbs = literal.input_limbs();
        Ok(Self { parts, count, noise, bottom_limbs, binding })
    }
}

impl RlweInput {
    /// Writes the values in their wire format: identifier of their key, number, modulus, noise, and the words of both
    /// polynomials at the width of q_0.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters, RlweInput, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let values = server.to_coefficients(&secret.encrypt(&[true, false])?, 2)?;
    /// let read = RlweInput::from_bytes(&parameters, &values.to_bytes(&parameters)?)?;
    /// assert_eq!(secret.decrypt(&server.half_bin_boot(&read)?)?, [true, false]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the values belong to other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        self.check(&Binding { parameter_digest: parameters.digest(), key_id: self.key_id() })?;
        Ok(object_bytes(ObjectType::SlotBitsCoefficients, &parameters.digest(), |writer| {
            writer.raw(&self.key_id().0)?;
            writer.u64(self.count() as u64)?;
            writer.u64(self.modulus())?;
            self.noise().write(writer)?;
            self.ciphertext().write(writer, &parameters.moduli())
        }))
    }

    /// Reads values of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of values in coefficients, it belongs to other parameters,
    /// a number in it is not allowed, or it claims less noise than a rounding to q_0 leaves. Half bootstraps check for
    /// too much noise.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::SlotBitsCoefficients;
        let (binding, mut reader) = Binding::open(bytes, object_type, MAX_COEFFICIENT_BYTES)?;
        check_parameters("values in coefficients", parameters.digest(), binding.parameter_digest)?;
        let count = reader.u64_within("number of values", 0..=parameters.bits() as u64)? as usize;
        let modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        let noise = BitNoise::read(&mut reader)?;
        let prime = parameters.bottom_prime();
        noise.check_floor(BitNoise::of_law(NoiseLaw::gaussian(
            1.0 / (12.0 * (prime as f64).powi(2)),
        )))?;
        let ring = parameters.ring();
        let parts = RlweCiphertext::read(&mut reader, WORDS, &ring, ring.main_basis(1))?;
        reader.finish()?;
        Self::new(parameters, binding.key_id, parts, count, modulus, noise)
    }
}
