//! Lookup tables on encrypted data.
#![forbid(unsafe_code)]

pub mod bfloat16;
pub mod inspection;

pub use cryptable_fhew::lookup as single;
pub use cryptable_leveled::lookup as leveled;
pub use cryptable_packed::*;
pub use cryptable_ring::unit::measure_unit;
pub use inspection::{InspectedParameters, Inspection, inspect};
