//! Multiplexer trees over the digits of packed values: BMT and CMT (Dumezy et al., ePrint 2025/1301), in the order in
//! which a lookup uses them.

pub(crate) mod circuit;
pub(crate) mod entry_kind;
pub(crate) mod entry_tables;
pub(crate) mod functional_digit_decomposition;
pub(crate) mod kronecker_deltas;
pub(crate) mod kronecker_product;
pub(crate) mod multiplexer_tree;
pub(crate) mod real_deltas;
pub(crate) mod table_step;
