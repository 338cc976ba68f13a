//! The client's key.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use numpy::{IxDyn, PyArray1, PyArrayMethods};

use crate::arrays::{are_signed, array, integers, shaped, signed_integers};
use crate::call::{self, Progress};
use crate::ciphertext::{Ciphertext, check_signs};
use crate::comparisons::{ComparisonPlan, Digits, signedness};
use crate::entry_tables::{EncryptedTable, to_encrypt};
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::files::{Access, write_file};
use crate::fixed_point::decryption;
use crate::integers::IntegerPlan;
use crate::key_files::check_memory;
use crate::keys::secret_key_files;
use crate::parameters::Parameters;
use crate::plan::{Candidate, Plan};
use crate::pool;
use crate::programs::ProgramPlan;
use crate::properties::properties;
use crate::public_key::PublicKey;
use crate::rekeying_key::RekeyingKey;
use crate::table::Signs;
use crate::wide::WidePlan;

/// The client's secret key: encrypts and decrypts, and makes the evaluation key that a server gets.
///
/// Erased from memory when it is deleted; it cannot be pickled. Erasing numpy arrays of values is up to the caller.
/// `threads` and `progress` are those of `EvaluationKey`.
///
///     >>> import cryptable
///     >>> secret = cryptable.SecretKey.generate(cryptable.plan([1, 0, 3, 2], engine="single"))
///     >>> encrypted = secret.encrypt([[0, 1], [2, 3]])
///     >>> secret.decrypt(encrypted).tolist()
///     [[0, 1], [2, 3]]
#[pyclass(frozen, module = "cryptable")]
pub(crate) struct SecretKey {
    inner: cryptable::SecretKey,
}

impl SecretKey {
    pub(crate) fn library(&self) -> &cryptable::SecretKey {
        &self.inner
    }

    /// Returns the parameters of its lookups.
    fn lookups(&self) -> Result<cryptable::Parameters> {
        self.inner.lookup_parameters().map_err(raise)
    }
}

#[pymethods]
impl SecretKey {
    /// Draws fresh secrets for the best way of a plan, for a candidate, for parameters, or for a plan of comparisons,
    /// integers or wide values.
    #[staticmethod]
    #[pyo3(signature = (plan: "Plan | Candidate | Parameters | ComparisonPlan | IntegerPlan | WidePlan | ProgramPlan"))]
    fn generate(py: Python<'_>, plan: &Bound<'_, PyAny>) -> Result<Self> {
        let parameters = if let Ok(plan) = plan.cast::<ComparisonPlan>() {
            plan.get().inner.parameters().clone()
        } else if let Ok(plan) = plan.cast::<IntegerPlan>() {
            plan.get().inner.parameters().clone()
        } else if let Ok(plan) = plan.cast::<WidePlan>() {
            plan.get().inner.parameters().clone()
        } else if let Ok(plan) = plan.cast::<ProgramPlan>() {
            plan.get().inner.parameters().clone()
        } else if let Ok(plan) = plan.cast::<Plan>() {
            plan.get().best().parameters().clone()
        } else if let Ok(parameters) = plan.cast::<Parameters>() {
            parameters.get().inner.clone()
        } else if let Ok(candidate) = plan.cast::<Candidate>() {
            candidate.get().parameters().clone()
        } else {
            let found = plan.get_type().name()?;
            let message = format!(
                "keys are for a plan, one of its candidates, or parameters, not for {found}: SecretKey.generate(plan(table))"
            );
            return Err(PyTypeError::new_err(message));
        };
        Ok(Self { inner: call::detach(py, || cryptable::SecretKey::generate(parameters)) })
    }

    /// Draws a key of toy parameters for tests, without any security. `entries` selects separate tables for every value
    /// or encrypted tables; `Parameters.insecure_toy` has more options.
    #[staticmethod]
    #[pyo3(signature = (engine: "Engine", input_modulus, output_modulus, *, entries: "Entries" = "shared"))]
    fn generate_insecure_toy(
        engine: &str,
        input_modulus: u64,
        output_modulus: u64,
        entries: &str,
    ) -> Result<Self> {
        let toy = Parameters::toy(engine, input_modulus, output_modulus, entries)?;
        Ok(Self { inner: pool::run(|| cryptable::SecretKey::generate(toy.inner)) })
    }

