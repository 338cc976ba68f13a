//! The client's keys for both ends of a bridge.

use std::path::PathBuf;
use std::sync::Arc;

use cryptable::Error;
use cryptable::bridges;
use cryptable::engines::integer_bridge::SecretKey as IntegerSecretKeys;
use cryptable::engines::leveled_bridge::SecretKey as LeveledSecretKeys;
use cryptable::engines::packed;
use cryptable::large_values;
use numpy::PyArray1;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::evaluation_keys::{EvaluationKeys, Keys};
use super::plan::{BridgePlan, Planned};
use super::values::{Integers, LeveledValues, SmallValues};
use super::{each_keys, one_part, other_end};
use crate::arrays::{are_signed, array, integers};
use crate::call::{self, Progress};
use crate::ciphertext::Ciphertext;
use crate::errors::Result;
use crate::key_files::{load_secret, refuse_pickle, save_secret, write_evaluation_key};
use crate::large_values::Radix;
use crate::parameters::Parameters;

/// A client's keys, for either engine at the other end.
enum Secrets {
    Integers(Box<IntegerSecretKeys>),
    Leveled(Box<LeveledSecretKeys>),
}

/// The client's secret keys for both ends: they encrypt packed values, and decrypt the results of either end.
///
/// Erased from memory when they are deleted; they cannot be pickled.
#[pyclass(frozen, module = "cryptable.bridges")]
pub(crate) struct SecretKeys {
    inner: Secrets,
}

impl SecretKeys {
    fn packed(&self) -> &packed::SecretKey {
        each_keys!(Secrets, &self.inner, keys => keys.packed())
    }
}

#[pymethods]
impl SecretKeys {
    /// Draws fresh secrets for a plan.
    #[staticmethod]
    fn generate(py: Python<'_>, plan: &BridgePlan) -> Self {
        let inner = call::detach(py, || match &plan.inner {
            Planned::Integers(plan) => {
                Secrets::Integers(Box::new(IntegerSecretKeys::generate(plan.parameters())))
            }
            Planned::Leveled(plan) => {
                Secrets::Leveled(Box::new(LeveledSecretKeys::generate(plan.parameters())))
            }
        });
        Self { inner }
    }

    /// Draws fresh secrets for packed parameters with any tables, and integers of `bits` bits at the other end, whose
    /// results are processed in digits. Toys can only be combined with toys.
    #[staticmethod]
    fn joining(py: Python<'_>, packed: &Parameters, bits: u32) -> Result<Self> {
        let inner = call::run_silently(py, || {
            let packed = packed.inner.packed()?;
            let integers = match packed.security_level().is_insecure() {
                true => large_values::Parameters::insecure_toy(bits)?,
                false => large_values::Parameters::new(bits)?,
            };
            let parameters = bridges::Parameters::new(packed.clone(), integers)?;
            Ok(Secrets::Integers(Box::new(IntegerSecretKeys::generate(&parameters))))
        })?;
        Ok(Self { inner })
    }

    /// Decrypts an integer in digits, as an unsigned one.
    fn decrypt_radix(&self, py: Python<'_>, value: &Radix) -> Result<u64> {
        call::run_silently(py, || match &self.inner {
            Secrets::Integers(keys) => keys.single().decrypt_radix(&value.inner),
            Secrets::Leveled(_) => other_end("of integers", "of leveled values"),
        })
    }

    /// The identifiers of both keys. They reveal nothing about the keys.
    #[getter]
    fn ids(&self) -> [String; 2] {
        each_keys!(Secrets, &self.inner, keys => keys.ids().map(|id| id.to_string()))
    }

    /// Encrypts values of any shape for the packed lookup, at most as many as one ciphertext holds; `signed` has the
    /// meaning of `cryptable.SecretKey.encrypt`.
    #[pyo3(signature = (values: "npt.ArrayLike", *, signed = None))]
    fn encrypt(&self, values: &Bound<'_, PyAny>, signed: Option<bool>) -> Result<Ciphertext> {
        let modulus = self.packed().parameters().input_modulus();
        let signed = are_signed(values, modulus, signed)?;
        let values_ = integers(values, modulus, signed)?;
        let clear = Zeroizing::new(values_.values);
        let inner = call::run_silently(values.py(), || self.packed().encrypt(&clear))?;
        let inner = cryptable::Ciphertext::from(inner).with_signed(signed);
        Ok(Ciphertext::new(inner, values_.shape))
    }

