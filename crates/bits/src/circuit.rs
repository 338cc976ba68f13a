//! BinBoot (Algorithm 2) and GateBoot (Algorithm 3) of Bae, Cheon, Kim, Stehlé (EUROCRYPT 2024, ePrint 2024/767) as
//! circuits, for ciphertexts and for dry runs.

use cryptable_ckks::bootstrapping::exponential_series::ExponentialSeries;
use cryptable_ckks::bootstrapping::homomorphic_dft::{
    DftLevels, HomomorphicDft, ScaleShares, real_parts,
};
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::bootstrapping::subring_trace::{SubringTrace, TraceHalvings};
use cryptable_ckks::chain_primes;
use cryptable_ckks::dft_factors::{
    coeffs_to_slots, coeffs_to_slots_sparse, slots_to_coeffs, slots_to_coeffs_sparse,
};
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::KeyRequest;
use num_complex::Complex64;

use crate::literal::ParametersLiteral;
use crate::periodic_evaluation;
use crate::periodic_function::PeriodicFunction;

/// Largest modulus m for which sums of bits become fractions of m.
pub(crate) const MAX_MODULUS: u64 = 16;

/// The public part of a bootstrap for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct BitCircuit {
    literal: ParametersLiteral,
    primes: Vec<f64>,
    raised_primes: Vec<f64>,
    /// The plan of CoeffsToSlots.
    pub coeffs_to_slots: HomomorphicDft,
    /// The plan of SlotsToCoeffs, for fractions of 2. For other fractions only the numbers in its matrices differ.
    pub slots_to_coeffs: HomomorphicDft,
    /// The series of the exponential.
    pub series: ExponentialSeries,
}

