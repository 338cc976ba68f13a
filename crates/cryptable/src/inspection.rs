//! What a file is, without a key.

use std::io::Cursor;

use cryptable_integers::{ColumnReader, DigitCiphertext};
use cryptable_leveled::aes::EncryptedBytes;
use cryptable_wire::{BodyReader, HEADER_BYTES, KeyId, ObjectType, peek_header, read_object};

use crate::ciphertext::Part;
use crate::ciphertext_file::{CIPHERTEXT_FILE_MAGIC, CiphertextFileSummary, CiphertextReader};
use crate::circuits::{self, EncryptedWordsReader, EncryptedWordsSummary};
use crate::ckks;
use crate::engines::{bridged, packed, single};
use crate::known_sets;
use crate::{
    Engine, Error, FailureProbability, Parameters, ReadOptions, Result, SecurityLevel, WireError,
    booleans, bridges, integers::large_values, transciphering,
};

/// Values of a byte.
const BYTE_VALUES: u64 = 256;

/// Parameters that a key file carries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InspectedParameters {
    /// Of an engine.
    Engine(Parameters),
    /// Of transciphering.
    Transciphering(Box<transciphering::Parameters>),
    /// Of gates on encrypted bits.
    Booleans(Box<booleans::Parameters>),
    /// Of functions of large values.
    Integers(Box<large_values::Parameters>),
    /// Of circuits on bits in slots.
    Circuits(Box<circuits::Parameters>),
    /// Of vectors of real and complex numbers.
    Vectors(Box<ckks::Parameters>),
    /// Of conversions between single and packed values.
    Conversion(Box<booleans::ConversionParameters>),
    /// Of a bridge between packed values and integers.
    IntegerBridge(Box<bridges::IntegerParameters>),
    /// Of a bridge between packed values and leveled ones.
    LeveledBridge(Box<bridges::LeveledParameters>),
}

/// The same expression for parameters of any kind; those of circuits and of conversions have one of their own.
macro_rules! each_kind {
    ($parameters:expr, $inner:ident => $expression:expr, $bits:ident => $of_bits:expr, $conversion:ident => $of_conversion:expr) => {
        match $parameters {
            Self::Engine($inner) => $expression,
            Self::Transciphering($inner) => $expression,
            Self::Booleans($inner) => $expression,
            Self::Integers($inner) => $expression,
            Self::Vectors($inner) => $expression,
            Self::Circuits($bits) => $of_bits,
            Self::Conversion($conversion) => $of_conversion,
            Self::IntegerBridge($inner) => $expression,
            Self::LeveledBridge($inner) => $expression,
        }
    };
}

impl InspectedParameters {
    /// What they claim of their security.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        each_kind!(self, it => it.security_level(), bits => bits.literal().security, it => it.literal().security)
    }

    /// Estimated security in bits; 0 of insecure ones.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        each_kind!(self, it => it.security_bits(), bits => bits.security_bits(), it => it.security_bits())
    }

    /// log2 of the probability that a value, a gate, a bit, or a block of AES goes wrong. A conversion adds noise, and what
    /// it is used for fails or not.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        each_kind!(self, it => it.log2_fail(), bits => bits.literal().log2_fail, _it => f64::NEG_INFINITY)
    }

    /// The probability of [`InspectedParameters::log2_fail`]. Readers refuse what is above
    /// [`FailureProbability::READ_LIMIT`].
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
    }
}

/// What is found in a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inspection {
    /// What the object is, for people.
    pub object: String,
    /// Its engine, if it is of one.
    pub engine: Option<Engine>,
    /// Digest of its parameters.
    pub parameter_digest: [u8; 32],
    /// Bytes of the file.
    pub bytes: u64,
    /// Its parameters, if it carries them, or they are of a set with a name.
    pub parameters: Option<InspectedParameters>,
    /// The client's key that it belongs to. A secret key is named in builds with the feature `client` only.
    pub key_id: Option<KeyId>,
    /// The AES key that a message is under, or that is in an encrypted key.
    pub aes_key_id: Option<KeyId>,
    /// The number of values and their modulus, for ciphertexts.
    pub values: Option<(u64, u64)>,
    /// Whether nothing was computed on the values yet, for ciphertexts: their masks are seeds.
    pub fresh: Option<bool>,
    /// What a file of ciphertexts says of itself.
    pub ciphertexts: Option<CiphertextFileSummary>,
    /// What a file of encrypted words says of itself.
    pub words: Option<EncryptedWordsSummary>,
}

