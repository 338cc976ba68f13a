//! The ciphertext type of the public API.

use std::ops::RangeInclusive;

use cryptable_lattice::coefficient_ciphertext::{
    CoefficientCiphertext, CoefficientLayout, CompressedCiphertext, UniformPart,
};
use cryptable_lattice::error::{Error, Result, check_equal};
#[cfg(feature = "client")]
use cryptable_lattice::result_key::result_secret;
#[cfg(feature = "client")]
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Binding, NoiseBound};
use cryptable_wire::{BodyReader, KeyId, ObjectType, object_bytes, peek_header, read_object};

use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_MODULUS;

/// Maximum length of a ciphertext's body in bytes: two polynomials of the largest ring degree.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 24;

/// Encrypted integers modulo one number, under one client's key and one parameter set: an RLWE ciphertext `(b, a)` with
/// the values in its coefficients.
///
/// A fresh ciphertext holds b and the seed of a: slightly more than `N·k/8` bytes at a modulus of 2^k. A result holds
/// both b and a in full.
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
    body: Body,
}

/// The words of a ciphertext: all of them, or only those that decryption needs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Body {
    Full(CoefficientCiphertext),
    Compressed(CompressedCiphertext),
}

impl Ciphertext {
    pub(crate) fn new(binding: Binding, noise: NoiseBound, body: CoefficientCiphertext) -> Self {
        Self { binding, noise, body: Body::Full(body) }
    }

    pub(crate) fn compressed(
        binding: Binding,
        noise: NoiseBound,
        body: CompressedCiphertext,
    ) -> Self {
        Self { binding, noise, body: Body::Compressed(body) }
    }

    fn layout(&self) -> CoefficientLayout {
        match &self.body {
            Body::Full(body) => body.layout,
            Body::Compressed(body) => body.layout(),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.layout().count
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        match &self.body {
            Body::Full(body) => body.plaintext_modulus,
            Body::Compressed(body) => body.plaintext_modulus(),
        }
    }

    /// Whether this is a compressed result, which can only be decrypted ([`crate::EvaluationKey::compress`]).
    #[must_use]
    pub fn is_compressed(&self) -> bool {
        matches!(self.body, Body::Compressed(_))
    }

    /// The digest of the ciphertext's parameters, [`Parameters::digest`].
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.binding.parameter_digest
    }

