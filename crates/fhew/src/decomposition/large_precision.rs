//! Values of up to some 28 bits in one LWE ciphertext, under the ring secret.
//!
//! A value m of `bits` bits is the phase m·q_0/2^bits modulo q_0 = 2^⌊log2 Q⌋, of dimension N. Ma et al. keep such
//! ciphertexts under the LWE secret, whose dimension must then be secure for the large modulus (1,340 for 2^35). The ring
//! secret is secure for Q anyway. Under it, no bootstrap's result passes an LWE key switch before it is added, so the noise
//! stays that of blind rotation, and the LWE dimension need only suit a small modulus, which saves steps.

#[cfg(feature = "client")]
use cryptable_lattice::Error;
use cryptable_lattice::Result;
use cryptable_lattice::error::demand;
use cryptable_lattice::lwe::LweCiphertext;
#[cfg(feature = "client")]
use cryptable_lattice::lwe_encryption;

#[cfg(feature = "client")]
use crate::keys::secret_key::SecretKey;
use crate::parameters::Parameters;

/// Checks that values of this many bits fit a ciphertext of large precision.
///
/// # Errors
/// If `bits` is 0, or the modulus leaves fewer than two phases per value.
pub fn check_large_bits(parameters: &Parameters, bits: u32) -> Result<()> {
    let most = parameters.large_modulus().ilog2() - 1;
    let limit = format!("it must be from 1 to {most}");
    demand((1..=most).contains(&bits), "bits of a large value", f64::from(bits), &limit)
}

/// Checks that a ciphertext has large precision under these parameters.
///
/// # Errors
/// If its dimension is not N, or its modulus is not q_0.
pub fn check_large(parameters: &Parameters, ciphertext: &LweCiphertext) -> Result<()> {
    parameters.public_shape().check(ciphertext)
}

/// Converts the result of a blind rotation, LWE modulo Q, to a ciphertext of large precision.
#[must_use]
pub fn to_large(parameters: &Parameters, raw: &LweCiphertext) -> LweCiphertext {
    raw.modulus_switch(parameters.large_modulus(), parameters.literal().ring_secret)
}

/// Encrypts a value of `bits` bits: phase value·q_0/2^bits + e, e of variance 10.5, modulo q_0, under the ring secret.
///
/// ```
/// use cryptable_fhew::decomposition::{decrypt_large, encrypt_large};
/// use cryptable_fhew::keys::SecretKey;
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::default_128());
/// let ciphertext = encrypt_large(&secret, 1_234_567, 24)?;
/// assert_eq!(decrypt_large(&secret, &ciphertext, 24)?, 1_234_567);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If the value has more than `bits` bits, or `bits` does not fit ([`check_large_bits`]).
#[cfg(feature = "client")]
pub fn encrypt_large(secret: &SecretKey, value: u64, bits: u32) -> Result<LweCiphertext> {
    let parameters = secret.parameters();
    check_large_bits(parameters, bits)?;
    if value >> bits != 0 {
        return Err(Error::ValueOutOfRange { value, index: 0, limit: 1 << bits });
    }
    Ok(encrypt_large_phase(secret, value << (parameters.large_modulus().ilog2() - bits)))
}

/// Encrypts a phase modulo q_0 under the ring secret.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_large_phase(secret: &SecretKey, phase: u64) -> LweCiphertext {
    let modulus = secret.parameters().large_modulus();
    lwe_encryption::encrypt_phase(secret.ring_coefficients(), phase, modulus)
}

/// Decrypts a value of `bits` bits.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters, or `bits` does not fit.
#[cfg(feature = "client")]
pub fn decrypt_large(secret: &SecretKey, ciphertext: &LweCiphertext, bits: u32) -> Result<u64> {
    check_large_bits(secret.parameters(), bits)?;
    secret.decrypt(ciphertext, 1 << bits)
}
