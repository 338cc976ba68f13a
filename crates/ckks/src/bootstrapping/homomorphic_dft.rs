//! CoeffsToSlots and SlotsToCoeffs as a chain of matrices that share a few primes (matrices by Cheon, Han, Hhan, ePrint
//! 2018/1073, and Chen, Chillotti, Song, EUROCRYPT 2019, ePrint 2018/1043).
//!
//! A matrix rounded to b bits needs only b bits of scale, fewer than a prime has. The scales of several matrices are
//! multiplied, and a prime is dropped whenever one is full, so three matrices of 32 bits consume two primes of 49.

use cryptable_lattice::error::demand;
use cryptable_lattice::{Result, SwitchingKeyShape};
use cryptable_ring::{Basis, Ring, RingModuli};

use crate::bootstrapping::subring_trace::SubringTrace;
use crate::dft_factors::DftFactors;
use crate::dft_shapes::MatrixShape;
use crate::{Arithmetic, LinearTransform, TransformPlan};

/// The plan of one matrix of the chain.
#[derive(Clone, Debug)]
pub struct DftStage {
    /// Plan of the multiplication.
    pub plan: TransformPlan,
    /// Number of primes dropped after it.
    pub rescale: usize,
}

/// A chain of matrices with their plans. Where slots are sparse, a trace to a subring comes first. The default has no
/// matrices.
#[derive(Clone, Debug, Default)]
pub struct HomomorphicDft {
    factors: Option<DftFactors>,
    trace: SubringTrace,
    /// Stages in order of application.
    pub stages: Vec<DftStage>,
}

/// Start and end of a chain, and its resources.
#[derive(Clone, Debug)]
pub struct DftLevels<'a> {
    /// Limbs at the start.
    pub limbs: usize,
    /// Scale at the start.
    pub scale: f64,
    /// Primes that the chain drops.
    pub primes: &'a [f64],
    /// Scale at the end.
    pub target: f64,
    /// Number of slots of the ring, N/2.
    pub ring_slots: usize,
    /// Largest number of baby steps per matrix.
    pub baby_steps: usize,
    /// How the matrices share the available scale.
    pub shares: ScaleShares,
}

/// How matrices share the available scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleShares {
    /// All matrices have the same scale.
    Equal,
    /// Scales are proportional to the square roots of the numbers of rounded coefficients, so that every matrix adds
    /// equal noise: diagonals of short periods have few coefficients. For a ring of degree 2^14 and three matrices,
    /// this makes the sum of their noises 2^3 times smaller.
    ByRounding,
    /// Scales are proportional to the largest error that the rounding of a matrix may cause in a coefficient, so that
    /// the sum of all errors is least. Used for SlotsToCoeffs, whose last matrices combine more slots in a coefficient.
    ByLargestError,
}

impl DftLevels<'_> {
    /// The scales of the matrices: their product changes the scale at the start to the scale at the end.
    fn stage_scales(&self, matrices: &[MatrixShape]) -> Vec<f64> {
        let count = matrices.len() as f64;
        let product: f64 = self.primes.iter().product();
        let mean = (product * self.target / self.scale).powf(1.0 / count);
        let mut span = 1;
        let weights: Vec<f64> = matrices
            .iter()
            .map(|matrix| {
                span *= matrix.row_entries();
                match self.shares {
                    ScaleShares::Equal => 1.0,
                    ScaleShares::ByRounding => (matrix.rounded_coefficients() as f64).sqrt(),
                    ScaleShares::ByLargestError => {
                        (matrix.rounded_coefficients() as f64 * span as f64 / matrix.row_power)
                            .sqrt()
                    }
                }
            })
            .collect();
        let mean_weight = weights.iter().product::<f64>().powf(1.0 / count);
        weights.iter().map(|weight| mean * weight / mean_weight).collect()
    }
}

