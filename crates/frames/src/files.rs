//! Files of columns: Parquet, Arrow, CSV and JSON lines, the latter two also compressed, and NumPy arrays.
//!
//! Columns of CSV and JSON lines are read as text, which a schema interprets: a word such as `007` is not changed.

mod arrow;
mod npy;
mod text;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::properties::WriterProperties;

use crate::error::{Error, Result};

/// Compression level of Zstandard: its default.
const ZSTD_LEVEL: i32 = 3;

/// Number of bytes of text per byte of a compressed file above which the file is refused. Very repetitive text is
/// compressed to a tenth or a fiftieth of its size.
const MAX_COMPRESSION: usize = 200;

/// Number of bytes of text that are always read from a compressed file.
const MIN_TEXT_BYTES: usize = 1 << 20;

/// Kind of a file of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC, also called Feather: a file or, for reading only, a stream. Files compressed by LZ4 or Zstandard can
    /// be read, too.
    Arrow,
    /// Comma-separated text with a header; when reading, also with semicolons or tabs.
    Csv,
    /// A JSON object per line.
    JsonLines,
    /// A NumPy array, for reading only: records, or columns that are called 1, 2 and so on.
    Npy,
}

impl FileKind {
    /// Returns the name for messages.
    fn name(self) -> &'static str {
        match self {
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Csv => "CSV",
            Self::JsonLines => "JSON lines",
            Self::Npy => "npy",
        }
    }
}

/// Compression of a whole file of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// None.
    #[default]
    None,
    /// Gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

/// Kind and compression of a file of columns.
///
/// ```
/// use cryptable_frames::{Compression, FileFormat, FileKind};
/// let format = FileFormat::of("people.csv.gz".as_ref()).unwrap();
/// assert_eq!((format.kind, format.compression), (FileKind::Csv, Compression::Gzip));
/// let people = FileFormat::from(FileKind::Csv).read("name,age\nann,3\n".as_bytes())?;
/// let mut bytes = Vec::new();
/// FileFormat::from(FileKind::Parquet).write(&mut bytes, &people)?;
/// assert_eq!(FileFormat::from(FileKind::Parquet).read(&*bytes)?, people);
/// # Ok::<(), cryptable_frames::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFormat {
    /// Kind of the file.
    pub kind: FileKind,
    /// Compression of a file of text. Parquet and Arrow have their own compression.
    pub compression: Compression,
}

impl From<FileKind> for FileFormat {
    fn from(kind: FileKind) -> Self {
        Self { kind, compression: Compression::None }
    }
}

impl FileFormat {
    /// Extensions of files that are read and written, for messages.
    pub const EXTENSIONS: &str = ".parquet, .arrow, .feather, .csv, .tsv, .jsonl, .ndjson, the last four also with .gz or .zst, and for reading .npy";

