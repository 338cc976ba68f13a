//! Common methods of all encrypted values in Python, as macros, so that a class defines only its own.
//!
//! A class may have several blocks of methods: each macro adds one.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{Result, exception};

/// Adds the methods that encrypted arrays share with numpy's: `shape`, `ndim`, `size`, `len` and `reshape`.
///
/// The macro needs the fields besides `shape`, which reshaped arrays share, and the error to raise in place of a truth
/// value.
macro_rules! array_methods {
    ($class:ident { $($field:ident),+ }, $instead_of_truth:literal) => {
        #[pyo3::pymethods]
        impl $class {
            /// The shape of the encrypted array.
            #[getter]
            fn shape<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<$crate::stated_types::Shape<'py>> {
                let shape = pyo3::types::PyTuple::new(py, &self.shape)?;
                Ok($crate::stated_types::Shape(shape.into_any()))
            }

            /// The number of axes.
            #[getter]
            fn ndim(&self) -> usize {
                self.shape.len()
            }

            /// The number of values.
            #[getter]
            fn size(&self) -> usize {
                $crate::arrays::places(&self.shape)
            }

            /// Returns the same values in another shape.
            #[pyo3(signature = (*shape: "int | Sequence[int]"))]
            fn reshape(
                &self,
                shape: &pyo3::Bound<'_, pyo3::types::PyTuple>,
            ) -> $crate::errors::Result<Self> {
                let shape = $crate::arrays::reshaped(shape, self.size())?;
                Ok(Self { shape, $($field: self.$field.clone()),+ })
            }

            fn __len__(&self) -> $crate::errors::Result<usize> {
                $crate::arrays::length(&self.shape)
            }

            fn __bool__(&self) -> $crate::errors::Result<bool> {
                Err($crate::encrypted_array::no_truth($instead_of_truth))
            }
        }
    };
}

/// Adds files, bytes and pickles for one kind of encrypted array, whose files can be read without further information.
///
/// The class has `fn bytes(&self) -> cryptable::Result<Vec<u8>>` and `fn read(bytes) -> cryptable::Result<Self>`.
macro_rules! array_files {
    ($class:ident) => {
        $crate::encrypted_array::array_files!($class, );

        #[pyo3::pymethods]
        impl $class {
            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<$crate::key_files::ReducedArray<'py>> {
                let restore = py.import("cryptable._pickling")?.getattr("of_bytes")?;
                let class = py.get_type::<Self>().into_any();
                Ok((restore, (class, self.to_bytes(py)?, self.shape(py)?)))
            }
        }
    };
    ($class:ident, $($argument:ident: $type:ty)?) => {
        #[pyo3::pymethods]
        impl $class {
            /// Writes a file that every program of this library can read. An existing file is replaced only with
            /// `replace=True`.
            #[pyo3(signature = (path, *, replace = false))]
            fn save(
                &self,
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                replace: bool,
            ) -> $crate::errors::Result<()> {
                let bytes = $crate::call::detach(py, || self.bytes());
                let bytes = bytes.map_err($crate::errors::raise)?;
                $crate::key_files::save_public(py, &path, replace, &bytes)
            }

            /// Reads a file into an array of one dimension, since files have no shape.
            #[staticmethod]
            fn load(
                py: pyo3::Python<'_>,
                path: std::path::PathBuf,
                $($argument: $type)?
            ) -> $crate::errors::Result<Self> {
                let read = |bytes: &[u8]| Self::read(bytes $(, $argument)?);
                $crate::key_files::load_public(py, &path, read)
            }

            /// Returns its bytes, as in a file.
            fn to_bytes<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<pyo3::Bound<'py, pyo3::types::PyBytes>> {
                let bytes = $crate::call::detach(py, || self.bytes());
                let bytes = bytes.map_err($crate::errors::raise)?;
                Ok(pyo3::types::PyBytes::new(py, &bytes))
            }

            /// Reads the bytes of a file into an array of one dimension, since files have no shape.
            #[staticmethod]
            fn from_bytes(
                py: pyo3::Python<'_>,
                bytes: &[u8],
                $($argument: $type)?
            ) -> $crate::errors::Result<Self> {
                let read = || Self::read(bytes $(, $argument)?);
                $crate::call::detach(py, read).map_err($crate::errors::raise)
            }
        }
    };
}

