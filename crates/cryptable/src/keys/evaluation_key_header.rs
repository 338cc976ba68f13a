//! What evaluation keys say of themselves before all of them is read.

use cryptable_lattice::error::check_parameters;
use cryptable_wire::{KeyId, KeyStart, ObjectType, WireError, peek_key};

use crate::engines::bridged;
use crate::{Engine, Parameters, ReadOptions, Result};

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
    pub parameters: Parameters,
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
        let found = cryptable_wire::peek_header(start)?.object_type;
        let engine = Engine::ALL.into_iter().find(|e| e.object_types().evaluation_key == found);
        if engine.is_none() && found != ObjectType::BridgedEvaluationKey {
            return Err(WireError::WrongKind { expected: "an evaluation key", found }.into());
        }
        let KeyStart { header, parameters, key_id } = peek_key(start)?;
        let parameters = match engine {
            Some(engine) => Parameters::from_bytes(engine, parameters, options)?,
            None => bridged::Parameters::from_bytes(parameters, options)?.into(),
        };
        let digest = match &parameters {
            // Files name the parameters of both ends; ciphertexts those of single values.
            Parameters::Bridged(both) => both.digest(),
            other => other.digest(),
        };
        check_parameters("evaluation key", header.parameter_digest, digest)?;
        if let Parameters::Packed(_) | Parameters::Bridged(_) = parameters {
            let needed = parameters.prediction().key_memory_bytes;
            options.check_memory("evaluation key", needed as u64)?;
        }
        Ok(Self { parameters, key_id })
    }

    /// Which engine the key is of.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.parameters.engine()
    }
}
