//! Finished ciphertexts of a lookup that may be interrupted, in a file beside its output.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic `CRYPTPRT` |
//! | 8 | 8 | format version |
//! | 16 | 32 | BLAKE3 digest of what the lookup is of: input, table, parameters and key |
//! | 48 | … | for each finished ciphertext, its length in 8 bytes, its BLAKE3 digest and its wire format |
//!
//! All numbers are little-endian. What was being written when the lookup was interrupted is cut off.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use cryptable::Table;

use crate::atomic_file::Destination;
use crate::container::Header;
use crate::formats::raw::read_up_to;
use crate::mode::AnyCiphertext;

const MAGIC: [u8; 8] = *b"CRYPTPRT";
const VERSION: u64 = 1;
const HEADER_BYTES: usize = 48;

/// Length and digest of a ciphertext.
const RECORD_HEADER_BYTES: usize = 40;

/// Longest ciphertext that is read.
const MAX_CIPHERTEXT_BYTES: u64 = 64 << 20;

/// Finished ciphertexts: first those that are there are read, then new ones are appended.
pub struct Finished {
    path: PathBuf,
    file: File,
    /// Where the next ciphertext is read or written.
    position: u64,
    /// Whether all that are there have been read.
    at_end: bool,
}

impl Finished {
    /// Opens the file beside an output, or starts it.
    ///
    /// # Errors
    /// If the output is no regular file, or the file is of another lookup or of one that still runs.
    pub fn open(output: &Path, binding: [u8; 32]) -> Result<Self> {
        let Destination::File(target) = Destination::of(output)? else {
            bail!("--resume needs a regular file as output, not {}", output.display());
        };
        let mut name = target.into_os_string();
        name.push(".partial");
        let path = PathBuf::from(name);
        let shown = path.display();
        let failed = || format!("cannot open {shown}");
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.with_context(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!("{shown} is of a lookup that still runs"),
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
                "{shown} is of another lookup: of another input, table or key; remove it to start anew"
            );
        }
        Ok(Self { path, file, position: HEADER_BYTES as u64, at_end: false })
    }

    /// The next ciphertext that an interrupted lookup finished.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn next(&mut self) -> Result<Option<AnyCiphertext>> {
        if self.at_end {
            return Ok(None);
        }
        let failed = || format!("cannot read {}", self.path.display());
        if let Some((ciphertext, bytes)) = read_record(&mut self.file).with_context(failed)? {
            self.position += bytes;
            return Ok(Some(ciphertext));
        }
        // What comes now is nothing, or was being written.
        self.at_end = true;
        self.file.set_len(self.position).with_context(failed)?;
        self.file.seek(SeekFrom::Start(self.position)).with_context(failed)?;
        Ok(None)
    }

    /// Appends a ciphertext that is finished now.
    ///
    /// # Errors
    /// If writing fails.
    pub fn push(&mut self, ciphertext: &AnyCiphertext) -> Result<()> {
        let bytes = ciphertext.to_bytes();
        let digest = *blake3::hash(&bytes).as_bytes();
        let record = [&(bytes.len() as u64).to_le_bytes()[..], &digest, &bytes].concat();
        self.file
            .write_all(&record)
            .map_err(|error| anyhow!("cannot write {}: {error}", self.path.display()))
    }

    /// Removes the file: the output is whole.
    ///
    /// # Errors
    /// If that fails.
    pub fn remove(self) -> Result<()> {
        fs::remove_file(&self.path)
            .with_context(|| format!("cannot remove {}", self.path.display()))
    }
}

/// A whole and undamaged ciphertext and the bytes it takes, if one is there.
fn read_record(file: &mut File) -> std::io::Result<Option<(AnyCiphertext, u64)>> {
    let mut header = [0; RECORD_HEADER_BYTES];
    if read_up_to(file, &mut header)? < RECORD_HEADER_BYTES {
        return Ok(None);
    }
    let (length, digest) = header.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes"));
    if length > MAX_CIPHERTEXT_BYTES {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length || blake3::hash(&bytes).as_bytes() != digest {
        return Ok(None);
    }
    let ciphertext = AnyCiphertext::from_bytes(&bytes).ok();
    Ok(ciphertext.map(|ciphertext| (ciphertext, RECORD_HEADER_BYTES as u64 + length)))
}

/// A digest of all that results depend on.
pub fn binding(input: &Header, table: &Table) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&input.digest());
    hasher.update(&table.input_modulus().to_le_bytes());
    hasher.update(&table.output_modulus().to_le_bytes());
    for value in table.values() {
        hasher.update(&value.to_le_bytes());
    }
    *hasher.finalize().as_bytes()
}
