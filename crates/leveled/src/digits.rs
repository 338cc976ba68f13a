//! Encrypted digits of one or two bits: LWE of dimension N modulo Q, under the ring secret, of phase digit·Q/2^bits.

#[cfg(feature = "client")]
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::parameters::Parameters;
#[cfg(feature = "client")]
use cryptable_lattice::lwe::LweCiphertext;
#[cfg(feature = "client")]
use cryptable_ring::random::RandomStream;

#[cfg(feature = "client")]
use crate::error::Result;

/// A digit in plain: its value, below 2^bits, and the number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// The value.
    pub value: u64,
    /// Bits of a digit, 1 or 2.
    pub bits: u32,
}

impl Digit {
    /// value·Q/2^bits, rounded.
    #[must_use]
    pub fn phase(self, parameters: &Parameters) -> u64 {
        (self.value * parameters.prime() + (1 << (self.bits - 1))) >> self.bits
    }
}

/// Encrypts a digit under the ring secret: error of variance 10.5.
///
/// ```
/// use cryptable_leveled::digits::{Digit, decrypt_digit, encrypt_digit};
/// use cryptable_leveled::parameters::CircuitParameters;
/// use cryptable_fhew::keys::SecretKey;
/// let secret = SecretKey::generate(CircuitParameters::digits_1().parameters());
/// let digit = encrypt_digit(&secret, Digit { value: 3, bits: 2 });
/// assert_eq!(decrypt_digit(&secret, &digit, 2)?, 3);
/// # Ok::<(), cryptable_leveled::error::Error>(())
/// ```
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_digit(secret: &SecretKey, digit: Digit) -> LweCiphertext {
    let parameters = secret.parameters();
    let q = parameters.prime();
    let mut words = vec![0; parameters.ring_degree()];
    RandomStream::from_os().uniform_assign(&mut words, q);
    words.push(encrypted_body(secret, &words, digit));
    LweCiphertext::from_words(words, q)
}

/// The body that encrypts a digit with the given mask, which must be fresh and uniform.
///
/// # Panics
/// If the mask's length is not N.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypted_body(secret: &SecretKey, mask: &[u64], digit: Digit) -> u64 {
    let parameters = secret.parameters();
    assert_eq!(mask.len(), parameters.ring_degree(), "dimension of a digit");
    let error = RandomStream::from_os().centered_binomial(1)[0];
    let products = mask.iter().zip(secret.ring_coefficients());
    let product: i128 = products.map(|(&a, &s)| i128::from(a) * i128::from(s)).sum();
    let message = i128::from(digit.phase(parameters)) + i128::from(error);
    (message - product).rem_euclid(i128::from(parameters.prime())) as u64
}

/// Decrypts a digit of so many bits.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_digit(secret: &SecretKey, digit: &LweCiphertext, bits: u32) -> Result<u64> {
    let q = digit.modulus();
    let rounded = ((secret.phase(digit)? << bits) + q / 2) / q;
    Ok(rounded & ((1 << bits) - 1))
}

/// Error of a digit's phase, a fraction of Q.
///
/// # Errors
/// If the ciphertext's dimension is not of the parameters.
#[cfg(feature = "client")]
pub fn digit_error(secret: &SecretKey, ciphertext: &LweCiphertext, digit: Digit) -> Result<f64> {
    Ok(secret.phase_error(ciphertext, digit.phase(secret.parameters()))?)
}
