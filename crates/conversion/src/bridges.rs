//! Bridges: results of packed lookups become single values of other engines, and back.
//!
//! ```text
//!                       ┌── m/2^bits ──► whole integers: sign, comparison, maximum, digits      (engine `integers`)
//!  packed lookup ───────┼── d/8, d/16 ─► digits of radix integers, signs and selectors          (the same)
//!  (one table a digit)  └── d/4 ───────► digits of two bits: circuit bootstrapping, CMUX trees  (engine `leveled`)
//!        ▲                                              │
//!        └────────── ring packing, one ciphertext a digit ◄───── signs, digits, results of leveled lookups
//! ```
//! A bridge joins a client's key of engine `packed` with its key of another engine, by two further keys. One packs
//! ([`crate::RingPackingKey`]). The other extracts values under the other engine's ring secret
//! ([`crate::ExtractionKey::take_out`]), under which integers of up to 24 bits and inputs of circuit bootstrapping are
//! encrypted. The encoding is the same on both sides, m/p of the modulus; only moduli, dimensions and secrets change.
//! Digits for tables of integers are under the LWE secret of dimension n, so they need a key switch and a table lookup
//! of that engine, too.
//!
//! Every ciphertext that leaves a bridge carries a bound on its noise, or keeps to a stated one. Operations that would
//! fail with more than the stated probability are refused ([`cryptable_lattice::Error::NoiseTooLarge`]).
//!
//! ```
//! use cryptable_conversion::bridges::{Function, Integers, Request, SecretKeys};
//! use cryptable_lattice::{Progress, Table};
//!
//! // A plan picks parameters of both ends, with 128 bits of security; toys keep this example quick.
//! let next = Integers { bits: 8, function: Function::Sign };
//! let plan = Request { values: Some(3), is_toy: true, ..Request::new(16, next) }.plan()?;
//! let secrets = SecretKeys::generate(plan.parameters());          // the client
//! let quiet = Progress::silent;
//! let keys = secrets.evaluation_key(quiet())?;                   // what the server gets
//!
//! // A packed lookup from 4 bits to 8, then the sign of two of the results as integers of 8 bits.
//! let (server, functions) = keys.ends();
//! let table = server.prepare(&Table::from_fn(16, 256, |x| (37 * x) % 256)?)?;
//! let results = server.lookup(&secrets.packed().encrypt(&[1, 5, 7])?, &table, quiet())?;
//! let integers = keys.bridge().to_integers(keys.ends(), &results, 0..2)?;
//! let signs = functions.sign(&integers, quiet())?;
//! assert_eq!(secrets.single().decrypt(&integers)?, [37, 185 - 256]);
//! assert_eq!(secrets.single().decrypt_small(&signs)?, [0, 1]);
//! // Back: packed values modulo 2.
//! let packed = keys.bridge().pack_small(keys.ends(), &signs, 2, quiet())?;
//! assert_eq!(secrets.packed().decrypt(&packed)?, [0, 1]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | file | content |
//! |---|---|
//! | `target` | the properties of the other engine that a bridge needs |
//! | `parameters` | parameters of both engines and of the conversions; noise of conversions |
//! | `bridge` | the server's key; `generation`: its generation by a client |
//! | `integers`, `leveled` | the conversions, one file per engine |
//! | `continuation` | operations that can follow a packed lookup, and their requirements |
//! | `request`, `plan` | the search for parameters of both ends, with time and failure probability of every step |
//! | `secret_keys`, `evaluation_keys` | keys of both ends in one: the client's and the server's |

mod bridge;
mod continuation;
mod evaluation_keys;
#[cfg(feature = "client")]
mod generation;
mod integers;
mod leveled;
mod parameters;
mod plan;
mod request;
#[cfg(feature = "client")]
mod secret_keys;
mod target;

pub use bridge::Bridge;
pub use continuation::{Continuation, Integers, LeveledTable, RadixDigits, Returned};
pub use cryptable_fhew::integers::Function;
#[cfg(feature = "client")]
pub use cryptable_fhew::keys::ClientKey;
pub use cryptable_fhew::keys::ServerKey;
pub use evaluation_keys::EvaluationKeys;
pub use parameters::Parameters;
pub use plan::{Plan, Step};
pub use request::{Request, Returning};
#[cfg(feature = "client")]
pub use secret_keys::SecretKeys;
pub use target::Target;

/// Parameters of a bridge between packed values and integers.
pub type IntegerParameters = Parameters<cryptable_fhew::integers::Parameters>;

/// A bridge between packed values and integers.
pub type IntegerBridge = Bridge<cryptable_fhew::integers::Parameters>;

/// Parameters of a bridge between packed values and leveled ones.
pub type LeveledParameters = Parameters<cryptable_leveled::lookup::Parameters>;

/// A bridge between packed values and leveled ones.
pub type LeveledBridge = Bridge<cryptable_leveled::lookup::Parameters>;

/// A client's keys for packed values and integers.
#[cfg(feature = "client")]
pub type IntegerSecretKeys = SecretKeys<cryptable_fhew::integers::Parameters>;

/// A server's keys for packed values, for integers, and between both.
pub type IntegerEvaluationKeys = EvaluationKeys<cryptable_fhew::integers::Parameters>;

/// A client's keys for packed values and leveled ones.
#[cfg(feature = "client")]
pub type LeveledSecretKeys = SecretKeys<cryptable_leveled::lookup::Parameters>;

/// A server's keys for packed values, for leveled ones, and between both.
pub type LeveledEvaluationKeys = EvaluationKeys<cryptable_leveled::lookup::Parameters>;
