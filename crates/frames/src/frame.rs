//! Encrypted frames: several columns of one client, with the same number of rows, in one file.
//!
//! The body of the object consists of the identifier of the client's key (16 bytes), the number of rows (8), the number
//! of columns (4), and the columns. Each column consists of:
//! - its name (a 64-bit length and UTF-8);
//! - marks (1: a validity follows, plus 2: units follow, plus 4: values are sums by groups, plus 8 or 16: values are
//!   below a half or a quarter of their modulus);
//! - the units (a column of a schema as JSON), if there are any;
//! - the name of the column of groups and their number (4), if values are sums by groups;
//! - the file of ciphertexts of the values and, if there is one, of the validity, each after its 64-bit length.
//!
//! The digest and the identifier are the same in the header of the object and in the headers of all files.

use std::collections::HashSet;
use std::io::{self, Cursor, Write};

use cryptable::{Ciphertext, CiphertextReader, Contents, ReadOptions, WireError};
use cryptable_wire::{BodyReader, BodyWriter, ObjectType, ObjectWriter, read_object};

use crate::error::{ColumnProblem, Error, Result};
use crate::program::Input;
use crate::schema::{Column, ColumnSchema};
use crate::schema::{MAX_COLUMNS, MAX_NAME_BYTES, check_count, check_name};

/// Longest units that are read, in bytes: lists of words are the longest.
const MAX_UNITS_BYTES: u64 = 1 << 26;

/// Mark of a column with a validity.
const HAS_VALIDITY: u8 = 1;

/// Mark of a column with units.
const HAS_UNITS: u8 = 2;

/// Mark of a column of sums by groups.
const HAS_GROUPS: u8 = 4;

/// Position of the marks that state how many leading bits of values are unused.
const SPARE_BITS: u32 = 3;

/// Largest number of unused leading bits that is stated, which is what sorting rows by the values needs. A larger
/// number would reveal more of a schema.
const MAX_SPARE_BITS: u32 = 2;

/// Largest number of groups.
const MAX_GROUPS: u32 = 1 << 10;

/// Groups of rows over which the values of a column are sums. The values are partial sums, which decryption adds up for
/// each group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowGroups {
    /// Name of the column whose values are groups.
    pub column: String,
    /// Number of groups.
    pub groups: u32,
}

impl RowGroups {
    fn check(&self) -> Result<()> {
        check_name(&self.column)?;
        if (1..=MAX_GROUPS).contains(&self.groups) {
            return Ok(());
        }
        let expected = format!("1 to {MAX_GROUPS}");
        Err(WireError::invalid("number of groups", self.groups, expected).into())
    }
}

/// A column of encrypted values.
#[derive(Clone, Debug)]
pub struct FrameColumn {
    name: String,
    values: Ciphertext,
    validity: Option<Ciphertext>,
    units: Option<Column>,
    groups: Option<RowGroups>,
    /// Leading bits that no value uses; for signed values, besides the sign.
    spare_bits: u32,
}

impl FrameColumn {
    /// Creates a column of values without gaps and units.
    #[must_use]
    pub fn new(name: impl Into<String>, values: Ciphertext) -> Self {
        let (validity, units, groups) = (None, None, None);
        Self { name: name.into(), values, validity, units, groups, spare_bits: 0 }
    }

    /// Returns the same column, marked that residues modulo `needed` represent its values, as far as that is public.
    pub(crate) fn with_values_of(self, needed: u64) -> Self {
        let modulus = self.values.modulus();
        let spare = (0..=MAX_SPARE_BITS).rev().find(|bits| needed <= modulus >> bits);
        Self { spare_bits: spare.unwrap_or(0), ..self }
    }

    /// Returns the least modulus whose residues are known to represent all values: the modulus of the values, or half
    /// or a quarter of it.
    #[must_use]
    pub fn values_needed(&self) -> u64 {
        self.values.modulus() >> self.spare_bits
    }

    /// Returns the properties of the column that programs need.
    pub(crate) fn as_input(&self) -> Input {
        Input {
            has_gaps: self.validity.is_some(),
            is_signed: self.values.is_signed(),
            values_needed: self.values_needed(),
        }
    }

    /// Returns the least and the largest integer that a value may be.
    pub(crate) fn range(&self) -> [i64; 2] {
        let needed = i64::try_from(self.values_needed()).unwrap_or(i64::MAX);
        let low = if self.values.is_signed() { -(needed / 2) } else { 0 };
        [low, low + needed - 1]
    }

    /// Returns the same column with encrypted bits that are 0 where a value is missing; `None` if no value is missing.
    #[must_use]
    pub fn with_validity(self, validity: Option<Ciphertext>) -> Self {
        Self { validity, ..self }
    }

    /// Returns the same column with the representation of its values, if one is stated. Units are public.
    #[must_use]
    pub fn with_units(self, units: Option<Column>) -> Self {
        Self { units, ..self }
    }

