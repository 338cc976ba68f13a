//! Packed lookups of single values: a client of engine `single` whose server can also pack values into one ciphertext
//! of engine `packed`, look all of them up there, and extract the results.
//!
//! ```text
//!   single values, x/p modulo q ──────── one by one, a bootstrap each ────────►  f(x)/P modulo q
//!        │ ring packing                                                               ▲ extraction
//!        ▼                                                                            │
//!   coefficients x/p modulo 2^k ── AKP or a multiplexer tree, all at once ──►  f(x)/P modulo 2^k
//! ```
//! Both engines encode a value m of modulus p as the phase m/p plus noise, without padding or half steps, and a layout
//! holds value t in coefficient t·N/slots. So a conversion changes moduli and secrets, but never the encoding. Only the
//! noise may need to differ: [`Parameters`] have single values with less noise than single lookups need where packed
//! lookups of results require it.
//!
//! ```
//! use cryptable_conversion::lookup::{Parameters, SecretKey};
//! use cryptable_lattice::{Progress, Table};
//!
//! let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4)?;
//! // `Parameters::candidates` gives 128-bit parameters; a toy keeps this example quick.
//! let secret = SecretKey::generate(&Parameters::insecure_toy(4, 4)?);
//! let key = secret.evaluation_key(Progress::silent())?;
//!
//! let input = secret.encrypt(&[0, 1, 2, 3, 3])?;              // single values
//! let packed = key.pack(&input)?;                             // one ciphertext
//! let prepared = key.packed().prepare(&table)?;
//! let output = key.packed().lookup(&packed, &prepared, Progress::silent())?;
//! let single = key.unpack(&output)?;                          // single values again
//! assert_eq!(secret.decrypt(&single)?, [1, 2, 1, 2, 2]);
//!
//! // All of that, or one by one where values are few:
//! let prepared = key.prepare(&table)?;
//! let output = key.lookup_many(&input, &[&prepared], Progress::silent())?;
//! assert_eq!(secret.decrypt(&output[0])?, [1, 2, 1, 2, 2]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `parameters` | parameters of both engines and of the conversions; noise of conversions |
//! | `request` | the search for parameters |
//! | `prediction` | work, memory, and the number of values from which packing is faster |
//! | `secret_key`, `evaluation_key` | keys of the client and of the server; `serialization`: their files |

mod evaluation_key;
mod parameters;
mod prediction;
mod prepared_table;
mod request;
#[cfg(feature = "client")]
mod secret_key;
mod serialization;

pub use evaluation_key::EvaluationKey;
pub use parameters::Parameters;
pub use prepared_table::PreparedTable;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
