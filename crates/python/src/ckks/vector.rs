//! Encrypted vectors.

use std::sync::Arc;

use cryptable::ReadOptions;
use cryptable::ckks::{Ciphertext, Parameters as LibraryParameters, SlotBounds};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::parameter_set::Parameters;
use crate::arrays::places;
use crate::encrypted_array::{array_files, array_methods, not_compared, operators};
use crate::errors::{Result, exception, raise};
use crate::key_files::Reduced;
use crate::properties::properties;

/// Encrypted real or complex numbers, one per slot, in the shape of the original array. Public: it may be sent, stored
/// and pickled.
///
/// Operators (`+ - *`) work within `with cryptable.ckks.computing(server):`.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct Vector {
    pub(crate) inner: Arc<Ciphertext>,
    pub(crate) parameters: LibraryParameters,
    pub(crate) shape: Vec<usize>,
}

impl Vector {
    pub(crate) fn new(
        inner: Ciphertext,
        parameters: &LibraryParameters,
        shape: Vec<usize>,
    ) -> Self {
        Self { inner: inner.into(), parameters: parameters.clone(), shape }
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        self.inner.to_bytes(&self.parameters)
    }

    fn read(bytes: &[u8], parameters: &Parameters) -> cryptable::Result<Self> {
        let parameters = &parameters.inner;
        let inner = Ciphertext::from_bytes(parameters, bytes)?;
        let shape = vec![inner.slots()];
        Ok(Self::new(inner, parameters, shape))
    }

    /// Evaluates an operator through `cryptable.ckks`, which knows the key.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        other: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.ckks")?.getattr("_operator")?;
        match other {
            Some(other) => operator.call1((name, (slf, other))),
            None => operator.call1((name, (slf,))),
        }
    }
}

/// Restores a pickled vector.
#[pyfunction]
pub(crate) fn restore_vector(
    py: Python<'_>,
    parameters: &[u8],
    bytes: &[u8],
    shape: Vec<usize>,
) -> Result<Vector> {
    // Reading insecure parameters does no harm: vectors under them only fit insecure keys.
    let options = ReadOptions::default().allow_insecure();
    let vector = crate::call::detach(py, || {
        let inner = LibraryParameters::from_bytes(parameters, options)?;
        Vector::read(bytes, &Parameters { inner })
    });
    let vector = vector.map_err(raise)?;
    if places(&shape) > vector.inner.slots() {
        let message = format!("the shape {shape:?} has more than {} slots", vector.inner.slots());
        return Err(exception("FormatError", message));
    }
    Ok(Vector { shape, ..vector })
}

#[pymethods]
impl Vector {
    /// Bounds on the absolute real and imaginary parts of slots.
    #[getter]
    fn bounds(&self) -> (f64, f64) {
        let bounds = self.inner.bounds();
        (bounds.re, bounds.im)
    }

    /// The error of slots: the standard deviation of noise, and the largest error that is not noise.
    #[getter]
    fn error(&self) -> (f64, f64) {
        let error = self.inner.error();
        (error.deviation, error.bias)
    }

    /// Returns all slots, in one dimension.
    fn all_slots(&self) -> Self {
        let shape = vec![self.inner.slots()];
        Self { inner: Arc::clone(&self.inner), parameters: self.parameters.clone(), shape }
    }

    /// Returns the same vector with other bounds, which the caller knows to hold.
    #[pyo3(signature = (real, imaginary = 0.0))]
    fn with_bounds(&self, real: f64, imaginary: f64) -> Result<Self> {
        let bounds = SlotBounds { re: real, im: imaginary };
        let inner = (*self.inner).clone().with_bounds(bounds).map_err(raise)?;
        Ok(Self::new(inner, &self.parameters, self.shape.clone()))
    }

    #[allow(clippy::type_complexity)]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<Reduced<'py, (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<usize>)>> {
        let restore = py.import("cryptable._pickling")?.getattr("vector")?;
        let parameters = PyBytes::new(py, &self.parameters.to_bytes());
        Ok((restore, (parameters, self.to_bytes(py)?, self.shape.clone())))
    }

    fn __repr__(&self) -> String {
        let kind = if self.bounds().1 == 0.0 { "real" } else { "complex" };
        format!("Vector({kind}, shape {:?}, level {})", self.shape, self.level())
    }

    fn __neg__<'py>(slf: Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "negate", None)
    }
}

properties!(Vector {
    /// Number of slots that it has.
    slots: usize = |it| it.inner.slots();
    /// Number of multiplications that are left.
    level: usize = |it| it.inner.level();
    /// The scale by which slots are multiplied within the ciphertext.
    scale: f64 = |it| it.inner.scale();
    /// The identifier of the secret key that decrypts it.
    key_id: String = |it| it.inner.key_id().to_string();
    /// The parameters.
    parameters: Parameters = |it| Parameters { inner: it.parameters.clone() };
});

array_methods!(Vector { inner, parameters }, "`is None` and `size` tell what can be known");
array_files!(Vector, parameters: &Parameters);
not_compared!(Vector, "their decryptions are, with a tolerance");
operators!(
    Vector: __add__ = "add", __radd__ = "add", __sub__ = "sub", __rsub__ = "rsub", __mul__ = "mul", __rmul__ = "mul"
);
