//! Encrypted bits: LWE of dimension N modulo Q, under the ring secret, of phase bit·Q/2.

use cryptable_fhew::error::Error;
use cryptable_fhew::parameters::Parameters;
#[cfg(feature = "client")]
use cryptable_fhew::secret_key::SecretKey;
#[cfg(feature = "client")]
use cryptable_ring::random::RandomStream;
use cryptable_rlwe::lwe::LweCiphertext;

use crate::error::Result;

/// Demands that a ciphertext is a bit of these parameters.
///
/// # Errors
/// If its dimension is not N, or its modulus not Q.
pub fn check(parameters: &Parameters, bit: &LweCiphertext) -> Result<()> {
    let pairs = [
        ("dimension", bit.dimension() as u64, parameters.ring_degree() as u64),
        ("modulus", bit.modulus(), parameters.prime()),
    ];
    match pairs.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(Error::Ciphertext { what, found, expected }.into()),
        None => Ok(()),
    }
}

/// A bit that everyone may know, without mask or noise.
#[must_use]
pub fn trivial_bit(parameters: &Parameters, bit: bool) -> LweCiphertext {
    LweCiphertext::trivial(parameters.ring_degree(), parameters.prime(), phase(parameters, bit))
}

/// bit·Q/2, rounded.
fn phase(parameters: &Parameters, bit: bool) -> u64 {
    if bit { parameters.prime().div_ceil(2) } else { 0 }
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
    let parameters = secret.parameters();
    let q = parameters.prime();
    let mut words = vec![0; parameters.ring_degree()];
    RandomStream::from_os().uniform_assign(&mut words, q);
    words.push(encrypted_body(secret, &words, bit));
    LweCiphertext::from_words(words, q)
}

/// The body that encrypts a bit with the given mask, which must be fresh and uniform.
///
/// # Panics
/// If the mask's length is not N.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypted_body(secret: &SecretKey, mask: &[u64], bit: bool) -> u64 {
    let parameters = secret.parameters();
    assert_eq!(mask.len(), parameters.ring_degree(), "dimension of a bit");
    let error = RandomStream::from_os().centered_binomial(1)[0];
    let products = mask.iter().zip(secret.ring_coefficients());
    let product: i128 = products.map(|(&a, &s)| i128::from(a) * i128::from(s)).sum();
    let message = i128::from(phase(parameters, bit)) + i128::from(error);
    (message - product).rem_euclid(i128::from(parameters.prime())) as u64
}

/// Decrypts a bit.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_bit(secret: &SecretKey, bit: &LweCiphertext) -> Result<bool> {
    let q = bit.modulus();
    let phase = secret.phase(bit)?;
    Ok((q / 4..q - q / 4).contains(&phase))
}

/// Error of a bit's phase, a fraction of Q.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn bit_error(secret: &SecretKey, ciphertext: &LweCiphertext, bit: bool) -> Result<f64> {
    Ok(secret.phase_error(ciphertext, phase(secret.parameters(), bit))?)
}