    /// Returns the same column with the groups over which its values are sums, if they are sums by groups.
    #[must_use]
    pub fn with_groups(self, groups: Option<RowGroups>) -> Self {
        Self { groups, ..self }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the values.
    #[must_use]
    pub fn values(&self) -> &Ciphertext {
        &self.values
    }

    /// Returns the encrypted bits that are 0 where a value is missing, if there may be gaps.
    #[must_use]
    pub fn validity(&self) -> Option<&Ciphertext> {
        self.validity.as_ref()
    }

    /// Returns the representation of the values, if the frame states it. Frames that a client encrypts do not state it,
    /// since the schema stays with the client. Results of tables with their own units do.
    #[must_use]
    pub fn units(&self) -> Option<&Column> {
        self.units.as_ref()
    }

    /// Returns the groups over which the values are sums, if they are sums by groups.
    #[must_use]
    pub fn groups(&self) -> Option<&RowGroups> {
        self.groups.as_ref()
    }

    /// Checks that the column has this many rows and ciphertexts of the same client as `first`.
    fn check(&self, rows: usize, first: &Contents) -> Result<()> {
        check_name(&self.name)?;
        for ciphertext in [Some(&self.values), self.validity.as_ref()].into_iter().flatten() {
            let found = ciphertext.count();
            if found != rows {
                return Err(Error::Rows { column: self.name.clone(), found, expected: rows });
            }
            let contents = ciphertext.contents();
            // Results may have another modulus than fresh values.
            let alike = Contents { modulus: contents.modulus, signed: contents.signed, ..*first };
            alike.check(&contents, "column of a frame")?;
        }
        if let Some(units) = &self.units {
            check_sign(&self.name, units, &self.values)?;
            units.check_modulus(self.values.modulus())?;
        }
        self.groups.as_ref().map_or(Ok(()), |groups| self.check_groups(groups))
    }

    /// Checks that sums by groups have neither gaps nor units.
    fn check_groups(&self, groups: &RowGroups) -> Result<()> {
        groups.check()?;
        match self.validity.is_some() || self.units.is_some() {
            true => Err(Error::of_column(&self.name, ColumnProblem::Sums)),
            false => Ok(()),
        }
    }
}

/// Checks that values are signed if their representation is, and vice versa.
pub(crate) fn check_sign(name: &str, units: &Column, values: &Ciphertext) -> Result<()> {
    let signed = values.is_signed();
    match units.encoding().is_signed() == signed {
        true => Ok(()),
        false => Err(Error::of_column(name, ColumnProblem::Signs { signed })),
    }
}

/// Encrypted columns with names, all with the same number of rows and of one client's key.
///
/// The following is public: the names, the number of rows, which columns may have gaps, which are signed, which have
/// values below a half or a quarter of the modulus according to their schema, and the units of results.
#[derive(Clone, Debug)]
pub struct Frame {
    columns: Vec<FrameColumn>,
}

impl Frame {
    /// Joins columns.
    ///
    /// # Errors
    /// If there are none or too many, if two have the same name, or if their numbers of rows, keys or parameters differ.
    pub fn new(columns: Vec<FrameColumn>) -> Result<Self> {
        check_count(columns.len())?;
        let (rows, first) = (columns[0].values.count(), columns[0].values.contents());
        let mut names = HashSet::new();
        for column in &columns {
            column.check(rows, &first)?;
            if !names.insert(column.name()) {
                return Err(Error::TwoColumns(column.name.clone()));
            }
            if column.groups != columns[0].groups {
                return Err(Error::of_column(column.name(), ColumnProblem::Mixed));
            }
        }
        Ok(Self { columns })
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns[0].values.count()
    }

    /// Returns the columns.
    #[must_use]
    pub fn columns(&self) -> &[FrameColumn] {
        &self.columns
    }

    /// Returns the names of all columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// Returns the column of this name.
    ///
    /// # Errors
    /// [`Error::NoColumn`] if there is none.
    pub fn column(&self, name: &str) -> Result<&FrameColumn> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.ok_or_else(|| Error::NoColumn { name: name.into(), known: self.names() })
    }

    /// Returns the engine, parameters and key that all columns share. Modulus and sign are those of the first column.
    #[must_use]
    pub fn contents(&self) -> Contents {
        self.columns[0].values.contents()
    }

