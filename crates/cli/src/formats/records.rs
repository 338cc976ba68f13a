//! Lines of separated fields: delimiters, quotes, empty lines, encodings.

use std::io::{BufRead, BufReader, Chain, Cursor, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::integer;
use crate::printable::Printable as _;
use anyhow::{Context, Result, bail, ensure};

/// Longest line that is read.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The byte order mark of UTF-8.
const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// What may separate fields if nothing is said; the first is taken where several come as often.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// What stands for missing values, in small letters.
const MISSING: [&str; 4] = ["", "na", "null", "nan"];

/// What else stands for missing values where fields are numbers; among words it may be one of them.
const MISSING_NUMBERS: [&str; 9] =
    ["none", "nil", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "-nan", "nat"];

/// Records of a CSV file, with their line numbers.
pub struct Records<R> {
    reader: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    path: PathBuf,
    delimiter: u8,
    /// The byte that ends lines.
    terminator: u8,
    /// The file begins with the byte order mark of UTF-8.
    #[cfg(feature = "client")]
    has_mark: bool,
    /// Lines end in a carriage return and a newline, as the first does.
    #[cfg(feature = "client")]
    has_returns: bool,
    /// Number of the line that comes next, from 1.
    next_line: u64,
    /// Number of fields of the first record; none yet if 0.
    width: usize,
    /// The last record that was read.
    record: Record,
    /// Empty lines before it, from the one on that we are at.
    empty_left: u64,
    /// Line number of where we are.
    line: u64,
    /// Empty lines at the end of the file.
    skipped: u64,
}

/// One line, or several where a quoted field holds line ends.
#[derive(Default)]
struct Record {
    line: u64,
    raw: Vec<u8>,
    /// All fields without quotes, one after the other.
    text: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl<R: Read> Records<R> {
    /// Reads records; `path` is for messages. The delimiter is found in the first line if it is not given.
    ///
    /// # Errors
    /// If the file cannot be read or is not in UTF-8 or the like.
    pub fn new(mut reader: R, path: &Path, delimiter: Option<u8>) -> Result<Self> {
        let start = read_first_line(&mut reader)
            .with_context(|| format!("cannot read {}", path.printable()))?;
        let mark = check_encoding(&start).with_context(|| path.printable())?;
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

    /// Moves to the next record. Empty lines are records, but for those at the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read, or the record has another number of fields than the first.
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
        // They are met before the record.
        self.empty_left = empty;
        self.line = if empty > 0 { first } else { self.record.line };
        Ok(true)
    }

    fn check_width(&mut self) -> Result<()> {
        let width = self.record.ends.len();
        let expected = if self.width == 0 { width } else { self.width };
        let (name, line) = (self.path.printable(), self.record.line);
        ensure!(width == expected, "{name} line {line}: {width} columns, {expected} before");
        self.width = width;
        Ok(())
    }

    /// Reads one record, or an empty line.
    fn read_record(&mut self) -> Result<bool> {
        let name = self.path.printable();
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

    /// Whether the current record is an empty line.
    pub fn is_empty_line(&self) -> bool {
        self.empty_left > 0
    }

    /// The fields of the current record.
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

    /// The text of a field of the current record.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn text(&self, column: usize) -> Result<&str> {
        std::str::from_utf8(self.field(column)).with_context(|| {
            format!("{} line {}: it is not UTF-8", self.path.printable(), self.line)
        })
    }

    /// The current line as it is, without its end.
    #[cfg(feature = "client")]
    pub fn raw(&self) -> &[u8] {
        if self.is_empty_line() { &[] } else { self.record.raw.trim_ascii_end_of_line() }
    }

    /// What the file begins with beside its text: a byte order mark, or nothing.
    #[cfg(feature = "client")]
    pub fn mark(&self) -> &'static [u8] {
        if self.has_mark { MARK } else { b"" }
    }

    /// What lines end in.
    #[cfg(feature = "client")]
    pub fn line_end(&self) -> &'static [u8] {
        match (self.has_returns, self.terminator) {
            (true, _) => b"\r\n",
            (_, b'\r') => b"\r",
            _ => b"\n",
        }
    }

    /// Number of fields of a record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Line number of the current record, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Empty lines at the end, once there.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// What separates fields.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The integer in a field of the current record, if it is one.
    pub fn integer(&self, column: usize) -> Option<i128> {
        integer::parse(std::str::from_utf8(self.field(column)).ok()?).ok()
    }

    /// Whether a field of the current record is a number, an integer or not.
    fn is_number(&self, column: usize) -> bool {
        let text = std::str::from_utf8(self.field(column)).unwrap_or_default();
        text.parse::<f64>().is_ok_and(f64::is_finite)
    }

    /// The first of these fields of the current record that stands for a missing value.
    pub fn missing_among(&self, columns: Range<usize>) -> Option<String> {
        self.fields().take(columns.end).skip(columns.start).find(|field| is_missing(field))
    }

    /// Whether the current record looks like a header: words, and no number.
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

    /// Finds the fields; false if a quote is open.
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

/// What lines are cut by.
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

/// Whether a field stands for a missing word.
pub fn is_missing_word(field: &str) -> bool {
    MISSING.iter().any(|missing| field.eq_ignore_ascii_case(missing))
}

/// Whether a field stands for a missing number.
pub fn is_missing(field: &str) -> bool {
    is_missing_word(field)
        || MISSING_NUMBERS.iter().any(|missing| field.eq_ignore_ascii_case(missing))
}

/// A field for a message, cut to a readable length.
pub fn quoted(field: &str) -> String {
    if field.is_empty() {
        return "an empty field".into();
    }
    let short: String = field.chars().take(40).collect();
    let dots = if short.len() < field.len() { "…" } else { "" };
    format!("\"{short}{dots}\"")
}

/// The first line, and perhaps more.
fn read_first_line(reader: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    loop {
        let found = reader.by_ref().take(1 << 16).read_to_end(&mut start)?;
        if found == 0 || start.contains(&b'\n') || start.len() as u64 >= MAX_LINE_BYTES {
            return Ok(start);
        }
    }
}

/// The length of the byte order mark of UTF-8, if there is one.
fn check_encoding(start: &[u8]) -> Result<usize> {
    if start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]) {
        bail!("it is in UTF-16; save it as UTF-8");
    }
    ensure!(!start.contains(&0), "it holds zero bytes: it is in UTF-16, or no text at all");
    Ok(if start.starts_with(MARK) { MARK.len() } else { 0 })
}

/// What there is most of in the first line, quotes aside.
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
        // A quote inside a field is a letter.
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
        assert_eq!(error(b"1,2\n3\n"), "a line 2: 1 columns, 2 before");
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
