//! Secret keys: what only a client has.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use cryptable::{Execution, ReadOptions, SecretKey, memory};
use cryptable_files::Access;
use zeroize::Zeroizing;

use crate::bytes::CryptableBytes;
use crate::ciphertext::CryptableCiphertext;
use crate::evaluation_key::CryptableEvaluationKey;
use crate::files::{write_bytes, write_file};
use crate::pointers::{self, copy_to, elements, given, put};
use crate::request::CryptablePlan;
use crate::status::{CryptableStatus, Failure, Result, guarded};

/// A client's secret key. It encrypts and decrypts, and all other keys are made of it.
#[derive(Debug)]
pub struct CryptableSecretKey(pub(crate) SecretKey);

/// Most bytes of a file of a secret key that are read: the longest has a fraction of it.
const MOST_FILE_BYTES: u64 = 1 << 24;

/// Generates a secret key with fresh randomness, for the parameters of a plan.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_secret_key_generate(
    plan: Option<&CryptablePlan>,
    result: Option<&mut MaybeUninit<Option<Box<CryptableSecretKey>>>>,
) -> CryptableStatus {
    put(result, || Ok(CryptableSecretKey(SecretKey::generate(given(plan, "plan")?.plan.best()))))
}

/// Encrypts values below the input modulus. Decryption returns them in the same order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_encrypt(
    secret: Option<&CryptableSecretKey>,
    values: *const u64,
    count: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptableCiphertext>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `count` elements, as the header says.
        let values = unsafe { elements(values, count, "values") }?;
        Ok(CryptableCiphertext(given(secret, "secret")?.0.encrypt(values)?))
    })
}

/// Decrypts a ciphertext to `values`, an array of `count` elements, which must be its cryptable_ciphertext_count().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_decrypt(
    secret: Option<&CryptableSecretKey>,
    ciphertext: Option<&CryptableCiphertext>,
    values: *mut u64,
    count: usize,
) -> CryptableStatus {
    guarded(|| {
        let ciphertext = &given(ciphertext, "ciphertext")?.0;
        if count != ciphertext.count() {
            let message = format!(
                "the array has {count} elements, but the ciphertext has {} values",
                ciphertext.count()
            );
            return Err(Failure::new(CryptableStatus::Range, message));
        }
        let found = Zeroizing::new(given(secret, "secret")?.0.decrypt(ciphertext)?);
        // SAFETY: the caller's array has `count` elements, as the header says, which is the number of values.
        unsafe { copy_to(values, &found, "values") }
    })
}

/// Generates the evaluation key for a server in this process. cryptable_secret_key_save_evaluation_key() is for servers
/// elsewhere.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_evaluation_key_generate(
    secret: Option<&CryptableSecretKey>,
    threads: u32,
    result: Option<&mut MaybeUninit<Option<Box<CryptableEvaluationKey>>>>,
) -> CryptableStatus {
    put(result, || {
        let secret = &given(secret, "secret")?.0;
        let execution = Execution::default().threads(pointers::threads(threads)?);
        let needed = secret.lookup_parameters()?.prediction().key_memory_bytes;
        memory::check("the evaluation key", needed)?;
        Ok(CryptableEvaluationKey(secret.evaluation_key_with(execution)?))
    })
}

/// Generates the evaluation key and writes it to a file, for a server to load. The whole key is never in memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_secret_key_save_evaluation_key(
    secret: Option<&CryptableSecretKey>,
    threads: u32,
    path: *const c_char,
) -> CryptableStatus {
    guarded(|| {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        let execution = Execution::default().threads(pointers::threads(threads)?);
        let secret = &given(secret, "secret")?.0;
        write_file(path, Access::Public, |file| secret.write_evaluation_key(file, execution))
    })
}

/// Encodes a secret key. Whoever has the bytes can decrypt.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_secret_key_to_bytes(
    secret: Option<&CryptableSecretKey>,
    result: Option<&mut MaybeUninit<Option<Box<CryptableBytes>>>>,
) -> CryptableStatus {
    put(result, || Ok(CryptableBytes(given(secret, "secret")?.0.to_bytes())))
}

/// Reads a secret key from bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_secret_key_from_bytes(
    bytes: *const u8,
    length: usize,
    result: Option<&mut MaybeUninit<Option<Box<CryptableSecretKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's array has `length` elements, as the header says.
        let bytes = unsafe { elements(bytes, length, "bytes") }?;
        Ok(CryptableSecretKey(SecretKey::from_bytes(bytes, ReadOptions::default())?))
    })
}

/// Writes a secret key to a file that only its owner can read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_secret_key_save(
    secret: Option<&CryptableSecretKey>,
    path: *const c_char,
) -> CryptableStatus {
    guarded(|| {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        write_bytes(path, Access::Private, &given(secret, "secret")?.0.to_bytes())
    })
}

/// Reads a secret key from a file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cryptable_secret_key_load(
    path: *const c_char,
    result: Option<&mut MaybeUninit<Option<Box<CryptableSecretKey>>>>,
) -> CryptableStatus {
    put(result, || {
        // SAFETY: the caller's string has a final 0, as the header says.
        let path = unsafe { pointers::path(path) }?;
        read(path).map(CryptableSecretKey).map_err(|failure| failure.of_file(path))
    })
}

/// Reads a file of a secret key without leaving copies in memory: into a buffer that has its room from the start.
fn read(path: &std::path::Path) -> Result<SecretKey> {
    use std::io::Read as _;
    let file = std::fs::File::open(path)?;
    let length = file.metadata()?.len().min(MOST_FILE_BYTES);
    let mut bytes = Zeroizing::new(Vec::with_capacity(length as usize + 1));
    file.take(length).read_to_end(&mut bytes)?;
    Ok(SecretKey::from_bytes(&bytes, ReadOptions::default())?)
}

/// Clears and frees a secret key.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_secret_key_free(secret: Option<Box<CryptableSecretKey>>) {
    drop(secret);
}