    /// Returns the format that the extension of a file states, if it is one of [`FileFormat::EXTENSIONS`].
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_lowercase();
        let (name, compression) = match name.rsplit_once('.')? {
            (name, "gz") => (name, Compression::Gzip),
            (name, "zst") => (name, Compression::Zstd),
            _ => (name.as_str(), Compression::None),
        };
        let kind = match name.rsplit_once('.')?.1 {
            "parquet" | "pq" if compression == Compression::None => FileKind::Parquet,
            "arrow" | "feather" | "ipc" if compression == Compression::None => FileKind::Arrow,
            "npy" if compression == Compression::None => FileKind::Npy,
            "csv" | "tsv" => FileKind::Csv,
            "jsonl" | "ndjson" => FileKind::JsonLines,
            _ => return None,
        };
        Some(Self { kind, compression })
    }

    /// Reads all columns of a file.
    ///
    /// # Errors
    /// [`Error::File`] if it is not a file of this kind, [`Error::Decompressed`] if its text has more than a megabyte
    /// and 200 times the bytes of the file, [`Error::TwoColumns`] if two columns have the same name,
    /// [`Error::Empty`] if it has no rows.
    pub fn read(self, mut reader: impl Read) -> Result<RecordBatch> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        let bytes = match self.compression {
            Compression::None => bytes,
            Compression::Gzip => decompressed(MultiGzDecoder::new(&*bytes), bytes.len())?,
            Compression::Zstd => decompressed(zstd::Decoder::new(&*bytes)?, bytes.len())?,
        };
        // Readers of Parquet and Arrow panic on some damaged files.
        let parsed = catch_unwind(AssertUnwindSafe(|| self.parse(bytes)));
        let batch = parsed.unwrap_or_else(|_| Err(of_file(self.kind.name(), &"it is damaged")))?;
        match batch.num_rows() {
            0 => Err(Error::Empty),
            _ => Ok(batch),
        }
    }

    fn parse(self, bytes: Vec<u8>) -> Result<RecordBatch> {
        match self.kind {
            FileKind::Parquet => {
                let failed = |error| of_file("Parquet", &error);
                let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes));
                let reader = builder.map_err(failed)?.build().map_err(failed)?;
                let schema = reader.schema();
                let parts = reader.collect::<std::result::Result<Vec<_>, _>>();
                joined(schema, parts.map_err(|error| of_file("Parquet", &error))?, "Parquet")
            }
            FileKind::Arrow => arrow::read(bytes),
            FileKind::Csv => text::read_csv(&bytes),
            FileKind::JsonLines => text::read_json_lines(&bytes),
            FileKind::Npy => npy::read(&bytes),
        }
    }

    /// Writes columns.
    ///
    /// # Errors
    /// If writing fails, or if values of a column have no form in a file of this kind.
    pub fn write(self, writer: impl Write + Send, columns: &RecordBatch) -> Result<()> {
        match self.compression {
            Compression::None => self.write_plain(writer, columns).map(drop),
            Compression::Gzip => {
                let encoder = GzEncoder::new(writer, flate2::Compression::default());
                self.write_plain(encoder, columns)?.finish()?.flush()?;
                Ok(())
            }
            Compression::Zstd => {
                let encoder = zstd::Encoder::new(writer, ZSTD_LEVEL)?;
                self.write_plain(encoder, columns)?.finish()?.flush()?;
                Ok(())
            }
        }
    }

    fn write_plain<W: Write + Send>(self, mut writer: W, columns: &RecordBatch) -> Result<W> {
        match self.kind {
            FileKind::Parquet => {
                let compression = parquet::basic::Compression::SNAPPY;
                let properties = WriterProperties::builder().set_compression(compression).build();
                let failed = |error| of_file("Parquet", &error);
                let schema = columns.schema();
                let mut file =
                    ArrowWriter::try_new(&mut writer, schema, Some(properties)).map_err(failed)?;
                file.write(columns).map_err(failed)?;
                file.close().map_err(failed)?;
            }
            FileKind::Arrow => {
                let failed = |error| of_file(FileKind::Arrow.name(), &error);
                let mut file =
                    FileWriter::try_new(&mut writer, &columns.schema()).map_err(failed)?;
                file.write(columns).map_err(failed)?;
                file.finish().map_err(failed)?;
            }
            FileKind::Csv => text::write_csv(&mut writer, columns)?,
            FileKind::JsonLines => text::write_json_lines(&mut writer, columns)?,
            FileKind::Npy => {
                let text =
                    "arrays can only be read; write columns as .parquet, .arrow, .csv or .jsonl";
                return Err(of_file(self.kind.name(), &text));
            }
        }
        writer.flush()?;
        Ok(writer)
    }
}

/// Returns the largest number of bytes to which a file of `compressed` bytes may be decompressed, since a small file
/// may claim to hold any number.
fn decompression_limit(compressed: usize) -> usize {
    MIN_TEXT_BYTES.saturating_add(MAX_COMPRESSION.saturating_mul(compressed))
}

/// Decompresses a file of `compressed` bytes, up to the limit.
fn decompressed(reader: impl Read, compressed: usize) -> Result<Vec<u8>> {
    let limit = decompression_limit(compressed);
    let mut bytes = Vec::new();
    reader.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(Error::Decompressed { compressed, limit });
    }
    Ok(bytes)
}

