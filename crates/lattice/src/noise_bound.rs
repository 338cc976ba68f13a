//! A bound on the noise of encrypted integers, which every operation on them updates.
//!
//! A value m of `Z_p` is the phase m/p, as a fraction of the ciphertext modulus, plus an error. The error has a random
//! part, whose distribution is a [`NoiseLaw`], and a bias with a guaranteed bound: the rounding of m/p if p does not
//! divide the modulus, errors of approximations, and everything else that table and input determine.

use std::io::{self, Write};
use std::ops::Add;

use cryptable_wire::{BodyReader, BodyWriter, WireError};
use serde::Serialize;

use crate::ERROR_VARIANCE;
use crate::error::{Error, Result};
use crate::noise_law::NoiseLaw;
use crate::owners::Owners;

/// The relative amount by which a standard deviation may be below the least one: two machines may round its computation
/// differently.
const TOLERANCE: f64 = 1e-6;

/// The distribution of the noise of a phase, and its bias, as fractions of the ciphertext modulus: upper bounds of
/// both.
///
/// Sums add standard deviations, not variances: their terms may depend on each other, like those of `x + x`. For a sum
/// of t independent terms the bound is too large by a factor of √t.
///
/// ```
/// use cryptable_lattice::noise_bound::NoiseBound;
/// let fresh = NoiseBound::fresh(2f64.powi(20), 16);
/// assert_eq!((fresh + fresh).deviation(), 2.0 * fresh.deviation());
/// assert_eq!(fresh.times(3), fresh + fresh + fresh);
/// assert!(fresh.log2_fail(16) < -1000.0 && fresh.times(1500).log2_fail(16) > -64.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseBound {
    law: NoiseLaw,
    bias: f64,
}

// No part is ever NaN.
impl Eq for NoiseBound {}

impl NoiseBound {
    /// The number of bytes that [`NoiseBound::write`] writes.
    pub const BYTES: u64 = NoiseLaw::BYTES + 8;

    /// Returns the bound for Gaussian noise of this standard deviation, and a bias, as fractions of the modulus.
    ///
    /// # Panics
    /// If one of them is negative or not a number.
    #[must_use]
    pub fn new(deviation: f64, bias: f64) -> Self {
        assert!(deviation >= 0.0, "deviation {deviation}");
        Self::of_law(NoiseLaw::gaussian(deviation * deviation), bias)
    }

    /// Returns the bound for noise with this distribution, and a bias, as fractions of the modulus.
    ///
    /// # Panics
    /// If the bias is negative or not a number.
    #[must_use]
    pub fn of_law(law: NoiseLaw, bias: f64) -> Self {
        assert!(bias >= 0.0, "bias {bias}");
        Self { law, bias }
    }

    /// Returns the distribution of the noise, as fractions of the modulus.
    #[must_use]
    pub fn law(self) -> NoiseLaw {
        self.law
    }

    /// Returns the bound for a fresh encryption modulo `modulus` of a value modulo `plaintext_modulus`: an error of
    /// variance [`ERROR_VARIANCE`], in units of the modulus, and the rounding of an encoding.
    #[must_use]
    pub fn fresh(modulus: f64, plaintext_modulus: u64) -> Self {
        Self::new(ERROR_VARIANCE.sqrt() / modulus, Self::encoding(modulus, plaintext_modulus).bias)
    }

    /// Returns the bound for a value modulo `plaintext_modulus` that a public key of this degree encrypted modulo
    /// `modulus` ([`crate::coefficient_ciphertext::RlwePublicKey`]), of variance [`Owners::public_error_variance`].
    #[must_use]
    pub fn by_public_key(degree: usize, modulus: f64, plaintext_modulus: u64) -> Self {
        let deviation = Owners::ONE.public_error_variance(degree).sqrt() / modulus;
        Self::new(deviation, 0.0) + Self::encoding(modulus, plaintext_modulus)
    }

    /// Returns the bound for a constant that is encoded and not encrypted: at most half a unit is rounded away, and
    /// nothing if the plaintext modulus divides the modulus.
    #[must_use]
    pub fn encoding(modulus: f64, plaintext_modulus: u64) -> Self {
        let is_exact = modulus % plaintext_modulus as f64 == 0.0;
        Self::new(0.0, if is_exact { 0.0 } else { 0.5 / modulus })
    }

