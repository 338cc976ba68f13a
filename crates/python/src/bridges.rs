//! Conversion of packed results to single values and back, for `cryptable/bridges.py`.

mod evaluation_keys;
mod plan;
mod secret_keys;
mod values;

use cryptable::Error;
use cryptable::engines::packed;

pub(crate) use evaluation_keys::EvaluationKeys;
pub(crate) use plan::{BridgePlan, plan_bridge};
pub(crate) use secret_keys::SecretKeys;
pub(crate) use values::{Integers, LeveledValues, SmallValues};

use crate::ciphertext::Ciphertext;

/// Evaluates an expression for the keys of either kind.
macro_rules! each_keys {
    ($type:ident, $keys:expr, $it:ident => $body:expr) => {
        match $keys {
            $type::Integers($it) => $body,
            $type::Leveled($it) => $body,
        }
    };
}
use each_keys;

/// Returns the error for calls on keys of the other kind.
fn other_end<T>(expected: &'static str, found: &'static str) -> cryptable::Result<T> {
    Err(Error::mismatch("keys of a bridge", found, expected))
}

/// Returns the single packed ciphertext of values.
fn one_part(values: &Ciphertext) -> cryptable::Result<&packed::Ciphertext> {
    let parts = values.inner.packed()?;
    match parts[..] {
        [part] => Ok(part),
        _ => {
            let (name, value) = ("number of packed ciphertexts", parts.len() as u64);
            Err(Error::TooLarge { name, value, limit: 1 })
        }
    }
}
