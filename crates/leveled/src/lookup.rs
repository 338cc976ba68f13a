//! Lookups with the least latency: single values of up to 24 bits.
//!
//! A value is an LWE ciphertext for every two of its bits. A lookup makes an RGSW ciphertext of each bit by circuit
//! bootstrapping (Wang et al., EUROCRYPT 2024, ePrint 2024/323), one blind rotation for two bits, and the RGSW
//! ciphertexts walk the table by a tree of CMUXes (Chillotti et al., J. Cryptology 2020): time is linear in the number
//! of bits, five to six milliseconds each, and the table itself costs little up to some 16 of them. Results are
//! encrypted as inputs are, and are inputs of the next lookup. Parameter sets with a ciphertext and a rotation for
//! every bit are there, too ([`crate::parameters::ParameterSet`]).
//!
//! The RGSW ciphertexts serve for more than tables: automata read encrypted words ([`EvaluationKey::run`]), and encrypted
//! bits steer registers through thousands of CMUXes in a row ([`EvaluationKey::register`]).
//!
//! ```
//! use cryptable_lattice::{Progress, Table};
//! use cryptable_leveled::lookup::{Parameters, SecretKey};
//!
//! let table = Table::from_fn(100, 100, |x| (x * x + 1) % 100)?;
//! // `Parameters::candidates` has those of 128 bits; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(100, 100)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let input = secret.encrypt(&[3, 99])?;
//!
//! // The server, which holds the evaluation key only:
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

/// Values that go into one ciphertext of a file, and that services look up at once: results take up to 290 kB each.
pub const VALUES_PER_CIPHERTEXT: usize = 64;
