//! Integers of any width as vectors of digits: comparison, selection, sign, ReLU, maximum, absolute value.
//!
//! A digit of base B is encrypted modulo 2B: the spare bit has room for differences, carries and conditions. Every function
//! consists of sums of ciphertexts and of tables over the full domain of 2B values, by any [`FullDomainMethod`].

use cryptable_lattice::error::check_equal;
use cryptable_lattice::error::demand;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Result, Table};
use rayon::prelude::*;

use crate::full_domain::method::FullDomainMethod;
use crate::keys::evaluation_key::EvaluationKey;
#[cfg(feature = "client")]
use crate::keys::secret_key::SecretKey;

/// Functions of vectors of digits, the lowest first: unsigned, or in two's complement.
///
/// ```
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::full_domain::FdfbCompress;
/// use cryptable_fhew::functions::{Radix, decrypt_radix, encrypt_radix};
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let radix = Radix::new(&key, &FdfbCompress, 3, 2)?;
/// let (x, y) = (encrypt_radix(&secret, 19, 3, 2)?, encrypt_radix(&secret, 44, 3, 2)?);
/// assert_eq!(decrypt_radix(&secret, &radix.maximum(&x, &y)?, 3)?, 44);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Radix<'a> {
    key: &'a EvaluationKey,
    method: &'static dyn FullDomainMethod,
    base: u64,
    digits: usize,
}

/// Largest number of digits of an integer: that of 64 bits in base 2.
pub const MAX_DIGITS: usize = 64;

/// Results of comparing digits, as inputs of further tables.
const EQUAL: u64 = 0;
const LESS: u64 = 1;
const GREATER: u64 = 2;

impl<'a> Radix<'a> {
    /// Returns the functions of integers that have `digits` digits of `base_log2` bits.
    ///
    /// # Errors
    /// If the parameters do not support tables of 2B inputs, a digit has fewer than 3 bits (comparisons need 9
    /// values), or there are no digits or more than [`MAX_DIGITS`].
    pub fn new(
        key: &'a EvaluationKey,
        method: &'static dyn FullDomainMethod,
        base_log2: u32,
        digits: usize,
    ) -> Result<Self> {
        check_width(base_log2, digits)?;
        let base = 1 << base_log2;
        key.parameters().check_plaintext_modulus(2 * base)?;
        Ok(Self { key, method, base, digits })
    }

    /// Looks up the table of `of` at a digit with its spare bit.
    fn lookup(&self, of: impl Fn(u64) -> u64, input: &LweCiphertext) -> Result<LweCiphertext> {
        let p = 2 * self.base;
        self.method.lookup(self.key, &Table::from_fn(p, p, |x| of(x) % p)?, input)
    }

    /// Returns `input + factor·other`, without a table.
    fn add(input: &LweCiphertext, factor: i64, other: &LweCiphertext) -> LweCiphertext {
        let mut term = other.clone();
        term.mul_integer_assign(factor);
        term.add_assign(input);
        term
    }

    fn check(&self, x: &[LweCiphertext]) -> Result<()> {
        check_equal("number of digits", x.len(), self.digits)?;
        x.iter().try_for_each(|digit| self.key.check(digit))
    }

    /// Returns 1 if x < y as unsigned integers, else 0, modulo 2B.
    ///
    /// Looks up one table per digit, on differences, then pairs of comparisons, 3·high + low, in a tree.
    ///
    /// # Errors
    /// If a number of digits differs, or a digit does not have the key's parameters.
    pub fn less_than(&self, x: &[LweCiphertext], y: &[LweCiphertext]) -> Result<LweCiphertext> {
        self.check(x)?;
        self.check(y)?;
        let compare = |(x, y): (&LweCiphertext, &LweCiphertext)| {
            let difference = |d| match d {
                0 => EQUAL,
                d if d < self.base => GREATER,
                _ => LESS,
            };
            self.lookup(difference, &Self::add(x, -1, y))
        };
        let mut level: Vec<_> = x.par_iter().zip(y).map(compare).collect::<Result<_>>()?;
        while level.len() > 1 {
            let higher = |pair: u64| if pair / 3 == EQUAL { pair % 3 } else { pair / 3 };
            let join = |pair: &[LweCiphertext]| match pair {
                [low, high] => self.lookup(higher, &Self::add(low, 3, high)),
                rest => Ok(rest[0].clone()),
            };
            level = level.par_chunks(2).map(join).collect::<Result<_>>()?;
        }
        self.lookup(|order| u64::from(order == LESS), &level[0])
    }

