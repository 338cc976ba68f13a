//! Several owners of one key: each has a secret of its own, and the key's secret is the sum of all (Mouchet,
//! Troncoso-Pastoriza, Bossuat, Hubaux, PETS 2021).
//!
//! This file has the distributions of such sums. With n owners whose secrets `s_i` and errors are independent:
//!
//! - a coefficient of `s = Σ s_i` has variance `n·2/3`, an error of a key `n·10.5`;
//! - `|s(ζ_j)|²` divided by its mean has the distribution of one secret's, except for its limit: every `|s_i(ζ_j)|²` is
//!   at most B times its mean, so that the sum is at most `n·B` times its own;
//! - the squared norm of s is within 1.25 of its mean, except with a probability below `2^-500` from degree 2^15 on,
//!   for up to 16 owners (Bernstein's inequality), and so is that of a public key's error;
//! - a relinearization key, which takes two rounds, has the error `s·e_0 + u·e_1 + e_2` with n-fold s, u and e.
//!
//! This holds for owners who draw like [`OwnerSecret`]. An owner who does not can make results wrong, as it can by
//! refusing to decrypt.
//!
//! # Messages
//! Nobody has the joint secret. Owners make the key from files, beginning with a [`Session`]:
//!
//! | file | from | to | what it has |
//! |---|---|---|---|
//! | [`Session`] | anyone | all | parameters, and a seed for the masks of all keys |
//! | [`Commitment`] | each owner | all | hashes of its first and its key share |
//! | first share | each owner | all | shares of the public key and of the first round of relinearization keys |
//! | key share | each owner | whoever combines | shares of all other switching keys |
//! | second share | each owner | whoever combines | shares of the second round of relinearization keys |
//!
//! An owner sends its commitment at once, its other shares when it has the commitments of all owners, and its second
//! share when it has the first shares of all. An [`Agreement`] consists of all commitments. It checks all shares, and
//! sums them up to an ordinary public key and an ordinary evaluation key, which have the identifier of the joint key.
//! All shares are public: they may be sent over any channel that does not change them.
//!
//! The shares are as follows, with masks a and `d`, where `P·g` is the factor of a digit and u_i a further ternary
//! secret of an owner that is used once:
//!
//! - public key: `b_i = -a·s_i + e_i`; switching keys from s'_i to s_i likewise, plus `P·g·s'_i`;
//! - relinearization, first round: `h_i = -d·u_i + P·g·s_i + e_(0,i)` and `h'_i = d·s_i + e_(1,i)`;
//! - second round, for the sums h and h' of all owners: `s_i·h + (u_i - s_i)·h' + e_(2,i)`. The sum of these is the key's
//!   body, and h' is its mask: `body + h'·s = P·g·s² + s·e_0 + u·e_1 + e_2`.
//!
//! # What they reveal
//! Every share is a list of RLWE samples under secrets of its owner alone, whose masks nobody chose: a is expanded from
//! the session, and h and h' contain a part of an honest owner, which looks uniform and which nobody knew when the
//! others committed to theirs. Without commitments, the last owner to send a share could make the sum anything, such as
//! a public key of its own. Anyone who makes an owner compute second shares for two agreements has two samples whose
//! masks differ by a chosen amount, and hence the secret: an [`OwnerSecret`] therefore agrees only once.

#[cfg(feature = "client")]
mod agreement;
#[cfg(feature = "client")]
mod commitment;
pub(crate) mod error;
#[cfg(feature = "client")]
mod first_round;
#[cfg(feature = "client")]
mod owner_secret;
mod quorum;
#[cfg(feature = "client")]
mod second_round;
#[cfg(feature = "client")]
mod session;
#[cfg(feature = "client")]
mod shares;
#[cfg(feature = "client")]
mod streams;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ERROR_VARIANCE;
use crate::embedding_bound::embedding_limit;
use crate::error::Result;

#[cfg(feature = "client")]
pub use agreement::{Agreement, EvaluationKeyShares};
#[cfg(feature = "client")]
pub use commitment::Commitment;
pub use error::{Message, OwnersError};
#[cfg(feature = "client")]
pub use owner_secret::OwnerSecret;
pub use quorum::Quorum;
#[cfg(feature = "client")]
pub use session::{OwnersParameters, Session};

/// Variance of a uniform ternary coefficient.
const TERNARY_VARIANCE: f64 = 2.0 / 3.0;

/// The bound on the squared norms of a public key's error and of the secret that noise bounds assume, relative to their
/// means. Keys beyond it are drawn again, which happens to fewer than one key in 2^80 from degree 1,024 on.
pub(crate) const NORM_SLACK: f64 = 1.25;

/// The number of owners of a key: one for a client's own key, which is the default everywhere.
///
/// ```
/// use cryptable_lattice::Owners;
/// let three = Owners::new(3).unwrap();
/// assert_eq!(three.secret_variance(), 3.0 * Owners::ONE.secret_variance());
/// assert!(Owners::new(0).is_none() && Owners::new(17).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Owners(u32);

impl Owners {
    /// One owner.
    pub const ONE: Self = Self(1);

    /// The largest number of owners of a key.
    pub const MAX: u32 = 16;

