//! Files of unencrypted words, and words as encrypted bits.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use cryptable::bits::EncryptedBits;
use cryptable::bits::SecretKey;
use cryptable::circuits::{WordPort, input_bits, output_words};
use cryptable_files::ClearedWriter;
use zeroize::Zeroizing;

use crate::args::CsvArgs;
use crate::atomic_file::AtomicFile;
use crate::formats::csv::is_header;
use crate::formats::records::{Records, is_missing, quoted};
use crate::input_file;

/// Largest number of bits of a word in a file of numbers.
const MAX_WIDTH: usize = 128;

/// Words, each with one value per port.
pub type Words = Zeroizing<Vec<Vec<u128>>>;

/// Reads words: one per line, with one column per port, named by a header line or in the order of the ports.
///
/// # Errors
/// If the file cannot be read or has no words, if a port has no column, or if a value does not fit; the error names the
/// line.
pub fn read(path: &Path, ports: &[WordPort], csv: &CsvArgs) -> Result<Words> {
    check_widths(ports)?;
    let file = input_file::open(path)?;
    let mut records = Records::new(file, path, csv.delimiter)?;
    let name = input_file::name(path);
    ensure!(records.advance()?, "{name} holds no words");
    let columns = if is_header(&records, csv.stated_header(), 0..0, None)? {
        let header = fields(&records, ports.len())?;
        let found = columns_of(&header, ports).with_context(|| name.clone())?;
        ensure!(records.advance()?, "{name} holds no words");
        Columns { places: found, count: header.len() }
    } else {
        Columns { places: (0..ports.len()).collect(), count: ports.len() }
    };
    let mut words = Zeroizing::new(Vec::new());
    loop {
        words.push(word(&records, ports, &columns, csv)?);
        if !records.advance()? {
            return Ok(words);
        }
    }
}

/// The columns of ports in a line.
struct Columns {
    places: Vec<usize>,
    count: usize,
}

/// Checks that words fit numbers in files.
///
/// # Errors
/// If a port is too wide; the error names it.
pub fn check_widths(ports: &[WordPort]) -> Result<()> {
    let Some(wide) = ports.iter().find(|port| port.width > MAX_WIDTH) else { return Ok(()) };
    let (name, width) = (cryptable_wire::printable(&wide.name), wide.width);
    bail!("port {name} has {width} bits; files of words have at most {MAX_WIDTH} per column")
}

/// Returns the fields of a line. They are separated by spaces if the file has one column and the circuit has more.
fn fields<R: std::io::Read>(records: &Records<R>, ports: usize) -> Result<Zeroizing<Vec<String>>> {
    Ok(Zeroizing::new(if records.width() == 1 && ports > 1 {
        records.text(0)?.split_whitespace().map(str::to_owned).collect()
    } else {
        records.fields().collect()
    }))
}

/// Finds the columns that a header names.
fn columns_of(header: &[String], ports: &[WordPort]) -> Result<Vec<usize>> {
    let column = |port: &WordPort| {
        let mut places = (0..header.len()).filter(|&place| header[place] == port.name);
        let place = places.next().with_context(|| {
            format!("no column for the input {}", cryptable_wire::printable(&port.name))
        })?;
        ensure!(places.next().is_none(), "two columns have the name {}", quoted(&port.name));
        Ok(place)
    };
    ports.iter().map(column).collect()
}

