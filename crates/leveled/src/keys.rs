//! Keys that lookups and AES share: a client's secrets, and the evaluation key of a server.

#[cfg(feature = "client")]
mod client_key;
#[cfg(feature = "client")]
mod public_key;
mod server_key;

#[cfg(feature = "client")]
pub use client_key::ClientKey;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
pub(crate) use server_key::BITS_A_THREAD;
pub use server_key::{CircuitParameters, IDENTIFIER, ServerKey};
