//! Records of separated fields: delimiters, quotes, empty lines, encodings.

use std::io::{BufRead, BufReader, Chain, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::integer;
use crate::input_file;
use crate::report::counted;
use anyhow::{Context, Result, bail, ensure};

/// Longest record that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The byte order mark of UTF-8.
const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// Delimiters that are recognised by default. If several are equally frequent, the first is chosen.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Fields that mean a missing value, in lower case.
const MISSING: [&str; 4] = ["", "na", "null", "nan"];

/// Fields that mean a missing value only among numbers, since they may be words.
const MISSING_NUMBERS: [&str; 9] =
    ["none", "nil", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "-nan", "nat"];

/// A reader of a CSV file's records, with their line numbers.
pub struct Records<R> {
    reader: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    path: PathBuf,
    delimiter: u8,
    /// The byte at the end of each line.
    terminator: u8,
    /// Whether the file begins with the byte order mark of UTF-8.
    #[cfg(feature = "client")]
    has_mark: bool,
    /// Whether lines end in a carriage return and a newline, like the first one.
    #[cfg(feature = "client")]
    has_returns: bool,
    /// Number of the next line, counted from 1.
    next_line: u64,
    /// Number of fields in the first record; 0 until it has been read.
    width: usize,
    /// The last record that was read.
    record: Record,
    /// Number of empty lines before `record` that have not been returned yet, including the current one.
    empty_left: u64,
    /// Line number of the current record.
    line: u64,
    /// Number of empty lines at the end of the file.
    skipped: u64,
}

/// One line, or several if a quoted field contains line ends.
#[derive(Default)]
struct Record {
    line: u64,
    raw: Vec<u8>,
    /// All fields without quotes, one after another.
    text: Vec<u8>,
    /// The end of each field in `text`.
    ends: Vec<usize>,
}

impl<R: Read> Records<R> {
    /// Creates a reader. `path` is for messages. If no delimiter is stated, it is recognised in the first line.
    pub fn new(mut reader: R, path: &Path, delimiter: Option<u8>) -> Result<Self> {
        let start = read_first_line(&mut reader)
            .with_context(|| format!("cannot read {}", input_file::name(path)))?;
        let mark = check_encoding(&start).with_context(|| input_file::name(path))?;
        let start = start[mark..].to_vec();
        let terminator =
            if start.contains(&b'\n') || !start.contains(&b'\r') { b'\n' } else { b'\r' };
        let delimiter = delimiter.unwrap_or_else(|| found_delimiter(&start));
        #[cfg(feature = "client")]
        let has_returns = {
            let mut lines = start.split_inclusive(|&byte| byte == b'\n');
            lines.next().is_some_and(|line| line.ends_with(b"\r\n"))
        };
        Ok(Self {
            reader: BufReader::with_capacity(1 << 16, Cursor::new(start).chain(reader)),
            path: path.to_path_buf(),
            delimiter,
            terminator,
            #[cfg(feature = "client")]
            has_mark: mark > 0,
            #[cfg(feature = "client")]
            has_returns,
            next_line: 1,
            width: 0,
            record: Record::default(),
            empty_left: 0,
            line: 0,
            skipped: 0,
        })
    }

    /// Moves to the next record and returns whether there is one. Empty lines are records, except at the end of the
    /// file.
    pub fn advance(&mut self) -> Result<bool> {
        if self.empty_left > 0 {
            self.empty_left -= 1;
            self.line = if self.empty_left > 0 { self.line + 1 } else { self.record.line };
            return Ok(true);
        }
        let first = self.next_line;
        let mut empty = 0;
        loop {
            if !self.read_record()? {
                self.skipped = empty;
                return Ok(false);
            }
            if !self.record.is_empty() {
                break;
            }
            empty += 1;
        }
        self.check_width()?;
        // The empty lines come before the record.
        self.empty_left = empty;
        self.line = if empty > 0 { first } else { self.record.line };
        Ok(true)
    }

    fn check_width(&mut self) -> Result<()> {
        let width = self.record.ends.len();
        let expected = if self.width == 0 { width } else { self.width };
        let (name, line) = (input_file::name(&self.path), self.record.line);
        ensure!(
            width == expected,
            "{name} line {line}: {}, but {expected} on the lines before",
            counted(width as u64, "column")
        );
        self.width = width;
        Ok(())
    }

    /// Reads one record, or an empty line. Returns false at the end of the file.
    fn read_record(&mut self) -> Result<bool> {
        let name = input_file::name(&self.path);
        let record = &mut self.record;
        record.raw.clear();
        record.line = self.next_line;
        loop {
            let room = MAX_LINE_BYTES.saturating_sub(record.raw.len() as u64);
            ensure!(
                room > 0,
                "{name} line {}: more than {MAX_LINE_BYTES} bytes; is a quote open?",
                record.line
            );
            let found = self
                .reader
                .by_ref()
                .take(room)
                .read_until(self.terminator, &mut record.raw)
                .with_context(|| format!("cannot read {name}"))?;
            let is_end = found == 0;
            ensure!(!record.raw.contains(&0), "{name} line {}: it is not text", record.line);
            if is_end && record.raw.is_empty() {
                return Ok(false);
            }
            self.next_line += u64::from(!is_end);
            let is_whole = is_end || record.raw.ends_with(&[self.terminator]);
            if is_whole && record.split(self.delimiter) {
                return Ok(true);
            }
            ensure!(!is_end, "{name} line {}: a quote is not closed", record.line);
        }
    }

    /// Returns whether the current record is an empty line.
    pub fn is_empty_line(&self) -> bool {
        self.empty_left > 0
    }

    /// Returns the fields of the current record.
    pub fn fields(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.width()).map(|column| String::from_utf8_lossy(self.field(column)).into_owned())
    }

    fn field(&self, column: usize) -> &[u8] {
        if self.is_empty_line() || column >= self.record.ends.len() {
            return &[];
        }
        let start = column.checked_sub(1).map_or(0, |before| self.record.ends[before]);
        &self.record.text[start..self.record.ends[column]]
    }

    /// Returns the text of a field of the current record.
    pub fn text(&self, column: usize) -> Result<&str> {
        std::str::from_utf8(self.field(column)).with_context(|| {
            format!("{} line {}: it is not UTF-8", input_file::name(&self.path), self.line)
        })
    }

    /// Returns the current line unchanged, without its end.
    #[cfg(feature = "client")]
    pub fn raw(&self) -> &[u8] {
        if self.is_empty_line() { &[] } else { self.record.raw.trim_ascii_end_of_line() }
    }

    /// Returns the byte order mark of the file, or nothing if it has none.
    #[cfg(feature = "client")]
    pub fn mark(&self) -> &'static [u8] {
        if self.has_mark { MARK } else { b"" }
    }

    /// Returns the bytes at the end of each line.
    #[cfg(feature = "client")]
    pub fn line_end(&self) -> &'static [u8] {
        match (self.has_returns, self.terminator) {
            (true, _) => b"\r\n",
            (_, b'\r') => b"\r",
            _ => b"\n",
        }
    }

    /// Returns the number of fields per record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the line number of the current record, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of empty lines at the end, once the end has been reached.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns the delimiter.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// Returns the path of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the integer in a field of the current record, if it is one.
    pub fn integer(&self, column: usize) -> Option<i128> {
        integer::parse(std::str::from_utf8(self.field(column)).ok()?).ok()
    }

    /// Returns whether a field of the current record is a number, integer or not.
    fn is_number(&self, column: usize) -> bool {
        let text = std::str::from_utf8(self.field(column)).unwrap_or_default();
        text.parse::<f64>().is_ok_and(f64::is_finite)
    }

    /// Returns the first field of the current record within `columns` that means a missing value.
    pub fn missing_among(&self, columns: Range<usize>) -> Option<String> {
        self.fields().take(columns.end).skip(columns.start).find(|field| is_missing(field))
    }

    /// Returns whether the current record looks like a header: it has words and no number.
    pub fn is_header(&self) -> bool {
        let starts_word = |field: String| {
            field.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_missing(&field)
        };
        !self.is_empty_line()
            && !(0..self.width()).any(|column| self.is_number(column))
            && self.fields().any(starts_word)
    }
}

