//! Files of columns, opened by name.

use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::KeyId;
use cryptable::integers::{Column, ColumnReader, ColumnSummary, DigitCiphertext};

use crate::input_file;

/// A column's file that was checked completely.
pub struct ColumnFile<C> {
    reader: ColumnReader<BufReader<File>, C>,
    path: PathBuf,
    /// Number of values of each part.
    counts: Vec<usize>,
}

impl<C: DigitCiphertext> ColumnFile<C> {
    /// Opens a file and checks that all of it is undamaged.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(input_file::open_seekable(path)?, path)
    }

    /// Same as [`ColumnFile::open`], for a file that is already open and at its start. `path` is for messages.
    pub fn read(mut file: File, path: &Path) -> Result<Self> {
        let name = || input_file::name(path);
        let open = |file: &File| -> Result<_> {
            let reader = BufReader::with_capacity(1 << 20, file.try_clone()?);
            ColumnReader::<_, C>::new(reader).with_context(name)
        };
        let mut reader = open(&file)?;
        let mut counts = Vec::new();
        while let Some(part) = reader.next_summary().with_context(name)? {
            counts.push(part.count);
        }
        file.rewind()?;
        Ok(Self { reader: open(&file)?, path: path.to_path_buf(), counts })
    }

    /// Returns the summary of the column.
    pub fn summary(&self) -> &ColumnSummary {
        self.reader.summary()
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.counts.len()
    }

    /// Returns the number of values.
    pub fn values(&self) -> u64 {
        self.counts.iter().map(|&count| count as u64).sum()
    }

    /// Checks that the column belongs to a key.
    ///
    /// # Errors
    /// If it does not; the error names both files.
    pub fn check_key(&self, digest: [u8; 32], key_id: KeyId, key: &Path) -> Result<()> {
        let found = self.summary();
        ensure!(
            (found.parameter_digest, found.key_id) == (digest, key_id),
            "{} does not match {}: it belongs to another client or was made under other parameters",
            self.name(),
            input_file::name(key)
        );
        Ok(())
    }

    /// Checks that every part has as many values as the corresponding part of another file.
    ///
    /// # Errors
    /// If the numbers differ; the error names both files.
    pub fn check_like<D: DigitCiphertext>(&self, other: &ColumnFile<D>) -> Result<()> {
        ensure!(
            self.counts == other.counts,
            "{}: {} values, but {} has {}; both need parts of the same sizes",
            self.name(),
            self.values(),
            other.name(),
            other.values()
        );
        Ok(())
    }

    /// Reads the next part.
    pub fn next_part<X: Column<C>>(&mut self) -> Result<X> {
        let part = self.reader.next_part().with_context(|| input_file::name(&self.path))?;
        part.with_context(|| format!("{}: fewer values than before", input_file::name(&self.path)))
    }

    /// Returns the name of the file for messages.
    pub fn name(&self) -> String {
        input_file::name(&self.path)
    }
}
