//! Ciphertexts of single values: any number of LWE ciphertexts.

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_wire::{
    BodyReader, BodyWriter, KeyId, ObjectType, WireError, peek_header, read_object, write_object,
};

use super::Parameters;
use super::request::MAX_MODULUS;

/// Longest body, 16 GiB.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 34;

/// Name of a ciphertext in errors.
const OBJECT: &str = "ciphertext of single values";

/// Encrypted integers of one modulus, each by itself: any number of them.
///
/// A fresh value takes one word of log2 q bits, masks being a seed; a result n + 1 words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    parameter_digest: [u8; 32],
    key_id: KeyId,
    modulus: u64,
    values: LweList,
}

impl Ciphertext {
    /// Of LWE ciphertexts under a client's key of these parameters.
    pub(super) fn new(
        parameters: &Parameters,
        key_id: KeyId,
        modulus: u64,
        values: LweList,
    ) -> Self {
        Self { parameter_digest: parameters.digest(), key_id, modulus, values }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Modulus of the values: p if they are fresh, P if they are results.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Digest of the parameters under which they are encrypted.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Identifier of the client's key under which they are encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Whether the masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.values.is_fresh()
    }

    /// The LWE ciphertexts, of phase m·q/modulus each.
    #[must_use]
    pub fn values(&self) -> &LweList {
        &self.values
    }

    /// Checks that it belongs to these parameters and this key, in every number that later code relies on.
    ///
    /// # Errors
    /// If the client, the parameters or the shape of LWE ciphertexts differ.
    pub(super) fn check(&self, parameters: &Parameters, key_id: KeyId) -> Result<()> {
        let (found, expected) = (self.parameter_digest, parameters.digest());
        if found != expected {
            return Err(Error::OtherParameters { object: OBJECT, expected, found });
        }
        if self.key_id != key_id {
            let (expected, found) = (key_id, self.key_id);
            return Err(Error::OtherClient { object: OBJECT, expected, found });
        }
        self.values.check(parameters.shape())
    }

    /// The ciphertext in its wire format: the key's identifier, the modulus, number and shape of the LWE ciphertexts,
    /// then masks or their seed, and bodies, in packed bits.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (mut body, mut bytes) = (Vec::new(), Vec::new());
        let mut writer = BodyWriter::new(&mut body);
        let object_type = ObjectType::SingleCiphertext;
        writer
            .raw(&self.key_id.0)
            .and_then(|()| writer.u64(self.modulus))
            .and_then(|()| writer.u64(self.values.len() as u64))
            .and_then(|()| writer.u32(self.is_fresh().into()))
            .and_then(|()| self.values.shape().write(&mut writer))
            .and_then(|()| self.values.write_words(&mut writer))
            .and_then(|()| write_object(&mut bytes, object_type, &self.parameter_digest, &body))
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of single values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::SingleCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let key_id = KeyId(reader.array("identifier of the key")?);
        let modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        // Every value has a body of at least one bit: more cannot be in these bytes.
        let count = reader.u64_within("number of values", 0..=8 * body.len() as u64)? as usize;
        let is_fresh = match reader.u32("kind of masks")? {
            0 => false,
            1 => true,
            other => return Err(WireError::invalid("kind of masks", other, "0 or 1").into()),
        };
        let shape = LweShape::read(&mut reader)?;
        let values = LweList::read_words(&mut reader, shape, count, is_fresh)?;
        reader.finish()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        Ok(Self { parameter_digest, key_id, modulus, values })
    }
}
