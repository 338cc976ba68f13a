//! Chained tables of digits (Guimarães, Borin, Aranha, TCHES 2021): a function that a finite automaton computes from
//! digit to digit.
//!
//! One of S states, s, is kept as s·B modulo B·S. A table brings a digit d of base B to the same modulus, so that their sum
//! is one input of a table of B·S entries.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::method::FullDomainMethod;
use crate::keys::evaluation_key::EvaluationKey;

/// An automaton that reads digits.
///
/// ```
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::full_domain::FdfbCompress;
/// use cryptable_fhew::functions::ChainedTable;
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// // The sum of digits of base 4, modulo 4.
/// let sum = ChainedTable { method: &FdfbCompress, base: 4, states: 4 };
/// let digits = [3, 2, 2].map(|digit| secret.encrypt(digit, 4).unwrap());
/// let result = sum.evaluate(&key, |digit, state| (digit + state) % 4, 0, &digits)?;
/// assert_eq!(secret.decrypt(&result, 16)? / 4, 3);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ChainedTable {
    /// Method that looks tables up.
    pub method: &'static dyn FullDomainMethod,
    /// Base B: inputs are digits below B, encrypted modulo B.
    pub base: u64,
    /// Number of states S.
    pub states: u64,
}

impl ChainedTable {
    /// Returns the last state s, encrypted as s·B modulo B·S, after `s = next(digit, s)` for all digits in the given order.
    ///
    /// Looks up 2k - 1 tables for k digits.
    ///
    /// # Errors
    /// If there is no digit, a state is not below S, the parameters do not support tables of B·S inputs, or a
    /// ciphertext does not have the key's parameters.
    pub fn evaluate(
        &self,
        key: &EvaluationKey,
        next: impl Fn(u64, u64) -> u64,
        initial: u64,
        digits: &[LweCiphertext],
    ) -> Result<LweCiphertext> {
        let (base, p) = (self.base, self.base.saturating_mul(self.states));
        key.parameters().check_plaintext_modulus(base)?;
        key.parameters().check_plaintext_modulus(p)?;
        let [first, others @ ..] = digits else {
            return Err(Error::mismatch("number of digits", 0, "at least 1"));
        };
        let state = |digit, state| match next(digit, state) {
            next if next < self.states => Ok(next * base),
            value => {
                Err(Error::ValueOutOfRange { index: digit as usize, value, limit: self.states })
            }
        };
        let outputs = (0..base).map(|digit| state(digit, initial)).collect::<Result<Vec<_>>>()?;
        let mut current = self.method.lookup(key, &Table::new(base, p, outputs)?, first)?;

        let outputs = (0..p).map(|x| state(x % base, x / base)).collect::<Result<Vec<_>>>()?;
        let step = Table::new(p, p, outputs)?;
        let widen = Table::from_fn(base, p, |digit| digit)?;
        for digit in others {
            current.add_assign(&self.method.lookup(key, &widen, digit)?);
            current = self.method.lookup(key, &step, &current)?;
        }
        Ok(current)
    }
}
