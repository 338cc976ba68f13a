//! Files of ciphertexts, opened and created by name.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::{Ciphertext, CiphertextFileSummary, CiphertextReader, CiphertextWriter, Contents};

use crate::atomic_file::{self, Access, AtomicFile};
use crate::input_file;
use crate::report::{counted, values};

/// A file of ciphertexts that is being read.
pub type Reader = CiphertextReader<BufReader<File>>;

/// A file of ciphertexts that is being written.
pub type Writer = CiphertextWriter<AtomicFile>;

/// Opens a file and checks that it is undamaged.
pub fn open(path: &Path) -> Result<Reader> {
    read(input_file::open_seekable(path)?, path)
}

/// Same as [`open`], for a file that is already open and at its start. `path` is for messages.
pub fn read(file: File, path: &Path) -> Result<Reader> {
    let reader = CiphertextReader::new(BufReader::with_capacity(1 << 20, file));
    reader.with_context(|| input_file::name(path))
}

/// Starts a file.
pub fn create(path: &Path, contents: Contents) -> Result<Writer> {
    Ok(CiphertextWriter::new(atomic_file::create(path, Access::Public)?, contents)?)
}

/// Completes a file, and gives it and another one, which comes first, their names: either both or none.
#[cfg(feature = "client")]
pub fn commit_after(first: Vec<AtomicFile>, writer: Writer) -> Result<CiphertextFileSummary> {
    let (file, summary) = writer.finish()?;
    AtomicFile::commit_all(first.into_iter().chain([file]).collect(), true)?;
    Ok(summary)
}

/// Completes files and gives them their names: either all of them or none.
pub fn commit_all(writers: Vec<Writer>) -> Result<Vec<CiphertextFileSummary>> {
    let finished = writers.into_iter().map(CiphertextWriter::finish);
    let finished: Vec<_> = finished.collect::<cryptable::Result<_>>()?;
    let (files, summaries) = finished.into_iter().unzip();
    AtomicFile::commit_all(files, true)?;
    Ok(summaries)
}

/// Checks that the contents of a file are those that a key expects. `path` and `key` are for messages.
///
/// # Errors
/// If they are not; the error names the difference.
pub fn check(reader: &Reader, path: &Path, expected: &Contents, key: &Path) -> Result<()> {
    expected.check(&reader.summary().contents, "file of ciphertexts").with_context(|| {
        let (path, key) = (input_file::name(path), input_file::name(key));
        format!("{path} does not go with {key}")
    })
}

/// Checks that the contents of all operands are those that a key expects, and that they have equal numbers of values
/// and ciphertexts.
///
/// # Errors
/// If one is different; the error names the file and the difference.
pub fn check_alike(
    readers: &[Reader],
    paths: &[PathBuf],
    expected: &Contents,
    key: &Path,
) -> Result<()> {
    for (reader, path) in readers.iter().zip(paths) {
        check(reader, path, expected, key)?;
    }
    check_counts(readers, paths)
}

/// Checks that files have equal numbers of values and ciphertexts.
///
/// # Errors
/// If one has others than the first; the error names both.
pub fn check_counts(readers: &[Reader], paths: &[PathBuf]) -> Result<()> {
    let name = input_file::name;
    let first = *readers[0].summary();
    for (reader, path) in readers.iter().zip(paths) {
        let found = reader.summary();
        ensure!(
            (found.values, found.ciphertexts) == (first.values, first.ciphertexts),
            "{}: {} in {}, but {} has {} in {}",
            name(path),
            values(found.values),
            ciphertexts(found.ciphertexts),
            name(&paths[0]),
            values(first.values),
            ciphertexts(first.ciphertexts)
        );
    }
    Ok(())
}

/// Reads the next ciphertext of every file.
pub fn next_of_each(readers: &mut [Reader], paths: &[PathBuf]) -> Result<Vec<Ciphertext>> {
    let next = |(reader, path): (&mut Reader, &PathBuf)| {
        let name = || input_file::name(path);
        let found = reader.next_ciphertext().with_context(name)?;
        found.with_context(|| format!("{}: fewer ciphertexts than it says", name()))
    };
    readers.iter_mut().zip(paths).map(next).collect()
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
