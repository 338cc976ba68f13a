//! Bits in the slots of CKKS ciphertexts, one operation at a time, for `cryptable/bits.py`. It uses the keys of
//! circuits.

mod calls;
mod encrypted_bits;
mod parameters;

pub(crate) use calls::{
    bin_boot, clean, decrypt, disjoint_or, encrypt, gate, gate_boot, gate_boot_many, gates,
    logical_not, lower, tables,
};
pub(crate) use encrypted_bits::EncryptedBits;
pub(crate) use parameters::Parameters;
