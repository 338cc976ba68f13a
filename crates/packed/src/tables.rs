//! Tables other than a single one of integers: real and complex tables, tables per value, encrypted tables.

pub(crate) mod encrypted_tables;
pub(crate) mod real_table;
pub(crate) mod slot_tables;
