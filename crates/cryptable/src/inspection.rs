//! What a file is, without a key.

use cryptable_rlwe::wire::{BodyReader, HEADER_BYTES, ObjectType, peek_header, read_object};

use crate::error::Result;
use crate::{Ciphertext, Parameters, single};

/// What is found in one object.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What the object is, for people.
    pub object: String,
    /// Digest of its parameters.
    pub parameter_digest: [u8; 32],
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Its parameters, if it carries them and is for packed values.
    pub parameters: Option<Parameters>,
    /// Its parameters, if it carries them and is for single values.
    pub single_parameters: Option<single::Parameters>,
    /// The number of values and their modulus, for a ciphertext.
    pub values: Option<(usize, u64)>,
    /// Whether its uniform half is a seed, for a ciphertext.
    pub fresh: Option<bool>,
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
        parameters: None,
        single_parameters: None,
        values: None,
        fresh: None,
    };
    match header.object_type {
        ObjectType::Ciphertext => {
            let ciphertext = Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
        }
        ObjectType::SingleCiphertext => {
            let ciphertext = single::Ciphertext::from_bytes(bytes)?;
            inspection.values = Some((ciphertext.count(), ciphertext.modulus()));
            inspection.fresh = Some(ciphertext.is_fresh());
        }
        ObjectType::SingleSecretKey | ObjectType::SingleEvaluationKey => {
            let literal = BodyReader::new(body).bytes("parameters", limit)?;
            inspection.single_parameters = Some(single::Parameters::from_bytes(literal)?);
        }
        ObjectType::SecretKey | ObjectType::EvaluationKey => {
            let literal = BodyReader::new(body).bytes("parameters", limit)?;
            inspection.parameters = Some(Parameters::from_bytes(literal)?);
        }
        ObjectType::Parameters => {
            inspection.parameters = Some(Parameters::from_bytes(body)?);
        }
        // A type that a later version of the format may add.
        _ => {}
    }
    Ok(inspection)
}
