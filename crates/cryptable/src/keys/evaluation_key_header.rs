//! The header of an evaluation key, read before the rest of the key.

use cryptable_lattice::error::check_parameters;
use cryptable_wire::{KeyId, KeyStart, WireError, peek_header, peek_key};

use super::{KeyKind, KeyParameters};
use crate::{Parameters, ReadOptions, Result};

/// The first bytes of an evaluation key's file.
///
/// They are enough to refuse a key that does not fit other objects, or does not fit into memory, before gigabytes are
/// read. They may be damaged: only reading the whole key verifies its checksum.
///
/// ```
/// use cryptable::{Engine, EvaluationKeyHeader, Execution, Parameters, ReadOptions, SecretKey};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 4, 4)?);
/// let mut file = Vec::new();
/// secret.write_evaluation_key(&mut file, Execution::default())?;
/// file.truncate(EvaluationKeyHeader::BYTES);
/// let header = EvaluationKeyHeader::read(&file, ReadOptions::default().allow_insecure())?;
/// assert_eq!((header.key_id, header.parameters.digest()), (secret.id(), secret.parameters().digest()));
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EvaluationKeyHeader {
    /// The parameters that the key is for.
    pub parameters: KeyParameters,
    /// Identifier of the client's secret key.
    pub key_id: KeyId,
}

impl EvaluationKeyHeader {
    /// Largest number of bytes at the beginning of a file that the header occupies.
    pub const BYTES: usize = cryptable_wire::KEY_START_BYTES;

    /// Reads the header from the first [`EvaluationKeyHeader::BYTES`] bytes of a file, or all bytes if the file is
    /// shorter.
    ///
    /// # Errors
    /// If the bytes do not begin an evaluation key, or if `options` refuse its parameters or the memory that it needs.
    pub fn read(start: &[u8], options: ReadOptions) -> Result<Self> {
        let found = peek_header(start)?.object_type;
        if !found.is_evaluation_key() || KeyKind::of(found).is_none() {
            return Err(WireError::WrongKind { expected: "an evaluation key", found }.into());
        }
        let KeyStart { header, parameters, key_id } = peek_key(start)?;
        let parameters = KeyParameters::from_bytes(found, parameters, options)?;
        check_parameters("evaluation key", header.parameter_digest, parameters.file_digest())?;
        if let KeyParameters::Lookups(it @ (Parameters::Packed(_) | Parameters::Bridged(_))) =
            &parameters
        {
            let needed = it.prediction().key_memory_bytes;
            options.check_memory("evaluation key", needed as u64)?;
        }
        Ok(Self { parameters, key_id })
    }

    /// Returns the kind of the key.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.parameters.kind()
    }
}
