//! Joint keys of several owners, in pairs: one for values and one for bits.

use std::io::Write;

use cryptable_bits as bits;
use cryptable_bits::{JointDecryption, PartialDecryption, SecretShare};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::owners::{
    Agreement, Commitment, EvaluationKeyShares, OwnerSecret, Owners, Session,
};
use cryptable_lattice::{Progress, ReadOptions, Result};
use cryptable_packed as packed;
use cryptable_wire::KeyId;
use zeroize::Zeroizing;

use super::{JointResult, split_first};

/// A pair of sessions, for values and for bits, on which the owners of a joint key agree before they generate it.
#[derive(Clone, Debug)]
pub struct JointSession {
    values: Session<packed::Parameters>,
    bits: Session<bits::Parameters>,
}

impl JointSession {
    /// Draws a session for tables of `input_modulus` inputs and outputs of `output_bits` bits. Tables with another
    /// number of output bits work, too, but not in the predicted time.
    ///
    /// # Errors
    /// If there are no parameters for them: 2 or 3 owners can have up to 2^12 inputs, and up to 6 owners up to 2^8.
    pub fn new(owners: Owners, input_modulus: u64, output_bits: u32) -> Result<Self> {
        let bits = bits::Parameters::throughput_128_of(owners)?;
        let request = packed::Request {
            tables: output_bits as usize,
            ring_degree: Some(bits.literal().ring_degree),
            owners,
            ..packed::Request::new(input_modulus, 2)
        };
        Self::of_parameters(packed::Parameters::choose(&request)?, bits)
    }

    /// Draws a session of toy rings, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy(owners: Owners, input_modulus: u64) -> Result<Self> {
        let values = packed::Parameters::insecure_toy_of_owners(input_modulus, 2, owners)?;
        Self::of_parameters(values, bits::Parameters::insecure_toy_throughput_of(owners)?)
    }

    fn of_parameters(values: packed::Parameters, bits: bits::Parameters) -> Result<Self> {
        // Otherwise, nobody would notice until decryption that bits cannot be decrypted.
        JointDecryption::new(&bits, bits.literal().owners, -40.0, 1)?;
        Self::of(Session::new(values)?, Session::new(bits)?)
    }

    fn of(values: Session<packed::Parameters>, bits: Session<bits::Parameters>) -> Result<Self> {
        let (of_values, of_bits) = (values.parameters().literal(), bits.parameters().literal());
        check_equal("output modulus", values.parameters().output_modulus(), 2)?;
        check_equal("ring degree", of_bits.ring_degree, of_values.ring_degree)?;
        check_equal("number of owners", bits.owners(), values.owners())?;
        Ok(Self { values, bits })
    }

    /// Returns the session in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [self.values.to_bytes(), self.bits.to_bytes()].concat()
    }

    /// Reads a session.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged session, or it is of insecure parameters where those are not allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let [values, bits] = split_first(bytes)?;
        Self::of(Session::from_bytes(values, options)?, Session::from_bytes(bits, options)?)
    }

    /// Returns the session of values.
    #[must_use]
    pub fn values(&self) -> &Session<packed::Parameters> {
        &self.values
    }

    /// Returns the session of bits.
    #[must_use]
    pub fn bits(&self) -> &Session<bits::Parameters> {
        &self.bits
    }

    /// Returns the number of owners.
    #[must_use]
    pub fn owners(&self) -> Owners {
        self.values.owners()
    }
}

/// An owner's part of a joint secret key, for values and for bits. Zeroized on drop, redacted in Debug, not `Clone`.
///
/// Save it after each step that changes it; [`OwnerSecret`] lists these steps.
#[derive(Debug)]
pub struct JointSecret {
    values: OwnerSecret<packed::Parameters>,
    bits: OwnerSecret<bits::Parameters>,
}

impl JointSecret {
    /// Draws the secret of an owner, counted from 1.
    ///
    /// # Errors
    /// If `owner` exceeds the number of owners.
    pub fn generate(session: &JointSession, owner: u32) -> Result<Self> {
        let values = OwnerSecret::generate(&session.values, owner)?;
        let bits = values.in_session(&session.bits)?;
        Ok(Self { values, bits })
    }

