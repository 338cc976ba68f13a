//! Joint keys of several owners for whole lookups: packed values are encrypted and looked up, and results become bits,
//! which all owners decrypt together.
//!
//! A joint key for packed values alone cannot decrypt, since there are no partial decryptions of packed values.
//! Messages here are therefore pairs: one for packed values and one for bits, from the same secrets
//! ([`crate::packed_bits`]). A file holds both, one after the other; [`cryptable_lattice::owners`] explains the purpose
//! of each.
//!
//! | who | step | writes |
//! |---|---|---|
//! | anyone | [`JointSession`] | the session, for all owners |
//! | each owner | [`JointSecret::write_shares`] | its secret, a commitment, a first share and a key share |
//! | each owner | [`JointSecret::write_second_share`] | its secret after agreement, and a second share |
//! | anyone | [`JointAgreement`] | a public key, and the evaluation keys of a [`JointLookup`] |
//! | a server | [`JointLookup`] | results of lookups, a [`JointResult`] for each ciphertext of values |
//! | each owner | [`JointSecret::partial_decryptions`] | its part of the decryption, flooded |
//! | anyone | [`JointResult::combine`] | the values |
//!
//! If fewer than all are to decrypt, each owner deals a share of its secret to every holder. In decryptions, any quorum
//! of holders, one per owner, then replaces the owners: for three of five, three owners generate the key.
//!
//! | who | step | writes |
//! |---|---|---|
//! | each owner | [`JointSecret::deal`] | a dealt share for every holder, who may be an owner, too |
//! | each holder | [`ThresholdSecret::of_dealt`] | its share of the secret |
//! | each of a [`Quorum`] | [`JointResult::parts_of_holder`] | its part of the decryption, flooded |

#[cfg(feature = "client")]
mod joint_key;
mod joint_result;

use cryptable_lattice::Result;
use cryptable_wire::peek_header;

#[cfg(feature = "client")]
pub use cryptable_bits::ThresholdSecret;
#[cfg(feature = "client")]
pub use cryptable_lattice::owners::{
    Agreement, Commitment, EvaluationKeyShares, OwnerSecret, OwnersParameters, Session,
};
pub use cryptable_lattice::owners::{Message, Owners, OwnersError, Quorum};

#[cfg(feature = "client")]
pub use joint_key::{JointAgreement, JointSecret, JointSession};
pub use joint_result::{JointLookup, JointResult};

/// Splits a sequence of objects after the first.
///
/// # Errors
/// If the bytes do not begin with a header. Readers refuse an object that is cut short.
fn split_first(bytes: &[u8]) -> Result<[&[u8]; 2]> {
    let length = usize::try_from(peek_header(bytes)?.object_length()).unwrap_or(usize::MAX);
    let (first, rest) = bytes.split_at(length.min(bytes.len()));
    Ok([first, rest])
}
