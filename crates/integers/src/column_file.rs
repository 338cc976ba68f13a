//! Files of columns with any number of values. Parts follow one another; each is an object of the wire format that
//! contains its index and whether it is the last one.

use std::io::{Read, Write};
use std::marker::PhantomData;

use cryptable_lattice::error::{Error, Result, check_client, check_equal, check_parameters};
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, ObjectType, WireError, peek_header};

use crate::serialization::{Body, Column, ColumnSummary, DigitCiphertext, MAX_BODY_BYTES, Part};

/// Writes a column, in bounded memory, to anything that takes bytes.
///
/// ```
/// use cryptable_integers::{ColumnReader, ColumnWriter, IntegerColumn, decrypt, encrypt, insecure_packed_toy};
/// use cryptable_packed::SecretKey;
/// let secret = SecretKey::generate(&insecure_packed_toy(2, 1024)?);
/// let mut writer = ColumnWriter::new(Vec::new());
/// writer.push(&encrypt(&secret, &[1u16, 2])?)?;
/// writer.push(&encrypt(&secret, &[300u16])?)?;
/// let file = writer.finish()?;
///
/// let mut reader = ColumnReader::new(&file[..])?;
/// let mut values = Vec::new();
/// while let Some(part) = reader.next_part::<IntegerColumn<u16, _>>()? {
///     values.extend(decrypt(&secret, &part)?);
/// }
/// assert_eq!(values, [1, 2, 300]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Debug)]
pub struct ColumnWriter<W> {
    writer: W,
    /// The last part so far, which is written as soon as it is known whether it is the last of the file.
    pending: Option<Body>,
    index: u32,
}

impl<W: Write> ColumnWriter<W> {
    /// Starts a file.
    #[must_use]
    pub fn new(writer: W) -> Self {
        Self { writer, pending: None, index: 0 }
    }

    /// Appends values.
    ///
    /// # Errors
    /// If they are public, or have another type or client than the earlier values; also the errors of the writer.
    pub fn push<C: DigitCiphertext, X: Column<C>>(&mut self, column: &X) -> Result<()> {
        let next = Body::new(column, self.index)?;
        self.index += 1;
        if let Some(before) = self.pending.take() {
            before.check_next(&next)?;
            before.write(&mut self.writer, false)?;
        }
        self.pending = Some(next);
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If it holds no values; also the errors of the writer.
    pub fn finish(mut self) -> Result<W> {
        let last = self.pending.take();
        let last = last.ok_or_else(|| WireError::invalid("parts of a column", 0, "at least 1"))?;
        last.write(&mut self.writer, true)?;
        self.writer.flush()?;
        Ok(self.writer)
    }
}

/// Reads a column part by part, and checks each part before returning it.
#[derive(Debug)]
pub struct ColumnReader<R, C> {
    reader: R,
    summary: ColumnSummary,
    next: Option<Part<C>>,
    index: u32,
    ciphertext: PhantomData<C>,
}

impl<R: Read, C: DigitCiphertext> ColumnReader<R, C> {
    /// Reads the first part.
    ///
    /// # Errors
    /// If it is not a part of an undamaged column of ciphertexts of this engine; also the errors of the reader.
    pub fn new(mut reader: R) -> Result<Self> {
        let first = read_part(&mut reader, 0)?;
        let (summary, next, index) = (first.summary, Some(first), 0);
        Ok(Self { reader, summary, next, index, ciphertext: PhantomData })
    }

    /// Returns the summary of the first part: all parts are of one kind, client and parameter set.
    #[must_use]
    pub fn summary(&self) -> &ColumnSummary {
        &self.summary
    }

    /// Returns the next values, or `None` after the last ones.
    ///
    /// # Errors
    /// If the column has another type, a part is damaged, missing or from another column, or something follows the last
    /// part.
    pub fn next_part<X: Column<C>>(&mut self) -> Result<Option<X>> {
        Ok(match self.advance()? {
            Some(part) => Some(part.column()?),
            None => None,
        })
    }

    /// Returns the summary of the next values without reading them.
    ///
    /// # Errors
    /// The errors of [`ColumnReader::next_part`].
    pub fn next_summary(&mut self) -> Result<Option<ColumnSummary>> {
        Ok(self.advance()?.map(|part| part.summary))
    }

    fn advance(&mut self) -> Result<Option<Part<C>>> {
        let Some(part) = self.next.take() else { return Ok(None) };
        self.index += 1;
        if part.place.is_last {
            let mut rest = [0];
            if self.reader.read(&mut rest)? > 0 {
                return Err(WireError::TrailingBytes { count: 1 }.into());
            }
            return Ok(Some(part));
        }
        let next = read_part(&mut self.reader, self.index)?;
        check_parameters("part", self.summary.parameter_digest, next.summary.parameter_digest)?;
        check_client("part", self.summary.key_id, next.summary.key_id)?;
        check_equal("modulus of digits", next.summary.modulus, self.summary.modulus)?;
        if next.summary.kind != self.summary.kind {
            return Err(Error::mismatch("part", next.summary.kind, self.summary.kind));
        }
        self.next = Some(next);
        Ok(Some(part))
    }
}

/// Reads the part with this index.
fn read_part<C: DigitCiphertext>(reader: &mut impl Read, index: u32) -> Result<Part<C>> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    let limit = HEADER_BYTES as u64;
    reader.by_ref().take(limit).read_to_end(&mut bytes)?;
    let header = peek_header(&bytes)?;
    if header.object_type != ObjectType::IntegerColumn {
        let (expected, found) = (ObjectType::IntegerColumn, header.object_type);
        return Err(WireError::WrongType { expected, found }.into());
    }
    let length = header.body_length;
    if length > MAX_BODY_BYTES {
        return Err(WireError::TooLong { name: "column", length, limit: MAX_BODY_BYTES }.into());
    }
    let rest = length + CHECKSUM_BYTES as u64;
    reader.by_ref().take(rest).read_to_end(&mut bytes)?;
    let part = Part::from_bytes(&bytes)?;
    if part.place.index != index {
        return Err(WireError::invalid("index of a part", part.place.index, index).into());
    }
    Ok(part)
}