    /// Encrypts integers of any shape, from 0 to P - 1, where P is the `input_modulus`, or from -P/2 to P/2 - 1 if
    /// `signed`. By default, values are signed if the array's type cannot hold P - 1, as with int8 for a modulus of
    /// 256.
    #[pyo3(signature = (values: "npt.ArrayLike", *, signed = None))]
    fn encrypt(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        signed: Option<bool>,
    ) -> Result<Ciphertext> {
        let modulus = self.lookups()?.input_modulus();
        let signed = are_signed(values, modulus, signed)?;
        let values = integers(values, modulus, signed)?;
        let clear = Zeroizing::new(values.values);
        let inner = call::run_silently(py, || self.inner.encrypt(&clear))?;
        Ok(Ciphertext::new(inner.with_signed(signed), values.shape))
    }

    /// Generates a public key, with which anyone can encrypt values for this key; only for keys of lookups.
    fn public_key(&self, py: Python<'_>) -> Result<PublicKey> {
        Ok(PublicKey { inner: call::run_silently(py, || self.inner.public_key())? })
    }

    /// Generates a key with which a server turns this key's ciphertexts into those of another client, given that
    /// client's public key of the same parameters.
    fn rekey_to(&self, py: Python<'_>, new_owner: &PublicKey) -> Result<RekeyingKey> {
        let inner = call::run_silently(py, || self.inner.rekey_to(&new_owner.inner))?;
        Ok(RekeyingKey { inner })
    }

