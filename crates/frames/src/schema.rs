//! Schemas: the integers that represent each column's values.

mod column;
mod encoding;
mod kind;
mod literal;

pub use column::{Column, Schema};
pub(crate) use column::{MAX_COLUMNS, MAX_NAME_BYTES, check_count, check_name};
pub use encoding::Encoding;
pub use literal::{ColumnSchema, ColumnType, Nulls, Scalar, Unit};
