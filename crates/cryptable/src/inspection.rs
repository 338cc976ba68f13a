//! Inspection of files without a key.

use std::io::Cursor;

use cryptable_integers::{ColumnReader, DigitCiphertext};
use cryptable_leveled::aes::EncryptedBytes;
use cryptable_wire::{BodyReader, HEADER_BYTES, KeyId, ObjectType, peek_header, read_object};

use crate::ciphertext::{Marks, Part};
use crate::ciphertext_file::{CiphertextFileSummary, CiphertextReader};
use crate::circuits::{EncryptedWordsReader, EncryptedWordsSummary};
use crate::engines::{packed, single};
use crate::known_sets;
use crate::packed_gates::ConversionParameters;
use crate::{Engine, Error, KeyKind, KeyParameters, Result, WireError, transciphering};

mod keys;

use keys::inspect_key;

/// Number of values that a byte can have.
const BYTE_VALUES: u64 = 256;

/// The description of a file, as returned by [`inspect()`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// Name of the kind of object, for people.
    pub object: String,
    /// The engine, if the object belongs to one.
    pub engine: Option<Engine>,
    /// Digest of the parameters ([`Parameters::digest`](crate::Parameters::digest)).
    pub parameter_digest: [u8; 32],
    /// Length of the file in bytes.
    pub bytes: u64,
    /// The parameters, if the file holds them, or if it holds the digest of a named set.
    pub parameters: Option<KeyParameters>,
    /// The parameters of a conversion between single and packed values, if they are a named set.
    pub conversion: Option<Box<ConversionParameters>>,
    /// Identifier of the client's key that the object belongs to. For a secret key, only known with the feature
    /// `client`.
    pub key_id: Option<KeyId>,
    /// Identifier of the client's key that decrypts the results of a [`RekeyingKey`](crate::RekeyingKey).
    pub new_owner: Option<KeyId>,
    /// Identifier of the AES key that encrypts a message, or that an encrypted key holds.
    pub aes_key_id: Option<KeyId>,
    /// Number of values and their modulus, for ciphertexts.
    pub values: Option<(u64, u64)>,
    /// Whether nothing was computed on the values yet, for ciphertexts
    /// ([`Ciphertext::is_fresh`](crate::Ciphertext::is_fresh)).
    pub fresh: Option<bool>,
    /// Summary of a file of ciphertexts ([`CiphertextWriter`](crate::CiphertextWriter)).
    pub ciphertexts: Option<CiphertextFileSummary>,
    /// Summary of a file of encrypted words ([`EncryptedWordsWriter`](crate::circuits::EncryptedWordsWriter)).
    pub words: Option<EncryptedWordsSummary>,
}

impl Inspection {
    /// Creates a description with the contents of a header only.
    fn new(object: String, parameter_digest: [u8; 32], bytes: u64) -> Self {
        Self {
            object,
            engine: None,
            parameter_digest,
            bytes,
            parameters: None,
            conversion: None,
            key_id: None,
            new_owner: None,
            aes_key_id: None,
            values: None,
            fresh: None,
            ciphertexts: None,
            words: None,
        }
    }
}

/// Checks all bytes of a file and describes it.
///
/// Insecure parameters, and those that fail often, are reported instead of refused, so that you can inspect somebody
/// else's file before you use it.
///
/// ```
/// use cryptable::{Engine, Parameters, SecretKey, inspect};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
/// let found = inspect(&secret.encrypt(&[1, 2, 3])?.to_bytes())?;
/// assert_eq!((found.engine, found.values), (Some(Engine::Single), Some((3, 4))));
/// assert_eq!(found.key_id, Some(secret.id()));
/// # Ok::<(), cryptable::Error>(())
/// ```
///
/// # Errors
/// If the bytes are not exactly one undamaged file of this library.
pub fn inspect(bytes: &[u8]) -> Result<Inspection> {
    if bytes.starts_with(&CiphertextFileSummary::MAGIC) {
        return inspect_ciphertexts(bytes);
    }
    let header = peek_header(bytes)?;
    if header.object_type == ObjectType::SlotBitsWords {
        return inspect_words(bytes);
    }
    if header.object_type == ObjectType::IntegerColumn {
        return inspect_column(bytes);
    }
    if is_message_of_owners(header.object_type) {
        return inspect_messages(bytes);
    }
    let limit = bytes.len().saturating_sub(HEADER_BYTES) as u64;
    let body = read_object(bytes, header.object_type, None, limit)?;
    let object = header.object_type.to_string();
    let mut found = Inspection::new(object, header.parameter_digest, bytes.len() as u64);
    found.engine = engine_of(header.object_type);
    match header.object_type {
        ObjectType::EncryptedTables => {
            found.engine = Some(Engine::Packed);
            found.key_id = Some(KeyId(BodyReader::new(body).array("key identifier")?));
        }
        ObjectType::ForeignGatesKey => {
            let mut reader = BodyReader::new(body);
            reader.bytes("parameters of foreign ciphertexts", body.len() as u64)?;
            found.key_id = Some(KeyId(reader.array("identifier of the LWE key")?));
        }
        ObjectType::Canaries | ObjectType::EncryptedFrame => {
            found.key_id = Some(KeyId(BodyReader::new(body).array("key identifier")?));
        }
        ObjectType::SlotBitsCiphertext
        | ObjectType::SlotBitsCoefficients
        | ObjectType::PreparedBits
        | ObjectType::VectorCiphertext
        | ObjectType::RingPackingKey
        | ObjectType::ExtractionKey => inspect_by_digest(&mut found, header.object_type, body)?,
        object_type if is_bytes_or_values(object_type) => {
            inspect_values(&mut found, object_type, bytes)?;
        }
        object_type => inspect_key(&mut found, object_type, bytes, body)?,
    }
    Ok(found)
}