fn of_file(kind: &'static str, error: &dyn std::fmt::Display) -> Error {
    Error::File { kind, text: error.to_string() }
}

/// Joins the parts of a file.
fn joined(schema: SchemaRef, parts: Vec<RecordBatch>, kind: &'static str) -> Result<RecordBatch> {
    for (index, field) in schema.fields().iter().enumerate() {
        if schema.fields()[..index].iter().any(|other| other.name() == field.name()) {
            return Err(Error::TwoColumns(field.name().clone()));
        }
    }
    arrow_select::concat::concat_batches(&schema, &parts).map_err(|error| of_file(kind, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [FileKind; 4] =
        [FileKind::Parquet, FileKind::Arrow, FileKind::Csv, FileKind::JsonLines];

    fn bytes_of(kind: FileKind, text: &str) -> Vec<u8> {
        let columns = FileFormat::from(FileKind::Csv).read(text.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        FileFormat::from(kind).write(&mut bytes, &columns).unwrap();
        bytes
    }

    #[test]
    fn every_kind_and_compression_gives_the_columns_back() {
        let text = "name,age\n\"a, b\",3\n\"say \"\"c\"\"\",\n007,-1\n";
        let columns = FileFormat::from(FileKind::Csv).read(text.as_bytes()).unwrap();
        assert_eq!((columns.num_columns(), columns.num_rows()), (2, 3));
        for kind in KINDS {
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                let format = FileFormat { kind, compression };
                let mut bytes = Vec::new();
                format.write(&mut bytes, &columns).unwrap();
                let found = format.read(&*bytes).unwrap();
                assert_eq!(found.num_rows(), 3, "{format:?}");
                for column in ["name", "age"] {
                    assert_eq!(found.column_by_name(column), columns.column_by_name(column));
                }
            }
        }
    }

    #[test]
    fn compressed_text_is_read_up_to_a_multiple_of_its_file() {
        let text = |rows: usize| "a\n".to_owned() + &"1\n".repeat(rows);
        for compression in [Compression::Gzip, Compression::Zstd] {
            let format = FileFormat { kind: FileKind::Csv, compression };
            let read = |rows: usize| {
                let columns = FileFormat::from(FileKind::Csv).read(text(rows).as_bytes()).unwrap();
                let mut bytes = Vec::new();
                format.write(&mut bytes, &columns).unwrap();
                format.read(&*bytes)
            };
            assert_eq!(read(400_000).unwrap().num_rows(), 400_000);
            let error = read(4_000_000).unwrap_err();
            assert!(matches!(error, Error::Decompressed { .. }), "{error}");
        }
    }

    #[test]
    fn extensions_tell_kinds() {
        let of = |name: &str| FileFormat::of(name.as_ref());
        assert_eq!(of("a.b.Parquet").unwrap().kind, FileKind::Parquet);
        assert_eq!(of("x/a.csv.zst").unwrap().compression, Compression::Zstd);
        assert_eq!(of("a.ndjson.gz").unwrap().kind, FileKind::JsonLines);
        assert_eq!(of("a.npy").unwrap().kind, FileKind::Npy);
        assert!(
            ["a", "a.txt", "a.parquet.gz", "a.gz", ".csv.gz.gz"]
                .map(of)
                .iter()
                .all(Option::is_none)
        );
    }

    #[test]
    fn damaged_files_are_refused_without_harm() {
        for kind in KINDS {
            let whole = bytes_of(kind, "name,age\nann,3\nbob,\neve,12\n");
            let read = |bytes: &[u8]| FileFormat::from(kind).read(bytes);
            assert!(read(&whole).is_ok());
            assert!(read(b"").is_err(), "{kind:?}");
            for length in 0..whole.len() {
                let _ = read(&whole[..length]);
            }
            // Some damage only changes values, since these formats have no checksums.
            for byte in 0..whole.len() {
                for mask in [1, 0x80, 0xFF] {
                    let mut damaged = whole.clone();
                    damaged[byte] ^= mask;
                    let _ = read(&damaged);
                }
            }
        }
    }
}
