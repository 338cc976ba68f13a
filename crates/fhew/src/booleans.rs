//! Encrypted Boolean values and gates, with one bootstrap per gate: the public interface of [`crate::gates`].
//!
//! A ciphertext holds any number of bits. Gates work bit by bit, and the bits are distributed over the threads. Results
//! can be inputs of further gates, any number of times.
//!
//! ```
//! use cryptable_fhew::booleans::{Gate, Parameters, SecretKey};
//! use cryptable_lattice::Progress;
//!
//! // `Parameters::default_128()` is for use; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy();
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let key = secret.evaluation_key(Progress::silent())?;
//! let a = secret.encrypt(&[false, false, true, true]);
//! let b = secret.encrypt(&[false, true, false, true]);
//!
//! // The server, which holds only the evaluation key:
//! let differ = key.gate(Gate::Xor, &a, &b, Progress::silent())?;
//! let chosen = key.mux(&a, &b, &!&b, Progress::silent())?; // a ? b : not b
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&differ)?, [false, true, true, false]);
//! assert_eq!(secret.decrypt(&chosen)?, [true, false, false, true]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod encrypted_bits;
mod evaluation_key;
mod parameters;
mod public_key;
#[cfg(feature = "client")]
mod secret_key;

pub use crate::gates::Gate;
pub use encrypted_bits::EncryptedBits;
pub use evaluation_key::EvaluationKey;
pub use parameters::Parameters;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