    /// Returns the standard deviation of the phase, as a fraction of the modulus.
    #[must_use]
    pub fn deviation(self) -> f64 {
        self.law.deviation()
    }

    /// Returns the largest error that is not random, as a fraction of the modulus.
    #[must_use]
    pub fn bias(self) -> f64 {
        self.bias
    }

    /// Returns the bound after a multiplication by an integer of this size. A multiplication by 0 keeps the bound,
    /// which is above the remaining noise, since readers expect every ciphertext to have some noise.
    #[must_use]
    pub fn times(self, factor: u64) -> Self {
        let factor = factor.max(1) as f64;
        Self::of_law(self.law.times(factor), factor * self.bias)
    }

    /// Returns a bound with at least the noise of each kind, and the bias, of both bounds.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self::of_law(self.law.max(other.law), self.bias.max(other.bias))
    }

    /// Returns the bound with independent noise added: variances add up, and so do biases.
    #[must_use]
    pub fn with_independent(self, other: Self) -> Self {
        Self::of_law(self.law.with_independent(other.law), self.bias + other.bias)
    }

    /// Returns the size that the error, bias included, exceeds with a probability of at most `2^log2_fail`.
    #[must_use]
    pub fn largest(self, log2_fail: f64) -> f64 {
        self.bias + self.law.largest(log2_fail)
    }

    /// Returns log2 of an upper bound on the probability that a value of this modulus decrypts to a wrong result,
    /// because the error exceeds half a step, `1/2p`.
    #[must_use]
    pub fn log2_fail(self, plaintext_modulus: u64) -> f64 {
        self.log2_exceeds(0.5 / plaintext_modulus as f64)
    }

    /// Returns log2 of an upper bound on the probability that the error exceeds `margin`.
    #[must_use]
    pub fn log2_exceeds(self, margin: f64) -> f64 {
        self.law.log2_exceeds(margin - self.bias)
    }

    /// Returns the largest factor by which [`NoiseBound::times`] keeps the probability that a value of this modulus
    /// decrypts to a wrong result at or below `2^log2_limit`, or 0 if there is none.
    #[must_use]
    pub fn terms(self, plaintext_modulus: u64, log2_limit: f64) -> u64 {
        let one = self.largest(log2_limit);
        largest_where(0.5 / plaintext_modulus as f64 / one, |terms| {
            self.times(terms).log2_fail(plaintext_modulus) <= log2_limit
        })
    }

    /// Checks that a value of this modulus decrypts to a wrong result with a probability of at most `2^limit`.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`], which names `operation` as the operation that would have failed.
    pub fn check_decryption(
        self,
        operation: &'static str,
        plaintext_modulus: u64,
        limit: f64,
    ) -> Result<()> {
        check_log2_fail(operation, self.log2_fail(plaintext_modulus), limit)
    }

    /// Checks that noise is at least that of fresh ciphertexts, since no ciphertext has less.
    ///
    /// # Errors
    /// [`Error::Mismatch`].
    pub fn check_floor(self, fresh: Self) -> Result<()> {
        if self.deviation() >= fresh.deviation() * (1.0 - TOLERANCE) {
            return Ok(());
        }
        let expected = format!("at least {:e}, that of fresh ones", fresh.deviation());
        Err(Error::mismatch("noise of the ciphertext", format!("{:e}", self.deviation()), expected))
    }

    /// Writes the distribution and the bias.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write<W: Write>(self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        self.law.write(writer)?;
        writer.f64(self.bias)
    }

    /// Reads a bound that [`NoiseBound::write`] wrote. Callers that have the parameters check it against them.
    ///
    /// # Errors
    /// If bytes are missing, or if a number is not from 0 to 1/2: no phase is further away.
    pub fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let law = NoiseLaw::read(reader)?;
        Ok(Self { law, bias: read_size(reader, "bias of the noise")? })
    }
}