/// Adds files, bytes and pickles for a public object without a shape; `inner` has `to_bytes` and `from_bytes`.
macro_rules! object_files {
    ($class:ident: $library:ty) => {
        impl $class {
            #[allow(
                clippy::unnecessary_wraps,
                reason = "arrays may fail where `array_files` calls this"
            )]
            fn bytes(&self) -> cryptable::Result<Vec<u8>> {
                Ok(self.inner.to_bytes())
            }

            fn read(bytes: &[u8]) -> cryptable::Result<Self> {
                Ok(Self { inner: <$library>::from_bytes(bytes)? })
            }
        }

        $crate::encrypted_array::array_files!($class,);

        #[pyo3::pymethods]
        impl $class {
            fn __reduce__<'py>(
                &self,
                py: pyo3::Python<'py>,
            ) -> $crate::errors::Result<
                $crate::key_files::Reduced<'py, (pyo3::Bound<'py, pyo3::types::PyBytes>,)>,
            > {
                let restore = py.get_type::<Self>().getattr("from_bytes")?;
                Ok((restore, (self.to_bytes(py)?,)))
            }
        }
    };
}

/// Adds comparisons that are refused, since the contents are hidden, and a hash of the object. The argument names the
/// call that compares values.
macro_rules! not_compared {
    ($class:ident, $instead:expr) => {
        #[pyo3::pymethods]
        impl $class {
            fn __richcmp__<'py>(
                slf: pyo3::Bound<'py, Self>,
                other: pyo3::Bound<'py, pyo3::PyAny>,
                comparison: pyo3::basic::CompareOp,
            ) -> $crate::errors::Result<pyo3::Bound<'py, pyo3::PyAny>> {
                $crate::equality::compared(slf.as_any(), &other, comparison, $instead)
            }

            fn __hash__(slf: pyo3::Bound<'_, Self>) -> usize {
                $crate::equality::hash_of(slf.as_any())
            }
        }
    };
}

/// Adds indexing and iteration, as in numpy: `x[2:5]`, `x[-1]`, `x[..., 0]`, `x[mask]`.
///
/// The class has `fn take(&self, places: &[usize], shape: Vec<usize>) -> Result<Self>`.
macro_rules! indexed {
    ($class:ident) => {
        #[pyo3::pymethods]
        impl $class {
            /// Returns some of the values, as numpy would.
            fn __getitem__(
                &self,
                key: &pyo3::Bound<'_, pyo3::PyAny>,
            ) -> $crate::errors::Result<Self> {
                let (places, shape) = $crate::encrypted_array::indexed_places(&self.shape, key)?;
                self.take(&places, shape)
            }

            fn __iter__<'py>(
                slf: &pyo3::Bound<'py, Self>,
            ) -> $crate::errors::Result<pyo3::Bound<'py, pyo3::PyAny>> {
                let builtins = slf.py().import("builtins")?;
                let places = builtins.call_method1("range", (slf.len()?,))?;
                builtins.call_method1("map", (slf.getattr("__getitem__")?, places))
            }
        }
    };
}

/// Adds operators of two operands, each with the name by which the class's `operator` knows it, and keeps numpy from
/// handling them.
///
/// `fn operator(slf: &Bound<Self>, name: &str, other: Option<&Bound<PyAny>>)` computes.
macro_rules! operators {
    ($class:ident: $($method:ident = $name:literal),+) => {
        #[pyo3::pymethods]
        impl $class {
            $(
                fn $method<'py>(
                    slf: pyo3::Bound<'py, Self>,
                    other: pyo3::Bound<'py, pyo3::PyAny>,
                ) -> $crate::errors::Result<pyo3::Bound<'py, pyo3::PyAny>> {
                    Self::operator(&slf, $name, Some(&other))
                }
            )+

            /// Tells numpy to leave operators to these.
            #[classattr]
            fn __array_ufunc__() -> Option<()> {
                None
            }
        }
    };
}

pub(crate) use operators;
pub(crate) use {array_files, array_methods, indexed, not_compared, object_files};

/// Returns the error that `bool` raises for encrypted values, whose truth is hidden.
pub(crate) fn no_truth(instead: &str) -> PyErr {
    PyTypeError::new_err(format!("encrypted values have no truth value: {instead}"))
}

/// Returns the places, in one dimension, that a numpy index selects from an array of this shape, and the shape of the
/// selection.
///
/// # Errors
/// `IndexError` and other errors of numpy if there are no such places, `RangeError` if the selection is empty.
pub(crate) fn indexed_places(
    shape: &[usize],
    key: &Bound<'_, PyAny>,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let numpy = key.py().import("numpy")?;
    let all = numpy.call_method1("arange", (crate::arrays::places(shape),))?;
    let taken = all.call_method1("reshape", (shape.to_vec(),))?.get_item(key)?;
    let taken = numpy.call_method1("asarray", (taken,))?;
    let shape: Vec<usize> = taken.getattr("shape")?.extract()?;
    let places: Vec<usize> = taken.call_method0("ravel")?.call_method0("tolist")?.extract()?;
    if places.is_empty() {
        let message =
            format!("the index {key} selects no values, but a ciphertext has at least one");
        return Err(exception("RangeError", message));
    }
    Ok((places, shape))
}