/// Parses the word of a line.
fn word<R: std::io::Read>(
    records: &Records<R>,
    ports: &[WordPort],
    columns: &Columns,
    csv: &CsvArgs,
) -> Result<Vec<u128>> {
    let place = || format!("{} line {}", input_file::name(records.path()), records.line());
    ensure!(!records.is_empty_line() || csv.missing.is_some(), "{}: an empty line", place());
    let fields = fields(records, ports.len())?;
    let (found, expected) = (fields.len(), columns.count);
    ensure!(found == expected, "{}: {found} columns, {expected} expected", place());
    let value = |(port, &column): (&WordPort, &usize)| {
        let field = fields[column].as_str();
        let field = csv.missing.as_deref().filter(|_| is_missing(field)).unwrap_or(field);
        let named = || format!("{}, input {}", place(), cryptable_wire::printable(&port.name));
        let (digits, radix) = match field.strip_prefix("0x").or(field.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (field, 10),
        };
        let value = u128::from_str_radix(digits, radix);
        let Ok(value) = value else {
            bail!(
                "{}: {} is not an unsigned integer of {} bits",
                named(),
                quoted(field),
                port.width
            )
        };
        let needed = (u128::BITS - value.leading_zeros()) as usize;
        ensure!(
            needed <= port.width,
            "{}: {} has more than {} bits",
            named(),
            quoted(field),
            port.width
        );
        Ok(value)
    };
    ports.iter().zip(&columns.places).map(value).collect()
}

/// A writer of words as CSV, with a header line that names the ports.
pub struct WordWriter {
    out: ClearedWriter<AtomicFile>,
}

impl WordWriter {
    /// Starts a file by writing its header.
    ///
    /// # Errors
    /// If writing fails, or if a port has too many bits.
    pub fn new(file: AtomicFile, ports: &[WordPort]) -> Result<Self> {
        check_widths(ports)?;
        let mut header = csv::Writer::from_writer(Vec::new());
        header.write_record(ports.iter().map(|port| &port.name))?;
        let mut out = ClearedWriter::new(file);
        out.write_all(&header.into_inner().context("cannot write the header")?)?;
        Ok(Self { out })
    }

    /// Appends words.
    pub fn write(&mut self, words: &[Vec<u128>]) -> Result<()> {
        for word in words {
            for (column, value) in word.iter().enumerate() {
                write!(self.out, "{}{value}", if column == 0 { "" } else { "," })?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Completes the file and returns its size in bytes.
    pub fn commit(self) -> Result<u64> {
        Ok(self.out.into_inner()?.commit(true)?)
    }
}

fn widths(ports: &[WordPort]) -> Vec<usize> {
    ports.iter().map(|port| port.width).collect()
}

/// Returns the unencrypted bits of a batch of words: those of all ports, least significant bit of each port first.
pub fn bits(ports: &[WordPort], words: &[Vec<u128>]) -> Zeroizing<Vec<Vec<bool>>> {
    Zeroizing::new(input_bits(&widths(ports), words))
}

/// Decrypts a batch of words.
///
/// # Errors
/// If the bits have another key.
pub fn decrypt(
    secret: &SecretKey,
    ports: &[WordPort],
    bits: &[EncryptedBits],
) -> cryptable::Result<Words> {
    let bits = bits.iter().map(|bits| secret.decrypt(bits)).collect::<Result<Vec<_>, _>>();
    let bits = Zeroizing::new(bits?);
    Ok(Zeroizing::new(output_words(&widths(ports), &bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Words> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.csv");
        std::fs::write(&path, text).unwrap();
        let ports = [("a", 8), ("b", 4)];
        let ports = ports.map(|(name, width)| WordPort { name: name.into(), width });
        read(&path, &ports, &CsvArgs::default())
    }

    #[test]
    fn columns_are_in_order_or_named() {
        let expected = [vec![1, 2], vec![255, 15]];
        for text in
            ["1,2\n255,15\n", "1 2\n0xff 0xF\n", "b;x;a\n2;7;1\n15;;255\n", "b a\n2 1\n15  255\n"]
        {
            assert_eq!(*read_text(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let error = |text: &str| format!("{:#}", read_text(text).unwrap_err());
        assert!(error("1,2\n3,16\n").contains("line 2, input b: \"16\" has more than 4 bits"));
        assert!(
            error("1,2\n-3,1\n").contains("line 2, input a: \"-3\" is not an unsigned integer")
        );
        assert!(error("1 2\n3\n").contains("line 2: 1 columns, 2 expected"));
        assert!(error("a,c\n1,2\n").contains("no column for the input b"));
        assert!(error("a,b\n").contains("holds no words"));
        assert!(error("1,2\n\n3,4\n").contains("line 2: an empty line"));
    }
}
