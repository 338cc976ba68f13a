//! Parameters and identifiers of keys.

use cryptable_wire::{BodyReader, KeyId, ObjectType};

use super::{InspectedParameters, Inspection};
use crate::engines::bridged;
use crate::{
    Engine, FailureProbability, Parameters, ReadOptions, Result, WireError, booleans, bridges,
    circuits, ckks, integers::large_values, transciphering,
};

/// What is told, not used.
fn any_parameters() -> ReadOptions {
    let certain = FailureProbability::from_log2(f64::INFINITY);
    ReadOptions::default().allow_insecure().allow_failures(certain)
}

/// Parameters and identifier of a key; of anything else nothing.
pub(super) fn inspect_key(
    found: &mut Inspection,
    object_type: ObjectType,
    bytes: &[u8],
    body: &[u8],
) -> Result<()> {
    let mut reader = BodyReader::new(body);
    let literal = || reader.bytes("parameters", body.len() as u64);
    let Some(parameters) = parameters_of(found.engine, object_type, literal)? else {
        return Ok(());
    };
    if let InspectedParameters::Engine(parameters) = &parameters {
        // Keys of single values that may be packed have parameters of both; ciphertexts name those of single values.
        found.parameter_digest = parameters.digest();
    }
    found.parameters = Some(parameters);
    found.key_id = if object_type.is_evaluation_key() {
        Some(KeyId(reader.array("client key identifier")?))
    } else {
        secret_key_id(object_type, bytes)?
    };
    Ok(())
}

/// The parameters that a key begins with, read by `literal`. None of anything else.
fn parameters_of<'a>(
    engine: Option<Engine>,
    object_type: ObjectType,
    literal: impl FnOnce() -> std::result::Result<&'a [u8], WireError>,
) -> Result<Option<InspectedParameters>> {
    use InspectedParameters as Inspected;
    use ObjectType as Type;
    let options = any_parameters();
    Ok(Some(match (engine, object_type) {
        (_, Type::BridgedSecretKey | Type::BridgedEvaluationKey) => {
            Inspected::Engine(bridged::Parameters::from_bytes(literal()?, options)?.into())
        }
        (Some(engine), _) => {
            Inspected::Engine(Parameters::from_bytes(engine, literal()?, options)?)
        }
        (_, Type::TranscipheringSecretKey | Type::TranscipheringEvaluationKey) => {
            Inspected::Transciphering(Box::new(transciphering::Parameters::from_bytes(
                literal()?,
                options,
            )?))
        }
        (_, Type::BooleanSecretKey | Type::BooleanEvaluationKey) => {
            Inspected::Booleans(Box::new(booleans::Parameters::from_bytes(literal()?, options)?))
        }
        (_, Type::IntegerSecretKey | Type::IntegerEvaluationKey) => Inspected::Integers(Box::new(
            large_values::Parameters::from_bytes(literal()?, options)?,
        )),
        (
            _,
            Type::IntegerBridgeKey
            | Type::IntegerBridgeSecretKeys
            | Type::IntegerBridgeEvaluationKeys,
        ) => Inspected::IntegerBridge(Box::new(bridges::IntegerParameters::from_bytes(
            literal()?,
            options,
        )?)),
        (
            _,
            Type::LeveledBridgeKey
            | Type::LeveledBridgeSecretKeys
            | Type::LeveledBridgeEvaluationKeys,
        ) => Inspected::LeveledBridge(Box::new(bridges::LeveledParameters::from_bytes(
            literal()?,
            options,
        )?)),
        (_, Type::SlotBitsSecretKey | Type::SlotBitsEvaluationKey) => {
            Inspected::Circuits(Box::new(circuits::Parameters::from_bytes(literal()?, options)?))
        }
        (_, Type::VectorSecretKey) => {
            Inspected::Vectors(Box::new(ckks::Parameters::from_bytes(literal()?, options)?))
        }
        (_, Type::VectorEvaluationKey) => Inspected::Vectors(Box::new(
            ckks::Parameters::from_evaluation_key_bytes(literal()?, options)?,
        )),
        _ => return Ok(None),
    }))
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
        ObjectType::SlotBitsSecretKey => circuits::SecretKey::from_bytes(bytes, options)?.id(),
        ObjectType::VectorSecretKey => ckks::SecretKey::from_bytes(bytes, options)?.id(),
        // Of the packed values, which files of ciphertexts hold.
        ObjectType::IntegerBridgeSecretKeys => {
            bridges::IntegerSecretKeys::from_bytes(bytes, options)?.id()
        }
        ObjectType::LeveledBridgeSecretKeys => {
            bridges::LeveledSecretKeys::from_bytes(bytes, options)?.id()
        }
        _ => crate::SecretKey::from_bytes(bytes, options)?.id(),
    }))
}

#[cfg(not(feature = "client"))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as with the feature")]
fn secret_key_id(_: ObjectType, _: &[u8]) -> Result<Option<KeyId>> {
    Ok(None)
}
