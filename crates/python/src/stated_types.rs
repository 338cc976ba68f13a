//! Python objects whose type is stated in the stubs but unknown to Rust.
//!
//! Functions state such types in their signatures (`values: "npt.ArrayLike"`). Properties have no signature, and
//! arguments that many functions share are stated once, here.

use std::convert::Infallible;

use pyo3::prelude::*;

/// Returns a type exactly as the stubs should state it.
#[cfg(feature = "stubs")]
macro_rules! hint {
    ($text:literal) => {
        pyo3::inspect::PyStaticExpr::Constant { value: pyo3::inspect::PyStaticConstant::Str($text) }
    };
}

#[cfg(feature = "stubs")]
pub(crate) use hint;

/// Adds a result type for properties: any object, with the type that stubs should state.
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
    /// A numpy type.
    NumberType = "np.dtype[Any]";
    /// Integers of any numpy type.
    Integers = "npt.NDArray[np.integer[Any]]";
    /// Real numbers.
    Reals = "npt.NDArray[np.float64]";
    /// Complex numbers.
    ComplexNumbers = "npt.NDArray[np.complex128]";
}
