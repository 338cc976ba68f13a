//! Comma-separated text.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use csv::{ByteRecord, ReaderBuilder, Trim};

use super::{check_value, open};

/// Records of a CSV file, with their line numbers.
pub struct Records<R> {
    reader: csv::Reader<R>,
    path: PathBuf,
    record: ByteRecord,
    line: u64,
}

impl<R: Read> Records<R> {
    /// Reads records; `path` is for messages.
    pub fn new(reader: R, path: &Path) -> Self {
        let reader = ReaderBuilder::new().has_headers(false).trim(Trim::All).from_reader(reader);
        Self { reader, path: path.to_path_buf(), record: ByteRecord::new(), line: 0 }
    }

    /// Moves to the next record; empty lines are none.
    ///
    /// # Errors
    /// If the file cannot be read, or the record has another number of fields than the first.
    pub fn advance(&mut self) -> Result<bool> {
        let found = self.reader.read_byte_record(&mut self.record).map_err(|error| {
            if let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() {
                let line = pos.as_ref().map_or(0, csv::Position::line);
                let name = self.path.display();
                anyhow::anyhow!("{name} line {line}: {len} columns, {expected_len} before")
            } else {
                anyhow::anyhow!("cannot read {}: {error}", self.path.display())
            }
        })?;
        self.line = self.record.position().map_or(0, csv::Position::line);
        Ok(found)
    }

    /// The fields of the current record.
    pub fn fields(&self) -> impl Iterator<Item = String> + '_ {
        self.record.iter().map(|field| String::from_utf8_lossy(field).into_owned())
    }

    /// Number of fields of the current record.
    pub fn width(&self) -> usize {
        self.record.len()
    }

    /// Line number of the current record, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The integer in a field of the current record, if it is one.
    pub fn integer(&self, column: usize) -> Option<i128> {
        let text = std::str::from_utf8(self.record.get(column)?).ok()?;
        text.parse().ok()
    }

    /// Whether the current record looks like a header: words, and no integer.
    pub fn is_header(&self) -> bool {
        let starts_word =
            |field: String| field.starts_with(|c: char| c.is_alphabetic() || c == '_');
        (0..self.width()).all(|column| self.integer(column).is_none())
            && self.fields().any(starts_word)
    }

    /// The value in a field of the current record.
    ///
    /// # Errors
    /// If it is not an integer from 0 to `modulus - 1`.
    pub fn value(&self, column: usize, label: &str, modulus: u64) -> Result<u64> {
        let place = || format!("{} line {}, {label}", self.path.display(), self.line);
        match self.integer(column) {
            Some(value) => check_value(value, modulus, place),
            None => {
                let field = self.fields().nth(column).unwrap_or_default();
                bail!("{}: {} is not an integer", place(), quoted(&field))
            }
        }
    }
}

/// A field for a message, cut to a readable length.
fn quoted(field: &str) -> String {
    if field.is_empty() {
        return "an empty field".into();
    }
    let short: String = field.chars().take(40).collect();
    let dots = if short.len() < field.len() { "…" } else { "" };
    format!("\"{short}{dots}\"")
}

/// The values of one column.
pub struct Column<R> {
    records: Records<R>,
    column: usize,
    label: String,
    modulus: u64,
    /// The current record is yet to be read from.
    pending: bool,
    finished: bool,
}

impl Column<File> {
    /// Opens a file and finds the column: by name, or by number from 1 where no column has that
    /// name, or the first.
    ///
    /// # Errors
    /// If the file cannot be read or has no such column.
    pub fn open(path: &Path, column: Option<&str>, modulus: u64) -> Result<Self> {
        Self::new(open(path)?, path, column, modulus)
    }
}

impl<R: Read> Column<R> {
    fn new(reader: R, path: &Path, column: Option<&str>, modulus: u64) -> Result<Self> {
        let mut records = Records::new(reader, path);
        let found = records.advance()?;
        let header: Vec<String> =
            if records.is_header() { records.fields().collect() } else { Vec::new() };
        let pending = found && header.is_empty();
        let index = match column {
            None => 0,
            Some(name) => find_column(name, &header, records.width())
                .with_context(|| path.display().to_string())?,
        };
        let label = match header.get(index) {
            Some(name) => format!("column \"{name}\""),
            None => format!("column {}", index + 1),
        };
        Ok(Self { records, column: index, label, modulus, pending, finished: !found })
    }

