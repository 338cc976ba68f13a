//! Binary circuits on encrypted words, for `cryptable/circuits.py`.

mod builder;
mod circuit;
mod keys;
mod plan;
mod words;

pub(crate) use builder::{CircuitBuilder, Signal};
pub(crate) use circuit::Circuit;
pub(crate) use keys::{EvaluationKey, PublicKey, SecretKey};
pub(crate) use plan::{CircuitPlan, plan_circuit};
pub(crate) use words::EncryptedWords;