/// Reads the size of an error, as a fraction of the modulus.
///
/// # Errors
/// If bytes are missing, or the size is not from 0 to 1/2.
pub fn read_size(reader: &mut BodyReader<'_>, name: &'static str) -> Result<f64> {
    let size = reader.f64(name)?;
    // Negative zero would be another encoding of the same size.
    if (0.0..=0.5).contains(&size) && size.is_sign_positive() {
        return Ok(size);
    }
    Err(WireError::invalid(name, size, "from 0 to 1/2").into())
}

impl Add for NoiseBound {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::of_law(self.law + other.law, self.bias + other.bias)
    }
}

/// Returns the factor with the least absolute value that multiplies values modulo p like `factor`: noise grows with
/// this absolute value.
///
/// ```
/// use cryptable_lattice::noise_bound::least_factor;
/// assert_eq!([3, 255, -255, 512, 128].map(|factor| least_factor(factor, 256)), [3, -1, 1, 0, 128]);
/// ```
///
/// # Panics
/// If the modulus is 0 or not below 2^62.
#[must_use]
pub fn least_factor(factor: i64, plaintext_modulus: u64) -> i64 {
    assert!((1..1 << 62).contains(&plaintext_modulus), "modulus {plaintext_modulus}");
    let modulus = plaintext_modulus as i64;
    let residue = factor.rem_euclid(modulus);
    if residue > modulus / 2 { residue - modulus } else { residue }
}

/// Returns `log2(2^a + 2^b)`: the union of two failures.
///
/// ```
/// use cryptable_lattice::noise_bound::log2_of_sum;
/// assert_eq!(log2_of_sum(-65.0, -65.0), -64.0);
/// assert_eq!(log2_of_sum(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
/// ```
#[must_use]
pub fn log2_of_sum(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if high == f64::NEG_INFINITY { high } else { high + (1.0 + (low - high).exp2()).log2() }
}

/// Returns the largest number for which `holds` returns true, found near an estimate, or 0 if there is none from 1 on.
/// `holds` must return true up to some number and false above it.
#[must_use]
pub fn largest_where(estimate: f64, holds: impl Fn(u64) -> bool) -> u64 {
    let mut low = (estimate * 0.999) as u64;
    while low > 0 && !holds(low) {
        low /= 2;
    }
    let mut high = low.saturating_mul(2).max(1);
    while high < u64::MAX && holds(high) {
        (low, high) = (high, high.saturating_mul(2));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    low
}

/// Returns the most noise without bias for which `admits` returns true, as it must for all noise below that. The result
/// is exact to a step of 2^-60 of the modulus, finer than any ciphertext's.
#[must_use]
pub fn largest_admitted(admits: impl Fn(NoiseBound) -> bool) -> NoiseBound {
    let unit = NoiseBound::new((-60f64).exp2(), 0.0);
    unit.times(largest_where((1u64 << 40) as f64, |units| admits(unit.times(units))))
}

/// Checks a failure probability against `2^limit`; NaN counts as too large.
///
/// # Errors
/// [`Error::NoiseTooLarge`].
pub fn check_log2_fail(operation: &'static str, found: f64, limit: f64) -> Result<()> {
    if found <= limit { Ok(()) } else { Err(Error::NoiseTooLarge { operation, found, limit }) }
}

/// The most terms that sums may have under some parameters, and how often results may be looked up again, so that the
/// following operations fail with no more than the stated probability. A multiple counts as often as its factor says;
/// terms may depend on each other.
///
/// ```
/// use cryptable_lattice::noise_bound::SumLimits;
/// let limits =
///     SumLimits { fresh_lookup: 100, result_lookup: 0, result_decryption: 7, lookups_in_a_row: Some(1) };
/// let expected = "sums of up to 100 fresh values can be looked up, sums of up to 7 results decrypted; \
///                 at most 1 lookup in a row";
/// assert_eq!(limits.to_string(), expected);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SumLimits {
    /// The most fresh values in a sum that can be looked up.
    pub fresh_lookup: u64,
    /// The most results of lookups in a sum that can be looked up; 0 if results have another modulus than inputs.
    pub result_lookup: u64,
    /// The most results of lookups in a sum that can be decrypted.
    pub result_decryption: u64,
    /// The most lookups in a row that begin with a fresh value, each of the result of the previous one; `None` if there
    /// is no limit.
    pub lookups_in_a_row: Option<u32>,
}