impl HomomorphicDft {
    /// Plans the matrices of `factors`; `shape(limbs)` gives the key shape at a level.
    ///
    /// # Panics
    /// The panics of [`DftFactors::matrices`].
    pub fn new(
        factors: DftFactors,
        levels: &DftLevels<'_>,
        shape: impl Fn(usize) -> SwitchingKeyShape,
    ) -> Self {
        let matrices = factors.shapes();
        let count = matrices.len();
        let stage_scales = levels.stage_scales(&matrices);
        let (mut limbs, mut scale) = (levels.limbs, levels.scale);
        // The last primes of the list are dropped first.
        let mut primes = levels.primes.iter().rev().peekable();
        let stages = matrices
            .into_iter()
            .enumerate()
            .map(|(index, matrix)| {
                let stage_scale = stage_scales[index];
                let plan = TransformPlan::of_shape(
                    &matrix,
                    levels.ring_slots,
                    levels.baby_steps,
                    shape(limbs),
                    stage_scale,
                );
                scale *= stage_scale;
                let mut rescale = 0;
                while let Some(&&prime) = primes.peek() {
                    let full = scale / prime > levels.target * 0.999;
                    if !full && index + 1 < count {
                        break;
                    }
                    scale /= prime;
                    rescale += 1;
                    primes.next();
                }
                limbs -= rescale;
                DftStage { plan, rescale }
            })
            .collect();
        Self { factors: Some(factors), trace: SubringTrace::default(), stages }
    }

    /// Returns the chain preceded by a trace, which yields the mean of all copies.
    #[must_use]
    pub fn after_trace(self, trace: SubringTrace) -> Self {
        Self { trace, ..self }
    }

    /// Returns the chain in which only the first `keyed_babies` baby steps of a matrix have keys, which the others
    /// share. `None` gives keys to all: see [`TransformPlan::sharing_baby_keys`].
    ///
    /// # Panics
    /// If `keyed_babies` is 0.
    #[must_use]
    pub fn sharing_baby_keys(mut self, keyed_babies: Option<usize>) -> Self {
        let Some(keyed_babies) = keyed_babies else { return self };
        let share = |stage: DftStage| DftStage {
            plan: stage.plan.sharing_baby_keys(keyed_babies),
            ..stage
        };
        self.stages = self.stages.into_iter().map(share).collect();
        self
    }

    /// Returns the chain in which every matrix has its own number of baby steps, and its own number of them with keys,
    /// which the others share. An empty list changes nothing.
    ///
    /// # Panics
    /// If a number is 0, or the list does not have one entry per matrix.
    #[must_use]
    pub fn with_baby_steps(mut self, ring_slots: usize, of_matrices: &[[usize; 2]]) -> Self {
        if of_matrices.is_empty() {
            return self;
        }
        assert_eq!(of_matrices.len(), self.stages.len(), "matrices with baby steps of their own");
        let matrices: Vec<_> = self.factors.iter().flat_map(DftFactors::shapes).collect();
        for ((stage, matrix), &[babies, keyed]) in
            self.stages.iter_mut().zip(&matrices).zip(of_matrices)
        {
            let TransformPlan { shape, scale, raises, .. } = stage.plan;
            if !raises {
                stage.plan = TransformPlan::of_shape(matrix, ring_slots, babies, shape, scale)
                    .sharing_baby_keys(keyed);
            }
        }
        self
    }

    /// Returns the chain whose first matrix, or first step of the trace, raises: see [`TransformPlan::raises`].
    ///
    /// # Panics
    /// If there is no matrix, or the first one is not the outermost of CoeffsToSlots.
    #[must_use]
    pub fn raising(mut self, ring_slots: usize) -> Self {
        if self.trace.raise(ring_slots) {
            return self;
        }
        let matrix = self.factors.iter().flat_map(DftFactors::shapes).next().expect("a matrix");
        let plan = &mut self.stages[0].plan;
        *plan = TransformPlan::raising(&matrix, ring_slots, plan.shape.basis, plan.scale);
        self
    }

    /// Returns whether the chain begins under the sparse secret.
    #[must_use]
    pub fn raises(&self) -> bool {
        let first =
            self.trace.plans().iter().chain(self.stages.iter().map(|stage| &stage.plan)).next();
        first.is_some_and(|plan| plan.raises)
    }

    /// Returns the chain for SlotsToCoeffs, whose results are read as coefficients: a dry run keeps the law of slots.
    #[must_use]
    pub fn ending_in_coefficients(mut self) -> Self {
        let mut span = 1;
        for DftStage { plan, .. } in &mut self.stages {
            span *= plan.row_entries();
            plan.coefficient_span = Some(span);
        }
        self
    }

    /// Checks that the scales of all matrices are large enough to hold entries and small enough to be encoded.
    ///
    /// # Errors
    /// If one is not from 2^8 to 2^60: the primes of the chain do not fit its matrices.
    pub fn check_scales(&self) -> Result<()> {
        for stage in &self.stages {
            let bits = stage.plan.scale.log2();
            let limit = "it must be from 8 to 60: more or fewer primes, or other matrices";
            demand((8.0..=60.0).contains(&bits), "log2 of the scale of a matrix", bits, limit)?;
        }
        Ok(())
    }

