//! Lookup tables in files.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use cryptable::Table;

use super::csv::{Coding, ReadNote, is_header};
use super::dictionary::Dictionary;
use super::domain::{Domain, Signs, with_keys};
use super::records::{Records, is_missing, is_missing_word, quoted};
use super::{extension, npy};
use crate::input_file;

/// Largest number of entries that are read.
const MAX_ENTRIES: usize = 1 << 24;

/// Bound on outputs if no output modulus is given.
const MAX_OUTPUT_MODULUS: u64 = 1 << 32;

/// A dictionary that several columns may share.
pub type Book = Rc<RefCell<Dictionary>>;

/// The moduli that a table must have, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moduli {
    /// Input modulus. Default: the number of entries, or one more than the largest input in lines `input,output`.
    pub input: Option<u64>,
    /// Output modulus. Default: the input modulus or, if an output is not below it, the next power of two that is above
    /// all outputs.
    pub output: Option<u64>,
}

/// Options for reading a table.
#[derive(Clone, Debug, Default)]
pub struct TableOptions<'a> {
    /// Moduli of the table.
    pub moduli: Moduli,
    /// Output for inputs that have no line.
    pub default: Option<&'a str>,
    /// Signs of the columns.
    pub signs: Signs,
    /// Whether the first line is a header, if stated.
    pub header: Option<bool>,
    /// Dictionary of the inputs, if they are words.
    pub inputs: Option<Book>,
    /// Dictionary of the outputs, if they are words.
    pub outputs: Option<Book>,
}

impl TableOptions<'_> {
    /// Returns the options for a plain table of unsigned integers.
    pub fn plain(moduli: Moduli) -> Self {
        Self { moduli, ..Self::default() }
    }

    fn coding(book: Option<&Book>, modulus: u64, signed: bool) -> Coding {
        match book {
            Some(book) => Coding::Words(book.clone(), modulus),
            None => Coding::Integers(Domain { modulus: modulus.into(), signed }),
        }
    }

    /// Returns the coding of outputs.
    fn outputs(&self) -> Coding {
        let modulus = self.moduli.output.unwrap_or(MAX_OUTPUT_MODULUS);
        Self::coding(self.outputs.as_ref(), modulus, self.signs.outputs)
    }

    /// Returns the coding of inputs.
    fn inputs(&self) -> Coding {
        let modulus = self.moduli.input.unwrap_or(MAX_ENTRIES as u64);
        Self::coding(self.inputs.as_ref(), modulus, self.signs.inputs)
    }
}

/// A table, with a summary of what was read if the file is CSV.
pub type FoundTable = (Table, Option<ReadNote>);

/// Reads a table: CSV with one output per line, CSV with lines `input,output` in any order, or `.npy`.
///
/// # Errors
/// If the file cannot be read, if an input is missing or repeated, if an output is not below the output modulus, or if
/// the number of entries is not the input modulus.
pub fn read(path: &Path, options: &TableOptions<'_>) -> Result<FoundTable> {
    let mut reader = BufReader::new(input_file::open(path)?);
    let (entries, note) = match file_kind(&mut reader, path)? {
        FileKind::Csv => {
            let (entries, note) = read_csv(Records::new(reader, path, None)?, options)?;
            (entries, Some(note))
        }
        FileKind::Npy => (read_npy(reader, path, options)?, None),
    };
    let table = to_table(entries, options.moduli).with_context(|| input_file::name(path))?;
    let Signs { inputs, outputs } = options.signs;
    Ok((table.with_signs(inputs, outputs), note))
}

/// The format of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    Csv,
    Npy,
}

