//! The server's key for engines that compute in one ring: switching keys, and their file.

use std::sync::Arc;

use cryptable_ring::random::Seed;
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::{BodyReader, HEADER_BYTES, KeyId, ObjectType, WireError};

use crate::binding::Binding;
use crate::error::Result;
use crate::evaluation_keys::{EvaluationKeys, KeyRequest};
use crate::key_parameters::KeyParameters;
use crate::result_key::{ResultKey, ResultKeyShape};
use crate::switching_key::{SharedBytes, SwitchingKey};
use crate::trust::ReadOptions;

/// The longest body of an evaluation key, 64 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 36;

/// Bytes in place of a seed if masks follow the rows of a switching key.
pub(crate) const NO_SEED: [u8; Seed::BYTES] = [0xff; Seed::BYTES];

/// Parameters of an engine that computes in one ring.
pub trait RingParameters: KeyParameters {
    /// Returns the ring, with the tables of all primes.
    fn ring(&self) -> Arc<Ring>;
}

/// The description that determines an evaluation key: parameters and, if these do not determine it, the list of
/// switching keys.
pub trait RingEvaluationParameters: RingParameters {
    /// The type of the files of evaluation keys.
    const EVALUATION_KEY: ObjectType;

    /// Returns the moduli of the ring.
    fn moduli(&self) -> RingModuli;

    /// Returns all switching keys, in the order of files.
    fn key_requests(&self) -> Vec<KeyRequest>;

    /// Returns the shape of the key that shortens the masks of results, if evaluation keys have one. Files of earlier
    /// versions have none.
    fn result_key(&self) -> Option<ResultKeyShape> {
        None
    }

    /// Returns the memory in bytes of an evaluation key with these requests.
    fn key_memory_bytes(&self, requests: &[KeyRequest]) -> u64 {
        let moduli = self.moduli();
        let sizes = requests.iter().map(|request| request.memory_bytes(&moduli) as u64);
        let results = self.result_key().map_or(0, |shape| shape.memory_bytes() as u64);
        sizes.fold(results, u64::saturating_add)
    }
}

/// The switching keys of one client, and their binding. Holds no secret; `Sync`, so one key serves many threads.
#[derive(Debug)]
pub struct RingEvaluationKey<P> {
    parameters: P,
    binding: Binding,
    ring: Arc<Ring>,
    keys: EvaluationKeys,
    results: Option<ResultKey>,
}

impl<P: RingEvaluationParameters> RingEvaluationKey<P> {
    crate::bound_key!(P, key_id);

    pub(crate) fn new(parameters: P, key_id: KeyId, ring: Arc<Ring>, keys: EvaluationKeys) -> Self {
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Self { parameters, binding, ring, keys, results: None }
    }

    /// Returns the same key with a key that shortens the masks of results, if there is one.
    pub(crate) fn with_result_key(self, results: Option<ResultKey>) -> Self {
        Self { results, ..self }
    }

    /// Reads a key from its wire format. The bodies of the switching keys are not copied, but read from `bytes`, which
    /// may be a memory-mapped file. Their masks are expanded into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged evaluation key, if its parameters are insecure and that is not
    /// allowed, or if it needs more memory than the options allow.
    pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
        let all: &[u8] = (*bytes).as_ref();
        let (parameters, mut reader) =
            P::open(all, P::EVALUATION_KEY, MAX_EVALUATION_KEY_BYTES, options)?;
        let key_id = KeyId(reader.array("key identifier")?);
        let requests = parameters.key_requests();
        // Refuses too few bytes for these parameters before anything is built.
        check_switching_key_bytes(&requests, &parameters.moduli(), all.len() as u64)?;
        options.check_memory("evaluation key", parameters.key_memory_bytes(&requests))?;
        let ring = parameters.ring();
        let keys = read_switching_keys(&ring, requests, &mut reader, &bytes)?;
        let shape = parameters.result_key().filter(|_| !reader.is_at_end());
        let results = shape.map(|shape| ResultKey::read(&mut reader, shape)).transpose()?;
        reader.finish()?;
        Ok(Self::new(parameters, key_id, ring, keys).with_result_key(results))
    }

    /// Returns the ring of the parameters, with its tables.
    #[must_use]
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Returns the switching keys.
    #[must_use]
    pub fn keys(&self) -> &EvaluationKeys {
        &self.keys
    }

    /// Returns the key that shortens the masks of results, if there is one.
    #[must_use]
    pub fn result_key(&self) -> Option<&ResultKey> {
        self.results.as_ref()
    }

    /// Returns the memory of the switching keys in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let results = self.results.as_ref().map_or(0, ResultKey::memory_bytes);
        self.keys.memory_bytes(self.ring.moduli()) + results
    }
}

/// Checks that there are enough bytes for the bodies of these keys, before anything is built from them.
///
/// # Errors
/// [`WireError::Truncated`].
fn check_switching_key_bytes(
    requests: &[KeyRequest],
    moduli: &RingModuli,
    found: u64,
) -> Result<()> {
    let bytes = requests.iter().map(|request| request.stored_bytes(moduli) as u64);
    let needed = bytes.fold(0, u64::saturating_add);
    if found < needed {
        return Err(WireError::Truncated { name: "evaluation key", needed, found }.into());
    }
    Ok(())
}

/// Reads switching keys from the body of an object that starts at the first of `bytes`. Bodies are not copied: they are
/// used in place.
///
/// # Errors
/// If bytes are missing, or words are not below their primes.
fn read_switching_keys(
    ring: &Ring,
    requests: Vec<KeyRequest>,
    reader: &mut BodyReader<'_>,
    bytes: &SharedBytes,
) -> Result<EvaluationKeys> {
    let mut keys = EvaluationKeys::new();
    for request in requests {
        let seed = reader.array("seed of a switching key")?;
        let seed = (seed != NO_SEED).then(|| Seed::from_bytes(seed));
        let (shared, offset) = (Arc::clone(bytes), HEADER_BYTES + reader.position());
        let length = request.body_bytes(ring.moduli());
        reader.raw("rows of a switching key", length)?;
        if seed.is_none() {
            reader.raw("masks of a switching key", length)?;
        }
        let of = request.purpose.ring(ring);
        let key = SwitchingKey::from_shared(of, request.shape, seed.as_ref(), shared, offset);
        let key = key.ok_or_else(|| {
            let expected = "words below their primes";
            WireError::invalid("a switching key", "other bytes", expected)
        })?;
        keys.insert(request.purpose, key);
    }
    Ok(keys)
}
