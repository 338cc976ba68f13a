//! The server's key for vectors.

use std::path::PathBuf;

use cryptable::ckks::EvaluationKey as LibraryEvaluationKey;
use cryptable::ckks::{Ciphertext, Complex64, PackedKey, PreparedMap as LibraryPreparedMap};
use cryptable::{Error, Execution};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::functions::{LeveledTable, LinearMap, Polynomial, SlotFunction, SlotTable};
use super::parameters::Parameters;
use super::shared_secret::SharedSecret;
use super::vector::Vector;
use crate::arrays::{common_shape, complex_numbers};
use crate::call;
use crate::errors::Result;
use crate::evaluation_key::EvaluationKey as PackedEvaluationKey;
use crate::key_files::{Origin, open_mapped};
use crate::keys::server_key;
use crate::properties::properties;

/// The server's key for vectors: computes on them without the secret. Threads may share it.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct EvaluationKey {
    inner: LibraryEvaluationKey,
    origin: Origin,
}

/// A linear map encoded for a key, made once and used for any number of products.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct PreparedMap {
    inner: LibraryPreparedMap,
}

/// The second operand of a sum or a product.
enum Other<'a> {
    Vector(&'a Vector),
    /// The same in every slot.
    Constant(Complex64),
    Integer(i64),
    Plain(Vec<Complex64>),
}

impl EvaluationKey {
    pub(crate) fn in_memory(inner: LibraryEvaluationKey) -> Self {
        Self { inner, origin: Origin::default() }
    }

    /// Runs an operation on vectors with `threads` threads.
    fn compute<R: Send>(
        &self,
        py: Python<'_>,
        threads: usize,
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<R> + Send,
    ) -> Result<R> {
        call::run(py, threads, None, |execution: Execution<'_>| {
            execution.run(|_| operation(&self.inner))
        })
    }

    fn vector(&self, inner: Ciphertext, like: &Vector) -> Vector {
        Vector::new(inner, self.inner.parameters(), like.shape.clone())
    }

    fn map_vector(
        &self,
        py: Python<'_>,
        x: &Vector,
        threads: usize,
        operation: impl FnOnce(&LibraryEvaluationKey, &Ciphertext) -> cryptable::Result<Ciphertext>
        + Send,
    ) -> Result<Vector> {
        let inner = self.compute(py, threads, |key| operation(key, &x.inner))?;
        Ok(self.vector(inner, x))
    }

    /// The key of packed integers, with the client's statement that it shares its secret with vectors.
    fn packed<'a>(
        packed: &'a PackedEvaluationKey,
        shared: &SharedSecret,
    ) -> cryptable::Result<PackedKey<'a>> {
        Ok(PackedKey { key: packed.library().packed()?, shared: shared.inner })
    }
}

/// Converts the second operand: a vector, a number, or an array of numbers in the shape of the vector.
fn other<'a>(x: &Vector, given: &'a Bound<'_, PyAny>) -> Result<Other<'a>> {
    if let Ok(vector) = given.cast::<Vector>() {
        common_shape([&x.shape, &vector.get().shape])?;
        return Ok(Other::Vector(vector.get()));
    }
    if let Ok(integer) = given.extract::<i64>() {
        return Ok(Other::Integer(integer));
    }
    let (numbers, _) = complex_numbers(given)?;
    if numbers.shape.is_empty() {
        return Ok(Other::Constant(numbers.values[0]));
    }
    if numbers.shape != x.shape {
        let (found, expected) = (numbers.shape, &x.shape);
        let message =
            format!("an array of shape {found:?} does not match a vector of {expected:?}");
        return Err(PyValueError::new_err(message));
    }
    Ok(Other::Plain(numbers.values))
}

#[pymethods]
impl EvaluationKey {
    /// Maps a key file into memory and checks all of it. Processes that open the same file share its memory pages.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false, automatic = false))]
    fn open(py: Python<'_>, path: PathBuf, allow_insecure: bool, automatic: bool) -> Result<Self> {
        let read = LibraryEvaluationKey::from_shared;
        let (inner, origin) = open_mapped(py, &path, allow_insecure, read)?;
        Ok(Self { inner: inner.bootstrapping_automatically(automatic), origin })
    }

