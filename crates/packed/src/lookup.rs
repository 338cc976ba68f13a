//! Lookups on a client's ciphertexts: checks, progress, and evaluation of the circuits.

pub(crate) mod complex_lookup;
mod digit_chain;
mod digit_functions;
pub(crate) mod digit_lookup;
mod entry_lookup;
pub(crate) mod prepared_table;
pub(crate) mod table_lookup;
