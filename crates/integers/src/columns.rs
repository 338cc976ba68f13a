//! Encrypted columns: of integers, and of booleans.

use std::marker::PhantomData;

use crate::digit::Digit;
use crate::integer::{AnyInteger, ColumnKind, Integer, IntegerType};

/// Encrypted integers of type T, or of [`AnyInteger`]. Each digit of all values is in one ciphertext of the engine.
///
/// Digits may be negative or larger than the base: the integer is the number that they represent modulo `2^BITS`.
/// Whoever decrypts a column that was not [reduced](crate::Evaluator::reduce) sees such digits, and through them learns
/// a little about the computation.
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
    /// Wraps digits of a kind that the type can hold.
    pub(crate) fn new(kind: ColumnKind, digits: Vec<Digit<C>>) -> Self {
        debug_assert!(T::holds(kind), "a column of {kind}");
        Self { digits, kind, integer: PhantomData }
    }

    /// Returns the kind of the column's integers.
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

    /// Returns whether the column is the same public number for all values.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.digits.iter().all(|digit| digit.ciphertext().is_none())
    }

    /// The ciphertexts of the column's digits, the least significant first. Public digits have none.
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
    /// Wraps a digit that is 0 or 1.
    pub(crate) fn new(digit: Digit<C>) -> Self {
        Self { digit: digit.within(0, 1) }
    }

    pub(crate) fn digit(&self) -> &Digit<C> {
        &self.digit
    }

    /// The ciphertext of the column, unless it is public.
    #[must_use]
    pub fn ciphertext(&self) -> Option<&C> {
        self.digit.ciphertext()
    }
}