    /// Returns a number of owners, or `None` if it is 0 or above [`Owners::MAX`].
    #[must_use]
    pub const fn new(count: u32) -> Option<Self> {
        if count >= 1 && count <= Self::MAX { Some(Self(count)) } else { None }
    }

    /// Returns the number of owners.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0
    }

    /// Returns whether there is one owner only.
    #[must_use]
    pub const fn is_one(&self) -> bool {
        self.0 == 1
    }

    /// Checks the number of an owner, counted from 1. `message` names the message of this owner.
    ///
    /// # Errors
    /// [`OwnersError::NoSuchOwner`].
    pub fn check(self, message: &'static str, owner: u32) -> Result<()> {
        if (1..=self.0).contains(&owner) {
            return Ok(());
        }
        Err(OwnersError::NoSuchOwner { message, owner, owners: self.0 }.into())
    }

    /// Puts messages in the order of their owners, one message per owner.
    ///
    /// # Errors
    /// [`OwnersError::Twice`], [`OwnersError::Missing`].
    pub fn in_order<T>(
        self,
        message: Message,
        messages: impl IntoIterator<Item = T>,
        owner: impl Fn(&T) -> u32,
    ) -> Result<Vec<T>> {
        self.in_order_of(1..=self.0, message, messages, owner)
    }

    /// Puts messages in the order of their owners, one message for each of the given owners, all of whom must be
    /// present.
    ///
    /// # Errors
    /// The errors of [`Owners::in_order`].
    pub fn in_order_of<T>(
        self,
        mut numbers: impl Iterator<Item = u32>,
        message: Message,
        messages: impl IntoIterator<Item = T>,
        owner: impl Fn(&T) -> u32,
    ) -> Result<Vec<T>> {
        let mut messages: Vec<T> = messages.into_iter().collect();
        messages.sort_by_key(&owner);
        if let Some(pair) = messages.windows(2).find(|pair| owner(&pair[0]) == owner(&pair[1])) {
            return Err(OwnersError::Twice { message, owner: owner(&pair[0]) }.into());
        }
        let owners = self.0;
        match numbers.find(|&number| !messages.iter().any(|it| owner(it) == number)) {
            Some(owner) => Err(OwnersError::Missing { message, owner, owners }.into()),
            None => Ok(messages),
        }
    }

    /// Returns the variance of a coefficient of the secret.
    #[must_use]
    pub fn secret_variance(self) -> f64 {
        self.terms() * TERNARY_VARIANCE
    }

    /// Returns the variance of a coefficient of an error of a key that takes one round.
    #[must_use]
    pub fn error_variance(self) -> f64 {
        self.terms() * ERROR_VARIANCE
    }

    /// Returns the variance of a coefficient of an error of a relinearization key at this ring degree.
    #[must_use]
    pub fn relinearization_error_variance(self, degree: usize) -> f64 {
        if self.is_one() {
            return ERROR_VARIANCE;
        }
        let product = degree as f64 * self.secret_variance() * self.error_variance();
        2.0 * product + self.error_variance()
    }

    /// Returns the limit of the secret's slots, `|s(ζ_j)|²` over its mean; infinite below degree 1,024.
    #[must_use]
    pub fn embedding_limit(self, degree: usize) -> f64 {
        self.terms() * embedding_limit(degree)
    }

    /// Returns the variance of a phase after both halves of a ciphertext were rounded, in units of the modulus, on
    /// average over secrets: `(1 + n·2N/3)/12`.
    #[must_use]
    pub fn mean_rounding_variance(self, degree: usize) -> f64 {
        (1.0 + degree as f64 * self.secret_variance()) / 12.0
    }

    /// Returns the variance of a phase after both halves of a ciphertext were rounded, in units of the modulus:
    /// `(1 + |s|²)/12` for any secret that has a public key. For a fixed secret it is a sum of bounded symmetric terms,
    /// so that Gaussian tails bound it.
    #[must_use]
    pub fn rounding_variance(self, degree: usize) -> f64 {
        (1.0 + self.squared_norm_bound(degree)) / 12.0
    }

    /// Returns the variance of a coefficient's error by a public key, in units of the modulus: `n·2·1.25·(2/3)·10.5·N + 10.5`.
    #[must_use]
    pub fn public_error_variance(self, degree: usize) -> f64 {
        2.0 * self.squared_norm_bound(degree) * ERROR_VARIANCE + ERROR_VARIANCE
    }

    /// Returns the bound on the squared norm of a secret that has a public key.
    fn squared_norm_bound(self, degree: usize) -> f64 {
        NORM_SLACK * self.secret_variance() * degree as f64
    }

    fn terms(self) -> f64 {
        f64::from(self.0)
    }
}

impl Default for Owners {
    fn default() -> Self {
        Self::ONE
    }
}

impl TryFrom<u32> for Owners {
    type Error = String;

    fn try_from(count: u32) -> std::result::Result<Self, String> {
        Self::new(count).ok_or_else(|| format!("{count} owners of a key: from 1 to {}", Self::MAX))
    }
}

impl From<Owners> for u32 {
    fn from(owners: Owners) -> Self {
        owners.0
    }
}

impl fmt::Display for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
