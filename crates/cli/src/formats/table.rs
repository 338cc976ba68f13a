//! Lookup tables from files.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use cryptable::Table;

use super::csv::Records;
use super::{extension, npy, open};

/// Most entries that are read.
const MAX_ENTRIES: usize = 1 << 24;

/// Moduli that a table must have, where they are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moduli {
    /// Input modulus; else the number of entries.
    pub input: Option<u64>,
    /// Output modulus; else the input modulus, or the next power of two that holds all entries if
    /// that is larger.
    pub output: Option<u64>,
}

/// Reads a table: CSV with one output a line or with `input,output` in any order, or `.npy`.
///
/// # Errors
/// If the file cannot be read, an input is missing or twice there, an entry is outside the output
/// modulus, or the number of entries is not the input modulus.
pub fn read(path: &Path, moduli: Moduli) -> Result<Table> {
    let entries = match extension(path).as_str() {
        "csv" => read_csv(Records::new(open(path)?, path), path, moduli)?,
        "npy" => read_npy(path, moduli)?,
        _ => bail!("{}: a table is a .csv or .npy file", path.display()),
    };
    to_table(entries, moduli).with_context(|| path.display().to_string())
}

fn to_table(entries: Vec<u64>, moduli: Moduli) -> Result<Table> {
    let input = moduli.input.unwrap_or(entries.len() as u64);
    let largest = entries.iter().max().copied().unwrap_or(0);
    let holds_all = if largest < input { input } else { (largest + 1).next_power_of_two() };
    Ok(Table::new(input, moduli.output.unwrap_or(holds_all), entries)?)
}

/// The bound of entries where no output modulus is given.
const MAX_OUTPUT_MODULUS: u64 = 1 << 32;

fn read_npy(path: &Path, moduli: Moduli) -> Result<Vec<u64>> {
    let (shape, words) = npy::open(open(path)?, path, moduli.output.unwrap_or(MAX_OUTPUT_MODULUS))?;
    let name = path.display();
    ensure!(shape.len() == 1, "{name}: its shape is {shape:?}; a table has one dimension");
    check_length(shape[0], path)?;
    words.collect()
}

fn check_length(entries: u64, path: &Path) -> Result<()> {
    let name = path.display();
    ensure!(entries <= MAX_ENTRIES as u64, "{name}: more than {MAX_ENTRIES} entries");
    Ok(())
}

/// One line of a CSV table.
struct Line {
    number: u64,
    /// The input, where it is stated.
    input: Option<u64>,
    output: u64,
}

fn read_csv<R: std::io::Read>(
    mut records: Records<R>,
    path: &Path,
    moduli: Moduli,
) -> Result<Vec<u64>> {
    let name = path.display();
    let output_modulus = moduli.output.unwrap_or(MAX_OUTPUT_MODULUS);
    let mut lines = Vec::new();
    let mut more = records.advance()?;
    if more && records.is_header() {
        more = records.advance()?;
    }
    while more {
        let width = records.width();
        ensure!(
            width <= 2,
            "{name} line {}: {width} columns; a table has `output` or `input,output`",
            records.line()
        );
        let input = match width {
            2 => Some(records.value(0, "input", MAX_ENTRIES as u64)?),
            _ => None,
        };
        let output = records.value(width - 1, "output", output_modulus)?;
        lines.push(Line { number: records.line(), input, output });
        check_length(lines.len() as u64, path)?;
        more = records.advance()?;
    }
    sort(lines, moduli.input, path)
}

