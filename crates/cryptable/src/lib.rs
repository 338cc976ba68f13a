//! Lookup tables on encrypted data.
//!
//! A client encrypts integers. A server that holds no secret maps each of them through a table of 2 to 2^24 entries.
//! The client decrypts exact integers; the server learns none of them.
//!
//! ```
//! use cryptable::{Request, SecretKey, Table};
//!
//! let table = Table::from_fn(256, 256, |x| 255 - x)?;
//! let request = Request::for_table(&table).values(65_536).memory(9 << 30);
//! # let plan = request.engine(cryptable::Engine::Leveled).values(2).plan()?; /*
//! let plan = request.plan()?;                          // candidates of all engines, the best first
//! # */
//! println!("{plan}");                                  // compares them
//!
//! # let values = [3, 255];
//! # let expected = [252, 0];
//! let secret = SecretKey::generate(plan.best());       // the client's key
//! let server = secret.evaluation_key();                // sent to the server
//! let prepared = server.prepare(&table)?;              // encoded once, used for any number of lookups
//! let output = server.lookup(&secret.encrypt(&values)?, &prepared)?;
//! assert_eq!(secret.decrypt(&output)?, expected);
//! # Ok::<(), cryptable::Error>(())
//! ```
//!
//! Every program follows these steps: describe the job in a [`Request`], choose parameters from its [`Plan`], generate
//! a [`SecretKey`], and give the server an [`EvaluationKey`].
//!
//! # Engines
//! Three engines encrypt values in different ways. A [`Plan`] predicts the time and memory of each for your table and
//! your number of values; a key belongs to the engine that you choose. All engines have the same methods.
//!
//! | [`Engine`] | method | input size | time | evaluation key |
//! |---|---|---|---|---|
//! | `packed` | 65,536 values per ciphertext, functional bootstrapping through CKKS | 1 to 24 bits | seconds for all values together | gigabytes |
//! | `single` | one value per ciphertext, FHEW functional bootstrapping | 1 to 6 bits | 10 to 30 milliseconds per value | 60 to 180 MB |
//! | `leveled` | digits of two bits, circuit bootstrapping and CMUX trees | 1 to 24 bits | 5 to 6 milliseconds per bit up to 16 bits | 45 to 90 MB |
//!
//! A server can also pack values that were encrypted one by one, look them all up at once, and unpack the results: see
//! [`Request::inputs`] and [`EvaluationKey::pack`].
//!
//! All parameters have at least 128 bits of security. The probability that a ciphertext fails, that is, that any of its
//! values comes out wrong, is at most 2^-64 unless a request sets another limit. Both numbers are computed for every
//! parameter set.
//!
//! # Terms
//! - A *value* is an integer from 0 to p - 1, where p is the *input modulus* of a table. The table maps it to an
//!   integer from 0 to P - 1, where P is the *output modulus*. Results can be added and, if P = p, looked up again.
//! - *Noise* is the small random error in every ciphertext that makes it secure. Operations add to it, a lookup reduces
//!   it (*functional bootstrapping*), and decryption rounds it away. If it grows too large, a value is decrypted wrong;
//!   the *failure probability* bounds how often that happens.
//! - The server *prepares* a table: it encodes the table once, for any number of lookups.
//! - A *toy* is a parameter set without any security, for tests and for the examples in this documentation.
//!
//! The glossary of the repository, `docs/glossary.md`, lists every term with its symbol in the papers.
//!
//! # Where to go from here
//! More about lookups:
//! - [`Request::entries`]: a table per value ([`EvaluationKey::lookup_per_value`]), and encrypted tables
//!   ([`EvaluationKey::lookup_encrypted`]).
//! - [`PublicKey`]: others encrypt for you; [`RekeyingKey`]: results are handed to another client.
//! - `owners`: several clients share one key, each holding a part of it.
//! - [`EvaluationKey::add`] and its neighbours: sums, differences and multiples of encrypted values, before and after
//!   lookups.
//! - [`Execution`]: the number of threads, progress, and cancellation.
//! - [`CiphertextWriter`] and [`CiphertextReader`]: files with any number of values, read and written part by part.
//! - [`inspect()`]: what a file holds, without a key.
//! - [`SecretKey::encrypt_with_canaries`]: values with known results at secret places, which find servers that answer wrong.
//! - [`bfloat16`]: the table of a function of floating-point numbers, exact to the last bit.
//! - [`engines`]: operations that only one engine has, such as decomposition into digits.
//!
//! More than lookups, each with its own keys and an example:
//! - [`integers`]: columns of `u8` to `i64`, with arithmetic, comparisons, selection and tables.
//! - [`comparisons`]: less than, maximum, ReLU and the like, on tens of thousands of integers at once.
//! - [`large_values`]: sign, maximum and digits of integers, one per ciphertext.
//! - [`gates`] and [`packed_gates`]: Boolean gates on encrypted bits, one by one or thousands at once.
//! - [`circuits`]: any binary circuit, on thousands of words at once.
//! - [`wide`]: dictionaries of 65,536 keys of 32 or 64 bits with a default, and tables of 2^32 entries that have
//!   structure.
//! - [`bridges`]: packed lookups whose results become integers or values of engine `leveled`, and back.
//! - [`ckks`]: vectors of real and complex numbers.
//! - [`transciphering`]: conversion of AES-128 ciphertexts into homomorphic ones.
//!
//! # Client and server
//! Everything that touches a secret is behind the feature `client`, which is on by default; a server builds with
//! `default-features = false`. The module [`security`] explains what a server learns and what it must be trusted with.
#![forbid(unsafe_code)]