    /// Returns the secret in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([&**self.values.to_bytes(), &**self.bits.to_bytes()].concat())
    }

    /// Reads a secret.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret, or it is of insecure parameters where those are not allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let [values, bits] = split_first(bytes)?;
        let values = OwnerSecret::<packed::Parameters>::from_bytes(values, options)?;
        let bits = OwnerSecret::<bits::Parameters>::from_bytes(bits, options)?;
        check_equal("owner of a secret of bits", bits.owner(), values.owner())?;
        JointSession::of(values.session().clone(), bits.session().clone())?;
        Ok(Self { values, bits })
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> JointSession {
        let (values, bits) = (self.values.session().clone(), self.bits.session().clone());
        JointSession { values, bits }
    }

    /// Returns the number of the owner, counted from 1.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.values.owner()
    }

    /// Writes the owner's first share and its key share, and returns its commitment to them. Save the secret
    /// afterwards, and send the shares once all commitments have arrived. Progress counts the keys of values, then
    /// those of bits.
    ///
    /// # Errors
    /// If writing fails, or [`cryptable_lattice::Error::Cancelled`].
    pub fn write_shares(
        &mut self,
        first: &mut dyn Write,
        keys: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<Vec<u8>> {
        let halves = [0, 1].map(|half| progress.part(half..half + 1, 2));
        let [of_values, of_bits] = halves.each_ref().map(|half| Progress::new(half));
        let of_values = self.values.write_shares(first, keys, of_values)?;
        let of_bits = self.bits.write_shares(first, keys, of_bits)?;
        Ok([of_values.to_bytes(), of_bits.to_bytes()].concat())
    }

    /// Agrees to the commitments of all owners, once. Save the secret before you create its second share.
    ///
    /// # Errors
    /// The errors of [`OwnerSecret::agree`].
    pub fn agree(&mut self, agreement: &JointAgreement) -> Result<()> {
        self.values.agree(&agreement.values)?;
        self.bits.agree(&agreement.bits)
    }

    /// Writes the owner's second share, given the first shares of all owners in any order.
    ///
    /// # Errors
    /// The errors of [`OwnerSecret::write_second_share`].
    pub fn write_second_share(
        &self,
        agreement: &JointAgreement,
        first: &[&[u8]],
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let halves = [0, 1].map(|half| progress.part(half..half + 1, 2));
        let [first_half, last_half] = halves.each_ref().map(|half| Progress::new(half));
        let [of_values, of_bits] = split_all(first)?;
        self.values.write_second_share(&agreement.values, &of_values, out, first_half)?;
        self.bits.write_second_share(&agreement.bits, &of_bits, out, last_half)
    }

    /// Deals a share of the secret to a holder, counted from 1, so that any quorum of `holders`, one holder per owner,
    /// can decrypt together: [`ThresholdSecret`](super::ThresholdSecret). The share is for that holder alone. Dealing
    /// to the same holder again returns the same share.
    ///
    /// # Errors
    /// If the secret has not agreed yet, there is no such holder, or there are fewer holders than owners.
    pub fn deal(&self, holders: Owners, holder: u32) -> Result<Zeroizing<Vec<u8>>> {
        bits::deal(&self.bits, holders, holder)
    }

    /// Returns the owner's part of the decryption of results, flooded: one message per bit of an output, the lowest
    /// first.
    ///
    /// # Errors
    /// If the secret has not agreed yet, or the results or the plan are of another key or other parameters.
    pub fn partial_decryptions(
        &self,
        result: &JointResult,
        decryption: &JointDecryption,
    ) -> Result<Vec<PartialDecryption>> {
        let share = SecretShare::of_owner(&self.bits)?;
        result.bits().iter().map(|bits| share.partial_decryption(bits, decryption)).collect()
    }
}

/// The commitments of all owners of a joint key, against which shares are checked before they are summed.
#[derive(Clone, Debug)]
pub struct JointAgreement {
    values: Agreement<packed::Parameters>,
    bits: Agreement<bits::Parameters>,
}

impl JointAgreement {
    /// Joins the commitments of all owners, in any order.
    ///
    /// # Errors
    /// If one is missing or occurs twice, or has other parameters or another session.
    pub fn new(session: &JointSession, commitments: &[&[u8]]) -> Result<Self> {
        let [of_values, of_bits] = split_all(commitments)?;
        let read = |all: Vec<&[u8]>| all.into_iter().map(Commitment::from_bytes).collect();
        let (of_values, of_bits): (Result<Vec<_>>, Result<Vec<_>>) =
            (read(of_values), read(of_bits));
        let values = Agreement::new(&session.values, &of_values?)?;
        let bits = Agreement::new(&session.bits, &of_bits?)?;
        Ok(Self { values, bits })
    }

    /// Returns the identifier of the joint key for values. Owners compare it over another channel before they send
    /// second shares.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.values.key_id()
    }

    /// Combines the first shares of all owners into the public key, which encrypts values.
    ///
    /// # Errors
    /// The errors of [`Agreement::public_key`].
    pub fn public_key(&self, first: &[&[u8]]) -> Result<packed::PublicKey> {
        let [of_values, _] = split_all(first)?;
        packed::PublicKey::of_owners(&self.values, &of_values)
    }

    /// Combines the shares of all owners into the evaluation keys for values and for bits, and writes them.
    ///
    /// # Errors
    /// The errors of [`Agreement::write_evaluation_key`]. The outputs are useless then.
    pub fn write_evaluation_keys(
        &self,
        shares: EvaluationKeyShares<'_>,
        values: &mut dyn Write,
        bits: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let [first, keys, second] = [shares.first, shares.keys, shares.second].map(split_all);
        let ([first, first_of_bits], [keys, keys_of_bits]) = (first?, keys?);
        let [second, second_of_bits] = second?;
        let halves = [0, 1].map(|half| progress.part(half..half + 1, 2));
        let [first_half, last_half] = halves.each_ref().map(|half| Progress::new(half));
        let shares = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
        self.values.write_evaluation_key(shares, values, first_half)?;
        let (first, keys, second) = (&first_of_bits, &keys_of_bits, &second_of_bits);
        let shares = EvaluationKeyShares { first, keys, second };
        self.bits.write_evaluation_key(shares, bits, last_half)
    }
}

/// Splits every file of a kind into its messages for values and for bits.
fn split_all<'a>(files: &[&'a [u8]]) -> Result<[Vec<&'a [u8]>; 2]> {
    let mut both = [Vec::new(), Vec::new()];
    for file in files {
        let parts = split_first(file)?;
        both.iter_mut().zip(parts).for_each(|(all, part)| all.push(part));
    }
    Ok(both)
}
