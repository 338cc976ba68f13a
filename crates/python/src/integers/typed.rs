//! Columns of every kind of integer behind one type.

use cryptable::integers::{
    BooleanColumn, ColumnKind, ColumnReader, ColumnSummary, ColumnWriter, DigitArithmetic,
    DigitCiphertext, DryRun, Evaluator, Integer, IntegerColumn, Outline,
};
use cryptable::{Error, Result};
use numpy::Element;
use zeroize::Zeroize;

/// A column of any kind, of at most as many values as a ciphertext holds.
#[derive(Clone, Debug)]
pub(crate) enum TypedColumn<C> {
    Booleans(BooleanColumn<C>),
    U8(IntegerColumn<u8, C>),
    U16(IntegerColumn<u16, C>),
    U32(IntegerColumn<u32, C>),
    U64(IntegerColumn<u64, C>),
    I8(IntegerColumn<i8, C>),
    I16(IntegerColumn<i16, C>),
    I32(IntegerColumn<i32, C>),
    I64(IntegerColumn<i64, C>),
}

/// An integer type as one of those of a [`TypedColumn`].
pub(crate) trait Kind: Integer + Element + Zeroize {
    /// The unsigned type of as many bits: results of tables are computed as such.
    type Unsigned: Kind;

    /// A column of this type, of any.
    fn wrap<C>(column: IntegerColumn<Self, C>) -> TypedColumn<C>;

    /// The column, if it is of this type.
    fn of<C>(column: &TypedColumn<C>) -> Option<&IntegerColumn<Self, C>>;
}

macro_rules! kinds {
    ($($integer:ty: $variant:ident, $unsigned:ty);*) => {$(
        impl Kind for $integer {
            type Unsigned = $unsigned;

            fn wrap<C>(column: IntegerColumn<Self, C>) -> TypedColumn<C> {
                TypedColumn::$variant(column)
            }

            fn of<C>(column: &TypedColumn<C>) -> Option<&IntegerColumn<Self, C>> {
                match column {
                    TypedColumn::$variant(column) => Some(column),
                    _ => None,
                }
            }
        }
    )*};
}

kinds!(u8: U8, u8; u16: U16, u16; u32: U32, u32; u64: U64, u64; i8: I8, u8; i16: I16, u16; i32: I32, u32; i64: I64, u64);

/// Evaluates an expression for the integer type of a kind.
macro_rules! with_integer {
    ($kind:expr, $integer:ident => $body:expr) => {{
        let kind: cryptable::integers::ColumnKind = $kind;
        macro_rules! of {
            ($type:ty) => {{
                type $integer = $type;
                $body
            }};
        }
        match (kind.bits, kind.signed) {
            (8, false) => of!(u8),
            (16, false) => of!(u16),
            (32, false) => of!(u32),
            (64, false) => of!(u64),
            (8, true) => of!(i8),
            (16, true) => of!(i16),
            (32, true) => of!(i32),
            (64, true) => of!(i64),
            _ => {
                Err(cryptable::Error::mismatch("column", kind, "integers of 8, 16, 32 or 64 bits"))
            }
        }
    }};
}
pub(crate) use with_integer;

impl<C> TypedColumn<C> {
    /// What it holds.
    pub(crate) fn kind(&self) -> ColumnKind {
        match self {
            Self::Booleans(_) => ColumnKind::BOOLEANS,
            Self::U8(_) => ColumnKind::of::<u8>(),
            Self::U16(_) => ColumnKind::of::<u16>(),
            Self::U32(_) => ColumnKind::of::<u32>(),
            Self::U64(_) => ColumnKind::of::<u64>(),
            Self::I8(_) => ColumnKind::of::<i8>(),
            Self::I16(_) => ColumnKind::of::<i16>(),
            Self::I32(_) => ColumnKind::of::<i32>(),
            Self::I64(_) => ColumnKind::of::<i64>(),
        }
    }

