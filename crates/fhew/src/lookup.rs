//! Lookups of single values: milliseconds instead of thousands of values at once.
//!
//! Every value is an LWE ciphertext of its own, and a lookup a functional bootstrap over the full domain (crate
//! `cryptable-fhew`, whose modules name each variant for researchers). Many values at once take all threads.
//!
//! ```
//! use cryptable_lattice::Table;
//! use cryptable_fhew::lookup::{Parameters, SecretKey};
//!
//! let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4)?;
//! // `Parameters::for_table(&table)` gives 128-bit parameters; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(4, 4)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key();
//! let input = secret.encrypt(&[0, 1, 2, 3, 3])?;
//!
//! // The server, which holds the evaluation key only:
//! let output = evaluation_key.lookup(&input, &table, &|_done, _total| ())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&output)?, [1, 2, 1, 2, 2]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```

mod ciphertext;
mod evaluation_key;
mod parameters;
#[cfg(feature = "client")]
mod secret_key;
mod serialization;

pub use ciphertext::Ciphertext;
pub use evaluation_key::EvaluationKey;
pub use parameters::{Parameters, Request};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
