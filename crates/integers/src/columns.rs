//! Encrypted columns: of integers, and of booleans.

use std::marker::PhantomData;

use crate::digit::Digit;
use crate::integer::{AnyInteger, ColumnKind, Integer, IntegerType};

/// Encrypted integers of type T, or of [`AnyInteger`]: every digit of all values in a ciphertext of the engine.
///
/// Digits may be larger than the base, or negative: what they amount to modulo `2^BITS` is the integer. Whoever decrypts
/// a column that was not [reduced](crate::Evaluator::reduce) sees such digits, and through them a little of what it was
/// computed from.
#[derive(Clone, Debug)]
pub struct IntegerColumn<T, C> {
    digits: Vec<Digit<C>>,
    kind: ColumnKind,
    integer: PhantomData<T>,
}

/// Encrypted booleans: results of comparisons.
#[derive(Clone, Debug)]
pub struct BooleanColumn<C> {
    digit: Digit<C>,
}

impl<T: IntegerType, C> IntegerColumn<T, C> {
    /// Wraps digits of a kind that the type holds.
    pub(crate) fn new(kind: ColumnKind, digits: Vec<Digit<C>>) -> Self {
        debug_assert!(T::holds(kind), "a column of {kind}");
        Self { digits, kind, integer: PhantomData }
    }

    /// Returns the kind of its integers.
    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        self.kind
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

impl<T: Integer, C> From<IntegerColumn<T, C>> for IntegerColumn<AnyInteger, C> {
    fn from(column: IntegerColumn<T, C>) -> Self {
        Self::new(column.kind, column.digits)
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
