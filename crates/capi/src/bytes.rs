//! Buffers that the library gives to its caller.

use zeroize::Zeroizing;

/// Bytes of a key or of a ciphertext, to be stored or sent. They are cleared when they are freed.
#[derive(Debug)]
pub struct CryptableBytes(pub(crate) Zeroizing<Vec<u8>>);

/// Returns the first of the bytes, or NULL if the handle is NULL. The pointer is valid until the bytes are freed.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_bytes_data(bytes: Option<&CryptableBytes>) -> *const u8 {
    bytes.map_or(std::ptr::null(), |bytes| bytes.0.as_ptr())
}

/// Returns the number of bytes; 0 if the handle is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_bytes_length(bytes: Option<&CryptableBytes>) -> usize {
    bytes.map_or(0, |bytes| bytes.0.len())
}

/// Clears and frees bytes.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_bytes_free(bytes: Option<Box<CryptableBytes>>) {
    drop(bytes);
}
