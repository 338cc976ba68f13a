//! Generation of switching keys. This is the only code that encrypts secrets under secrets.

use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use cryptable_ring::{Buffer, ByteBuffer, Ring, clear_stack, kernels};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::block_secret::{BlockSecret, BlockSecretShape};
use crate::error::Result;
use crate::evaluation_keys::{EvaluationKeys, KeyPurpose, KeyRequest};
use crate::half_keys::HalfSecret;
use crate::key_rows::{
    EvaluatedSecret, KeyError, KeyRows, SecretRow, evaluations, fill_from_to, key_errors,
};
use crate::progress::Progress;
use crate::real_keys::RealSecret;
use crate::secret::TernarySecret;
use crate::switching_key::{StoredKey, SwitchingKey, SwitchingKeyShape};

/// The two secrets of a packed method: the dense one that ciphertexts are under, and the ephemeral sparse one of
/// sparse-secret encapsulation (Bossuat, Troncoso-Pastoriza, Hubaux, ePrint 2022/024).
#[derive(Debug)]
pub struct SecretPair<'a> {
    /// The dense secret, uniform ternary.
    pub dense: &'a TernarySecret,
    /// The secret of small fixed weight, used between the bottom modulus and ModRaise only.
    pub sparse: &'a TernarySecret,
}

impl SecretPair<'_> {
    /// Generates the switching key for one purpose.
    ///
    /// # Panics
    /// If a key towards the sparse secret is requested for more than one chain prime and one special prime: with a
    /// larger modulus it would reveal the secret.
    #[must_use]
    pub fn generate_key(
        &self,
        ring: &Ring,
        purpose: KeyPurpose,
        shape: SwitchingKeyShape,
    ) -> SwitchingKey {
        EvaluatedSecrets::new(ring, self).generate_key(purpose, shape)
    }

    /// Generates all keys that are requested. Draws fresh secrets of real slots and of the half ring if a key involves
    /// them.
    ///
    /// # Panics
    /// Panics like [`SecretPair::generate_key`].
    #[must_use]
    pub fn generate_keys(&self, ring: &Ring, requests: &[KeyRequest]) -> EvaluationKeys {
        let secrets = EvaluatedSecrets::new(ring, self).for_requests(requests);
        let mut keys = EvaluationKeys::new();
        for &KeyRequest { purpose, shape } in requests {
            keys.insert(purpose, secrets.generate_key(purpose, shape));
        }
        keys
    }
}

/// Draws the errors of a key of one owner.
fn errors_of_seed(ring: &Ring, shape: SwitchingKeyShape, seed: &SecretSeed) -> Vec<KeyError> {
    let stream = |digit| RandomStream::new(seed.as_bytes(), StreamPurpose::Error, digit as u64);
    key_errors(ring, shape, stream)
}

/// The secrets of a [`SecretPair`], in the form that all its keys need.
pub(crate) struct EvaluatedSecrets<'a> {
    ring: &'a Ring,
    /// The dense secret.
    pub dense: EvaluatedSecret<'a>,
    sparse: EvaluatedSecret<'a>,
    /// The block secret, if there are keys under one.
    blocks: Option<BlockSecret>,
    /// The secret of real slots, if there are keys under it.
    real: Option<RealSecret>,
    /// The secret of the half ring, if there are keys under it.
    half: Option<HalfSecret>,
}

impl<'a> EvaluatedSecrets<'a> {
    pub(crate) fn new(ring: &'a Ring, pair: &SecretPair<'a>) -> Self {
        let evaluated = |secret| EvaluatedSecret::new(ring, secret);
        let (dense, sparse) = (evaluated(pair.dense), evaluated(pair.sparse));
        Self { ring, dense, sparse, blocks: None, real: None, half: None }
    }

    /// Draws the secrets of real slots and of the half ring if a key involves them.
    fn for_requests(mut self, requests: &[KeyRequest]) -> Self {
        let is_real = requests.iter().any(|request| request.purpose.is_real());
        self.real = is_real.then(|| RealSecret::sample(self.ring));
        let is_half = requests.iter().any(|request| request.purpose.is_half());
        self.half = is_half.then(|| HalfSecret::sample(self.ring));
        self
    }

