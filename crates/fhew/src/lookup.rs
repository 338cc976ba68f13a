//! Lookups of single values, in milliseconds per value instead of seconds for thousands of values at once.
//!
//! Every value is an LWE ciphertext of its own, and a lookup is a functional bootstrap over the full domain (Ma et al.,
//! TCHES 2024(1), ePrint 2023/645; `cryptable_fhew::full_domain` names each method). Values are distributed over the
//! threads. This is the engine `single` of the library; its types mirror those of the other engines.
//!
//! ```
//! use cryptable_fhew::lookup::{Parameters, SecretKey};
//! use cryptable_lattice::{Progress, Table};
//!
//! let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4)?;
//! // `Parameters::for_table(&table)` returns 128-bit parameters; a toy keeps this example quick.
//! let parameters = Parameters::insecure_toy(4, 4)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let input = secret.encrypt(&[0, 1, 2, 3, 3])?;
//!
//! // The server, which holds only the evaluation key:
//! let prepared = evaluation_key.prepare(&table)?;
//! let output = evaluation_key.lookup_many(&input, &[&prepared], Progress::silent())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&output[0])?, [1, 2, 1, 2, 2]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `request` | the request for which parameters are chosen, and the search among all methods |
//! | `parameters` | a method, its numbers, and the moduli of tables |
//! | `prediction` | time and memory of a lookup, before it runs |
//! | `secret_key`, `evaluation_key` | the keys of the client and of the server |
//! | `ciphertext`, `prepared_table` | the inputs and outputs of the server |
//! | `interchange` | import and export of LWE ciphertexts, for methods beyond this engine |
//! | `public_key` | encryption with public keys, and the switch to the LWE secret |
//! | `rekeying` | handing values over to a new owner |
//! | `linear_operations` | sums and multiples, as far as their noise allows |

mod ciphertext;
mod evaluation_key;
mod interchange;
mod linear_operations;
mod parameters;
mod prediction;
mod prepared_table;
mod public_key;
mod rekeying;
mod request;
#[cfg(feature = "client")]
mod secret_key;

pub use ciphertext::Ciphertext;
pub use evaluation_key::EvaluationKey;
pub use parameters::Parameters;
pub use prepared_table::PreparedTable;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
pub use rekeying::RekeyingKey;
pub use request::Request;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;

/// Number of values that files put into one ciphertext and that services look up at once: enough to keep all threads busy,
/// and few enough to show progress.
pub const VALUES_PER_CIPHERTEXT: usize = 1024;
