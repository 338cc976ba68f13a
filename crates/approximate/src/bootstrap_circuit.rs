//! Bootstrapping as a circuit, for ciphertexts and for dry runs: SlotsToCoeffs, ModRaise through a sparse secret,
//! CoeffsToSlots in a chain of its own, and the odd function of period 1 on both parts (Cheon, Han, Kim, Kim, Song,
//! EUROCRYPT 2018, ePrint 2018/153; the order of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767, in which
//! SlotsToCoeffs runs where ciphertexts are smallest).
//!
//! **Noise.** A slot is z = x + iy with parts within 1; its coefficient holds x/B as a fraction of q_0. With noise of
//! variance ν in phases t = x/B + I, the result has `2·B²·ν`, plus what the evaluation of the odd function adds for
//! exact phases. Its bias is that of the odd function, `|θ|^5/30·B/2π` with θ = 2π·x/B, in both parts. Real slots need
//! one exponential, and so do sparse slots (`sparse_slots.rs`).

use cryptable_ckks::arithmetic::ratio_of_products;
use cryptable_ckks::bootstrapping::exponential_series::ExponentialSeries;
use cryptable_ckks::bootstrapping::homomorphic_dft::{
    DftLevels, HomomorphicDft, ScaleShares, real_parts,
};
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::bootstrapping::subring_trace::SubringTrace;
use cryptable_ckks::dft_factors::{coeffs_to_slots, coeffs_to_slots_sparse, slots_to_coeffs};
use cryptable_ckks::dry_run::{PlainShape, Shape, SlotNoise, SlotVariance};
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_ckks::{Arithmetic, DryRun, LinearTransform, Plaintext};
use cryptable_lattice::Result;
use cryptable_ring::{Basis, Ring, SharedLimbs};
use rayon::prelude::*;

use crate::levels::Levels;
use crate::literal::{BootstrappingLiteral, ParametersLiteral};
use crate::sine_sum::SineSum;
use crate::sparse_slots::SparseSlots;

/// Factor on the variance that the dry run predicts for the evaluation of the exponential, because the dry run takes
/// the noises of a series' terms as independent.
pub(crate) const EVALUATION_MARGIN: f64 = 1.5;

/// Variance of the noise of a coefficient modulo q_0 that holds a part of a slot, as a fraction of q_0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CoefficientVariance(pub f64);

/// The public part of a bootstrap for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct BootstrapCircuit {
    literal: ParametersLiteral,
    /// Parameters of the bootstrap.
    pub bootstrapping: BootstrappingLiteral,
    /// Scales of levels.
    pub levels: Levels,
    bottom_prime: f64,
    top_prime: f64,
    /// The plan of CoeffsToSlots, and of the trace before it where slots are sparse.
    pub coeffs_to_slots: HomomorphicDft,
    /// The plan of SlotsToCoeffs.
    pub slots_to_coeffs: HomomorphicDft,
    /// The odd function.
    pub odd_function: SineSum,
    /// Additional steps for slots fewer than N/2.
    pub sparse: Option<SparseSlots>,
}

/// Levels of a transform with a scale at its start and end, which drops no prime.
fn dft_levels(
    limbs: usize,
    baby_steps: usize,
    ring_slots: usize,
    scale: f64,
) -> DftLevels<'static> {
    let shares = ScaleShares::ByRounding;
    DftLevels { limbs, scale, primes: &[], target: scale, ring_slots, baby_steps, shares }
}

