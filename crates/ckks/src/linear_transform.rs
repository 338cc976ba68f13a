//! Homomorphic products with matrices in diagonal form, by baby-step giant-step with double hoisting
//! (Halevi, Shoup, CRYPTO 2018, ePrint 2018/244; Bossuat, Mouchet, Troncoso-Pastoriza, Hubaux, EUROCRYPT 2021, ePrint
//! 2020/1203).
//!
//! All work except the giant steps is independent from block to block of a limb. A thread takes one block, computes all
//! its baby steps, multiplies by all diagonals and stores the sums of the giant steps. Groups of baby steps that share
//! keys are those of the vector turned once per group: all groups then use a row of a key one after the other.

use std::ops::Range;
use std::sync::OnceLock;

use cryptable_lattice::key_switching::{Digits, add_switched_image, add_times_special};
use cryptable_lattice::{EvaluationKeys, RlweCiphertext, SwitchingKey};
use cryptable_ring::kernels::{self, PackedRow};
use cryptable_ring::{
    Basis, ByteBuffer, Coefficients, Embedding, Isa, Modulus, PackedLayout, Poly, Ring,
};
use rayon::prelude::*;

use crate::baby_steps::{BabyGroup, BabyStep, BabySteps};
use crate::dft_factors::{Diagonal, DiagonalMatrix};
use crate::plaintext::rounded_coefficients;
use crate::transform_plan::{DiagonalStep, TransformPlan};

/// One diagonal as evaluations modulo Q·P.
///
/// A diagonal of period m encodes to a polynomial in `X^(N/2m)`, whose evaluations form runs of `N/2m` equal words: one
/// word per run is kept.
#[derive(Debug)]
struct EncodedDiagonal {
    step: DiagonalStep,
    log_run: u32,
    words: DiagonalWords,
}

/// The evaluations of a diagonal, limb-major.
#[derive(Debug)]
enum DiagonalWords {
    /// All words, packed.
    Packed(ByteBuffer),
    /// One word per run.
    Runs(Vec<u64>),
}

/// A read-only view of one diagonal of an encoded matrix: see [`LinearTransform::diagonals`].
#[derive(Clone, Copy, Debug)]
pub struct DiagonalView<'a> {
    diagonal: &'a EncodedDiagonal,
    layout: &'a PackedLayout,
}

/// One limb of a diagonal's evaluations.
#[derive(Clone, Copy, Debug)]
pub enum DiagonalLimb<'a> {
    /// All N words.
    Packed(PackedRow<'a>),
    /// One word for every run of equal words.
    Runs(&'a [u64]),
}

impl<'a> DiagonalView<'a> {
    /// Returns the baby step and the giant step of the diagonal, and its rotation in the matrix.
    #[must_use]
    pub fn step(self) -> DiagonalStep {
        self.diagonal.step
    }

    /// Returns log2 of the number of equal words in a run: 0 if all words are kept.
    #[must_use]
    pub fn log_run(self) -> u32 {
        self.diagonal.log_run
    }

    /// Returns a limb in the plan's basis, special primes included. Its words are below its modulus.
    ///
    /// # Panics
    /// If there is no such limb.
    #[must_use]
    pub fn limb(self, limb: usize) -> DiagonalLimb<'a> {
        match &self.diagonal.words {
            DiagonalWords::Packed(bytes) => DiagonalLimb::Packed(self.layout.row(bytes, limb)),
            DiagonalWords::Runs(words) => {
                let count = self.layout.degree() >> self.diagonal.log_run;
                DiagonalLimb::Runs(&words[limb * count..][..count])
            }
        }
    }
}

/// A matrix, encoded for multiplication at one level.
#[derive(Debug)]
pub struct LinearTransform {
    plan: TransformPlan,
    layout: PackedLayout,
    /// Diagonals, sorted by giant step.
    diagonals: Vec<EncodedDiagonal>,
}