/// Checks a file of several messages of owners: of values and of bits, or of several ciphertexts.
fn inspect_messages(bytes: &[u8]) -> Result<Inspection> {
    let first = peek_header(bytes)?;
    let object = first.object_type.to_string();
    let mut found = Inspection::new(object, first.parameter_digest, bytes.len() as u64);
    let mut rest = bytes;
    while !rest.is_empty() {
        let header = peek_header(rest)?;
        let length = usize::try_from(header.object_length()).unwrap_or(usize::MAX);
        let (message, following) = rest.split_at(length.min(rest.len()));
        let body = read_object(message, header.object_type, None, u64::MAX)?;
        if header.object_type == ObjectType::PartialDecryption {
            inspect_by_digest(&mut found, header.object_type, body)?;
        }
        rest = following;
    }
    Ok(found)
}

/// Returns whether an object of this type is a file that the owners of a key exchange, or a file of one of them.
fn is_message_of_owners(object_type: ObjectType) -> bool {
    matches!(
        object_type,
        ObjectType::OwnerCommitment
            | ObjectType::OwnerFirstShare
            | ObjectType::OwnerKeyShare
            | ObjectType::OwnerSecondShare
            | ObjectType::PackedOwnersSession
            | ObjectType::PackedOwnerSecret
            | ObjectType::SlotBitsOwnersSession
            | ObjectType::SlotBitsOwnerSecret
            | ObjectType::DealtShare
            | ObjectType::ThresholdSecret
            | ObjectType::JointResult
            | ObjectType::PartialDecryption
    )
}

/// Returns whether an object of this type holds ciphertexts of values, or bytes during AES transciphering.
fn is_bytes_or_values(object_type: ObjectType) -> bool {
    matches!(
        object_type,
        ObjectType::PackedCiphertext
            | ObjectType::CompressedPackedResult
            | ObjectType::ShortMaskResult
            | ObjectType::SingleCiphertext
            | ObjectType::LeveledCiphertext
            | ObjectType::EncryptedBytes
            | ObjectType::EncryptedRoundKeys
            | ObjectType::AesMessage
    )
}

/// Fills in the number of values or bytes, their key, and whether anything was computed on them.
fn inspect_values(found: &mut Inspection, object_type: ObjectType, bytes: &[u8]) -> Result<()> {
    match object_type {
        ObjectType::EncryptedBytes => {
            let message = EncryptedBytes::from_bytes(bytes)?;
            found.key_id = Some(message.key_id());
            found.values = Some((message.count() as u64, BYTE_VALUES));
            found.fresh = Some(message.is_fresh());
        }
        ObjectType::EncryptedRoundKeys => {
            let key = transciphering::EncryptedKey::from_bytes(bytes)?;
            let round_keys = key.round_key_bytes();
            found.key_id = Some(key.key_id());
            found.aes_key_id = Some(key.aes_key_id().0);
            found.values = Some((round_keys.count() as u64, BYTE_VALUES));
            found.fresh = Some(round_keys.is_fresh());
        }
        ObjectType::AesMessage => {
            let message = transciphering::Message::from_bytes(bytes)?;
            found.aes_key_id = Some(message.key_id().0);
            found.values = Some((message.bytes().len() as u64, BYTE_VALUES));
        }
        _ => {
            let engine = found.engine.expect("a ciphertext of an engine");
            let part = Part::from_bytes(engine, bytes)?;
            let contents = part.contents(Marks::default());
            found.key_id = Some(contents.key_id);
            found.values = Some((part.count() as u64, contents.modulus));
            found.fresh = Some(part.is_fresh());
        }
    }
    Ok(())
}