pub mod bfloat16;
pub mod bridges;
#[cfg(feature = "client")]
mod canaries;
mod ciphertext;
mod ciphertext_file;
pub mod circuits;
pub mod comparisons;
mod engine;
mod execution;
mod formulas;
mod inspection;
pub mod integers;
mod keys;
mod known_sets;
mod operation_plan;
pub mod packed_gates;
mod parameter_list;
mod parameters;
mod plan;
mod prepared_table;
mod request;
pub mod wide;

#[cfg(feature = "client")]
pub use canaries::Canaries;
pub use ciphertext::{Ciphertext, Contents};
pub use ciphertext_file::{CiphertextFileSummary, CiphertextReader, CiphertextWriter};
pub use cryptable_lattice::cost::{CostModel, Prediction, Work};
pub use cryptable_lattice::security::{LweInstance, SecretDistribution};
pub use cryptable_lattice::switching_key::SharedBytes;
pub use cryptable_lattice::{
    Binding, Error, FailureProbability, NoiseBound, Progress, ReadOptions, Result, SecurityLevel,
    SumLimits, Table, memory,
};
pub use cryptable_ring::Isa;
pub use cryptable_wire::{KeyId, WireError};
pub use engine::Engine;
pub use execution::Execution;
pub use inspection::{Inspection, inspect};
pub use keys::{EvaluationKey, EvaluationKeyHeader, KeyKind, KeyParameters, RekeyingKey};
#[cfg(feature = "client")]
pub use keys::{PublicKey, SecretKey};
pub use operation_plan::{OperationPlan, PlannedOperation};
pub use parameter_list::ListedParameters;
pub use parameters::Parameters;
pub use plan::{Candidate, Plan};
pub use prepared_table::PreparedTable;
pub use request::{Goal, Limits, Request};

