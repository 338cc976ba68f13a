//! Files that people bring and take away: values, tables and pictures.

pub mod csv;
pub mod npy;
pub mod png;
pub mod raw;
pub mod table;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};

use self::raw::WordFormat;
use crate::args::Format;
use crate::atomic_file::{Access, AtomicFile};

/// Values one by one, or why there are no more.
pub type Values = Box<dyn Iterator<Item = Result<u64>>>;

/// Opens a file of values, each of which is checked to be below `modulus` as it is read.
///
/// # Errors
/// If the file cannot be opened, or its start is not of its format.
pub fn open_values(
    path: &Path,
    format: Option<Format>,
    column: Option<&str>,
    modulus: u64,
) -> Result<Values> {
    Ok(match Encoding::of(path, format, column, modulus)? {
        Encoding::Text => Box::new(csv::Column::open(path, column, modulus)?),
        Encoding::Array => {
            let (_, words) = npy::open(open(path)?, path, modulus)?;
            Box::new(words)
        }
        Encoding::Raw(word) => Box::new(raw::Words::new(open(path)?, path, word, None, modulus)),
    })
}

/// Opens a file for reading.
///
/// # Errors
/// If that fails or it is a directory.
pub fn open(path: &Path) -> Result<File> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    if path.is_dir() {
        bail!("cannot read {}: it is a directory", path.display());
    }
    Ok(file)
}

/// A file of values being written.
pub struct ValueWriter {
    file: AtomicFile,
    /// The layout of words; text if `None`.
    word: Option<WordFormat>,
}

impl ValueWriter {
    /// Starts a file of `count` values below `modulus`. A `column` is the header of a CSV file.
    ///
    /// # Errors
    /// If the values do not fit the format, or the file cannot be created.
    pub fn create(
        path: &Path,
        format: Option<Format>,
        column: Option<&str>,
        modulus: u64,
        count: u64,
    ) -> Result<Self> {
        let encoding = Encoding::of(path, format, column, modulus)?;
        let mut file = AtomicFile::create(path, Access::Public)?;
        let word = match encoding {
            Encoding::Text => {
                if let Some(name) = column {
                    csv::write_header(&mut file, name)?;
                }
                None
            }
            Encoding::Array => {
                let word = WordFormat::narrowest(modulus);
                file.write_all(&npy::header(word, count))?;
                Some(word)
            }
            Encoding::Raw(word) => {
                if word.largest() < modulus - 1 {
                    bail!(
                        "{}: values up to {} do not fit words of {} bits",
                        path.display(),
                        modulus - 1,
                        8 * word.bytes
                    );
                }
                Some(word)
            }
        };
        Ok(Self { file, word })
    }

    /// Appends values.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&mut self, values: &[u64]) -> Result<()> {
        for &value in values {
            match self.word {
                None => writeln!(self.file, "{value}")?,
                Some(word) => self.file.write_all(&value.to_le_bytes()[..word.bytes])?,
            }
        }
        Ok(())
    }

    /// Completes the file and returns its size in bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub fn commit(self) -> Result<u64> {
        self.file.commit(true)
    }
}

/// How values lie in a file.
enum Encoding {
    Text,
    Array,
    Raw(WordFormat),
}

impl Encoding {
    fn of(path: &Path, format: Option<Format>, column: Option<&str>, modulus: u64) -> Result<Self> {
        let encoding = match (format, extension(path).as_str()) {
            (Some(Format::Csv), _) | (None, "csv") => Self::Text,
            (Some(Format::Npy), _) | (None, "npy") => Self::Array,
            (Some(Format::Raw8), _) => Self::Raw(WordFormat::unsigned(1)),
            (Some(Format::Raw16), _) => Self::Raw(WordFormat::unsigned(2)),
            (Some(Format::Raw32), _) => Self::Raw(WordFormat::unsigned(4)),
            (Some(Format::Raw64), _) => Self::Raw(WordFormat::unsigned(8)),
            (None, "bin") => Self::Raw(WordFormat::narrowest(modulus)),
            (None, _) => bail!(
                "{}: the extension names no known format (.csv, .npy or .bin); \
                 use --format csv, npy, raw8, raw16, raw32 or raw64",
                path.display()
            ),
        };
        if let (Some(column), false) = (column, matches!(encoding, Self::Text)) {
            bail!("{}: only CSV files have columns, not \"{column}\"", path.display());
        }
        Ok(encoding)
    }
}

/// The extension in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Checks that an integer is a value of `Z_modulus`; `place` says where it stands.
fn check_value(value: i128, modulus: u64, place: impl Fn() -> String) -> Result<u64> {
    match u64::try_from(value) {
        Ok(value) if value < modulus => Ok(value),
        Ok(value) => bail!("{}: {value} is not below the modulus {modulus}", place()),
        Err(_) if value < 0 => {
            bail!("{}: {value} is negative; values are 0 to {}", place(), modulus - 1)
        }
        Err(_) => bail!("{}: {value} is not below the modulus {modulus}", place()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(name: &str, format: Option<Format>, column: Option<&str>, modulus: u64) -> u64 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        let values: Vec<u64> = (0..1000).map(|i| i * i % modulus).collect();
        let mut writer = ValueWriter::create(&path, format, column, modulus, 1000).unwrap();
        values.chunks(300).for_each(|chunk| writer.write(chunk).unwrap());
        let bytes = writer.commit().unwrap();
        let found = open_values(&path, format, column, modulus).unwrap();
        assert_eq!(found.collect::<Result<Vec<_>>>().unwrap(), values);
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
            let writer = ValueWriter::create(&path, format, column, modulus, 1);
            writer.err().unwrap().to_string()
        };
        assert!(error("a.txt", None, None, 5).contains("--format"));
        assert!(error("a.bin", Some(Format::Raw8), None, 257).contains("up to 256"));
        assert!(error("a.npy", None, Some("x"), 5).contains("only CSV"));
    }
}
