//! Ciphertexts, in memory and in files.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use cryptable::Ciphertext;
use cryptable_files::Access;

use crate::bytes::CryptableBytes;
use crate::files::{read_file, write_bytes};
use crate::pointers::{self, elements, given, put};
use crate::status::{CryptableStatus, guarded};

/// Encrypted values, under one client's key.
#[derive(Debug)]
pub struct CryptableCiphertext(pub(crate) Ciphertext);

/// Returns the number of values; 0 if the handle is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_ciphertext_count(ciphertext: Option<&CryptableCiphertext>) -> usize {
    ciphertext.map_or(0, |ciphertext| ciphertext.0.count())
}

/// Returns the number that all values are below; 0 if the handle is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_ciphertext_modulus(ciphertext: Option<&CryptableCiphertext>) -> u64 {
    ciphertext.map_or(0, |ciphertext| ciphertext.0.modulus())
}

/// Encodes a ciphertext.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_ciphertext_to_bytes(
    ciphertext: Option<&CryptableCiphertext>,
    result: Option<&mut MaybeUninit<Option<Box<CryptableBytes>>>>,
) -> CryptableStatus {
    put(result, || Ok(CryptableBytes(given(ciphertext, "ciphertext")?.0.to_bytes().into())))
}

/// Reads a ciphertext from bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_ciphertext_from_bytes(
    bytes: *const u8,
    length: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `length` elements, as the header says.
        let bytes = unsafe { elements(bytes, length, "bytes") }?;
        Ok(CryptableCiphertext(Ciphertext::from_bytes(bytes)?))
    })
}

/// Writes a ciphertext to a file, which the command line reads, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_ciphertext_save(
    ciphertext: Option<&CryptableCiphertext>,
    path: *const c_char,
) -> CryptableStatus {
    guarded(|| {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        write_bytes(path, Access::Public, &given(ciphertext, "ciphertext")?.0.to_bytes())
    })
}

/// Reads a ciphertext from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_ciphertext_load(
    path: *const c_char,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        read_file(path, Ciphertext::from_bytes).map(CryptableCiphertext)
    })
}

/// Frees a ciphertext.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_ciphertext_free(ciphertext: Option<Box<CryptableCiphertext>>) {
    drop(ciphertext);
}
