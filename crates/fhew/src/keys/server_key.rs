//! The server's key of every face: parameters, bootstrapping keys, and the binding to the client's key.

use std::fmt;

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{Binding, KeyParameters, ReadOptions, Result, bound_key};
use cryptable_wire::{KeyId, ObjectType};

use crate::keys::evaluation_key::{EvaluationKey, SeededEvaluationKey};
use crate::keys::serialization::reading_memory_bytes;
use crate::parameters::Parameters;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Parameters of a face: of lookups, gates or functions that bootstrap with keys of [`Parameters`].
pub trait BootstrappingParameters: KeyParameters + Clone {
    /// Type of the files of secret keys.
    const SECRET_KEY: ObjectType;
    /// Type of the files of evaluation keys.
    const EVALUATION_KEY: ObjectType;
    /// Domain in which identifiers of secret keys are hashed.
    const IDENTIFIER: &'static str;

    /// Returns the parameters that determine the keys.
    fn fhew(&self) -> &Parameters;
}

/// The evaluation key of one client. Holds no secret, and is `Sync`: one key serves all threads.
pub struct ServerKey<P> {
    parameters: P,
    key: EvaluationKey,
    binding: Binding,
}

impl<P> fmt::Debug for ServerKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerKey").field("key_id", &self.binding.key_id).finish_non_exhaustive()
    }
}

impl<P: BootstrappingParameters> ServerKey<P> {
    bound_key!(P, key_id);

    /// Checks that a client's key fits these parameters, and expands it.
    ///
    /// # Errors
    /// If a part of the key does not fit the parameters.
    pub(super) fn expand(parameters: P, key_id: KeyId, key: &SeededEvaluationKey) -> Result<Self> {
        key.check()?;
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Ok(Self { key: EvaluationKey::expand(key), parameters, binding })
    }

    /// Reads a key from bytes, such as a memory-mapped file, and expands its masks from the seed. The bytes are not needed
    /// afterwards.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key of this kind, its parameters are insecure and the options
    /// do not allow that, or the expanded key needs more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) =
            P::open((*bytes).as_ref(), P::EVALUATION_KEY, MAX_EVALUATION_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("identifier of the key")?);
        let packed = reader.bytes("bootstrapping keys", MAX_EVALUATION_KEY_BYTES)?;
        reader.finish()?;
        options.check_memory("evaluation key", reading_memory_bytes(parameters.fhew()))?;
        let keys = SeededEvaluationKey::from_bytes(parameters.fhew(), packed)?;
        Self::expand(parameters, key_id, &keys)
    }

    /// Returns the bytes of memory that the key occupies.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.key.bytes()
    }

    /// Returns the bootstrapping keys, for uses of [`crate::full_domain`] and [`crate::functions`] beyond this face.
    #[must_use]
    pub fn fhew(&self) -> &EvaluationKey {
        &self.key
    }
}