/// CKKS: approximate arithmetic on encrypted vectors of real and complex numbers.
///
/// A ciphertext holds thousands of numbers, one per slot, and every operation works on all of them. Numbers are
/// approximate: [`ckks::Ciphertext::error`] bounds how far a slot may be from the number that it stands for, and
/// decryption rounds to that precision. A multiplication uses up one level; bootstrapping restores all levels.
///
/// ```
/// use cryptable::Progress;
/// use cryptable::SecretKey;
/// use cryptable::ckks::{Grid, KeySet, Parameters, Polynomial, SlotTable};
/// // `Parameters::bootstrapping_128()` has 32,768 slots, 7 levels and 128 bits; a toy ring keeps this example quick.
/// let parameters = Parameters::insecure_toy_bootstrapping()?;
/// let secret = SecretKey::generate(&parameters);
/// let secret = secret.ckks()?;
/// let keys = KeySet::new().rotations_by_powers_of_two(parameters.slots()).lookups();
/// let server = secret.evaluation_key_for(&keys, Progress::silent())?;
/// // The logistic function of numbers in [-1, 1], and the sum of its first four values.
/// let logistic = Polynomial::interpolate(|x| 1.0 / (1.0 + (-x).exp()), 1.0, 7)?;
/// let x = secret.encrypt_reals(&[0.5, -0.25, 1.0, 0.0])?;
/// let y = server.polynomial(&x, &logistic)?;
/// let sum = server.inner_sum(&y, 4)?;
/// let expected: f64 = [0.5, -0.25, 1.0, 0.0].map(|x| logistic.evaluate(x)).iter().sum();
/// assert!((secret.decrypt_reals(&sum)?[0] - expected).abs() < 1e-5);
/// // A discontinuous function in between, with levels back: the sign, of multiples of 1/8.
/// let grid = Grid { first: -1.0, step: 0.125, count: 16 };
/// let sign = SlotTable::from_fn(grid, 1, |x| if x < 0.0 { -1.0 } else { 1.0 })?;
/// let signs = secret.decrypt_reals(&server.lookup(&x, &sign)?)?;
/// assert!((signs[0] - 1.0).abs() < 1e-4 && (signs[1] + 1.0).abs() < 1e-4);
/// // All levels back.
/// let y = server.bootstrap(&y)?;
/// assert_eq!(y.level(), parameters.levels());
/// # Ok::<(), cryptable::Error>(())
/// ```
pub use cryptable_approximate as ckks;
/// Bits in CKKS slots, thousands per ciphertext: gates, tables and bootstraps that work on all of them at once.
///
/// The evaluation of [`circuits`] is built on these.
pub use cryptable_bits as bits;
#[doc = include_str!("owners.txt")]
pub use cryptable_conversion::owners;
/// Boolean gates on encrypted bits, one per ciphertext, milliseconds per gate.
pub use cryptable_fhew::booleans as gates;
/// Integers of up to 24 bits, one per ciphertext: sign, comparison, absolute value, ReLU, maximum and digits.
pub use cryptable_fhew::integers as large_values;
/// Conversion of AES-128 counter-mode ciphertexts into homomorphic ones, under an encrypted AES key.
pub use cryptable_leveled::aes as transciphering;

/// The security statement: who is trusted with what, what is revealed, failure probabilities, and IND-CPA-D.
///
/// This is the file `SECURITY.md`; its links lead to files of the repository.
#[doc = include_str!("../SECURITY.txt")]
pub mod security {}

/// The kinds of job that a [`Request`] can describe: its type parameter, which decides the type of its plan.
pub mod jobs {
    pub use crate::bridges::request::Bridge;
    pub use crate::circuits::request::Circuits;
    pub use crate::comparisons::request::Comparisons;
    pub use crate::formulas::request::Formulas;
    pub use crate::integers::request::Integers;
    pub use crate::request::{Lookups, SlotLookups};
    pub use crate::wide::request::Words;
}

/// The engines themselves, for operations that only one of them has, and for researchers.
pub mod engines {
    pub use cryptable_conversion::lookup as bridged;
    pub use cryptable_fhew::lookup as single;
    pub use cryptable_leveled::lookup as leveled;
    pub use cryptable_packed as packed;

    /// Conversion of packed lookup results to integers, and back.
    pub mod integer_bridge {
        #[cfg(feature = "client")]
        pub use cryptable_conversion::bridges::IntegerSecretKeys as SecretKey;
        pub use cryptable_conversion::bridges::{
            IntegerEvaluationKeys as EvaluationKey, IntegerParameters as Parameters,
        };
    }

    /// Conversion of packed lookup results to values of the leveled engine, and back.
    pub mod leveled_bridge {
        #[cfg(feature = "client")]
        pub use cryptable_conversion::bridges::LeveledSecretKeys as SecretKey;
        pub use cryptable_conversion::bridges::{
            LeveledEvaluationKeys as EvaluationKey, LeveledParameters as Parameters,
        };
    }
}