/// Checks a file wholly, and says what it is. Insecure parameters, and those that fail often, are not refused here, but
/// told: look at them before using any of a file of somebody else's.
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
/// If it is not exactly one undamaged file of this library.
pub fn inspect(bytes: &[u8]) -> Result<Inspection> {
    if bytes.starts_with(&CIPHERTEXT_FILE_MAGIC) {
        return inspect_ciphertexts(bytes);
    }
    let header = peek_header(bytes)?;
    if header.object_type == ObjectType::SlotBitsWords {
        return inspect_words(bytes);
    }
    if header.object_type == ObjectType::IntegerColumn {
        return inspect_column(bytes);
    }
    let limit = bytes.len().saturating_sub(HEADER_BYTES) as u64;
    let body = read_object(bytes, header.object_type, None, limit)?;
    let mut found = Inspection {
        object: header.object_type.to_string(),
        engine: engine_of(header.object_type),
        parameter_digest: header.parameter_digest,
        bytes: bytes.len() as u64,
        parameters: None,
        key_id: None,
        aes_key_id: None,
        values: None,
        fresh: None,
        ciphertexts: None,
        words: None,
    };
    match header.object_type {
        ObjectType::PackedCiphertext
        | ObjectType::SingleCiphertext
        | ObjectType::LeveledCiphertext => {
            let engine = found.engine.expect("a ciphertext of an engine");
            let part = Part::from_bytes(engine, bytes)?;
            let contents = part.contents();
            found.key_id = Some(contents.key_id);
            found.values = Some((part.count() as u64, contents.modulus));
            found.fresh = Some(part.is_fresh());
        }
        ObjectType::EncryptedTables => {
            found.engine = Some(Engine::Packed);
            found.key_id = Some(KeyId(BodyReader::new(body).array("key identifier")?));
        }
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
        ObjectType::SlotBitsCiphertext
        | ObjectType::SlotBitsCoefficients
        | ObjectType::VectorCiphertext
        | ObjectType::RingPackingKey
        | ObjectType::ExtractionKey => inspect_by_digest(&mut found, header.object_type, body)?,
        object_type => inspect_key(&mut found, object_type, bytes, body)?,
    }
    Ok(found)
}

/// Files that begin with their client's identifier, and name their parameters by the digest alone.
fn inspect_by_digest(found: &mut Inspection, object_type: ObjectType, body: &[u8]) -> Result<()> {
    found.parameters = match object_type {
        ObjectType::RingPackingKey | ObjectType::ExtractionKey => {
            let found = known_sets::of_conversion(found.parameter_digest)?;
            found.map(|found| InspectedParameters::Conversion(Box::new(found)))
        }
        ObjectType::VectorCiphertext => {
            let found = known_sets::of_vectors(found.parameter_digest)?;
            found.map(|found| InspectedParameters::Vectors(Box::new(found)))
        }
        _ => set_of_bits(found.parameter_digest)?,
    };
    // Keys of conversions go on with that of the ring.
    found.key_id = Some(KeyId(BodyReader::new(body).array("key identifier")?));
    Ok(())
}

/// The set of bits of a digest, if it has a name.
fn set_of_bits(digest: [u8; 32]) -> Result<Option<InspectedParameters>> {
    let found = known_sets::of_bits(digest)?;
    Ok(found.map(|found| InspectedParameters::Circuits(Box::new(found))))
}

