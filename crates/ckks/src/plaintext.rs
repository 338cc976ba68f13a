//! Plaintexts: public slots, encoded for products with ciphertexts.

use cryptable_ring::rounding::nearest_integer;
use cryptable_ring::{Coefficients, Embedding, Evaluations, Poly, Ring, SecretSlots};
use num_complex::Complex64;

/// Number of transforms of the ring degree that take as long as the embedding of all slots. The embedding is portable
/// code on complex doubles, roundings included.
pub const EMBEDDING_TRANSFORMS: f64 = 6.0;

/// Slots times `scale` as a polynomial modulo `q_0 … q_{limbs-1}`.
#[derive(Clone, Debug)]
pub struct Plaintext {
    /// The encoded polynomial, in evaluations.
    pub poly: Poly<Evaluations>,
    /// The factor between slots and encoded values.
    pub scale: f64,
}

impl Plaintext {
    /// Encodes `slots` (N/2 of them, or a divisor of that, repeated) with an embedding of the same number of slots.
    /// Coefficients are rounded to nearest, so slots have an error of variance `n/(6·scale²)` for n slots.
    ///
    /// ```
    /// use cryptable_ckks::plaintext::Plaintext;
    /// use cryptable_ring::{Embedding, Ring, primes::ntt_primes};
    /// use num_complex::Complex64;
    /// let ring = Ring::new(64, &ntt_primes(64, 49.0, 1, &[]), &[]);
    /// let constant = [Complex64::new(0.5, -0.25); 8];
    /// let plain = Plaintext::encode(&ring, &Embedding::new(8), &constant, 1024.0, 1);
    /// let coefficients = plain.poly.into_coefficients(&ring);
    /// // 512 - 256·X^(N/2): X^(N/2) is i in every slot.
    /// assert_eq!(coefficients.limb(0)[0], 512);
    /// assert_eq!(coefficients.limb(0)[32], ring.main_prime(0) - 256);
    /// ```
    ///
    /// # Panics
    /// If the number of slots is not that of the embedding or exceeds N/2, or a scaled coefficient is not below 2^62.
    #[must_use]
    pub fn encode(
        ring: &Ring,
        embedding: &Embedding,
        slots: &[Complex64],
        scale: f64,
        limbs: usize,
    ) -> Self {
        let coefficients = rounded_coefficients(ring.degree(), embedding, slots, scale);
        let poly = Poly::<Coefficients>::from_signed(ring, ring.main_basis(limbs), &coefficients);
        Self { poly: poly.into_evaluations(ring), scale }
    }
}

/// Returns the N coefficients of the polynomial with the given slots times `scale`, rounded to nearest. Only those at
/// multiples of `N/2n` can be nonzero, for n slots.
///
/// # Panics
/// The panics of [`Plaintext::encode`].
#[must_use]
pub fn rounded_coefficients(
    degree: usize,
    embedding: &Embedding,
    slots: &[Complex64],
    scale: f64,
) -> Vec<i64> {
    let count = slots.len();
    assert!(2 * count <= degree, "{count} slots at ring degree {degree}");
    let mut values = SecretSlots::from_fn(count, |k| slots[k]);
    embedding.coefficients_from_slots(&mut values);
    let gap = degree / (2 * count);
    let mut coefficients = vec![0; degree];
    for (k, value) in values.iter().enumerate() {
        let (re, im) = (value.re * scale, value.im * scale);
        assert!(re.abs().max(im.abs()) < 62f64.exp2(), "scaled coefficient beyond 2^62");
        coefficients[k * gap] = nearest_integer(re);
        coefficients[(k + count) * gap] = nearest_integer(im);
    }
    coefficients
}
