//! Keys of any engine: the client's secret key, the server's evaluation key.

mod digits;
mod entry_tables;
mod evaluation_key;
mod evaluation_key_header;
mod fixed_point;
mod linear_operations;
mod packed_parts;
mod packing;
#[cfg(feature = "client")]
mod secret_key;

pub use evaluation_key::EvaluationKey;
pub use evaluation_key_header::EvaluationKeyHeader;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
