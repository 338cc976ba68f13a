//! The integers that columns hold: Rust's own, of 8 to 64 bits.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// An integer type of Rust: `u8` to `u64`, `i8` to `i64`. Signed ones are in two's complement.
pub trait Integer: sealed::Sealed + Copy + Debug + Eq + Ord + Send + Sync + 'static {
    /// Bits of the type.
    const BITS: u32;
    /// Whether it is signed.
    const SIGNED: bool;

    /// The low bits of a word, those of the two's complement.
    fn from_word(word: u64) -> Self;

    /// The number itself.
    fn to_i128(self) -> i128;

    /// Its bits as a word: below `2^BITS`.
    fn to_word(self) -> u64 {
        self.to_i128() as u64 & (u64::MAX >> (u64::BITS - Self::BITS))
    }
}

macro_rules! integers {
    ($($name:ident: $signed:literal),*) => {$(
        impl sealed::Sealed for $name {}

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
    /// With the sign of signed integers.
    Right,
    RotateLeft,
    RotateRight,
}

impl Shift {
    /// The word of x, moved by an amount below `BITS`.
    pub(crate) fn apply<T: Integer>(self, x: T, amount: u32) -> u64 {
        let (word, rest) = (u128::from(x.to_word()), T::BITS - amount);
        let moved = match self {
            Self::Left => word << amount,
            Self::Right => (x.to_i128() >> amount) as u128,
            Self::RotateLeft => word << amount | word >> rest,
            Self::RotateRight => word >> amount | word << rest,
        };
        T::from_word(moved as u64).to_word()
    }
}

/// How integers are written in digits: base `2^digit_bits`, the most significant digit of as many bits as are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Radix {
    digit_bits: u32,
    bits: u32,
}

impl Radix {
    /// That of a type.
    pub(crate) fn of<T: Integer>(digit_bits: u32) -> Self {
        Self::new(digit_bits, T::BITS)
    }

    /// That of so many bits.
    pub(crate) fn new(digit_bits: u32, bits: u32) -> Self {
        Self { digit_bits, bits }
    }

    /// Bits of a digit.
    pub(crate) fn digit_bits(self) -> u32 {
        self.digit_bits
    }

    /// Number of digits.
    pub(crate) fn digits(self) -> usize {
        self.bits.div_ceil(self.digit_bits) as usize
    }

    /// Values of all digits but the most significant one.
    pub(crate) fn full_base(self) -> i64 {
        1 << self.digit_bits
    }

    /// Values of digit i.
    pub(crate) fn base(self, index: usize) -> i64 {
        let rest = self.bits - index as u32 * self.digit_bits;
        1 << rest.min(self.digit_bits)
    }

    /// Values of the most significant digit.
    pub(crate) fn top_base(self) -> i64 {
        self.base(self.digits() - 1)
    }

    /// Digit i of a word.
    pub(crate) fn digit(self, word: u64, index: usize) -> i64 {
        (word >> (index as u32 * self.digit_bits)) as i64 & (self.base(index) - 1)
    }

    /// The word of digits that may be of any size, modulo `2^bits`.
    #[cfg(feature = "client")]
    pub(crate) fn word(self, digits: impl Iterator<Item = i64>) -> u64 {
        let shifted =
            |(index, digit): (usize, i64)| (digit as u64) << (index as u32 * self.digit_bits);
        digits.enumerate().map(shifted).fold(0, u64::wrapping_add)
    }

    /// A digit read as a signed one: from `-base/2`.
    pub(crate) fn signed(digit: i64, base: i64) -> i64 {
        if digit >= base / 2 { digit - base } else { digit }
    }

    /// Digits of a number of any sign modulo `2^bits`: those of its size, with its sign.
    pub(crate) fn signed_digits(self, value: i128) -> impl Fn(usize) -> i64 {
        let (word, sign) = (value.unsigned_abs() as u64, value.signum() as i64);
        move |index| sign * self.digit(word, index)
    }
}