impl Record {
    fn is_empty(&self) -> bool {
        self.raw.trim_ascii().is_empty()
    }

    /// Finds the fields. Returns false if a quote is not closed.
    fn split(&mut self, delimiter: u8) -> bool {
        self.text.clear();
        self.ends.clear();
        let mut rest = self.raw.trim_ascii_end_of_line();
        loop {
            let field = rest.trim_spaces_start(delimiter);
            let start = self.text.len();
            if let Some(mut quoted) = field.strip_prefix(b"\"") {
                loop {
                    let Some(end) = quoted.iter().position(|&byte| byte == b'"') else {
                        return false;
                    };
                    self.text.extend(&quoted[..end]);
                    quoted = &quoted[end + 1..];
                    let Some(after) = quoted.strip_prefix(b"\"") else { break };
                    self.text.push(b'"');
                    quoted = after;
                }
                rest = quoted;
            } else {
                rest = field;
            }
            let end = rest.iter().position(|&byte| byte == delimiter);
            self.text.extend(&rest[..end.unwrap_or(rest.len())]);
            while self.text.len() > start && matches!(self.text.last(), Some(b' ' | b'\t' | b'\r'))
            {
                self.text.pop();
            }
            self.ends.push(self.text.len());
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return true,
            }
        }
    }
}

/// Trimming of lines and fields.
trait Cut {
    fn trim_ascii_end_of_line(&self) -> &[u8];
    fn trim_spaces_start(&self, delimiter: u8) -> &[u8];
}

impl Cut for [u8] {
    fn trim_ascii_end_of_line(&self) -> &[u8] {
        let length =
            self.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
        &self[..length]
    }

    fn trim_spaces_start(&self, delimiter: u8) -> &[u8] {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t') && *byte != delimiter;
        &self[self.iter().take_while(|byte| is_space(byte)).count()..]
    }
}

/// Returns whether a field means a missing word.
pub fn is_missing_word(field: &str) -> bool {
    MISSING.iter().any(|missing| field.eq_ignore_ascii_case(missing))
}

