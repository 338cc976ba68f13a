//! Results of a lookup that may be interrupted, kept in a file beside its output.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic `CRYPTPRT` |
//! | 8 | 8 | format version |
//! | 16 | 32 | BLAKE3 digest of everything that results depend on: the input with its parameters and key, and the tables |
//! | 48 | … | for each finished ciphertext and each table, the length of a file of ciphertexts in 8 bytes, and this file with the result |
//!
//! All numbers are little-endian. Files of ciphertexts have checksums of their own. A record that was being written during
//! the interruption is cut off.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use cryptable::{Ciphertext, CiphertextFileSummary, Table};

use crate::atomic_file::target_of;
use crate::formats::raw::read_up_to;
use crate::input_file;

/// First bytes of the file.
pub(crate) const MAGIC: [u8; 8] = *b"CRYPTPRT";
const VERSION: u64 = 2;
const HEADER_BYTES: usize = 48;

/// Longest result that is read, in bytes.
const MAX_RESULT_BYTES: u64 = 1 << 30;

/// The file of results. Existing results are read first, then new ones are appended.
pub struct Finished {
    path: PathBuf,
    file: File,
    /// Number of tables, which is also the number of results per ciphertext.
    tables: usize,
    /// Offset at which the next ciphertext is read or written.
    position: u64,
    /// Whether all existing results have been read.
    at_end: bool,
}

impl Finished {
    /// Opens the file beside an output, or creates it.
    ///
    /// # Errors
    /// If the output is not a regular file, or if the file belongs to another lookup or to one that is still running.
    pub fn open(output: &Path, tables: usize, binding: [u8; 32]) -> Result<Self> {
        let Some(target) = target_of(output)? else {
            bail!("--resume needs a regular file as output, not {}", input_file::name(output));
        };
        let mut name = target.into_os_string();
        name.push(".partial");
        let path = PathBuf::from(name);
        let shown = input_file::name(&path);
        let failed = || format!("cannot open {shown}");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = input_file::open_companion(&path, &mut options).with_context(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{shown} belongs to a lookup that is still running")
            }
            Err(TryLockError::Error(error)) => return Err(error).with_context(failed),
        }
        let header = [&MAGIC[..], &VERSION.to_le_bytes(), &binding].concat();
        let mut found = [0; HEADER_BYTES];
        let length = read_up_to(&mut file, &mut found).with_context(failed)?;
        if length < HEADER_BYTES && header.starts_with(&found[..length]) {
            file.set_len(0).and_then(|()| file.rewind()).with_context(failed)?;
            file.write_all(&header).with_context(|| format!("cannot write {shown}"))?;
        } else {
            ensure!(found.starts_with(&MAGIC), "{shown}: not a file of finished ciphertexts");
            ensure!(
                found == header[..],
                "{shown} belongs to another lookup, with another input, table or key; remove it to start anew"
            );
        }
        Ok(Self { path, file, tables, position: HEADER_BYTES as u64, at_end: false })
    }

    /// Reads the results of the next ciphertext in all tables; `None` after the last one that an interrupted lookup
    /// finished.
    pub fn next(&mut self) -> Result<Option<Vec<Ciphertext>>> {
        if self.at_end {
            return Ok(None);
        }
        let failed = || format!("cannot read {}", input_file::name(&self.path));
        let mut results = Vec::with_capacity(self.tables);
        let mut end = self.position;
        while results.len() < self.tables {
            let Some((result, bytes)) = read_record(&mut self.file).with_context(failed)? else {
                break;
            };
            results.push(result);
            end += bytes;
        }
        if results.len() == self.tables {
            self.position = end;
            return Ok(Some(results));
        }
        // The rest is empty or an incomplete record.
        self.at_end = true;
        self.file.set_len(self.position).with_context(failed)?;
        self.file.seek(SeekFrom::Start(self.position)).with_context(failed)?;
        Ok(None)
    }

    /// Appends the results of a ciphertext. They are on the disk when the call returns.
    pub fn push(&mut self, results: &[Ciphertext]) -> Result<()> {
        for result in results {
            let bytes = result.to_bytes();
            let record = [&(bytes.len() as u64).to_le_bytes()[..], &bytes].concat();
            self.file.write_all(&record).map_err(|error| {
                anyhow!("cannot write {}: {error}", input_file::name(&self.path))
            })?;
        }
        self.file
            .sync_data()
            .map_err(|error| anyhow!("cannot write {}: {error}", input_file::name(&self.path)))
    }

    /// Returns a hint for the user after an interruption, when `values` of `total` values are finished.
    pub fn resume_hint(&self, values: u64, total: u64) -> String {
        let name = input_file::name(&self.path);
        format!(
            "{values} of {total} values are kept in {name}; the same command continues from there"
        )
    }

    /// Removes the file, since the output is complete.
    pub fn remove(self) -> Result<()> {
        fs::remove_file(&self.path)
            .with_context(|| format!("cannot remove {}", input_file::name(&self.path)))
    }
}

/// Reads a result and the number of bytes that it occupies; `None` if it is incomplete or damaged.
pub(crate) fn read_record(file: &mut impl Read) -> std::io::Result<Option<(Ciphertext, u64)>> {
    let mut length = [0; 8];
    if read_up_to(file, &mut length)? < length.len() {
        return Ok(None);
    }
    let length = u64::from_le_bytes(length);
    if length > MAX_RESULT_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    let whole = (bytes.len() as u64 == length).then(|| Ciphertext::from_bytes(&bytes).ok());
    Ok(whole.flatten().map(|ciphertext| (ciphertext, 8 + length)))
}

/// Returns a digest of everything that results depend on.
pub fn binding(input: &CiphertextFileSummary, tables: &[Table]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&input.digest);
    for table in tables {
        hasher.update(&table.input_modulus().to_le_bytes());
        hasher.update(&table.output_modulus().to_le_bytes());
        hasher.update(&[table.signed_inputs(), table.signed_outputs()].map(u8::from));
        for value in table.values() {
            hasher.update(&value.to_le_bytes());
        }
    }
    *hasher.finalize().as_bytes()
}
