//! Inspection of keys: their parameters and identifiers.

use cryptable_wire::{BodyReader, KeyId, ObjectType};

use super::Inspection;
use crate::{FailureProbability, KeyKind, KeyParameters, ReadOptions, Result};

/// Returns options that accept any parameters, since they are only reported.
fn any_parameters() -> ReadOptions {
    let certain = FailureProbability::from_log2(f64::INFINITY);
    ReadOptions::default().allow_insecure().allow_failures(certain)
}

/// Fills in the parameters and identifier of a key. Does nothing for other objects.
pub(super) fn inspect_key(
    found: &mut Inspection,
    object_type: ObjectType,
    bytes: &[u8],
    body: &[u8],
) -> Result<()> {
    if object_type == ObjectType::Parameters {
        found.parameters = Some(KeyParameters::from_file(bytes, any_parameters())?);
        return Ok(());
    }
    let is_bridge =
        matches!(object_type, ObjectType::IntegerBridgeKey | ObjectType::LeveledBridgeKey);
    if KeyKind::of(object_type).is_none() && !is_bridge {
        return Ok(());
    }
    let is_rekeying = object_type.is_rekeying_key();
    let mut reader = BodyReader::new(body);
    let literal = reader.bytes("parameters", body.len() as u64)?;
    let parameters = KeyParameters::from_bytes(object_type, literal, any_parameters())?;
    // Keys of single values that may be packed have parameters for both; their ciphertexts name those for single
    // values.
    found.parameter_digest = parameters.digest();
    found.parameters = Some(parameters);
    let names_its_secret =
        object_type.is_evaluation_key() || object_type.is_public_key() || is_rekeying;
    found.key_id = if names_its_secret {
        Some(KeyId(reader.array("client key identifier")?))
    } else {
        secret_key_id(bytes)?
    };
    if is_rekeying {
        found.new_owner = Some(KeyId(reader.array("new owner's key identifier")?));
    }
    Ok(())
}

#[cfg(feature = "client")]
fn secret_key_id(bytes: &[u8]) -> Result<Option<KeyId>> {
    Ok(Some(crate::SecretKey::from_bytes(bytes, any_parameters())?.id()))
}

#[cfg(not(feature = "client"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as with the feature")]
fn secret_key_id(_: &[u8]) -> Result<Option<KeyId>> {
    Ok(None)
}
