//! What a file is, without a key.

use cryptable_leveled::encrypted_bytes::{Content, EncryptedBytes};
use cryptable_leveled::parameters::CircuitParameters;
use cryptable_wire::{BodyReader, HEADER_BYTES, KeyId, ObjectType, peek_header, read_object};

use crate::ciphertext_file::{CIPHERTEXT_FILE_MAGIC, CiphertextFileSummary, CiphertextReader};
use crate::{Engine, Parameters, ReadOptions, Result, SecurityLevel};

/// What is found in a file.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// What the object is, for people.
    pub object: String,
    /// Its engine, if it is of one.
    pub engine: Option<Engine>,
    /// Digest of its parameters.
    pub parameter_digest: [u8; 32],
    /// Bytes of the file.
    pub bytes: u64,
    /// Its parameters, if it carries those of an engine.
    pub parameters: Option<Parameters>,
    /// What its parameters claim of their security, if it carries any.
    pub security_level: Option<SecurityLevel>,
    /// The client's key that it belongs to.
    pub key_id: Option<KeyId>,
    /// The number of values and their modulus, for ciphertexts.
    pub values: Option<(u64, u64)>,
    /// What a file of ciphertexts says of itself.
    pub ciphertexts: Option<CiphertextFileSummary>,
}