    /// Returns the block secret.
    ///
    /// # Panics
    /// If there is none: parameters that request its keys determine its shape.
    fn blocks(&self) -> &BlockSecret {
        self.blocks.as_ref().expect("parameters of keys of blocks have a secret of blocks")
    }

    /// Generates a key; see [`SecretPair::generate_key`].
    fn generate_key(&self, purpose: KeyPurpose, shape: SwitchingKeyShape) -> SwitchingKey {
        generate_rows(purpose.ring(self.ring), shape, |rows| self.fill(purpose, shape, rows))
    }

    /// Makes a key's rows.
    pub(crate) fn fill(&self, purpose: KeyPurpose, shape: SwitchingKeyShape, rows: KeyRows<'_>) {
        let Self { ring, dense, sparse, .. } = self;
        let SwitchingKeyShape { basis, .. } = shape;
        let of_dense = |prime| SecretRow::Shared(dense.limb(prime));
        let of_sparse = |prime| SecretRow::Shared(sparse.limb(prime));
        match purpose {
            KeyPurpose::Relinearization => dense.fill_relinearization(shape, rows),
            KeyPurpose::Galois(element) => dense.fill_galois(element, shape, rows),
            KeyPurpose::DenseToSparse => {
                assert!(
                    basis.main == 1 && basis.special == 1,
                    "the key towards the sparse secret must stay at q0·p0, not {basis:?}"
                );
                fill_from_to(ring, shape, rows, of_dense, of_sparse)
            }
            KeyPurpose::SparseToDense => fill_from_to(ring, shape, rows, of_sparse, of_dense),
            KeyPurpose::SparseGalois(element) => {
                fill_from_to(ring, shape, rows, of_sparse, dense.preimage_under(element))
            }
            KeyPurpose::DenseToBlocks(digit) => {
                assert!(
                    basis.chain == 1 && basis.limbs() == 1,
                    "the key towards the secret of blocks must stay at its prime, not {basis:?}"
                );
                let multiple = |prime| {
                    let (m, mut multiple) =
                        (ring.modulus(prime), Buffer::copied(dense.limb(prime)));
                    kernels::mul_scalar_assign(m, &mut multiple, m.pow(2, digit.into()));
                    SecretRow::Own(Zeroizing::new(multiple))
                };
                let blocks = self.blocks().coefficients();
                let of_blocks = |prime| SecretRow::Own(evaluations(ring, prime, &blocks));
                fill_from_to(ring, shape, rows, multiple, of_blocks)
            }
            KeyPurpose::BlockBits(index) => {
                let bits = self.blocks().encoded_bits(index as usize);
                let of_bits = |prime| SecretRow::Own(evaluations(ring, prime, &bits));
                fill_from_to(ring, shape, rows, of_bits, of_dense)
            }
            KeyPurpose::RealRelinearization | KeyPurpose::ToReal(_) | KeyPurpose::FromReal(_) => {
                let real =
                    self.real.as_ref().expect("requests of keys of real slots draw a secret");
                real.fill(dense, purpose, shape, rows);
            }
            KeyPurpose::HalfRelinearization
            | KeyPurpose::HalfGalois(_)
            | KeyPurpose::ToHalf
            | KeyPurpose::FromHalf => {
                let half = self.half.as_ref();
                let half = half.expect("requests of keys of the half ring draw a secret");
                half.fill(dense, purpose, shape, rows);
            }
        }
    }
}

/// Generates a key of a shape, with a fresh seed and fresh errors. `fill` makes its rows.
pub(crate) fn generate_rows(
    ring: &Ring,
    shape: SwitchingKeyShape,
    fill: impl FnOnce(KeyRows<'_>),
) -> SwitchingKey {
    let zeros = || ByteBuffer::zeroed(shape.body_bytes(ring.moduli()));
    let (seed, mut b, mut a) = (Seed::random(), zeros(), zeros());
    let errors = errors_of_seed(ring, shape, &SecretSeed::random());
    fill(KeyRows { seed: &seed, errors: &errors, b: &mut b, a: Some(&mut a) });
    SwitchingKey::from_rows(ring, shape, [b, a])
}

/// The secrets besides the dense one, which are drawn for each evaluation key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EphemeralSecrets {
    /// Weight of the sparse secret.
    pub sparse_weight: u32,
    /// Shape of the block secret, if there is one.
    pub blocks: Option<BlockSecretShape>,
}