impl BootstrapCircuit {
    /// Plans a bootstrap over the two chains of primes; `None` without bootstrapping.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        levels: &Levels,
        main: &[f64],
        raised: &[f64],
    ) -> Option<Self> {
        let bootstrapping = literal.bootstrapping.clone()?;
        let bound = bootstrapping
            .encapsulated_secret(literal.ring_degree)
            .bound_for(bootstrapping.log2_fail - 1.0);
        let exponential = ExponentialSeries::new(bound, &bootstrapping.exponential);
        let range = bootstrapping.log2_range.exp2();
        let odd_function = SineSum::new(exponential, range, bootstrapping.sines.len() + 1);
        let (slots, sparse) = (literal.slots, SparseSlots::new(literal, main));
        let dft = |limbs, babies| dft_levels(limbs, babies, literal.ring_degree / 2, main[0]);
        let (cts, stc) = (&bootstrapping.coeffs_to_slots, &bootstrapping.slots_to_coeffs);
        let top_prime = main[main.len() - 1];
        // The switch to the first chain yields the scale of the first prime of the exponential.
        let target = top_prime * ratio_of_products(raised.iter().copied(), main.iter().copied());
        let (factors, copies) = match &sparse {
            None => (coeffs_to_slots(slots, &cts.stages, 0.5 / bound), 1),
            Some(it) => (coeffs_to_slots_sparse(slots, &cts.stages, 1.0 / bound), it.copies()),
        };
        let scale = main[0] * copies as f64;
        let coeffs_to_slots = HomomorphicDft::new(
            factors,
            &DftLevels { scale, target, ..dft(raised.len(), cts.baby_steps) },
            |_| literal.raised_key_shape(&bootstrapping),
        );
        let trace = SubringTrace::new(
            slots,
            literal.ring_degree / 2,
            bootstrapping.trace_halvings,
            literal.raised_key_shape(&bootstrapping),
        );
        let coeffs_to_slots = coeffs_to_slots.after_trace(trace);
        let bottom = literal.bottom_limbs();
        let from = DftLevels {
            scale: levels.scale_at(bottom),
            primes: &main[1..bottom],
            ..dft(bottom, stc.baby_steps)
        };
        let factors = slots_to_coeffs(slots, &stc.stages, 1.0 / range);
        let slots_to_coeffs = HomomorphicDft::new(factors, &from, |limbs| literal.key_shape(limbs));
        Some(Self {
            literal: literal.clone(),
            bootstrapping,
            levels: levels.clone(),
            bottom_prime: main[0],
            top_prime,
            coeffs_to_slots,
            slots_to_coeffs,
            odd_function,
            sparse,
        })
    }

    /// Checks that the matrices have usable scales.
    ///
    /// # Errors
    /// The errors of [`HomomorphicDft::check_scales`].
    pub(crate) fn check_scales(&self) -> Result<()> {
        self.coeffs_to_slots.check_scales()?;
        self.slots_to_coeffs.check_scales()
    }

    /// Moves slots to coefficients modulo q_0, as fractions of q_0 divided by the range.
    pub(crate) fn to_coefficients<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        ct: &A::Ciphertext,
    ) -> A::Ciphertext {
        let lowered = self.levels.lower(arithmetic, ct, self.levels.bottom());
        self.slots_to_coeffs.apply(arithmetic, matrices, lowered)
    }

    /// Returns the number of exponentials for slots with `parts` parts: sparse slots have both parts side by side.
    pub(crate) fn exponentials(&self, parts: usize) -> usize {
        if self.sparse.is_some() { 1 } else { parts }
    }

    /// The phases x = t/K of raised coefficients in slots: real parts and, if there are two, imaginary parts. Where
    /// slots are sparse, both are in one vector.
    pub(crate) fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
        parts: usize,
    ) -> Vec<A::Ciphertext> {
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, raised);
        let limbs = self.literal.all_limbs();
        let parts = real_parts(arithmetic, w, self.exponentials(parts));
        parts.into_iter().map(|part| arithmetic.switch_chain(part, 0, limbs)).collect()
    }

    /// Evaluates slots from phases: the odd function of their parts and, where slots are sparse, the mask that joins
    /// them.
    pub(crate) fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
        mask: Option<&A::Plain>,
    ) -> A::Ciphertext {
        let scale = self.scale_before_joining(arithmetic, self.levels.top());
        let halves =
            phases.into_par_iter().map(|x| self.odd_function.half(arithmetic, &x, scale)).collect();
        let joined = self.odd_function.join(arithmetic, halves);
        self.join_sparse(arithmetic, joined, mask)
    }

    /// Returns the scale that values need before joining, for results with `limbs` limbs at the scale of their level.
    pub(crate) fn scale_before_joining<A: Arithmetic>(&self, arithmetic: &A, limbs: usize) -> f64 {
        let scale = self.levels.scale_at(limbs);
        let sparse = self.sparse.as_ref();
        sparse.map_or(scale, |it| it.scale_before(arithmetic, limbs + 1, scale))
    }

    /// Joins the parts of sparse slots; leaves other values as they are.
    pub(crate) fn join_sparse<A: Arithmetic>(
        &self,
        arithmetic: &A,
        ct: A::Ciphertext,
        mask: Option<&A::Plain>,
    ) -> A::Ciphertext {
        match (&self.sparse, mask) {
            (Some(sparse), Some(mask)) => sparse.join(arithmetic, &ct, mask),
            _ => ct,
        }
    }

    /// Returns the dry run's shape of the mask for `parts` parts, if slots are sparse.
    pub(crate) fn mask_plan(&self, parts: usize) -> Option<PlainShape> {
        self.sparse.as_ref().map(|sparse| sparse.plans()[parts - 1])
    }

    /// The secret of raised ciphertexts.
    pub(crate) fn encapsulated_secret(&self) -> EncapsulatedSecret {
        self.bootstrapping.encapsulated_secret(self.literal.ring_degree)
    }

    /// Variance of an overflow.
    fn overflow_variance(&self) -> f64 {
        self.encapsulated_secret().overflow_variance()
    }

    /// The degree of the ring.
    pub(crate) fn ring_degree(&self) -> usize {
        self.literal.ring_degree
    }

    /// The primes to which ModRaise raises.
    pub(crate) fn raised_basis(&self) -> Basis {
        self.literal.raised_basis()
    }

    /// Dry run of a whole bootstrap, from a ciphertext with one or two parts. Returns the shape of the result, with its
    /// noise, and the bias that the bootstrap adds.
    pub(crate) fn predict(
        &self,
        dry_run: &DryRun,
        input: &Shape,
        parts: usize,
        bound: f64,
    ) -> (Shape, f64) {
        let range = self.bootstrapping.log2_range.exp2();
        let plans = self.slots_to_coeffs.plans();
        self.to_coefficients(dry_run, &plans, input);
        let variance = self.coefficient_variance(input, |input| {
            self.to_coefficients(&dry_run.afresh(), &plans, input)
        });
        let of_phases = 2.0 * range * range * self.predict_phases(dry_run, variance, parts);
        let phases = vec![self.exact_phase(); self.exponentials(parts)];
        let mut shape = self.evaluate(dry_run, phases, self.mask_plan(parts).as_ref());
        // Stated deviations are those of both parts, also for real slots.
        let evaluation = shape.noise * (EVALUATION_MARGIN * 2.0 / parts as f64);
        shape.noise = SlotNoise::roundings(of_phases) + evaluation;
        (shape, std::f64::consts::SQRT_2 * self.odd_function.bias(bound))
    }

    /// Noise of the coefficients to which a linear map moves slots. Its roundings spread over all N coefficients. Noise
    /// of the input and of matrices repeats like sparse slots do, and counts in the 2n coefficients of their subring.
    pub(crate) fn coefficient_variance(
        &self,
        input: &Shape,
        map: impl Fn(&Shape) -> Shape,
    ) -> CoefficientVariance {
        let (power, noise) = (SlotVariance(0.0), SlotNoise::ZERO);
        let all = map(input).noise.total();
        let of_roundings = map(&Shape { power, noise, ..*input }).noise.total().min(all);
        let (degree, own) = (self.literal.ring_degree as f64, 2.0 * self.literal.slots as f64);
        CoefficientVariance(of_roundings / degree + (all - of_roundings) / own)
    }

    /// Variance of the noise of t = v + I after ModRaise and CoeffsToSlots, for coefficients v modulo q_0 with this
    /// noise.
    pub(crate) fn predict_phases(
        &self,
        dry_run: &DryRun,
        coefficients: CoefficientVariance,
        parts: usize,
    ) -> f64 {
        let k = self.odd_function.series.bound;
        let noise = coefficients.0 * self.bottom_prime.powi(2);
        let raised = self.raised_basis();
        for request in mod_raise::key_requests(SharedLimbs::NONE, raised) {
            dry_run.request(request);
        }
        let secret = self.encapsulated_secret();
        let raised = mod_raise::raised_shape(secret, raised, self.bottom_prime, noise);
        let phases = self.phases(dry_run, &self.coeffs_to_slots.plans(), raised, parts);
        phases[0].noise.total() * k * k
    }

    /// A phase without noise. An error of it in the imaginary direction enters results times sin θ, which is small.
    pub(crate) fn exact_phase(&self) -> Shape {
        let k = self.odd_function.series.bound;
        let variance = self.overflow_variance();
        let limbs = self.literal.all_limbs();
        Shape::new(limbs, self.top_prime, variance / (k * k), SlotNoise::ZERO)
    }
}

