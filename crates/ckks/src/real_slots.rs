//! Conversion of complex slots to real ones, and back.
//!
//! A ciphertext of N/2 complex slots holds N real numbers, but products of complex numbers are not products of their
//! parts. In the real ring ([`Ring::real`]) a ciphertext of the same size has N real slots, so that one operation does
//! the work of two on separate real and imaginary parts. The way there is a product with a plaintext of the ring of
//! degree 2N that has the values 1 and -i in the two slots above each complex one, and the trace to the real ring:
//! `Tr(h·z)` has twice the real parts of z in its first N/2 slots, and twice the imaginary ones in the others. The way
//! back is a product with the conjugate of that plaintext and a trace. Each way needs two key switches, which share a
//! division. The plaintext needs only some 30 bits of scale, so that it shares the primes of a chain of matrices like
//! one more matrix.

use cryptable_lattice::key_switching::switch;
use cryptable_lattice::{RlweCiphertext, SwitchingKey};
use cryptable_ring::real_traces::{TraceFactor, times_x};
use cryptable_ring::{Embedding, Evaluations, Poly, Ring};
use num_complex::Complex64;

use crate::ciphertext::Ciphertext;
use crate::plaintext::rounded_coefficients;

/// The real ring, and the encoded plaintexts of both ways.
#[derive(Debug)]
pub struct RealSlots {
    real: Ring,
    scale: f64,
    enter: TraceFactor,
    /// The plaintext of the way back, for both coordinates of a secret.
    leave: [TraceFactor; 2],
}

/// The coefficients of the element of the ring of degree 2N with 1 in its first N/2 slots and `second` in the others,
/// times `scale`.
fn coefficients(degree: usize, second: Complex64, scale: f64) -> Vec<i64> {
    let slots: Vec<_> =
        (0..degree).map(|j| if j < degree / 2 { Complex64::ONE } else { second }).collect();
    rounded_coefficients(2 * degree, &Embedding::new(degree), &slots, scale)
}

impl RealSlots {
    /// Encodes the plaintexts at a scale, for entering with up to `enter_limbs` limbs and leaving with `leave_limbs`.
    ///
    /// # Panics
    /// If a prime is not 1 modulo 4N.
    #[must_use]
    pub fn new(ring: &Ring, scale: f64, enter_limbs: usize, leave_limbs: usize) -> Self {
        let factor = |limbs: usize, coefficients: &[i64]| {
            TraceFactor::new(ring, ring.main_basis(limbs), coefficients)
        };
        let first = coefficients(ring.degree(), Complex64::I, scale);
        let entering = coefficients(ring.degree(), -Complex64::I, scale);
        Self {
            real: Ring::real(ring.moduli().clone()),
            scale,
            enter: factor(enter_limbs, &entering),
            leave: [&first, &times_x(&first)].map(|it| factor(leave_limbs, it)),
        }
    }

    /// Returns the real ring.
    #[must_use]
    pub fn real_ring(&self) -> &Ring {
        &self.real
    }

    /// Bytes in memory, without the real ring's tables.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.enter.memory_bytes() + self.leave.iter().map(TraceFactor::memory_bytes).sum::<usize>()
    }

    /// Implements [`crate::Arithmetic::enter_inner`].
    pub(crate) fn enter(&self, ct: &Ciphertext, keys: [&SwitchingKey; 2]) -> Ciphertext {
        let c0 = self.enter.to_real(&self.real, &ct.parts.c0);
        let masks = self.enter.to_real_coordinates(&self.real, &ct.parts.c1);
        let sum = switched(&self.real, &c0, &masks, keys);
        let basis = ct.parts.c0.basis();
        let prime = self.real.chain_prime(basis.chain, basis.main - 1) as f64;
        let parts = sum.divide_round(&self.real, 1);
        Ciphertext { parts, scale: ct.scale * self.scale / prime }
    }

    /// Implements [`crate::Arithmetic::leave_inner`].
    pub(crate) fn leave(
        &self,
        ring: &Ring,
        ct: &Ciphertext,
        keys: [&SwitchingKey; 2],
    ) -> Ciphertext {
        let c0 = self.leave[0].to_complex(ring, &ct.parts.c0);
        let masks = self.leave.each_ref().map(|it| it.to_complex(ring, &ct.parts.c1));
        let sum = switched(ring, &c0, &masks, keys);
        Ciphertext { parts: sum.divide_round(ring, 0), scale: ct.scale * self.scale }
    }
}

/// Switches both products with coordinates of a secret and adds them to `c0`, times the special primes.
fn switched(
    ring: &Ring,
    c0: &Poly<Evaluations>,
    masks: &[Poly<Evaluations>; 2],
    keys: [&SwitchingKey; 2],
) -> RlweCiphertext {
    let mut sum = switch(ring, &masks[0], keys[0], [Some(c0), None]);
    let other = switch(ring, &masks[1], keys[1], [None, None]);
    sum.c0.add_assign(ring, &other.c0);
    sum.c1.add_assign(ring, &other.c1);
    sum
}
