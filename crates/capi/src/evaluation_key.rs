//! Evaluation keys: what a server has of a client.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;

use cryptable::{EvaluationKey, ReadOptions, memory};

use crate::pointers::{self, elements, put};
use crate::status::{CryptableStatus, Failure};

/// A client's evaluation key, by which a server looks values up. It decrypts nothing.
#[derive(Debug)]
pub struct CryptableEvaluationKey(pub(crate) EvaluationKey);

/// Reads an evaluation key from a file, and checks all of it. Packed keys stay in the file, which is mapped into memory:
/// replace such a file, but do not overwrite it while the key is in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_evaluation_key_load(
    path: *const c_char,
    result: Option<&mut MaybeUninit<Option<Box<CryptableEvaluationKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        let key = EvaluationKey::open(path, ReadOptions::default());
        key.map(CryptableEvaluationKey).map_err(|error| Failure::from(error).of_file(path))
    })
}

/// Reads an evaluation key from bytes, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_evaluation_key_from_bytes(
    bytes: *const u8,
    length: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptableEvaluationKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `length` elements, as the header says.
        let bytes = unsafe { elements(bytes, length, "bytes") }?;
        let mut copy = memory::zeros("evaluation key", length)?;
        copy.copy_from_slice(bytes);
        let key = EvaluationKey::from_shared(Arc::new(copy), ReadOptions::default())?;
        Ok(CryptableEvaluationKey(key))
    })
}

/// Frees an evaluation key.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_evaluation_key_free(key: Option<Box<CryptableEvaluationKey>>) {
    drop(key);
}
