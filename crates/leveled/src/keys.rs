//! Keys that lookups and AES share: a client's secrets, and what a server evaluates with.

mod evaluation_key;
#[cfg(feature = "client")]
mod secret_key;

pub(crate) use evaluation_key::BITS_A_THREAD;
pub use evaluation_key::{CircuitBootstrappingEvaluationKey, MAX_EVALUATION_KEY_BYTES};
#[cfg(feature = "client")]
pub use secret_key::{CircuitBootstrappingSecretKey, IDENTIFIER};
#[cfg(feature = "client")]
pub(crate) use secret_key::{FileStart, MAX_SECRET_KEY_BYTES};
