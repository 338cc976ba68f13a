//! Properties of classes, with one line each.

/// Adds read-only properties to a class: for each a doc comment, a name, a type, and an expression for its value.
///
/// ```ignore
/// properties!(EncryptedBits {
///     /// The number of bits.
///     size: usize = |it| it.inner.count();
/// });
/// ```
macro_rules! properties {
    ($class:ident { $($(#[$doc:meta])+ $name:ident: $type:ty = |$it:ident| $value:expr;)+ }) => {
        #[pyo3::pymethods]
        impl $class {
            $(
                $(#[$doc])+
                #[getter]
                fn $name(&self) -> $type {
                    let $it = self;
                    $value
                }
            )+
        }
    };
}

pub(crate) use properties;