    /// Returns `condition ? x : y`, for a condition of 0 or 1 modulo 2B: two tables per digit.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn select(
        &self,
        condition: &LweCiphertext,
        x: &[LweCiphertext],
        y: &[LweCiphertext],
    ) -> Result<Vec<LweCiphertext>> {
        let mut chosen = self.keep(condition, true, x)?;
        for (sum, other) in chosen.iter_mut().zip(self.keep(condition, false, y)?) {
            sum.add_assign(&other);
        }
        Ok(chosen)
    }

    /// Returns x if the condition is `wanted`, else 0: one table per digit.
    fn keep(
        &self,
        condition: &LweCiphertext,
        wanted: bool,
        x: &[LweCiphertext],
    ) -> Result<Vec<LweCiphertext>> {
        self.check(x)?;
        self.key.check(condition)?;
        let base = self.base;
        let keep = |pair: u64| if (pair >= base) == wanted { pair % base } else { 0 };
        let one = |digit| self.lookup(keep, &Self::add(digit, base as i64, condition));
        x.par_iter().map(one).collect()
    }

    /// Returns the larger of two unsigned integers.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn maximum(&self, x: &[LweCiphertext], y: &[LweCiphertext]) -> Result<Vec<LweCiphertext>> {
        let less = self.less_than(x, y)?;
        self.select(&less, y, x)
    }

    /// Returns 1 if x < 0 in two's complement, else 0, modulo 2B: one table.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn sign(&self, x: &[LweCiphertext]) -> Result<LweCiphertext> {
        self.check(x)?;
        let half = self.base / 2;
        self.lookup(|digit| u64::from(digit >= half), &x[self.digits - 1])
    }

    /// Returns max(x, 0) in two's complement: a sign, and one table per digit.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn relu(&self, x: &[LweCiphertext]) -> Result<Vec<LweCiphertext>> {
        self.keep(&self.sign(x)?, false, x)
    }

    /// Returns x + y modulo B^digits: carries from digit to digit, with two tables per digit.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn sum(&self, x: &[LweCiphertext], y: &[LweCiphertext]) -> Result<Vec<LweCiphertext>> {
        self.check(x)?;
        self.check(y)?;
        let base = self.base;
        let mut carry: Option<LweCiphertext> = None;
        let mut digits = Vec::with_capacity(x.len());
        for (x, y) in x.iter().zip(y) {
            let mut input = Self::add(x, 1, y);
            if let Some(carry) = &carry {
                input.add_assign(carry);
            }
            // The input is at most 2(B - 1) + 1.
            let (digit, next) = rayon::join(
                || self.lookup(|sum| sum % base, &input),
                || self.lookup(|sum| sum / base, &input),
            );
            digits.push(digit?);
            carry = Some(next?);
        }
        Ok(digits)
    }

    /// Applies `of` to every digit, modulo B: one table per digit.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn map(
        &self,
        of: impl Fn(u64) -> u64 + Sync,
        x: &[LweCiphertext],
    ) -> Result<Vec<LweCiphertext>> {
        self.check(x)?;
        let base = self.base;
        x.par_iter().map(|digit| self.lookup(|d| of(d % base) % base, digit)).collect()
    }

    /// Returns -x modulo B^digits: carries from digit to digit, with two tables per digit.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn negate(&self, x: &[LweCiphertext]) -> Result<Vec<LweCiphertext>> {
        self.check(x)?;
        let base = self.base;
        let mut carry: Option<LweCiphertext> = None;
        let mut negated = Vec::with_capacity(x.len());
        for digit in x {
            // The sum of B - 1 - digit and the carry, which starts as 1, is at most B. The tables look up digit - carry.
            let plus_one = carry.is_none();
            let input = carry.as_ref().map_or(digit.clone(), |carry| Self::add(digit, -1, carry));
            let complement = move |d: u64| {
                let digit = if d < base { d as i64 } else { d as i64 - 2 * base as i64 };
                (base as i64 - 1 - digit + i64::from(plus_one)) as u64
            };
            let (value, next) = rayon::join(
                || self.lookup(|d| complement(d) % base, &input),
                || self.lookup(|d| complement(d) / base, &input),
            );
            negated.push(value?);
            carry = Some(next?);
        }
        Ok(negated)
    }

    /// Returns |x| in two's complement.
    ///
    /// # Errors
    /// Same as [`Radix::less_than`].
    pub fn absolute(&self, x: &[LweCiphertext]) -> Result<Vec<LweCiphertext>> {
        let (sign, negated) = rayon::join(|| self.sign(x), || self.negate(x));
        self.select(&sign?, &negated?, x)
    }
}

fn check_width(base_log2: u32, digits: usize) -> Result<()> {
    let bits = f64::from(base_log2);
    demand((3..=8).contains(&base_log2), "bits of a digit", bits, "it must be from 3 to 8")?;
    let limit = format!("it must be from 1 to {MAX_DIGITS}, of at most 64 bits in all");
    let fits = (1..=MAX_DIGITS).contains(&digits) && digits * base_log2 as usize <= 66;
    demand(fits, "number of digits", digits as f64, &limit)
}

/// Encrypts an integer as digits of `base_log2` bits, the lowest first, each modulo 2B.
///
/// # Errors
/// If the integer has more digits, or a width is out of range ([`Radix::new`]).
#[cfg(feature = "client")]
pub fn encrypt_radix(
    secret: &SecretKey,
    value: u64,
    base_log2: u32,
    digits: usize,
) -> Result<Vec<LweCiphertext>> {
    check_width(base_log2, digits)?;
    let bits = digits as u32 * base_log2;
    if bits < u64::BITS && value >> bits != 0 {
        return Err(cryptable_lattice::Error::ValueOutOfRange {
            value,
            index: 0,
            limit: 1 << bits,
        });
    }
    let digit = |i| {
        let rest = value.checked_shr(i as u32 * base_log2).unwrap_or(0);
        secret.encrypt(rest & ((1 << base_log2) - 1), 2 << base_log2)
    };
    (0..digits).map(digit).collect()
}

/// Decrypts an integer from its digits.
///
/// # Errors
/// If a dimension is not that of the parameters, or a width is out of range.
#[cfg(feature = "client")]
pub fn decrypt_radix(secret: &SecretKey, digits: &[LweCiphertext], base_log2: u32) -> Result<u64> {
    check_width(base_log2, digits.len())?;
    digits.iter().enumerate().try_fold(0u64, |sum, (i, digit)| {
        let value = secret.decrypt(digit, 2 << base_log2)? & ((1 << base_log2) - 1);
        Ok(sum | value.checked_shl(i as u32 * base_log2).unwrap_or(0))
    })
}
