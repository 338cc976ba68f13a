//! The content of one ciphertext: a bit or a two-bit digit x, as LWE of dimension N modulo Q under the ring secret, of
//! phase x·Q/2^d for d bits. XOR of bits is addition of their ciphertexts.

#[cfg(feature = "client")]
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
#[cfg(feature = "client")]
use cryptable_lattice::lwe_encryption;

use crate::parameters::CircuitBootstrappingParameters;

/// The content of one ciphertext, in the clear: a value below 2^bits, and the number of bits, 1 or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plaintext {
    /// The value, below 2^bits.
    pub value: u64,
    /// Number of bits per ciphertext, 1 or 2.
    pub bits: u32,
}

impl Plaintext {
    /// Returns a single bit.
    #[must_use]
    pub fn of_bit(bit: bool) -> Self {
        Self { value: bit.into(), bits: 1 }
    }

    /// Returns the phase that encodes the plaintext, `value·Q/2^bits` rounded, in units of Q.
    #[must_use]
    pub fn phase(self, parameters: &Parameters) -> u64 {
        (self.value * parameters.prime() + (1 << (self.bits - 1))) >> self.bits
    }
}

/// Checks that a ciphertext has dimension N and modulus Q of these parameters.
///
/// # Errors
/// If one of them differs; the error names it.
pub(crate) fn check(
    parameters: &CircuitBootstrappingParameters,
    ciphertext: &LweCiphertext,
) -> Result<()> {
    parameters.lwe_shape().check(ciphertext)
}

/// Returns a public bit as a ciphertext without mask or noise.
#[must_use]
pub fn trivial_bit(parameters: &Parameters, bit: bool) -> LweCiphertext {
    let phase = Plaintext::of_bit(bit).phase(parameters);
    LweCiphertext::trivial(parameters.ring_degree(), parameters.prime(), phase)
}

/// Computes `bit ^= other` by addition, which adds noise, too.
///
/// # Panics
/// If dimensions or moduli differ.
pub fn xor_assign(bit: &mut LweCiphertext, other: &LweCiphertext) {
    bit.add_assign(other);
}

/// Encrypts a plaintext under the ring secret, with an error of variance 10.5.
///
/// ```
/// use cryptable_fhew::keys::SecretKey;
/// use cryptable_leveled::bootstrapping::{Plaintext, decrypt_plaintext, encrypt_plaintext};
/// use cryptable_leveled::parameters::ParameterSet;
/// let secret = SecretKey::generate(ParameterSet::TwoBitDepth11.parameters().fhew());
/// let digit = encrypt_plaintext(&secret, Plaintext { value: 3, bits: 2 });
/// assert_eq!(decrypt_plaintext(&secret, &digit, 2)?, 3);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Panics
/// If the operating system provides no randomness.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_plaintext(secret: &SecretKey, plaintext: Plaintext) -> LweCiphertext {
    let parameters = secret.parameters();
    let phase = plaintext.phase(parameters);
    lwe_encryption::encrypt_phase(secret.ring_coefficients(), phase, parameters.prime())
}

/// Returns the body that encrypts a plaintext with the given mask, which must be fresh and uniform.
///
/// # Panics
/// If the mask's length is not N, or the operating system provides no randomness.
#[cfg(feature = "client")]
#[must_use]
pub(crate) fn plaintext_body(secret: &SecretKey, mask: &[u64], plaintext: Plaintext) -> u64 {
    let parameters = secret.parameters();
    let phase = plaintext.phase(parameters);
    lwe_encryption::lwe_body(secret.ring_coefficients(), mask, phase, parameters.prime())
}

/// Decrypts a plaintext of `bits` bits.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_plaintext(secret: &SecretKey, ciphertext: &LweCiphertext, bits: u32) -> Result<u64> {
    secret.decrypt(ciphertext, 1 << bits)
}

/// Returns the error of a plaintext's phase as a fraction of Q, for measuring noise. Only the client may know it.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters.
#[cfg(feature = "diagnostics")]
pub fn plaintext_error(
    secret: &SecretKey,
    ciphertext: &LweCiphertext,
    plaintext: Plaintext,
) -> Result<f64> {
    secret.phase_error(ciphertext, plaintext.phase(secret.parameters()))
}

/// Encrypts a bit under the ring secret, with an error of variance 10.5.
///
/// # Panics
/// If the operating system provides no randomness.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_bit(secret: &SecretKey, bit: bool) -> LweCiphertext {
    encrypt_plaintext(secret, Plaintext::of_bit(bit))
}

/// Decrypts a bit.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_bit(secret: &SecretKey, bit: &LweCiphertext) -> Result<bool> {
    Ok(decrypt_plaintext(secret, bit, 1)? == 1)
}

/// Returns the error of a bit's phase as a fraction of Q, for measuring noise. Only the client may know it.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters.
#[cfg(feature = "diagnostics")]
pub fn bit_error(secret: &SecretKey, ciphertext: &LweCiphertext, bit: bool) -> Result<f64> {
    plaintext_error(secret, ciphertext, Plaintext::of_bit(bit))
}
