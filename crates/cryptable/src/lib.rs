//! Lookup tables on encrypted data.
//!
//! A client encrypts integers of `Z_p`; a server without the secret maps each through a table
//! f: Z_p -> Z_P; the client decrypts exact integers.
#![forbid(unsafe_code)]

pub mod ciphertext;
pub mod error;
pub mod evaluation_key;
pub mod lookup_table;
pub mod packed;
pub mod parameter_choice;
pub mod parameters;
pub mod prediction;
#[cfg(feature = "client")]
pub mod secret_key;
pub mod serialization;
pub mod trigonometric_hermite;
pub mod unit;

pub use ciphertext::Ciphertext;
pub use error::{Error, Result};
pub use evaluation_key::EvaluationKey;
pub use lookup_table::LookupTable;
pub use parameter_choice::Request;
pub use prediction::Prediction;
pub use parameters::{Parameters, ParametersLiteral};
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use unit::measure_unit;
