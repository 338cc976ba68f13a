//! Flooding of partial decryptions: how large it must be, and what it costs in statistical distance and failures.
//!
//! **What is sent.** The secret is a sum `s = s_1 + … + s_n`, and owner i sends `p_i = c_1·s_i + F_i` for a ciphertext
//! `(c_0, c_1)` whose phase is `c_0 + c_1·s = P(b) + e`. `P(b)` is the rounded encoding of the bits, which anyone who
//! knows the bits can compute, and e is an error of the coefficients. Its Euclidean norm is at most `S·B + √N/2`, where
//! B bounds the error of every slot and S is the scale: the sum of the squares of coefficients is the mean of the
//! squares of all N conjugate slots (Parseval), and the second term is the rounding of `P(b)`.
//!
//! **A simulator** that has the bits and all secrets but that of owner i sends `p = P(b) - c_0 - Σ_{j≠i} c_1·s_j + F` instead.
//! `p_i` is the same with `F + e` in place of F. The distance is thus that of [`cryptable_lattice::flooding`], over all
//! coefficients at once: `√(2hT)·|e|` for T ciphertexts. The probability that e exceeds its bound is added.
//!
//! **Quorums.** Any t holders of shares decrypt (`threshold.rs`). The messages of a quorum T have masks that add up to
//! 0, so that an observer sees of the honest holders only their sum, which contains `e + ΣF_j`: the same distance, for
//! every quorum and ciphertext.
//!
//! **Failures.** After combination, a part of a slot is off by the error of the ciphertext and by `n·N/2` coefficients
//! of flooding: Chernoff's bound for the rest of the margin of `S/2`.

#[cfg(feature = "client")]
use std::io;

#[cfg(feature = "client")]
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::error::{Error, Result, check_equal, demand};
use cryptable_lattice::flooding::Flooding;
use cryptable_lattice::owners::{OwnersError, Quorum};
use cryptable_lattice::{FailureProbability, Owners};
#[cfg(feature = "client")]
use cryptable_wire::{BodyReader, BodyWriter, WireError};

use crate::parameters::Parameters;

/// Number of tails in which a slot's error may exceed its bound before cleanings: one for noise and one for bias, in
/// each part of a slot.
const TAILS_OF_A_BIT: f64 = 4.0;

/// Error in a slot from rounding a combined phase to two limbs and to doubles: far below the margin.
const COMBINATION: f64 = 1.0 / 1_048_576.0;

/// Plan by which the owners of a key decrypt bits together: their number, and how well flooding hides each owner's
/// share.
///
/// All owners use the same numbers; partial decryptions carry them. There is no decryption without flooding.
///
/// ```
/// use cryptable_bits::{JointDecryption, Parameters};
/// use cryptable_lattice::Owners;
/// let parameters = Parameters::throughput_128()?;
/// let three = Owners::new(3).expect("from 1 to 16");
/// // A statistical distance of 2^-40 over 65,536 ciphertexts of 65,536 bits.
/// let decryption = JointDecryption::new(&parameters, three, -40.0, 65_536)?;
/// assert!(decryption.log2_distance() <= -40.0 && decryption.log2_fail() < -1000.0);
/// // 2^-64 is reached for 64 ciphertexts: of 65,536, some error is above its bound too often.
/// assert!(JointDecryption::new(&parameters, three, -64.0, 64)?.log2_distance() <= -64.0);
/// assert!(JointDecryption::new(&parameters, three, -64.0, 65_536).is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointDecryption {
    owners: Owners,
    /// Number of holders of shares of the secret, if any t of them decrypt, where t is the number of owners.
    holders: Option<Owners>,
    stated_log2_distance: f64,
    ciphertexts: u64,
    flooding: Flooding,
    log2_distance: f64,
    log2_fail: f64,
    parameter_digest: [u8; 32],
}

impl JointDecryption {
    /// Finds the least flooding that hides shares over `ciphertexts` ciphertexts in all, under one key: partial
    /// decryptions are within a statistical distance of `2^log2_distance` of what the bits alone determine.
    ///
    /// # Errors
    /// [`OwnersError::OneOwner`]; if there are no ciphertexts, or the distance is not from 2^-128 to 2^-40;
    /// [`Error::FailureUnreachable`] if bits are not exact enough for this distance; [`Error::TooSmall`] if bits have
    /// too few levels after a bootstrap.
    pub fn new(
        parameters: &Parameters,
        owners: Owners,
        log2_distance: f64,
        ciphertexts: u64,
    ) -> Result<Self> {
        Numbers { owners, log2_distance, ciphertexts }.plan(parameters, None)
    }

    /// Finds the least flooding for a key whose secret `holders` have shares of. Any t of them decrypt, where t is the
    /// number of owners of the key. Every quorum may decrypt every ciphertext once.
    ///
    /// ```
    /// use cryptable_bits::{JointDecryption, Parameters};
    /// use cryptable_lattice::Owners;
    /// let [three, five] = [3, 5].map(|count| Owners::new(count).unwrap());
    /// let parameters = Parameters::throughput_128_of(three)?;
    /// let all = JointDecryption::new(&parameters, three, -40.0, 65_536)?;
    /// let any = JointDecryption::of_threshold(&parameters, five, -40.0, 65_536)?;
    /// // Ten quorums of three of five ask for two bits more.
    /// assert!(any.log2_distance() <= -40.0 && any.log2_width() == all.log2_width() + 2);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`JointDecryption::new`].
    pub fn of_threshold(
        parameters: &Parameters,
        holders: Owners,
        log2_distance: f64,
        ciphertexts: u64,
    ) -> Result<Self> {
        let owners = parameters.literal().owners;
        Numbers { owners, log2_distance, ciphertexts }.plan(parameters, Some(holders))
    }

