//! The compiled half of the Python package `cryptable`: the library's one API, with numpy arrays for values.
//!
//! It adds no logic. Every call releases the interpreter lock, tells its progress and hears Ctrl-C in the calling
//! thread (`call.rs`), and raises one of the classes in `cryptable/errors.py` (`errors.rs`). What is Python by nature
//! (tables from functions and dictionaries, code books, progress bars) is in `python/cryptable`.
#![forbid(unsafe_code)]

mod arrays;
mod call;
mod ciphertext;
mod comparisons;
mod errors;
mod evaluation_key;
mod files;
mod inspection;
mod plan;
mod secret_key;
mod table;

/// The compiled half of `cryptable`. Import `cryptable` instead.
#[pyo3::pymodule]
mod _native {
    #[pymodule_export]
    use crate::ciphertext::Ciphertext;
    #[pymodule_export]
    use crate::comparisons::{ComparisonPlan, Digits, compare, plan_comparisons};
    #[pymodule_export]
    use crate::evaluation_key::{EvaluationKey, PreparedTable};
    #[pymodule_export]
    use crate::inspection::inspect;
    #[pymodule_export]
    use crate::plan::{Candidate, Plan, plan};
    #[pymodule_export]
    use crate::secret_key::SecretKey;
    #[pymodule_export]
    use crate::table::Table;
}
