//! Bootstrapping as a circuit, for ciphertexts and for dry runs: SlotsToCoeffs, ModRaise through a sparse secret,
//! CoeffsToSlots in a chain of its own, and the odd function of period 1 of both parts (Cheon, Han, Kim, Kim, Song,
//! EUROCRYPT 2018, ePrint 2018/153; the order of Bae, Cheon, Kim, Stehlé, EUROCRYPT 2024, ePrint 2024/767, in which
//! SlotsToCoeffs runs where ciphertexts are smallest).
//!
//! **Noise.** Of a slot z = x + iy with parts within 1, as fractions of q_0, x/B comes to a coefficient. With noise of variance
//! ν in phases t = x/B + I, the result has `2·B²·ν`, and what the evaluation of the odd function adds for exact phases. Its
//! bias is that of the odd function, `|θ|^5/30·B/2π` with θ = 2π·x/B, in both parts.

use cryptable_ckks::arithmetic::ratio_of_products;
use cryptable_ckks::bootstrapping::homomorphic_dft::{
    DftLevels, HomomorphicDft, ScaleShares, real_parts,
};
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::bootstrapping::wave_series::WaveSeries;
use cryptable_ckks::dft_factors::{coeffs_to_slots, slots_to_coeffs};
use cryptable_ckks::dry_run::{Shape, SlotVariance};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_ckks::overflow::bound_for;
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::Result;
use rayon::prelude::*;

use crate::levels::Levels;
use crate::literal::{BootstrappingLiteral, ParametersLiteral};
use crate::odd_wave::OddWave;

/// The evaluation of the exponential has this much more variance than the dry run says, which takes the noises of the terms
/// of a series as independent.
pub(crate) const EVALUATION_MARGIN: f64 = 1.5;

/// The public part of a bootstrap for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct BootstrapCircuit {
    literal: ParametersLiteral,
    /// How levels come back.
    pub bootstrapping: BootstrappingLiteral,
    /// Scales of levels.
    pub levels: Levels,
    bottom_prime: f64,
    top_prime: f64,
    /// The plan of CoeffsToSlots.
    pub coeffs_to_slots: HomomorphicDft,
    /// The plan of SlotsToCoeffs.
    pub slots_to_coeffs: HomomorphicDft,
    /// The odd function.
    pub wave: OddWave,
}

