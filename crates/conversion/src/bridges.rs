//! Results of packed lookups that go on as single values of other engines, and back.
//!
//! ```text
//!                       ┌── m/2^bits ──► whole integers: sign, comparison, maximum, digits      (engine `integers`)
//!  packed lookup ───────┼── d/8, d/16 ─► digits of radix integers, signs and selectors          (the same)
//!  (one table a digit)  └── d/4 ───────► digits of two bits: circuit bootstrapping, CMUX trees  (engine `leveled`)
//!        ▲                                              │
//!        └────────── ring packing, one ciphertext a digit ◄───── signs, digits, results of leveled lookups
//! ```
//! A bridge joins a client's key of engine `packed` with one of another engine by two keys: one that packs
//! ([`crate::RingPackingKey`]), and one that takes values out under the other engine's ring secret
//! ([`crate::RingExtractionKey`]), where integers of up to 24 bits and inputs of circuit bootstraps are. Encodings are the
//! same on both sides, m/p of the modulus; moduli, dimensions and secrets are changed. Digits that integers' tables take are
//! under the LWE secret of dimension n, so they pass a key switch and a table of the engine's own.
//!
//! Every ciphertext that leaves a bridge carries, or keeps to, a bound on its noise; what would fail with more than the
//! stated probability is refused ([`cryptable_lattice::Error::NoiseTooLarge`]).
//!
//! ```
//! use cryptable_conversion::bridges::{IntegerBridge, IntegerParameters};
//! use cryptable_fhew::integers;
//! use cryptable_lattice::{Progress, Table};
//! use cryptable_packed as packed;
//!
//! // Toys keep this example quick: `integers::Parameters::new(8)` and `packed::Parameters::choose` have 128 bits.
//! let parameters = IntegerParameters::insecure_toy(16, 8)?;
//! let packed_secret = packed::SecretKey::generate(parameters.packed());
//! let secret = integers::SecretKey::generate(parameters.target());
//! let bridge = IntegerBridge::generate(&parameters, &packed_secret, &secret)?;
//! let quiet = Progress::silent;
//! let (server, functions) = (packed_secret.evaluation_key(quiet())?, secret.evaluation_key(quiet())?);
//!
//! // A packed lookup from 4 bits to 8, then the sign of two of the results as integers of 8 bits.
//! let table = server.prepare(&Table::from_fn(16, 256, |x| (37 * x) % 256)?)?;
//! let results = server.lookup(&packed_secret.encrypt(&[1, 5, 7])?, &table, quiet())?;
//! let keys = (&server, &functions);
//! let integers = bridge.to_integers(keys, &results, 0..2)?;
//! let signs = functions.sign(&integers, quiet())?;
//! assert_eq!(secret.decrypt(&integers)?, [37, 185 - 256]);
//! assert_eq!(secret.decrypt_small(&signs)?, [0, 1]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `target` | what a bridge needs to know of the engine at its other end |
//! | `parameters` | those of both engines and of the conversions; noise from one to the other |
//! | `bridge` | the server's key; `serialization`: as bytes; `generation`: by a client |
//! | `integers`, `leveled` | what crosses, engine by engine |

mod bridge;
#[cfg(feature = "client")]
mod generation;
mod integers;
mod leveled;
mod parameters;
mod serialization;
mod target;

pub use bridge::Bridge;
#[cfg(feature = "client")]
pub use generation::TargetSecret;
pub use parameters::Parameters;
pub use target::Target;

/// Parameters of a bridge between packed values and integers.
pub type IntegerParameters = Parameters<cryptable_fhew::integers::Parameters>;

/// A bridge between packed values and integers.
pub type IntegerBridge = Bridge<cryptable_fhew::integers::Parameters>;

/// Parameters of a bridge between packed values and leveled ones.
pub type LeveledParameters = Parameters<cryptable_leveled::lookup::Parameters>;

/// A bridge between packed values and leveled ones.
pub type LeveledBridge = Bridge<cryptable_leveled::lookup::Parameters>;
