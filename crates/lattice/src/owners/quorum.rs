//! Thresholds: the holders of a shared secret who decrypt together, and their weights (Shamir, CACM 1979; for RLWE:
//! Mouchet, Bertrand, Hubaux, Journal of Cryptology 2023).
//!
//! Owner i of a key is a *dealer*: it draws a random polynomial `S_i(x)` of degree t - 1 over R_Q with `S_i(0) = s_i`,
//! for a key of t owners, and sends holder j the value `S_i(j)`. The sum `σ_j` of all dealers' values is the value at j
//! of a polynomial S with `S(0) = s`, so that any t holders T have `s = Σ_{j∈T} λ_j·σ_j` with
//! `λ_j = Π_{m∈T, m≠j} m/(m - j)` (Lagrange).
//!
//! **Points are exceptional**: R_Q is a product of fields `Z_q`, one for each slot and prime, and the points 1, …, n
//! and 0 are different in each of them, since all primes are above [`Owners::MAX`]. Hence t - 1 values are uniform and
//! independent of `s_i`.
//!
//! **t dealers are enough** for any number of holders: t - 1 holders who work together lack the secret of at least one
//! dealer.

use cryptable_ring::Modulus;

use super::{Message, Owners, OwnersError};
use crate::error::{Result, out_of_range};

/// The holders who decrypt together, out of all who hold a share of a key's secret. Their number is that of the key's
/// owners.
///
/// ```
/// use cryptable_lattice::owners::{Owners, Quorum};
/// let [three, five] = [3, 5].map(|count| Owners::new(count).unwrap());
/// let quorum = Quorum::new(three, five, &[5, 1, 4])?;
/// assert_eq!(quorum.to_string(), "1, 4, 5 of 5");
/// assert!(Quorum::new(three, five, &[1, 4]).is_err() && Quorum::new(three, five, &[1, 4, 6]).is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quorum {
    holders: Owners,
    /// Bit j - 1 is set if holder j is a member.
    members: u32,
}

impl Quorum {
    /// Returns the quorum of these holders, counted from 1, in any order.
    ///
    /// # Errors
    /// [`OwnersError::Quorum`] if their number is not the threshold; [`OwnersError::NoSuchOwner`],
    /// [`OwnersError::Twice`].
    pub fn new(threshold: Owners, holders: Owners, members: &[u32]) -> Result<Self> {
        let mut quorum = Self { holders, members: 0 };
        for &owner in members {
            holders.check(Message::PartialDecryption.name(), owner)?;
            if quorum.has(owner) {
                return Err(
                    OwnersError::Twice { message: Message::PartialDecryption, owner }.into()
                );
            }
            quorum.members |= 1 << (owner - 1);
        }
        let (found, threshold) = (quorum.members.count_ones(), threshold.count());
        if found != threshold {
            return Err(OwnersError::Quorum { found, threshold }.into());
        }
        Ok(quorum)
    }

    /// Returns the number of possible quorums: the binomial coefficient.
    #[must_use]
    pub fn count(threshold: Owners, holders: Owners) -> f64 {
        let (t, n) = (threshold.terms(), holders.terms());
        (1..=threshold.count()).map(|k| (n - t + f64::from(k)) / f64::from(k)).product()
    }

    /// Returns the number of holders.
    #[must_use]
    pub fn holders(self) -> Owners {
        self.holders
    }

    /// Returns the numbers of the holders who decrypt together.
    pub fn members(self) -> impl Iterator<Item = u32> {
        (1..=self.holders.count()).filter(move |&owner| self.has(owner))
    }

    /// Returns the two numbers that represent the quorum in files: the number of holders, and the members as bits.
    #[must_use]
    pub fn numbers(self) -> [u32; 2] {
        [self.holders.count(), self.members]
    }

    /// Returns the quorum that these two numbers represent.
    ///
    /// # Errors
    /// The errors of [`Quorum::new`].
    pub fn from_numbers(threshold: Owners, [holders, members]: [u32; 2]) -> Result<Self> {
        let count = Owners::new(holders)
            .ok_or_else(|| out_of_range("number of holders", holders.into(), "from 1 to 16"))?;
        let members: Vec<u32> = (1..=32).filter(|j| members >> (j - 1) & 1 == 1).collect();
        Self::new(threshold, count, &members)
    }

    /// Checks that a holder is one of those who decrypt together.
    ///
    /// # Errors
    /// [`OwnersError::NotInQuorum`].
    pub fn check(self, owner: u32) -> Result<()> {
        if (1..=self.holders.count()).contains(&owner) && self.has(owner) {
            return Ok(());
        }
        Err(OwnersError::NotInQuorum { owner, quorum: self.to_string() }.into())
    }

    /// Returns the weight of a member's share modulo a prime: Lagrange's coefficient at 0.
    #[must_use]
    pub fn weight(self, owner: u32, modulus: &Modulus) -> u64 {
        let point = |j: u32| modulus.reduce(j.into());
        let others = self.members().filter(|&other| other != owner);
        others.fold(1, |weight, other| {
            let difference = modulus.sub(point(other), point(owner));
            modulus.mul(weight, modulus.mul(point(other), modulus.inv(difference)))
        })
    }

    fn has(self, owner: u32) -> bool {
        self.members >> (owner - 1) & 1 == 1
    }
}

impl std::fmt::Display for Quorum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members: Vec<String> = self.members().map(|it| it.to_string()).collect();
        write!(f, "{} of {}", members.join(", "), self.holders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that weights evaluate any polynomial of degree t - 1 at 0, for any quorum, and for the largest numbers,
    /// too.
    #[test]
    fn any_quorum_has_the_value_at_zero() {
        let modulus = Modulus::new((1 << 36) - 5);
        for (threshold, holders) in [(1u32, 1u32), (2, 3), (3, 5), (8, 16)] {
            let [t, n] = [threshold, holders].map(|count| Owners::new(count).unwrap());
            let at = |x: u32| {
                (0..threshold).rev().fold(0, |sum, k| {
                    modulus.add(modulus.mul(sum, x.into()), 1 + 7919 * u64::from(k))
                })
            };
            let subsets = (0u32..1 << holders).filter(|it| it.count_ones() == threshold);
            let mut count = 0.0;
            for members in subsets {
                let quorum = Quorum::from_numbers(t, [holders, members]).unwrap();
                let value = quorum.members().fold(0, |sum, j| {
                    modulus.add(sum, modulus.mul(quorum.weight(j, &modulus), at(j)))
                });
                assert_eq!(value, at(0), "{quorum}");
                assert_eq!(quorum.numbers(), [holders, members]);
                count += 1.0;
            }
            assert_eq!(Quorum::count(t, n), count);
        }
    }

    #[test]
    fn others_are_refused_by_name() {
        let [two, three] = [2, 3].map(|count| Owners::new(count).unwrap());
        let message = |members: &[u32]| Quorum::new(two, three, members).unwrap_err().to_string();
        assert!(message(&[1]).contains("1 holder") && message(&[1, 2, 3]).contains("3 holders"));
        assert!(message(&[1, 4]).contains("owner 4") && message(&[0, 1]).contains("owner 0"));
        assert!(message(&[3, 3]).contains("two messages of owner 3"));
        let quorum = Quorum::new(two, three, &[3, 1]).unwrap();
        assert!(quorum.check(1).is_ok() && quorum.check(2).is_err() && quorum.check(40).is_err());
        assert!(Quorum::from_numbers(two, [17, 3]).is_err());
        assert!(Quorum::from_numbers(two, [3, 1 << 31 | 1]).is_err());
    }
}
