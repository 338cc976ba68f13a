//! From complex slots to real ones, and back.
//!
//! A ciphertext of N/2 complex slots holds N real numbers, but products of complex numbers are not products of their parts.
//! In the real ring ([`Ring::real`]) a ciphertext of the same size has N real slots, so that one operation does what two do
//! on real and imaginary parts by themselves. The way there is a product with a plaintext of the ring of degree 2N that has
//! the values 1 and -i in the two slots above each complex one, and the trace to the real ring: `Tr(h·z)` has twice the real
//! parts of z in its first N/2 slots, and twice the imaginary ones in the others. The way back is a product with the
//! conjugate of that plaintext and a trace. Each takes a level and two key switches.

use cryptable_lattice::divided_key_switch::switch_and_divide;
use cryptable_lattice::{RlweCiphertext, SwitchingKey};
use cryptable_ring::real_traces::{Coordinate, TraceFactor, times_x};
use cryptable_ring::{Basis, Embedding, Evaluations, Poly, Ring};
use num_complex::Complex64;

use crate::ciphertext::Ciphertext;
use crate::plaintext::rounded_coefficients;

/// The way from complex to real slots at some level.
#[derive(Clone, Debug)]
pub struct EnterReal {
    factor: TraceFactor,
    scale: f64,
}

/// The way from real to complex slots at some level.
#[derive(Clone, Debug)]
pub struct LeaveReal {
    /// For both coordinates of a secret.
    factors: [TraceFactor; 2],
    scale: f64,
}

/// The coefficients of the element of the ring of degree 2N with 1 in its first N/2 slots and `second` in the others, times
/// `scale`.
fn coefficients(degree: usize, second: Complex64, scale: f64) -> Vec<i64> {
    let slots: Vec<_> =
        (0..degree).map(|j| if j < degree / 2 { Complex64::ONE } else { second }).collect();
    rounded_coefficients(2 * degree, &Embedding::new(degree), &slots, scale)
}

impl EnterReal {
    /// Encodes the plaintext at a scale for ciphertexts of a basis.
    #[must_use]
    pub fn new(ring: &Ring, basis: Basis, scale: f64) -> Self {
        let coefficients = coefficients(ring.degree(), -Complex64::I, scale);
        Self { factor: TraceFactor::new(ring, basis, &coefficients), scale }
    }

    /// Takes twice the parts of complex slots to real slots, first all real parts, and divides by the top prime.
    ///
    /// # Panics
    /// If a key's level is below that of the ciphertext, or there is one prime.
    #[must_use]
    pub fn apply(&self, real: &Ring, ct: &Ciphertext, keys: [&SwitchingKey; 2]) -> Ciphertext {
        let trace = |poly, coordinate| self.factor.to_real(real, poly, coordinate);
        let c0 = trace(&ct.parts.c0, Coordinate::First);
        let masks = [Coordinate::First, Coordinate::Second].map(|it| trace(&ct.parts.c1, it));
        rescaled(real, &c0, &masks, keys, ct.scale * self.scale)
    }
}

impl LeaveReal {
    /// Encodes the plaintext at a scale for ciphertexts of a basis.
    #[must_use]
    pub fn new(ring: &Ring, basis: Basis, scale: f64) -> Self {
        let first = coefficients(ring.degree(), Complex64::I, scale);
        let second = times_x(&first);
        Self { factors: [first, second].map(|it| TraceFactor::new(ring, basis, &it)), scale }
    }

    /// Takes real slots to the parts of complex ones, and divides by the top prime.
    ///
    /// # Panics
    /// As [`EnterReal::apply`].
    #[must_use]
    pub fn apply(&self, ring: &Ring, ct: &Ciphertext, keys: [&SwitchingKey; 2]) -> Ciphertext {
        let c0 = self.factors[0].to_complex(ring, &ct.parts.c0);
        let masks = self.factors.each_ref().map(|it| it.to_complex(ring, &ct.parts.c1));
        rescaled(ring, &c0, &masks, keys, ct.scale * self.scale)
    }
}

/// Switches both products with coordinates of a secret, adds them to `c0`, and divides by the top prime.
fn rescaled(
    ring: &Ring,
    c0: &Poly<Evaluations>,
    masks: &[Poly<Evaluations>; 2],
    keys: [&SwitchingKey; 2],
    scale: f64,
) -> Ciphertext {
    let basis = c0.basis();
    let RlweCiphertext { c0, c1 } =
        switch_and_divide(ring, &masks[0], keys[0], [Some(c0), None], 0);
    let parts = switch_and_divide(ring, &masks[1], keys[1], [Some(&c0), Some(&c1)], 1);
    Ciphertext { parts, scale: scale / ring.chain_prime(basis.chain, basis.main - 1) as f64 }
}
