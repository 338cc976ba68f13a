//! Columns of any number of values, split into parts of one ciphertext's capacity.

use cryptable::integers::{
    AnyColumn, Column, ColumnKind, ColumnReader, ColumnWriter, DigitCiphertext,
};
use cryptable::{Error, Result};

/// A column of any number of values: its parts, and the number of values in each.
#[derive(Clone, Debug)]
pub(crate) struct Parts<C> {
    pub(crate) kind: ColumnKind,
    pub(crate) parts: Vec<(usize, AnyColumn<C>)>,
}

impl<C: DigitCiphertext> Parts<C> {
    /// Joins one or more parts.
    pub(crate) fn new(parts: Vec<(usize, AnyColumn<C>)>) -> Result<Self> {
        let Some((_, first)) = parts.first() else {
            return Err(Error::TooSmall { name: "number of values", value: 0, limit: 1 });
        };
        Ok(Self { kind: first.kind(), parts })
    }

    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        self.parts.iter().map(|(count, _)| count).sum()
    }

    /// Returns the number of values in each part.
    pub(crate) fn counts(&self) -> Vec<usize> {
        self.parts.iter().map(|&(count, _)| count).collect()
    }

    /// Returns the bytes of the column's file.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut writer = ColumnWriter::new(Vec::new());
        self.parts.iter().try_for_each(|(_, part)| writer.push(part))?;
        writer.finish()
    }

    /// Reads a column's file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = ColumnReader::<_, C>::new(bytes)?;
        let mut parts = Vec::new();
        while let Some(part) = reader.next_part::<AnyColumn<C>>()? {
            // In a file, every part has at least one encrypted digit.
            parts.push((count_of(&part).unwrap_or(1), part));
        }
        Self::new(parts)
    }
}

/// Returns the number of values of a column that is not public.
pub(super) fn count_of<C: DigitCiphertext>(column: &AnyColumn<C>) -> Option<usize> {
    let ciphertext = match column {
        AnyColumn::Booleans(column) => column.ciphertext(),
        AnyColumn::Integers(column) => column.ciphertexts().next(),
    };
    ciphertext.map(C::count)
}
