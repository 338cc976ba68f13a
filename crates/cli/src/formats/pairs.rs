//! Pairs of integers from CSV files of two columns.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Result, bail, ensure};

use super::lines::Lines;

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

/// Reads all lines. The first may be a header.
///
/// # Errors
/// If the file cannot be read, if it does not have two columns, if an integer is not below its modulus, or if a first
/// integer is repeated in a map.
pub fn read(path: &Path, columns: Columns) -> Result<Vec<(u64, u64)>> {
    let mut lines = Lines::open(path, columns.names)?;
    let (mut pairs, mut known) = (Vec::new(), HashMap::new());
    while lines.advance()? {
        let (place, first) = (lines.place(), columns.names[0]);
        ensure!(pairs.len() < MAX_LINES, "{place}: more than {MAX_LINES} lines");
        let [modulus, other] = columns.moduli;
        let pair = (lines.below(0, modulus)?, lines.below(1, other)?);
        if let (Some(before), true) = (known.insert(pair.0, lines.line()), columns.is_map) {
            bail!("{place}: {first} {} is already on line {before}", pair.0);
        }
        pairs.push(pair);
    }
    Ok(pairs)
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
        assert!(twice.ends_with("d.csv line 4: key 7 is already on line 2"), "{twice}");
        // A line with something else than numbers is not a header if a field is missing.
        assert!(read("x,NA\n2,3\n").unwrap_err().contains("line 1, key: \"x\" is not"));
    }
}
