//! Conversion of phases modulo q_0 to and from RLWE ciphertexts modulo a power of two, those of packed values: words
//! times `2^k/q_0` or `q_0/2^k`, rounded. A phase stays the same fraction of the modulus.
//!
//! Noise, a fraction of the modulus squared: `(1 + 2N/3)/12` units of the modulus that words are rounded to
//! ([`rounding_noise`]). No level, no key.

use cryptable_fhew::noise::Variance;
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_lattice::error::{Result, check_equal};
use cryptable_lattice::{NoiseBound, RlweCiphertext, coefficient_ciphertext::MAX_LOG2_MODULUS};
use cryptable_ring::modulus_switch::{from_power_of_two_assign, to_power_of_two_assign};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Basis, Coefficients, Evaluations, Poly};
use cryptable_wire::KeyId;

use crate::parameters::Parameters;
use crate::phases::EncryptedPhases;

/// log2 of q_0, the modulus of phases between the engines, which is large enough that rounding to it adds no noise.
const LOG2_BOTTOM: f64 = 49.5;

/// Returns the prime q_0 of conversions between engines.
pub(crate) fn bottom_prime(ring_degree: usize) -> u64 {
    ntt_primes(ring_degree, LOG2_BOTTOM, 1, &[])[0]
}

/// Returns noise with one more independent part.
pub(crate) fn added(noise: NoiseBound, more: Variance) -> NoiseBound {
    noise.with_independent(more.into())
}

/// Returns the variance that rounding both halves of a ciphertext of degree N, under a uniform ternary secret, to a
/// modulus adds to a phase.
#[must_use]
pub fn rounding_noise(ring_degree: usize, modulus: f64) -> Variance {
    Variance::of_units((1.0 + 2.0 * ring_degree as f64 / 3.0) / 12.0, modulus)
}

/// Converts phases to values of `plaintext_modulus` modulo 2^k, in the same coefficients.
///
/// # Errors
/// If they have other parameters.
///
/// # Panics
/// If `log2_modulus` is above 60.
pub fn to_power_of_two(
    parameters: &Parameters,
    phases: &EncryptedPhases,
    log2_modulus: u32,
    plaintext_modulus: u64,
) -> Result<CoefficientCiphertext> {
    assert!(log2_modulus <= MAX_LOG2_MODULUS, "modulus 2^{log2_modulus}");
    phases.check(parameters, phases.key_id())?;
    let ring = parameters.bottom_ring();
    let switch = |part: &Poly<Evaluations>| {
        let mut words = part.clone().into_coefficients(ring).into_words();
        to_power_of_two_assign(ring.modulus(0), &mut words, log2_modulus);
        words
    };
    let ciphertext = phases.ciphertext();
    let (b, a) = (switch(&ciphertext.c0), UniformPart::Words(switch(&ciphertext.c1)));
    Ok(CoefficientCiphertext { log2_modulus, plaintext_modulus, layout: phases.layout(), b, a })
}

/// Converts values modulo 2^k to phases under the ring key `key_id`.
///
/// # Errors
/// If the ciphertext has another ring degree, or its layout is not valid.
pub fn from_power_of_two(
    parameters: &Parameters,
    key_id: KeyId,
    ciphertext: &CoefficientCiphertext,
) -> Result<EncryptedPhases> {
    let ring = parameters.bottom_ring();
    let (b, a) = ciphertext.to_pair();
    let switch = |mut words: Vec<u64>| -> Result<Poly<Evaluations>> {
        check_equal("ring degree", words.len(), ring.degree())?;
        from_power_of_two_assign(ring.modulus(0), &mut words, ciphertext.log2_modulus);
        Ok(Poly::<Coefficients>::from_words(ring, Basis::main(1), words).into_evaluations(ring))
    };
    let rlwe = RlweCiphertext { c0: switch(b)?, c1: switch(a)? };
    let layout = ciphertext.layout;
    EncryptedPhases::new(parameters, key_id, rlwe, layout.slots, layout.count)
}
