//! The integers that columns hold: Rust's own types of 8 to 64 bits; kinds, and digits.

use std::fmt::{self, Debug};

use cryptable_lattice::error::{Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// Kind of a column: integers of 8, 16, 32 or 64 bits, signed or unsigned, or booleans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnKind {
    bits: u32,
    signed: bool,
}

impl ColumnKind {
    /// The kind of columns of booleans: one bit.
    pub const BOOLEANS: Self = Self { bits: 1, signed: false };

    /// Returns the kind of integers with `bits` bits, or of booleans for 1 bit.
    ///
    /// ```
    /// use cryptable_integers::ColumnKind;
    /// assert_eq!(ColumnKind::new(8, true)?, ColumnKind::of::<i8>());
    /// assert_eq!(ColumnKind::new(1, false)?, ColumnKind::BOOLEANS);
    /// assert!(ColumnKind::new(12, false).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Parameter`] if there are no such integers: `bits` is not 8, 16, 32, 64 or 1, or booleans are signed.
    pub fn new(bits: u32, signed: bool) -> Result<Self> {
        match (bits, signed) {
            (1, false) | (8 | 16 | 32 | 64, _) => Ok(Self { bits, signed }),
            _ => {
                let limit =
                    "it must be 8, 16, 32 or 64, or 1 for booleans, which have no sign".into();
                Err(Error::Parameter { name: "bits of integers", value: bits.into(), limit })
            }
        }
    }

    /// Number of bits of the integers: 8, 16, 32 or 64; 1 for booleans.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// Returns whether the integers are signed.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        self.signed
    }

    /// Returns the kind of a type's integers.
    #[must_use]
    pub fn of<T: Integer>() -> Self {
        Self { bits: T::BITS, signed: T::SIGNED }
    }

    /// The low bits of a word that integers of this kind have.
    #[must_use]
    pub fn truncated(self, word: u64) -> u64 {
        word & (u64::MAX >> (u64::BITS - self.bits))
    }

    /// The integer that the low bits of a word represent in two's complement.
    ///
    /// ```
    /// use cryptable_integers::ColumnKind;
    /// assert_eq!(ColumnKind::of::<i8>().number(0xfb), -5);
    /// assert_eq!(ColumnKind::of::<u8>().number(0xfb), 251);
    /// ```
    #[must_use]
    pub fn number(self, word: u64) -> i128 {
        let word = i128::from(self.truncated(word));
        let is_negative = self.signed && word >> (self.bits - 1) == 1;
        if is_negative { word - (1 << self.bits) } else { word }
    }

    /// The word of a number, in two's complement.
    ///
    /// # Errors
    /// [`Error::Parameter`] if it is not an integer of this kind.
    pub fn word(self, number: i128) -> Result<u64> {
        let word = self.truncated(number as u64);
        if self.number(word) == number {
            return Ok(word);
        }
        let limit = format!("it must be one of {self}");
        Err(Error::Parameter { name: "integer", value: number as f64, limit })
    }

    /// Checks that the kind is not booleans.
    pub(crate) fn check_integers(self) -> Result<()> {
        match self {
            Self::BOOLEANS => {
                Err(Error::mismatch("column", self, "integers of 8, 16, 32 or 64 bits"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.bits, self.signed) {
            (1, _) => f.write_str("booleans"),
            (bits, true) => write!(f, "i{bits}"),
            (bits, false) => write!(f, "u{bits}"),
        }
    }
}

/// Type of a column's integers: a type of Rust's ([`Integer`]), or [`AnyInteger`].
pub trait IntegerType: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// Returns whether columns of this type can hold integers of a kind.
    fn holds(kind: ColumnKind) -> bool;

    /// Names the type's columns in errors.
    #[doc(hidden)]
    fn name() -> String;
}

/// A placeholder for a type: integers of any kind. Programs that learn at run time what columns hold compute with one
/// copy of the code instead of one for every type.
#[derive(Clone, Copy, Debug)]
pub enum AnyInteger {}

impl sealed::Sealed for AnyInteger {}

impl IntegerType for AnyInteger {
    fn holds(kind: ColumnKind) -> bool {
        kind.check_integers().is_ok()
    }

    fn name() -> String {
        "integers".into()
    }
}

/// An integer type of Rust: `u8` to `u64`, `i8` to `i64`. Signed types use two's complement.
pub trait Integer: IntegerType + Into<i128> + Eq + Ord {
    /// Number of bits of the type.
    const BITS: u32;
    /// Whether the type is signed.
    const SIGNED: bool;

    /// Returns the integer with the low bits of a word, in two's complement.
    fn from_word(word: u64) -> Self;

    /// Returns the number as an `i128`.
    fn to_i128(self) -> i128;

    /// Returns the bits as a word below `2^BITS`.
    fn to_word(self) -> u64 {
        self.to_i128() as u64 & (u64::MAX >> (u64::BITS - Self::BITS))
    }
}

macro_rules! integers {
    ($($name:ident: $signed:literal),*) => {$(
        impl sealed::Sealed for $name {}

        impl IntegerType for $name {
            fn holds(kind: ColumnKind) -> bool {
                kind == ColumnKind::of::<Self>()
            }

            fn name() -> String {
                ColumnKind::of::<Self>().to_string()
            }
        }

        impl Integer for $name {
            const BITS: u32 = $name::BITS;
            const SIGNED: bool = $signed;

            fn from_word(word: u64) -> Self {
                word as $name
            }

            fn to_i128(self) -> i128 {
                self.into()
            }
        }
    )*};
}

integers!(u8: false, u16: false, u32: false, u64: false, i8: true, i16: true, i32: true, i64: true);

/// Ways to move the bits of an integer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shift {
    Left,
    /// To the right, extending the sign of signed integers.
    Right,
    RotateLeft,
    RotateRight,
}

