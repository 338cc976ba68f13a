//! Bits that several owners of a key can decrypt together: the parameters alone determine a bound on their errors.

use cryptable_ckks::Ciphertext;
use cryptable_lattice::error::{Result, check_parameters};
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::{Binding, Owners, RlweCiphertext};
use cryptable_wire::{KeyId, ObjectType, object_bytes};

use crate::decryption_circuit::LEVELS;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::parameters::Parameters;
use crate::serialization::WORDS;

/// Longest body: two polynomials of 64 limbs at degree 65,536, and 1 KiB.
const MAX_BYTES: u64 = (2 * 64 * 65_536 * 8) + (1 << 10);

/// Domain separation of digests.
const DIGEST_CONTEXT: &str = "cryptable: digest of bits that are prepared for partial decryptions";

/// Bits in one ciphertext, cleaned for partial decryptions ([`crate::SecretShare::partial_decryption`]).
///
/// Whoever combines partial decryptions sees all slots of the ciphertext, including slots beyond
/// [`PreparedBits::count`]. These hold a bit 0, or the results of gates on zeros.
#[derive(Clone, Debug)]
pub struct PreparedBits {
    ciphertext: Ciphertext,
    count: usize,
    binding: Binding,
}

impl EvaluationKey {
    /// Prepares bits for partial decryptions: cleans them three times, so that flooding can hide their errors. This
    /// consumes 15 levels.
    ///
    /// # Errors
    /// If the bits belong to another client or to other parameters, or have too few levels left;
    /// [`Error::NoiseTooLarge`](cryptable_lattice::Error::NoiseTooLarge) if errors may be above 2^-12.5 in either part
    /// of a slot, 2^-11.5 for keys of up to five owners, or 2^-10.5 for keys of more. BinBoot leaves smaller errors for
    /// up to eight owners.
    pub fn prepare_decryption(&self, bits: &EncryptedBits) -> Result<PreparedBits> {
        self.check(&[bits])?;
        let parameters = self.parameters();
        parameters.prepared_shape(Owners::ONE)?;
        self.limbs_above(&[bits], LEVELS)?;
        // The law of the noise bounds both parts of a slot's error.
        let exceeds =
            bits.noise.log2_exceeds(parameters.largest_input() / std::f64::consts::SQRT_2);
        check_log2_fail("cleaning before decryption", exceeds, parameters.literal().log2_fail)?;
        let ciphertext = parameters.prepared(&self.evaluator(), &bits.parts);
        Ok(PreparedBits { ciphertext, count: bits.count, binding: *self.binding() })
    }
}

impl PreparedBits {
    /// Returns how many bits there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the identifier of the owners' joint key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Digest of all bits, which partial decryptions carry.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(DIGEST_CONTEXT);
        hasher.update(&self.binding.parameter_digest);
        hasher.update(&self.binding.key_id.0);
        hasher.update(&(self.count as u64).to_le_bytes());
        let RlweCiphertext { c0, c1 } = &self.ciphertext.parts;
        for word in c0.words().iter().chain(c1.words()) {
            hasher.update(&word.to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Writes the bits in their wire format: identifier of their key, number, and the words of every limb at the width
    /// of its modulus. Errors are not written: the parameters bound them.
    ///
    /// # Errors
    /// If the bits belong to other parameters.
    pub fn to_bytes(&self, parameters: &Parameters) -> Result<Vec<u8>> {
        let digest = &self.binding.parameter_digest;
        check_parameters("bits for partial decryption", parameters.digest(), *digest)?;
        Ok(object_bytes(ObjectType::PreparedBits, digest, |writer| {
            writer.raw(&self.binding.key_id.0)?;
            writer.u64(self.count as u64)?;
            self.ciphertext.parts.write(writer, &parameters.moduli())
        }))
    }

    /// Reads bits of these parameters.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of such bits, it belongs to other parameters, or it has
    /// more bits than the parameters allow.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let (binding, mut reader) = Binding::open(bytes, ObjectType::PreparedBits, MAX_BYTES)?;
        let found = binding.parameter_digest;
        check_parameters("bits for partial decryption", parameters.digest(), found)?;
        let shape = parameters.prepared_shape(Owners::ONE)?;
        let count = reader.u64_within("number of bits", 0..=parameters.bits() as u64)? as usize;
        let (ring, scale) = (parameters.ring(), shape.scale);
        let parts = RlweCiphertext::read(&mut reader, WORDS, &ring, ring.main_basis(shape.limbs))?;
        reader.finish()?;
        Ok(Self { ciphertext: Ciphertext { parts, scale }, count, binding })
    }
}

#[cfg(feature = "client")]
impl PreparedBits {
    /// The ciphertext.
    pub(crate) fn ciphertext(&self) -> &Ciphertext {
        &self.ciphertext
    }

    /// Checks that the bits belong to a key.
    ///
    /// # Errors
    /// If they do not, with both digests or identifiers.
    pub(crate) fn check(&self, expected: &Binding) -> Result<()> {
        self.binding.check("bits for partial decryption", expected)
    }

    /// The key and parameters of the bits.
    pub(crate) fn binding(&self) -> &Binding {
        &self.binding
    }
}

#[cfg(feature = "diagnostics")]
mod diagnostics {
    use cryptable_ckks::{Arithmetic, encryption};
    use cryptable_lattice::Result;
    use num_complex::Complex64;

    use super::PreparedBits;
    use crate::evaluation_key::EvaluationKey;
    use crate::secret_key::SecretKey;

    impl SecretKey {
        /// Errors of all slots: of bits that are 0, or differences between the errors of two ciphertexts of the same
        /// bits. Other bits would hide the errors, which are below the precision of a decrypted slot.
        ///
        /// # Errors
        /// If the bits belong to another client or to other parameters.
        pub fn prepared_errors(
            &self,
            server: &EvaluationKey,
            bits: &PreparedBits,
            others: Option<&PreparedBits>,
        ) -> Result<Vec<Complex64>> {
            bits.check(self.binding())?;
            let mut difference = bits.ciphertext.clone();
            if let Some(others) = others {
                others.check(self.binding())?;
                server.evaluator().sub_assign(&mut difference, &others.ciphertext);
            }
            let slots = self.parameters().literal().ring_degree / 2;
            Ok(encryption::decrypt(self.ring(), self.secret(), &difference, slots))
        }
    }

    impl crate::parameters::Parameters {
        /// Returns the largest size of a slot's error, and its variance if all bits are 1.
        ///
        /// # Errors
        /// If there are not enough levels after a bootstrap.
        pub fn prepared_error(&self) -> Result<(f64, f64)> {
            let shape = self.prepared_shape(cryptable_lattice::Owners::ONE)?;
            Ok((shape.error, shape.variance))
        }
    }
}
