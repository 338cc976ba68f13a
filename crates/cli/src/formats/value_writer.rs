//! Files of values, for writing.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::csv::{Coding, is_header};
use super::domain::Domain;
use super::npy;
use super::raw::WordFormat;
use super::records::Records;
use super::values::Encoding;
use crate::args::{CsvArgs, Format};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::input_file;

/// Options for writing a file of values.
#[derive(Clone, Debug)]
pub struct WriteOptions<'a> {
    /// The format, if stated.
    pub format: Option<Format>,
    /// The header of a CSV file, or of the column that is added to one.
    pub column: Option<&'a str>,
    /// A CSV file to which a column is added.
    pub join: Option<&'a Path>,
    /// Options for reading that CSV file.
    pub csv: &'a CsvArgs,
    /// Interpretation of values as fields.
    pub coding: Coding,
}

/// A file of values that is being written. Only its owner may read it.
pub struct ValueWriter {
    file: AtomicFile,
    coding: Coding,
    layout: Layout,
    written: u64,
}

/// The form in which values are written.
enum Layout {
    /// Lines of text.
    Lines,
    /// Words, or the elements of an array.
    Words(WordFormat),
    /// The last field of the lines of another file.
    Joined(Box<Rows>),
}

impl ValueWriter {
    /// Starts a file of `count` values.
    pub fn create(path: &Path, options: &WriteOptions<'_>, count: u64) -> Result<Self> {
        let shown = atomic_file::name(path);
        let is_stream = atomic_file::target_of(path)?.is_none();
        let coding = options.coding.clone();
        let encoding = Encoding::of(path, options.format, is_stream, &coding)?;
        let is_text = matches!(encoding, Encoding::Text);
        if let (Some(column), false) = (options.column, is_text) {
            bail!("{shown}: only CSV files have columns, not \"{column}\"");
        }
        ensure!(is_text || options.join.is_none(), "{shown}: --join writes CSV files only");
        // The other file is checked before this one is created.
        let rows = options.join.map(|join| Rows::open(join, options)).transpose()?;
        let mut start = Vec::new();
        let layout = match (encoding, &coding, rows) {
            (_, _, Some(rows)) => {
                start.extend(rows.records.mark());
                start.extend(rows.header.iter().flatten());
                Layout::Joined(Box::new(rows))
            }
            (Encoding::Array, Coding::Integers(domain), None) => {
                let word = WordFormat::of(*domain);
                start = npy::header(word, count);
                Layout::Words(word)
            }
            (Encoding::Raw(word), Coding::Integers(domain), None) => {
                let word = WordFormat { signed: domain.signed, ..word };
                check_words(word, *domain, path)?;
                Layout::Words(word)
            }
            _ => {
                options.column.map(|name| write_line(&mut start, name)).transpose()?;
                Layout::Lines
            }
        };
        let mut file = atomic_file::create(path, Access::Private)?;
        file.write_all(&start)?;
        Ok(Self { file, coding, layout, written: 0 })
    }

    /// Appends values.
    pub fn write(&mut self, values: &[u64]) -> Result<()> {
        for &value in values {
            match (&mut self.layout, &self.coding) {
                (Layout::Words(word), Coding::Integers(domain)) => {
                    let integer = domain.integer(value) as i64;
                    self.file.write_all(&integer.to_le_bytes()[..word.bytes])?;
                }
                (Layout::Joined(rows), coding) => {
                    let line = rows.next(&coding.field(value)?, self.written)?;
                    self.file.write_all(&line)?;
                }
                (_, Coding::Integers(domain)) => writeln!(self.file, "{}", domain.integer(value))?,
                (_, coding) => write_line(&mut self.file, &coding.field(value)?)?,
            }
            self.written += 1;
        }
        Ok(())
    }

    /// Completes the file and returns its size in bytes.
    pub fn commit(self) -> Result<u64> {
        Self::commit_all(vec![self])
    }

    /// Completes files, either all of them or none, and returns their size in bytes together.
    pub fn commit_all(writers: Vec<Self>) -> Result<u64> {
        let mut files = Vec::with_capacity(writers.len());
        for mut writer in writers {
            if let Layout::Joined(rows) = &mut writer.layout {
                rows.finish(writer.written)?;
            }
            files.push(writer.file);
        }
        Ok(AtomicFile::commit_all(files, true)?.iter().sum())
    }
}

fn check_words(word: WordFormat, domain: Domain, path: &Path) -> Result<()> {
    ensure!(
        word.holds(domain),
        "{}: values up to {} do not fit into words of {} bits",
        atomic_file::name(path),
        domain.largest(),
        8 * word.bytes
    );
    Ok(())
}

/// The rows to which a column is added.
struct Rows {
    records: Records<File>,
    path: PathBuf,
    /// The header line with the new column, if there is one.
    header: Option<Vec<u8>>,
    /// Whether the first record has not been written yet.
    pending: bool,
}

