//! Schemas: the integers that represent each column's values.

mod column;
mod encoding;
mod kind;
mod literal;

pub use column::{Column, Schema};
pub(crate) use column::{MAX_COLUMNS, MAX_NAME_BYTES, check_count, check_name};
pub use encoding::Encoding;
pub(crate) use encoding::values_of;
pub use literal::{ColumnSchema, ColumnType, Nulls, Scalar, Unit};
