//! Encrypted columns: of integers, and of booleans.

use std::marker::PhantomData;

use crate::digit::Digit;
use crate::integer::Integer;

/// Encrypted integers of type T: every digit of all values in a ciphertext of the engine.
///
/// Digits may be larger than the base, or negative: what they amount to modulo `2^BITS` is the integer. Whoever decrypts
/// a column that was not [reduced](crate::Evaluator::reduce) sees such digits, and through them a little of what it was
/// computed from.
#[derive(Clone, Debug)]
pub struct IntegerColumn<T, C> {
    digits: Vec<Digit<C>>,
    integer: PhantomData<T>,
}

/// Encrypted booleans: results of comparisons.
#[derive(Clone, Debug)]
pub struct BooleanColumn<C> {
    digit: Digit<C>,
}

impl<T: Integer, C> IntegerColumn<T, C> {
    pub(crate) fn new(digits: Vec<Digit<C>>) -> Self {
        Self { digits, integer: PhantomData }
    }

    pub(crate) fn digits(&self) -> &[Digit<C>] {
        &self.digits
    }

    /// Number of digits.
    #[must_use]
    pub fn digit_count(&self) -> usize {
        self.digits.len()
    }

    /// Whether it is the same public number for all values.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.digits.iter().all(|digit| digit.ciphertext().is_none())
    }

    /// The ciphertexts of its digits, the least significant first; none of digits that are public.
    pub fn ciphertexts(&self) -> impl Iterator<Item = &C> {
        self.digits.iter().filter_map(Digit::ciphertext)
    }
}

impl<C> BooleanColumn<C> {
    /// A digit that is 0 or 1.
    pub(crate) fn new(digit: Digit<C>) -> Self {
        Self { digit: digit.within(0, 1) }
    }

    pub(crate) fn digit(&self) -> &Digit<C> {
        &self.digit
    }

    /// Its ciphertext, if it is not public.
    #[must_use]
    pub fn ciphertext(&self) -> Option<&C> {
        self.digit.ciphertext()
    }
}
