//! Keys that lookups and AES share: a client's secrets, and what a server evaluates with.

mod evaluation_key;
#[cfg(feature = "client")]
mod secret_key;

pub use evaluation_key::CircuitBootstrappingEvaluationKey;
pub(crate) use evaluation_key::MAX_EVALUATION_KEY_BYTES;
#[cfg(feature = "client")]
pub use secret_key::CircuitBootstrappingSecretKey;
#[cfg(feature = "client")]
pub(crate) use secret_key::{FileStart, IDENTIFIER, MAX_SECRET_KEY_BYTES};