    fn read(&mut self) -> Result<Option<u64>> {
        if !std::mem::take(&mut self.pending) && !self.records.advance()? {
            return Ok(None);
        }
        self.records.value(self.column, &self.label, self.modulus).map(Some)
    }
}

impl<R: Read> Iterator for Column<R> {
    type Item = Result<u64>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.finished {
            return None;
        }
        let item = self.read().transpose();
        self.finished = !matches!(item, Some(Ok(_)));
        item
    }
}

fn find_column(name: &str, header: &[String], width: usize) -> Result<usize> {
    let same = |position: &usize| header[*position] == name;
    let mut named = (0..header.len()).filter(same);
    match (named.next(), named.next()) {
        (Some(_), Some(_)) => bail!("more than one column is called \"{name}\""),
        (Some(index), None) => return Ok(index),
        _ => {}
    }
    match name.parse::<usize>() {
        Ok(number) if (1..=width).contains(&number) => Ok(number - 1),
        _ if header.is_empty() => {
            bail!("no column \"{name}\": there is no header line; columns are 1 to {width}")
        }
        _ => {
            let names: Vec<String> = header.iter().map(|name| quoted(name)).collect();
            bail!("no column \"{name}\"; there are {}", names.join(", "))
        }
    }
}

/// Writes a header line of one column.
///
/// # Errors
/// If writing fails.
pub fn write_header(out: &mut impl Write, name: &str) -> Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([name])?;
    writer.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, column: Option<&str>) -> Result<Vec<u64>> {
        Column::new(text.as_bytes(), Path::new("v.csv"), column, 256)?.collect()
    }

    fn error(text: &str, column: Option<&str>) -> String {
        format!("{:#}", read(text, column).unwrap_err())
    }

    #[test]
    fn headers_are_recognised() {
        assert_eq!(read("1\n2\n", None).unwrap(), [1, 2]);
        assert_eq!(read("age\n1\n2", None).unwrap(), [1, 2]);
        assert_eq!(read("\u{feff}age\r\n1\r\n\r\n2\r\n", Some("age")).unwrap(), [1, 2]);
        assert_eq!(read(",age\n0,\"10\"\n1, 20 \n", Some("age")).unwrap(), [10, 20]);
        assert_eq!(read("_x\n7\n", None).unwrap(), [7]);
        assert_eq!(read("age\n", None).unwrap(), [0_u64; 0]);
        assert_eq!(read("", None).unwrap(), [0_u64; 0]);
        // A mistyped number is no header.
        assert!(error("12x\n1\n", None).contains("line 1"));
        assert!(error("-1\n1\n", None).contains("negative"));
    }

    #[test]
    fn columns_are_found_by_name_and_number() {
        let text = "a,2,b\nx,3,y\n";
        assert!(error(text, None).contains("line 1, column 1: \"a\" is not an integer"));
        let text = "a,b,c\n0,1,2\n";
        assert_eq!(read(text, Some("b")).unwrap(), [1]);
        assert_eq!(read(text, Some("3")).unwrap(), [2]);
        assert_eq!(read("5,6\n7,8\n", Some("2")).unwrap(), [6, 8]);
        assert_eq!(error(text, Some("d")), "v.csv: no column \"d\"; there are \"a\", \"b\", \"c\"");
        assert!(error("5,6\n", Some("a")).contains("no header line; columns are 1 to 2"));
        assert!(error("a,a\n5,6\n", Some("a")).contains("more than one"));
    }

    #[test]
    fn errors_name_line_column_value_and_limit() {
        assert_eq!(
            error("name,age\n\nann,3\nbob,300\n", Some("age")),
            "v.csv line 4, column \"age\": 300 is not below the modulus 256"
        );
        assert!(error("1\n2.5\n", None).contains("line 2, column 1: \"2.5\" is not an integer"));
        assert!(error("a,b\n,1\n", None).contains("line 2, column \"a\": an empty field"));
        assert_eq!(error("1,2\n3\n", None), "v.csv line 2: 1 columns, 2 before");
        let long = error(&format!("1\n{}\n", "9".repeat(1000)), None);
        assert!(long.contains("9…\" is not an integer") && long.len() < 120, "{long}");
    }
}
