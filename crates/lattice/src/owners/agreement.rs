//! The commitments of all owners of a joint key, and the keys that their shares add up to.

use std::io::Write;
use std::sync::Arc;

use cryptable_ring::{ByteBuffer, Poly, Ring};
use cryptable_wire::{BodyWriter, CHECKSUM_BYTES, KeyId, ObjectType, ObjectWriter};

use super::commitment::Commitment;
use super::error::{Message, OwnersError};
use super::session::{OwnersParameters, Session};
use super::shares::{Share, SharedRows, check_session, is_relinearization};
use crate::error::{Result, check_parameters};
use crate::progress::Progress;
use crate::ring_evaluation_key::NO_SEED;
use crate::ring_public_key::{RingPublicKey, RingPublicParameters};
use crate::switching_key::SwitchingKeyShape;

/// The domain of the digests of commitments and of the identifiers of joint keys.
const AGREEMENT: &str = "cryptable: commitments of the owners of a joint key";

/// The commitments of all owners of a joint key, which identify it. Shares are checked against it and summed up.
#[derive(Clone, Debug)]
pub struct Agreement<P> {
    session: Session<P>,
    /// The commitments of all owners, in their order.
    commitments: Vec<Commitment>,
    digest: [u8; CHECKSUM_BYTES],
}

impl<P: OwnersParameters> Agreement<P> {
    /// Joins the commitments of all owners, in any order.
    ///
    /// # Errors
    /// If a commitment is missing, there twice, or for other parameters or another session.
    pub fn new(session: &Session<P>, commitments: &[Commitment]) -> Result<Self> {
        let message = Message::Commitment;
        for commitment in commitments {
            let digest = session.parameters().digest();
            check_parameters("commitment", digest, commitment.parameter_digest)?;
            check_session(message, commitment.owner, &commitment.session, session)?;
        }
        let all = commitments.iter().cloned();
        let commitments = session.owners().in_order(message, all, |it| it.owner)?;
        let mut hasher = blake3::Hasher::new_derive_key(AGREEMENT);
        hasher.update(session.digest());
        for commitment in &commitments {
            hasher.update(&commitment.first);
            hasher.update(&commitment.keys);
        }
        let digest = *hasher.finalize().as_bytes();
        Ok(Self { session: session.clone(), commitments, digest })
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &Session<P> {
        &self.session
    }

    /// Returns the digest of all commitments.
    #[must_use]
    pub fn digest(&self) -> &[u8; CHECKSUM_BYTES] {
        &self.digest
    }

    /// Returns the identifier of the joint key: the first bytes of the digest of all commitments.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        key_id_of(&self.digest)
    }

    /// Returns the commitment of an owner, counted from 1.
    pub(super) fn commitment(&self, owner: u32) -> &Commitment {
        &self.commitments[owner as usize - 1]
    }

