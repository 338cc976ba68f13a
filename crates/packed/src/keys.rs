//! The keys of a client and of its server, in memory and as bytes.

pub(crate) mod evaluation_key;
pub(crate) mod lookup_matrices;
#[cfg(feature = "client")]
pub(crate) mod owners;
#[cfg(feature = "client")]
pub(crate) mod public_key;
pub(crate) mod rekeying_key;
#[cfg(feature = "client")]
pub(crate) mod secret_key;
