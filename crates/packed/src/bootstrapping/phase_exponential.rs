//! The way from a raised ciphertext to exponentials of its phase: CoeffsToSlots and the exponential.
//!
//! This is the part of functional bootstrapping that does not depend on tables (lines 3 and 4 of Algorithm 1 of Dumezy
//! et al., TCHES 2026(1), ePrint 2025/1301). AKP, multi-value bootstrapping and every digit of a decomposition begin
//! with it.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::bootstrapping::homomorphic_dft::{
    DftLevels, HomomorphicDft, ScaleShares, real_parts,
};
use cryptable_ckks::bootstrapping::mod_raise::{mod_raise, raised_shape};
use cryptable_ckks::bootstrapping::subring_trace::SubringTrace;
use cryptable_ckks::dft_factors::{coeffs_to_slots, coeffs_to_slots_sparse};
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::kept::Kept;
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_ckks::{Arithmetic, Ciphertext, DryRun, Evaluator};
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;

use crate::literal::ParametersLiteral;
use cryptable_ring::Basis;

/// Nodes, in standard deviations, and weights for averaging even functions over a Gaussian (Gauss-Hermite quadrature
/// with five nodes).
const GAUSSIAN_PLACES: [(f64, f64); 3] =
    [(0.0, 0.533_333), (1.355_626, 0.444_152), (2.856_970, 0.022_515)];

/// Maximum number of values of an input that errors are averaged over.
const AVERAGED_VALUES: u64 = 64;

/// Everything that errors of an exponential depend on.
type PhaseKey = (EncapsulatedSecret, u64, (PhaseFunction, ExponentialShape));

/// The plan of CoeffsToSlots and of the exponential.
#[derive(Clone, Debug)]
pub(crate) struct PhaseExponential {
    /// Number of exponentials per ciphertext of complex slots.
    parts: usize,
    /// Whether phases and exponentials are in real slots.
    is_real: bool,
    /// Whether exponentials go to the half ring.
    is_half: bool,
    secret: EncapsulatedSecret,
    limbs: usize,
    bottom_prime: f64,
    /// Bound K of the phase.
    pub bound: f64,
    /// The plan of CoeffsToSlots, and of the trace before it where slots are sparse.
    pub coeffs_to_slots: HomomorphicDft,
    exponential: Exponential,
}

