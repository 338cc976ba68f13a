//! Results of packed lookups that go on as single values, and back: integers (sign, comparison, digits), or values of engine
//! `leveled`.
//!
//! [`Request::bridge`] plans both ends; keys of [`crate::KeyKind::IntegerBridge`] and [`crate::KeyKind::LeveledBridge`] hold
//! those of both.

pub(crate) mod request;

#[cfg(feature = "client")]
pub use cryptable_conversion::bridges::ClientKey;
pub use cryptable_conversion::bridges::{
    Bridge, Continuation, Function, IntegerBridge, IntegerParameters, Integers, LeveledBridge,
    LeveledParameters, LeveledTable, Parameters, Plan, RadixDigits, Returning, Step, Target,
};

#[allow(unused_imports, reason = "links of the documentation")]
use crate::Request;
