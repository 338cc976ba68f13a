//! Columns of values in comma-separated text.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::csv::{Coding, ReadNote, is_header};
use super::records::{Records, is_missing, is_missing_word, quoted};
use crate::args::CsvArgs;
use crate::input_file;
use crate::suggestion::did_you_mean;

/// Options for finding and reading a column.
#[derive(Clone, Debug)]
pub struct ColumnOptions<'a> {
    /// Name or number of the column.
    pub column: Option<&'a str>,
    /// Options for reading the file.
    pub csv: &'a CsvArgs,
    /// Interpretation of fields as values.
    pub coding: Coding,
}

/// An iterator over the values of one column.
pub struct Column<R> {
    records: Records<R>,
    column: usize,
    label: String,
    coding: Coding,
    missing: Option<String>,
    note: ReadNote,
    /// Whether the current record has not been used yet.
    pending: bool,
    finished: bool,
}

impl<R: Read> Column<R> {
    /// Finds the column: by name; by number, counted from 1, if no column has that name; or the only column.
    pub fn new(reader: R, path: &Path, options: &ColumnOptions<'_>) -> Result<Self> {
        let ColumnOptions { column, csv, coding } = options;
        let mut records = Records::new(reader, path, csv.delimiter)?;
        let found = records.advance()?;
        let is_named = column.is_some_and(|column| records.fields().any(|field| field == column));
        let position = column.and_then(|column| column.parse::<usize>().ok());
        let position = position.map_or(0, |number| number.saturating_sub(1));
        let header = match (coding, csv.stated_header()) {
            // Words may look like a header, but hardly like the requested name.
            (Coding::Words(..), None) if is_named && records.is_header() => true,
            (Coding::Words(book, _), stated) => {
                is_header(&records, stated, 0..0, Some((position, &book.borrow())))?
            }
            (Coding::Integers(_), stated) => {
                // A column that is found by name has a header. If there are several columns and none is named, the
                // error about them comes first.
                let is_certain = is_named || column.is_none() && records.width() > 1;
                let values = if is_certain { 0..0 } else { position..position + 1 };
                is_header(&records, stated, values, None)?
            }
        };
        let names: Vec<String> = if header { records.fields().collect() } else { Vec::new() };
        let index = match column {
            None if records.width() > 1 => {
                bail!(
                    "{}: {}; choose one with --column",
                    input_file::name(path),
                    columns(&names, &records)
                )
            }
            Some(name) if found => find_column(name, &names, records.width())
                .with_context(|| input_file::name(path))?,
            _ => 0,
        };
        let label = match names.get(index) {
            Some(name) => format!("column \"{name}\""),
            None => format!("column {}", index + 1),
        };
        let (column, missing_as) = (Some(label.clone()), csv.missing.clone());
        let note = ReadNote { column, missing_as, ..ReadNote::new(&records, header, 0) };
        if let (Coding::Integers(_), Some(missing)) = (coding, &csv.missing) {
            coding.value(missing, || "--missing".into())?;
        }
        Ok(Self {
            records,
            column: index,
            label,
            coding: coding.clone(),
            missing: csv.missing.clone(),
            note,
            pending: found && !header,
            finished: !found,
        })
    }

    fn read(&mut self) -> Result<Option<u64>> {
        if !std::mem::take(&mut self.pending) && !self.records.advance()? {
            self.note.skipped = self.records.skipped();
            return Ok(None);
        }
        let is_missing = match self.coding {
            Coding::Integers(_) => is_missing,
            Coding::Words(..) => is_missing_word,
        };
        let value = if is_missing(self.records.text(self.column)?) {
            self.note.missing += 1;
            self.missing_value()?
        } else {
            let place = || self.place();
            self.coding.value(self.records.text(self.column)?, place)?
        };
        self.note.rows += 1;
        Ok(Some(value))
    }