    /// The identifier of the secret key that the values are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// The bound on the ciphertext's noise. Every operation updates it; for a ciphertext read from a file, the bound is
    /// the one that the file states.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        self.noise
    }

    /// Whether the mask is still a seed: true as long as nothing but constants was added.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(&self.body, Body::Full(body) if matches!(body.a, UniformPart::Seed(_)))
    }

    /// The ciphertext in its wire format: the identifier of its key, the bound on its noise, the RLWE ciphertext.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (object_type, words) = match &self.body {
            Body::Full(body) => (ObjectType::PackedCiphertext, body.to_body()),
            Body::Compressed(body) if body.has_short_mask() => {
                (ObjectType::ShortMaskResult, body.to_body())
            }
            Body::Compressed(body) => (ObjectType::CompressedPackedResult, body.to_body()),
        };
        object_bytes(object_type, &self.binding.parameter_digest, |writer| {
            writer.raw(&self.binding.key_id.0)?;
            self.noise.write(writer)?;
            writer.raw(&words)
        })
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let header = peek_header(bytes)?;
        let has_short_mask = header.object_type == ObjectType::ShortMaskResult;
        let is_compressed =
            has_short_mask || header.object_type == ObjectType::CompressedPackedResult;
        let object_type =
            if is_compressed { header.object_type } else { ObjectType::PackedCiphertext };
        let body = read_object(bytes, object_type, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("key identifier")?);
        let noise = NoiseBound::read(&mut reader)?;
        let words = &body[reader.position()..];
        let body = match is_compressed {
            true => Body::Compressed(CompressedCiphertext::from_body(words, has_short_mask)?),
            false => Body::Full(CoefficientCiphertext::from_body(words)?),
        };
        let binding = Binding { parameter_digest: header.parameter_digest, key_id };
        Ok(Self { binding, noise, body })
    }

    /// Checks that the ciphertext belongs to these parameters and this key. Covers every number that later code relies
    /// on, since a file may claim anything.
    ///
    /// # Errors
    /// If the digest, the key or a size differs; if the modulus of the values is not the given one (with `None`: is not
    /// one that results may have); if the ciphertext claims less noise than a fresh one has, or too much to be
    /// decrypted.
    pub(crate) fn check(
        &self,
        parameters: &Parameters,
        expected: &Binding,
        modulus: Option<u64>,
    ) -> Result<()> {
        let literal = parameters.literal();
        self.check_slots(parameters, expected, modulus, literal.input_slots())?;
        self.check_count(0..=literal.slots)
    }

    /// Checks the number of coefficients with values: complex results of trees have another number than inputs.
    pub(crate) fn check_count(&self, counts: RangeInclusive<usize>) -> Result<()> {
        if counts.contains(&self.count()) {
            return Ok(());
        }
        let expected = format!("{} to {}", counts.start(), counts.end());
        Err(Error::mismatch("number of values of a ciphertext", self.count(), expected))
    }

    /// Checks the ciphertext like [`Ciphertext::check`], but with values in `slots` coefficients.
    ///
    /// # Errors
    /// The same errors.
    pub(crate) fn check_slots(
        &self,
        parameters: &Parameters,
        expected: &Binding,
        modulus: Option<u64>,
        slots: usize,
    ) -> Result<()> {
        self.binding.check("ciphertext", expected)?;
        let Body::Full(body) = &self.body else {
            let what = "computing with compressed results, which can be decrypted and nothing else";
            return Err(Error::Unsupported(what.into()));
        };
        let log2_modulus = parameters.literal().log2_ciphertext_modulus;
        check_equal("log2 of the modulus", body.log2_modulus.into(), u64::from(log2_modulus))?;
        self.check_contents(parameters, modulus, slots)
    }

    /// Checks the ciphertext, compressed or not, before it is decrypted, like [`Ciphertext::check`].
    ///
    /// # Errors
    /// The same errors.
    #[cfg(feature = "client")]
    pub(crate) fn check_result(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        let Body::Compressed(body) = &self.body else {
            return self.check(parameters, expected, None);
        };
        self.binding.check("ciphertext", expected)?;
        cryptable_lattice::error::check_within(
            "bits of compressed results",
            u64::from(body.bits().a),
            ..=u64::from(parameters.literal().log2_ciphertext_modulus),
        )?;
        if body.has_short_mask() {
            let expected = parameters.mask_words().unwrap_or(parameters.ring_degree());
            check_equal("words of a mask", body.mask_words() as u64, expected as u64)?;
        }
        self.check_contents(parameters, None, parameters.literal().input_slots())
    }

    /// Decrypts the ciphertext, which must have been checked.
    #[cfg(feature = "client")]
    pub(crate) fn decrypt(&self, secret: &TernarySecret) -> Vec<u64> {
        match &self.body {
            Body::Full(body) => body.decrypt(secret),
            Body::Compressed(body) if body.has_short_mask() => {
                body.decrypt(&result_secret(secret, body.mask_words()))
            }
            Body::Compressed(body) => body.decrypt(secret),
        }
    }

    fn check_contents(
        &self,
        parameters: &Parameters,
        modulus: Option<u64>,
        slots: usize,
    ) -> Result<()> {
        let (literal, layout) = (parameters.literal(), self.layout());
        for (name, found, expected) in [
            ("ring degree", layout.ring_degree as u64, literal.ring_degree as u64),
            ("number of slots", layout.slots as u64, slots as u64),
        ] {
            check_equal(name, found, expected)?;
        }
        match modulus {
            Some(modulus) => check_equal("modulus of the values", self.modulus(), modulus)?,
            // Results have the output modulus; digits and functions of digits have other moduli.
            None if (2..=MAX_MODULUS.max(literal.input_modulus)).contains(&self.modulus()) => {}
            None => {
                let (found, name) = (self.modulus(), "modulus of the values");
                let largest = MAX_MODULUS.max(literal.input_modulus);
                return Err(Error::mismatch(name, found, format!("2 to {largest}")));
            }
        }
        self.noise.check_floor(literal.fresh_noise(self.modulus()))?;
        let limit = parameters.stated_log2_fail();
        self.noise.check_decryption("decryption", self.modulus(), limit)
    }

    /// The RLWE ciphertext, for ciphertexts that were checked not to be compressed.
    pub(crate) fn body(&self) -> &CoefficientCiphertext {
        match &self.body {
            Body::Full(body) => body,
            Body::Compressed(_) => unreachable!("computing checks ciphertexts first"),
        }
    }
}
