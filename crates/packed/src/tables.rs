//! Tables beyond one of integers for all values: real and complex ones, one a value, encrypted ones.

pub(crate) mod encrypted_tables;
pub(crate) mod real_table;
pub(crate) mod slot_tables;