/// The encoded matrices of a bootstrap.
#[derive(Debug)]
pub(crate) struct BootstrapMatrices {
    pub slots_to_coeffs: Vec<LinearTransform>,
    pub coeffs_to_slots: Vec<LinearTransform>,
    /// Masks that join sparse slots with one part, and with two.
    masks: Option<[Plaintext; 2]>,
}

impl BootstrapMatrices {
    pub(crate) fn encode(circuit: &BootstrapCircuit, ring: &Ring) -> Self {
        let slots_to_coeffs = circuit.slots_to_coeffs.encode(ring);
        let limbs = circuit.levels.top() + 1;
        let masks = circuit.sparse.as_ref().map(|sparse| sparse.encode(ring, limbs));
        Self { slots_to_coeffs, coeffs_to_slots: circuit.coeffs_to_slots.encode(ring), masks }
    }

    /// Returns the mask for slots of `parts` parts, if they are sparse.
    pub(crate) fn mask(&self, parts: usize) -> Option<&Plaintext> {
        self.masks.as_ref().map(|masks| &masks[parts - 1])
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let all = self.slots_to_coeffs.iter().chain(&self.coeffs_to_slots);
        let masks = self.masks.iter().flatten().map(|mask| 8 * mask.poly.words().len());
        all.map(LinearTransform::memory_bytes).sum::<usize>() + masks.sum::<usize>()
    }
}