    /// Decrypts packed values, in the shape that was encrypted. They are signed if their ciphertext says so; results of
    /// bridges do not, so `signed` can say it.
    #[pyo3(signature = (values, *, signed = None) -> "npt.NDArray[Any]")]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        values: &Ciphertext,
        signed: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        let signed = signed.unwrap_or(values.inner.is_signed());
        let found = call::run_silently(py, || self.packed().decrypt(one_part(values)?))?;
        let found = Zeroizing::new(found);
        array(py, &found, &values.shape, values.inner.modulus(), signed)
    }

    /// Decrypts whole integers.
    #[pyo3(signature = (values) -> "npt.NDArray[np.int64]")]
    fn decrypt_integers<'py>(
        &self,
        py: Python<'py>,
        values: &Integers,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Integers(keys) => keys.single().decrypt(&values.inner),
            Secrets::Leveled(_) => other_end("of integers", "of leveled values"),
        });
        Ok(PyArray1::from_slice(py, &Zeroizing::new(found?)))
    }

    /// Decrypts small values.
    #[pyo3(signature = (values) -> "npt.NDArray[Any]")]
    fn decrypt_small<'py>(
        &self,
        py: Python<'py>,
        values: &SmallValues,
    ) -> Result<Bound<'py, PyAny>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Integers(keys) => keys.single().decrypt_small(&values.inner),
            Secrets::Leveled(_) => other_end("of integers", "of leveled values"),
        });
        let found = Zeroizing::new(found?);
        array(py, &found, &[found.len()], values.inner.modulus(), false)
    }

    /// Decrypts leveled values.
    #[pyo3(signature = (values) -> "npt.NDArray[Any]")]
    fn decrypt_leveled<'py>(
        &self,
        py: Python<'py>,
        values: &LeveledValues,
    ) -> Result<Bound<'py, PyAny>> {
        let found = call::run_silently(py, || match &self.inner {
            Secrets::Leveled(keys) => keys.single().decrypt(&values.inner),
            Secrets::Integers(_) => other_end("of leveled values", "of integers"),
        });
        let found = Zeroizing::new(found?);
        array(py, &found, &[found.len()], values.inner.modulus(), false)
    }

    /// Makes the server's keys, in memory.
    #[pyo3(signature = (*, threads: "int" = 0, progress = true))]
    fn evaluation_keys(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EvaluationKeys> {
        let inner = call::run_engine(py, threads, progress, "evaluation keys", |progress| {
            Ok(match &self.inner {
                Secrets::Integers(keys) => Keys::Integers(Arc::new(keys.evaluation_key(progress)?)),
                Secrets::Leveled(keys) => Keys::Leveled(Box::new(keys.evaluation_key(progress)?)),
            })
        })?;
        Ok(EvaluationKeys::in_memory(inner))
    }

    /// Makes the server's keys and writes them to a file without ever holding all of them in memory.
    #[pyo3(signature = (path, *, threads: "int" = 0, progress = true, replace = false))]
    fn save_evaluation_keys(
        &self,
        py: Python<'_>,
        path: PathBuf,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        write_evaluation_key(
            py,
            &path,
            replace,
            threads,
            progress,
            |out, progress| each_keys!(Secrets, &self.inner, keys => keys.write_evaluation_key(out, progress)),
        )
    }

    /// Writes the keys to a file that only its owner may read. An existing file is replaced only with `replace=True`.
    #[pyo3(signature = (path, *, replace = false))]
    fn save(&self, path: PathBuf, replace: bool) -> Result<()> {
        let bytes = each_keys!(Secrets, &self.inner, keys => keys.to_bytes());
        save_secret(&path, replace, &bytes)
    }

    /// Reads a file of keys.
    #[staticmethod]
    #[pyo3(signature = (path, *, allow_insecure = false))]
    fn load(py: Python<'_>, path: PathBuf, allow_insecure: bool) -> Result<Self> {
        let inner = load_secret(py, &path, allow_insecure, |bytes, options| {
            // Files state their kind; a file of neither kind is refused by both readers.
            match IntegerSecretKeys::from_bytes(bytes, options) {
                Ok(keys) => Ok(Secrets::Integers(Box::new(keys))),
                Err(Error::Wire(_)) => {
                    let keys = LeveledSecretKeys::from_bytes(bytes, options)?;
                    Ok(Secrets::Leveled(Box::new(keys)))
                }
                Err(error) => Err(error),
            }
        })?;
        Ok(Self { inner })
    }

    fn __reduce__(&self) -> Result<()> {
        Err(refuse_pickle("SecretKeys"))
    }

    fn __repr__(&self) -> String {
        let [packed, single] = self.ids();
        format!("SecretKeys(ids {packed} and {single})")
    }
}