fn inspect_ciphertexts(bytes: &[u8]) -> Result<Inspection> {
    let mut reader = CiphertextReader::new(Cursor::new(bytes))?;
    let mut fresh = true;
    while let Some(part) = reader.next_part()? {
        fresh &= part.is_fresh();
    }
    let summary = *reader.summary();
    let contents = summary.contents;
    Ok(Inspection {
        object: format!("ciphertexts of {} values", contents.engine),
        engine: Some(contents.engine),
        parameter_digest: contents.parameter_digest,
        bytes: summary.bytes,
        parameters: None,
        key_id: Some(contents.key_id),
        aes_key_id: None,
        values: Some((summary.values, contents.modulus)),
        fresh: Some(fresh),
        ciphertexts: Some(summary),
        words: None,
    })
}

fn inspect_words(bytes: &[u8]) -> Result<Inspection> {
    let reader = EncryptedWordsReader::new(bytes)?;
    reader.check_undamaged()?;
    let summary = reader.summary().clone();
    Ok(Inspection {
        object: ObjectType::SlotBitsWords.to_string(),
        engine: None,
        parameter_digest: summary.parameter_digest,
        bytes: bytes.len() as u64,
        parameters: set_of_bits(summary.parameter_digest)?,
        key_id: Some(summary.key_id),
        aes_key_id: None,
        values: None,
        fresh: None,
        ciphertexts: None,
        words: Some(summary),
    })
}

/// A column of packed values, or else of single ones.
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
    Ok(Inspection {
        object: format!("{} ({})", ObjectType::IntegerColumn, summary.kind),
        engine: Some(engine),
        parameter_digest: summary.parameter_digest,
        bytes: bytes.len() as u64,
        parameters: None,
        key_id: Some(summary.key_id),
        aes_key_id: None,
        // Those of 64 bits have a modulus one larger than a word holds.
        values: Some((values, 1u64.checked_shl(summary.kind.bits).unwrap_or(u64::MAX))),
        fresh: Some(is_fresh),
        ciphertexts: None,
        words: None,
    })
}

/// What is told, not used.
fn any_parameters() -> ReadOptions {
    let certain = FailureProbability::from_log2(f64::INFINITY);
    ReadOptions::default().allow_insecure().allow_failures(certain)
}

/// Parameters and identifier of a key; of anything else nothing.
fn inspect_key(
    found: &mut Inspection,
    object_type: ObjectType,
    bytes: &[u8],
    body: &[u8],
) -> Result<()> {
    let options = any_parameters();
    let mut reader = BodyReader::new(body);
    let mut literal = || reader.bytes("parameters", body.len() as u64);
    use InspectedParameters as Inspected;
    let parameters = match (found.engine, object_type) {
        (_, ObjectType::BridgedSecretKey | ObjectType::BridgedEvaluationKey) => {
            let parameters =
                Parameters::from(bridged::Parameters::from_bytes(literal()?, options)?);
            // Ciphertexts name the parameters of single values.
            found.parameter_digest = parameters.digest();
            Inspected::Engine(parameters)
        }
        (Some(engine), _) => {
            Inspected::Engine(Parameters::from_bytes(engine, literal()?, options)?)
        }
        (_, ObjectType::TranscipheringSecretKey | ObjectType::TranscipheringEvaluationKey) => {
            let parameters = transciphering::Parameters::from_bytes(literal()?, options)?;
            Inspected::Transciphering(Box::new(parameters))
        }
        (_, ObjectType::BooleanSecretKey | ObjectType::BooleanEvaluationKey) => {
            Inspected::Booleans(Box::new(booleans::Parameters::from_bytes(literal()?, options)?))
        }
        (_, ObjectType::IntegerSecretKey | ObjectType::IntegerEvaluationKey) => {
            Inspected::Integers(Box::new(large_values::Parameters::from_bytes(
                literal()?,
                options,
            )?))
        }
        (
            _,
            ObjectType::IntegerBridgeKey
            | ObjectType::IntegerBridgeSecretKeys
            | ObjectType::IntegerBridgeEvaluationKeys,
        ) => {
            let parameters = bridges::IntegerParameters::from_bytes(literal()?, options)?;
            Inspected::IntegerBridge(Box::new(parameters))
        }
        (
            _,
            ObjectType::LeveledBridgeKey
            | ObjectType::LeveledBridgeSecretKeys
            | ObjectType::LeveledBridgeEvaluationKeys,
        ) => {
            let parameters = bridges::LeveledParameters::from_bytes(literal()?, options)?;
            Inspected::LeveledBridge(Box::new(parameters))
        }
        (_, ObjectType::SlotBitsSecretKey | ObjectType::SlotBitsEvaluationKey) => {
            Inspected::Circuits(Box::new(circuits::Parameters::from_bytes(literal()?, options)?))
        }
        (_, ObjectType::VectorSecretKey) => {
            Inspected::Vectors(Box::new(ckks::Parameters::from_bytes(literal()?, options)?))
        }
        (_, ObjectType::VectorEvaluationKey) => {
            let found = ckks::Parameters::from_evaluation_key_bytes(literal()?, options)?;
            Inspected::Vectors(Box::new(found))
        }
        _ => return Ok(()),
    };
    found.parameters = Some(parameters);
    let is_server_key =
        matches!(
            object_type,
            ObjectType::TranscipheringEvaluationKey
                | ObjectType::BooleanEvaluationKey
                | ObjectType::IntegerEvaluationKey
                | ObjectType::SlotBitsEvaluationKey
                | ObjectType::VectorEvaluationKey
                | ObjectType::BridgedEvaluationKey
                | ObjectType::IntegerBridgeKey
                | ObjectType::LeveledBridgeKey
                | ObjectType::IntegerBridgeEvaluationKeys
                | ObjectType::LeveledBridgeEvaluationKeys
        ) || Engine::ALL.iter().any(|e| e.object_types().evaluation_key == object_type);
    found.key_id = if is_server_key {
        Some(KeyId(reader.array("client key identifier")?))
    } else {
        secret_key_id(object_type, bytes)?
    };
    Ok(())
}

