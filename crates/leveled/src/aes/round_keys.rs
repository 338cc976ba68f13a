//! The client's side of AES: key expansion (FIPS 197, Sec. 5.2), plain AES in counter mode, encrypted round keys.

use cryptable_fhew::keys::SecretKey;
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::field::{multiply, sub_byte};
use super::{BLOCK_BYTES, EncryptedByte, EncryptedRoundKeys, ROUNDS};
use crate::bits::{decrypt_bit, encrypt_bit};
use crate::error::Result;

/// All round keys of a key, byte after byte.
///
/// ```
/// use cryptable_leveled::aes::round_keys::expand_key;
/// let key = core::array::from_fn(|i| i as u8);
/// let keys = expand_key(&key);
/// assert_eq!(keys[16..20], [0xd6, 0xaa, 0x74, 0xfd]); // FIPS 197, Appendix C.1
/// ```
#[must_use]
pub fn expand_key(key: &[u8; BLOCK_BYTES]) -> Zeroizing<Vec<u8>> {
    let mut words = Zeroizing::new(key.to_vec());
    let mut constant = 1;
    while words.len() < BLOCK_BYTES * (ROUNDS + 1) {
        let end = words.len();
        let mut word = [words[end - 4], words[end - 3], words[end - 2], words[end - 1]];
        if end.is_multiple_of(BLOCK_BYTES) {
            word.rotate_left(1);
            word = word.map(sub_byte);
            word[0] ^= constant;
            constant = multiply(constant, 2);
        }
        for (i, byte) in word.into_iter().enumerate() {
            let sum = byte ^ words[end - BLOCK_BYTES + i];
            words.push(sum);
        }
    }
    words
}

/// Encrypts bytes bit by bit.
#[must_use]
pub fn encrypt_bytes(secret: &SecretKey, bytes: &[u8]) -> Vec<EncryptedByte> {
    let byte = |&byte: &u8| (0..8).map(|bit| encrypt_bit(secret, byte >> bit & 1 == 1)).collect();
    bytes.par_iter().map(byte).collect()
}

/// Decrypts bytes.
///
/// # Errors
/// If a ciphertext is not of the secret's parameters.
pub fn decrypt_bytes(secret: &SecretKey, bytes: &[EncryptedByte]) -> Result<Vec<u8>> {
    let byte = |bits: &EncryptedByte| {
        bits.iter()
            .enumerate()
            .try_fold(0, |byte, (i, bit)| Ok(byte | u8::from(decrypt_bit(secret, bit)?) << i))
    };
    bytes.iter().map(byte).collect()
}

/// Encrypts the round keys of a key.
#[must_use]
pub fn encrypt_key(secret: &SecretKey, key: &[u8; BLOCK_BYTES]) -> EncryptedRoundKeys {
    EncryptedRoundKeys { bytes: encrypt_bytes(secret, &expand_key(key)) }
}
