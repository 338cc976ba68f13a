//! An owner's part of a joint secret key.

use cryptable_ring::clear_stack;
use cryptable_ring::random::{SecretSeed, Seed};
use cryptable_wire::{CHECKSUM_BYTES, KeyId, secret_key_bytes};
use zeroize::Zeroizing;

use super::agreement::{Agreement, key_id_of};
use super::commitment::Commitment;
use super::error::{Message, OwnersError};
use super::session::{OwnersParameters, Session};
use super::{shares, streams};
use crate::error::{Result, check_equal};
use crate::secret::TernarySecret;
use crate::trust::ReadOptions;

/// The longest body of an owner's secret, 1 MiB.
const MAX_SECRET_BYTES: u64 = 1 << 20;

/// Bytes in place of a checksum that is not known yet.
const NONE: [u8; CHECKSUM_BYTES] = [0; CHECKSUM_BYTES];

/// An owner's part of a joint secret key: a uniform ternary polynomial, and everything else that its shares are made
/// from, drawn from one seed. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// The steps have the following order, and the secret must be saved after each step that changes it:
/// [`OwnerSecret::generate`], [`OwnerSecret::write_shares`], [`OwnerSecret::agree`],
/// [`OwnerSecret::write_second_share`].
#[derive(Debug)]
pub struct OwnerSecret<P> {
    session: Session<P>,
    owner: u32,
    seed: SecretSeed,
    /// The seed of everything except the secret.
    streams: SecretSeed,
    secret: TernarySecret,
    /// Checksums of the owner's first share and key share, once they are made.
    committed: [[u8; CHECKSUM_BYTES]; 2],
    /// Digest of the commitments that the owner agreed to.
    agreed: [u8; CHECKSUM_BYTES],
}

impl<P: OwnersParameters> OwnerSecret<P> {
    /// Draws the secret of an owner of the session, counted from 1.
    ///
    /// # Errors
    /// [`OwnersError::NoSuchOwner`].
    pub fn generate(session: &Session<P>, owner: u32) -> Result<Self> {
        Self::new(session.clone(), owner, SecretSeed::random())
    }

    /// Returns the same owner with the same secret in another session. If all owners do this, a joint key for another
    /// kind of values has the same joint secret.
    ///
    /// # Errors
    /// [`crate::Error::Mismatch`] if the ring degree or the number of owners differs.
    pub fn in_session<Q: OwnersParameters>(&self, session: &Session<Q>) -> Result<OwnerSecret<Q>> {
        let degree = session.parameters().moduli().degree();
        check_equal("ring degree", degree, self.secret.coefficients().len())?;
        check_equal("number of owners", session.owners(), self.session.owners())?;
        let seed = SecretSeed::from_bytes(self.seed.as_bytes());
        OwnerSecret::new(session.clone(), self.owner, seed)
    }

    fn new(session: Session<P>, owner: u32, seed: SecretSeed) -> Result<Self> {
        session.owners().check("secret", owner)?;
        let secret = streams::dense_secret(&seed, session.parameters().moduli().degree());
        let streams = streams::session_seed(&seed, session.digest());
        Ok(Self { session, owner, seed, streams, secret, committed: [NONE; 2], agreed: NONE })
    }

    /// Returns the secret in its wire format: parameters, the seed of the session, the owner's number, what the owner
    /// committed and agreed to, and the secret seed.
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
    /// If the bytes are not exactly one undamaged secret of an owner, or if its parameters are insecure and that is not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let opened = P::open(bytes, P::OWNER_SECRET, MAX_SECRET_BYTES, options);
        // The checksum was computed on this stack.
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

    /// Returns the owner's part of the secret polynomial, for its part of a decryption. Nobody else may have it.
    #[must_use]
    pub fn secret(&self) -> &TernarySecret {
        &self.secret
    }

    /// Agrees to the commitments of all owners. This is possible only once, since second shares for two agreements
    /// would reveal the secret. Save the secret before its second share is made.
    ///
    /// # Errors
    /// [`OwnersError::AgreedBefore`] if the secret agreed to other commitments; [`OwnersError::OtherCommitment`] if the
    /// owner's own commitment is not the one that it made; [`OwnersError::OtherSession`].
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

    /// Returns the identifier of the joint key, once the secret has agreed to commitments.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`].
    pub fn key_id(&self) -> Result<KeyId> {
        if self.agreed == NONE {
            return Err(OwnersError::NotAgreed.into());
        }
        Ok(key_id_of(&self.agreed))
    }

    /// Returns the seed of the shares that the owner deals to holders ([`Quorum`](super::Quorum)), once the secret has
    /// agreed to commitments. Nobody else may have it.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`].
    pub fn dealing_seed(&self) -> Result<SecretSeed> {
        self.key_id()?;
        Ok(streams::dealing_seed(&self.streams, &self.agreed))
    }

    /// Returns the seed of everything that the owner draws for the session, except for its secret.
    pub(super) fn streams(&self) -> &SecretSeed {
        &self.streams
    }

    /// Records the checksums of the owner's first share and key share, and commits to them.
    pub(super) fn commit(&mut self, committed: [[u8; CHECKSUM_BYTES]; 2]) -> Commitment {
        self.committed = committed;
        let parameter_digest = self.session.parameters().digest();
        let (session, [first, keys]) = (*self.session.digest(), committed);
        Commitment { parameter_digest, session, owner: self.owner, first, keys }
    }

    /// Checks that the secret agreed to these commitments.
    ///
    /// # Errors
    /// [`OwnersError::NotAgreed`].
    pub(super) fn check_agreed(&self, agreement: &Agreement<P>) -> Result<()> {
        if self.agreed == *agreement.digest() { Ok(()) } else { Err(OwnersError::NotAgreed.into()) }
    }
}
