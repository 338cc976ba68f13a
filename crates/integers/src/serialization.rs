//! Columns in bytes: their digits' ciphertexts, with the bounds on their values.
//!
//! | bytes | content |
//! |---|---|
//! | 16 | identifier of the client's key |
//! | 1 | bits of the integers; 1 for booleans |
//! | 1 | whether they are signed |
//! | 2 | engine: 0 packed, 1 single |
//! | 4 | index of the part in its column, from 0 on |
//! | 1 | whether it is the last one |
//! | 4 | number of digits, the least significant first; for each digit: |
//! | 8 + 8 | the least and the largest value that it may have |
//! | 8 + … | length of its ciphertext and its wire format; 0 for a public digit |
//!
//! All of this is in an object of the wire format, whose digest is that of the ciphertexts' parameters. A file may
//! claim anything: bounds that do not match the values lead to wrong results, as ciphertexts of wrong values do, and to
//! nothing else.

use std::fmt::Debug;
use std::io::Write;

use cryptable_lattice::Binding;
use cryptable_lattice::error::{Error, Result, check_client, check_parameters};
use cryptable_wire::{BodyReader, BodyWriter, KeyId, ObjectType, WireError, write_object};

use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit::{Digit, MAX_DIGIT_VALUE};
use crate::integer::{ColumnKind, IntegerType, Radix, digit_bits};

/// Position of the byte that states whether a part is the last one.
const LAST_PART: usize = 24;

/// Length limit of a part of a column: 64 digits of the longest ciphertexts.
pub(crate) const MAX_BODY_BYTES: u64 = 1 << 30;

/// Largest number of digits of an integer: those of 64 bits.
const MAX_DIGITS: u32 = 64;

/// Ciphertexts of digits that can be stored in files.
pub trait DigitCiphertext: Clone + Debug + Send + Sync {
    /// The engine's number in files.
    const ENGINE: u16;

    /// Modulus p of the values.
    fn modulus(&self) -> u64;

    /// The number of values.
    fn count(&self) -> usize;

    /// The digest of the ciphertext's parameters.
    fn parameter_digest(&self) -> [u8; 32];

    /// The identifier of the client's key.
    fn key_id(&self) -> KeyId;

    /// Returns whether nothing has been computed on the ciphertext yet.
    fn is_fresh(&self) -> bool;

    /// Writes the ciphertext in its wire format.
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads a ciphertext from its wire format.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    fn from_bytes(bytes: &[u8]) -> Result<Self>;
}

/// Header of a part of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnSummary {
    /// Kind of the column's integers.
    pub kind: ColumnKind,
    /// The number of values.
    pub count: usize,
    /// Modulus of digits.
    pub modulus: u64,
    /// Digest of the parameters.
    pub parameter_digest: [u8; 32],
    /// The identifier of the client's key.
    pub key_id: KeyId,
    /// Whether nothing has been computed on any digit yet.
    pub is_fresh: bool,
}

/// A column of integers or of booleans.
pub trait Column<C>: Sized {
    /// Returns the kind of the column's integers.
    fn kind(&self) -> ColumnKind;

    /// Returns whether columns of this type can have a kind.
    fn holds(kind: ColumnKind) -> bool;

    /// Names the columns of this type in errors.
    #[doc(hidden)]
    fn expected() -> String;

    #[doc(hidden)]
    fn parts(&self) -> ColumnDigits<'_, C>;

    #[doc(hidden)]
    fn from_parts(kind: ColumnKind, digits: OwnedDigits<C>) -> Self;
}

/// The digits of a column.
#[derive(Debug)]
pub struct ColumnDigits<'a, C>(&'a [Digit<C>]);

/// The digits read from a file.
#[derive(Debug)]
pub struct OwnedDigits<C>(Vec<Digit<C>>);

impl<'a, C> ColumnDigits<'a, C> {
    pub(crate) fn first_ciphertext(&self) -> Option<&'a C> {
        self.0.iter().find_map(Digit::ciphertext)
    }
}

impl<T: IntegerType, C> Column<C> for IntegerColumn<T, C> {
    fn kind(&self) -> ColumnKind {
        self.kind()
    }

    fn holds(kind: ColumnKind) -> bool {
        T::holds(kind)
    }

    fn expected() -> String {
        T::name()
    }

    fn parts(&self) -> ColumnDigits<'_, C> {
        ColumnDigits(self.digits())
    }

    fn from_parts(kind: ColumnKind, digits: OwnedDigits<C>) -> Self {
        Self::new(kind, digits.0)
    }
}

impl<C> Column<C> for BooleanColumn<C> {
    fn kind(&self) -> ColumnKind {
        ColumnKind::BOOLEANS
    }

    fn holds(kind: ColumnKind) -> bool {
        kind == ColumnKind::BOOLEANS
    }

    fn expected() -> String {
        ColumnKind::BOOLEANS.to_string()
    }