impl std::fmt::Display for SumLimits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { fresh_lookup, result_lookup, result_decryption, lookups_in_a_row } = self;
        let sums = |count: u64, things: &str| match count {
            1 => format!("single {things}"),
            count => format!("sums of up to {count} {things}"),
        };
        f.write_str(&sums(*fresh_lookup, "fresh values"))?;
        if *result_lookup > 0 {
            write!(f, " and {}", sums(*result_lookup, "results"))?;
        }
        let decrypted = sums(*result_decryption, "results");
        write!(f, " can be looked up, {decrypted} decrypted; ")?;
        match lookups_in_a_row {
            Some(1) => f.write_str("at most 1 lookup in a row"),
            Some(count) => write!(f, "at most {count} lookups in a row"),
            None => f.write_str("any number of lookups in a row"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terms_are_the_most_that_decrypt() {
        for (modulus, p, limit) in [(2f64.powi(28), 256, -64.0), (2f64.powi(20), 10, -40.0)] {
            let fresh = NoiseBound::fresh(modulus, p);
            let terms = fresh.terms(p, limit);
            assert!(fresh.times(terms).check_decryption("", p, limit).is_ok(), "{terms}");
            let error = fresh.times(terms + 1).check_decryption("a sum", p, limit).unwrap_err();
            assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
            assert!(error.to_string().contains("a sum"), "{error}");
        }
        assert_eq!(NoiseBound::new(0.1, 0.0).terms(16, -64.0), 0);
        assert_eq!(NoiseBound::new(0.0, 0.01).terms(2, -64.0), 24);
    }

    #[test]
    fn biases_take_from_the_margin() {
        let unbiased = NoiseBound::new(0.01, 0.0);
        let biased = NoiseBound::new(0.01, 0.05);
        assert_eq!(biased.log2_fail(4), NoiseLaw::gaussian(1e-4).log2_exceeds(0.125 - 0.05));
        assert!(biased.log2_fail(4) > unbiased.log2_fail(4));
        assert_eq!(NoiseBound::new(0.01, 0.2).log2_fail(4), 0.0);
    }

    /// Tests fields as a file might have them, each with whether it is accepted.
    #[test]
    fn bounds_are_read_back_and_others_refused() {
        for (deviation, bias, is_read) in [
            (1e-9, 0.0, true),
            (0.5, 0.5, true),
            (0.6, 0.0, false),
            (1e-9, 0.6, false),
            (-1e-9, 0.0, false),
            (-0.0, 0.0, false),
            (f64::NAN, 0.0, false),
            (f64::INFINITY, 0.0, false),
            (1e-9, f64::NAN, false),
        ] {
            let mut writer = BodyWriter::new(Vec::new());
            [deviation, 0.0, 0.0, 0.0, 0.0, bias]
                .iter()
                .for_each(|&part| writer.f64(part).unwrap());
            let bytes = writer.into_inner();
            assert_eq!(bytes.len() as u64, NoiseBound::BYTES);
            let read = NoiseBound::read(&mut BodyReader::new(&bytes));
            assert_eq!(read.is_ok(), is_read, "{deviation}, {bias}");
            if let Ok(read) = read {
                assert_eq!(read, NoiseBound::new(deviation, bias));
            }
        }
    }

    #[test]
    fn less_noise_than_fresh_is_refused() {
        let fresh = NoiseBound::fresh(2f64.powi(20), 16);
        assert!(fresh.check_floor(fresh).is_ok() && fresh.times(2).check_floor(fresh).is_ok());
        let less = NoiseBound::new(0.99 * fresh.deviation(), 0.0);
        let message = less.check_floor(fresh).unwrap_err().to_string();
        assert!(message.contains("that of fresh ones"), "{message}");
    }

    proptest! {
        #[test]
        fn largest_numbers_are_found(limit in 0u64..1 << 40, shift in 0.0f64..4.0) {
            prop_assert_eq!(largest_where(limit as f64 * shift, |x| x <= limit), limit);
        }
    }
}
