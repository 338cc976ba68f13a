//! Packed lookups whose results become single values, and back.
//!
//! The single values are integers, for signs, comparisons and digits, or values of engine `leveled`, for further
//! lookups. [`Request::bridge`] plans both ends together; keys of [`crate::KeyKind::IntegerBridge`] and
//! [`crate::KeyKind::LeveledBridge`] hold the keys of both ends.
//!
//! [`to_bits`] converts packed results of one bit to bits in slots, which the owners of a key can decrypt together
//! ([`crate::bits::JointDecryption`]).

pub(crate) mod request;

#[cfg(feature = "client")]
pub use cryptable_conversion::bridges::ClientKey;
pub use cryptable_conversion::bridges::{
    Bridge, Continuation, Function, IntegerBridge, IntegerParameters, Integers, LeveledBridge,
    LeveledParameters, LeveledTable, Parameters, Plan, RadixDigits, Returning, Step, Target,
};

pub use cryptable_conversion::packed_bits::to_bits;

#[allow(unused_imports, reason = "links of the documentation")]
use crate::Request;
