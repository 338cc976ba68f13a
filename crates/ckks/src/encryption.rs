//! Encoding, encryption and decryption of slots, for clients and tests. Slots that hold integers are decrypted exactly.
//! Other slots keep their noise, and their decryption needs the feature `diagnostics`.

use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::secret::TernarySecret;
use cryptable_ring::random::{RandomStream, Seed};
use cryptable_ring::rounding::{nearest, nearest_integer};
use cryptable_ring::{Coefficients, Embedding, Evaluations, Poly, Ring, SecretSlots};
use num_complex::Complex64;
use zeroize::Zeroizing;

use crate::ciphertext::{Ciphertext, SeededCiphertext, mask_of_seed};
use crate::plaintext::rounded_coefficients;

/// Encrypts `slots` (N/2 of them, or a divisor of that, repeated) at the given scale and level.
///
/// # Panics
/// If the number of slots is not a power of two of at most N/2, or a scaled coefficient exceeds 62
/// bits.
#[must_use]
pub fn encrypt(
    ring: &Ring,
    secret: &TernarySecret,
    slots: &[Complex64],
    scale: f64,
    limbs: usize,
) -> Ciphertext {
    let coefficients =
        rounded_coefficients(ring.degree(), &Embedding::new(slots.len()), slots, scale);
    encrypt_seeded(ring, secret, coefficients, scale, limbs).expand(ring)
}

/// Encrypts coefficients that hold slots times `scale`, and keeps the mask as a seed.
///
/// # Panics
/// If there are not N coefficients.
#[must_use]
pub fn encrypt_seeded(
    ring: &Ring,
    secret: &TernarySecret,
    coefficients: Vec<i64>,
    scale: f64,
    limbs: usize,
) -> SeededCiphertext {
    // The mask times the secret, and the noise, reveal the secret: their buffers are recycled.
    let mut coefficients = Zeroizing::new(coefficients);
    let noise = RandomStream::from_os().centered_binomial(ring.degree());
    coefficients.iter_mut().zip(noise.iter()).for_each(|(c, &e)| *c += i64::from(e));
    let basis = ring.main_basis(limbs);
    let mut c0 =
        Poly::<Coefficients>::from_signed(ring, basis, &coefficients).into_evaluations(ring);
    let seed = Seed::random();
    let mut product = Zeroizing::new(mask_of_seed(ring, &seed, limbs));
    product.mul_assign(ring, &secret.evaluations(ring, basis));
    c0.sub_assign(ring, &product);
    SeededCiphertext { c0, seed, scale }
}

/// Decrypts `count` slots whose real parts are integers with noise below 1/2, and removes the noise.
///
/// The result is exact as long as the encrypted coefficients stay below half of the product of the two lowest primes
/// (of one prime, if there is one limb). Slots with other values, or with too much noise, yield integers that reveal
/// something about the noise: the caller must bound it.
#[must_use]
pub fn decrypt_integers(
    ring: &Ring,
    secret: &TernarySecret,
    ct: &Ciphertext,
    count: usize,
) -> Zeroizing<Vec<i64>> {
    let slots = noisy_slots(ring, secret, ct, count);
    Zeroizing::new(slots.iter().map(|slot| nearest_integer(slot.re)).collect())
}

/// How slots with values other than integers are decrypted.
#[derive(Clone, Copy, Debug)]
pub struct SlotRounding {
    /// Both parts are rounded to multiples of this power of two.
    pub step: f64,
    /// Standard deviation of Gaussian noise that is added to both parts before rounding.
    pub deviation: f64,
}

/// Decrypts `count` slots and removes everything finer than a step. The caller ensures that this includes the noise.
///
/// The result is exact under the conditions of [`decrypt_integers`].
#[must_use]
pub fn decrypt_rounded(
    ring: &Ring,
    secret: &TernarySecret,
    ct: &Ciphertext,
    count: usize,
    rounding: SlotRounding,
) -> SecretSlots {
    let SlotRounding { step, deviation } = rounding;
    let noise = RandomStream::from_os().gaussian(2 * count, deviation);
    let steps = 1.0 / step;
    let round = |x: f64, noise: f64| nearest((x + noise) * steps) * step;
    // In place, so that no copy of the noise remains.
    let mut slots = noisy_slots(ring, secret, ct, count);
    for (z, e) in slots.iter_mut().zip(noise.chunks(2)) {
        *z = Complex64::new(round(z.re, e[0]), round(z.im, e[1]));
    }
    slots
}

