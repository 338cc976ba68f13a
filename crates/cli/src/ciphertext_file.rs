//! Files of ciphertexts by their names.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::{Ciphertext, CiphertextFileSummary, CiphertextReader, CiphertextWriter, Contents};

use crate::atomic_file::{self, Access, AtomicFile};
use crate::input_file;
use crate::printable::Printable as _;
use crate::report::{counted, values};

/// A file being read.
pub type Reader = CiphertextReader<BufReader<File>>;

/// A file being written.
pub type Writer = CiphertextWriter<AtomicFile>;

/// Opens a file and checks that it is undamaged.
///
/// # Errors
/// If it cannot be read or a single bit is wrong.
pub fn open(path: &Path) -> Result<Reader> {
    read(input_file::open_seekable(path)?, path)
}

/// Reads a file of this name that is open at its start, as [`open`] does.
///
/// # Errors
/// As there.
pub fn read(file: File, path: &Path) -> Result<Reader> {
    let reader = CiphertextReader::new(BufReader::with_capacity(1 << 20, file));
    reader.with_context(|| input_file::shown(path).printable())
}

/// Starts a file.
///
/// # Errors
/// If it cannot be created.
pub fn create(path: &Path, contents: Contents) -> Result<Writer> {
    Ok(CiphertextWriter::new(atomic_file::create(path, Access::Public)?, contents)?)
}

/// Completes files and gives them their names, all or none.
///
/// # Errors
/// If writing fails.
pub fn commit_all(writers: Vec<Writer>) -> Result<Vec<CiphertextFileSummary>> {
    let finished = writers.into_iter().map(CiphertextWriter::finish);
    let finished: Vec<_> = finished.collect::<cryptable::Result<_>>()?;
    let (files, summaries) = finished.into_iter().unzip();
    AtomicFile::commit_all(files, true)?;
    Ok(summaries)
}

/// Demands that a file is of a key, and of the modulus that the key takes.
///
/// # Errors
/// Names what differs.
pub fn check(reader: &Reader, path: &Path, expected: &Contents, key: &Path) -> Result<()> {
    expected.check(&reader.summary().contents, "file of ciphertexts").with_context(|| {
        let (path, key) = (input_file::shown(path).printable(), input_file::shown(key).printable());
        format!("{path} does not go with {key}")
    })
}

/// Demands that files of operands are of a key, of the modulus that it takes, and hold as many values in as many ciphertexts.
///
/// # Errors
/// Names the file, and what differs.
pub fn check_alike(
    readers: &[Reader],
    paths: &[PathBuf],
    expected: &Contents,
    key: &Path,
) -> Result<()> {
    let name = |path: &Path| input_file::shown(path).printable();
    let first = *readers[0].summary();
    for (reader, path) in readers.iter().zip(paths) {
        check(reader, path, expected, key)?;
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

/// The next ciphertext of every file.
///
/// # Errors
/// If one cannot be read, or a file has fewer than it says.
pub fn next_of_each(readers: &mut [Reader], paths: &[PathBuf]) -> Result<Vec<Ciphertext>> {
    let next = |(reader, path): (&mut Reader, &PathBuf)| {
        let name = || input_file::shown(path).printable();
        let found = reader.next_ciphertext().with_context(name)?;
        found.with_context(|| format!("{}: fewer ciphertexts than it says", name()))
    };
    readers.iter_mut().zip(paths).map(next).collect()
}

/// Number of ciphertexts as people count them: values by themselves are one each.
pub fn encryptions(summary: &CiphertextFileSummary) -> u64 {
    let is_value_by_value = summary.contents.engine.is_value_by_value();
    if is_value_by_value { summary.values } else { summary.ciphertexts }
}

/// `1 ciphertext`, `2 ciphertexts`.
pub fn ciphertexts(count: u64) -> String {
    counted(count, "ciphertext")
}
