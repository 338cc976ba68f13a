//! Keys of all kinds: the client's secret key and the server's evaluation key.

mod digits;
mod entry_tables;
mod evaluation_key;
mod evaluation_key_header;
mod fixed_point;
mod kind;
mod linear_operations;
mod packed_parts;
mod packing;
mod parameters;
#[cfg(feature = "client")]
mod public_key;
mod rekeying_key;
#[cfg(feature = "client")]
mod secret_key;
mod words;

pub use evaluation_key_header::EvaluationKeyHeader;
#[cfg(feature = "client")]
pub use kind::SecretKey;
pub use kind::{EvaluationKey, KeyKind};
pub use parameters::KeyParameters;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
pub use rekeying_key::RekeyingKey;
