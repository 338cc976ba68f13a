//! The C interface of `cryptable`.
//!
//! [`include/cryptable.h`](../include/cryptable.h) is made of these files, and its head has the rules that all functions
//! share. Functions take handles as `Option<&T>` and `Option<Box<T>>`, and places for results as
//! `Option<&mut MaybeUninit<…>>`: pointers that may be null. C cannot be held to more than the head of the header asks of
//! it, which is what references need; where a function follows a pointer to elements or to a string, it is `unsafe`. A
//! panic never crosses the boundary.
#![allow(clippy::missing_safety_doc, reason = "the head of the header says what pointers must be")]

mod bytes;
mod ciphertext;
mod evaluation_key;
mod files;
mod lookups;
mod pointers;
mod public_key;
mod request;
mod secret_key;
mod status;

pub use bytes::{
    CryptableBytes, cryptable_bytes_data, cryptable_bytes_free, cryptable_bytes_length,
};
pub use ciphertext::{
    CryptableCiphertext, cryptable_ciphertext_count, cryptable_ciphertext_free,
    cryptable_ciphertext_from_bytes, cryptable_ciphertext_load, cryptable_ciphertext_modulus,
    cryptable_ciphertext_save, cryptable_ciphertext_to_bytes,
};
pub use evaluation_key::{
    CryptableEvaluationKey, cryptable_evaluation_key_free, cryptable_evaluation_key_from_bytes,
    cryptable_evaluation_key_load,
};
pub use lookups::{
    CryptableTable, cryptable_add, cryptable_lookup, cryptable_table_free, cryptable_table_prepare,
};
pub use public_key::{
    CryptablePublicKey, cryptable_public_key_encrypt, cryptable_public_key_free,
    cryptable_public_key_from_bytes, cryptable_public_key_generate, cryptable_public_key_load,
    cryptable_public_key_save, cryptable_public_key_to_bytes,
};
pub use request::{
    CryptableEngine, CryptableFigures, CryptablePlan, CryptableRequest, cryptable_plan,
    cryptable_plan_figures, cryptable_plan_free, cryptable_plan_method,
};
pub use secret_key::{
    CryptableSecretKey, cryptable_decrypt, cryptable_encrypt, cryptable_evaluation_key_generate,
    cryptable_secret_key_free, cryptable_secret_key_from_bytes, cryptable_secret_key_generate,
    cryptable_secret_key_load, cryptable_secret_key_save, cryptable_secret_key_save_evaluation_key,
    cryptable_secret_key_to_bytes,
};
pub use status::{CryptableStatus, cryptable_last_error, cryptable_version};
