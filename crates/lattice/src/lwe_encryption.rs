//! Encryption and decryption of LWE ciphertexts: `b = phase + e - ⟨a, s⟩`, and back `b + ⟨a, s⟩`.
//!
//! The inner product with the secret takes neither branches nor divisions: one conditional subtraction a coefficient,
//! by masks.

use cryptable_ring::random::RandomStream;

use crate::lwe::LweCiphertext;

/// Largest absolute value of an error: half of its coins.
const LARGEST_ERROR: u64 = 21;

/// `⟨mask, secret⟩` modulo `modulus`, for words below the modulus and a ternary secret.
fn inner_product(mask: &[u64], secret: &[i8], modulus: u64) -> u64 {
    assert_eq!(mask.len(), secret.len(), "LWE dimension");
    debug_assert!(modulus < 1 << 62, "modulus {modulus}");
    mask.iter().zip(secret).fold(0, |sum: u64, (&a, &s)| {
        let s = i64::from(s);
        let (is_negative, is_not_zero) = ((s >> 1) as u64, (s | -s) as u64);
        // 0, a, or modulus - a; the sum stays below twice the modulus.
        let term = ((a & !is_negative) | ((modulus - a) & is_negative)) & is_not_zero;
        let reduced = (sum + term).wrapping_sub(modulus);
        // The sign bit is set if there was nothing to subtract.
        reduced.wrapping_add(modulus & ((reduced as i64) >> 63) as u64)
    })
}

/// Sum modulo `modulus` of two numbers below it.
fn add(a: u64, b: u64, modulus: u64) -> u64 {
    let reduced = (a + b).wrapping_sub(modulus);
    reduced.wrapping_add(modulus & ((reduced as i64) >> 63) as u64)
}

/// The body that encrypts a phase under a ternary secret with the given mask, which must be fresh and uniform:
/// `phase + e - ⟨mask, secret⟩` modulo `modulus`, e of variance 10.5 (centred binomial of 42 coins).
///
/// # Panics
/// If the mask has another length than the secret, or the operating system has no randomness to give.
#[must_use]
pub fn lwe_body(secret: &[i8], mask: &[u64], phase: u64, modulus: u64) -> u64 {
    let error = i64::from(RandomStream::from_os().centered_binomial(1)[0]);
    let error = if modulus > LARGEST_ERROR {
        (error as u64).wrapping_add(modulus & (error >> 63) as u64)
    } else {
        error.rem_euclid(modulus as i64) as u64
    };
    let product = inner_product(mask, secret, modulus);
    // Of a product of 0 this is the modulus itself, which the sum takes as 0.
    add(add(phase, error, modulus), modulus - product, modulus)
}

/// Encrypts a phase modulo `modulus` under a ternary secret, with a fresh mask and an error of variance 10.5.
///
/// ```
/// use cryptable_lattice::lwe_encryption::{encrypt_phase, phase};
/// let (secret, modulus) = ([1, 0, -1, 1], 1 << 20);
/// let ciphertext = encrypt_phase(&secret, 1 << 19, modulus);
/// assert!(phase(&secret, &ciphertext).abs_diff(1 << 19) <= 21);
/// ```
///
/// # Panics
/// If the operating system has no randomness to give.
#[must_use]
pub fn encrypt_phase(secret: &[i8], phase: u64, modulus: u64) -> LweCiphertext {
    let mut words = vec![0; secret.len()];
    RandomStream::from_os().uniform_assign(&mut words, modulus);
    words.push(lwe_body(secret, &words, phase, modulus));
    LweCiphertext::from_words(words, modulus)
}

/// The phase b + ⟨a, s⟩: what was encrypted, with its noise. Whoever learns phases learns about the secret: they are
/// for rounding, and for measuring noise.
///
/// # Panics
/// If the ciphertext's dimension is not the secret's length.
#[must_use]
pub fn phase(secret: &[i8], ciphertext: &LweCiphertext) -> u64 {
    let modulus = ciphertext.modulus();
    add(inner_product(ciphertext.mask(), secret, modulus), ciphertext.body(), modulus)
}

#[cfg(test)]
mod tests {
    use cryptable_ring::random::replay;

    use super::*;

    #[test]
    fn inner_products_are_those_of_integers() {
        for modulus in [2, 17, 1 << 14, (1 << 47) - 297, (1 << 62) - 1] {
            let mut mask = vec![0; 300];
            RandomStream::from_os().uniform_assign(&mut mask, modulus);
            mask[..4].copy_from_slice(&[0, 0, modulus - 1, modulus - 1]);
            let mut secret: Vec<i8> = (0..300).map(|i| (i * 7 % 3) as i8 - 1).collect();
            secret[..4].copy_from_slice(&[-1, 1, -1, 1]);
            let products = mask.iter().zip(&secret).map(|(&a, &s)| i128::from(a) * i128::from(s));
            let expected = products.sum::<i128>().rem_euclid(modulus.into()) as u64;
            assert_eq!(inner_product(&mask, &secret, modulus), expected, "{modulus}");
        }
    }

    #[test]
    fn phases_come_back_with_small_errors() {
        let _replay = replay::begin();
        let secret: Vec<i8> = (0..100).map(|i| (i * 5 % 3) as i8 - 1).collect();
        for modulus in [1 << 14, (1 << 47) - 297] {
            for expected in [0, 1, modulus / 2, modulus - 1] {
                let found = phase(&secret, &encrypt_phase(&secret, expected, modulus));
                let distance = found.abs_diff(expected);
                assert!(distance.min(modulus - distance) <= 21, "{expected} modulo {modulus}");
            }
        }
    }
}
