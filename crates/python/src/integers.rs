//! Columns of integers of 8 to 64 bits, for `cryptable/integers.py`.

mod calls;
mod column;
mod column_files;
mod parts;
mod plan;

pub(crate) use calls::{compute_integers, decrypt_column, encrypt_column};
pub(crate) use column::Column;
pub(crate) use column_files::{ColumnReader, ColumnWriter};
pub(crate) use plan::{IntegerPlan, plan_integers};
