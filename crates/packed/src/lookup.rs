//! Lookups: checks, progress, and the circuits on a client's ciphertexts.

mod digit_functions;
pub(crate) mod digit_lookup;
mod entry_lookup;
pub(crate) mod prepared_table;
mod table_lookup;