/// Generates switching keys one at a time, under fresh ephemeral secrets.
///
/// # Errors
/// The errors of `consume`, or [`crate::Error::Cancelled`].
pub(crate) fn generate_switching_keys(
    ring: &Ring,
    dense: &TernarySecret,
    ephemeral: EphemeralSecrets,
    requests: Vec<KeyRequest>,
    progress: Progress<'_>,
    mut consume: impl FnMut(KeyRequest, SwitchingKey) -> Result<()>,
) -> Result<()> {
    let sparse = sample_sparse(ring, ephemeral.sparse_weight);
    let pair = SecretPair { dense, sparse: &sparse };
    let mut secrets = EvaluatedSecrets::new(ring, &pair).for_requests(&requests);
    secrets.blocks = ephemeral.blocks.map(BlockSecret::sample);
    let steps = progress.steps(requests.len())?;
    for request in requests {
        consume(request, secrets.generate_key(request.purpose, request.shape))?;
        steps.done()?;
    }
    Ok(())
}

/// Draws an ephemeral sparse secret.
fn sample_sparse(ring: &Ring, weight: u32) -> TernarySecret {
    TernarySecret::of_weight(ring.degree(), weight, &mut RandomStream::from_os())
}

/// Generates switching keys like [`generate_switching_keys`] but keeps only the part that files hold, in two buffers
/// that are reused: fresh pages took half of the time. Keys are generated while the previous ones are written, which
/// takes as long. Small keys are generated in parallel, as many as fit into a buffer, since the errors of a key are
/// drawn by one thread.
///
/// # Errors
/// The errors of `consume`, or [`crate::Error::Cancelled`].
pub(crate) fn generate_stored_keys(
    ring: &Ring,
    dense: &TernarySecret,
    ephemeral: EphemeralSecrets,
    requests: &[KeyRequest],
    progress: Progress<'_>,
    mut consume: impl FnMut(StoredKey<'_>) -> Result<()>,
) -> Result<()> {
    let sparse = sample_sparse(ring, ephemeral.sparse_weight);
    let pair = SecretPair { dense, sparse: &sparse };
    let mut secrets = EvaluatedSecrets::new(ring, &pair).for_requests(requests);
    secrets.blocks = ephemeral.blocks.map(BlockSecret::sample);
    let bytes = |request: &KeyRequest| request.body_bytes(ring.moduli());
    let room = requests.iter().map(bytes).max().unwrap_or(0);
    let [mut filled, mut next] = [(); 2].map(|()| ByteBuffer::zeroed(room));
    let steps = progress.steps(requests.len())?;
    let (mut requests, mut written) = (requests.iter().peekable(), Vec::new());
    while requests.peek().is_some() || !written.is_empty() {
        let (mut rest, mut together) = (&mut next[..], Vec::new());
        while let Some(request) = requests.next_if(|request| bytes(request) <= rest.len()) {
            let (rows, left) = rest.split_at_mut(bytes(request));
            together.push((request, Seed::random(), SecretSeed::random(), rows));
            rest = left;
        }
        let mut keys: &[u8] = &filled;
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                together.par_iter_mut().for_each(|(request, seed, errors, rows)| {
                    let KeyRequest { purpose, shape } = **request;
                    let errors = errors_of_seed(purpose.ring(ring), shape, errors);
                    secrets.fill(
                        purpose,
                        shape,
                        KeyRows { seed, errors: &errors, b: rows, a: None },
                    );
                    clear_stack();
                });
            });
            written.drain(..).try_for_each(|(seed, length)| {
                let rows = keys.split_off(..length).expect("rows of all keys");
                consume(StoredKey { seed: &seed, rows })?;
                steps.done()
            })
        })?;
        written.extend(together.into_iter().map(|(_, seed, _, rows)| (seed, rows.len())));
        std::mem::swap(&mut filled, &mut next);
    }
    Ok(())
}
