//! Lookups of single values of up to 24 bits with the least latency.
//!
//! A value has one LWE ciphertext per two bits. A lookup turns each bit into an RGSW ciphertext by circuit bootstrapping
//! (Wang et al., EUROCRYPT 2024, ePrint 2024/323), with one blind rotation per two bits. The RGSW ciphertexts then select
//! the entry of the table by a tree of CMUXes (Chillotti et al., J. Cryptology 2020). Time is linear in the number of bits,
//! five to six milliseconds per bit, and the table itself costs little up to some 16 bits. Results are encrypted like
//! inputs, and can be inputs of the next lookup. There are also parameter sets with one ciphertext and one rotation per bit
//! ([`crate::parameters::ParameterSet`]).
//!
//! The RGSW ciphertexts have other uses than tables: automata read encrypted words ([`EvaluationKey::run`]), and encrypted
//! bits control registers through thousands of CMUXes in a row ([`EvaluationKey::register`]).
//!
//! ```
//! use cryptable_lattice::{Progress, Table};
//! use cryptable_leveled::lookup::{Parameters, SecretKey};
//!
//! let table = Table::from_fn(100, 100, |x| (x * x + 1) % 100)?;
//! // `Parameters::candidates` returns 128-bit parameters; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(100, 100)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let input = secret.encrypt(&[3, 99])?;
//!
//! // The server, which holds only the evaluation key:
//! let prepared = evaluation_key.prepare(&table)?;
//! let outputs = evaluation_key.lookup_many(&input, &[&prepared], Progress::silent())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&outputs[0])?, [10, 2]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod ciphertext;
mod compression;
mod evaluation_key;
mod interchange;
mod parameters;
mod prediction;
mod prepared_table;
mod public_key;
mod register;
mod rekeying;
#[cfg(feature = "client")]
mod secret_key;
mod words;

pub use ciphertext::Ciphertext;
pub use evaluation_key::EvaluationKey;
pub use parameters::{Parameters, Request};
pub use prepared_table::PreparedTable;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
pub use register::{Register, Selectors};
pub use rekeying::{RekeyingKey, hand_over};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;

pub use crate::tree::{Automaton, Transition};

/// Number of values that go into one ciphertext of a file and that services look up at once: results have up to 290 kB
/// each.
pub const VALUES_PER_CIPHERTEXT: usize = 64;
