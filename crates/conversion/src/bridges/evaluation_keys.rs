//! A server's keys for both ends of a bridge and between them, in one.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use cryptable_fhew::keys::ServerKey;
use cryptable_lattice::error::{check_client, check_parameters};
use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{KeyParameters, ReadOptions, Result};
use cryptable_packed as packed;
use cryptable_wire::KeyId;

use super::{Bridge, Parameters, Target};
use crate::file_parts::{PART, Part};

/// Longest body, 128 GiB.
const MAX_BYTES: u64 = 1 << 37;

/// Longest part except the last, 8 GiB.
const MAX_PART_BYTES: u64 = 1 << 33;

/// A server's keys: for packed values, for the engine at the other end, and between both. Holds no secret, and is
/// `Sync`.
///
/// The [`Bridge`] converts values with the keys of both ends: `keys.bridge().to_integers(keys.ends(), …)`.
pub struct EvaluationKeys<T: Target> {
    packed: packed::EvaluationKey,
    single: T::EvaluationKey,
    bridge: Bridge<T>,
}

impl<T: Target> fmt::Debug for EvaluationKeys<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clients = self.bridge.clients();
        f.debug_struct("EvaluationKeys").field("clients", &clients).finish_non_exhaustive()
    }
}

impl<T: Target> EvaluationKeys<T> {
    /// Joins keys that were generated or read separately.
    ///
    /// # Errors
    /// If the bridge joins keys of other clients or other parameters.
    pub fn new(
        packed: packed::EvaluationKey,
        single: T::EvaluationKey,
        bridge: Bridge<T>,
    ) -> Result<Self> {
        bridge.check_ends(&packed, single.borrow())?;
        Ok(Self { packed, single, bridge })
    }

    /// Returns the client's parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters<T> {
        self.bridge.parameters()
    }

    /// Returns the identifier of the client's key for packed values.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.packed.key_id()
    }

    /// Returns the key for packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::EvaluationKey {
        &self.packed
    }

    /// Returns the key of the engine at the other end.
    #[must_use]
    pub fn single(&self) -> &T::EvaluationKey {
        &self.single
    }

    /// Returns the key between both ends.
    #[must_use]
    pub fn bridge(&self) -> &Bridge<T> {
        &self.bridge
    }

    /// Returns the keys of both ends, as the methods of the bridge expect them.
    #[must_use]
    pub fn ends(&self) -> (&packed::EvaluationKey, &T::EvaluationKey) {
        (&self.packed, &self.single)
    }

    /// Returns the number of bytes of memory that all keys use.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let single: &ServerKey<T> = self.single.borrow();
        self.packed.memory_bytes() + single.memory_bytes() + self.bridge.memory_bytes()
    }

    /// Reads keys in the wire format that `SecretKeys::write_evaluation_key` writes. Switching keys of packed values
    /// are used in place, for example in a memory-mapped file; all other keys are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged set of keys for this kind of values, have parts of other parameters
    /// or clients, or if `options` refuse their parameters or the memory that they need.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let kind = T::EVALUATION_KEYS_TYPE;
        let (parameters, mut reader) = Parameters::<T>::open(all, kind, MAX_BYTES, options)?;
        let single_bytes = parameters.single().evaluation_key_bytes()[0];
        let packed_bytes = parameters.packed().prediction().key_memory_bytes;
        let needed = packed_bytes + single_bytes + parameters.key_memory_bytes();
        options.check_memory("evaluation keys", needed as u64)?;
        let mut id = |name| reader.array(name).map(KeyId);
        let ids = [id("packed key identifier")?, id("single key identifier")?];
        let mut part = |name| reader.bytes(name, MAX_PART_BYTES);
        let single = part("evaluation key of single values")?;
        let bridge = part("bridge key")?;
        let part = Part::last(&bytes, &mut reader, "evaluation key of packed values")?;
        let single = ServerKey::<T>::from_shared(Arc::new(single.to_vec()), options)?;
        let bridge = Bridge::from_bytes(bridge, options)?;
        let packed = packed::EvaluationKey::from_shared(Arc::new(part), options)?;
        check_parameters(PART, parameters.digest(), bridge.parameters().digest())?;
        check_client(PART, ids[0], packed.key_id())?;
        check_client(PART, ids[1], single.key_id())?;
        Self::new(packed, single.into(), bridge)
    }
}
