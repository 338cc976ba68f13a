//! Ciphertexts of values bit by bit, or two bits at a time.

use crate::digit_selectors::{MAX_DIGIT_BITS, digit_count};
use crate::encrypted_values::EncryptedValues;
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, WireError, peek_header, read_object, write_object,
};

use super::parameters::MAX_MODULUS;
use super::{Parameters, width};
use cryptable_lattice::error::{Error, Result};
use cryptable_wire::KeyId;

/// Longest body, 4 GiB.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 32;

/// Its name in errors.
const DIGIT_BITS: &str = "number of a ciphertext's bits";

/// Encrypted integers of one modulus p, ⌈⌈log2 p⌉/d⌉ LWE ciphertexts of d = 1 or 2 bits each.
///
/// A ciphertext of a fresh value takes a word of its file, masks being a seed; of a result, N + 1 words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    parameter_digest: [u8; 32],
    plaintext_modulus: u64,
    digit_bits: u32,
    values: EncryptedValues,
}

impl Ciphertext {
    /// Values of ⌈log2 of the modulus⌉ bits.
    pub(super) fn new(
        parameters: &Parameters,
        plaintext_modulus: u64,
        values: EncryptedValues,
    ) -> Self {
        assert_eq!(values.width(), parameters.digits(plaintext_modulus), "ciphertexts of a value");
        let digit_bits = parameters.circuit().digit_bits();
        Self { parameter_digest: parameters.digest(), plaintext_modulus, digit_bits, values }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.count()
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.plaintext_modulus
    }

    /// The digest of its parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Whose key it is encrypted under.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.values.client()
    }

    /// Whether its masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.values.is_fresh()
    }

    /// The bits, or digits.
    #[must_use]
    pub fn values(&self) -> &EncryptedValues {
        &self.values
    }

    /// Checks that it belongs to these parameters; keys check client and sizes.
    ///
    /// # Errors
    /// If the digest or the bits of a ciphertext differ, or the values have more bits than the parameters serve.
    pub(super) fn check(&self, parameters: &Parameters) -> Result<()> {
        let (expected, found) = (parameters.digest(), self.parameter_digest);
        if found != expected {
            return Err(WireError::ParameterMismatch { expected, found }.into());
        }
        let (found, expected) = (self.digit_bits, parameters.circuit().digit_bits());
        if found != expected {
            let (found, expected) = (found.to_string(), expected.to_string());
            return Err(Error::Mismatch { name: DIGIT_BITS, found, expected });
        }
        check_bits("bits of a value", self.plaintext_modulus, parameters)
    }

    /// The ciphertext in its wire format: the modulus, bits of a ciphertext, then ciphertexts as
    /// `cryptable-leveled` writes them.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        writer
            .u64(self.plaintext_modulus)
            .and_then(|()| writer.u32(self.digit_bits))
            .and_then(|()| self.values.write(&mut writer))
            .and_then(|()| {
                let object_type = ObjectType::LeveledCiphertext;
                write_object(&mut bytes, object_type, &self.parameter_digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::LeveledCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let plaintext_modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        // Every value has a body of at least one bit: more cannot be in these bytes.
        let counts = 0..=8 * body.len() as u64;
        let digit_bits = reader.u32(DIGIT_BITS)?;
        if !(1..=MAX_DIGIT_BITS).contains(&digit_bits) {
            let expected = format!("from 1 to {MAX_DIGIT_BITS}");
            return Err(WireError::invalid(DIGIT_BITS, digit_bits, expected).into());
        }
        let digits = digit_count(width(plaintext_modulus), digit_bits);
        let values = EncryptedValues::read(&mut reader, digits, counts)?;
        reader.finish()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        Ok(Self { parameter_digest, plaintext_modulus, digit_bits, values })
    }
}

/// Demands that values of a modulus have no more bits than parameters serve.
///
/// # Errors
/// If they have.
pub(super) fn check_bits(name: &'static str, modulus: u64, parameters: &Parameters) -> Result<()> {
    let (value, limit) = (width(modulus) as u64, parameters.max_bits() as u64);
    if value > limit { Err(Error::TooLarge { name, value, limit }) } else { Ok(()) }
}
