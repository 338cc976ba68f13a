//! Encryption of bits, and every operation on them.

use cryptable::bits::EvaluationKey as LibraryEvaluationKey;
use cryptable::bits::{BitTable, EncryptedBits as LibraryBits, Gate, SumGate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use zeroize::Zeroizing;

use super::encrypted_bits::EncryptedBits;
use crate::arrays::{booleans, common_shape, shaped};
use crate::call;
use crate::circuits::{EvaluationKey, SecretKey};
use crate::errors::{Result, raise};

/// Encrypts bits of any shape, at most `Parameters.bits_at_once`, with `levels` levels left for gates (default: all).
#[pyfunction]
#[pyo3(signature = (secret, values: "npt.ArrayLike", *, levels = None))]
pub(crate) fn encrypt(
    secret: &SecretKey,
    values: &Bound<'_, PyAny>,
    levels: Option<usize>,
) -> Result<EncryptedBits> {
    let (key, bits) = (secret.library(), booleans(values)?);
    let clear = Zeroizing::new(bits.values);
    let inner = call::run_silently(values.py(), || match levels {
        None => key.encrypt(&clear),
        Some(levels) => key.encrypt_at(&clear, levels),
    })?;
    Ok(EncryptedBits::new(inner, key.parameters(), bits.shape))
}

/// Decrypts bits to an array of booleans, in the shape that was encrypted.
#[pyfunction]
#[pyo3(signature = (secret, bits) -> "npt.NDArray[np.bool_]")]
pub(crate) fn decrypt<'py>(
    py: Python<'py>,
    secret: &SecretKey,
    bits: &EncryptedBits,
) -> Result<Bound<'py, PyAny>> {
    let found = call::run_silently(py, || secret.library().decrypt(&bits.inner))?;
    shaped(py, &Zeroizing::new(found), &bits.shape)
}

/// Returns the gate with this name, in lower or upper case.
fn gate_of(name: &str) -> Result<Gate> {
    let is_it = |gate: &Gate| gate.to_string().eq_ignore_ascii_case(name);
    Gate::ALL.into_iter().find(is_it).ok_or_else(|| {
        let known = Gate::ALL.map(|gate| gate.to_string().to_lowercase()).join(", ");
        PyValueError::new_err(format!("gate is {name:?}, but must be one of {known}"))
    })
}

/// A server's key and the options of a call.
struct Call<'a> {
    server: &'a LibraryEvaluationKey,
    threads: usize,
}

impl<'a> Call<'a> {
    fn new(server: &'a EvaluationKey, threads: usize) -> Self {
        Self { server: server.library(), threads }
    }

    /// Computes the results of an operation, in the shape of its operands.
    fn all(
        &self,
        py: Python<'_>,
        shape: &[usize],
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<Vec<LibraryBits>> + Send,
    ) -> Result<Vec<EncryptedBits>> {
        let found = call::run(py, self.threads, None, |execution| {
            execution.run(|_| operation(self.server))
        })?;
        let parameters = self.server.parameters();
        let new = |inner| EncryptedBits::new(inner, parameters, shape.to_vec());
        Ok(found.into_iter().map(new).collect())
    }

    /// Computes the single result of an operation.
    fn one(
        &self,
        py: Python<'_>,
        shape: &[usize],
        operation: impl FnOnce(&LibraryEvaluationKey) -> cryptable::Result<LibraryBits> + Send,
    ) -> Result<EncryptedBits> {
        Ok(self.all(py, shape, |key| Ok(vec![operation(key)?]))?.swap_remove(0))
    }
}

/// Operands of an operation on any number of arrays of bits.
struct Operands(Vec<Py<EncryptedBits>>);

impl Operands {
    fn of(bits: &Bound<'_, PyTuple>) -> Result<Self> {
        Ok(Self(bits.extract()?))
    }

    fn shape(&self) -> Result<Vec<usize>> {
        common_shape(self.0.iter().map(|bits| &bits.get().shape))
    }

    fn library(&self) -> Vec<&LibraryBits> {
        self.0.iter().map(|bits| &*bits.get().inner).collect()
    }
}

