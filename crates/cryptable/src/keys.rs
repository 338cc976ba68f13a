//! Keys of any engine: the client's secret key, the server's evaluation key.

mod evaluation_key;
mod linear_operations;
mod packing;
#[cfg(feature = "client")]
mod secret_key;

pub use evaluation_key::EvaluationKey;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
