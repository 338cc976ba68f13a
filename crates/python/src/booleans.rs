//! Gates on encrypted bits, for `cryptable/booleans.py`.

mod encrypted_bits;
mod keys;

pub(crate) use encrypted_bits::EncryptedBits;
pub(crate) use keys::{EvaluationKey, PackedGates, SecretKey};
