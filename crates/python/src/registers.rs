//! Registers: encrypted numbers that encrypted bits increment and select.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use cryptable::engines::leveled;

use crate::arrays::integers;
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::properties::properties;
use crate::table::{Table, of_inputs};

/// Encrypted bits in the form in which they select, made by `EvaluationKey.selectors`. They use 150 to 400 kB of memory
/// per bit.
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct Selectors {
    inner: leveled::Selectors,
}

#[pymethods]
impl Selectors {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __repr__(&self) -> String {
        format!("Selectors({} bits)", self.inner.len())
    }
}

/// An encrypted number that encrypted bits increment and select, read through a table; `EvaluationKey.register` makes
/// it.
///
/// Each step takes some 40 microseconds. Keys of `plan(chain=10_000)` allow ten thousand steps in a row before the
/// register is read.
///
///     >>> import cryptable
///     >>> secret = cryptable.SecretKey.generate_insecure_toy("leveled", 2, 8)    # for use: of a plan
///     >>> server = secret.evaluation_key()
///     >>> votes = server.selectors(secret.encrypt([1, 0, 1, 1]))
///     >>> register = server.register(range(8))
///     >>> register.add_if(votes, [0, 1, 2, 3], [3, 2, 1, 1])
///     >>> int(secret.decrypt(register.read()))
///     5
#[pyclass(module = "cryptable")]
pub(crate) struct Register {
    key: Arc<cryptable::EvaluationKey>,
    inner: leveled::Register,
    /// Whether the outputs of its table are signed.
    signed: bool,
}

#[pymethods]
impl Register {
    /// Adds a number if a bit is 1. For arrays of places, adds each number if the bit at its place is 1, or one number
    /// for all of them; places may repeat. If an error or Ctrl-C ends the call, nothing is added.
    #[pyo3(signature = (bits, bit: "npt.ArrayLike", number: "npt.ArrayLike", *, progress = false))]
    fn add_if(
        &mut self,
        bits: &Selectors,
        bit: &Bound<'_, PyAny>,
        number: &Bound<'_, PyAny>,
        progress: Option<Progress<'_>>,
    ) -> Result<()> {
        let py = bit.py();
        let (bit, number) = (integers(bit, u64::MAX, false)?, integers(number, u64::MAX, false)?);
        if ![1, bit.values.len()].contains(&number.values.len()) {
            let (found, bits) = (number.values.len(), bit.values.len());
            let message =
                format!("{found} numbers for {bits} bits: give one number, or one per bit");
            return Err(PyValueError::new_err(message));
        }
        let numbers = number.values.into_iter().cycle();
        let steps: Vec<_> = bit.values.iter().map(|&bit| bit as usize).zip(numbers).collect();
        let (key, mut changed) = (&self.key, self.inner.clone());
        self.inner = call::run_engine(py, 1, progress, "register", |progress| {
            key.leveled()?.add_all(&mut changed, &bits.inner, &steps, progress)?;
            Ok(changed)
        })?;
        Ok(())
    }

    /// Takes the contents of another register, whose table has the same number of entries, if a bit is 1.
    fn choose_if(
        &mut self,
        py: Python<'_>,
        bits: &Selectors,
        bit: usize,
        other: &Self,
    ) -> Result<()> {
        let (key, inner) = (&self.key, &mut self.inner);
        call::detach(py, || key.leveled()?.choose_if(inner, &bits.inner, bit, &other.inner))
            .map_err(raise)
    }

    /// Returns an independent copy.
    fn copy(&self) -> Self {
        Self { key: self.key.clone(), inner: self.inner.clone(), signed: self.signed }
    }

    /// Returns the table's entry at the number, encrypted. The register can still be used afterwards.
    fn read(&self, py: Python<'_>) -> Result<Ciphertext> {
        let found = call::detach(py, || self.key.leveled()?.read(&self.inner)).map_err(raise)?;
        let found = cryptable::Ciphertext::from(found).with_signed(self.signed);
        Ok(Ciphertext::new(found, Vec::new()))
    }

    fn __repr__(&self) -> String {
        format!("Register(at most {}, {} steps)", self.inner.largest(), self.inner.depth())
    }
}

properties!(Register {
    /// The number that it would hold if all bits were 1.
    largest: u64 = |it| it.inner.largest();
    /// The number of steps in a row that led to its contents.
    depth: u64 = |it| it.inner.depth();
});

#[pymethods]
impl EvaluationKey {
    /// Converts encrypted values to the form in which their bits select, for registers: the bits of each value, the
    /// lowest first. Needs keys of a plan with `chain`, and 8 to 12 milliseconds per bit.
    #[pyo3(signature = (values, *, threads: "int" = 0, progress = true))]
    fn selectors(
        &self,
        py: Python<'_>,
        values: &Ciphertext,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<Selectors> {
        let found = call::run_reporting(py, threads, progress, "selectors", |execution| {
            self.library().selectors(&values.inner, execution)
        });
        Ok(Selectors { inner: found? })
    }

    /// Makes a register that holds 0 and is read through a table of `entries` entries, one per number that it may hold.
    /// With `cyclic`, numbers are modulo the number of entries, a power of two; the time of a step is then multiplied
    /// by the number of output bits.
    #[pyo3(signature = (outputs: "TableLike", entries = None, *, cyclic = false))]
    fn register(
        &self,
        outputs: &Bound<'_, PyAny>,
        entries: Option<u64>,
        cyclic: bool,
    ) -> Result<Register> {
        let table = of_inputs(outputs, entries)?;
        let table = table.cast::<Table>()?.get().inner.clone();
        let key = self.library().leveled().map_err(raise)?;
        let inner = match cyclic {
            true => key.cyclic_register(&table),
            false => key.register(&table),
        };
        let (key, signed) = (self.shared(), table.signed_outputs());
        Ok(Register { key, inner: inner.map_err(raise)?, signed })
    }
}