/// Brings outputs into the order of their inputs.
fn sort(lines: Vec<Line>, input_modulus: Option<u64>, path: &Path) -> Result<Vec<u64>> {
    let name = path.display();
    if lines.iter().all(|line| line.input.is_none()) {
        return Ok(lines.into_iter().map(|line| line.output).collect());
    }
    let count = lines.len() as u64;
    let modulus = input_modulus.unwrap_or(count);
    check_length(modulus, path)?;
    // Line number and output of each input; line 0 is none.
    let mut entries = vec![(0, 0); modulus as usize];
    for Line { number, input, output } in lines {
        let input = input.expect("all lines have as many columns as the first");
        let Some(entry) = entries.get_mut(input as usize) else {
            bail!("{name} line {number}: input {input} is not below the input modulus {modulus}");
        };
        ensure!(
            entry.0 == 0,
            "{name} line {number}: input {input} was on line {} already",
            entry.0
        );
        *entry = (number, output);
    }
    if let Some(missing) = entries.iter().position(|entry| entry.0 == 0) {
        bail!("{name}: {count} inputs of {modulus}; the first one missing is {missing}");
    }
    Ok(entries.into_iter().map(|entry| entry.1).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str, moduli: Moduli) -> Result<Table> {
        let path = Path::new("t.csv");
        let entries = read_csv(Records::new(text.as_bytes(), path), path, moduli)?;
        to_table(entries, moduli)
    }

    fn error(text: &str, input: Option<u64>, output: Option<u64>) -> String {
        format!("{:#}", parse(text, Moduli { input, output }).unwrap_err())
    }

    #[test]
    fn lists_and_pairs_give_the_same_table() {
        let expected = Table::new(4, 16, vec![0, 1, 4, 9]).unwrap();
        for text in ["0\n1\n4\n9\n", "output\n0\n1\n4\n9", "x,y\n3,9\n0,0\n2,4\n1,1\n"] {
            assert_eq!(parse(text, Moduli::default()).unwrap(), expected);
        }
        let moduli = Moduli { input: Some(4), output: Some(10) };
        assert_eq!(parse("0\n1\n4\n9\n", moduli).unwrap().output_modulus(), 10);
        assert_eq!(parse("1\n0\n1\n", Moduli::default()).unwrap().output_modulus(), 3);
    }

    #[test]
    fn mistakes_are_located() {
        assert!(error("0\n1\n2\n", Some(4), None).contains("has 3 outputs"));
        assert!(error("0\n1\n2\n0\n1\n", Some(4), None).contains("has 5 outputs"));
        assert!(error("", None, None).contains("input modulus is 0"));
        let message = error("x\n1\n12\n", Some(2), Some(12));
        assert_eq!(message, "t.csv line 3, output: 12 is not below the modulus 12");
        assert!(error("0,1\n1,1\n0,2\n", None, None).contains("line 3: input 0 was on line 1"));
        assert!(error("0,1\n3,1\n", None, None).contains("line 2: input 3 is not below"));
        assert!(error("0,1\n2,1\n", Some(3), None).contains("the first one missing is 1"));
        assert!(error("0,1,2\n", None, None).contains("line 1: 3 columns"));
        assert!(error("0\n-1\n", None, None).contains("line 2, output: -1 is negative"));
        assert!(error("0\none\n", None, None).contains("\"one\" is not an integer"));
    }

    #[test]
    fn only_known_files_of_one_dimension_are_tables() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.npy");
        let header = "\x01\x00\x36\x00{'descr':'|u1','fortran_order':False,'shape':(2, 2)}   \n";
        std::fs::write(&path, [b"\x93NUMPY", header.as_bytes(), &[0; 4]].concat()).unwrap();
        let error = format!("{:#}", read(&path, Moduli::default()).unwrap_err());
        assert!(error.contains("one dimension"), "{error}");
        let error = format!("{:#}", read(Path::new("t.txt"), Moduli::default()).unwrap_err());
        assert!(error.contains(".csv or .npy"), "{error}");
    }

    proptest! {
        #[test]
        fn random_text_does_no_harm(text in "[0-9,\n\"a-]{0,60}|\\PC{0,60}") {
            let _ = parse(&text, Moduli::default());
            if let Ok(table) = parse(&text, Moduli { input: Some(3), output: Some(8) }) {
                prop_assert_eq!(table.values().len(), 3);
            }
        }
    }
}
