//! Packed values: lookup tables on tens of thousands of encrypted values at once, by functional bootstrapping through
//! CKKS.
//!
//! A client encrypts integers of `Z_p`; a server without the secret maps each through any table f: Z_p -> Z_P; the
//! client decrypts exact results. [`Method`] names the three ways of doing so: AKP (Alexandru, Kim, Polyakov, CRYPTO
//! 2025, ePrint 2024/1623), and the multiplexer trees BMT and CMT (Dumezy et al., TCHES 2026(1), ePrint 2025/1301).
//!
//! ```
//! use cryptable_packed::{Parameters, Progress, SecretKey, Table};
//!
//! let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4)?;
//! // `Parameters::for_table(&table)` gives 128-bit parameters; a toy ring keeps this example quick.
//! let parameters = Parameters::insecure_toy(4, 4)?;
//!
//! // The client:
//! let secret = SecretKey::generate(&parameters);
//! let evaluation_key = secret.evaluation_key(Progress::silent())?;
//! let input = secret.encrypt(&[0, 1, 2, 3, 3, 2])?;
//!
//! // The server, which holds the evaluation key only; the table is encoded once and looked up often:
//! let prepared = evaluation_key.prepare(&table)?;
//! let output = evaluation_key.lookup(&input, &prepared, Progress::silent())?;
//!
//! // The client again:
//! assert_eq!(secret.decrypt(&output)?, [1, 2, 1, 2, 2, 1]);
//! # Ok::<(), cryptable_packed::Error>(())
//! ```
//!
//! # How a lookup flows
//! | step | module |
//! |---|---|
//! | a request becomes parameters | `planner`, `parameters` |
//! | ModRaise, CoeffsToSlots, the complex exponential of the phase | `bootstrapping` |
//! | AKP: the table's trigonometric Hermite interpolation | `akp` |
//! | floor, digits and signs of large values: AKP on one digit at a time | `multi_precision` |
//! | comparisons, maxima and similar operations | `comparison` |
//! | sums of tables of several columns and choices between them (trees, filters), also per group | `formulas` |
//! | trees: functional digit decomposition, deltas, Kronecker products, multiplexer tree | `multiplexer` |
//! | SlotsToCoeffs, and the switch to the client's modulus | `bootstrapping` |
//! | the whole lookup, with checks and progress | `lookup` |
//!
//! Circuits are written once against `cryptable_ckks::Arithmetic`. They run on ciphertexts, or on the shapes of
//! ciphertexts to predict noise, keys and cost.
//!
//! Everything that touches a secret needs the feature `client` (on by default); a server builds without it.
#![forbid(unsafe_code)]

mod akp;
mod bootstrapping;
mod ciphertext;
mod comparison;
mod compression;
mod exchange;
mod formulas;
mod interchange;
mod keys;
mod linear_operations;
mod literal;
mod lookup;
mod multi_precision;
mod multiplexer;
mod parameters;
mod planner;
mod rekeying;
mod step;
mod tables;
mod words;

pub use akp::hermite_kernel::{HermiteKernel, HermiteOrder};
pub use akp::trigonometric_hermite::trigonometric_hermite;
pub use ciphertext::Ciphertext;
pub use comparison::digit_list::{DigitList, join_digits};
pub use comparison::operation::Operation;
pub use comparison::signedness::Signedness;
pub use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
pub use cryptable_ckks::dry_run::Counts;
#[cfg(feature = "client")]
pub use cryptable_lattice::coefficient_ciphertext::{Flooding, RealDecryption};
pub use cryptable_lattice::cost::{CostModel, Prediction, Work};
pub use cryptable_lattice::switching_key::SharedBytes;
pub use cryptable_lattice::{
    Error, FailureProbability, Owners, Progress, ReadOptions, Result, SecurityLevel, Table,
};
pub use cryptable_wire::KeyId;
pub use exchange::Exchange;
pub use formulas::formula::Formula;
pub use formulas::groups::group_totals;
pub use formulas::layer::Layer;
pub use formulas::stages::PreparedFormulas;
pub use keys::evaluation_key::EvaluationKey;
#[cfg(feature = "client")]
pub use keys::owners::{Agreement, OwnerSecret, Session};
#[cfg(feature = "client")]
pub use keys::public_key::PublicKey;
pub use keys::rekeying_key::RekeyingKey;
#[cfg(feature = "client")]
pub use keys::secret_key::SecretKey;
pub use literal::{DftLiteral, MultiplexerLiteral, ParametersLiteral};
pub use lookup::complex_lookup::PreparedComplexTable;
pub use lookup::prepared_table::PreparedTable;
pub use multiplexer::entry_kind::EntryKind;
pub use parameters::failure::FailureEstimate;
pub use parameters::parameter_set::Parameters;
pub use planner::request::{DigitInputs, Method, Request};
pub use tables::encrypted_tables::EncryptedTables;
pub use tables::real_table::{ComplexTable, RealTable};
pub use tables::slot_tables::SlotTables;
pub use words::circuit::WordCircuit;
pub use words::dictionary::Dictionary;
pub use words::evaluation::PreparedWords;
