//! What a file is, without a key.

use cryptable_leveled::encrypted_bytes::{Content, EncryptedBytes};
use cryptable_leveled::parameters::CircuitParameters;
use cryptable_wire::{BodyReader, HEADER_BYTES, ObjectType, peek_header, read_object};

use crate::{Ciphertext, KeyId, Parameters, ReadOptions, Result, leveled, single};

/// Values of a byte.
const BYTE_VALUES: u64 = 256;

/// Parameters that an object carries.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum InspectedParameters {
    /// For packed values.
    Packed(Box<Parameters>),
    /// For single values.
    Single(Box<single::Parameters>),
    /// For values bit by bit.
    Leveled(Box<leveled::Parameters>),
    /// For circuits on bits, transciphering among them.
    Circuit(Box<CircuitParameters>),
}

/// What is found in one object.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What the object is, for people.
    pub object: String,
    /// Digest of its parameters.
    pub parameter_digest: [u8; 32],
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Its parameters, if it carries them.
    pub parameters: Option<InspectedParameters>,
    /// The number of values and their modulus, for a ciphertext.
    pub values: Option<(usize, u64)>,
    /// Whether its uniform half is a seed, for a ciphertext.
    pub fresh: Option<bool>,
    /// The key that a ciphertext is encrypted under, where it says that.
    pub client: Option<KeyId>,
}

/// Reads the header of an object, checks its checksum, and looks at what it says of itself.
///
/// # Errors
/// If it is not exactly one undamaged object.
pub fn inspect(bytes: &[u8]) -> Result<Inspection> {
    let header = peek_header(bytes)?;
    let limit = (bytes.len().saturating_sub(HEADER_BYTES)) as u64;
    let body = read_object(bytes, header.object_type, None, limit)?;
    let mut inspection = Inspection {
        object: header.object_type.to_string(),
        parameter_digest: header.parameter_digest,
        body_bytes: header.body_length,
        parameters: parameters(header.object_type, bytes, body)?,
        values: None,
        fresh: None,
        client: None,
    };
    match header.object_type {
        ObjectType::PackedCiphertext => {
            let ciphertext = Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
            inspection.client = Some(ciphertext.key_id());
        }
        ObjectType::SingleCiphertext => {
            let ciphertext = single::Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
        }
        ObjectType::LeveledCiphertext => {
            let ciphertext = leveled::Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
            inspection.client = Some(ciphertext.client());
        }
        ObjectType::EncryptedBytes | ObjectType::EncryptedRoundKeys => {
            let is_message = header.object_type == ObjectType::EncryptedBytes;
            let content = if is_message { Content::Message } else { Content::RoundKeys };
            let ciphertext = EncryptedBytes::from_bytes(content, bytes)?;
            inspection.values = Some((ciphertext.count(), BYTE_VALUES));
            inspection.fresh = Some(ciphertext.is_fresh());
            inspection.client = Some(ciphertext.client());
        }
        // Keys, and what a later version of the format may add.
        _ => {}
    }
    Ok(inspection)
}

/// The parameters that an object of this type carries.
fn parameters(
    object_type: ObjectType,
    bytes: &[u8],
    body: &[u8],
) -> Result<Option<InspectedParameters>> {
    // To look at insecure parameters is not to use them.
    let options = ReadOptions::default().allow_insecure();
    let literal = || BodyReader::new(body).bytes("parameters", body.len() as u64);
    Ok(Some(match object_type {
        ObjectType::PackedSecretKey | ObjectType::PackedEvaluationKey => {
            InspectedParameters::Packed(Box::new(Parameters::from_bytes(literal()?, options)?))
        }
        ObjectType::Parameters => {
            InspectedParameters::Packed(Box::new(Parameters::from_bytes(body, options)?))
        }
        ObjectType::SingleSecretKey | ObjectType::SingleEvaluationKey => {
            InspectedParameters::Single(Box::new(single::Parameters::from_bytes(literal()?)?))
        }
        ObjectType::LeveledSecretKey | ObjectType::LeveledEvaluationKey => {
            InspectedParameters::Leveled(Box::new(leveled::Parameters::from_bytes(literal()?)?))
        }
        ObjectType::CircuitSecretKey | ObjectType::CircuitEvaluationKey => {
            InspectedParameters::Circuit(Box::new(CircuitParameters::of_key(bytes)?))
        }
        _ => return Ok(None),
    }))
}
