//! The session: parameters and masks that the owners of a joint key agree on before they make the key.

use std::sync::{Arc, OnceLock};

use cryptable_ring::random::Seed;
use cryptable_ring::{Ring, RingModuli};
use cryptable_wire::{BodyWriter, CHECKSUM_BYTES, ObjectType, ObjectWriter};

use super::Owners;
use super::error::OwnersError;
use crate::error::Result;
use crate::ring_evaluation_key::RingEvaluationParameters;
use crate::ring_secret_key::RingSecretParameters;
use crate::trust::ReadOptions;

/// The longest body of a session, 1 MiB.
const MAX_SESSION_BYTES: u64 = 1 << 20;

/// Domain of the seeds of masks.
const MASKS: &str = "cryptable: masks of a joint key";

/// Parameters of an engine whose secret key may be the sum of the secrets of several owners.
pub trait OwnersParameters: RingSecretParameters + RingEvaluationParameters {
    /// The type of session files.
    const SESSION: ObjectType;
    /// The type of the files of owners' secrets.
    const OWNER_SECRET: ObjectType;

    /// Returns the number of owners.
    fn owners(&self) -> Owners;

    /// Returns the moduli of public keys, if there are public keys: primes of the chain, and one special prime.
    fn moduli_of_public_keys(&self) -> Option<RingModuli>;
}

/// The parameters of a joint key, which determine the number of owners, and a seed for the masks of all keys. All
/// owners must have the same session before they make the key. Anyone may draw it; it is public.
#[derive(Clone, Debug)]
pub struct Session<P> {
    parameters: P,
    seed: Seed,
    digest: [u8; CHECKSUM_BYTES],
    /// The ring with its tables, which is made for the first key and shared by all copies of the session.
    ring: Arc<OnceLock<Arc<Ring>>>,
}

impl<P: OwnersParameters> Session<P> {
    /// Draws a session.
    ///
    /// # Errors
    /// [`OwnersError::OneOwner`].
    pub fn new(parameters: P) -> Result<Self> {
        Self::of_seed(parameters, Seed::random())
    }

    /// Returns the session with this seed.
    ///
    /// # Errors
    /// [`OwnersError::OneOwner`].
    pub(super) fn of_seed(parameters: P, seed: Seed) -> Result<Self> {
        if parameters.owners().is_one() {
            return Err(OwnersError::OneOwner.into());
        }
        let (_, digest) = write(&parameters, &seed);
        Ok(Self { parameters, seed, digest, ring: Arc::default() })
    }

    /// Returns the session in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        write(&self.parameters, &self.seed).0
    }

    /// Reads a session.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged session, or if its parameters are insecure and that is not allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) = P::open(bytes, P::SESSION, MAX_SESSION_BYTES, options)?;
        let seed = Seed::from_bytes(reader.array("seed of a session")?);
        reader.finish()?;
        Self::of_seed(parameters, seed)
    }

    /// Returns the parameters of the joint key.
    #[must_use]
    pub fn parameters(&self) -> &P {
        &self.parameters
    }

    /// Returns the number of owners.
    #[must_use]
    pub fn owners(&self) -> Owners {
        self.parameters.owners()
    }

    /// Returns the digest that all messages contain: the last bytes of the session's file.
    #[must_use]
    pub fn digest(&self) -> &[u8; CHECKSUM_BYTES] {
        &self.digest
    }

    /// Returns the ring of the joint key.
    pub(super) fn ring(&self) -> &Ring {
        self.ring.get_or_init(|| self.parameters.ring())
    }

    /// Returns the seed of the session.
    pub(super) fn seed(&self) -> &Seed {
        &self.seed
    }

    /// Returns the seed of the masks of a key: the public key, or the switching key with this number.
    pub(super) fn mask_seed(&self, key: Option<usize>) -> Seed {
        let mut hasher = blake3::Hasher::new_derive_key(MASKS);
        hasher.update(&self.digest);
        hasher.update(&key.map_or(0, |number| number as u64 + 1).to_le_bytes());
        Seed::from_bytes(*hasher.finalize().as_bytes())
    }
}

/// Returns the file of a session, and its digest.
fn write<P: OwnersParameters>(parameters: &P, seed: &Seed) -> (Vec<u8>, [u8; CHECKSUM_BYTES]) {
    let literal = parameters.to_bytes();
    let length = (8 + literal.len() + Seed::BYTES) as u64;
    let mut file = Vec::new();
    let written =
        ObjectWriter::new(&mut file, P::SESSION, &parameters.digest(), length).and_then(|object| {
            let mut writer = BodyWriter::new(object);
            writer.bytes(&literal)?;
            writer.raw(seed.as_bytes())?;
            writer.into_inner().finish_with_checksum()
        });
    let (_, digest) = written.expect("memory takes all bytes");
    (file, digest)
}
