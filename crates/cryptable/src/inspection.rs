//! What a file is, without a key.

use cryptable_lattice::ReadOptions;
use cryptable_leveled::aes;
use cryptable_wire::{BodyReader, HEADER_BYTES, ObjectType, peek_header, read_object};

use crate::Result;
use crate::{Ciphertext, KeyId, Parameters, leveled, single};

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
    /// For leveled values.
    Leveled(Box<leveled::Parameters>),
    /// For transciphering of AES-128.
    Transciphering(Box<aes::Parameters>),
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
        parameters: parameters(header.object_type, body)?,
        values: None,
        fresh: None,
        client: None,
    };
    match header.object_type {
        ObjectType::PackedCiphertext => {
            let ciphertext = Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
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
            inspection.client = Some(ciphertext.key_id());
        }
        ObjectType::EncryptedBytes | ObjectType::EncryptedRoundKeys => {
            let ciphertext = match header.object_type {
                ObjectType::EncryptedBytes => aes::EncryptedBytes::from_bytes(bytes)?,
                _ => aes::EncryptedKey::from_bytes(bytes)?.round_key_bytes().clone(),
            };
            inspection.values = Some((ciphertext.count(), BYTE_VALUES));
            inspection.fresh = Some(ciphertext.is_fresh());
            inspection.client = Some(ciphertext.key_id());
        }
        // Keys, and what a later version of the format may add.
        _ => {}
    }
    Ok(inspection)
}

/// The parameters that an object of this type carries.
fn parameters(object_type: ObjectType, body: &[u8]) -> Result<Option<InspectedParameters>> {
    // What is only looked at may be insecure.
    let options = ReadOptions::default().allow_insecure();
    let literal = || BodyReader::new(body).bytes("parameters", body.len() as u64);
    Ok(Some(match object_type {
        ObjectType::PackedSecretKey | ObjectType::PackedEvaluationKey => {
            InspectedParameters::Packed(Box::new(Parameters::from_bytes(literal()?)?))
        }
        ObjectType::Parameters => {
            InspectedParameters::Packed(Box::new(Parameters::from_bytes(body)?))
        }
        ObjectType::SingleSecretKey | ObjectType::SingleEvaluationKey => {
            InspectedParameters::Single(Box::new(single::Parameters::from_bytes(literal()?)?))
        }
        ObjectType::LeveledSecretKey | ObjectType::LeveledEvaluationKey => {
            InspectedParameters::Leveled(Box::new(leveled::Parameters::from_bytes(
                literal()?,
                options,
            )?))
        }
        ObjectType::TranscipheringSecretKey | ObjectType::TranscipheringEvaluationKey => {
            let parameters = aes::Parameters::from_bytes(literal()?, options)?;
            InspectedParameters::Transciphering(Box::new(parameters))
        }
        _ => return Ok(None),
    }))
}