    /// The column as integers of a type.
    ///
    /// # Errors
    /// If it is of another.
    pub(crate) fn integers<T: Kind>(&self) -> Result<&IntegerColumn<T, C>> {
        T::of(self).ok_or_else(|| Error::mismatch("column", self.kind(), ColumnKind::of::<T>()))
    }

    /// The column as booleans.
    ///
    /// # Errors
    /// If it is of integers.
    pub(crate) fn booleans(&self) -> Result<&BooleanColumn<C>> {
        match self {
            Self::Booleans(column) => Ok(column),
            other => Err(Error::mismatch("column", other.kind(), ColumnKind::BOOLEANS)),
        }
    }
}

/// A fresh column of a dry run.
///
/// # Errors
/// If there is no such kind.
pub(crate) fn fresh(
    kind: ColumnKind,
    dry_run: &DryRun<'_>,
    evaluator: &Evaluator<'_, DryRun<'_>>,
) -> Result<TypedColumn<Outline>> {
    if kind == ColumnKind::BOOLEANS {
        return Ok(TypedColumn::Booleans(dry_run.fresh_booleans()));
    }
    with_integer!(kind, T => Ok(T::wrap(dry_run.fresh::<T>(evaluator))))
}

/// The same numbers, modulo `2^bits` of another type.
///
/// # Errors
/// Whatever keeps the evaluator from its work.
pub(crate) fn cast<T: Kind, E: DigitArithmetic>(
    evaluator: &Evaluator<'_, E>,
    column: &IntegerColumn<T, E::Ciphertext>,
    to: ColumnKind,
) -> Result<TypedColumn<E::Ciphertext>> {
    with_integer!(to, U => {
        let column = evaluator.cast::<T, <U as Kind>::Unsigned>(column)?;
        Ok(U::wrap(evaluator.cast::<_, U>(&column)?))
    })
}

/// A column of any number of values: parts, and how many values each has.
#[derive(Clone, Debug)]
pub(crate) struct Parts<C> {
    pub(crate) kind: ColumnKind,
    pub(crate) parts: Vec<(usize, TypedColumn<C>)>,
}

impl<C: DigitCiphertext> Parts<C> {
    /// Of at least one part.
    pub(crate) fn new(parts: Vec<(usize, TypedColumn<C>)>) -> Result<Self> {
        let Some((_, first)) = parts.first() else {
            return Err(Error::TooSmall { name: "number of values", value: 0, limit: 1 });
        };
        Ok(Self { kind: first.kind(), parts })
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.parts.iter().map(|(count, _)| count).sum()
    }

    /// Numbers of values of all parts.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.parts.iter().map(|&(count, _)| count).collect()
    }

    /// The file of the column.
    ///
    /// # Errors
    /// If it is public.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut writer = ColumnWriter::new(Vec::new());
        for (_, part) in &self.parts {
            match part {
                TypedColumn::Booleans(part) => writer.push(part)?,
                part => with_integer!(part.kind(), T => writer.push(part.integers::<T>()?))?,
            }
        }
        writer.finish()
    }

    /// Reads the file of a column.
    ///
    /// # Errors
    /// If the bytes are not one undamaged column of ciphertexts of this engine.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<(Self, ColumnSummary)> {
        let mut summaries = ColumnReader::<_, C>::new(bytes)?;
        let mut counts = Vec::new();
        while let Some(summary) = summaries.next_summary()? {
            counts.push(summary.count);
        }
        let mut reader = ColumnReader::<_, C>::new(bytes)?;
        let summary = *reader.summary();
        let mut parts = Vec::with_capacity(counts.len());
        for count in counts {
            let part = if summary.kind == ColumnKind::BOOLEANS {
                reader.next_part::<BooleanColumn<C>>()?.map(TypedColumn::Booleans)
            } else {
                with_integer!(summary.kind, T => {
                    Ok(reader.next_part::<IntegerColumn<T, C>>()?.map(T::wrap))
                })?
            };
            parts.extend(part.map(|part| (count, part)));
        }
        Ok((Self::new(parts)?, summary))
    }
}