impl PhaseExponential {
    /// Plans CoeffsToSlots and the exponential at the top of the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        let secret = literal.encapsulated_secret();
        let bound = secret.bound_for(literal.log2_fail_overflow());
        let (degree, values) = (literal.ring_degree, literal.input_slots());
        let slots = values / 2;
        let limbs = literal.limbs();
        let cts = &literal.coeffs_to_slots;
        let matrices = if values < degree {
            coeffs_to_slots_sparse(slots, &cts.stages, 1.0 / bound)
        } else {
            coeffs_to_slots(slots, &cts.stages, 0.5 / bound)
        };
        // The way to real slots counts as one more matrix: it divides by the last prime.
        let (entry, target) = (limbs - cts.primes, primes[limbs - cts.primes - 1]);
        let crossing = usize::from(literal.real_slots);
        let wide = |target, prime| target * prime / literal.crossing_scale();
        let levels = DftLevels {
            limbs,
            scale: primes[0] * (degree / values) as f64,
            primes: &primes[entry + crossing..],
            target: primes[entry..entry + crossing].iter().fold(target, wide),
            ring_slots: degree / 2,
            baby_steps: cts.baby_steps,
            shares: ScaleShares::Equal,
        };
        let trace = SubringTrace::new(
            slots,
            degree / 2,
            literal.trace_halvings,
            literal.transform_shape(limbs),
        );
        let mut coeffs_to_slots =
            HomomorphicDft::new(matrices, &levels, |limbs| literal.transform_shape(limbs))
                .sharing_baby_keys(cts.keyed_babies)
                .with_baby_steps(degree / 2, &cts.matrix_babies)
                .after_trace(trace);
        if literal.raising_matrix {
            coeffs_to_slots = coeffs_to_slots.raising(degree / 2);
        }
        let mut exponential =
            Exponential::new(literal.phase_function(), bound, literal.exponential_shape());
        if literal.multiplexer.is_some() && literal.phase_function() == PhaseFunction::Cosine {
            exponential = exponential.at_half_scale();
        }
        Self {
            parts: literal.parts(),
            is_real: literal.real_slots,
            is_half: literal.half_digits > 0,
            secret,
            limbs,
            bottom_prime: primes[0],
            bound,
            coeffs_to_slots,
            exponential,
        }
    }

    /// Returns the same plan for a dry run that predicts the noise of an average input.
    pub(crate) fn of_average_phases(&self) -> Self {
        Self { exponential: self.exponential.clone().of_average_phases(), ..self.clone() }
    }

    /// The mean square of the change that the approximation makes to the modulus, over phases `m/p + I` of all m, or of
    /// up to 64 of them. The variance of t is about `(h + 1)/12`, that of a sum of h + 1 uniforms, where h is the
    /// weight of the sparse secret, or the sum of all owners' weights.
    pub(crate) fn mean_square_modulus_error(&self, p: u64) -> f64 {
        static ERRORS: Kept<(u64, PhaseKey), f64> = Kept::new();
        ERRORS.get((p, self.key()), |_| true, || self.averaged_modulus_error(p))
    }

    /// Computes [`PhaseExponential::mean_square_modulus_error`] by a sum.
    fn averaged_modulus_error(&self, p: u64) -> f64 {
        let step = p.div_ceil(AVERAGED_VALUES) as usize;
        let variance = self.secret.overflow_variance();
        let bound = self.bound.floor() as i64;
        let (mut sum, mut weights) = (0.0, 0.0);
        for value in (0..p).step_by(step) {
            for overflow in -bound..bound {
                let t = overflow as f64 + value as f64 / p as f64;
                let weight = (-t * t / (2.0 * variance)).exp();
                sum += weight * self.exponential.modulus_error(t / self.bound).powi(2);
                weights += weight;
            }
        }
        sum / weights
    }

    /// Everything that errors of the exponential depend on: secret, bits of the bound, function and sizes.
    fn key(&self) -> PhaseKey {
        (self.secret, self.bound.to_bits(), self.exponential.kind())
    }

    /// The prime q_0, which inputs are switched to.
    pub(crate) fn bottom_prime(&self) -> f64 {
        self.bottom_prime
    }

    /// The shape of a raised ciphertext, for an input whose noise has the given variance per coefficient modulo q_0.
    pub(crate) fn raised_shape(&self, input_noise: f64) -> Shape {
        let raised = Basis::main(self.limbs);
        raised_shape(self.secret, raised, self.bottom_prime, input_noise)
    }

    /// Applies ModRaise, up to where CoeffsToSlots begins.
    pub(crate) fn raise(
        &self,
        evaluator: &Evaluator<'_>,
        input: &CoefficientCiphertext,
    ) -> Ciphertext {
        mod_raise(evaluator, input, self.limbs, &self.coeffs_to_slots)
    }

    /// Applies CoeffsToSlots: returns the phases x = t/K in slots, as one real ciphertext (sparse packing, the first
    /// half of the ring, or real slots) or two.
    pub(crate) fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
    ) -> Vec<A::Ciphertext> {
        arithmetic.begin_stage("coeffs_to_slots");
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, raised);
        if self.is_real {
            arithmetic.begin_stage("enter_inner_ring");
            return vec![arithmetic.enter_inner(&w)];
        }
        real_parts(arithmetic, w, self.parts)
    }

    /// The ratio of the noise that the roundings on the way from phases leave in exponentials to that of one rounding:
    /// the largest and the mean over phases. If the ratio is not known, the dry run determines the noise.
    fn rounding_gains(&self) -> Option<[f64; 2]> {
        static GAINS: Kept<PhaseKey, Option<[f64; 2]>> = Kept::new();
        GAINS.get(self.key(), |_| true, || self.averaged_gains())
    }

    /// Computes [`PhaseExponential::rounding_gains`] by a sum.
    fn averaged_gains(&self) -> Option<[f64; 2]> {
        let deviation = self.secret.overflow_variance().sqrt() / self.bound;
        let mut gains = [0.0; 2];
        for (place, weight) in GAUSSIAN_PLACES {
            let gain = self.exponential.rounding_gain((place * deviation).min(1.0))?;
            gains = [f64::max(gains[0], gain), gains[1] + weight * gain];
        }
        Some(gains)
    }

    /// The ratio of the average noise of exponentials to the largest.
    pub(crate) fn average_share(&self) -> f64 {
        self.rounding_gains().map_or(1.0, |[worst, average]| average / worst)
    }

    /// The exponentials in a dry run, with their noise beyond the real part of that of their phases.
    ///
    /// A conjugation makes phases real, except for its own noise, half of which is imaginary and becomes an error of
    /// modulus.
    pub(crate) fn predict(&self, dry_run: &DryRun, raised: Shape) -> Vec<Shape> {
        let mut phases = self.phases(dry_run, &self.coeffs_to_slots.plans(), raised);
        phases.iter_mut().for_each(|x| x.noise = SlotNoise::ZERO);
        let conjugation = dry_run.afresh().conjugate(&phases[0]).noise;
        let mut exponentials = self.series(dry_run, phases);
        if let Some([worst, _]) = self.rounding_gains() {
            for z in &mut exponentials {
                let SlotNoise { fixed, bound, .. } = z.noise;
                let noise = dry_run.rounding_noise(z.scale) * worst
                    + conjugation * self.exponential.phase_gain();
                z.noise = SlotNoise { fixed, bound, ..noise };
            }
        }
        self.in_inner_ring(dry_run, exponentials)
    }

    /// Computes the exponentials `e^{2πit}` (`cos 2πt` for p = 2) of all phases, in parallel; in real slots, `cos 2πt`
    /// and `sin 2πt`.
    pub(crate) fn exponentials<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
    ) -> Vec<A::Ciphertext> {
        self.in_inner_ring(arithmetic, self.series(arithmetic, phases))
    }

    /// Moves exponentials to the half ring if tables are evaluated there.
    fn in_inner_ring<A: Arithmetic>(
        &self,
        arithmetic: &A,
        exponentials: Vec<A::Ciphertext>,
    ) -> Vec<A::Ciphertext> {
        if !self.is_half {
            return exponentials;
        }
        arithmetic.begin_stage("enter_inner_ring");
        arithmetic.map_all(exponentials, |z| arithmetic.enter_inner(&z))
    }

    fn series<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
    ) -> Vec<A::Ciphertext> {
        if let ([x], true) = (&phases[..], self.is_real) {
            return self.exponential.evaluate_parts(&arithmetic.over_inner(), x).into();
        }
        arithmetic.map_all(phases, |x| self.exponential.evaluate(arithmetic, &x))
    }
}
