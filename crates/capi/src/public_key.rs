//! Public keys: others encrypt for a client.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use cryptable::{PublicKey, ReadOptions};
use cryptable_files::Access;

use crate::bytes::CryptableBytes;
use crate::ciphertext::CryptableCiphertext;
use crate::files::{read_file, write_bytes};
use crate::pointers::{self, elements, given, put};
use crate::secret_key::CryptableSecretKey;
use crate::status::{CryptableStatus, guarded};

/// A client's public key, by which others encrypt values that only the client can decrypt.
#[derive(Debug)]
pub struct CryptablePublicKey(PublicKey);

/// Generates a public key of a secret key. Every call draws another one, and all of them serve.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_public_key_generate(
    secret: Option<&CryptableSecretKey>,
    result: Option<&mut MaybeUninit<Option<Box<CryptablePublicKey>>>>,
) -> CryptableStatus {
    put(result, || Ok(CryptablePublicKey(given(secret, "secret")?.0.public_key()?)))
}

/// Encrypts values below the input modulus, for the client whose public key it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_public_key_encrypt(
    key: Option<&CryptablePublicKey>,
    values: *const u64,
    count: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `count` elements, as the header says.
        let values = unsafe { elements(values, count, "values") }?;
        Ok(CryptableCiphertext(given(key, "key")?.0.encrypt(values)?))
    })
}

/// Encodes a public key.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_public_key_to_bytes(
    key: Option<&CryptablePublicKey>,
    result: Option<&mut MaybeUninit<Option<Box<CryptableBytes>>>>,
) -> CryptableStatus {
    put(result, || Ok(CryptableBytes(given(key, "key")?.0.to_bytes().into())))
}

/// Reads a public key from bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_public_key_from_bytes(
    bytes: *const u8,
    length: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptablePublicKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `length` elements, as the header says.
        let bytes = unsafe { elements(bytes, length, "bytes") }?;
        Ok(CryptablePublicKey(PublicKey::from_bytes(bytes, ReadOptions::default())?))
    })
}

/// Writes a public key to a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_public_key_save(
    key: Option<&CryptablePublicKey>,
    path: *const c_char,
) -> CryptableStatus {
    guarded(|| {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        write_bytes(path, Access::Public, &given(key, "key")?.0.to_bytes())
    })
}

/// Reads a public key from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_public_key_load(
    path: *const c_char,
    result: Option<&mut MaybeUninit<Option<Box<CryptablePublicKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        let read = |bytes: &[u8]| PublicKey::from_bytes(bytes, ReadOptions::default());
        read_file(path, read).map(CryptablePublicKey)
    })
}

/// Frees a public key.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_public_key_free(key: Option<Box<CryptablePublicKey>>) {
    drop(key);
}
