//! The trace to the subring of a sparse packing (SubSum of Cheon, Han, Kim, Kim, Song, EUROCRYPT 2018, ePrint 2018/153),
//! by hoisted rotations (Halevi, Shoup, CRYPTO 2018, ePrint 2018/244).
//!
//! `Σ_{j < c} rot(j·n)` for the c copies of n slots removes all coefficients that the packing leaves empty, and
//! multiplies the others by c: log2 c rotations, each of which adds the sum so far to itself. In steps of h halvings a
//! step has `2^h - 1` rotations, which share one decomposition and one division by the special primes: a matrix of
//! ones, at scale 1. Each key is used once, so that more halvings per step need more keys and fewer transforms.
//!
//! **Level.** None. **Noise.** Errors of removed coefficients average out; a step adds one rounding.

use std::collections::BTreeMap;

use cryptable_lattice::SwitchingKeyShape;
use cryptable_ring::Ring;
use num_complex::Complex64;
use serde::{Deserialize, Serialize};

use crate::dft_shapes::MatrixShape;
use crate::diagonal_matrix::{Diagonal, DiagonalMatrix};
use crate::{Arithmetic, LinearTransform, TransformPlan};

/// Number of halvings of a trace that share a decomposition. Literals of earlier versions lack this field and use one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TraceHalvings(pub u32);

impl TraceHalvings {
    /// Largest value in a literal: a step then has 15 keys.
    pub const MAX: u32 = 4;

    /// Returns the halvings per step that literals use: two, which need three keys instead of two, for little more than
    /// half of the work; with more, keys grow faster than work shrinks. One if there is no trace.
    #[must_use]
    pub const fn of(is_sparse: bool) -> Self {
        Self(if is_sparse { 2 } else { 1 })
    }

    /// Returns whether files omit this value.
    #[must_use]
    pub const fn is_one(&self) -> bool {
        self.0 == 1
    }
}

impl Default for TraceHalvings {
    fn default() -> Self {
        Self(1)
    }
}

/// The sum of `count` rotations by multiples of `period`.
fn step_matrix(period: usize, count: usize, ring_slots: usize) -> MatrixShape {
    let periods = (0..count).map(|j| (j * period, 1)).collect();
    MatrixShape { slots: ring_slots, periods, row_power: count as f64 }
}

/// The plans of all steps of a trace, in order of application. There are none if slots fill the ring.
///
/// ```
/// use cryptable_ckks::bootstrapping::subring_trace::{SubringTrace, TraceHalvings};
/// use cryptable_ckks::bootstrapping::homomorphic_dft::key_shape;
/// let trace = |halvings| SubringTrace::new(32, 512, TraceHalvings(halvings), key_shape(9, 3, 49.0, 50.0));
/// let rotations = |trace: SubringTrace| trace.plans().iter().flat_map(|plan| plan.rotations()).count();
/// assert_eq!([1, 2].map(|halvings| trace(halvings).plans().len()), [4, 2]);
/// assert_eq!([1, 2].map(|halvings| rotations(trace(halvings))), [4, 6]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SubringTrace {
    steps: Vec<TransformPlan>,
}

impl SubringTrace {
    /// Plans the trace to n of the `ring_slots` = N/2 slots of the ring, with `halvings` halvings per step and keys of
    /// this shape at the level of the ciphertext.
    #[must_use]
    pub fn new(
        slots: usize,
        ring_slots: usize,
        halvings: TraceHalvings,
        shape: SwitchingKeyShape,
    ) -> Self {
        let mut steps = Vec::new();
        let mut period = slots;
        while period < ring_slots {
            let count = (ring_slots / period).min(1 << halvings.0);
            let matrix = step_matrix(period, count, ring_slots);
            let plan = TransformPlan::of_shape(&matrix, ring_slots, count, shape, 1.0);
            // Ones are exact.
            steps.push(TransformPlan { rounded_coefficients: 0, ..plan });
            period *= count;
        }
        Self { steps }
    }

    /// Makes the first step raise ([`TransformPlan::raises`]). Returns whether there is one.
    pub(crate) fn raise(&mut self, ring_slots: usize) -> bool {
        let Some(first) = self.steps.first_mut() else { return false };
        let matrix = step_matrix(first.stride, first.babies.len(), ring_slots);
        let plan = TransformPlan::raising(&matrix, ring_slots, first.shape.basis, first.scale);
        *first = TransformPlan { rounded_coefficients: 0, ..plan };
        true
    }

    /// Returns the plans of all steps.
    #[must_use]
    pub fn plans(&self) -> &[TransformPlan] {
        &self.steps
    }

    /// Encodes all steps.
    pub fn encode(&self, ring: &Ring) -> impl Iterator<Item = LinearTransform> {
        let ones = |plan: &TransformPlan| {
            let one = || Diagonal { values: vec![Complex64::ONE] };
            let diagonals: BTreeMap<_, _> =
                plan.steps.iter().map(|step| (step.rotation, one())).collect();
            let matrix = DiagonalMatrix { slots: ring.degree() / 2, diagonals };
            LinearTransform::encode(ring, &matrix, plan.clone())
        };
        self.steps.iter().map(ones)
    }

    /// Returns the mean over all copies: the trace divided by their number, with its steps encoded for `arithmetic`.
    pub fn apply<A: Arithmetic>(
        &self,
        arithmetic: &A,
        steps: &[A::Matrix],
        ct: A::Ciphertext,
    ) -> A::Ciphertext {
        self.steps.iter().zip(steps).fold(ct, |ct, (plan, step)| {
            let mut sum = arithmetic.transform(&ct, step, 0);
            arithmetic.divide_slots_assign(&mut sum, plan.steps.len() as f64);
            sum
        })
    }
}
