//! Keys of both ends of a bridge by the names of their files.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use cryptable::WireError;
use cryptable::bridges::{
    IntegerEvaluationKeys, IntegerParameters, LeveledEvaluationKeys, LeveledParameters,
};
#[cfg(feature = "client")]
use cryptable::bridges::{IntegerSecretKeys, LeveledSecretKeys};
use cryptable::engines::packed;
use cryptable_wire::{MappedFile, ObjectType, peek_header};

use crate::args::Global;
use crate::key_input::{self, StartedKey};

/// A server's keys, whatever the engine at the other end.
pub enum Keys {
    /// Of integers.
    Integers(Box<IntegerEvaluationKeys>),
    /// Of leveled values.
    Leveled(Box<LeveledEvaluationKeys>),
}

/// Opens a server's keys, and reads the parameters of packed values.
///
/// # Errors
/// If the file cannot be read or holds no such keys, or insecure ones that are not allowed.
pub fn open(global: Global, path: &Path) -> Result<StartedKey<packed::Parameters>> {
    let options = global.read_options();
    key_input::start_of(path, |kind, bytes| match kind {
        ObjectType::IntegerBridgeEvaluationKeys => {
            Ok(IntegerParameters::from_bytes(bytes, options)?.packed().clone())
        }
        ObjectType::LeveledBridgeEvaluationKeys => {
            Ok(LeveledParameters::from_bytes(bytes, options)?.packed().clone())
        }
        found => {
            let expected = "evaluation keys of `bridge keygen`";
            Err(WireError::WrongKind { expected, found }.into())
        }
    })
}

/// Reads a server's keys where they lie, and their file, to check in the end that nobody changed it.
///
/// # Errors
/// If they are damaged.
pub fn read(
    global: Global,
    started: StartedKey<packed::Parameters>,
) -> Result<(Keys, Arc<MappedFile>)> {
    let options = global.read_options();
    started.read(|file| {
        Ok(match peek_header((**file).as_ref())?.object_type {
            ObjectType::IntegerBridgeEvaluationKeys => {
                Keys::Integers(Box::new(IntegerEvaluationKeys::from_shared(file.clone(), options)?))
            }
            _ => {
                Keys::Leveled(Box::new(LeveledEvaluationKeys::from_shared(file.clone(), options)?))
            }
        })
    })
}

/// A client's keys, whatever the engine at the other end.
#[cfg(feature = "client")]
pub enum Secrets {
    /// Of integers.
    Integers(Box<IntegerSecretKeys>),
    /// Of leveled values.
    Leveled(Box<LeveledSecretKeys>),
}

#[cfg(feature = "client")]
impl Secrets {
    /// The key of packed values.
    pub fn into_packed(self) -> packed::SecretKey {
        match self {
            Self::Integers(keys) => keys.into_parts().0,
            Self::Leveled(keys) => keys.into_parts().0,
        }
    }
}

/// Reads a client's keys.
///
/// # Errors
/// If the file cannot be read or holds no such keys, or insecure ones that are not allowed.
#[cfg(feature = "client")]
pub fn read_secrets(global: Global, path: &Path) -> Result<Secrets> {
    let options = global.read_options();
    key_input::read_secret_of(global, path, |bytes| {
        let found = peek_header(bytes)?.object_type;
        Ok(match found {
            ObjectType::IntegerBridgeSecretKeys => {
                Secrets::Integers(Box::new(IntegerSecretKeys::from_bytes(bytes, options)?))
            }
            ObjectType::LeveledBridgeSecretKeys => {
                Secrets::Leveled(Box::new(LeveledSecretKeys::from_bytes(bytes, options)?))
            }
            _ => {
                let expected = "secret keys of `bridge keygen`";
                return Err(WireError::WrongKind { expected, found }.into());
            }
        })
    })
}
