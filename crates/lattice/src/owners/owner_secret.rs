//! An owner's part of a joint secret key, and the shares that it makes.

use std::io::Write;

use cryptable_ring::random::{SecretSeed, Seed};
use cryptable_ring::{ByteBuffer, Ring, clear_stack, kernels};
use cryptable_wire::{CHECKSUM_BYTES, ObjectType, packed_field_bytes, secret_key_bytes};
use zeroize::Zeroizing;

use super::agreement::Agreement;
use super::commitment::Commitment;
use super::error::{Message, OwnersError};
use super::session::{OwnersParameters, Session};
use super::shares::{self, SharedRows};
use super::streams::{self, Half};
use crate::error::Result;
use crate::evaluation_keys::{KeyPurpose, KeyRequest};
use crate::key_generation::{
    EvaluatedSecret, EvaluatedSecrets, KeyRows, SecretPair, SecretRow, evaluations, fill_from_to,
};
use crate::progress::Progress;
use crate::ring_public_key::public_key_rows;
use crate::secret::TernarySecret;
use crate::switching_key::fill_rows;
use crate::trust::ReadOptions;

/// Longest body of an owner's secret, 1 MiB.
const MAX_SECRET_BYTES: u64 = 1 << 20;

/// Bytes in place of a checksum that is not known yet.
const NONE: [u8; CHECKSUM_BYTES] = [0; CHECKSUM_BYTES];

/// An owner's part of a joint secret key: a uniform ternary polynomial and all else that its shares are made of, drawn from one
/// seed. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// It is used in this order, and saved after each step that changes it: [`OwnerSecret::generate`],
/// [`OwnerSecret::write_shares`], [`OwnerSecret::agree`], [`OwnerSecret::write_second_share`].
#[derive(Debug)]
pub struct OwnerSecret<P> {
    session: Session<P>,
    owner: u32,
    seed: SecretSeed,
    secret: TernarySecret,
    /// Checksums of its first share and key share, once they are made.
    committed: [[u8; CHECKSUM_BYTES]; 2],
    /// Digest of the commitments that it agreed to.
    agreed: [u8; CHECKSUM_BYTES],
}

impl<P: OwnersParameters> OwnerSecret<P> {
    /// Draws the secret of an owner, who is one of those of the session, counted from 1.
    ///
    /// # Errors
    /// [`OwnersError::NoSuchOwner`].
    pub fn generate(session: &Session<P>, owner: u32) -> Result<Self> {
        Self::new(session.clone(), owner, SecretSeed::random())
    }

    fn new(session: Session<P>, owner: u32, seed: SecretSeed) -> Result<Self> {
        session.check_owner("secret", owner)?;
        let secret = streams::dense_secret(&seed, session.parameters().moduli().degree());
        Ok(Self { session, owner, seed, secret, committed: [NONE; 2], agreed: NONE })
    }

