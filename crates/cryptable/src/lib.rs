//! Lookup tables on encrypted data.
//!
//! A client encrypts integers. A server that holds no secret maps each of them through an arbitrary table of 2 to 2^24
//! entries; the client decrypts exact integers.
//!
//! ```
//! use cryptable::{Request, SecretKey, Table};
//!
//! let table = Table::from_fn(256, 256, |x| 255 - x)?;
//! let request = Request::for_table(&table).values(65_536).memory(9 << 30);
//! # let plan = request.engine(cryptable::Engine::Leveled).values(2).plan()?; /*
//! let plan = request.plan()?;                          // candidates of all engines, the best first
//! # */
//! println!("{plan}");                                  // the comparison
//!
//! # let values = [3, 255];
//! # let expected = [252, 0];
//! let secret = SecretKey::generate(plan.best());       // the client
//! let server = secret.evaluation_key();                // what the server gets
//! let prepared = server.prepare(&table)?;              // encoded once, looked up often
//! let output = server.lookup(&secret.encrypt(&values)?, &prepared)?;
//! assert_eq!(secret.decrypt(&output)?, expected);
//! # Ok::<(), cryptable::Error>(())
//! ```
//!
//! # Engines
//! A [`Request`] names a table and data; its [`Plan`] compares what three engines would take, and keys are those of the
//! engine that was chosen. The same calls work on each.
//!
//! | [`Engine`] | how | tables | time | keys of the server |
//! |---|---|---|---|---|
//! | `packed` | 65,536 values a ciphertext, functional bootstrapping through CKKS | 1 to 24 bits | seconds for all values together | gigabytes |
//! | `single` | a ciphertext a value, FHEW functional bootstrapping | 1 to 6 bits | 10 to 30 milliseconds a value | 60 to 180 MB |
//! | `leveled` | digits of two bits, circuit bootstrapping and CMUX trees | 1 to 24 bits | 5 to 6 milliseconds a bit up to 16 bits | 45 to 90 MB |
//!
//! A server may also pack single values, look many up at once, and take the results out: [`Request::inputs`],
//! [`EvaluationKey::pack`].
//!
//! All parameters have at least 128 bits of security, and a ciphertext fails with a probability of at most 2^-64 unless
//! a request says otherwise: of 65,536 packed values any, or the one value of the other engines. Both are computed for
//! each set.
//!
//! # Terms
//! - A *value* is an integer from 0 to p - 1 where p is the table's *input modulus*; the table maps it to one from 0 to P - 1
//!   where P is the *output modulus*. Results are values again, for sums and, where P = p, further lookups.
//! - *Noise* is the small random error in every ciphertext that makes it secure. Computing adds to it, a lookup takes it away
//!   (*functional bootstrapping*), and decryption rounds it off. With the stated *failure probability* it is too large for
//!   that, and a value comes out wrong.
//! - A table is *prepared* when the server has encoded it, once for any number of lookups.
//! - A *toy* is a parameter set without any security, for tests and the examples of this documentation.
//!
//! The glossary of the repository, `docs/glossary.md`, has every term and its symbol in the papers.
//!
//! # Where to go from here
//! - What one engine alone can do is in [`engines`]: tables of its own for every value, encrypted tables, digits
//!   ([`EvaluationKey::packed`]).
//! - [`gates`]: gates on encrypted bits, one by one, or thousands at once ([`packed_gates`]). [`integers`]: columns of `u8` to `i64`,
//!   packed or single, with arithmetic, comparisons, selection and tables.
//!   [`large_values`]: sign, maximum and digits of integers in one ciphertext each.
//!   [`comparisons`]: less than, maximum, ReLU and their like on tens of thousands of integers at once.
//!   [`transciphering`]: AES-128 ciphertexts to homomorphic ones. [`circuits`]: any binary circuit, on thousands of words
//!   at once. [`ckks`]: vectors of real and complex numbers. Each has keys of its own and an example.
//! - [`bridges`]: results of packed lookups go on as integers or as values of engine `leveled`, and back.
//! - [`wide`]: dictionaries of 65,536 keys of 32 or 64 bits and a default, and tables of 2^32 entries that have structure, on
//!   65,536 encrypted values. [`Request::entries`]: tables of their own for every value
//!   ([`EvaluationKey::lookup_per_value`]), or encrypted ([`EvaluationKey::lookup_encrypted`]).
//! - [`EvaluationKey::add`]: sums, differences and multiples of encrypted values, before and after lookups.
//! - [`bfloat16`] makes the table of any function of floats, exact to the last bit.
//! - [`Execution`] sets threads, and hears of progress and cancels; [`CiphertextWriter`] and [`CiphertextReader`] stream
//!   files of any number of values.
//! - [`inspect()`] says what a file is without a key.
//!
//! # Client and server
//! All that touches a secret needs the feature `client`, on by default; a server builds with
//! `default-features = false`. What a server learns and what it must be trusted with is in [`security`].
#![forbid(unsafe_code)]

