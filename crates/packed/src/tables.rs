//! Tables other than one of integers for all values: real and complex tables, tables per value, encrypted tables.

pub(crate) mod encrypted_tables;
pub(crate) mod real_table;
pub(crate) mod slot_tables;
