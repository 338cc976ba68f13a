//! AES-128 in the clear, by the crates `aes` and `ctr`: encrypts messages, and provides references for results.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use cryptable_ring::clear_stack;

use super::block::BLOCK_BYTES;

/// Encrypts a block.
///
/// ```
/// use cryptable_leveled::aes::plain::encrypt_block;
/// // FIPS 197, Appendix C.1.
/// let key = core::array::from_fn(|i| i as u8);
/// let block = core::array::from_fn(|i| 0x11 * i as u8);
/// assert_eq!(encrypt_block(&key, block)[..4], [0x69, 0xc4, 0xe0, 0xd8]);
/// ```
#[must_use]
pub fn encrypt_block(key: &[u8; BLOCK_BYTES], block: [u8; BLOCK_BYTES]) -> [u8; BLOCK_BYTES] {
    let mut block = block.into();
    Aes128::new(key.into()).encrypt_block(&mut block);
    clear_stack();
    block.into()
}

/// Encrypts or decrypts bytes in counter mode (NIST SP 800-38A), counters of 128 bits.
///
/// No two messages under one key may share a counter block, which this function does not check. Use
/// [`MessageEncryptor`](super::MessageEncryptor) for messages.
#[must_use]
pub fn counter_mode(
    key: &[u8; BLOCK_BYTES],
    first_counter: [u8; BLOCK_BYTES],
    bytes: &[u8],
) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    counter_mode_assign(key, first_counter, &mut bytes);
    bytes
}

/// Encrypts or decrypts bytes in place.
pub(super) fn counter_mode_assign(
    key: &[u8; BLOCK_BYTES],
    first_counter: [u8; BLOCK_BYTES],
    bytes: &mut [u8],
) {
    apply_keystream(key, first_counter, bytes);
    // The cipher clears its round keys when it is dropped, but not the copies at places from which it was moved.
    clear_stack();
}

/// Applies the keystream in a stack frame of its own, below that of its caller.
#[inline(never)]
fn apply_keystream(key: &[u8; BLOCK_BYTES], first_counter: [u8; BLOCK_BYTES], bytes: &mut [u8]) {
    ctr::Ctr128BE::<Aes128>::new(key.into(), &first_counter.into()).apply_keystream(bytes);
}