/// Decrypts `count` slots, with their noise.
///
/// The result is exact as long as the encrypted coefficients stay below half of the product of the two lowest primes
/// (of one prime, if there is one limb).
#[cfg(feature = "diagnostics")]
#[must_use]
pub fn decrypt(
    ring: &Ring,
    secret: &TernarySecret,
    ct: &Ciphertext,
    count: usize,
) -> Vec<Complex64> {
    noisy_slots(ring, secret, ct, count).into_public()
}

/// Slots with their noise, which callers must round before they pass them on.
fn noisy_slots(ring: &Ring, secret: &TernarySecret, ct: &Ciphertext, count: usize) -> SecretSlots {
    slots_of_coefficients(&noisy_coefficients(ring, secret, &ct.parts), ct.scale, count)
}

/// Returns the first `count` slots of a phase modulo the lowest primes of the chain, including its noise.
///
/// The result is exact as long as the coefficients stay below half of the product of the two lowest primes.
#[must_use]
pub fn slots_of_phase(
    ring: &Ring,
    phase: &Poly<Evaluations>,
    scale: f64,
    count: usize,
) -> SecretSlots {
    let phase = lowest_limbs(ring, phase);
    slots_of_coefficients(&centred_coefficients(ring, phase), scale, count)
}

/// Slots of a polynomial with these coefficients, over the scale.
fn slots_of_coefficients(coefficients: &[f64], scale: f64, count: usize) -> SecretSlots {
    let gap = coefficients.len() / (2 * count);
    let unit = 1.0 / scale;
    let mut values = SecretSlots::from_fn(count, |k| {
        let (re, im) = (coefficients[k * gap], coefficients[(k + count) * gap]);
        Complex64::new(re * unit, im * unit)
    });
    Embedding::new(count).slots_from_coefficients(&mut values);
    values
}

/// Returns the centred coefficients of `c0 + c1·s`, from its lowest two limbs.
#[cfg(feature = "diagnostics")]
#[must_use]
pub fn decrypt_coefficients(
    ring: &Ring,
    secret: &TernarySecret,
    parts: &RlweCiphertext,
) -> Vec<f64> {
    std::mem::take(&mut *noisy_coefficients(ring, secret, parts))
}

/// Coefficients with their noise.
fn noisy_coefficients(
    ring: &Ring,
    secret: &TernarySecret,
    parts: &RlweCiphertext,
) -> Zeroizing<Vec<f64>> {
    let mut phase = lowest_limbs(ring, &parts.c1);
    phase.mul_assign(ring, &secret.evaluations(ring, phase.basis()));
    phase.add_assign(ring, &lowest_limbs(ring, &parts.c0));
    centred_coefficients(ring, phase)
}

/// A polynomial modulo its lowest two limbs, or its only one.
fn lowest_limbs(ring: &Ring, poly: &Poly<Evaluations>) -> Poly<Evaluations> {
    let mut main = poly.basis().main;
    while ring.main_basis(main).limbs() > 2 {
        main -= 1;
    }
    let basis = ring.main_basis(main);
    let limbs = (0..basis.limbs()).flat_map(|limb| poly.limb_of(ring, main, limb).into_owned());
    Poly::<Evaluations>::from_words(ring, basis, limbs.collect())
}

/// The centred coefficients of a polynomial of one or two limbs.
fn centred_coefficients(ring: &Ring, phase: Poly<Evaluations>) -> Zeroizing<Vec<f64>> {
    let moduli = ring.limb_primes(phase.basis());
    let phase = Zeroizing::new(phase.into_coefficients(ring));
    let m0 = ring.modulus(moduli[0]);
    if moduli.len() == 1 {
        return Zeroizing::new(phase.limb(0).iter().map(|&x| m0.center(x) as f64).collect());
    }
    // Garner: x = x0 + q0·((x1 - x0)/q0 mod q1), centred.
    let m1 = ring.modulus(moduli[1]);
    let inverse = m1.inv(m1.reduce(m0.value()));
    let low = phase.limb(0).iter();
    let centred = low.zip(phase.limb(1)).map(|(&x0, &x1)| {
        let high = m1.mul(m1.sub(x1, m1.reduce(x0)), inverse);
        m1.center(high) as f64 * m0.value() as f64 + x0 as f64
    });
    Zeroizing::new(centred.collect())
}