#[cfg(feature = "client")]
fn secret_key_id(object_type: ObjectType, bytes: &[u8]) -> Result<Option<KeyId>> {
    let options = any_parameters();
    Ok(Some(match object_type {
        ObjectType::TranscipheringSecretKey => {
            transciphering::SecretKey::from_bytes(bytes, options)?.id()
        }
        ObjectType::BooleanSecretKey => booleans::SecretKey::from_bytes(bytes, options)?.id(),
        ObjectType::IntegerSecretKey => large_values::SecretKey::from_bytes(bytes, options)?.id(),
        ObjectType::SlotBitsSecretKey => circuits::SecretKey::from_bytes(bytes, options)?.key_id(),
        ObjectType::VectorSecretKey => ckks::SecretKey::from_bytes(bytes, options)?.key_id(),
        // Of the packed values, which files of ciphertexts hold.
        ObjectType::IntegerBridgeSecretKeys => {
            bridges::IntegerSecretKeys::from_bytes(bytes, options)?.ids()[0]
        }
        ObjectType::LeveledBridgeSecretKeys => {
            bridges::LeveledSecretKeys::from_bytes(bytes, options)?.ids()[0]
        }
        _ => crate::SecretKey::from_bytes(bytes, options)?.id(),
    }))
}

#[cfg(not(feature = "client"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as with the feature")]
fn secret_key_id(_: ObjectType, _: &[u8]) -> Result<Option<KeyId>> {
    Ok(None)
}

fn engine_of(object_type: ObjectType) -> Option<Engine> {
    match object_type {
        ObjectType::PackedSecretKey
        | ObjectType::PackedEvaluationKey
        | ObjectType::PackedCiphertext => Some(Engine::Packed),
        ObjectType::SingleSecretKey
        | ObjectType::SingleEvaluationKey
        | ObjectType::SingleCiphertext
        | ObjectType::BridgedSecretKey
        | ObjectType::BridgedEvaluationKey => Some(Engine::Single),
        ObjectType::LeveledSecretKey
        | ObjectType::LeveledEvaluationKey
        | ObjectType::LeveledCiphertext => Some(Engine::Leveled),
        _ => None,
    }
}