    /// Writes the frame.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_to(&self, writer: impl Write) -> Result<()> {
        let columns: Vec<WrittenColumn> = self.columns.iter().map(WrittenColumn::of).collect();
        let contents = self.contents();
        let mut length = BodyWriter::new(io::sink());
        self.write_body(&columns, &mut length)?;
        let (object_type, digest) = (ObjectType::EncryptedFrame, &contents.parameter_digest);
        let object = ObjectWriter::new(writer, object_type, digest, length.position())?;
        let mut body = BodyWriter::new(object);
        self.write_body(&columns, &mut body)?;
        body.into_inner().finish()?;
        Ok(())
    }

    fn write_body<W: Write>(
        &self,
        columns: &[WrittenColumn],
        body: &mut BodyWriter<W>,
    ) -> io::Result<()> {
        body.raw(&self.contents().key_id.0)?;
        body.u64(self.rows() as u64)?;
        body.u32(columns.len() as u32)?;
        for (written, column) in columns.iter().zip(&self.columns) {
            body.bytes(column.name.as_bytes())?;
            let has_validity = if written.validity.is_some() { HAS_VALIDITY } else { 0 };
            let has_units = if written.units.is_some() { HAS_UNITS } else { 0 };
            let has_groups = if column.groups.is_some() { HAS_GROUPS } else { 0 };
            let spare_bits = (column.spare_bits as u8) << SPARE_BITS;
            body.u8(has_validity | has_units | has_groups | spare_bits)?;
            if let Some(units) = &written.units {
                body.bytes(units)?;
            }
            if let Some(RowGroups { column, groups }) = &column.groups {
                body.bytes(column.as_bytes())?;
                body.u32(*groups)?;
            }
            let fields = [Some(&written.values), written.validity.as_ref()];
            fields.into_iter().flatten().try_for_each(|bytes| body.bytes(bytes))?;
        }
        Ok(())
    }

    /// Returns the bytes of a file with the frame.
    ///
    /// # Panics
    /// Never: writing to memory cannot fail.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes).expect("memory takes all bytes");
        bytes
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged frame, or if a ciphertext needs more memory than the options allow.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let limit = bytes.len() as u64;
        let body = read_object(bytes, ObjectType::EncryptedFrame, None, limit)?;
        let mut reader = BodyReader::new(body);
        let key_id: [u8; 16] = reader.array("key identifier")?;
        let rows = reader.u64("number of rows")?;
        let count = reader.u32("number of columns")?;
        if count == 0 || count as usize > MAX_COLUMNS {
            return Err(WireError::invalid("number of columns", count, "1 to 4096").into());
        }
        let columns = (0..count).map(|_| read_column(&mut reader, options));
        let frame = Self::new(columns.collect::<Result<_>>()?)?;
        reader.finish()?;
        if frame.rows() as u64 != rows {
            return Err(WireError::invalid("number of rows", rows, "that of the columns").into());
        }
        let contents = frame.contents();
        let header = cryptable_wire::peek_header(bytes)?;
        if contents.key_id.0 != key_id || contents.parameter_digest != header.parameter_digest {
            let expected = "those of the columns";
            return Err(WireError::invalid("key identifier and digest", "others", expected).into());
        }
        Ok(frame)
    }
}

/// The fields of a column in a file.
struct WrittenColumn {
    units: Option<Vec<u8>>,
    values: Vec<u8>,
    validity: Option<Vec<u8>>,
}

impl WrittenColumn {
    fn of(column: &FrameColumn) -> Self {
        let json = |units: &Column| serde_json::to_vec(units.literal()).expect("fields of text");
        Self {
            units: column.units.as_ref().map(json),
            values: column.values.to_bytes(),
            validity: column.validity.as_ref().map(Ciphertext::to_bytes),
        }
    }
}

fn read_column(reader: &mut BodyReader<'_>, options: ReadOptions) -> Result<FrameColumn> {
    let name = read_name(reader)?;
    let marks = reader.u8("marks of a column")?;
    let spare_bits = u32::from(marks >> SPARE_BITS);
    if spare_bits > MAX_SPARE_BITS {
        return Err(WireError::invalid("marks of a column", marks, "0 to 23").into());
    }
    let units = match marks & HAS_UNITS {
        0 => None,
        _ => {
            let json = reader.bytes("units of a column", MAX_UNITS_BYTES)?;
            let literal: ColumnSchema = serde_json::from_slice(json)
                .map_err(|error| Error::Syntax { what: "units", text: error.to_string() })?;
            if serde_json::to_vec(&literal).is_ok_and(|written| written != json) {
                let expected = "fields in order, without spaces";
                return Err(WireError::invalid("units of a column", "others", expected).into());
            }
            Some(Column::new(literal)?)
        }
    };
    let groups = match marks & HAS_GROUPS {
        0 => None,
        _ => {
            Some(RowGroups { column: read_name(reader)?, groups: reader.u32("number of groups")? })
        }
    };
    let values = read_ciphertext(reader, options)?;
    let validity = match marks & HAS_VALIDITY {
        0 => None,
        _ => Some(read_ciphertext(reader, options)?),
    };
    Ok(FrameColumn { name, values, validity, units, groups, spare_bits })
}

fn read_name(reader: &mut BodyReader<'_>) -> Result<String> {
    let name = reader.bytes("name of a column", MAX_NAME_BYTES as u64)?;
    let invalid = || WireError::invalid("name of a column", "not UTF-8", "UTF-8");
    Ok(std::str::from_utf8(name).map_err(|_| invalid())?.to_owned())
}

fn read_ciphertext(reader: &mut BodyReader<'_>, options: ReadOptions) -> Result<Ciphertext> {
    let bytes = reader.bytes("ciphertexts of a column", u64::MAX)?;
    let mut file = CiphertextReader::new(Cursor::new(bytes))?.with_options(options);
    let mut parts = Vec::new();
    while let Some(part) = file.next_ciphertext()? {
        parts.push(part);
    }
    Ok(Ciphertext::join(parts)?)
}