    /// `x + y`: y is a vector, a number, or an array of the shape of x.
    #[pyo3(signature = (x, y: "Vector | complex | npt.ArrayLike", *, threads: "int" = 0))]
    fn add(
        &self,
        x: &Vector,
        y: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vector> {
        let y_ = other(x, y)?;
        self.map_vector(y.py(), x, threads, |key, x| match y_ {
            Other::Vector(y) => key.add(x, &y.inner),
            Other::Constant(y) => key.add_constant(x, y),
            Other::Integer(y) => key.add_constant(x, (y as f64).into()),
            Other::Plain(y) => key.add_plain(x, &y),
        })
    }

    /// `x - y`, with operands as in `add`.
    #[pyo3(signature = (x, y: "Vector | complex | npt.ArrayLike", *, threads: "int" = 0))]
    fn sub(
        &self,
        x: &Vector,
        y: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vector> {
        let y_ = other(x, y)?;
        self.map_vector(y.py(), x, threads, |key, x| match y_ {
            Other::Vector(y) => key.sub(x, &y.inner),
            Other::Constant(y) => key.add_constant(x, -y),
            Other::Integer(y) => key.add_constant(x, (-(y as f64)).into()),
            Other::Plain(y) => key.add_plain(x, &y.iter().map(|y| -y).collect::<Vec<_>>()),
        })
    }

    /// `x * y`, with operands as in `add`. The result is a level lower unless y is a single integer.
    #[pyo3(signature = (x, y: "Vector | complex | npt.ArrayLike", *, threads: "int" = 0))]
    fn mul(
        &self,
        x: &Vector,
        y: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vector> {
        let y_ = other(x, y)?;
        self.map_vector(y.py(), x, threads, |key, x| match y_ {
            Other::Vector(y) => key.mul(x, &y.inner),
            Other::Constant(y) => key.mul_constant(x, y),
            Other::Integer(y) => key.mul_integer(x, y),
            Other::Plain(y) => key.mul_plain(x, &y),
        })
    }

    /// Evaluates a table or a smooth function in every slot, and restores levels.
    #[pyo3(signature = (x, table: "SlotTable | SmoothFunction", *, threads: "int" = 0))]
    fn lookup(
        &self,
        py: Python<'_>,
        x: &Vector,
        table: SlotFunction,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vector> {
        self.map_vector(py, x, threads, |key, x| key.lookup(x, table.get()))
    }

    /// Evaluates several tables on the same points, or several functions of one period, faster than separate lookups.
    #[pyo3(signature = (x, tables: "Sequence[SlotTable | SmoothFunction]", *, threads: "int" = 0))]
    fn lookup_many(
        &self,
        py: Python<'_>,
        x: &Vector,
        tables: Vec<SlotFunction>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vec<Vector>> {
        let tables: Vec<_> = tables.iter().map(SlotFunction::get).collect();
        let found = self.compute(py, threads, |key| key.lookup_many(&x.inner, &tables))?;
        Ok(found.into_iter().map(|inner| self.vector(inner, x)).collect())
    }

    /// Encodes a linear map once for any number of products.
    fn prepare(&self, py: Python<'_>, map: &LinearMap) -> Result<PreparedMap> {
        Ok(PreparedMap { inner: self.compute(py, 0, |key| key.prepare(&map.inner))? })
    }

    /// Converts integers in slots to packed integers modulo `modulus`, in the order of `packed_index`.
    #[pyo3(signature = (x, modulus, packed, shared, *, threads: "int" = 0))]
    fn to_packed(
        &self,
        py: Python<'_>,
        x: &Vector,
        modulus: u64,
        packed: &PackedEvaluationKey,
        shared: &SharedSecret,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<crate::ciphertext::Ciphertext> {
        let found = self.compute(py, threads, |key| {
            key.to_packed(&x.inner, modulus, Self::packed(packed, shared)?)
        })?;
        let found = cryptable::Ciphertext::from(found);
        let shape = vec![found.count()];
        Ok(crate::ciphertext::Ciphertext::new(found, shape))
    }

    /// Looks up packed integers in a table, with results in slots.
    // The name is the library's; nothing is constructed.
    #[allow(clippy::wrong_self_convention)]
    #[pyo3(signature = (x, table, packed, shared, *, threads: "int" = 0))]
    fn from_packed(
        &self,
        py: Python<'_>,
        x: &crate::ciphertext::Ciphertext,
        table: &SlotTable,
        packed: &PackedEvaluationKey,
        shared: &SharedSecret,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
    ) -> Result<Vector> {
        let inner = self.compute(py, threads, |key| {
            let parts = x.inner.packed()?;
            let [part] = parts[..] else {
                let (name, value) = ("number of packed ciphertexts", parts.len() as u64);
                return Err(Error::TooLarge { name, value, limit: 1 });
            };
            key.from_packed(part, &table.inner, Self::packed(packed, shared)?)
        })?;
        let shape = vec![inner.slots()];
        Ok(Vector::new(inner, self.inner.parameters(), shape))
    }

    fn __repr__(&self) -> String {
        format!("EvaluationKey(ckks, of client key {})", self.key_id())
    }
}

/// Adds calls that compute a vector from a vector: a doc comment, the name, which is that of the library, and further
/// operands, each with its type and its conversion for the library.
macro_rules! vector_calls {
    ($($(#[$doc:meta])+ $name:ident($($operand:ident: $type:ty = $value:expr)?);)+) => {
        #[pymethods]
        impl EvaluationKey {
            $(
                $(#[$doc])+
                #[pyo3(signature = (x, $($operand,)? *, threads: "int" = 0))]
                fn $name(
                    &self,
                    py: Python<'_>,
                    x: &Vector,
                    $($operand: $type,)?
                    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
                ) -> Result<Vector> {
                    self.map_vector(py, x, threads, |key, x| key.$name(x $(, $value)?))
                }
            )+
        }
    };
}

vector_calls! {
    /// `-x`.
    negate();
    /// Rotates all slots to the left: slot j receives slot j + steps.
    rotate(steps: i64 = steps);
    /// Conjugates all slots.
    conjugate();
    /// Computes in slot j the sum of `count` slots from j on, where `count` is a power of two.
    inner_sum(count: usize = count);
    /// Evaluates a polynomial in every slot.
    polynomial(polynomial: &Polynomial = &polynomial.inner);
    /// Bootstraps the vector, which restores all levels.
    bootstrap();
    /// Lowers the vector to a level, which saves memory and makes operations faster.
    lower(level: usize = level);
    /// Evaluates a table on a few points, which consumes levels but needs no bootstrap.
    leveled_table(table: &LeveledTable = &table.inner);
    /// Computes the product of a linear map with the slots, one level below that of the map.
    transform(map: &PreparedMap = &map.inner);
}

properties!(EvaluationKey {
    /// The parameters.
    parameters: Parameters = |it| Parameters { inner: it.inner.parameters().clone() };
    /// Whether it has keys for conjugation.
    has_conjugation: bool = |it| it.inner.key_set().has_conjugation();
    /// Whether it has keys for bootstraps.
    has_bootstrapping: bool = |it| it.inner.key_set().has_bootstrapping();
    /// Whether it has keys for lookups.
    has_lookups: bool = |it| it.inner.key_set().has_lookups();
});

server_key!(EvaluationKey);