    /// Makes the joint evaluation key from the shares of all owners, in any order within each kind, and writes it like
    /// any other key, one switching key at a time. In addition to the shares, this needs memory for a digit of the
    /// largest switching key. Progress counts switching keys.
    ///
    /// # Errors
    /// The errors of [`Agreement::public_key`]; [`OwnersError::OtherAgreement`] if second shares were made with other
    /// commitments; if writing fails, or [`crate::Error::Cancelled`]. Shares are hashed while they are summed up, so
    /// the written bytes are of no use after an error.
    pub fn write_evaluation_key(
        &self,
        shares: EvaluationKeyShares<'_>,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let mut first = self.first_shares(shares.first)?;
        let mut keys =
            self.committed(shares.keys, ObjectType::OwnerKeyShare, Message::KeyShare, |it| {
                it.keys
            })?;
        let mut second = self.second_shares(shares.second)?;
        self.skip_public_keys(&mut first)?;
        let parameters = self.session.parameters();
        let (ring, requests) = (self.session.ring(), parameters.key_requests());
        let bytes = |shape: SwitchingKeyShape| shape.body_bytes(ring.moduli());
        let literal = parameters.to_bytes();
        let stored = requests.iter().map(|request| {
            let halves = if is_relinearization(request) { 2 } else { 1 };
            NO_SEED.len() + halves * bytes(request.shape)
        });
        let length = 8 + literal.len() + KeyId::BYTES + stored.sum::<usize>();
        let digest = parameters.digest();
        let object = ObjectWriter::new(out, P::EVALUATION_KEY, &digest, length as u64)?;
        let mut writer = BodyWriter::new(object);
        writer.bytes(&literal)?;
        writer.raw(&self.key_id().0)?;
        let largest = requests.iter().map(|it| bytes(it.shape) / it.shape.digits()).max();
        let mut buffer = ByteBuffer::zeroed(largest.unwrap_or(0));
        let steps = progress.steps(requests.len())?;
        for (number, request) in requests.iter().enumerate() {
            let shape = request.shape;
            let mut sum = |message, shares: &mut [Share<'_>], writer: &mut BodyWriter<_>| {
                let rows = SharedRows::read(ring, shape, message, shares)?;
                rows.write_sums(shares, writer, &mut buffer)
            };
            if is_relinearization(request) {
                writer.raw(&NO_SEED)?;
                sum(Message::SecondShare, &mut second, &mut writer)?;
                // The bodies of the first round are part of those of the second.
                for share in &mut first {
                    share.content.raw("rows of a share", bytes(shape))?;
                }
                sum(Message::FirstShare, &mut first, &mut writer)?;
            } else {
                writer.raw(self.session.mask_seed(Some(number)).as_bytes())?;
                sum(Message::KeyShare, &mut keys, &mut writer)?;
            }
            steps.done()?;
        }
        let mut shares = [first, keys, second].into_iter().flatten();
        shares.try_for_each(Share::finish)?;
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Opens the first shares of all owners, without hashing them yet.
    pub(super) fn first_shares<'a>(&self, shares: &[&'a [u8]]) -> Result<Vec<Share<'a>>> {
        self.committed(shares, ObjectType::OwnerFirstShare, Message::FirstShare, |it| it.first)
    }

    /// Opens shares whose checksums are in commitments.
    fn committed<'a>(
        &self,
        shares: &[&'a [u8]],
        object_type: ObjectType,
        message: Message,
        checksum: impl Fn(&Commitment) -> [u8; CHECKSUM_BYTES],
    ) -> Result<Vec<Share<'a>>> {
        let shares = self.opened(shares, object_type, message)?;
        for (share, commitment) in shares.iter().zip(&self.commitments) {
            if *share.checksum() != checksum(commitment) {
                return Err(OwnersError::OtherShare { message, owner: share.owner }.into());
            }
        }
        Ok(shares)
    }

    /// Opens second shares, which refer to the commitments.
    fn second_shares<'a>(&self, shares: &[&'a [u8]]) -> Result<Vec<Share<'a>>> {
        let mut shares = self.opened(shares, ObjectType::OwnerSecondShare, Message::SecondShare)?;
        for share in &mut shares {
            let found = share.content.array("digest of commitments")?;
            if found != self.digest {
                let (owner, expected) = (share.owner, self.digest);
                return Err(OwnersError::OtherAgreement { owner, found, expected }.into());
            }
        }
        Ok(shares)
    }

    /// Opens shares of all owners, in the order of the owners.
    fn opened<'a>(
        &self,
        shares: &[&'a [u8]],
        object_type: ObjectType,
        message: Message,
    ) -> Result<Vec<Share<'a>>> {
        let open = |&bytes: &&'a [u8]| Share::open(bytes, object_type, message, &self.session);
        let shares: Vec<_> = shares.iter().map(open).collect::<Result<_>>()?;
        self.session.owners().in_order(message, shares, |share| share.owner)
    }

    /// Skips the shares of public keys that first shares begin with.
    pub(super) fn skip_public_keys(&self, first: &mut [Share<'_>]) -> Result<()> {
        let moduli = self.session.parameters().moduli_of_public_keys();
        let fields = moduli.map_or(0, |moduli| moduli.values().len());
        for share in first {
            for _ in 0..fields {
                share.content.bytes("words of a share of a public key", u64::MAX)?;
            }
        }
        Ok(())
    }
}

impl<P: OwnersParameters + RingPublicParameters> Agreement<P> {
    /// Makes the joint public key from the first shares of all owners, in any order.
    ///
    /// # Errors
    /// [`OwnersError`] if a share is missing, there twice, or not the one in its commitment; if the bytes are no shares
    /// of this session.
    pub fn public_key(&self, first: &[&[u8]]) -> Result<RingPublicKey<P>> {
        let mut first = self.first_shares(first)?;
        first.iter_mut().try_for_each(Share::verify)?;
        let parameters = self.session.parameters();
        let moduli = parameters.public_moduli();
        let mut words = Vec::new();
        for share in &mut first {
            let name = "words of a share of a public key";
            words.push(share.content.packed_limbs(name, moduli.degree(), moduli.values())?);
        }
        let ring = Arc::new(Ring::of(moduli));
        let basis = ring.full_basis();
        let mut sum = Poly::zero(&ring, basis);
        for words in words {
            sum.add_assign(&ring, &Poly::from_words(&ring, basis, words));
        }
        let seed = self.session.mask_seed(None);
        Ok(RingPublicKey::of_body(parameters.clone(), self.key_id(), ring, seed, sum))
    }
}

/// Returns the identifier of the joint key whose commitments have this digest.
pub(super) fn key_id_of(digest: &[u8; CHECKSUM_BYTES]) -> KeyId {
    KeyId(*digest.first_chunk().expect("digests are longer than identifiers"))
}

/// The shares that add up to an evaluation key, of all owners in any order, as bytes of files, which may be mapped.
#[derive(Clone, Copy, Debug)]
pub struct EvaluationKeyShares<'a> {
    /// First shares.
    pub first: &'a [&'a [u8]],
    /// Key shares.
    pub keys: &'a [&'a [u8]],
    /// Second shares.
    pub second: &'a [&'a [u8]],
}