    fn parts(&self) -> ColumnDigits<'_, C> {
        ColumnDigits(std::slice::from_ref(self.digit()))
    }

    fn from_parts(_kind: ColumnKind, mut digits: OwnedDigits<C>) -> Self {
        Self::new(digits.0.swap_remove(0))
    }
}

impl<T: IntegerType, C: DigitCiphertext> IntegerColumn<T, C> {
    /// Writes the column in its wire format. For files with any number of values, see [`crate::ColumnWriter`].
    ///
    /// ```
    /// use cryptable_integers::{IntegerColumn, decrypt, encrypt, insecure_packed_toy};
    /// use cryptable_packed::SecretKey;
    /// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
    /// let bytes = encrypt(&secret, &[-5i16, 300])?.to_bytes()?;
    /// assert_eq!(decrypt(&secret, &IntegerColumn::<i16, _>::from_bytes(&bytes)?)?, [-5, 300]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If all digits are public, so that the column belongs to no client.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }

    /// Reads a column.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged column of this type and engine, or digits do not belong together.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        whole(bytes)
    }
}

impl<C: DigitCiphertext> BooleanColumn<C> {
    /// Writes a column like [`IntegerColumn::to_bytes`].
    ///
    /// # Errors
    /// If it is public.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }

    /// Reads a column like [`IntegerColumn::from_bytes`].
    ///
    /// # Errors
    /// The errors of [`IntegerColumn::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        whole(bytes)
    }
}

/// Place of a part in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) index: u32,
    pub(crate) is_last: bool,
}

impl Place {
    pub(crate) const WHOLE: Self = Self { index: 0, is_last: true };
}

fn whole<C: DigitCiphertext, X: Column<C>>(bytes: &[u8]) -> Result<X> {
    let part = Part::from_bytes(bytes)?;
    if part.place != Place::WHOLE {
        return Err(WireError::invalid("part of a column", part.place.index, "a whole one").into());
    }
    part.column()
}

fn to_bytes<C: DigitCiphertext, X: Column<C>>(column: &X) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Body::new(column, 0)?.write(&mut bytes, true)?;
    Ok(bytes)
}

/// A part of a column in its wire format, without the byte that states whether it is the last one.
#[derive(Debug)]
pub(crate) struct Body {
    kind: ColumnKind,
    parameter_digest: [u8; 32],
    key_id: KeyId,
    bytes: Vec<u8>,
}

impl Body {
    pub(crate) fn new<C: DigitCiphertext, X: Column<C>>(column: &X, index: u32) -> Result<Self> {
        let digits = column.parts().0;
        let first = column.parts().first_ciphertext().ok_or_else(|| {
            let found = "the same public number for all values";
            Error::mismatch("column", found, "encrypted values: add x - x of an encrypted column x")
        })?;
        let (kind, key_id) = (column.kind(), first.key_id());
        let mut bytes = Vec::new();
        let mut writer = BodyWriter::new(&mut bytes);
        writer.raw(&key_id.0)?;
        writer.u8(kind.bits() as u8)?;
        writer.u8(kind.is_signed().into())?;
        writer.u16(C::ENGINE)?;
        writer.u32(index)?;
        writer.u8(0)?;
        writer.u32(digits.len() as u32)?;
        for digit in digits {
            writer.u64(digit.low() as u64)?;
            writer.u64(digit.high() as u64)?;
            writer.bytes(&digit.ciphertext().map(C::to_bytes).unwrap_or_default())?;
        }
        Ok(Self { kind, parameter_digest: first.parameter_digest(), key_id, bytes })
    }

    /// Checks that another part belongs to the same column.
    pub(crate) fn check_next(&self, next: &Self) -> Result<()> {
        check_parameters("part", self.parameter_digest, next.parameter_digest)?;
        check_client("part", self.key_id, next.key_id)?;
        if next.kind == self.kind {
            Ok(())
        } else {
            Err(Error::mismatch("part", next.kind, self.kind))
        }
    }

    pub(crate) fn write(mut self, writer: &mut impl Write, is_last: bool) -> Result<()> {
        self.bytes[LAST_PART] = is_last.into();
        Ok(write_object(writer, ObjectType::IntegerColumn, &self.parameter_digest, &self.bytes)?)
    }
}

/// A part of a column of any type.
#[derive(Debug)]
pub(crate) struct Part<C> {
    pub(crate) summary: ColumnSummary,
    pub(crate) place: Place,
    digits: Vec<Digit<C>>,
}

