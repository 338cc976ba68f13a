//! The client's side of AES: key expansion (FIPS 197, Sec. 5.2), and bytes encrypted bit by bit.

use cryptable_fhew::keys::SecretKey;
use cryptable_lattice::Result;
use cryptable_lattice::decrypted_values::decrypt_each;
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::block::{BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys};
use super::encrypted_key::ROUND_KEY_BYTES;
use super::field::{multiply, sub_byte};
use crate::bootstrapping::{decrypt_bit, encrypt_bit};

/// Length in bytes of a word of the key expansion.
const WORD_BYTES: usize = 4;

/// Returns all round keys of a key as bytes. They are on the heap, since moving an array would leave a copy on the stack.
///
/// ```
/// use cryptable_leveled::aes::round_keys::expand_key;
/// let key = core::array::from_fn(|i| i as u8);
/// let keys = expand_key(&key);
/// assert_eq!(keys[16..20], [0xd6, 0xaa, 0x74, 0xfd]); // FIPS 197, Appendix C.1
/// ```
#[must_use]
pub fn expand_key(key: &[u8; BLOCK_BYTES]) -> Zeroizing<Vec<u8>> {
    let mut keys = Zeroizing::new(vec![0; ROUND_KEY_BYTES]);
    keys[..BLOCK_BYTES].copy_from_slice(key);
    let mut constant = 1;
    for end in (BLOCK_BYTES..ROUND_KEY_BYTES).step_by(WORD_BYTES) {
        let mut word = Zeroizing::new([0; WORD_BYTES]);
        word.copy_from_slice(&keys[end - WORD_BYTES..end]);
        if end.is_multiple_of(BLOCK_BYTES) {
            word.rotate_left(1);
            word.iter_mut().for_each(|byte| *byte = sub_byte(*byte));
            word[0] ^= constant;
            constant = multiply(constant, 2);
        }
        for (i, byte) in word.iter().enumerate() {
            keys[end + i] = byte ^ keys[end - BLOCK_BYTES + i];
        }
    }
    keys
}

/// Encrypts bytes bit by bit.
#[must_use]
pub fn encrypt_bytes(secret: &SecretKey, bytes: &[u8]) -> Vec<EncryptedByte> {
    let byte = |&byte: &u8| (0..8).map(|bit| encrypt_bit(secret, byte >> bit & 1 == 1)).collect();
    bytes.par_iter().map(byte).collect()
}

/// Decrypts bytes of eight bits each.
///
/// # Errors
/// If a ciphertext does not have the secret's parameters.
pub fn decrypt_bytes(secret: &SecretKey, bytes: &[EncryptedByte]) -> Result<Zeroizing<Vec<u8>>> {
    let byte = |bits: &EncryptedByte| {
        bits.iter()
            .enumerate()
            .try_fold(0, |byte, (i, bit)| Ok(byte | u8::from(decrypt_bit(secret, bit)?) << i))
    };
    decrypt_each(bytes.len(), |index| byte(&bytes[index])).map(Zeroizing::new)
}

/// Encrypts the round keys of a key.
///
/// # Panics
/// If the operating system provides no randomness.
#[must_use]
pub fn encrypt_key(secret: &SecretKey, key: &[u8; BLOCK_BYTES]) -> EncryptedRoundKeys {
    EncryptedRoundKeys::new(encrypt_bytes(secret, &expand_key(key))).expect("all round keys")
}
