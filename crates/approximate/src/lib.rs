//! Approximate arithmetic on encrypted real and complex vectors: CKKS (Cheon, Kim, Kim, Song, ASIACRYPT 2017), with exact
//! scales, and ciphertexts that state their errors.
//!
//! ```
//! use cryptable_approximate::{KeySet, Parameters, SecretKey};
//! use cryptable_lattice::Progress;
//! let secret = SecretKey::generate(&Parameters::insecure_toy()?);
//! let server = secret.evaluation_key_for(&KeySet::new().rotations([1]), Progress::silent())?;
//! let x = secret.encrypt_reals(&[0.5, -0.25, 1.0])?;
//! // x·(x rotated by one) + 1/8.
//! let product = server.mul(&x, &server.rotate(&x, 1)?)?;
//! let sum = server.add_constant(&product, 0.125.into())?;
//! let found = secret.decrypt_reals(&sum)?;
//! assert!((found[0] - 0.0).abs() < 1e-6 && (found[1] + 0.125).abs() < 1e-6);
//! assert_eq!(sum.level(), x.level() - 1);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | step | file |
//! |---|---|
//! | all numbers of a parameter set; their bounds; named sets | `literal.rs`, `validation.rs`, `named_sets.rs` |
//! | primes, security, ring | `parameters.rs` |
//! | scales of levels, sums and products at them | `levels.rs` |
//! | the keys that a server gets | `key_set.rs` |
//! | sums, products, rotations, sums over slots, conjugates, products with matrices | `operations.rs` |
//! | bootstrapping: its call, circuit, matrices, and the odd function that removes the overflow | `bootstrapping.rs`, `bootstrap_circuit.rs`, `sine_sum.rs` |
//! | bootstraps and lookups for fewer slots than half the ring degree | `sparse_slots.rs` |
//! | polynomials, matrices | `polynomial.rs`, `linear_map.rs` |
//! | functional bootstrapping: its call, circuit and predictions; tables | `slot_function.rs`, `phase_series.rs`, `lookup.rs`, `lookup_circuit.rs`, `slot_prediction.rs`; `slot_table.rs` |
//! | smooth functions in the bootstrap: their series, bounds and errors | `fourier_extension.rs`, `smooth_function.rs` |
//! | parameters for lookups: request, search, result | `lookup_request.rs`, `lookup_planner.rs`, `lookup_plan.rs`, `literal_choice.rs` |
//! | slots to packed integers and back | `packed_integers.rs` |
//! | tables of points without a bootstrap | `leveled_tables.rs` |
//! | files | `serialization.rs` |
//! | bounds and errors that ciphertexts carry | `bounds.rs`, `ciphertext.rs` |
//!
//! Everything that touches a secret needs the feature `client` (on by default); a server builds without it.
#![forbid(unsafe_code)]

mod bootstrap_circuit;
mod bootstrapping;
mod bounds;
mod ciphertext;
#[cfg(feature = "client")]
mod encryption;
mod evaluation_key;
mod fourier_extension;
mod key_set;
mod leveled_tables;
mod levels;
mod linear_map;
mod literal;
mod literal_choice;
mod lookup;
mod lookup_circuit;
mod lookup_plan;
mod lookup_planner;
mod lookup_request;
mod named_sets;
mod operations;
mod packed_integers;
mod parameters;
mod phase_series;
mod polynomial;
#[cfg(feature = "client")]
mod public_key;
#[cfg(feature = "client")]
mod secret_key;
mod serialization;
mod sine_sum;
mod slot_function;
mod slot_prediction;
mod slot_table;
mod smooth_function;
mod sparse_slots;
mod validation;

pub use bounds::{SlotBounds, SlotError};
pub use ciphertext::Ciphertext;
pub use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
pub use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
pub use cryptable_ckks::leveled_table::LeveledTable;
/// Noise that hides a ciphertext's own noise from others who see results: for [`SecretKey::decrypt_flooded`].
#[cfg(feature = "client")]
pub use cryptable_lattice::coefficient_ciphertext::Flooding;
pub use evaluation_key::EvaluationKey;
pub use key_set::KeySet;
pub use linear_map::LinearMap;
pub use literal::{BootstrappingLiteral, ParametersLiteral};
pub use lookup::LookupPrediction;
pub use lookup_plan::{LookupCandidate, LookupPlan};
pub use lookup_request::{LookupFunction, LookupRequest};
pub use num_complex::Complex64;
pub use operations::PreparedMap;
pub use packed_integers::{PackedKey, SharedSecret};
pub use parameters::Parameters;
pub use polynomial::Polynomial;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use slot_function::SlotFunction;
pub use slot_table::{Grid, SlotTable};
pub use smooth_function::SmoothFunction;