    /// Decrypts to exact integers in the shape that was encrypted, of numpy's smallest suitable type, signed if the
    /// ciphertext is. If `signed` is given, it must agree with the ciphertext.
    #[pyo3(signature = (ciphertext, *, signed = None) -> "npt.NDArray[Any]")]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        signed: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        let signed = check_signs(ciphertext.inner.is_signed(), signed)?;
        let values = call::run_silently(py, || self.inner.decrypt(&ciphertext.inner))?;
        let values = Zeroizing::new(values);
        array(py, &values, &ciphertext.shape, ciphertext.inner.modulus(), signed)
    }

    /// Encrypts values of another modulus: digits of the inputs of `EvaluationKey.lookup_digits`.
    #[pyo3(signature = (values: "npt.ArrayLike", modulus))]
    fn encrypt_digits(&self, values: &Bound<'_, PyAny>, modulus: u64) -> Result<Ciphertext> {
        let py = values.py();
        let values = integers(values, modulus, false)?;
        let clear = Zeroizing::new(values.values);
        let inner = call::run_silently(py, || self.inner.encrypt_digits(&clear, modulus))?;
        Ok(Ciphertext::new(inner, values.shape))
    }

    /// Decrypts results of a `real_table` to the table's multiples of one over the output modulus, or rounded to
    /// multiples of 2^-`precision`. `flooding` is needed for results that others see: a pair of bits of security and
    /// number of decryptions under this key.
    #[pyo3(signature = (ciphertext, *, precision = None, flooding = None) -> "npt.NDArray[np.float64]")]
    fn decrypt_reals<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        precision: Option<u32>,
        flooding: Option<(u32, u64)>,
    ) -> Result<Bound<'py, PyAny>> {
        let options = decryption(precision, flooding);
        let values =
            call::run_silently(py, || self.inner.decrypt_reals(&ciphertext.inner, options))?;
        shaped(py, &Zeroizing::new(values), &ciphertext.shape)
    }

    /// Decrypts results of `EvaluationKey.lookup_complex` like `decrypt_reals`, in the shape that was encrypted.
    #[pyo3(signature = (ciphertext, *, precision = None, flooding = None) -> "npt.NDArray[np.complex128]")]
    fn decrypt_complex<'py>(
        &self,
        py: Python<'py>,
        ciphertext: &Ciphertext,
        precision: Option<u32>,
        flooding: Option<(u32, u64)>,
    ) -> Result<Bound<'py, PyAny>> {
        let options = decryption(precision, flooding);
        let values =
            call::run_silently(py, || self.inner.decrypt_complex(&ciphertext.inner, options))?;
        let shape = match ciphertext.shape.split_last() {
            Some((2, shape)) => shape.to_vec(),
            // Results from a file have no shape.
            _ => vec![values.len()],
        };
        Ok(PyArray1::from_vec(py, values).reshape(IxDyn(&shape))?.into_any())
    }

    /// Encrypts integers for comparisons, with one bit of headroom.
    #[pyo3(signature = (values: "npt.ArrayLike", *, signed = true))]
    fn encrypt_integers(&self, values: &Bound<'_, PyAny>, signed: bool) -> Result<Ciphertext> {
        let py = values.py();
        let values = signed_integers(values)?;
        let clear = Zeroizing::new(values.values);
        let inner =
            call::run_silently(py, || self.inner.encrypt_integers(&clear, signedness(signed)))?;
        Ok(Ciphertext::new(inner, values.shape))
    }

    /// Decrypts integers in digits, in the shape that was encrypted. If `signed` is given, it must agree with the
    /// ciphertext.
    #[pyo3(signature = (digits, *, signed = None) -> "npt.NDArray[np.int64]")]
    fn decrypt_integers<'py>(
        &self,
        py: Python<'py>,
        digits: &Digits,
        signed: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        let signed = check_signs(digits.inner.is_signed(), signed)?;
        let values = call::run_silently(py, || {
            self.inner.decrypt_integers(&digits.inner, signedness(signed))
        })?;
        shaped(py, &Zeroizing::new(values), &digits.shape)
    }

    /// Encrypts a table that the server evaluates without reading it: anything that `cryptable.table` converts to a
    /// table, or, with `per_value`, an array with one table per value, the outputs along the last axis.
    #[pyo3(signature = (table: "TableLike", *, per_value = false, signed = None))]
    fn encrypt_table(
        &self,
        table: &Bound<'_, PyAny>,
        per_value: bool,
        signed: Option<Signs>,
    ) -> Result<EncryptedTable> {
        let key = self.inner.packed().map_err(raise)?;
        let tables = to_encrypt(key, table, per_value, signed.unwrap_or_default())?;
        let inner = call::run_silently(table.py(), || key.encrypt_tables(&tables))?;
        Ok(EncryptedTable { inner: inner.into() })
    }

    /// Encrypts a table like `encrypt_table`, into a file, without ever holding all of it in memory.
    #[pyo3(signature = (path, table: "TableLike", *, per_value = false, signed = None, threads: "int" = 0, progress = true, replace = false))]
    // One keyword argument per option.
    #[allow(clippy::too_many_arguments)]
    fn save_encrypted_table(
        &self,
        path: PathBuf,
        table: &Bound<'_, PyAny>,
        per_value: bool,
        signed: Option<Signs>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        let key = self.inner.packed().map_err(raise)?;
        let tables = to_encrypt(key, table, per_value, signed.unwrap_or_default())?;
        write_file(&path, Access::Public, replace, |out| {
            call::run_engine(table.py(), threads, progress, "encrypted table", |progress| {
                key.write_encrypted_tables(&tables, out, progress)
            })
        })
    }

    /// Makes the server's key, in memory.
    #[pyo3(signature = (*, threads: "int" = 0, progress = true))]
    fn evaluation_key(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EvaluationKey> {
        let needed = self.lookups()?.prediction().key_memory_bytes;
        check_memory("the evaluation key", needed)?;
        let inner = call::run_reporting(py, threads, progress, "evaluation key", |run| {
            self.inner.evaluation_key_with(run)
        })?;
        Ok(EvaluationKey::in_memory(inner))
    }

    /// Makes the server's key and writes it to a file, to be sent to the server, without ever holding all of it in
    /// memory.
    #[pyo3(signature = (path, *, threads: "int" = 0, progress = true, replace = false))]
    fn save_evaluation_key(
        &self,
        py: Python<'_>,
        path: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        write_file(&path, Access::Public, replace, |out| {
            call::run_reporting(py, threads, progress, "evaluation key", |run| {
                self.inner.write_evaluation_key(out, run)
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("SecretKey({}, id {})", self.inner.kind(), self.id())
    }
}

properties!(SecretKey {
    /// The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the key.
    id: String = |it| it.inner.id().to_string();
    /// Its parameters.
    parameters: Result<Parameters> = |it| Ok(Parameters { inner: it.lookups()? });
    /// The name of its engine.
    engine: Result<&'static str> = |it| Ok(it.lookups()?.engine().name());
    /// Values to be encrypted are below this modulus.
    input_modulus: Result<u64> = |it| Ok(it.lookups()?.input_modulus());
    /// Results are below this modulus.
    output_modulus: Result<u64> = |it| Ok(it.lookups()?.output_modulus());
});

secret_key_files!(SecretKey: cryptable::SecretKey::from_bytes);
