//! Ciphertexts as callers see them.

use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_lattice::error::{Error, Result, check_equal};
use cryptable_lattice::{Binding, NoiseBound};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, peek_header, read_object, write_object,
};

use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_MODULUS;

/// Longest body of a ciphertext: two polynomials of the largest ring degree.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 24;

/// Encrypted integers of one modulus, of one client and one parameter set: an RLWE ciphertext `(b, a)` with the values
/// in its coefficients.
///
/// A fresh ciphertext holds b and the seed of a: `N·k/8` bytes and some at a modulus of 2^k. A result holds both.
///
/// ```
/// use cryptable_packed::{Ciphertext, Parameters, SecretKey};
/// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
/// let ciphertext = secret.encrypt(&[1, 2, 3])?;
/// assert_eq!((ciphertext.count(), ciphertext.modulus(), ciphertext.is_fresh()), (3, 16, true));
/// assert_eq!(ciphertext.key_id(), secret.id());
/// assert_eq!(Ciphertext::from_bytes(&ciphertext.to_bytes())?, ciphertext);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    binding: Binding,
    noise: NoiseBound,
    body: CoefficientCiphertext,
}

impl Ciphertext {
    pub(crate) fn new(binding: Binding, noise: NoiseBound, body: CoefficientCiphertext) -> Self {
        Self { binding, noise, body }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.body.layout.count
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.body.plaintext_modulus
    }

    /// The digest of its parameters, [`Parameters::digest`].
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.binding.parameter_digest
    }

    /// The secret key that it is encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// The bound on its noise, which follows every operation on it; of one from a file, what the file says.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        self.noise
    }

    /// Whether its mask is a seed: true as long as nothing was computed but sums with constants.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(self.body.a, UniformPart::Seed(_))
    }

    /// The ciphertext in its wire format: the identifier of its key, the bound on its noise, the RLWE ciphertext.
    ///
    /// # Panics
    /// If memory runs out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer
            .raw(&self.binding.key_id.0)
            .and_then(|()| self.noise.write(&mut writer))
            .and_then(|()| writer.raw(&self.body.to_body()))
            .and_then(|()| {
                let object_type = ObjectType::PackedCiphertext;
                write_object(&mut bytes, object_type, &self.binding.parameter_digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::PackedCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        let noise = NoiseBound::read(&mut reader)?;
        let body = CoefficientCiphertext::from_body(&body[reader.position()..])?;
        let binding = Binding { parameter_digest: peek_header(bytes)?.parameter_digest, key_id };
        Ok(Self { binding, noise, body })
    }

    /// Checks that it belongs to these parameters and this key, in every number that later code relies on: a file may
    /// claim anything.
    ///
    /// # Errors
    /// If the digest, the key or a size differs, or its values have another modulus than the one given (a modulus that
    /// results may not have, if `None`); if it claims less noise than fresh ones have, or more than decrypts.
    pub(crate) fn check(
        &self,
        parameters: &Parameters,
        expected: &Binding,
        modulus: Option<u64>,
    ) -> Result<()> {
        self.check_slots(parameters, expected, modulus, parameters.literal().slots)
    }

    /// Checks a ciphertext like [`Ciphertext::check`], with values in `slots` coefficients.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn check_slots(
        &self,
        parameters: &Parameters,
        expected: &Binding,
        modulus: Option<u64>,
        slots: usize,
    ) -> Result<()> {
        self.binding.check("ciphertext", expected)?;
        let (literal, layout) = (parameters.literal(), self.body.layout);
        let log2_modulus = u64::from(literal.log2_ciphertext_modulus);
        for (name, found, expected) in [
            ("ring degree", layout.ring_degree as u64, literal.ring_degree as u64),
            ("number of slots", layout.slots as u64, slots as u64),
            ("log2 of the modulus", u64::from(self.body.log2_modulus), log2_modulus),
        ] {
            check_equal(name, found, expected)?;
        }
        match modulus {
            Some(modulus) => check_equal("modulus of the values", self.modulus(), modulus)?,
            // Results have the output modulus; digits and functions of them have others.
            None if (2..=MAX_MODULUS.max(literal.input_modulus)).contains(&self.modulus()) => {}
            None => {
                let (found, name) = (self.modulus(), "modulus of the values");
                let largest = MAX_MODULUS.max(literal.input_modulus);
                return Err(Error::mismatch(name, found, format!("2 to {largest}")));
            }
        }
        self.noise.check_floor(parameters.fresh_noise(self.modulus()))?;
        let limit = parameters.stated_log2_fail();
        self.noise.check_decryption("decryption", self.modulus(), limit)
    }

    /// The RLWE ciphertext.
    pub(crate) fn body(&self) -> &CoefficientCiphertext {
        &self.body
    }
}