impl<C: DigitCiphertext> Part<C> {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (Binding { parameter_digest, key_id }, mut reader) =
            Binding::open(bytes, ObjectType::IntegerColumn, MAX_BODY_BYTES)?;
        let bits = reader.u8("bits of integers")?;
        let kind = kind_of(bits, flag(reader.u8("sign of integers")?)?)?;
        let engine = reader.u16("engine")?;
        if engine != C::ENGINE {
            return Err(WireError::invalid("engine", engine, C::ENGINE).into());
        }
        let index = reader.u32("index of a part")?;
        let place = Place { index, is_last: flag(reader.u8("last part")?)? };
        let count = reader.u32("number of digits")?;
        if count > MAX_DIGITS {
            let limit = format!("at most {MAX_DIGITS}");
            return Err(WireError::invalid("number of digits", count, limit).into());
        }
        let digits =
            (0..count).map(|_| read_digit::<C>(&mut reader)).collect::<Result<Vec<_>>>()?;
        reader.finish()?;
        let (modulus, count, is_fresh) = common(&digits, parameter_digest, key_id)?;
        check_digits(&digits, kind, modulus)?;
        let summary = ColumnSummary { kind, count, modulus, parameter_digest, key_id, is_fresh };
        Ok(Self { summary, place, digits })
    }

    /// Converts the part to a column of a type.
    pub(crate) fn column<X: Column<C>>(self) -> Result<X> {
        let kind = self.summary.kind;
        if !X::holds(kind) {
            return Err(Error::mismatch("column", kind, X::expected()));
        }
        Ok(X::from_parts(kind, OwnedDigits(self.digits)))
    }
}

/// The kind of integers or booleans that a file claims.
fn kind_of(bits: u8, signed: bool) -> Result<ColumnKind> {
    let limit = "1, 8, 16, 32 or 64, the first unsigned";
    let invalid = |_| WireError::invalid("bits of integers", bits, limit).into();
    ColumnKind::new(bits.into(), signed).map_err(invalid)
}

fn flag(byte: u8) -> Result<bool> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(WireError::invalid("flag", byte, "0 or 1").into()),
    }
}

fn read_digit<C: DigitCiphertext>(reader: &mut BodyReader<'_>) -> Result<Digit<C>> {
    let mut bound = || -> Result<i64> {
        let bound = reader.u64("bound of a digit")? as i64;
        let limit = "at most 2^40 in size";
        if (-MAX_DIGIT_VALUE..=MAX_DIGIT_VALUE).contains(&bound) {
            Ok(bound)
        } else {
            Err(WireError::invalid("bound of a digit", bound, limit).into())
        }
    };
    let (low, high) = (bound()?, bound()?);
    let bytes = reader.bytes("ciphertext", MAX_BODY_BYTES)?;
    match bytes.is_empty() {
        true if low == high => Ok(Digit::public(low)),
        true => Err(WireError::invalid("values of a public digit", high, low).into()),
        false if low <= high => Ok(Digit::encrypted(C::from_bytes(bytes)?, low, high)),
        false => {
            let limit = format!("at least {low}");
            Err(WireError::invalid("largest value of a digit", high, limit).into())
        }
    }
}

/// Modulus, number of values and freshness that ciphertexts of one column have in common.
fn common<C: DigitCiphertext>(
    digits: &[Digit<C>],
    parameter_digest: [u8; 32],
    key_id: KeyId,
) -> Result<(u64, usize, bool)> {
    let mut found = None;
    let mut is_fresh = true;
    for ciphertext in digits.iter().filter_map(Digit::ciphertext) {
        check_parameters("digit", parameter_digest, ciphertext.parameter_digest())?;
        check_client("digit", key_id, ciphertext.key_id())?;
        let sizes = (ciphertext.modulus(), ciphertext.count());
        let expected = *found.get_or_insert(sizes);
        if sizes != expected {
            let shown = |(modulus, count)| format!("{count} values modulo {modulus}");
            return Err(Error::mismatch("digit", shown(sizes), shown(expected)));
        }
        is_fresh &= ciphertext.is_fresh();
    }
    let (modulus, count) =
        found.ok_or_else(|| WireError::invalid("encrypted digits", 0, "at least 1"))?;
    Ok((modulus, count, is_fresh))
}

/// Checks that the number of digits is that of the integers, and that values of a digit differ modulo p.
fn check_digits<C>(digits: &[Digit<C>], kind: ColumnKind, modulus: u64) -> Result<()> {
    if !modulus.is_power_of_two() || modulus < 4 {
        return Err(WireError::invalid("modulus of digits", modulus, "a power of two").into());
    }
    let expected = match kind {
        ColumnKind::BOOLEANS => 1,
        _ => Radix::new(digit_bits(modulus), kind.bits()).digits(),
    };
    if digits.len() != expected {
        return Err(WireError::invalid("number of digits", digits.len(), expected).into());
    }
    for digit in digits {
        if digit.width() as u64 > modulus {
            let limit = format!("at most {modulus}");
            return Err(WireError::invalid("values of a digit", digit.width(), limit).into());
        }
        if kind == ColumnKind::BOOLEANS && !digit.is_below(2) {
            return Err(WireError::invalid("largest boolean", digit.high(), "0 or 1").into());
        }
    }
    Ok(())
}
