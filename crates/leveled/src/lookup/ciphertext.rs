//! Ciphertexts of single values: lists of LWE ciphertexts of one or two bits each.

use std::ops::Range;

use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe_list::{LweList, LweShape, MAX_VALUES};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::{Binding, Result};
use cryptable_wire::{
    BodyReader, KeyId, ObjectType, WireError, object_bytes, peek_header, read_object,
};

use super::parameters::{MAX_MODULUS, Parameters, width};
use crate::bootstrapping::ciphertext_count;
use crate::parameters::MAX_BITS_PER_CIPHERTEXT;

/// Longest body, 4 GiB.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 32;

/// The name of this number in errors.
const BITS_PER_CIPHERTEXT: &str = "number of a ciphertext's bits";

/// Encrypted integers of one modulus p. Each is ⌈⌈log2 p⌉/d⌉ LWE ciphertexts of d = 1 or 2 bits, the lowest bits first.
///
/// In a file, an LWE ciphertext of a fresh value has one word, since masks are a seed. An LWE ciphertext of a result has
/// N + 1 words, or one word of few bits and a mask that up to N share
/// ([`EvaluationKey::compress`](super::EvaluationKey::compress)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    binding: Binding,
    plaintext_modulus: u64,
    bits_per_ciphertext: u32,
    list: LweList,
}

impl Ciphertext {
    /// Wraps values of this modulus.
    pub(super) fn new(
        parameters: &Parameters,
        plaintext_modulus: u64,
        binding: Binding,
        list: LweList,
    ) -> Self {
        let bits_per_ciphertext = parameters.circuit_bootstrapping().bits_per_ciphertext();
        Self { binding, plaintext_modulus, bits_per_ciphertext, list }
    }

    /// Returns the number of LWE ciphertexts per value.
    #[must_use]
    pub fn ciphertexts_per_value(&self) -> usize {
        ciphertext_count(width(self.plaintext_modulus), self.bits_per_ciphertext)
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len() / self.ciphertexts_per_value()
    }

    /// Returns the modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.plaintext_modulus
    }

    /// Returns the digest of the parameters under which the values were encrypted or computed.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.binding.parameter_digest
    }

    /// Returns the identifier of the secret key that decrypts the values.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Returns whether the masks are still a seed: true if nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.list.is_fresh()
    }

    /// Returns the LWE ciphertexts.
    pub(super) fn list(&self) -> &LweList {
        &self.list
    }

    /// Returns a range of the values, in their order.
    ///
    /// # Panics
    /// If the range exceeds the number of values.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let each = self.ciphertexts_per_value();
        Self { list: self.list.slice(range.start * each..range.end * each), ..*self }
    }

    /// Checks that the ciphertext belongs to these parameters and this client, and every number that later code relies on.
    ///
    /// # Errors
    /// `Error::OtherParameters`, `Error::OtherClient`, or if a size differs from that of the parameters, or the values
    /// have more bits than the parameters support.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("ciphertext", expected)?;
        let circuit = parameters.circuit_bootstrapping();
        let expected = circuit.bits_per_ciphertext();
        check_equal(BITS_PER_CIPHERTEXT, self.bits_per_ciphertext, expected)?;
        let shapes = [circuit.lwe_shape(), circuit.fhew().public_shape()];
        // Compared last, since this shape must be computed.
        if !shapes.contains(&self.list.shape())
            && self.list.shape() != parameters.compressed_shape()
        {
            self.list.check(circuit.lwe_shape())?;
        }
        parameters.check_bits("number of bits of a value", self.plaintext_modulus)
    }

    /// Returns the ciphertext in its wire format: modulus, bits per LWE ciphertext, client, LWE dimension and modulus, number
    /// of values, whether they are fresh; then masks or their seed, and bodies.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        object_bytes(ObjectType::LeveledCiphertext, &self.binding.parameter_digest, |writer| {
            writer.u64(self.plaintext_modulus)?;
            writer.u32(self.bits_per_ciphertext)?;
            writer.raw(&self.binding.key_id.0)?;
            self.list.shape().write(writer)?;
            writer.u64(self.count() as u64)?;
            writer.u32(self.list.mask_kind() as u32)?;
            self.list.write_words(writer)
        })
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of at most [`MAX_VALUES`] values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::LeveledCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let plaintext_modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        let bits_per_ciphertext = reader.u32(BITS_PER_CIPHERTEXT)?;
        if !(1..=MAX_BITS_PER_CIPHERTEXT).contains(&bits_per_ciphertext) {
            let expected = format!("from 1 to {MAX_BITS_PER_CIPHERTEXT}");
            let found = bits_per_ciphertext;
            return Err(WireError::invalid(BITS_PER_CIPHERTEXT, found, expected).into());
        }
        let key_id = KeyId(reader.array("client key identifier")?);
        let shape = LweShape::read(&mut reader)?;
        let count = reader.u64_within("number of values", 0..=MAX_VALUES as u64)? as usize;
        let masks = MaskKind::read(&mut reader)?;
        let count = count * ciphertext_count(width(plaintext_modulus), bits_per_ciphertext);
        let list = LweList::read_words(&mut reader, shape, count, masks)?;
        reader.finish()?;
        let binding = Binding { parameter_digest: peek_header(bytes)?.parameter_digest, key_id };
        Ok(Self { binding, plaintext_modulus, bits_per_ciphertext, list })
    }
}