impl LinearTransform {
    /// Encodes `matrix` according to `plan`.
    ///
    /// # Panics
    /// If the plan is not for this matrix.
    #[must_use]
    pub fn encode(ring: &Ring, matrix: &DiagonalMatrix, plan: TransformPlan) -> Self {
        let basis = plan.shape.basis;
        let served = (0..plan.giants).all(|giant| plan.steps.iter().any(|s| s.giant == giant));
        assert!(served, "a giant step without a diagonal");
        let mut diagonals: Vec<EncodedDiagonal> = plan
            .steps
            .par_iter()
            .map(|&step| {
                let shift = step.giant * plan.giant_rotation;
                let diagonal = rotated_right(&matrix.diagonals[&step.rotation], shift);
                let (words, log_run) = encode_periodic(ring, basis, &diagonal, plan.scale);
                EncodedDiagonal { step, log_run, words }
            })
            .collect();
        diagonals.sort_by_key(|d| (d.step.giant, d.log_run, d.step.baby));
        Self { plan, layout: PackedLayout::new(ring.moduli(), basis), diagonals }
    }

    /// Returns the plan of the encoding.
    #[must_use]
    pub fn plan(&self) -> &TransformPlan {
        &self.plan
    }

    /// All diagonals, sorted by giant step, length of runs and baby step.
    pub fn diagonals(&self) -> impl Iterator<Item = DiagonalView<'_>> {
        let layout = &self.layout;
        self.diagonals.iter().map(move |diagonal| DiagonalView { diagonal, layout })
    }

    /// Returns the bytes of the encoded matrix.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let bytes = |diagonal: &EncodedDiagonal| match &diagonal.words {
            DiagonalWords::Packed(bytes) => bytes.len(),
            DiagonalWords::Runs(words) => size_of_val(&words[..]),
        };
        self.diagonals.iter().map(bytes).sum()
    }

    /// Multiplies the slots of `ct`, which has the plan's number of limbs, and divides by the top `rescale` primes. A
    /// matrix that raises needs an input from [`crate::bootstrapping::mod_raise::raise_before`].
    ///
    /// # Panics
    /// If a key for one of the plan's rotations is missing, or `ct` has another number of limbs.
    #[must_use]
    pub fn apply(
        &self,
        ring: &Ring,
        keys: &EvaluationKeys,
        ct: &RlweCiphertext,
        rescale: usize,
    ) -> RlweCiphertext {
        assert_eq!(ct.c0.basis(), self.plan.shape.basis.without_special(), "level of the plan");
        let mut sums = self.giant_sums(ring, keys, ct);
        let mut acc = sums.pop().expect("at least one giant step");
        let element = ring.rotation_element(self.plan.giant_rotation);
        while let Some(mut sum) = sums.pop() {
            let c1 = acc.c1.divide_round(ring, 0);
            let (key, permutation) = (self.key(keys, element), ring.galois_permutation(element));
            add_switched_image(ring, &mut sum, &acc.c0, &c1, key, &permutation);
            acc = sum;
        }
        acc.divide_round(ring, rescale)
    }

    /// The key of a rotation at exactly the plan's basis: key sets are generated from the plans that use them.
    fn key<'a>(&self, keys: &'a EvaluationKeys, element: usize) -> &'a SwitchingKey {
        let (purpose, basis) = (self.plan.key_purpose(element), self.plan.shape.basis);
        keys.find_shape(purpose, basis)
            .unwrap_or_else(|| panic!("no key for {purpose:?} at {basis:?}"))
    }

    /// For each giant step, the sum of its diagonals times the baby steps, modulo Q·P.
    fn giant_sums(
        &self,
        ring: &Ring,
        keys: &EvaluationKeys,
        ct: &RlweCiphertext,
    ) -> Vec<RlweCiphertext> {
        let (basis, degree) = (self.plan.shape.basis, ring.degree());
        let babies: Vec<BabyStep<'_>> = self.plan.babies[..self.plan.keyed_babies]
            .iter()
            .map(|&rotation| {
                (rotation != 0 || self.plan.raises).then(|| {
                    let element = ring.rotation_element(rotation);
                    (self.key(keys, element), ring.galois_permutation(element))
                })
            })
            .collect();
        let turned: Vec<OnceLock<RlweCiphertext>> =
            (1..self.plan.baby_groups()).map(|_| OnceLock::new()).collect();
        let groups = self.turned_vectors(ring, keys, ct, &turned);
        let mut sums: Vec<RlweCiphertext> =
            (0..self.plan.giants).map(|_| RlweCiphertext::unspecified(ring, basis)).collect();
        let mut by_limb: Vec<Vec<(&mut [u64], &mut [u64])>> =
            (0..basis.limbs()).map(|_| Vec::new()).collect();
        for sum in &mut sums {
            let limbs0 = sum.c0.words_mut().chunks_mut(degree);
            let limbs = limbs0.zip(sum.c1.words_mut().chunks_mut(degree));
            for (limb, pair) in limbs.enumerate() {
                by_limb[limb].push(pair);
            }
        }
        let steps = BabySteps { ring, basis, groups, babies, count: self.plan.babies.len() };
        by_limb.into_par_iter().enumerate().for_each(|(limb, outputs)| {
            self.multiply_limb(&steps, limb, outputs);
        });
        sums
    }

    /// The vectors of all groups of baby steps, each turned from the one before, with their digits if they are needed.
    fn turned_vectors<'a>(
        &self,
        ring: &Ring,
        keys: &EvaluationKeys,
        ct: &'a RlweCiphertext,
        turned: &'a [OnceLock<RlweCiphertext>],
    ) -> Vec<BabyGroup<'a>> {
        let decompose = |ct: &'a RlweCiphertext| match self.plan.raises {
            true => Digits::from_lifted(&ct.c1),
            false => Digits::decompose(ring, &ct.c1, self.plan.shape),
        };
        let mut babies = self.plan.babies[..self.plan.keyed_babies].iter();
        let rotates = babies.any(|&it| it != 0 || self.plan.raises);
        let mut groups = Vec::with_capacity(turned.len() + 1);
        let mut last = ct;
        for next in turned {
            let element = ring.rotation_element(self.plan.keyed_babies * self.plan.stride);
            let digits = decompose(last);
            let mut switched = digits.inner_product(ring, self.key(keys, element));
            add_times_special(ring, &mut switched.c0, &last.c0);
            groups.push(BabyGroup { ct: last, digits: Some(digits) });
            last = next.get_or_init(|| {
                switched.divide_round(ring, 0).map(|part| part.automorphism(ring, element))
            });
        }
        groups.push(BabyGroup { ct: last, digits: rotates.then(|| decompose(last)) });
        groups
    }

    /// Sums of products of one limb: `outputs[j] = Σ_b d_{j,b} ∘ steps[b]`, block by block, so that baby steps serve
    /// all giant steps while they are in the cache.
    fn multiply_limb(
        &self,
        steps: &BabySteps<'_>,
        limb: usize,
        outputs: Vec<(&mut [u64], &mut [u64])>,
    ) {
        let (ring, basis) = (steps.ring, self.plan.shape.basis);
        let m = ring.modulus(ring.prime_index(basis, limb));
        let block = self.plan.block_words(ring.degree());
        let mut blocks: Vec<Vec<_>> = (0..ring.degree() / block).map(|_| Vec::new()).collect();
        for (out0, out1) in outputs {
            let pairs = out0.chunks_mut(block).zip(out1.chunks_mut(block));
            for (outputs, pair) in blocks.iter_mut().zip(pairs) {
                outputs.push(pair);
            }
        }
        // Also parallel within a limb: threads without a limb of their own take blocks of the last ones.
        let blocks = blocks.into_par_iter().enumerate();
        blocks.for_each_init(
            || steps.block(block),
            |babies, (index, mut outputs)| {
                let range = index * block..(index + 1) * block;
                steps.write(limb, &range, babies);
                let mut written = 0;
                for group in self
                    .diagonals
                    .chunk_by(|a, b| (a.step.giant, a.log_run) == (b.step.giant, b.log_run))
                {
                    let (out0, out1) = &mut outputs[group[0].step.giant];
                    // Groups are in the order of giant steps: the first group of each overwrites.
                    let first = group[0].step.giant == written;
                    written = group[0].step.giant + 1;
                    for (part, out) in [&mut **out0, out1].into_iter().enumerate() {
                        let input = |d: &EncodedDiagonal| &*babies.steps[d.step.baby][part];
                        let factors: Vec<_> = group.iter().map(|d| (d, input(d))).collect();
                        self.multiply_group(m, limb, &range, out, first, &factors);
                    }
                }
            },
        );
    }

    /// Multiplies diagonals of one run length by their inputs, in a part of a limb, and adds the products to `out`, or
    /// overwrites it if they are the first.
    fn multiply_group(
        &self,
        m: &Modulus,
        limb: usize,
        range: &Range<usize>,
        out: &mut [u64],
        first: bool,
        factors: &[(&EncodedDiagonal, &[u64])],
    ) {
        let log_run = factors[0].0.log_run;
        let words = ((limb * self.layout.degree()) >> log_run) + (range.start >> log_run);
        // A run longer than the block has one word for all of it.
        let own = words..words + (range.len() >> log_run).max(1);
        let log_run = log_run.min(range.len().ilog2());
        let (mut packed, mut runs) = (Vec::new(), Vec::new());
        for &(diagonal, input) in factors {
            match &diagonal.words {
                DiagonalWords::Packed(bytes) => {
                    packed.push((input, self.layout.row(bytes, limb).range(range.clone())));
                }
                DiagonalWords::Runs(words) => runs.push((input, &words[own.clone()])),
            }
        }
        match (packed.is_empty(), first) {
            (true, true) => kernels::inner_product_runs(m, out, &runs, log_run),
            (true, false) => kernels::inner_product_runs_add(m, out, &runs, log_run),
            (false, true) => kernels::packed_inner_product(m, out, &packed),
            (false, false) => kernels::packed_inner_product_add(m, out, &packed),
        }
    }
}

