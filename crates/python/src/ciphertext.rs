//! Encrypted arrays.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::arrays::{length, no_truth, reshaped};
use crate::equality::{compared, hash_of};
use crate::errors::{Result, exception, raise, raise_of};
use crate::files::read_file;
use crate::key_files::{Reduced, save_public};
use crate::parameters::hexadecimal;

/// Encrypted integers, in the shape of the array that they were. Public: it may be sent, stored and pickled.
///
/// `shape`, `ndim`, `size`, `len` and `reshape` are numpy's; there is no indexing, and `==` is refused: a lookup compares with
/// a number, `cryptable.comparisons` and `cryptable.integers` compare two. The shape is no part of the file format:
/// `Ciphertext.load` gives one dimension. `+ - *` work within `with cryptable.computing(server):`.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Ciphertext {
    pub(crate) inner: Arc<cryptable::Ciphertext>,
    pub(crate) shape: Vec<usize>,
}

impl Ciphertext {
    pub(crate) fn new(inner: cryptable::Ciphertext, shape: Vec<usize>) -> Self {
        Self { inner: inner.into(), shape }
    }
}

/// Whether values are signed, as their ciphertext says; a user who says anything must say the same.
///
/// # Errors
/// `MismatchError` otherwise.
pub(crate) fn check_signs(found: bool, stated: Option<bool>) -> Result<bool> {
    let name = |signed| if signed { "signed" } else { "unsigned" };
    match stated {
        Some(expected) if expected != found => {
            let (found, expected) = (name(found), name(expected));
            let message = format!(
                "the values are {found}, not {expected}: as_signed() of a ciphertext reads them otherwise"
            );
            Err(exception("MismatchError", message))
        }
        _ => Ok(found),
    }
}

#[pymethods]
impl Ciphertext {
    /// The shape of the encrypted array.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The number of its axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// The number of values.
    #[getter]
    fn size(&self) -> usize {
        self.inner.count()
    }

    /// What values are below.
    #[getter]
    fn modulus(&self) -> u64 {
        self.inner.modulus()
    }

    /// Whether its values are signed: from -M/2 to M/2 - 1, M their modulus. Encryption says so, or the table of a lookup.
    #[getter]
    fn signed(&self) -> bool {
        self.inner.is_signed()
    }

    /// The same values, read as signed or unsigned ones, such as a difference of unsigned values.
    #[pyo3(signature = (signed = true))]
    fn as_signed(&self, signed: bool) -> Self {
        Self::new((*self.inner).clone().with_signed(signed), self.shape.clone())
    }

    /// Which engine it is of.
    #[getter]
    fn engine(&self) -> &'static str {
        self.inner.engine().name()
    }

    /// The identifier of the secret key that decrypts it.
    #[getter]
    fn key_id(&self) -> String {
        self.inner.key_id().to_string()
    }

    /// The digest of its parameters: `Parameters.digest`.
    #[getter]
    fn parameter_digest(&self) -> String {
        hexadecimal(&self.inner.parameter_digest())
    }

    /// A bound on its noise, as it states itself: standard deviation and bias, fractions of the modulus of ciphertexts.
    /// `None` where there are no sums, which need it.
    #[getter]
    fn noise(&self) -> Option<(f64, f64)> {
        self.inner.noise().map(|noise| (noise.deviation(), noise.bias()))
    }

    /// Whether nothing was computed on it yet.
    #[getter]
    fn is_fresh(&self) -> bool {
        self.inner.is_fresh()
    }

    /// Values of several ciphertexts, one after another, in one dimension.
    #[staticmethod]
    fn join(parts: Vec<Py<Self>>) -> Result<Self> {
        let parts = parts.iter().map(|part| (*part.get().inner).clone());
        let inner = cryptable::Ciphertext::join(parts).map_err(raise)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// Its parts one by one, as many values each as the engine encrypts together: what `join` joins.
    fn parts(&self) -> Vec<Self> {
        let parts = (*self.inner).clone().into_parts();
        let one = |part: cryptable::Ciphertext| {
            let shape = vec![part.count()];
            Self::new(part, shape)
        };
        parts.map(one).collect()
    }

    /// The same values in another shape.
    #[pyo3(signature = (*shape))]
    fn reshape(&self, shape: &Bound<'_, PyTuple>) -> Result<Self> {
        let shape = reshaped(shape, self.inner.count())?;
        Ok(Self { inner: Arc::clone(&self.inner), shape })
    }

    /// Writes a file that every program of this library reads. An existing one is replaced only if told so.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = crate::call::detach(py, || self.inner.to_bytes());
        save_public(py, &path, replace, &bytes)
    }

    /// Reads a file of ciphertexts: one dimension.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> Result<Self> {
        crate::call::detach(py, || Self::read(&read_file(&path)?).map_err(raise_of(&path)))
    }

    /// Its bytes, as a file has them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = crate::call::detach(py, || self.inner.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// From the bytes of a file: one dimension.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> Result<Self> {
        crate::call::detach(py, || Self::read(bytes)).map_err(raise)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<Reduced<'py, (Bound<'py, PyBytes>, Vec<usize>)>> {
        let restore = py.import("cryptable._pickling")?.getattr("ciphertext")?;
        Ok((restore, (self.to_bytes(py), self.shape.clone())))
    }

    fn __add__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "add", Some(&other))
    }

    fn __radd__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "add", Some(&other))
    }

    fn __sub__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "sub", Some(&other))
    }

    fn __rsub__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "rsub", Some(&other))
    }

    fn __mul__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "mul", Some(&other))
    }

    fn __rmul__<'py>(slf: Bound<'py, Self>, other: Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "mul", Some(&other))
    }

    fn __neg__<'py>(slf: Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "negate", None)
    }

    /// numpy is to leave operators to these.
    #[classattr]
    fn __array_ufunc__() -> Option<()> {
        None
    }

    fn __len__(&self) -> Result<usize> {
        length(&self.shape)
    }

    fn __bool__(&self) -> Result<bool> {
        no_truth()
    }

    fn __richcmp__<'py>(
        slf: Bound<'py, Self>,
        other: Bound<'py, PyAny>,
        comparison: CompareOp,
    ) -> Result<Bound<'py, PyAny>> {
        compared(
            slf.as_any(),
            &other,
            comparison,
            "a lookup of `lambda v: v == 3` compares with a number, cryptable.comparisons and cryptable.integers compare two",
        )
    }

    fn __hash__(slf: Bound<'_, Self>) -> usize {
        hash_of(slf.as_any())
    }

    fn __repr__(&self) -> String {
        let (engine, modulus) = (self.engine(), self.modulus());
        let values = match self.signed() {
            true => format!("from -{} to {}", modulus / 2, modulus.div_ceil(2) - 1),
            false => format!("below {modulus}"),
        };
        format!("Ciphertext({engine}, shape {:?}, values {values})", self.shape)
    }
}

impl Ciphertext {
    /// Calls `cryptable.linear` for an operator, which knows the key.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        operand: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.linear")?.getattr("_operator")?;
        operator.call1((name, slf, operand))
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        let inner = cryptable::Ciphertext::from_bytes(bytes)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }
}
