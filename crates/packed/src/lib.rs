//! Lookup tables on encrypted data.
//!
//! A client encrypts integers of `Z_p`; a server without the secret maps each through any table
//! f: Z_p -> Z_P; the client decrypts exact integers. Tens of thousands of values go through one
//! lookup at once, by functional bootstrapping through CKKS (Alexandru, Kim, Polyakov, CRYPTO 2025).
//!
//! ```
//! use cryptable_packed::{Table, Parameters, SecretKey};
//!
//! let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4)?;
//! // `Parameters::for_table(&table)` gives 128-bit parameters; a toy ring keeps this example quick.
//! let parameters = Parameters::insecure_toy(4, 4)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(&|_done, _total| ());
//! let input = secret.encrypt(&[0, 1, 2, 3, 3, 2])?;
//!
//! // The server, which holds the evaluation key only:
//! let output = evaluation_key.lookup(&input, &table, &|_done, _total| ())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&output)?, [1, 2, 1, 2, 2, 1]);
//! # Ok::<(), cryptable_packed::Error>(())
//! ```
//!
//! Single values: [`single`] looks up tables to 6 bits in milliseconds, [`bits`] tables to 24 bits in some ten
//! milliseconds a bit.
//!
//! Everything that touches a secret needs the feature `client` (on by default); a server builds
//! without it.
#![forbid(unsafe_code)]

pub mod ciphertext;
pub mod digit_choice;
pub mod encrypted_tables;
pub mod evaluation_key;
pub mod methods;
pub mod parameter_choice;
pub mod parameters;
pub mod planner;
pub mod prediction;
pub mod real_table;
#[cfg(feature = "client")]
pub mod secret_key;
pub mod serialization;
pub mod slot_tables;
pub mod trigonometric_hermite;

pub use ciphertext::Ciphertext;
pub use cryptable_lattice::{Error, Result, Table};
pub use cryptable_wire::KeyId;
pub use encrypted_tables::EncryptedTables;
pub use evaluation_key::EvaluationKey;
pub use parameter_choice::{Method, Request};
pub use parameters::{MultiplexerLiteral, Parameters, ParametersLiteral};
pub use planner::Candidate;
pub use prediction::Prediction;
pub use real_table::{ComplexTable, RealTable};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use slot_tables::SlotTables;
