//! Single values at the other end of a bridge.

use cryptable::engines::leveled;
use cryptable::large_values;
use pyo3::prelude::*;

use crate::encrypted_array::{not_compared, object_files};

/// Adds a class of single values.
macro_rules! single_values {
    ($(#[$doc:meta])* $name:ident: $library:ty, $instead:literal) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "cryptable.bridges")]
        pub(crate) struct $name {
            pub(crate) inner: $library,
        }

        #[pymethods]
        impl $name {
            fn __len__(&self) -> usize {
                self.inner.count()
            }

            fn __repr__(&self) -> String {
                format!(concat!(stringify!($name), "({} values)"), self.inner.count())
            }
        }

        object_files!($name: $library);
        not_compared!($name, $instead);
    };
}

single_values!(
    /// Encrypted integers, with one ciphertext per integer. Public.
    Integers: large_values::EncryptedIntegers,
    "`large_values.less_than` compares two"
);

single_values!(
    /// Encrypted small values, with one ciphertext per value: signs and results of comparisons. Public.
    SmallValues: large_values::SmallValues,
    "their decryptions are"
);

single_values!(
    /// Encrypted values of the engine `leveled`. Public.
    LeveledValues: leveled::Ciphertext,
    "a lookup of `lambda v: v == 3` compares with a number"
);