/// Returns the format of a file of tables, from its name or, for a pipe, from its first bytes.
///
/// # Errors
/// If a regular file has another extension than `.csv` or `.npy`.
pub(super) fn file_kind(reader: &mut BufReader<File>, path: &Path) -> Result<FileKind> {
    let name = input_file::name(path);
    let is_regular = reader.get_ref().metadata().is_ok_and(|metadata| metadata.is_file());
    match extension(path).as_str() {
        "csv" => Ok(FileKind::Csv),
        "npy" => Ok(FileKind::Npy),
        _ if is_regular && !input_file::is_stdin(path) => {
            input_file::refuse_own(reader.get_ref(), path, "a table")?;
            bail!("{name}: a table is a .csv or .npy file, or what encrypt-table wrote")
        }
        // The name of a pipe does not tell the format.
        _ => {
            let start = reader.fill_buf().with_context(|| format!("cannot read {name}"))?;
            Ok(if start.starts_with(npy::MAGIC) { FileKind::Npy } else { FileKind::Csv })
        }
    }
}

fn to_table(entries: Vec<u64>, moduli: Moduli) -> Result<Table> {
    let input = moduli.input.unwrap_or(entries.len() as u64);
    let largest = entries.iter().max().copied().unwrap_or(0);
    let holds_all = if largest < input { input } else { (largest + 1).next_power_of_two() };
    Ok(Table::new(input, moduli.output.unwrap_or(holds_all), entries)?)
}

fn read_npy(reader: BufReader<File>, path: &Path, options: &TableOptions<'_>) -> Result<Vec<u64>> {
    let name = input_file::name(path);
    let Coding::Integers(domain) = options.outputs() else {
        bail!("{name}: only CSV files have words of a dictionary");
    };
    ensure!(options.inputs.is_none(), "{name}: only CSV files have words of a dictionary");
    ensure!(
        options.default.is_none(),
        "{name}: --default is for lines `input,output` of CSV files"
    );
    let (shape, words) = npy::open(reader, path, domain)?;
    ensure!(shape.len() == 1, "{name}: its shape is {shape:?}; a table has one dimension");
    check_length(shape[0], path)?;
    words.collect()
}

fn check_length(entries: u64, path: &Path) -> Result<()> {
    let name = input_file::name(path);
    ensure!(entries <= MAX_ENTRIES as u64, "{name}: more than {MAX_ENTRIES} entries");
    Ok(())
}

/// A line of a CSV table.
struct Line {
    number: u64,
    /// The input, if the line states it.
    input: Option<u64>,
    output: u64,
}

fn read_csv<R: Read>(
    mut records: Records<R>,
    options: &TableOptions<'_>,
) -> Result<(Vec<u64>, ReadNote)> {
    let path = records.path().to_path_buf();
    let (inputs, outputs) = (options.inputs(), options.outputs());
    let mut lines = Vec::new();
    let mut more = records.advance()?;
    let width = records.width();
    let header = more && has_header(&records, options)?;
    if header {
        more = records.advance()?;
    }
    while more {
        let (name, line) = (input_file::name(&path), records.line());
        ensure!(
            width <= 2,
            "{name} line {line}: {width} columns; a table has `output` or `input,output`"
        );
        ensure!(!records.is_empty_line(), "{name} line {line}: an empty line");
        let input = (width == 2).then(|| value(&records, 0, "input", &inputs)).transpose()?;
        let output = value(&records, width - 1, "output", &outputs)?;
        lines.push(Line { number: line, input, output });
        check_length(lines.len() as u64, &path)?;
        more = records.advance()?;
    }
    let note = ReadNote::new(&records, header, lines.len() as u64);
    let default = options.default.map(|text| outputs.value(text, || "--default".into()));
    Ok((sort(lines, options.moduli.input, default.transpose()?, &path)?, note))
}

/// Returns whether the first line of a table is a header.
fn has_header<R: Read>(records: &Records<R>, options: &TableOptions<'_>) -> Result<bool> {
    let words = match (&options.inputs, &options.outputs) {
        (Some(inputs), _) if records.width() == 2 => Some(inputs),
        (_, Some(outputs)) if records.width() == 1 => Some(outputs),
        _ => None,
    };
    let book = words.map(|book| book.borrow());
    // Tables that pandas writes have no name above their inputs.
    let is_unnamed = records.width() > 1 && records.text(0)?.is_empty();
    let values = usize::from(is_unnamed)..records.width();
    is_header(records, options.header, values, book.as_deref().map(|book| (0, book)))
}