pub mod bfloat16;
pub mod bridges;
mod ciphertext;
mod ciphertext_file;
pub mod circuits;
pub mod comparisons;
mod engine;
mod execution;
mod inspection;
pub mod integers;
mod keys;
mod known_sets;
pub mod memory;
mod operation_plan;
pub mod packed_gates;
mod parameter_list;
mod parameters;
mod plan;
mod prepared_table;
mod request;
pub mod wide;

pub use ciphertext::{Ciphertext, Contents};
pub use ciphertext_file::{
    CIPHERTEXT_FILE_MAGIC, CiphertextFileSummary, CiphertextReader, CiphertextWriter,
};
pub use cryptable_lattice::cost::{CostModel, Prediction, Work};
pub use cryptable_lattice::security::{LweInstance, SecretDistribution};
pub use cryptable_lattice::switching_key::SharedBytes;
pub use cryptable_lattice::{
    Binding, Error, FailureProbability, NoiseBound, Progress, ReadOptions, Result, SecurityLevel,
    SumLimits, Table,
};
pub use cryptable_ring::{Isa, UnknownIsa};
pub use cryptable_wire::{KeyId, WireError};
pub use engine::Engine;
pub use execution::Execution;
pub use inspection::{Inspection, inspect};
#[cfg(feature = "client")]
pub use keys::SecretKey;
pub use keys::{EvaluationKey, EvaluationKeyHeader, KeyKind, KeyParameters};
pub use operation_plan::{OperationPlan, PlannedOperation};
pub use parameter_list::{ListedParameters, list_parameters};
pub use parameters::Parameters;
pub use plan::{Candidate, Plan};
pub use prepared_table::PreparedTable;
pub use request::{Goal, Limits, Request};

/// Approximate arithmetic on encrypted vectors of real and complex numbers: CKKS.
///
/// A ciphertext holds thousands of numbers, one a slot, and every operation works on all of them. Numbers are approximate:
/// each ciphertext says how far its slots may be from what they stand for ([`ckks::Ciphertext::error`]), and decryption rounds to
/// that. A multiplication takes a level; bootstrapping brings all levels back.
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
/// Bits in CKKS slots, thousands in a ciphertext: gates, tables and bootstraps of all of them at once, which [`circuits`] are
/// made of.
pub use cryptable_bits as bits;
/// Gates on encrypted bits, one by one: milliseconds each.
pub use cryptable_fhew::booleans as gates;
/// Integers of up to 24 bits in one ciphertext each: sign, comparison, absolute value, ReLU, maximum and digits.
pub use cryptable_fhew::integers as large_values;
/// From ciphertexts of AES-128 in counter mode to homomorphic ciphertexts, under an encrypted AES key.
pub use cryptable_leveled::aes as transciphering;

/// Who is trusted with what, what is revealed, failure probabilities and IND-CPA-D: `SECURITY.md`. Its links are those
/// of the repository.
#[doc = include_str!("../SECURITY.txt")]
pub mod security {}

/// Jobs of a [`Request`]: its type parameter, by which plans differ.
pub mod jobs {
    pub use crate::bridges::request::Bridge;
    pub use crate::circuits::request::Circuits;
    pub use crate::comparisons::request::Comparisons;
    pub use crate::integers::request::Integers;
    pub use crate::request::{Lookups, SlotLookups};
    pub use crate::wide::request::Words;
}

/// The engines themselves, for what one of them alone can do and for researchers.
pub mod engines {
    pub use cryptable_conversion::lookup as bridged;
    pub use cryptable_fhew::lookup as single;
    pub use cryptable_leveled::lookup as leveled;
    pub use cryptable_packed as packed;

    /// Results of packed lookups that go on as integers, and back.
    pub mod integer_bridge {
        #[cfg(feature = "client")]
        pub use cryptable_conversion::bridges::IntegerSecretKeys as SecretKey;
        pub use cryptable_conversion::bridges::{
            IntegerEvaluationKeys as EvaluationKey, IntegerParameters as Parameters,
        };
    }

    /// Results of packed lookups that go on as leveled values, and back.
    pub mod leveled_bridge {
        #[cfg(feature = "client")]
        pub use cryptable_conversion::bridges::LeveledSecretKeys as SecretKey;
        pub use cryptable_conversion::bridges::{
            LeveledEvaluationKeys as EvaluationKey, LeveledParameters as Parameters,
        };
    }
}
