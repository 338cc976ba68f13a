//! Everything that an owner draws, from one secret seed. The owner can therefore make the same shares again, but never
//! two shares that differ in their errors alone.
//!
//! The secret itself depends on the seed alone, so that keys of several kinds, each with a session of its own, may have
//! the same secret. Everything else depends on the session, too.

use cryptable_ring::random::{RandomStream, SecretSeed, StreamPurpose};
use cryptable_ring::{Ring, clear_stack};
use zeroize::Zeroizing;

use crate::key_rows::{KeyError, key_errors};
use crate::public_key_error::{bounded_error, norm_is_bounded};
use crate::secret::TernarySecret;
use crate::switching_key::SwitchingKeyShape;

/// The domain of the seeds of everything that an owner draws for a session.
const SESSION_STREAMS: &str = "cryptable: streams of an owner in a session";

/// The domain of the seeds of second shares' errors.
const SECOND_ERRORS: &str = "cryptable: errors of an owner's second share";

/// The domain of the seeds of the shares that an owner deals to holders.
const DEALT: &str = "cryptable: shares that an owner deals";

/// Streams of secrets: the owner's, its sparse one, and, from the last number on, those that are used once, one per
/// switching key.
const DENSE: u64 = 0;
const SPARSE: u64 = 1;
const EPHEMERAL: u64 = 2;

/// The halves of keys that errors of a first share and of a key share are added to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Half {
    /// Bodies, as in keys of one owner.
    Body,
    /// The half that becomes the mask of a relinearization key.
    Mask,
}

/// Draws the owner's secret.
pub(super) fn dense_secret(seed: &SecretSeed, degree: usize) -> TernarySecret {
    let mut stream = secret_stream(seed, DENSE);
    loop {
        let secret = TernarySecret::sample(degree, &mut stream);
        if norm_is_bounded(secret.coefficients()) {
            return secret;
        }
    }
}

/// Draws the owner's sparse secret.
pub(super) fn sparse_secret(seed: &SecretSeed, degree: usize, weight: u32) -> TernarySecret {
    TernarySecret::of_weight(degree, weight, &mut secret_stream(seed, SPARSE))
}

/// Draws the owner's secret u for the relinearization key with this number among the switching keys.
pub(super) fn ephemeral_secret(seed: &SecretSeed, degree: usize, key: usize) -> TernarySecret {
    TernarySecret::sample(degree, &mut secret_stream(seed, EPHEMERAL + key as u64))
}

/// Draws the error of the owner's share of a public key.
pub(super) fn public_error(seed: &SecretSeed, degree: usize) -> Zeroizing<Vec<i8>> {
    bounded_error(degree, &mut RandomStream::new(seed.as_bytes(), StreamPurpose::Error, 0))
}

/// Draws the errors of the owner's share of the switching key with this number.
pub(super) fn share_errors(
    seed: &SecretSeed,
    ring: &Ring,
    shape: SwitchingKeyShape,
    key: usize,
    half: Half,
) -> Vec<KeyError> {
    key_errors(ring, shape, |digit| {
        let index = (key as u64 + 1) << 16 | (digit as u64) << 1 | half as u64;
        RandomStream::new(seed.as_bytes(), StreamPurpose::Error, index)
    })
}

/// Derives the seed of everything that an owner draws for the session with this digest, except for its secret.
pub(super) fn session_seed(seed: &SecretSeed, session: &[u8; 32]) -> SecretSeed {
    derived(SESSION_STREAMS, seed, session)
}

/// Derives the seed of the errors of a second share, of which there is only one for each agreement.
pub(super) fn second_seed(seed: &SecretSeed, agreement: &[u8; 32]) -> SecretSeed {
    derived(SECOND_ERRORS, seed, agreement)
}

/// Derives the seed of the shares that an owner deals to holders, once it has agreed with the others.
pub(super) fn dealing_seed(seed: &SecretSeed, agreement: &[u8; 32]) -> SecretSeed {
    derived(DEALT, seed, agreement)
}

#[inline(never)]
fn derived(domain: &str, seed: &SecretSeed, digest: &[u8; 32]) -> SecretSeed {
    let mut hasher = Zeroizing::new(blake3::Hasher::new_derive_key(domain));
    hasher.update(seed.as_bytes());
    hasher.update(digest);
    let hash = Zeroizing::new(*hasher.finalize().as_bytes());
    let derived = SecretSeed::from_bytes(&hash);
    drop((hasher, hash));
    clear_stack();
    derived
}

fn secret_stream(seed: &SecretSeed, index: u64) -> RandomStream {
    RandomStream::new(seed.as_bytes(), StreamPurpose::Secret, index)
}
