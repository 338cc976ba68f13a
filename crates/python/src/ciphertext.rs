//! Encrypted arrays.

use std::sync::Arc;

use cryptable::Engine;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::encrypted_array::{array_files, array_methods, indexed, not_compared, operators};
use crate::errors::{Result, exception, raise};
use crate::parameters::hexadecimal;
use crate::properties::properties;

/// Encrypted integers, in the shape of the array that was encrypted. Public: it may be sent, stored and pickled.
///
/// `shape`, `ndim`, `size`, `len`, `reshape`, indexing and iteration work as in numpy: `x[2:5]`, `x[-1]`, `x[mask]`.
/// Packed values share ciphertexts, and an index must select each of these as a whole or not at all. `==` is refused: a
/// lookup compares with a number, and `cryptable.comparisons` and `cryptable.integers` compare two values. Files do not
/// store the shape: `Ciphertext.load` returns one dimension. `+ - *` work within `with cryptable.computing(server):`.
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

/// Whether values are signed, according to their ciphertext; if the caller says so explicitly, it must agree.
pub(crate) fn check_signs(found: bool, stated: Option<bool>) -> Result<bool> {
    let name = |signed| if signed { "signed" } else { "unsigned" };
    match stated {
        Some(expected) if expected != found => {
            let (found, expected) = (name(found), name(expected));
            let message = format!(
                "the values are {found}, not {expected}: as_signed() of a ciphertext reinterprets them"
            );
            Err(exception("MismatchError", message))
        }
        _ => Ok(found),
    }
}

/// Converts a ciphertext, or a list of several for values in digits.
///
/// # Errors
/// `TypeError` of anything else; `ValueError` if there is none.
pub(crate) fn one_or_several(given: &Bound<'_, PyAny>) -> PyResult<Vec<Py<Ciphertext>>> {
    if let Ok(one) = given.cast::<Ciphertext>() {
        return Ok(vec![one.clone().unbind()]);
    }
    let several: Vec<Py<Ciphertext>> = given.extract()?;
    if several.is_empty() {
        return Err(PyValueError::new_err("there is no ciphertext to look up"));
    }
    Ok(several)
}

#[pymethods]
impl Ciphertext {
    /// Returns the same values, read as signed or unsigned ones; useful for a difference of unsigned values, for
    /// example.
    #[pyo3(signature = (signed = true))]
    fn as_signed(&self, signed: bool) -> Self {
        Self::new((*self.inner).clone().with_signed(signed), self.shape.clone())
    }

    /// Joins the values of several ciphertexts, one after another, in one dimension.
    #[staticmethod]
    fn join(parts: Vec<Py<Self>>) -> Result<Self> {
        let parts = parts.iter().map(|part| (*part.get().inner).clone());
        let inner = cryptable::Ciphertext::join(parts).map_err(raise)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }

    /// Yields its parts, each with the number of values that the engine encrypts together; `join` joins them again.
    fn parts(&self) -> Vec<Self> {
        let parts = (*self.inner).clone().into_parts();
        let one = |part: cryptable::Ciphertext| {
            let shape = vec![part.count()];
            Self::new(part, shape)
        };
        parts.map(one).collect()
    }

    fn __neg__<'py>(slf: Bound<'py, Self>) -> Result<Bound<'py, PyAny>> {
        Self::operator(&slf, "negate", None)
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

properties!(Ciphertext {
    /// Values are below this modulus.
    modulus: u64 = |it| it.inner.modulus();
    /// Whether its values are signed, from -M/2 to M/2 - 1 for the modulus M, as set at encryption or by the table of a
    /// lookup.
    signed: bool = |it| it.inner.is_signed();
    /// The name of its engine.
    engine: &'static str = |it| it.inner.engine().name();
    /// The identifier of the secret key that decrypts it.
    key_id: String = |it| it.inner.key_id().to_string();
    /// The digest of its parameters: `Parameters.digest`.
    parameter_digest: String = |it| hexadecimal(&it.inner.parameter_digest());
    /// The noise bound that it states: standard deviation and bias, as fractions of the modulus of ciphertexts. `None`
    /// where there are no sums, which need it.
    noise: Option<(f64, f64)> = |it| it.inner.noise().map(|noise| (noise.deviation(), noise.bias()));
    /// Whether nothing has been computed on it yet.
    is_fresh: bool = |it| it.inner.is_fresh();
});

impl Ciphertext {
    /// Evaluates an operator through `cryptable.linear`, which knows the key.
    fn operator<'py>(
        slf: &Bound<'py, Self>,
        name: &str,
        operand: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        let operator = slf.py().import("cryptable.linear")?.getattr("_operator")?;
        operator.call1((name, slf, operand))
    }

    /// Returns the values of these places, in this shape.
    ///
    /// # Errors
    /// `UnsupportedError` if the places do not select packed ciphertexts as a whole, `RangeError` if there are no such
    /// values.
    pub(crate) fn take(&self, places: &[usize], shape: Vec<usize>) -> Result<Self> {
        let mut found = Vec::new();
        let mut rest = places;
        while let Some(&first) = rest.first() {
            let run = rest.iter().zip(first..).take_while(|&(&place, next)| place == next).count();
            // A piece ends where its part ends; the next round continues from there.
            let mut pieces = (*self.inner).clone().into_pieces(first, run);
            let piece = pieces.next().filter(|piece| piece.count() <= run);
            let Some(piece) = piece.filter(|_| self.is_beginning(first)) else {
                let message = "packed values share a ciphertext: an index must select all of \
                               them; to keep only some, look up a table per value";
                return Err(exception("UnsupportedError", message.to_owned()));
            };
            rest = &rest[piece.count()..];
            found.push(piece);
        }
        Ok(Self::new(cryptable::Ciphertext::join(found).map_err(raise)?, shape))
    }

    /// Returns whether a ciphertext begins at this place, or values are in separate ciphertexts.
    fn is_beginning(&self, place: usize) -> bool {
        if self.inner.engine() != Engine::Packed {
            return true;
        }
        let mut start = 0;
        let mut counts = (*self.inner).clone().into_parts().map(|part| part.count());
        counts.any(|count| {
            start += count;
            start - count == place
        })
    }

    fn bytes(&self) -> cryptable::Result<Vec<u8>> {
        Ok(self.inner.to_bytes())
    }

    fn read(bytes: &[u8]) -> cryptable::Result<Self> {
        let inner = cryptable::Ciphertext::from_bytes(bytes)?;
        let shape = vec![inner.count()];
        Ok(Self::new(inner, shape))
    }
}

array_methods!(Ciphertext { inner }, "`is None` and `size` tell what can be known");
array_files!(Ciphertext);
indexed!(Ciphertext);
not_compared!(
    Ciphertext,
    "a lookup of `lambda v: v == 3` compares with a number, cryptable.comparisons and cryptable.integers compare two"
);
operators!(
    Ciphertext: __add__ = "add", __radd__ = "add", __sub__ = "sub", __rsub__ = "rsub", __mul__ = "mul", __rmul__ = "mul"
);
