//! Gates on encrypted bits, for `cryptable/booleans.py`.

mod encrypted_bits;
mod foreign;
mod gate;
mod keys;
mod packed_gates;

pub(crate) use encrypted_bits::EncryptedBits;
pub(crate) use foreign::{ForeignGates, ForeignSecret};
pub(crate) use keys::{EvaluationKey, SecretKey};
pub(crate) use packed_gates::PackedGates;
