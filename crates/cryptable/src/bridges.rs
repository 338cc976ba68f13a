//! Results of packed lookups that go on as single values, and back: integers (sign, comparison, digits), or values of engine
//! `leveled`.
//!
//! [`Request::bridge`] plans both ends; [`SecretKeys`] and [`EvaluationKeys`] hold the keys of both.

pub(crate) mod request;

pub use cryptable_conversion::bridges::{
    Bridge, Continuation, EvaluationKeys, Function, IntegerBridge, IntegerEvaluationKeys,
    IntegerParameters, Integers, LeveledBridge, LeveledEvaluationKeys, LeveledParameters,
    LeveledTable, Parameters, Plan, RadixDigits, Returned, Returning, Step, Target,
};
#[cfg(feature = "client")]
pub use cryptable_conversion::bridges::{
    ClientKey, IntegerSecretKeys, LeveledSecretKeys, SecretKeys,
};

#[allow(unused_imports, reason = "links of the documentation")]
use crate::Request;