/// Returns whether a field means a missing number.
pub fn is_missing(field: &str) -> bool {
    is_missing_word(field)
        || MISSING_NUMBERS.iter().any(|missing| field.eq_ignore_ascii_case(missing))
}

/// Formats a field for a message, shortened to a readable length.
pub fn quoted(field: &str) -> String {
    if field.is_empty() {
        return "an empty field".into();
    }
    let short: String = field.chars().take(40).collect();
    let dots = if short.len() < field.len() { "…" } else { "" };
    format!("\"{short}{dots}\"")
}

/// Reads the first line, and perhaps more.
fn read_first_line(reader: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    loop {
        let found = reader.by_ref().take(1 << 16).read_to_end(&mut start)?;
        if found == 0 || start.contains(&b'\n') || start.len() as u64 >= MAX_LINE_BYTES {
            return Ok(start);
        }
    }
}

/// Returns the length of the byte order mark, or 0. Fails for encodings other than UTF-8.
fn check_encoding(start: &[u8]) -> Result<usize> {
    if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
        bail!("it is in UTF-16; save it as UTF-8");
    }
    ensure!(!start.contains(&0), "it holds zero bytes: it is in UTF-16, or not text at all");
    Ok(if start.starts_with(MARK) { MARK.len() } else { 0 })
}

/// Returns the delimiter that is most frequent in the first line, outside quotes.
fn found_delimiter(start: &[u8]) -> u8 {
    let (mut counts, mut is_quoted) = ([0_usize; DELIMITERS.len()], false);
    for &byte in start.iter().take_while(|byte| !b"\r\n".contains(byte)) {
        is_quoted ^= byte == b'"';
        if let (Some(i), false) = (DELIMITERS.iter().position(|&d| d == byte), is_quoted) {
            counts[i] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    DELIMITERS[counts.iter().position(|&count| count == most).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(u64, Vec<String>)> {
        let mut records = Records::new(text.as_bytes(), Path::new("a.csv"), None).unwrap();
        let mut found = Vec::new();
        while records.advance().unwrap() {
            let fields = if records.is_empty_line() { vec![] } else { records.fields().collect() };
            found.push((records.line(), fields));
        }
        found
    }

    fn record(line: u64, fields: &[&str]) -> (u64, Vec<String>) {
        (line, fields.iter().map(|field| (*field).to_string()).collect())
    }

    #[test]
    fn quotes_line_ends_and_delimiters() {
        let expected = [record(1, &["a", "b"]), record(2, &["x, \"y\"", "1"])];
        assert_eq!(all("a,b\r\n\"x, \"\"y\"\"\" , 1 \r\n"), expected);
        assert_eq!(all("\u{feff}a;b\n\"x, \"\"y\"\"\";1"), expected);
        assert_eq!(all("a\tb\r\"x, \"\"y\"\"\"\t1\r"), expected);
        assert_eq!(all("\"a\nb\",1\n2,\n"), [record(1, &["a\nb", "1"]), record(3, &["2", ""])]);
        // A quote inside a field is an ordinary character.
        assert_eq!(all("5\" pipe,1"), [record(1, &["5\" pipe", "1"])]);
    }

    #[test]
    fn empty_lines_are_records_but_at_the_end() {
        let expected = [record(1, &["1"]), record(2, &[]), record(3, &[]), record(4, &["2"])];
        assert_eq!(all("1\n\n \n2\n\n\n"), expected);
        assert_eq!(all("\r\n1\r\n"), [record(1, &[]), record(2, &["1"])]);
        let mut records = Records::new(&b"1\n\n\n"[..], Path::new("a"), None).unwrap();
        assert!(records.advance().unwrap() && !records.advance().unwrap());
        assert_eq!(records.skipped(), 2);
        assert!(all("").is_empty());
    }

    #[test]
    fn what_is_no_text_is_named() {
        let error = |bytes: &[u8]| {
            let read = || {
                let mut records = Records::new(bytes, Path::new("a"), None)?;
                while records.advance()? {}
                anyhow::Ok(())
            };
            format!("{:#}", read().unwrap_err())
        };
        assert!(error(b"\xFF\xFE1\0\n\0").contains("a: it is in UTF-16"));
        assert!(error(b"1\0\n\0").contains("zero bytes"));
        assert_eq!(error(b"1\n\"2\n3\n"), "a line 2: a quote is not closed");
        assert_eq!(error(b"1,2\n3\n"), "a line 2: 1 column, but 2 on the lines before");
    }

    #[test]
    fn headers_have_words_and_no_number() {
        let is_header = |text: &str| {
            let mut records = Records::new(text.as_bytes(), Path::new("a"), None).unwrap();
            records.advance().unwrap() && records.is_header()
        };
        for text in ["age", "name,age", "_x,inf", "name,"] {
            assert!(is_header(text), "{text}");
        }
        for text in ["ann,3", "ann,3.0", "ann,2.5", "ann,1e18", "NA", "12x", "-"] {
            assert!(!is_header(text), "{text}");
        }
    }
}
