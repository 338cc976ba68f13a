//! Lookup tables on encrypted data.
#![forbid(unsafe_code)]

pub mod bfloat16;
pub mod inspection;

pub use cryptable_fhew::lookup as single;
pub use cryptable_fhew::{booleans, integers};
pub use cryptable_lattice::switching_key::SharedBytes;
pub use cryptable_lattice::{Error, Progress, ReadOptions, Result, SecurityLevel, Table};
pub use cryptable_leveled::lookup as leveled;
pub use cryptable_packed::*;
pub use cryptable_ring::unit::measure_unit;
pub use cryptable_wire::KeyId;
pub use inspection::{InspectedParameters, Inspection, inspect};