impl BitCircuit {
    /// Plans a bootstrap over the two chains of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64], raised: &[f64]) -> Self {
        let bound = literal.encapsulated_secret().bound_for(literal.log2_fail - 1.0);
        let series = ExponentialSeries::new(bound, &literal.exponential);
        let coeffs_to_slots = plan_coeffs_to_slots(literal, [primes, raised], series.bound);
        let (literal, primes, raised_primes) = (literal.clone(), primes.to_vec(), raised.to_vec());
        let slots_to_coeffs = plan_slots_to_coeffs(&literal, &primes, 2);
        Self { literal, primes, raised_primes, coeffs_to_slots, slots_to_coeffs, series }
    }

    /// Returns the plan of SlotsToCoeffs for sums of bits that become fractions of m.
    pub(crate) fn slots_to_coeffs_of(&self, m: u64) -> HomomorphicDft {
        plan_slots_to_coeffs(&self.literal, &self.primes, m)
    }

    /// Returns the scale of bits with `limbs` limbs: after a bootstrap the next prime to be dropped, and below that the
    /// scale that products leave.
    pub(crate) fn scale_at(&self, limbs: usize) -> f64 {
        scale_at(&self.literal, &self.primes, limbs)
    }

    /// Lowers bits to fewer limbs and to the scale of that level.
    pub(crate) fn lower<A: Arithmetic>(
        &self,
        arithmetic: &A,
        bits: &A::Ciphertext,
        limbs: usize,
    ) -> A::Ciphertext {
        if arithmetic.limbs(bits) == limbs {
            return bits.clone();
        }
        let wide = self.scale_at(limbs) * self.primes[limbs];
        let row = [vec![Complex64::ONE]];
        let mut scaled = arithmetic.linear_combinations(limbs + 1, &[bits], &row, wide);
        arithmetic.rescale(scaled.swap_remove(0), 1)
    }

    /// Moves sums of bits from slots to coefficients, as fractions of m modulo q_0: the first step of both algorithms.
    /// The matrices determine m. Complex packing joins two ciphertexts into one.
    pub(crate) fn to_coefficients<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        parts: &[A::Ciphertext],
    ) -> A::Ciphertext {
        assert_eq!(parts.len(), self.literal.packing.parts());
        let limbs = self.literal.input_limbs();
        let mut joined = self.lower(arithmetic, &parts[0], limbs);
        if let Some(imaginary) = parts.get(1) {
            let mut imaginary = self.lower(arithmetic, imaginary, limbs);
            arithmetic.mul_imaginary_unit_assign(&mut imaginary);
            arithmetic.add_assign(&mut joined, &imaginary);
        }
        let mut coefficients = self.slots_to_coeffs.apply(arithmetic, matrices, joined);
        if self.literal.packing.is_sparse() {
            let rotated = arithmetic.rotate(&coefficients, self.literal.transformed());
            arithmetic.add_assign(&mut coefficients, &rotated);
        }
        coefficients
    }

    /// From a raised ciphertext to bits in slots: CoeffsToSlots, the real part (and the imaginary one), the functions.
    /// Lines 1 to 3 of Algorithm 2, 2 to 4 of Algorithm 3. Results are indexed by part, then by function.
    pub(crate) fn half_bootstrap<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
        functions: &[PeriodicFunction],
    ) -> Vec<Vec<A::Ciphertext>> {
        let phases = self.phases(arithmetic, matrices, raised);
        self.evaluate_parts(arithmetic, phases, functions)
    }

    /// Evaluates functions of phases. Results are indexed by part, then by function.
    pub(crate) fn evaluate_parts<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
        functions: &[PeriodicFunction],
    ) -> Vec<Vec<A::Ciphertext>> {
        arithmetic.map_all(phases, |x| self.evaluate(arithmetic, &x, functions))
    }

    /// The phases x = t/K in slots, as one or two real ciphertexts.
    pub(crate) fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
    ) -> Vec<A::Ciphertext> {
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, raised);
        // The switch of chains divides the conjugation's noise, too.
        let parts = real_parts(arithmetic, w, self.literal.packing.parts());
        let limbs = self.literal.exponential_limbs();
        parts.into_iter().map(|part| arithmetic.switch_chain(part, 0, limbs)).collect()
    }

    fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        functions: &[PeriodicFunction],
    ) -> Vec<A::Ciphertext> {
        let top = self.literal.output_limbs();
        let end = top - periodic_evaluation::levels_after_exponential(functions);
        let (before, after) = (self.scale_at(top), self.scale_at(end));
        periodic_evaluation::evaluate(arithmetic, &self.series, x, functions, before, after)
    }

    /// Predicts the noise that the evaluation of functions adds to one part, for exact phases. The noise of phases,
    /// which functions square or amplify, is [`Self::raised_noise`]. Only the imaginary parts of phases are added here:
    /// they become errors of the modulus of `e^{2πit}`. They have the noise of a whole rounding, because taking real
    /// parts removes none of it.
    pub(crate) fn evaluation_noise(&self, functions: &[PeriodicFunction]) -> Vec<SlotNoise> {
        let dry_run = self.dry_run();
        let limbs = self.literal.exponential_limbs();
        let scale = self.primes[limbs - 1];
        let variance = self.literal.encapsulated_secret().overflow_variance();
        let power = variance / (self.series.bound * self.series.bound);
        let x = Shape::new(limbs, scale, power, dry_run.rounding_noise(scale));
        self.evaluate(&dry_run, &x, functions).into_iter().map(|output| output.noise).collect()
    }

    /// Dry run of a bootstrap of sums of bits, slots in and slots out, for its counts and keys.
    pub(crate) fn predict(&self, functions: &[PeriodicFunction]) -> DryRun {
        let dry_run = self.dry_run();
        let exact = self.sums(1.0, 0.0);
        self.to_coefficients(&dry_run, &self.slots_to_coeffs.plans(), &exact);
        self.predict_half(&dry_run, functions);
        dry_run
    }

    /// Dry run of a bootstrap of coefficients.
    pub(crate) fn predict_half(&self, dry_run: &DryRun, functions: &[PeriodicFunction]) {
        let raised = self.literal.raised_basis();
        for request in mod_raise::key_requests(self.literal.shared_limbs(), raised) {
            dry_run.request(request);
        }
        self.half_bootstrap(dry_run, &self.coeffs_to_slots.plans(), self.raised(0.0), functions);
    }

    /// Makes a dry run over these primes.
    pub(crate) fn dry_run(&self) -> DryRun {
        DryRun::new(self.literal.dry_run_parameters([&self.primes, &self.raised_primes]))
    }

    /// Variance of the noise of a coefficient sum/m after SlotsToCoeffs, as a fraction of q_0. `power` is the mean
    /// square of the sums, and `noise` the variance of each of their real and imaginary parts.
    pub(crate) fn coefficient_noise(&self, m: u64, power: f64, noise: f64) -> f64 {
        let mut plans = self.slots_to_coeffs.plans();
        let stages = &self.literal.slots_to_coeffs.stages;
        let levels: u32 = stages.iter().sum();
        for (plan, &stage) in plans.iter_mut().zip(stages) {
            // Each matrix contributes its share of the factor 1/m, which replaces 1/2.
            plan.row_norm *= (2.0 / m as f64).powf(f64::from(stage) / f64::from(levels));
        }
        let of_slots =
            |sums: Vec<Shape>| self.to_coefficients(&self.dry_run(), &plans, &sums).noise.total();
        let all = of_slots(self.sums(power, 2.0 * noise));
        let roundings = of_slots(self.sums(0.0, 0.0));
        // N coefficients share the noise of the slots. Slots that repeat (sparse packing) have their noise in
        // coefficients of the subring. There, joining both parts doubles coefficients: four times their variance, but
        // only twice that of slots.
        let doubled = if self.literal.packing.is_sparse() { 2.0 } else { 1.0 };
        let (degree, own) =
            (self.literal.ring_degree as f64, 2.0 * self.literal.transformed() as f64);
        doubled * roundings / degree + (all - roundings) / own
    }

    /// Variance of the noise of t = v + I, after CoeffsToSlots, for coefficients v with noise of the given variance, as
    /// fractions of q_0.
    pub(crate) fn raised_noise(&self, input: f64) -> f64 {
        let plans = self.coeffs_to_slots.plans();
        let phases = self.phases(&self.dry_run(), &plans, self.raised(input));
        phases[0].noise.total() * self.series.bound * self.series.bound
    }

    /// The part of t's noise that comes from rounding in the switch to the first chain: noise of slots.
    pub(crate) fn last_phase_noise(&self) -> f64 {
        let scale = self.primes[self.literal.exponential_limbs() - 1];
        let bound = self.series.bound;
        self.dry_run().rounding_noise(scale).total() * bound * bound
    }

    /// Shapes of the sums of bits that a dry run begins with.
    fn sums(&self, power: f64, noise: f64) -> Vec<Shape> {
        let limbs = self.literal.output_limbs();
        let noise = SlotNoise::roundings(noise);
        let sums = Shape::new(limbs, self.scale_at(limbs), power, noise);
        vec![sums; self.literal.packing.parts()]
    }

    /// Returns the dry run's shape of a raised ciphertext.
    fn raised(&self, input: f64) -> Shape {
        let (secret, basis) = (self.literal.encapsulated_secret(), self.literal.raised_basis());
        let input = input * self.primes[0].powi(2);
        mod_raise::raised_shape(secret, basis, self.primes[0], input)
    }

    /// Every key that bootstraps need. All functions need the same keys.
    pub(crate) fn key_requests(&self) -> Vec<KeyRequest> {
        self.predict(&[PeriodicFunction::bin_boot()]).key_requests()
    }
}

