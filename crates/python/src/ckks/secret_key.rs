//! The client's key of vectors.

use std::path::PathBuf;

use cryptable::ckks::SecretKey as LibrarySecretKey;
use cryptable::ckks::{Flooding, KeySet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::clear_numbers::{Cleared, bounds_of};
use super::functions::LinearMap;
use super::parameters::Parameters;
use super::public_key::PublicKey;
use super::server::EvaluationKey;
use super::shared_secret::SharedSecret;
use super::vector::Vector;
use crate::arrays::{complex_numbers, places, shaped};
use crate::call::{self, Progress};
use crate::errors::{Result, raise};
use crate::key_files::write_evaluation_key;
use crate::keys::secret_key;

/// The client's secret key for vectors: encrypts and decrypts, and makes the server's evaluation key.
///
/// Erased from memory when it is deleted; it cannot be pickled. Erasing numpy arrays of values is up to the caller.
#[pyclass(frozen, module = "cryptable.ckks")]
pub(crate) struct SecretKey {
    inner: LibrarySecretKey,
}

/// Operations of a server that need keys, besides sums and products.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Keys {
    rotations: Vec<i64>,
    powers_of_two: bool,
    conjugation: bool,
    bootstrapping: bool,
    lookups: bool,
}

impl Keys {
    fn set(self, slots: usize, maps: &[Py<LinearMap>]) -> KeySet {
        let keys = KeySet::new().rotations(self.rotations);
        let keys = if self.powers_of_two { keys.rotations_by_powers_of_two(slots) } else { keys };
        let keys = if self.conjugation { keys.conjugation() } else { keys };
        let keys = if self.bootstrapping { keys.bootstrapping() } else { keys };
        let keys = if self.lookups { keys.lookups() } else { keys };
        maps.iter().fold(keys, |keys, map| keys.map(&map.get().inner))
    }
}

#[pymethods]
impl SecretKey {
    /// Draws a fresh secret for parameters.
    #[staticmethod]
    fn generate(py: Python<'_>, parameters: &Parameters) -> Self {
        Self { inner: call::detach(py, || LibrarySecretKey::generate(&parameters.inner)) }
    }

    /// Makes a key for vectors from the secret of packed integers, so that servers can convert between the two.
    #[staticmethod]
    fn sharing(parameters: &Parameters, packed: &crate::secret_key::SecretKey) -> Result<Self> {
        let packed = packed.library().packed().map_err(raise)?;
        let inner = LibrarySecretKey::sharing(&parameters.inner, packed).map_err(raise)?;
        Ok(Self { inner })
    }

    /// Returns the statement for servers that a key of packed integers has the same secret.
    fn shared_secret(&self, packed: &crate::secret_key::SecretKey) -> Result<SharedSecret> {
        let packed = packed.library().packed().map_err(raise)?;
        Ok(SharedSecret { inner: self.inner.shared_secret(packed).map_err(raise)? })
    }

    /// The parameters.
    #[getter]
    fn parameters(&self) -> Parameters {
        Parameters { inner: self.inner.parameters().clone() }
    }

    /// Generates a public key, with which anyone can encrypt vectors for this key.
    fn public_key(&self, py: Python<'_>) -> Result<PublicKey> {
        Ok(PublicKey { inner: call::run_silently(py, || self.inner.public_key())? })
    }

    /// Encrypts numbers of any shape whose parts are at most `bound`; slots beyond them are 0.
    #[pyo3(signature = (values: "npt.ArrayLike", *, bound = 1.0))]
    fn encrypt(&self, values: &Bound<'_, PyAny>, bound: f64) -> Result<Vector> {
        let py = values.py();
        let (values, is_real) = complex_numbers(values)?;
        let bounds = bounds_of(bound, is_real);
        let clear = Cleared(values.values);
        let inner = call::run_silently(py, || self.inner.encrypt_within(&clear.0, bounds))?;
        Ok(Vector::new(inner, self.inner.parameters(), values.shape))
    }

    /// Decrypts to real numbers if the bounds exclude imaginary parts, else to complex ones. Each part is rounded to
    /// its certain digits.
    ///
    /// `flooding` is needed for results that others see: a pair of bits of security and number of decryptions under
    /// this key.
    #[pyo3(signature = (vector, *, flooding = None) -> "npt.NDArray[np.float64] | npt.NDArray[np.complex128]")]
    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        vector: &Vector,
        flooding: Option<(u32, u64)>,
    ) -> Result<Bound<'py, PyAny>> {
        let slots = call::run_silently(py, || match flooding {
            None => self.inner.decrypt(&vector.inner),
            Some((bits, queries)) => {
                self.inner.decrypt_flooded(&vector.inner, Flooding::new(bits, queries))
            }
        })?;
        let slots = Cleared(slots);
        let count = places(&vector.shape);
        if count > slots.0.len() {
            let message = format!("the shape {:?} has more than {count} slots", vector.shape);
            return Err(PyValueError::new_err(message));
        }
        if vector.inner.bounds().im != 0.0 {
            return shaped(py, &slots.0[..count], &vector.shape);
        }
        let reals = Zeroizing::new(slots.0[..count].iter().map(|z| z.re).collect::<Vec<f64>>());
        shaped(py, &reals, &vector.shape)
    }

    /// Makes the server's key, in memory.
    #[pyo3(signature = (keys: "Mapping[str, Any]", maps, automatic = false, threads: "int" = 0, progress = true))]
    fn evaluation_key(
        &self,
        py: Python<'_>,
        keys: Keys,
        maps: Vec<Py<LinearMap>>,
        automatic: bool,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
    ) -> Result<EvaluationKey> {
        let keys = keys.set(self.inner.parameters().slots(), &maps);
        let inner = call::run_engine(py, threads, progress, "evaluation key", |progress| {
            self.inner.evaluation_key_for(&keys, progress)
        })?;
        Ok(EvaluationKey::in_memory(inner.bootstrapping_automatically(automatic)))
    }

    /// Makes the server's key and writes it to a file.
    #[pyo3(signature = (path, keys: "Mapping[str, Any]", maps, threads: "int" = 0, progress = true, replace = false))]
    // One keyword argument per option.
    #[allow(clippy::too_many_arguments)]
    fn save_evaluation_key(
        &self,
        py: Python<'_>,
        path: PathBuf,
        keys: Keys,
        maps: Vec<Py<LinearMap>>,
        #[pyo3(from_py_with = crate::threads::of_call)] threads: usize,
        progress: Option<Progress<'_>>,
        replace: bool,
    ) -> Result<()> {
        let keys = keys.set(self.inner.parameters().slots(), &maps);
        write_evaluation_key(py, &path, replace, threads, progress, |out, progress| {
            self.inner.write_evaluation_key_for(&keys, out, progress)
        })
    }
}

secret_key!(SecretKey: LibrarySecretKey, "ckks");
