//! Lookup tables on encrypted data.
//!
//! A client encrypts integers of `Z_p`; a server without the secret maps each through a table
//! f: Z_p -> Z_P; the client decrypts exact integers.
#![forbid(unsafe_code)]

pub mod error;
pub mod lookup_table;
pub mod packed;
pub mod parameter_choice;
pub mod parameters;
pub mod trigonometric_hermite;

pub use error::{Error, Result};
pub use lookup_table::LookupTable;
pub use parameter_choice::Request;
pub use parameters::{Parameters, ParametersLiteral};
