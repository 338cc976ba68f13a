//! The client's key for integers.

use cryptable_lattice::decrypted_values::decrypt_each;
use cryptable_lattice::error::check_within;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Result};

use super::ciphertexts::Encoding;
use super::parameters::RADIX_BASE_LOG2;
use super::{EncryptedIntegers, MAX_RADIX_DIGITS, Parameters, RadixInteger, SmallValues};
use crate::decomposition::{decrypt_large, encrypt_large_phase};
use crate::functions::{decrypt_radix, encrypt_radix};
use crate::keys::ClientKey;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
pub type SecretKey = ClientKey<Parameters>;

impl SecretKey {
    /// Encrypts any number of integers from -2^(bits - 2) to below 2^(bits - 2). The difference of any two fits the bits, so
    /// all of them can be compared.
    ///
    /// # Errors
    /// If an integer is out of range; the error names it.
    pub fn encrypt(&self, values: &[i64]) -> Result<EncryptedIntegers> {
        self.encrypt_phases(&comparable_phases(self.parameters(), values)?)
    }

    /// Encrypts any number of integers from -2^(bits - 1) to below 2^(bits - 1), for functions of one integer. Comparisons
    /// and maxima of integers that differ by 2^(bits - 1) or more are wrong.
    ///
    /// # Errors
    /// If an integer is out of range; the error names it.
    pub fn encrypt_full_range(&self, values: &[i64]) -> Result<EncryptedIntegers> {
        self.encrypt_phases(&full_range_phases(self.parameters(), values)?)
    }

    fn encrypt_phases(&self, phases: &[u64]) -> Result<EncryptedIntegers> {
        let encrypt = |&phase: &u64| encrypt_large_phase(self.fhew(), phase);
        let list = LweList::computed(self.parameters().large_shape(), phases.iter().map(encrypt))?;
        Ok(EncryptedIntegers::new(*self.binding(), Encoding::Signed { computed: false }, list))
    }

    /// Decrypts fresh integers or results of functions.
    ///
    /// # Errors
    /// If the integers belong to another client or other parameters.
    pub fn decrypt(&self, integers: &EncryptedIntegers) -> Result<Vec<i64>> {
        integers.check(self.parameters(), self.binding())?;
        let bits = self.parameters().bits();
        let decrypt = |index| {
            let ciphertext = integers.ciphertext(index);
            Ok(match integers.encoding() {
                Encoding::Unsigned => decrypt_large(self.fhew(), &ciphertext, bits - 1)? as i64,
                Encoding::Signed { .. } | Encoding::Imported { .. } => {
                    // Sign extension: the top bit fills the word from the left.
                    let unused = i64::BITS - bits;
                    (decrypt_large(self.fhew(), &ciphertext, bits)? << unused) as i64 >> unused
                }
            })
        };
        decrypt_each(integers.count(), decrypt)
    }

    /// Encrypts an unsigned integer as `digits` digits of base 8, at most 21.
    ///
    /// # Errors
    /// If the integer has more digits, or `digits` is 0 or too large.
    pub fn encrypt_radix(&self, value: u64, digits: usize) -> Result<RadixInteger> {
        check_within("number of digits", digits as u64, ..=MAX_RADIX_DIGITS as u64)?;
        let digits = encrypt_radix(self.fhew(), value, RADIX_BASE_LOG2, digits)?;
        Ok(RadixInteger::new(*self.binding(), digits))
    }

    /// Decrypts a radix integer as an unsigned integer.
    ///
    /// # Errors
    /// If the integer belongs to another client or other parameters.
    pub fn decrypt_radix(&self, integer: &RadixInteger) -> Result<u64> {
        integer.check(self.parameters(), self.binding())?;
        decrypt_radix(self.fhew(), integer.ciphertexts(), RADIX_BASE_LOG2)
    }

    /// Decrypts signs, comparisons and results of tables.
    ///
    /// # Errors
    /// If the values belong to another client or other parameters.
    pub fn decrypt_small(&self, values: &SmallValues) -> Result<Vec<u64>> {
        values.check(self.parameters(), self.binding())?;
        let decrypt = |index| self.fhew().decrypt(&values.ciphertext(index), values.modulus());
        decrypt_each(values.count(), decrypt)
    }
}

/// Returns the phases of integers from a range in which the difference of any two fits the bits.
pub(super) fn comparable_phases(parameters: &Parameters, values: &[i64]) -> Result<Vec<u64>> {
    let quarter = 1i64 << (parameters.bits() - 2);
    phases_below(parameters, values, quarter, || {
        format!(
            ", so that any two can be compared: keys for one more bit allow twice the range, and full range allows {} to {}",
            -2 * quarter,
            2 * quarter - 1
        )
    })
}

/// Returns the phases of integers of all bits.
pub(super) fn full_range_phases(parameters: &Parameters, values: &[i64]) -> Result<Vec<u64>> {
    phases_below(parameters, values, 1 << (parameters.bits() - 1), String::new)
}

/// Returns the phases modulo q_0 of integers from `-end` to `end - 1`; `remedy` tells the user what to do about others.
fn phases_below(
    parameters: &Parameters,
    values: &[i64],
    end: i64,
    remedy: impl Fn() -> String,
) -> Result<Vec<u64>> {
    let bits = parameters.bits();
    let (mask, step) = ((1u64 << bits) - 1, parameters.fhew().large_modulus() >> bits);
    let phase = |&value: &i64| {
        if !(-end..end).contains(&value) {
            let limit = format!("it must be from {} to {}{}", -end, end - 1, remedy());
            return Err(Error::Parameter { name: "integer", value: value as f64, limit });
        }
        Ok((value.cast_unsigned() & mask) * step)
    };
    values.iter().map(phase).collect()
}
