//! Functions of large single values, for `cryptable/large_values.py`.

mod evaluation_key;
mod radix;
mod secret_key;

pub(crate) use evaluation_key::EvaluationKey;
pub(crate) use radix::Radix;
pub(crate) use secret_key::SecretKey;