/// Returns the value in a field of the current record.
fn value<R: Read>(
    records: &Records<R>,
    column: usize,
    label: &str,
    coding: &Coding,
) -> Result<u64> {
    let place = || format!("{} line {}, {label}", input_file::name(records.path()), records.line());
    let text = records.text(column)?;
    let is_missing = match coding {
        Coding::Integers(_) => is_missing(text),
        Coding::Words(..) => is_missing_word(text),
    };
    ensure!(
        !is_missing,
        "{}: {} is a missing value, and a table cannot have any: leave the line out, and give its input an output with --default VALUE",
        place(),
        quoted(text)
    );
    let command = if label == "input" { "keygen --bits" } else { "keygen --output-bits" };
    coding.value(text, place).map_err(|error| with_keys(error, command))
}

/// Sorts outputs by their inputs. Inputs that have no line get the default.
fn sort(
    lines: Vec<Line>,
    input_modulus: Option<u64>,
    default: Option<u64>,
    path: &Path,
) -> Result<Vec<u64>> {
    let name = input_file::name(path);
    if lines.iter().all(|line| line.input.is_none()) {
        ensure!(
            default.is_none(),
            "{name}: it has an output per line, for all inputs; --default is for lines `input,output`"
        );
        return Ok(lines.into_iter().map(|line| line.output).collect());
    }
    let count = lines.len() as u64;
    let inputs = || lines.iter().filter_map(|line| line.input);
    let past_largest = inputs().max().map_or(0, |largest| largest + 1);
    let modulus = input_modulus.unwrap_or_else(|| past_largest.max(count));
    check_length(modulus, path)?;
    let gap = |missing: u64| {
        format!(
            "{name}: outputs for only {count} inputs of {modulus}; the first one missing is {missing}; \
             --default VALUE gives all of them an output"
        )
    };
    if default.is_none() && input_modulus.is_none() && modulus > count {
        // Checked before memory is reserved for all entries, since a line may state any input.
        let stated: HashSet<u64> = inputs().collect();
        bail!(gap((0..modulus).find(|input| !stated.contains(input)).unwrap_or(0)));
    }
    // Line number and output of each input. Line 0 stands for none.
    let mut entries = vec![(0, 0); modulus as usize];
    for Line { number, input, output } in lines {
        let input = input.expect("all lines have as many columns as the first");
        let Some(entry) = entries.get_mut(input as usize) else {
            bail!("{name} line {number}: input {input} is not below the input modulus {modulus}");
        };
        ensure!(entry.0 == 0, "{name} line {number}: input {input} is already on line {}", entry.0);
        *entry = (number, output);
    }
    if let (Some(missing), None) = (entries.iter().position(|entry| entry.0 == 0), default) {
        bail!(gap(missing as u64));
    }
    let output = |(line, output)| if line == 0 { default.unwrap_or(0) } else { output };
    Ok(entries.into_iter().map(output).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str, moduli: Moduli) -> Result<Table> {
        let path = Path::new("t.csv");
        let options = TableOptions::plain(moduli);
        let (entries, _) = read_csv(Records::new(text.as_bytes(), path, None)?, &options)?;
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
        let hint = "; keys of `keygen --output-bits 4` have room for it";
        assert_eq!(message, format!("t.csv line 3, output: 12 is not below the modulus 12{hint}"));
        assert!(
            error("0,1\n1,1\n0,2\n", None, None).contains("line 3: input 0 is already on line 1")
        );
        assert!(
            error("0,1\n3,1\n", None, None).contains("2 inputs of 4; the first one missing is 1")
        );
        let message = error("0,1\n3,1\n", Some(2), None);
        assert!(message.contains("line 2") && message.contains("3 is not below"), "{message}");
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
        let error = format!("{:#}", read(&path, &TableOptions::default()).unwrap_err());
        assert!(error.contains("one dimension"), "{error}");
        let error = {
            let path = directory.path().join("t.txt");
            std::fs::write(&path, "0\n1\n").unwrap();
            format!("{:#}", read(&path, &TableOptions::default()).unwrap_err())
        };
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