    /// Encodes all matrices, those of the trace first.
    pub fn encode(&self, ring: &Ring) -> Vec<LinearTransform> {
        let matrices = self.factors.iter().flat_map(DftFactors::matrices);
        let encode = |(matrix, stage): (_, &DftStage)| {
            LinearTransform::encode(ring, &matrix, stage.plan.clone())
        };
        self.trace.encode(ring).chain(matrices.zip(&self.stages).map(encode)).collect()
    }

    /// Returns the size of all encoded matrices in bytes.
    pub fn encoded_bytes(&self, moduli: &RingModuli) -> usize {
        self.stages.iter().map(|stage| stage.plan.encoded_bytes(moduli)).sum()
    }

    /// Returns the plans of all matrices, those of the trace first.
    pub fn plans(&self) -> Vec<TransformPlan> {
        let stages = self.stages.iter().map(|stage| &stage.plan);
        self.trace.plans().iter().chain(stages).cloned().collect()
    }

    /// Applies the chain with its matrices, encoded for `arithmetic`.
    pub fn apply<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        ct: A::Ciphertext,
    ) -> A::Ciphertext {
        let (steps, matrices) = matrices.split_at(self.trace.plans().len());
        self.stages
            .iter()
            .zip(matrices)
            .fold(self.trace.apply(arithmetic, steps, ct), |ct, (stage, matrix)| {
                arithmetic.transform(&ct, matrix, stage.rescale)
            })
    }
}

/// Splits the result of CoeffsToSlots, w = (x + iy)/2 for real x and y, into x and, if there are two parts, y.
#[must_use]
pub fn real_parts<A: Arithmetic>(
    arithmetic: &A,
    w: A::Ciphertext,
    parts: usize,
) -> Vec<A::Ciphertext> {
    let conjugate = arithmetic.conjugate(&w);
    let mut real = w.clone();
    arithmetic.add_assign(&mut real, &conjugate);
    if parts == 1 {
        return vec![real];
    }
    // y = i·(conj(w) - w).
    let mut imaginary = conjugate;
    arithmetic.sub_assign(&mut imaginary, &w);
    arithmetic.mul_imaginary_unit_assign(&mut imaginary);
    vec![real, imaginary]
}

/// `x + iy` from x and y, or x alone.
///
/// # Panics
/// If there are no parts.
#[must_use]
pub fn join<A: Arithmetic>(
    arithmetic: &A,
    parts: impl IntoIterator<Item = A::Ciphertext>,
) -> A::Ciphertext {
    let mut parts = parts.into_iter();
    let mut joined = parts.next().expect("a part");
    for mut imaginary in parts {
        arithmetic.mul_imaginary_unit_assign(&mut imaginary);
        arithmetic.add_assign(&mut joined, &imaginary);
    }
    joined
}

/// `2·Re A + 2i·Re B` from A and B, or `2·Re A` from A alone, by one conjugation: `(A + iB) + conj(A - iB)`.
///
/// # Panics
/// If there are no parts.
#[must_use]
pub fn join_halves<A: Arithmetic>(arithmetic: &A, mut parts: Vec<A::Ciphertext>) -> A::Ciphertext {
    let imaginary = (parts.len() == 2).then(|| parts.pop()).flatten();
    let mut sum = parts.swap_remove(0);
    let mut difference = sum.clone();
    if let Some(mut imaginary) = imaginary {
        arithmetic.mul_imaginary_unit_assign(&mut imaginary);
        arithmetic.add_assign(&mut sum, &imaginary);
        arithmetic.sub_assign(&mut difference, &imaginary);
    }
    let conjugate = arithmetic.conjugate(&difference);
    arithmetic.add_assign(&mut sum, &conjugate);
    sum
}

/// Returns the shape of keys at a level: `digits` digits, and the fewest special primes that cover one digit.
pub fn key_shape(
    limbs: usize,
    digits: usize,
    log2_scale: f64,
    log2_special: f64,
) -> SwitchingKeyShape {
    let digit_limbs = limbs.div_ceil(digits);
    let special = ((digit_limbs as f64 * log2_scale + 3.0) / log2_special).ceil() as usize;
    SwitchingKeyShape { basis: Basis::new(limbs, special), digit_limbs }
}