/// Evaluates a gate on two bits between bootstraps, for one level: `and`, `or`, `xor`, `nand`, `nor`, `xnor`, or
/// `andnot`, `ornot` (with the second bit negated), `notand`, `notor` (with the first bit negated).
#[pyfunction]
#[pyo3(signature = (server, gate, x, y, *, threads: "int" = 0))]
pub(crate) fn gate(
    py: Python<'_>,
    server: &EvaluationKey,
    gate: &str,
    x: &EncryptedBits,
    y: &EncryptedBits,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<EncryptedBits> {
    let gate = gate_of(gate)?;
    let shape = common_shape([&x.shape, &y.shape])?;
    Call::new(server, threads).one(py, &shape, |key| key.gate(gate, &x.inner, &y.inner))
}

/// Evaluates several gates on the same two bits, in little more time than one.
#[pyfunction]
#[pyo3(signature = (server, gates, x, y, *, threads: "int" = 0))]
pub(crate) fn gates(
    py: Python<'_>,
    server: &EvaluationKey,
    gates: Vec<String>,
    x: &EncryptedBits,
    y: &EncryptedBits,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<Vec<EncryptedBits>> {
    let gates: Vec<_> = gates.iter().map(|name| gate_of(name)).collect::<Result<_>>()?;
    let shape = common_shape([&x.shape, &y.shape])?;
    Call::new(server, threads).all(py, &shape, |key| key.gates(&gates, &x.inner, &y.inner))
}

/// Negates bits, without using a level or adding noise.
#[pyfunction]
pub(crate) fn logical_not(
    py: Python<'_>,
    server: &EvaluationKey,
    x: &EncryptedBits,
) -> Result<EncryptedBits> {
    Call::new(server, 0).one(py, &x.shape, |key| key.not(&x.inner))
}

/// Computes the OR of bits that are never both 1, where it equals the XOR, without using a level. If both bits are 1,
/// the result is not a bit.
#[pyfunction]
pub(crate) fn disjoint_or(
    py: Python<'_>,
    server: &EvaluationKey,
    x: &EncryptedBits,
    y: &EncryptedBits,
) -> Result<EncryptedBits> {
    let shape = common_shape([&x.shape, &y.shape])?;
    Call::new(server, 0).one(py, &shape, |key| key.disjoint_or(&x.inner, &y.inner))
}

/// Squares the errors of bits, for two levels.
#[pyfunction]
#[pyo3(signature = (server, x, *, threads: "int" = 0))]
pub(crate) fn clean(
    py: Python<'_>,
    server: &EvaluationKey,
    x: &EncryptedBits,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<EncryptedBits> {
    Call::new(server, threads).one(py, &x.shape, |key| key.clean(&x.inner))
}

/// Returns the same bits with fewer levels left, which use less memory and make operations on them faster.
#[pyfunction]
pub(crate) fn lower(
    py: Python<'_>,
    server: &EvaluationKey,
    x: &EncryptedBits,
    levels: usize,
) -> Result<EncryptedBits> {
    Call::new(server, 0).one(py, &x.shape, |key| key.lower(&x.inner, levels))
}

/// Runs BinBoot, which restores all levels and squares errors. Several arrays of bits are combined by XOR.
#[pyfunction]
#[pyo3(signature = (server, *bits: "EncryptedBits", threads: "int" = 0))]
pub(crate) fn bin_boot(
    py: Python<'_>,
    server: &EvaluationKey,
    bits: &Bound<'_, PyTuple>,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<EncryptedBits> {
    let bits = Operands::of(bits)?;
    let operands = bits.library();
    Call::new(server, threads).one(py, &bits.shape()?, |key| key.bin_boot_sum(&operands))
}

/// Runs GateBoot, which evaluates a gate on two bits, as `gate` does, and restores all levels. With `cleaning`, errors
/// are squared, for one more level.
#[pyfunction]
#[pyo3(signature = (server, gate, x, y, *, cleaning = false, threads: "int" = 0))]
pub(crate) fn gate_boot(
    py: Python<'_>,
    server: &EvaluationKey,
    gate: &str,
    x: &EncryptedBits,
    y: &EncryptedBits,
    cleaning: bool,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<EncryptedBits> {
    let gate = gate_of(gate)?;
    let shape = common_shape([&x.shape, &y.shape])?;
    Call::new(server, threads).one(py, &shape, |key| match cleaning {
        false => key.gate_boot(gate, &x.inner, &y.inner),
        true => key.gate_boot_cleaning(gate, &x.inner, &y.inner),
    })
}

/// Evaluates functions of the sum of up to seven bits and restores all levels but a few, in little more time than one
/// bootstrap. A function is a list of its outputs for 0, 1, ... bits that are 1: a full adder is `[[0, 1, 0, 1], [0, 0,
/// 1, 1]]`.
#[pyfunction]
#[pyo3(signature = (server, functions: "Sequence[npt.ArrayLike]", *bits: "EncryptedBits", threads: "int" = 0))]
pub(crate) fn gate_boot_many(
    server: &EvaluationKey,
    functions: Vec<Bound<'_, PyAny>>,
    bits: &Bound<'_, PyTuple>,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<Vec<EncryptedBits>> {
    let function = |it: &Bound<'_, PyAny>| SumGate::new(&booleans(it)?.values).map_err(raise);
    let functions: Vec<_> = functions.iter().map(function).collect::<Result<_>>()?;
    let (py, bits) = (bits.py(), Operands::of(bits)?);
    let operands = bits.library();
    let call = Call::new(server, threads);
    call.all(py, &bits.shape()?, |key| key.gate_boot_many(&functions, &operands))
}

/// Evaluates tables of up to eight bits between bootstraps; the number of levels used is log2 of the number of bits,
/// rounded up. Each table is a list of 2^k outputs, and the first array of bits is the lowest bit of the index. Results
/// have `levels` levels left (default: as many as possible).
#[pyfunction]
#[pyo3(signature = (server, tables: "Sequence[npt.ArrayLike]", *bits: "EncryptedBits", levels = None, threads: "int" = 0))]
pub(crate) fn tables(
    server: &EvaluationKey,
    tables: Vec<Bound<'_, PyAny>>,
    bits: &Bound<'_, PyTuple>,
    levels: Option<usize>,
    #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
) -> Result<Vec<EncryptedBits>> {
    let table = |it: &Bound<'_, PyAny>| BitTable::new(&booleans(it)?.values).map_err(raise);
    let tables: Vec<_> = tables.iter().map(table).collect::<Result<_>>()?;
    let (py, bits) = (bits.py(), Operands::of(bits)?);
    let operands = bits.library();
    Call::new(server, threads).all(py, &bits.shape()?, |key| match levels {
        None => key.tables(&tables, &operands),
        Some(levels) => key.tables_at(&tables, &operands, levels),
    })
}
