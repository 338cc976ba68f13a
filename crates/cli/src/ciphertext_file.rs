//! Files of ciphertexts, opened and created by name.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::{
    Ciphertext, CiphertextFileSummary, CiphertextReader, CiphertextWriter, Contents, KeyId,
    Parameters,
};

use crate::args::Global;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::input_file;
use crate::report::{counted, values};

/// A file of ciphertexts that is being written.
pub type Writer = CiphertextWriter<AtomicFile>;

/// A file of ciphertexts that is being read, and its name for messages.
pub struct Reader {
    inner: CiphertextReader<BufReader<File>>,
    name: String,
}

impl Reader {
    /// Opens a file and checks that it is undamaged.
    pub fn open(global: Global, path: &Path) -> Result<Self> {
        Self::of(global, input_file::open_seekable(path)?, path)
    }

    /// Opens several files.
    pub fn open_all(global: Global, paths: &[PathBuf]) -> Result<Vec<Self>> {
        paths.iter().map(|path| Self::open(global, path)).collect()
    }

    /// Same as [`Self::open`], for a file that is already open and at its start.
    pub fn of(global: Global, file: File, path: &Path) -> Result<Self> {
        let name = input_file::name(path);
        let inner = CiphertextReader::new(BufReader::with_capacity(1 << 20, file));
        let inner = inner.with_context(|| name.clone())?.with_options(global.read_options());
        Ok(Self { inner, name })
    }

    /// Returns the name of the file.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Returns the contents and size of the file.
    pub fn summary(&self) -> &CiphertextFileSummary {
        self.inner.summary()
    }

    /// Returns the contents that the file would have if it belonged to a key: those that it states, with the key's
    /// parameters.
    pub fn contents_of(&self, parameters: &Parameters, key_id: KeyId) -> Contents {
        let (engine, parameter_digest) = (parameters.engine(), parameters.digest());
        Contents { engine, parameter_digest, key_id, ..self.summary().contents }
    }

    /// Checks that the contents are those that a key expects. `key` is for messages.
    ///
    /// # Errors
    /// If they are not; the error names the difference.
    pub fn check(&self, expected: &Contents, key: &Path) -> Result<()> {
        let checked = expected.check(&self.summary().contents, "file of ciphertexts");
        checked.with_context(|| format!("{} does not match {}", self.name, input_file::name(key)))
    }

    /// Reads the next ciphertext; `None` after the last.
    pub fn next_or_end(&mut self) -> Result<Option<Ciphertext>> {
        self.inner.next_ciphertext().with_context(|| self.name.clone())
    }

    /// Reads the next ciphertext; an error if the file has no more.
    pub fn next_ciphertext(&mut self) -> Result<Ciphertext> {
        let found = self.next_or_end()?;
        found.with_context(|| format!("{}: fewer ciphertexts than it states", self.name))
    }
}

/// Starts a file.
pub fn create(path: &Path, contents: Contents) -> Result<Writer> {
    Ok(CiphertextWriter::new(atomic_file::create(path, Access::Public)?, contents)?)
}

/// Completes files, and then gives them their names, that of `writer` last: either all of them or none.
#[cfg(feature = "client")]
pub fn commit_after(first: Vec<AtomicFile>, writer: Writer) -> Result<CiphertextFileSummary> {
    let (file, summary) = writer.finish()?;
    AtomicFile::commit_all(first.into_iter().chain([file]).collect(), true)?;
    Ok(summary)
}

/// Completes a file and gives it its name.
pub fn commit(writer: Writer) -> Result<CiphertextFileSummary> {
    Ok(commit_all(vec![writer])?[0])
}

/// Completes files and gives them their names: either all of them or none.
pub fn commit_all(writers: Vec<Writer>) -> Result<Vec<CiphertextFileSummary>> {
    let finished = writers.into_iter().map(CiphertextWriter::finish);
    let finished: Vec<_> = finished.collect::<cryptable::Result<_>>()?;
    let (files, summaries) = finished.into_iter().unzip();
    AtomicFile::commit_all(files, true)?;
    Ok(summaries)
}

/// Checks that all operands have the contents that a key expects, and equal numbers of values and ciphertexts.
///
/// # Errors
/// If one is different; the error names the file and the difference.
pub fn check_alike(readers: &[Reader], expected: &Contents, key: &Path) -> Result<()> {
    readers.iter().try_for_each(|reader| reader.check(expected, key))?;
    check_counts(readers)
}

/// Checks that files have equal numbers of values and ciphertexts.
///
/// # Errors
/// If the numbers of one differ from those of the first; the error names both files.
pub fn check_counts(readers: &[Reader]) -> Result<()> {
    let first = *readers[0].summary();
    for reader in readers {
        let found = reader.summary();
        ensure!(
            (found.values, found.ciphertexts) == (first.values, first.ciphertexts),
            "{}: {} in {}, but {} has {} in {}",
            reader.name,
            values(found.values),
            ciphertexts(found.ciphertexts),
            readers[0].name,
            values(first.values),
            ciphertexts(first.ciphertexts)
        );
    }
    Ok(())
}

/// Reads the next ciphertext of every file.
pub fn next_of_each(readers: &mut [Reader]) -> Result<Vec<Ciphertext>> {
    readers.iter_mut().map(Reader::next_ciphertext).collect()
}

/// Returns the number of ciphertexts as people count them: single values count as one each.
pub fn encryptions(summary: &CiphertextFileSummary) -> u64 {
    let is_value_by_value = summary.contents.engine.is_value_by_value();
    if is_value_by_value { summary.values } else { summary.ciphertexts }
}

/// Formats a number of ciphertexts: `1 ciphertext`, `2 ciphertexts`.
pub fn ciphertexts(count: u64) -> String {
    counted(count, "ciphertext")
}
