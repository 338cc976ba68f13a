//! Files of ciphertexts, written and read one after another.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use cryptable::{
    CiphertextFileSummary, CiphertextReader as LibraryReader, CiphertextWriter as LibraryWriter,
};
use pyo3::prelude::*;

use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::files::{AtomicFile, open};
use crate::parameters::hexadecimal;
use crate::pieces::{Pieces, reader_of_pieces, writer_of_pieces};
use crate::properties::properties;

/// Writes any number of ciphertexts to a file one after another, with only one in memory. The file appears when it is
/// complete: at `close`, or at the end of a `with` block unless that ends with an exception.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct CiphertextWriter {
    pieces: Pieces<LibraryWriter<AtomicFile>>,
}

#[pymethods]
impl CiphertextWriter {
    /// Appends the values of a ciphertext of the same key, engine and modulus as the first.
    fn write(&self, py: Python<'_>, ciphertext: &Ciphertext) -> Result<()> {
        let contents = ciphertext.inner.contents();
        crate::call::detach(py, || {
            self.pieces.write(
                |file| LibraryWriter::new(file, contents).map_err(raise),
                |writer| writer.push(&ciphertext.inner).map_err(raise),
            )
        })
    }
}

writer_of_pieces!(CiphertextWriter, |writer| Ok(writer.finish().map_err(raise)?.0));

/// Reads a file of ciphertexts one after another, with only one in memory, after checking the whole file. Iteration
/// yields ciphertexts of one dimension.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct CiphertextReader {
    path: PathBuf,
    summary: CiphertextFileSummary,
    reader: Mutex<LibraryReader<BufReader<File>>>,
}

#[pymethods]
impl CiphertextReader {
    /// Opens a file and checks all of it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> Result<Self> {
        let reader = crate::call::detach(py, || LibraryReader::new(open(&path)?).map_err(raise))?;
        Ok(Self { path, summary: *reader.summary(), reader: Mutex::new(reader) })
    }

    /// The number of ciphertexts.
    fn __len__(&self) -> usize {
        self.summary.ciphertexts as usize
    }

    fn __next__(&self, py: Python<'_>) -> Result<Option<Ciphertext>> {
        let next = crate::call::detach(py, || {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.next_ciphertext().map_err(raise)
        })?;
        Ok(next.map(|inner| {
            let shape = vec![inner.count()];
            Ciphertext::new(inner, shape)
        }))
    }

    fn __repr__(&self) -> String {
        format!("CiphertextReader({}, {} values)", self.path.display(), self.size())
    }
}

properties!(CiphertextReader {
    /// The number of values in the file.
    size: u64 = |it| it.summary.values;
    /// The name of its engine.
    engine: &'static str = |it| it.summary.contents.engine.name();
    /// Values are below this modulus.
    modulus: u64 = |it| it.summary.contents.modulus;
    /// The identifier of the secret key that decrypts it.
    key_id: String = |it| it.summary.contents.key_id.to_string();
    /// The digest of the parameters.
    parameter_digest: String = |it| hexadecimal(&it.summary.contents.parameter_digest);
    /// The digest of the file.
    digest: String = |it| hexadecimal(&it.summary.digest);
});

reader_of_pieces!(CiphertextReader);