    /// Returns the secret in its wire format: parameters, the seed of the session, the owner's number, what it committed and
    /// agreed to, and the secret seed.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let parameters = self.session.parameters();
        let (digest, literal) = (parameters.digest(), parameters.to_bytes());
        let length = Seed::BYTES + 4 + 3 * CHECKSUM_BYTES + Seed::BYTES;
        let bytes = secret_key_bytes(P::OWNER_SECRET, &digest, &literal, length, |writer| {
            writer.raw(self.session.seed().as_bytes())?;
            writer.u32(self.owner)?;
            self.committed.iter().try_for_each(|checksum| writer.raw(checksum))?;
            writer.raw(&self.agreed)?;
            writer.raw(self.seed.as_bytes())
        });
        clear_stack();
        bytes
    }

    /// Reads a secret.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret of an owner, or it is of insecure parameters where those are not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let opened = P::open(bytes, P::OWNER_SECRET, MAX_SECRET_BYTES, options);
        // The checksum was computed there.
        clear_stack();
        let (parameters, mut reader) = opened?;
        let session = Seed::from_bytes(reader.array("seed of a session")?);
        let owner = reader.u32("owner of a secret")?;
        let committed =
            [reader.array("checksum of a first share")?, reader.array("checksum of a key share")?];
        let agreed = reader.array("digest of commitments")?;
        let seed = Zeroizing::new(reader.array("seed of a secret")?);
        reader.finish()?;
        let session = Session::of_seed(parameters, session)?;
        let read = Self::new(session, owner, SecretSeed::from_bytes(&seed))?;
        Ok(Self { committed, agreed, ..read })
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &Session<P> {
        &self.session
    }

    /// Returns the number of the owner, counted from 1.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// Returns the owner's part of the secret polynomial, for its part of a decryption: give it to nobody.
    #[must_use]
    pub fn secret(&self) -> &TernarySecret {
        &self.secret
    }

    /// Writes the owner's first share and its key share, and returns its commitment to both. Progress counts switching keys.
    ///
    /// Save the secret and send the commitment then, and the shares when all commitments are there. The same secret writes
    /// the same shares again.
    ///
    /// # Errors
    /// If writing fails, or [`crate::Error::Cancelled`].
    pub fn write_shares(
        &mut self,
        first: &mut dyn Write,
        keys: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<Commitment> {
        let parameters = self.session.parameters();
        let (ring, requests) = (parameters.ring(), parameters.key_requests());
        let (degree, bytes) = (ring.degree(), |it: &KeyRequest| it.shape.body_bytes(ring.moduli()));
        let sparse = streams::sparse_secret(&self.seed, degree, parameters.sparse_weight());
        let secrets =
            EvaluatedSecrets::new(&ring, &SecretPair { dense: &self.secret, sparse: &sparse });

        let public = parameters.public_moduli();
        let words: u64 = public.values().iter().map(|&q| packed_field_bytes(degree, q)).sum();
        let sum = |is_first: bool| {
            let of = requests.iter().filter(|it| is_relinearization(it) == is_first);
            of.map(|it| bytes(it) as u64).sum::<u64>()
        };
        let (session, owner) = (&self.session, self.owner);
        let first_type = ObjectType::OwnerFirstShare;
        let mut first = shares::begin(first, first_type, session, owner, words + 2 * sum(true))?;
        let mut keys = shares::begin(keys, ObjectType::OwnerKeyShare, session, owner, sum(false))?;

        let seed = session.mask_seed(None);
        let error = streams::public_error(&self.seed, degree);
        let body = public_key_rows(&Ring::of(public), &seed, &self.secret, &error).c0;
        first.packed_limbs(body.words(), parameters.public_moduli().values())?;
        drop(body);
        let mut rows = ByteBuffer::zeroed(requests.iter().map(bytes).max().unwrap_or(0));
        let steps = progress.steps(requests.len())?;
        for (number, request) in requests.iter().enumerate() {
            let (seed, rows) = (session.mask_seed(Some(number)), &mut rows[..bytes(request)]);
            let shape = request.shape;
            let errors = |half| streams::share_errors(&self.seed, &ring, shape, number, half);
            let body = errors(Half::Body);
            let of_key = KeyRows { seed: &seed, errors: &body, b: &mut *rows, a: None };
            if is_relinearization(request) {
                let ephemeral = streams::ephemeral_secret(&self.seed, degree, number);
                let ephemeral = EvaluatedSecret::new(&ring, &ephemeral);
                let from = |prime| SecretRow::Shared(secrets.dense.limb(prime));
                let to = |prime| SecretRow::Shared(ephemeral.limb(prime));
                fill_from_to(&ring, shape, of_key, from, to);
                first.raw(rows)?;
                let mask = errors(Half::Mask);
                fill_rows(&ring, shape, &seed, rows, None, |digit, limb, words| {
                    let prime = ring.prime_index(shape.basis, limb);
                    let modulus = ring.modulus(prime);
                    kernels::mul_assign(modulus, words, secrets.dense.limb(prime));
                    kernels::add_assign(modulus, words, &evaluations(&ring, prime, &mask[digit]));
                });
                first.raw(rows)?;
            } else {
                secrets.fill(request.purpose, shape, of_key);
                keys.raw(rows)?;
            }
            steps.done()?;
        }
        let (_, first) = first.into_inner().finish_with_checksum()?;
        let (_, keys) = keys.into_inner().finish_with_checksum()?;
        let (parameter_digest, session) = (parameters.digest(), *session.digest());
        self.committed = [first, keys];
        Ok(Commitment { parameter_digest, session, owner, first, keys })
    }

    /// Agrees to the commitments of all owners: once, since second shares of two agreements would reveal the secret. Save the
    /// secret before its second share is made.
    ///
    /// # Errors
    /// [`OwnersError::AgreedBefore`] to others; [`OwnersError::OtherCommitment`] if the owner's own commitment is another
    /// than it made; [`OwnersError::OtherSession`].
    pub fn agree(&mut self, agreement: &Agreement<P>) -> Result<()> {
        let own = agreement.commitment(self.owner);
        let found = &own.session;
        shares::check_session(Message::Commitment, self.owner, found, &self.session)?;
        if [own.first, own.keys] != self.committed {
            return Err(OwnersError::OtherCommitment { owner: self.owner }.into());
        }
        let expected = *agreement.digest();
        if self.agreed != NONE && self.agreed != expected {
            return Err(OwnersError::AgreedBefore { found: self.agreed, expected }.into());
        }
        self.agreed = expected;
        Ok(())
    }

    /// Writes the owner's second share, of the first shares of all owners in any order. Progress counts relinearization keys.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`]; as [`Agreement::public_key`] if first shares are not those of the commitments; if writing
    /// fails, or [`crate::Error::Cancelled`].
    pub fn write_second_share(
        &self,
        agreement: &Agreement<P>,
        first: &[&[u8]],
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        if self.agreed != *agreement.digest() {
            return Err(OwnersError::NotAgreed.into());
        }
        let (message, ring) = (Message::FirstShare, self.session.parameters().ring());
        let mut first = agreement.first_shares(first)?;
        agreement.skip_public_keys(&mut first)?;
        let requests = self.session.parameters().key_requests();
        let requests = requests.iter().enumerate().filter(|(_, it)| is_relinearization(it));
        let requests: Vec<_> = requests.collect();
        let bytes = |shape: crate::SwitchingKeyShape| shape.body_bytes(ring.moduli());
        let content: usize = requests.iter().map(|(_, it)| bytes(it.shape)).sum();
        let content = (CHECKSUM_BYTES + content) as u64;
        let kind = ObjectType::OwnerSecondShare;
        let mut writer = shares::begin(out, kind, &self.session, self.owner, content)?;
        writer.raw(&self.agreed)?;
        let secret = EvaluatedSecret::new(&ring, &self.secret);
        let seed = streams::second_seed(&self.seed, &self.agreed);
        let steps = progress.steps(requests.len())?;
        for (number, request) in requests {
            let shape = request.shape;
            let bodies = SharedRows::read(&ring, shape, message, &mut first)?;
            let masks = SharedRows::read(&ring, shape, message, &mut first)?;
            let ephemeral = streams::ephemeral_secret(&self.seed, ring.degree(), number);
            let ephemeral = EvaluatedSecret::new(&ring, &ephemeral);
            let errors = streams::share_errors(&seed, &ring, shape, number, Half::Body);
            let mut rows = ByteBuffer::zeroed(bytes(shape));
            bodies.fill(&mut rows, |digit, limb| {
                let prime = ring.prime_index(shape.basis, limb);
                let modulus = ring.modulus(prime);
                // s·h + (u - s)·h' = s·(h - h') + u·h'.
                let (mut body, mut mask) = (bodies.sum(digit, limb), masks.sum(digit, limb));
                kernels::sub_assign(modulus, &mut body, &mask);
                kernels::mul_assign(modulus, &mut body, secret.limb(prime));
                kernels::mul_assign(modulus, &mut mask, ephemeral.limb(prime));
                kernels::add_assign(modulus, &mut body, &mask);
                kernels::add_assign(modulus, &mut body, &evaluations(&ring, prime, &errors[digit]));
                body
            });
            bodies.check()?;
            masks.check()?;
            writer.raw(&rows)?;
            steps.done()?;
        }
        agreement.finish(first)?;
        writer.into_inner().finish()?;
        Ok(())
    }
}

/// Returns whether a key takes two rounds.
pub(super) fn is_relinearization(request: &KeyRequest) -> bool {
    request.purpose == KeyPurpose::Relinearization
}
