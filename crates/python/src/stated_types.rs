//! Python objects whose type the stubs state and Rust does not know.
//!
//! Functions state such types in their signatures (`values: "npt.ArrayLike"`). Properties have no signature, and
//! arguments that many functions share are stated once, here.

use std::convert::Infallible;

use pyo3::prelude::*;

/// Returns a type as stubs are to have it, word for word.
#[cfg(feature = "stubs")]
macro_rules! hint {
    ($text:literal) => {
        pyo3::inspect::PyStaticExpr::Constant { value: pyo3::inspect::PyStaticConstant::Str($text) }
    };
}

#[cfg(feature = "stubs")]
pub(crate) use hint;

/// Adds a result of a property: any object, of the type that stubs are to state.
macro_rules! results {
    ($($(#[$doc:meta])+ $name:ident = $text:literal;)+) => {
        $(
            $(#[$doc])+
            pub(crate) struct $name<'py>(pub(crate) Bound<'py, PyAny>);

            impl<'py> IntoPyObject<'py> for $name<'py> {
                type Target = PyAny;
                type Output = Bound<'py, PyAny>;
                type Error = Infallible;

                #[cfg(feature = "stubs")]
                const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr = hint!($text);

                fn into_pyobject(self, _py: Python<'py>) -> Result<Self::Output, Infallible> {
                    Ok(self.0)
                }
            }
        )+
    };
}

results! {
    /// A column of integers.
    Column = "Column";
    /// A shape.
    Shape = "tuple[int, ...]";
    /// Numbers by name.
    Counts = "dict[str, int]";
    /// Numbers by name, not all of them integers.
    Seconds = "dict[str, float]";
    /// Values by name.
    Literal = "dict[str, Any]";
    /// A type of numpy's.
    NumberType = "np.dtype[Any]";
    /// Integers of any type of numpy's.
    Integers = "npt.NDArray[np.integer[Any]]";
    /// Real numbers.
    Reals = "npt.NDArray[np.float64]";
    /// Complex numbers.
    ComplexNumbers = "npt.NDArray[np.complex128]";
}
