//! The client's secrets, the keys that a server holds, and the serialization of both.
//!
//! | file | contents |
//! |---|---|
//! | `secret_key`, `secret_serialization` | secrets, encryption, decryption; their serialization (feature `client`) |
//! | `diagnostics` | phases and errors, for measuring noise (feature `diagnostics`) |
//! | `generation` | keys for the server from the secrets (feature `client`) |
//! | `evaluation_key` | the seeded key that a client sends, its expanded form on a server, and the functional bootstrap |
//! | `serialization` | the bytes of the seeded key |
//! | `client_key` | parameters, secrets and identifier of a face: generation and files (feature `client`) |
//! | `public_key` | public keys of a face, and their files (feature `client`) |
//! | `rekeying_key` | keys with which a server hands results over to a new owner, and their files |
//! | `server_key` | parameters, bootstrapping keys and identifier of a face, and their files |

#[cfg(feature = "client")]
mod client_key;
#[cfg(feature = "diagnostics")]
mod diagnostics;
pub(crate) mod evaluation_key;
#[cfg(feature = "client")]
pub(crate) mod generation;
#[cfg(feature = "client")]
mod public_key;
mod rekeying_key;
#[cfg(feature = "client")]
pub(crate) mod secret_key;
#[cfg(feature = "client")]
mod secret_serialization;
pub(crate) mod serialization;
mod server_key;

#[cfg(feature = "client")]
pub use client_key::ClientKey;
pub use evaluation_key::{EvaluationKey, SeededEvaluationKey};
#[cfg(feature = "client")]
pub use generation::{RowEncryptor, lwe_key_switching_key};
#[cfg(feature = "client")]
pub use public_key::{PublicKey, PublicParameters};
pub use rekeying_key::{RekeyingKey, RekeyingParameters};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use serialization::{
    conversion_key_bytes, evaluation_key_bytes, evaluation_key_memory_bytes, evaluation_key_words,
    reading_memory_bytes,
};
pub use server_key::{BootstrappingParameters, ServerKey};