impl BootstrapCircuit {
    /// Plans it over the two chains of primes; none without bootstrapping.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        levels: &Levels,
        (main, raised): (&[f64], &[f64]),
    ) -> Option<Self> {
        let bootstrapping = literal.bootstrapping.clone()?;
        let range = bootstrapping.log2_range.exp2();
        let bound = bound_for(bootstrapping.sparse_weight, bootstrapping.log2_fail - 1.0);
        let series = WaveSeries::new(bound, &bootstrapping.wave);
        let wave = OddWave::new(series, range, bootstrapping.sines.len() + 1);
        let ring_slots = literal.ring_degree / 2;
        let dft = |limbs, baby_steps| DftLevels {
            limbs,
            scale: main[0],
            primes: &[],
            target: main[0],
            ring_slots,
            baby_steps,
            shares: ScaleShares::ByRounding,
        };
        let cts = &bootstrapping.coeffs_to_slots;
        let top_prime = main[main.len() - 1];
        // The switch to the first chain leaves the scale of the first prime of the exponential.
        let target = top_prime * ratio_of_products(raised.iter().copied(), main.iter().copied());
        let coeffs_to_slots = HomomorphicDft::new(
            coeffs_to_slots(ring_slots, &cts.stages, 0.5 / bound),
            &DftLevels { target, ..dft(raised.len(), cts.baby_steps) },
            |_| literal.raised_key_shape(&bootstrapping),
        );
        let stc = &bootstrapping.slots_to_coeffs;
        let bottom = literal.bottom_limbs();
        let from = DftLevels {
            scale: levels.scale_at(bottom),
            primes: &main[1..bottom],
            ..dft(bottom, stc.baby_steps)
        };
        let matrices = slots_to_coeffs(ring_slots, &stc.stages, 1.0 / range);
        let slots_to_coeffs =
            HomomorphicDft::new(matrices, &from, |limbs| literal.key_shape(limbs));
        Some(Self {
            literal: literal.clone(),
            bootstrapping,
            levels: levels.clone(),
            bottom_prime: main[0],
            top_prime,
            coeffs_to_slots,
            slots_to_coeffs,
            wave,
        })
    }

    /// Demands matrices with scales that serve.
    ///
    /// # Errors
    /// As [`HomomorphicDft::check_scales`].
    pub(crate) fn check_scales(&self) -> Result<()> {
        self.coeffs_to_slots.check_scales()?;
        self.slots_to_coeffs.check_scales()
    }

    /// Slots as fractions of q_0 over the range, in coefficients, modulo q_0.
    pub(crate) fn to_coefficients<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        ct: &A::Ciphertext,
    ) -> A::Ciphertext {
        let lowered = self.levels.lower(arithmetic, ct, self.levels.bottom());
        self.slots_to_coeffs.apply(arithmetic, matrices, lowered)
    }

    /// The phases x = t/K of raised coefficients in slots, real parts, and imaginary ones if there are two.
    pub(crate) fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
        parts: usize,
    ) -> Vec<A::Ciphertext> {
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, raised);
        let limbs = self.literal.all_limbs();
        let parts = real_parts(arithmetic, w, parts);
        parts.into_iter().map(|part| arithmetic.switch_chain(part, 0, limbs)).collect()
    }

    /// Slots from phases: the odd function of both parts.
    pub(crate) fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
    ) -> A::Ciphertext {
        let scale = self.levels.scale_at(self.levels.top());
        let halves =
            phases.into_par_iter().map(|x| self.wave.half(arithmetic, &x, scale)).collect();
        self.wave.join(arithmetic, halves)
    }

    /// The primes that ModRaise raises to.
    pub(crate) fn raised_basis(&self) -> cryptable_ring::Basis {
        self.literal.raised_basis()
    }

    /// A dry run of all of it from a ciphertext: what is known of the result, its noise and the bias that it adds.
    pub(crate) fn predict(&self, dry_run: &DryRun, input: &Shape, bound: f64) -> (Shape, f64) {
        let range = self.bootstrapping.log2_range.exp2();
        let coefficients = self.to_coefficients(dry_run, &self.slots_to_coeffs.plans(), input);
        let of_phases = 2.0 * range * range * self.predict_phases(dry_run, &coefficients, 2);
        let mut shape = self.evaluate(dry_run, vec![self.exact_phase(); 2]);
        shape.noise.0 = of_phases + EVALUATION_MARGIN * shape.noise.0;
        (shape, std::f64::consts::SQRT_2 * self.wave.bias(bound))
    }

    /// Variance of the noise of t = v + I, for coefficients v modulo q_0 as they come out of SlotsToCoeffs: ModRaise and
    /// CoeffsToSlots.
    pub(crate) fn predict_phases(
        &self,
        dry_run: &DryRun,
        coefficients: &Shape,
        parts: usize,
    ) -> f64 {
        let (degree, k) = (self.literal.ring_degree, self.wave.series.bound);
        // N coefficients share the noise of slots out.
        let noise = coefficients.noise.0 / degree as f64 * self.bottom_prime.powi(2);
        let raised = self.raised_basis();
        for request in mod_raise::key_requests(cryptable_ring::SharedLimbs::NONE, raised) {
            dry_run.request(request);
        }
        let secret = (degree, self.bootstrapping.sparse_weight);
        let raised = mod_raise::raised_shape(secret, raised, self.bottom_prime, noise);
        let phases = self.phases(dry_run, &self.coeffs_to_slots.plans(), raised, parts);
        phases[0].noise.0 * k * k
    }

    /// A phase without noise. An error of it in the imaginary direction comes to results times sin θ, which is small.
    pub(crate) fn exact_phase(&self) -> Shape {
        let k = self.wave.series.bound;
        let variance = f64::from(self.bootstrapping.sparse_weight + 1) / 12.0;
        Shape {
            limbs: self.literal.all_limbs(),
            chain: 0,
            scale: self.top_prime,
            power: SlotVariance(variance / (k * k)),
            noise: SlotVariance(0.0),
            sources: NoiseSources::UNKNOWN,
        }
    }
}
