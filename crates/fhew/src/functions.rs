//! Functions of values of large precision and of their digits.
//!
//! Sign, comparison, absolute value, ReLU and maximum of one ciphertext of up to some 28 bits are computed from its digits
//! (Sec. 4 of Ma et al., TCHES 2024; Liu, Micciancio, Polyakov, ASIACRYPT 2022). Longer integers are vectors of
//! digits ([`Radix`]); larger tables are trees or chains of tables of digits ([`TreeTable`], [`ChainedTable`]).

pub(crate) mod chained_table;
pub(crate) mod large_functions;
pub(crate) mod radix;
pub(crate) mod tree_table;

pub use chained_table::ChainedTable;
pub use large_functions::{LargeFunctions, LargePlan};
pub use radix::{MAX_DIGITS, Radix};
#[cfg(feature = "client")]
pub use radix::{decrypt_radix, encrypt_radix};
pub use tree_table::{MAX_ENTRIES, TreeTable};
