//! Slots fewer than half the ring degree: packing of n slots in the subring of `X^(N/2n)` (Cheon, Han, Kim, Kim, Song,
//! EUROCRYPT 2018, ePrint 2018/153, Section 5.2, and Chen, Chillotti, Song, EUROCRYPT 2019, ePrint 2018/1043).
//!
//! ModRaise leaves an overflow in every coefficient, including those that the packing leaves empty, where the trace to
//! the subring removes it. CoeffsToSlots then has the dimension 2n, and holds real and imaginary parts side by side, so
//! that one exponential serves both. Its result, real numbers `(a ‖ b)`, is multiplied by `(1 ‖ i)`, and its rotation
//! by n is added: `a + ib` in every period. For real slots only a is kept, by `(1 ‖ 0)`.
//!
//! **Levels.** One, for that product. **Noise.** Errors of a and b are those of both parts; the trace averages out the
//! noise of the coefficients that it removes.

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
    /// The prime that the product with a mask drops at the top, which is also the scale of masks.
    prime: f64,
}

impl SparseSlots {
    /// Derives the additions from a literal and the primes of its first chain; `None` if slots fill the ring.
    pub(crate) fn new(literal: &ParametersLiteral, main: &[f64]) -> Option<Self> {
        let (slots, ring_slots) = (literal.slots, literal.ring_degree / 2);
        literal.is_sparse().then(|| Self { slots, ring_slots, prime: main[literal.top_limbs()] })
    }

    /// Number of copies of the slots in the ring, by which the trace multiplies.
    pub(crate) fn copies(&self) -> usize {
        self.ring_slots / self.slots
    }

    /// Returns the factors of `(a ‖ b)` for slots with one part, and with two.
    fn masks(&self) -> [Vec<Complex64>; 2] {
        [Complex64::ZERO, Complex64::I].map(|other| {
            let (first, second) = (vec![Complex64::ONE; self.slots], vec![other; self.slots]);
            [first, second].concat()
        })
    }

    /// Encodes the masks for slots with one part, and with two, for `limbs` limbs.
    pub(crate) fn encode(&self, ring: &Ring, limbs: usize) -> [Plaintext; 2] {
        let embedding = Embedding::new(2 * self.slots);
        self.masks().map(|mask| Plaintext::encode(ring, &embedding, &mask, self.prime, limbs))
    }

    /// Returns the dry run's shapes of the masks.
    pub(crate) fn plans(&self) -> [PlainShape; 2] {
        let slots = 2 * self.slots;
        [0.5, 1.0].map(|mean_square| PlainShape { scale: self.prime, mean_square, slots })
    }

    /// Returns the scale that `(a ‖ b)` with `limbs` limbs needs so that joined slots have this scale.
    pub(crate) fn scale_before<A: Arithmetic>(
        &self,
        arithmetic: &A,
        limbs: usize,
        scale: f64,
    ) -> f64 {
        scale * arithmetic.prime(limbs - 1) / self.prime
    }

    /// Slots `a + ib`, or a, from `(a ‖ b)`. The rotation comes before the rescale, so that the rescale divides its
    /// noise.
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