impl Rows {
    fn open(path: &Path, options: &WriteOptions<'_>) -> Result<Self> {
        let mut records = Records::new(input_file::open(path)?, path, options.csv.delimiter)?;
        let found = records.advance()?;
        let has_header = found && is_header(&records, options.csv.stated_header(), 0..0, None)?;
        let header = has_header
            .then(|| {
                let file = input_file::name(path);
                let name = options.column.with_context(|| {
                    format!("{file} has a header line: name the new column with --column")
                })?;
                ensure!(
                    records.fields().all(|other| other != name),
                    "{file} already has a column \"{name}\"; choose another name with --column"
                );
                extended(&records, name)
            })
            .transpose()?;
        let pending = found && !has_header;
        Ok(Self { records, path: path.to_path_buf(), header, pending })
    }

    /// Returns the next row with one more field.
    fn next(&mut self, field: &str, written: u64) -> Result<Vec<u8>> {
        let found = std::mem::take(&mut self.pending) || self.records.advance()?;
        ensure!(
            found,
            "{}: {written} rows, but there are more values",
            input_file::name(&self.path)
        );
        extended(&self.records, field)
    }

    fn finish(&mut self, written: u64) -> Result<()> {
        let more = self.pending || self.records.advance()?;
        ensure!(!more, "{}: more rows than the {written} values", input_file::name(&self.path));
        Ok(())
    }
}

/// Returns the current line with one more field.
fn extended(records: &Records<File>, field: &str) -> Result<Vec<u8>> {
    let delimiter = records.delimiter();
    let mut line = records.raw().to_vec();
    if records.is_empty_line() {
        line.extend(std::iter::repeat_n(delimiter, records.width() - 1));
    }
    line.push(delimiter);
    let field = line_of(field, delimiter)?;
    line.extend(field.strip_suffix(b"\n").unwrap_or(&field));
    line.extend(records.line_end());
    Ok(line)
}

/// Writes a line of one field.
fn write_line(out: &mut impl Write, field: &str) -> Result<()> {
    out.write_all(&line_of(field, b',')?)?;
    Ok(())
}

/// Returns a line of one field, quoted if necessary.
fn line_of(field: &str, delimiter: u8) -> Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    writer.write_record([field])?;
    Ok(writer.into_inner().map_err(csv::IntoInnerError::into_error)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::values::{ValueOptions, open_values};

    fn options<'a>(
        format: Option<Format>,
        column: Option<&'a str>,
        domain: Domain,
        csv: &'a CsvArgs,
    ) -> WriteOptions<'a> {
        WriteOptions { format, column, join: None, csv, coding: Coding::Integers(domain) }
    }

    fn round_trip_of(
        name: &str,
        format: Option<Format>,
        column: Option<&str>,
        domain: Domain,
    ) -> u64 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let values: Vec<u64> = (0..1000).map(|i| i * i % domain.modulus as u64).collect();
        let csv = CsvArgs::default();
        let options = options(format, column, domain, &csv);
        let mut writer = ValueWriter::create(&path, &options, 1000).unwrap();
        values.chunks(300).for_each(|chunk| writer.write(chunk).unwrap());
        let bytes = writer.commit().unwrap();
        let coding = Coding::Integers(domain);
        let found = open_values(&path, &ValueOptions { format, column, csv: &csv, coding });
        assert_eq!(found.unwrap().collect::<Result<Vec<_>>>().unwrap(), values);
        bytes
    }

    fn round_trip(name: &str, format: Option<Format>, column: Option<&str>, modulus: u64) -> u64 {
        let bytes = round_trip_of(name, format, column, Domain::unsigned(modulus));
        let signed =
            round_trip_of(name, format, column, Domain { modulus: modulus.into(), signed: true });
        assert!(signed == bytes || name == "a.csv");
        bytes
    }

    #[test]
    fn what_is_written_is_read() {
        round_trip("a.csv", None, None, 300);
        round_trip("a.csv", None, Some("a, \"b\""), 300);
        assert_eq!(round_trip("a.npy", None, None, 256), 128 + 1000);
        assert_eq!(round_trip("a.NPY", None, None, 257), 128 + 2000);
        assert_eq!(round_trip("a.bin", None, None, 65536), 2000);
        assert_eq!(round_trip("a.bin", None, None, 65537), 4000);
        assert_eq!(round_trip("a.csv", Some(Format::Raw64), None, 5), 8000);
    }

    #[test]
    fn formats_that_do_not_fit_are_refused() {
        let error = |name, format, column, modulus| {
            let path = std::env::temp_dir().join(name);
            let csv = CsvArgs::default();
            let options = options(format, column, Domain::unsigned(modulus), &csv);
            let writer = ValueWriter::create(&path, &options, 1);
            writer.err().unwrap().to_string()
        };
        assert!(error("a.txt", None, None, 5).contains("--format"));
        assert!(error("a.bin", Some(Format::Raw8), None, 257).contains("up to 256"));
        assert!(error("a.npy", None, Some("x"), 5).contains("only CSV"));
    }
}