/// Fills in parameters and client of files that begin with the client's identifier and store only the digest of their
/// parameters.
fn inspect_by_digest(found: &mut Inspection, object_type: ObjectType, body: &[u8]) -> Result<()> {
    match object_type {
        ObjectType::RingPackingKey | ObjectType::ExtractionKey => {
            found.conversion = known_sets::of_conversion(found.parameter_digest)?.map(Box::new);
        }
        ObjectType::VectorCiphertext => {
            found.parameters = known_sets::of_vectors(found.parameter_digest)?.map(Into::into);
        }
        _ => found.parameters = set_of_bits(found.parameter_digest)?,
    }
    // In files of conversion keys, the identifier of the ring's key follows.
    found.key_id = Some(KeyId(BodyReader::new(body).array("key identifier")?));
    Ok(())
}

/// Returns the set of bits in slots with this digest, if it is a named set.
fn set_of_bits(digest: [u8; 32]) -> Result<Option<KeyParameters>> {
    Ok(known_sets::of_bits(digest)?.map(Into::into))
}

fn inspect_ciphertexts(bytes: &[u8]) -> Result<Inspection> {
    let mut reader = CiphertextReader::new(Cursor::new(bytes))?;
    let mut fresh = true;
    while let Some(part) = reader.next_part()? {
        fresh &= part.is_fresh();
    }
    let summary = *reader.summary();
    let contents = summary.contents;
    let object = format!("ciphertexts of {} values", contents.engine);
    Ok(Inspection {
        engine: Some(contents.engine),
        key_id: Some(contents.key_id),
        values: Some((summary.values, contents.modulus)),
        fresh: Some(fresh),
        ciphertexts: Some(summary),
        ..Inspection::new(object, contents.parameter_digest, summary.bytes)
    })
}

fn inspect_words(bytes: &[u8]) -> Result<Inspection> {
    let reader = EncryptedWordsReader::new(bytes)?;
    reader.check_undamaged()?;
    let summary = reader.summary().clone();
    let (object, digest) = (ObjectType::SlotBitsWords.to_string(), summary.parameter_digest);
    Ok(Inspection {
        parameters: set_of_bits(digest)?,
        key_id: Some(summary.key_id),
        words: Some(summary),
        ..Inspection::new(object, digest, bytes.len() as u64)
    })
}

/// Describes a column of packed or of single values.
fn inspect_column(bytes: &[u8]) -> Result<Inspection> {
    match column_of::<packed::Ciphertext>(bytes, Engine::Packed) {
        Err(Error::Wire(WireError::InvalidField { name: "engine", .. })) => {
            column_of::<single::Ciphertext>(bytes, Engine::Single)
        }
        found => found,
    }
}

fn column_of<C: DigitCiphertext>(bytes: &[u8], engine: Engine) -> Result<Inspection> {
    let mut reader = ColumnReader::<_, C>::new(bytes)?;
    let summary = *reader.summary();
    let (mut values, mut is_fresh) = (0, true);
    while let Some(part) = reader.next_summary()? {
        values += part.count as u64;
        is_fresh &= part.is_fresh;
    }
    let object = format!("{} ({})", ObjectType::IntegerColumn, summary.kind);
    Ok(Inspection {
        engine: Some(engine),
        key_id: Some(summary.key_id),
        // The modulus of 64-bit values, 2^64, does not fit in a `u64`.
        values: Some((values, 1u64.checked_shl(summary.kind.bits()).unwrap_or(u64::MAX))),
        fresh: Some(is_fresh),
        ..Inspection::new(object, summary.parameter_digest, bytes.len() as u64)
    })
}

fn engine_of(object_type: ObjectType) -> Option<Engine> {
    match object_type {
        ObjectType::PackedCiphertext
        | ObjectType::CompressedPackedResult
        | ObjectType::ShortMaskResult => Some(Engine::Packed),
        ObjectType::SingleCiphertext => Some(Engine::Single),
        ObjectType::LeveledCiphertext => Some(Engine::Leveled),
        other => KeyKind::of(other)?.engine(),
    }
}
