//! Encryption and decryption of LWE ciphertexts: `b = phase + e - ⟨a, s⟩`, and its inverse `b + ⟨a, s⟩`.
//!
//! Secrets, phases and errors go through no branches and no division instructions: each coefficient takes one
//! conditional subtraction, by masks.

use cryptable_ring::public_divisor::PublicDivisor;
use cryptable_ring::random::RandomStream;

use crate::lwe::LweCiphertext;

/// The largest absolute value of an error: half of its coins.
const LARGEST_ERROR: u64 = 21;

/// Returns `word·coefficient` modulo `modulus`, for a word below the modulus and a ternary coefficient: 0, the word, or
/// the modulus minus the word, which is the modulus itself for 0.
#[inline]
fn ternary_multiple(word: u64, coefficient: i8, modulus: u64) -> u64 {
    let s = i64::from(coefficient);
    let (is_negative, is_not_zero) = ((s >> 1) as u64, (s | -s) as u64);
    ((word & !is_negative) | ((modulus - word) & is_negative)) & is_not_zero
}

/// Returns `⟨mask, secret⟩` modulo `modulus`, for words below the modulus and a ternary secret.
fn inner_product(mask: &[u64], secret: &[i8], modulus: u64) -> u64 {
    assert_eq!(mask.len(), secret.len(), "LWE dimension");
    debug_assert!(modulus < 1 << 62, "modulus {modulus}");
    mask.iter()
        .zip(secret)
        .fold(0, |sum: u64, (&a, &s)| add(sum, ternary_multiple(a, s, modulus), modulus))
}

/// Returns the sum modulo `modulus` of a number below the modulus and one that may equal it.
fn add(a: u64, b: u64, modulus: u64) -> u64 {
    let reduced = (a + b).wrapping_sub(modulus);
    reduced.wrapping_add(modulus & ((reduced as i64) >> 63) as u64)
}

/// Returns the residue of an error.
fn error_residue(error: i8, modulus: u64) -> u64 {
    let error = i64::from(error);
    if modulus > LARGEST_ERROR {
        return (error as u64).wrapping_add(modulus & (error >> 63) as u64);
    }
    let above = (error + (LARGEST_ERROR * modulus) as i64) as u64;
    PublicDivisor::new(modulus).divide(above.into()).1
}

/// Returns the body that encrypts a phase under a ternary secret with the given mask, which must be fresh and uniform:
/// `phase + e - ⟨mask, secret⟩` modulo `modulus`, e of variance 10.5 (centred binomial of 42 coins).
///
/// # Panics
/// If the mask and the secret differ in length, or the operating system provides no randomness.
#[must_use]
pub fn lwe_body(secret: &[i8], mask: &[u64], phase: u64, modulus: u64) -> u64 {
    lwe_body_with(secret, mask, phase, modulus, &mut RandomStream::from_os())
}

/// Computes a body like [`lwe_body`], with the error drawn from a stream, for the many bodies of a key.
///
/// # Panics
/// If the mask and the secret differ in length.
#[must_use]
pub fn lwe_body_with(
    secret: &[i8],
    mask: &[u64],
    phase: u64,
    modulus: u64,
    errors: &mut RandomStream,
) -> u64 {
    let error = error_residue(errors.centered_binomial(1)[0], modulus);
    let product = inner_product(mask, secret, modulus);
    // For a product of 0, the second operand is the modulus itself, which the sum treats as 0.
    add(add(phase, error, modulus), modulus - product, modulus)
}

/// Returns the phase `weight·coefficient` modulo `modulus`, for a ternary coefficient of a secret: the phases that key
/// switching keys encrypt.
///
/// ```
/// use cryptable_lattice::lwe_encryption::weighted_coefficient;
/// assert_eq!([-1, 0, 1].map(|c| weighted_coefficient(c, 5, 16)), [11, 0, 5]);
/// ```
#[must_use]
pub fn weighted_coefficient(coefficient: i8, weight: u64, modulus: u64) -> u64 {
    add(0, ternary_multiple(weight, coefficient, modulus), modulus)
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
/// If the operating system provides no randomness.
#[must_use]
pub fn encrypt_phase(secret: &[i8], phase: u64, modulus: u64) -> LweCiphertext {
    let mut words = vec![0; secret.len()];
    RandomStream::from_os().uniform_assign(&mut words, modulus);
    words.push(lwe_body(secret, &words, phase, modulus));
    LweCiphertext::from_words(words, modulus)
}

/// Returns the phase b + ⟨a, s⟩, which is the encrypted phase plus noise. Phases reveal information about the secret:
/// use them only for rounding, and for measuring noise.
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
    fn errors_are_reduced_modulo_anything() {
        for modulus in [2, 3, 16, 21, 22, 1 << 14, (1 << 62) - 1] {
            for error in -21i8..=21 {
                let expected = i128::from(error).rem_euclid(modulus.into()) as u64;
                assert_eq!(error_residue(error, modulus), expected, "{error} modulo {modulus}");
            }
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