    /// Returns the number of owners.
    #[must_use]
    pub fn owners(&self) -> Owners {
        self.owners
    }

    /// Number of ciphertexts that may be decrypted under one key. Decrypting the same one again does not count.
    #[must_use]
    pub fn ciphertexts(&self) -> u64 {
        self.ciphertexts
    }

    /// Returns log2 of the statistical distance between all partial decryptions of an owner and the messages of a
    /// simulator that does not know the owner's share.
    #[must_use]
    pub fn log2_distance(&self) -> f64 {
        self.log2_distance
    }

    /// Returns log2 of the probability that flooding makes any bit of a ciphertext wrong.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns log2 of the width of flooding, in units of the modulus of a ciphertext.
    #[must_use]
    pub fn log2_width(&self) -> u32 {
        self.flooding.log2_width()
    }
}

#[cfg(feature = "client")]
impl JointDecryption {
    /// The distribution of flooding.
    pub(crate) fn flooding(&self) -> Flooding {
        self.flooding
    }

    /// Checks that the plan was made for these parameters.
    ///
    /// # Errors
    /// [`Error::OtherParameters`].
    pub(crate) fn check(&self, parameter_digest: [u8; 32]) -> Result<()> {
        check_parameters("plan of partial decryptions", parameter_digest, self.parameter_digest)
    }

    /// Checks that a quorum has the number of holders of the plan, or that all owners decrypt if the plan has none.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::Mismatch`].
    pub(crate) fn check_quorum(&self, quorum: Option<Quorum>) -> Result<()> {
        let count = |holders: Option<Owners>| holders.map_or(0, Owners::count);
        let found = count(quorum.map(Quorum::holders));
        check_equal("number of holders of a plan, 0 for all owners", count(self.holders), found)
    }

    /// Writes the numbers that the plan was made with, without holders.
    pub(crate) fn write_numbers(&self, writer: &mut BodyWriter<Vec<u8>>) -> io::Result<()> {
        writer.u32(self.owners.count())?;
        writer.f64(self.stated_log2_distance)?;
        writer.u64(self.ciphertexts)
    }

    /// Reads the numbers of a plan.
    ///
    /// # Errors
    /// If bytes are missing, or the number of owners is not allowed.
    pub(crate) fn read_numbers(reader: &mut BodyReader<'_>) -> Result<Numbers> {
        let name = "number of owners";
        let owners = Owners::try_from(reader.u32(name)?)
            .map_err(|error| WireError::invalid(name, error, "from 2 to 16"))?;
        let log2_distance = reader.f64("log2 of the statistical distance")?;
        Ok(Numbers { owners, log2_distance, ciphertexts: reader.u64("number of ciphertexts")? })
    }
}

/// The numbers that a plan is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub owners: Owners,
    pub log2_distance: f64,
    pub ciphertexts: u64,
}

impl Numbers {
    /// Makes the plan: [`JointDecryption::new`] or, with holders, [`JointDecryption::of_threshold`].
    ///
    /// # Errors
    /// The same errors.
    pub fn plan(self, parameters: &Parameters, holders: Option<Owners>) -> Result<JointDecryption> {
        let Self { owners, log2_distance, ciphertexts } = self;
        if owners.is_one() {
            return Err(OwnersError::OneOwner.into());
        }
        let stated = parameters.literal().owners;
        if !stated.is_one() {
            check_equal("number of owners", owners, stated)?;
        }
        if ciphertexts == 0 {
            let name = "number of ciphertexts to decrypt";
            return Err(Error::TooSmall { name, value: 0, limit: 1 });
        }
        let is_stated = (-128.0..=-40.0).contains(&log2_distance);
        demand(is_stated, "log2 of the statistical distance", log2_distance, "from -128 to -40")?;
        let shape = parameters.prepared_shape(owners)?;
        let degree = parameters.literal().ring_degree as f64;
        let unreachable = |found: f64, limit| {
            let what = format!("hiding the shares of {owners} owners in {ciphertexts} ciphertexts");
            Error::FailureUnreachable { what, found, limit }
        };
        let unbounded = ciphertexts as f64 * log2_unbounded(parameters).exp2();
        if unbounded.log2() > log2_distance - 1.0 {
            return Err(unreachable(unbounded.log2(), log2_distance - 1.0));
        }
        let quorums = holders.map_or(1.0, |holders| Quorum::count(owners, holders));
        let polynomials = ciphertexts as f64 * quorums;
        let norm = shape.scale * shape.error + degree.sqrt() / 2.0;
        let flooding = Flooding::hiding(norm, polynomials, log2_distance - 1.0)
            .ok_or_else(|| unreachable(0.0, log2_distance - 1.0))?;
        let margin = (0.5 - shape.error - COMBINATION) * shape.scale;
        let of_bit = flooding.log2_exceeds(f64::from(owners.count()) * degree / 2.0, margin);
        if of_bit > parameters.literal().log2_fail {
            return Err(unreachable(of_bit, parameters.literal().log2_fail));
        }
        let distance = flooding.log2_distance(norm, polynomials).exp2() + unbounded;
        Ok(JointDecryption {
            owners,
            holders,
            stated_log2_distance: log2_distance,
            ciphertexts,
            flooding,
            log2_distance: distance.log2(),
            log2_fail: FailureProbability::from_log2(of_bit).of_any(parameters.bits()).log2(),
            parameter_digest: parameters.digest(),
        })
    }
}

/// log2 of the probability that an error of a ciphertext exceeds its bound.
fn log2_unbounded(parameters: &Parameters) -> f64 {
    let of_inputs =
        TAILS_OF_A_BIT * parameters.bits() as f64 * parameters.literal().log2_fail.exp2();
    (of_inputs + Parameters::log2_roundings_exceed().exp2()).log2()
}