impl Shift {
    /// Returns whether bits that leave at one end enter at the other.
    pub(crate) fn is_rotation(self) -> bool {
        matches!(self, Self::RotateLeft | Self::RotateRight)
    }

    /// The word of an integer, moved by any amount.
    pub(crate) fn apply(self, kind: ColumnKind, word: u64, amount: u64) -> u64 {
        let bits = u64::from(kind.bits());
        let amount = match self {
            Self::RotateLeft | Self::RotateRight => amount % bits,
            Self::Left | Self::Right => amount.min(bits),
        } as u32;
        let (low, rest) = (u128::from(kind.truncated(word)), kind.bits() - amount);
        let moved = match self {
            Self::Left => low << amount,
            Self::Right => (kind.number(word) >> amount) as u128,
            Self::RotateLeft => low << amount | low >> rest,
            Self::RotateRight => low >> amount | low << rest,
        };
        kind.truncated(moved as u64)
    }
}

/// Returns the number of bits of the digits for a modulus: half of its own bits, which leaves room for two digits side
/// by side, or all but one if the number of its bits is odd, which leaves room for a carry.
#[must_use]
pub fn digit_bits(modulus: u64) -> u32 {
    let bits = modulus.ilog2();
    if bits.is_multiple_of(2) { bits / 2 } else { bits - 1 }
}

/// Difference of outputs that tables must allow for all operations: for differences of digits or 0, for carries, and
/// for a multiple of a flag beside a digit.
pub(crate) fn least_output_range(modulus: u64) -> u64 {
    let half_bits = modulus.ilog2() / 2;
    ((2 << half_bits) - 1).max(modulus >> half_bits).max(1 << digit_bits(modulus))
}

/// Representation of integers in digits: base `2^digit_bits`; the most significant digit has the remaining bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Radix {
    digit_bits: u32,
    bits: u32,
}

impl Radix {
    /// Splits integers of `bits` bits into digits.
    pub(crate) fn new(digit_bits: u32, bits: u32) -> Self {
        Self { digit_bits, bits }
    }

    /// Number of bits of a digit.
    pub(crate) fn digit_bits(self) -> u32 {
        self.digit_bits
    }

    /// Number of digits.
    pub(crate) fn digits(self) -> usize {
        self.bits.div_ceil(self.digit_bits) as usize
    }

    /// Number of values of all digits except the most significant one.
    pub(crate) fn full_base(self) -> i64 {
        1 << self.digit_bits
    }

    /// Number of values of digit i.
    pub(crate) fn base(self, index: usize) -> i64 {
        let rest = self.bits - index as u32 * self.digit_bits;
        1 << rest.min(self.digit_bits)
    }

    /// Number of values of the most significant digit.
    pub(crate) fn top_base(self) -> i64 {
        self.base(self.digits() - 1)
    }

    /// Digit i of a word.
    pub(crate) fn digit(self, word: u64, index: usize) -> i64 {
        (word >> (index as u32 * self.digit_bits)) as i64 & (self.base(index) - 1)
    }

    /// The word that digits of any size represent, modulo `2^bits`.
    #[cfg(feature = "client")]
    pub(crate) fn word(self, digits: impl Iterator<Item = i64>) -> u64 {
        let shifted =
            |(index, digit): (usize, i64)| (digit as u64) << (index as u32 * self.digit_bits);
        digits.enumerate().map(shifted).fold(0, u64::wrapping_add)
    }

    /// A digit interpreted as signed, from `-base/2` on.
    pub(crate) fn signed(digit: i64, base: i64) -> i64 {
        if digit >= base / 2 { digit - base } else { digit }
    }

    /// Digits of a number of any sign modulo `2^bits`: those of its absolute value, with its sign.
    pub(crate) fn signed_digits(self, value: i128) -> impl Fn(usize) -> i64 {
        let (word, sign) = (value.unsigned_abs() as u64, value.signum() as i64);
        move |index| sign * self.digit(word, index)
    }
}