/// The periodic vector rotated right by `shift`.
fn rotated_right(diagonal: &Diagonal, shift: usize) -> Diagonal {
    let mut values = diagonal.values.clone();
    let period = values.len();
    values.rotate_right(shift % period);
    Diagonal { values }
}

/// Encodes a periodic vector of slots: one word per run of equal evaluations, limb-major, and log2 of the run's length.
fn encode_periodic(
    ring: &Ring,
    basis: Basis,
    diagonal: &Diagonal,
    scale: f64,
) -> (DiagonalWords, u32) {
    let (degree, period) = (ring.degree(), diagonal.values.len());
    let run = degree / (2 * period);
    let embedding = Embedding::new(period);
    let coefficients = rounded_coefficients(degree, &embedding, &diagonal.values, scale);
    let poly = Poly::<Coefficients>::from_signed(ring, basis, &coefficients).into_evaluations(ring);
    let words = if run == 1 {
        let layout = PackedLayout::new(ring.moduli(), basis);
        let mut bytes = ByteBuffer::zeroed(layout.bytes());
        let limbs = poly.words().chunks_exact(degree);
        for ((row, bits), words) in layout.rows_mut(&mut bytes).into_iter().zip(limbs) {
            PackedRow::pack(Isa::detect(), row, words, bits);
        }
        DiagonalWords::Packed(bytes)
    } else {
        DiagonalWords::Runs(poly.words().iter().step_by(run).copied().collect())
    };
    (words, run.trailing_zeros())
}