    fn place(&self) -> String {
        format!(
            "{} line {}, {}",
            input_file::name(self.records.path()),
            self.records.line(),
            self.label
        )
    }

    fn missing_value(&self) -> Result<u64> {
        if let Some(missing) = &self.missing {
            return self.coding.value(missing, || "--missing".into());
        }
        let (name, line) = (input_file::name(self.records.path()), self.records.line());
        let hint = "--missing VALUE replaces it";
        if self.records.is_empty_line() {
            bail!("{name} line {line}: an empty line; {hint}");
        }
        let found = quoted(self.records.text(self.column)?);
        bail!("{}: {found} is a missing value; {hint}", self.place())
    }

    /// Returns what was read so far.
    pub fn note(&self) -> &ReadNote {
        &self.note
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

/// Describes the columns of a file: `3 columns, "a", "b", "c"`.
fn columns<R: Read>(names: &[String], records: &Records<R>) -> String {
    let width = records.width();
    if names.is_empty() {
        return format!("{width} columns without a header line: 1 to {width}");
    }
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    format!("{width} columns, {}", names.join(", "))
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
            let known =
                if width == 1 { "only column 1".into() } else { format!("columns 1 to {width}") };
            bail!("no column \"{name}\": there is no header line, and {known}")
        }
        _ => {
            let names: Vec<String> = header.iter().map(|name| quoted(name)).collect();
            let hint = did_you_mean(name, header.iter().map(String::as_str));
            bail!("no column \"{name}\"; there are {}{hint}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::domain::Domain;

    fn read_with(text: &str, column: Option<&str>, csv: &CsvArgs) -> Result<Vec<u64>> {
        let coding = Coding::Integers(Domain::unsigned(256));
        let options = ColumnOptions { column, csv, coding };
        Column::new(text.as_bytes(), Path::new("v.csv"), &options)?.collect()
    }

    fn read(text: &str, column: Option<&str>) -> Result<Vec<u64>> {
        read_with(text, column, &CsvArgs::default())
    }

    fn error(text: &str, column: Option<&str>) -> String {
        format!("{:#}", read(text, column).unwrap_err())
    }

    #[test]
    fn headers_are_recognised() {
        assert_eq!(read("1\n2\n", None).unwrap(), [1, 2]);
        assert_eq!(read("age\n1\n2", None).unwrap(), [1, 2]);
        assert_eq!(read("\u{feff}age\r\n1\r\n2\r\n\r\n", Some("age")).unwrap(), [1, 2]);
        assert_eq!(read(",age\n0,\"10\"\n1, 20 \n", Some("age")).unwrap(), [10, 20]);
        assert_eq!(read("_x\n7\n", None).unwrap(), [7]);
        assert_eq!(read("age\n", None).unwrap(), [0_u64; 0]);
        assert_eq!(read("", None).unwrap(), [0_u64; 0]);
        // A misspelt number is not a header, and neither is a missing value.
        assert!(error("12x\n1\n", None).contains("line 1"));
        assert!(error("-1\n1\n", None).contains("negative"));
        assert!(error("NA\n1\n", None).contains("line 1, column 1: \"NA\" is a missing value"));
        for (text, column, found) in [
            ("ann,NA\nbob,3\n", "2", "\"NA\""),
            ("ann,\nbob,3\n", "2", "an empty field"),
            (",ann\n3,bob\n", "1", "an empty field"),
            ("ann,null\nbob,3\n", "2", "\"null\""),
        ] {
            let message =
                format!("v.csv: cannot tell whether its first line, with {found}, is a header");
            assert!(error(text, Some(column)).starts_with(&message), "{text}");
            let stated =
                CsvArgs { no_header: true, missing: Some("0".into()), ..CsvArgs::default() };
            assert_eq!(read_with(text, Some(column), &stated).unwrap(), [0, 3]);
            let stated = CsvArgs { header: true, ..CsvArgs::default() };
            assert_eq!(read_with(text, Some(column), &stated).unwrap(), [3]);
        }
        let stated = CsvArgs { header: true, ..CsvArgs::default() };
        assert_eq!(read_with("1\n2\n", None, &stated).unwrap(), [2]);
        let stated = CsvArgs { no_header: true, ..CsvArgs::default() };
        let message = read_with("age\n2\n", None, &stated).unwrap_err().to_string();
        assert!(message.contains("line 1, column 1: \"age\" is not an integer"), "{message}");
    }

    #[test]
    fn columns_are_found_by_name_and_number() {
        let text = "a,2,b\nx,3,y\n";
        assert!(error(text, Some("1")).contains("line 1, column 1: \"a\" is not an integer"));
        let text = "a,b,c\n0,1,2\n";
        assert_eq!(read(text, Some("b")).unwrap(), [1]);
        assert_eq!(read(text, Some("3")).unwrap(), [2]);
        assert_eq!(read("5,6\n7,8\n", Some("2")).unwrap(), [6, 8]);
        assert_eq!(error(text, Some("d")), "v.csv: no column \"d\"; there are \"a\", \"b\", \"c\"");
        assert!(error("5,6\n", Some("a")).contains("no header line, and columns 1 to 2"));
        assert!(error("a,a\n5,6\n", Some("a")).contains("more than one"));
        let message = "v.csv: 3 columns, \"a\", \"b\", \"c\"; choose one with --column";
        assert_eq!(error(text, None), message);
        assert!(error("5;6\n", None).contains("2 columns without a header line: 1 to 2"));
    }

    #[test]
    fn missing_values_are_named_or_replaced() {
        let missing = CsvArgs { missing: Some("9".into()), ..CsvArgs::default() };
        for text in
            ["age\n3\n\n4\n", "age\n3\n\"\"\n4\n", "age\n3\nNA\n4\n", "3\nnan\n4", "3\nNULL\n4"]
        {
            assert!(error(text, None).contains("--missing VALUE replaces"), "{text}");
            assert_eq!(read_with(text, None, &missing).unwrap(), [3, 9, 4]);
        }
        assert_eq!(
            error("age\n3\n\n4", None),
            "v.csv line 3: an empty line; --missing VALUE replaces it"
        );
        assert!(
            error("a,b\n,1\n", Some("a"))
                .contains("line 2, column \"a\": an empty field is a missing value")
        );
        for text in ["None", "#N/A", "<NA>", "n/a", "NaT"] {
            let text = format!("{text}\n4\n");
            assert!(error(&text, None).contains("--missing VALUE replaces"), "{text}");
            assert_eq!(read_with(&text, None, &missing).unwrap(), [9, 4]);
        }
        // Checked even if no value is missing.
        let large = CsvArgs { missing: Some("300".into()), ..CsvArgs::default() };
        for text in ["\n3\n", "4\n3\n"] {
            let message = read_with(text, None, &large).unwrap_err().to_string();
            assert_eq!(message, "--missing: 300 is not below the modulus 256");
        }
    }

    #[test]
    fn errors_name_line_column_value_and_limit() {
        assert_eq!(
            error("name,age\nann,3\nbob,300\n", Some("age")),
            "v.csv line 3, column \"age\": 300 is not below the modulus 256"
        );
        assert!(error("1\n2.5\n", None).contains("line 2, column 1: \"2.5\" is not an integer"));
        // Pandas writes integers like this if some are missing. Such a line is not a header, either.
        assert_eq!(read("1.0\n36.0\n", None).unwrap(), [1, 36]);
        assert!(error("1.0\n300.0\n", None).contains("line 2, column 1: 300 is not below"));
        assert_eq!(
            error("1,2\n3\n", Some("1")),
            "v.csv line 2: 1 column, but 2 on the lines before"
        );
        let long = error(&format!("1\n{}\n", "9".repeat(1000)), None);
        assert!(long.contains("9…\" is not an integer") && long.len() < 120, "{long}");
    }
}
