//! AES-128 in the clear, by the crates `aes` and `ctr`: what clients encrypt messages with, and what results are
//! compared with.

use std::io::{Read, Write};

use aes::Aes128;
use aes::cipher::{BlockEncrypt, KeyInit, KeyIvInit, StreamCipher};
use cryptable_lattice::Result;
use cryptable_ring::clear_stack;
use zeroize::Zeroizing;

use super::block::BLOCK_BYTES;
use super::counter_mode::counter_block;

/// Bytes that are encrypted at once, a multiple of a block.
const PIECE_BYTES: usize = 1 << 20;

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

fn counter_mode_assign(
    key: &[u8; BLOCK_BYTES],
    first_counter: [u8; BLOCK_BYTES],
    bytes: &mut [u8],
) {
    apply_keystream(key, first_counter, bytes);
    // The cipher clears its round keys where it is dropped, not where it was before it was moved.
    clear_stack();
}

/// In a frame of its own, which lies below its caller's.
#[inline(never)]
fn apply_keystream(key: &[u8; BLOCK_BYTES], first_counter: [u8; BLOCK_BYTES], bytes: &mut [u8]) {
    ctr::Ctr128BE::<Aes128>::new(key.into(), &first_counter.into()).apply_keystream(bytes);
}

/// Encrypts or decrypts all that a reader has in counter mode, piece after piece; returns the number of bytes.
///
/// ```
/// use cryptable_leveled::aes::plain::{counter_mode, counter_mode_stream};
/// let (key, counter, mut cipher) = ([7; 16], [1; 16], Vec::new());
/// assert_eq!(counter_mode_stream(&key, counter, &mut &b"a message"[..], &mut cipher)?, 9);
/// assert_eq!(counter_mode(&key, counter, &cipher), b"a message");
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If reading or writing fails.
pub fn counter_mode_stream(
    key: &[u8; BLOCK_BYTES],
    first_counter: [u8; BLOCK_BYTES],
    input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<u64> {
    let mut buffer = Zeroizing::new(vec![0; PIECE_BYTES]);
    let mut count = 0;
    loop {
        let found = fill(input, &mut buffer)?;
        let counter = counter_block(first_counter, count / BLOCK_BYTES as u64);
        counter_mode_assign(key, counter, &mut buffer[..found]);
        out.write_all(&buffer[..found])?;
        count += found as u64;
        if found < PIECE_BYTES {
            return Ok(count);
        }
    }
}

/// Reads until the buffer is full or nothing is left.
fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match input.read(&mut buffer[found..]) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}
