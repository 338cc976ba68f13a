//! Pairs of integers from CSV files of two columns.

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::domain::Domain;
use super::integer;
use super::records::{Records, is_missing, quoted};
use crate::input_file;
use crate::printable::Printable as _;

/// Largest number of lines that are read.
const MAX_LINES: usize = 1 << 20;

/// The names and ranges of a file's two columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Names of the columns for messages.
    pub names: [&'static str; 2],
    /// Moduli of the columns; integers are below them.
    pub moduli: [u128; 2],
    /// Whether the integers of the first column must differ.
    pub is_map: bool,
}

/// Reads all lines, of which the first may be a header.
///
/// # Errors
/// If the file cannot be read, if it does not have two columns, if an integer is not below its modulus, or if a first
/// integer is repeated in a map.
pub fn read(path: &Path, columns: Columns) -> Result<Vec<(u64, u64)>> {
    let shown = input_file::shown(path);
    let name = shown.printable();
    let mut records: Records<File> = Records::new(input_file::open(path)?, shown, None)?;
    let (mut pairs, mut lines) = (Vec::new(), HashMap::new());
    let mut more = records.advance()?;
    if more && records.is_header() && records.missing_among(0..2).is_none() {
        more = records.advance()?;
    }
    while more {
        let line = records.line();
        let [first, second] = columns.names;
        ensure!(
            records.width() == 2,
            "{name} line {line}: {} columns; there must be `{first},{second}`",
            records.width()
        );
        ensure!(!records.is_empty_line(), "{name} line {line}: an empty line");
        ensure!(pairs.len() < MAX_LINES, "{name}: more than {MAX_LINES} lines");
        let pair = (value(&records, 0, columns)?, value(&records, 1, columns)?);
        if let (Some(before), true) = (lines.insert(pair.0, line), columns.is_map) {
            bail!("{name} line {line}: {first} {} was on line {before} already", pair.0);
        }
        pairs.push(pair);
        more = records.advance()?;
    }
    Ok(pairs)
}

fn value(records: &Records<File>, column: usize, columns: Columns) -> Result<u64> {
    let (name, line) = (records.path().printable(), records.line());
    let place = || format!("{name} line {line}, {}", columns.names[column]);
    let text = records.text(column)?;
    ensure!(!is_missing(text), "{}: {} is a missing value", place(), quoted(text));
    let domain = Domain { modulus: columns.moduli[column], signed: false };
    match integer::parse(text) {
        Ok(integer) => domain.value(integer, place),
        Err(error) => bail!("{}: {} {error}", place(), quoted(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_pairs() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("d.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let columns = Columns { names: ["key", "value"], moduli: [1 << 64, 8], is_map: true };
            read(&path, columns).map_err(|error| format!("{error:#}"))
        };
        let largest = u64::MAX;
        assert_eq!(read(&format!("key;value\n{largest};7\n0;0\n")), Ok(vec![(largest, 7), (0, 0)]));
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read("7.0,3.0\n"), Ok(vec![(7, 3)]));
        let message = read(&format!("{largest}.0,1\n")).unwrap_err();
        assert!(message.contains("line 1, key: \"18446744073709551615.0\" may have been rounded"));
        assert!(read("1,8\n").unwrap_err().contains("line 1, value: 8 is not below the modulus 8"));
        assert!(read("1,2,3\n").unwrap_err().contains("3 columns; there must be `key,value`"));
        assert!(read("1,x\n2,3\n").unwrap_err().contains("\"x\" is not an integer"));
        assert!(read("1,\n").unwrap_err().contains("missing value"));
        let twice = read("key,value\n7,1\n8,2\n7,3\n").unwrap_err();
        assert!(twice.ends_with("d.csv line 4: key 7 was on line 2 already"), "{twice}");
        // A line with something else than numbers is not a header if a field is missing.
        assert!(read("x,NA\n2,3\n").unwrap_err().contains("line 1, key: \"x\" is not"));
    }
}
