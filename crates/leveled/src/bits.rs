//! Encrypted bits: LWE of dimension N modulo Q, under the ring secret, of phase bit·Q/2.

#[cfg(feature = "client")]
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::lwe::LweCiphertext;

use crate::digits::Digit;
#[cfg(feature = "client")]
use crate::digits::{decrypt_digit, digit_error, encrypt_digit};
use crate::error::Result;

/// Demands that a ciphertext is a bit of these parameters.
///
/// # Errors
/// If its dimension is not N, or its modulus not Q.
pub fn check(parameters: &Parameters, bit: &LweCiphertext) -> Result<()> {
    Ok(parameters.extracted_shape().check(bit)?)
}

/// A bit that everyone may know, without mask or noise.
#[must_use]
pub fn trivial_bit(parameters: &Parameters, bit: bool) -> LweCiphertext {
    LweCiphertext::trivial(
        parameters.ring_degree(),
        parameters.prime(),
        digit(bit).phase(parameters),
    )
}

/// A digit of one bit.
fn digit(bit: bool) -> Digit {
    Digit { value: bit.into(), bits: 1 }
}

/// `bit ^= other`: addition.
///
/// # Panics
/// If dimensions or moduli differ.
pub fn xor_assign(bit: &mut LweCiphertext, other: &LweCiphertext) {
    bit.add_assign(other);
}

/// Encrypts a bit under the ring secret: error of variance 10.5.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_bit(secret: &SecretKey, bit: bool) -> LweCiphertext {
    encrypt_digit(secret, digit(bit))
}

/// Decrypts a bit.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_bit(secret: &SecretKey, bit: &LweCiphertext) -> Result<bool> {
    Ok(decrypt_digit(secret, bit, 1)? == 1)
}

/// Error of a bit's phase, a fraction of Q.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn bit_error(secret: &SecretKey, ciphertext: &LweCiphertext, bit: bool) -> Result<f64> {
    digit_error(secret, ciphertext, digit(bit))
}