/// Plans CoeffsToSlots for phases within `bound`, with the trace before it where slots are sparse.
fn plan_coeffs_to_slots(
    literal: &ParametersLiteral,
    chains: [&[f64]; 2],
    bound: f64,
) -> HomomorphicDft {
    let (numbers, stages) = (literal.transformed(), &literal.coeffs_to_slots.stages);
    let is_sparse = literal.packing.is_sparse();
    let factors = if is_sparse {
        coeffs_to_slots_sparse(numbers, stages, 1.0 / bound)
    } else {
        coeffs_to_slots(numbers, stages, 0.5 / bound)
    };
    let (shape, levels) = (literal.raised_key_shape(), literal.coeffs_to_slots_levels(chains));
    let halvings = TraceHalvings::of(is_sparse);
    let trace = SubringTrace::new(numbers, levels.ring_slots, halvings, shape);
    let plan = HomomorphicDft::new(factors, &levels, |_| shape).after_trace(trace);
    if literal.raising_matrix { plan.raising(levels.ring_slots) } else { plan }
}

/// Plans SlotsToCoeffs for sums of bits that become fractions of m.
fn plan_slots_to_coeffs(literal: &ParametersLiteral, primes: &[f64], m: u64) -> HomomorphicDft {
    let limbs = literal.input_limbs();
    let stc = &literal.slots_to_coeffs;
    let transform =
        if literal.packing.is_sparse() { slots_to_coeffs_sparse } else { slots_to_coeffs };
    let matrices = transform(literal.transformed(), &stc.stages, 1.0 / m as f64);
    let levels = DftLevels {
        limbs,
        scale: scale_at(literal, primes, limbs),
        primes: &primes[1..limbs],
        target: primes[0],
        ring_slots: literal.ring_degree / 2,
        baby_steps: stc.baby_steps,
        shares: ScaleShares::ByRounding,
    };
    HomomorphicDft::new(matrices, &levels, |limbs| literal.key_shape(limbs))
}

/// Returns the scale of bits with `limbs` limbs.
fn scale_at(literal: &ParametersLiteral, primes: &[f64], limbs: usize) -> f64 {
    let top = literal.output_limbs();
    assert!((literal.input_limbs()..=top).contains(&limbs), "{limbs} of {top} limbs");
    chain_primes::scale_at(primes, top, limbs)
}
