//! Slots fewer than half the ring degree: packing in the subring of `X^(N/2n)`, for n slots (Cheon, Han, Kim, Kim, Song,
//! EUROCRYPT 2018, ePrint 2018/153, Section 5.2, and Chen, Chillotti, Song, EUROCRYPT 2019, ePrint 2018/1043).
//!
//! ModRaise leaves an overflow in every coefficient, also where the packing has none: the trace to the subring takes those
//! off. CoeffsToSlots then has the dimension 2n, and holds real and imaginary parts side by side, so that one exponential
//! serves both. What comes out of it, real numbers `(a ‖ b)`, is multiplied by `(1 ‖ i)`, and its rotation by n added:
//! `a + ib` in every period. Of real slots only a is kept, by `(1 ‖ 0)`.
//!
//! **Levels.** One, for that product. **Noise.** Errors of a and b are those of both parts; the trace averages the noise of
//! coefficients that it takes off away.

use cryptable_ckks::dry_run::PlainShape;
use cryptable_ckks::{Arithmetic, Plaintext};
use cryptable_ring::{Embedding, Ring};
use num_complex::Complex64;

use crate::literal::ParametersLiteral;

/// Additions to the matrices for bootstraps of sparse slots.
#[derive(Clone, Debug)]
pub(crate) struct SparseSlots {
    slots: usize,
    ring_slots: usize,
    /// The prime that the product with a mask drops at the top, and the scale of masks.
    prime: f64,
}

impl SparseSlots {
    /// Derives them from a literal and the primes of its first chain; `None` if slots fill the ring.
    pub(crate) fn new(literal: &ParametersLiteral, main: &[f64]) -> Option<Self> {
        let (slots, ring_slots) = (literal.slots, literal.ring_degree / 2);
        literal.is_sparse().then(|| Self { slots, ring_slots, prime: main[literal.top_limbs()] })
    }

    /// How often the ring holds the slots: what the trace multiplies by.
    pub(crate) fn copies(&self) -> usize {
        self.ring_slots / self.slots
    }

    /// Returns the factors of `(a ‖ b)` for one part of slots, and for two.
    fn masks(&self) -> [Vec<Complex64>; 2] {
        [Complex64::ZERO, Complex64::I].map(|other| {
            let (first, second) = (vec![Complex64::ONE; self.slots], vec![other; self.slots]);
            [first, second].concat()
        })
    }

    /// Encodes the masks for one part of slots, and for two, for `limbs` limbs.
    pub(crate) fn encode(&self, ring: &Ring, limbs: usize) -> [Plaintext; 2] {
        let embedding = Embedding::new(2 * self.slots);
        self.masks().map(|mask| Plaintext::encode(ring, &embedding, &mask, self.prime, limbs))
    }

    /// Returns the dry run's shapes of the masks.
    pub(crate) fn plans(&self) -> [PlainShape; 2] {
        let slots = 2 * self.slots;
        [0.5, 1.0].map(|mean_square| PlainShape { scale: self.prime, mean_square, slots })
    }

    /// Returns the scale that `(a ‖ b)` of `limbs` limbs needs for joined slots of this scale.
    pub(crate) fn scale_before<A: Arithmetic>(
        &self,
        arithmetic: &A,
        limbs: usize,
        scale: f64,
    ) -> f64 {
        scale * arithmetic.prime(limbs - 1) / self.prime
    }

    /// Slots `a + ib`, or a, from `(a ‖ b)`. The rotation comes before the rescale, which divides what it adds.
    pub(crate) fn join<A: Arithmetic>(
        &self,
        arithmetic: &A,
        ct: &A::Ciphertext,
        mask: &A::Plain,
    ) -> A::Ciphertext {
        let mut sum = arithmetic.mul_plain(ct, mask);
        let rotated = arithmetic.rotate(&sum, self.slots);
        arithmetic.add_assign(&mut sum, &rotated);
        arithmetic.rescale(sum, 1)
    }
}
