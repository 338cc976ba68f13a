//! Joint keys whose owners are all in one program, with a mapped file per message.
#![allow(dead_code)]

use std::io::Write;

use cryptable_lattice::owners::{
    Agreement, Commitment, EvaluationKeyShares, OwnerSecret, OwnersParameters, Session,
};
use cryptable_lattice::{Progress, Result};
use cryptable_wire::MappedFile;

/// Writes a message to its own file.
pub fn written(write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<MappedFile> {
    let mut file = std::io::BufWriter::new(tempfile::tempfile()?);
    write(&mut file)?;
    Ok(MappedFile::of(&file.into_inner().map_err(std::io::IntoInnerError::into_error)?)?)
}

/// An owner that has made its first shares.
pub struct Owner<P> {
    pub secret: OwnerSecret<P>,
    pub commitment: Commitment,
    pub first: MappedFile,
    pub keys: MappedFile,
}

impl<P: OwnersParameters> Owner<P> {
    /// Makes an owner with a fresh secret.
    pub fn new(session: &Session<P>, number: u32) -> Self {
        Self::of_secret(OwnerSecret::generate(session, number).unwrap())
    }

    /// Makes an owner with this secret.
    pub fn of_secret(mut secret: OwnerSecret<P>) -> Self {
        let (mut commitment, mut keys) = (None, None);
        let first = written(|first| {
            keys = Some(written(|keys| {
                commitment = Some(secret.write_shares(first, keys, Progress::silent())?);
                Ok(())
            })?);
            Ok(())
        });
        Self { secret, commitment: commitment.unwrap(), first: first.unwrap(), keys: keys.unwrap() }
    }

    /// Agrees, and writes the owner's second share.
    pub fn second_share(
        &mut self,
        agreement: &Agreement<P>,
        first: &[&[u8]],
    ) -> Result<MappedFile> {
        self.secret.agree(agreement)?;
        let secret = &self.secret;
        written(|out| secret.write_second_share(agreement, first, out, Progress::silent()))
    }
}

/// Makes all owners of a session.
pub fn owners<P: OwnersParameters>(session: &Session<P>) -> Vec<Owner<P>> {
    (1..=session.owners().count()).map(|number| Owner::new(session, number)).collect()
}

/// Makes the agreement of these owners.
pub fn agreement<P: OwnersParameters>(
    session: &Session<P>,
    owners: &[Owner<P>],
) -> Result<Agreement<P>> {
    let commitments: Vec<_> = owners.iter().map(|it| it.commitment.clone()).collect();
    Agreement::new(session, &commitments)
}

/// Returns the bytes of messages.
pub fn bytes(files: &[MappedFile]) -> Vec<&[u8]> {
    files.iter().map(AsRef::as_ref).collect()
}

/// Returns the first shares of these owners.
pub fn first_shares<P>(owners: &[Owner<P>]) -> Vec<&[u8]> {
    owners.iter().map(|it| it.first.as_ref()).collect()
}

/// Returns the key shares of these owners.
pub fn key_shares<P>(owners: &[Owner<P>]) -> Vec<&[u8]> {
    owners.iter().map(|it| it.keys.as_ref()).collect()
}

/// Lets all owners agree, and writes their second shares.
pub fn second_shares<P: OwnersParameters>(
    agreement: &Agreement<P>,
    owners: &mut [Owner<P>],
) -> Vec<MappedFile> {
    owners.iter_mut().for_each(|owner| owner.secret.agree(agreement).unwrap());
    let (owners, first) = (&*owners, first_shares(owners));
    let write = |owner: &Owner<P>| {
        written(|out| owner.secret.write_second_share(agreement, &first, out, Progress::silent()))
    };
    owners.iter().map(|owner| write(owner).unwrap()).collect()
}

/// Writes the file of the joint evaluation key.
pub fn evaluation_key_file<P: OwnersParameters>(
    agreement: &Agreement<P>,
    first: &[&[u8]],
    keys: &[&[u8]],
    second: &[&[u8]],
) -> Result<MappedFile> {
    let shares = EvaluationKeyShares { first, keys, second };
    written(|out| agreement.write_evaluation_key(shares, out, Progress::silent()))
}

/// Writes the file of the joint evaluation key of owners that have made first shares.
pub fn joint_evaluation_key_file<P: OwnersParameters>(
    agreement: &Agreement<P>,
    owners: &mut [Owner<P>],
) -> MappedFile {
    let second = second_shares(agreement, owners);
    let (first, keys) = (first_shares(owners), key_shares(owners));
    evaluation_key_file(agreement, &first, &keys, &bytes(&second)).unwrap()
}
