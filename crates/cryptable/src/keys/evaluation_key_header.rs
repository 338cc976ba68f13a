//! What evaluation keys say of themselves before all of them is read.

use cryptable_lattice::error::check_parameters;
use cryptable_wire::{KeyId, KeyStart, WireError, peek_header, peek_key};

use super::{KeyKind, KeyParameters};
use crate::{Parameters, ReadOptions, Result};

/// What the first bytes of an evaluation key's file say: enough to refuse what does not go with it, or would not fit into memory,
/// before gigabytes are read. They may be damaged: reading the key compares its checksum.
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
    /// The identifier of the client's secret key.
    pub key_id: KeyId,
}

impl EvaluationKeyHeader {
    /// Bytes of a file that hold it, at most.
    pub const BYTES: usize = cryptable_wire::KEY_START_BYTES;

    /// Reads it from the first [`EvaluationKeyHeader::BYTES`] of a file, or fewer if the file is shorter.
    ///
    /// # Errors
    /// If they do not begin an evaluation key, or `options` do not accept its parameters or the memory that it takes.
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

    /// Returns what the key is for.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        self.parameters.kind()
    }
}
