//! BinBoot (Algorithm 2) and GateBoot (Algorithm 3) of Bae, Cheon, Kim, Stehlé (EUROCRYPT 2024, ePrint 2024/767) as
//! circuits, for ciphertexts and for dry runs.

use cryptable_ckks::bootstrapping::homomorphic_dft::{DftLevels, HomomorphicDft, real_parts};
use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::dft_factors::{coeffs_to_slots, slots_to_coeffs};
use cryptable_ckks::dry_run::{Shape, SlotVariance};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_ckks::overflow::bound_for;
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::KeyRequest;
use num_complex::Complex64;
use rayon::prelude::*;

use crate::gate::{Gate, Wave};
use crate::literal::ParametersLiteral;
use crate::wave_series::WaveSeries;

/// Moduli m that sums of bits are taken as fractions of: 2 for one bit (BinBoot), 3 for two (GateBoot).
pub(crate) const MODULI: [u64; 2] = [2, 3];

/// The public part of a bootstrap for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct BitCircuit {
    literal: ParametersLiteral,
    primes: Vec<f64>,
    /// The plan of CoeffsToSlots.
    pub coeffs_to_slots: HomomorphicDft,
    /// The plans of SlotsToCoeffs, one for each of [`MODULI`].
    pub slots_to_coeffs: Vec<HomomorphicDft>,
    /// The series of the wave.
    pub series: WaveSeries,
}

/// What a dry run of a bootstrap finds.
#[derive(Debug)]
pub(crate) struct BitPrediction {
    /// Variance of the noise of t = sum/m + I, after CoeffsToSlots.
    pub phase_noise: f64,
    /// The output, with the noise that the wave's evaluation adds.
    pub output: Shape,
    /// Operation counts and key requests.
    pub dry_run: DryRun,
}

impl BitCircuit {
    /// Plans it over the given chain of primes.
    pub(crate) fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        let bound = bound_for(literal.sparse_weight, literal.log2_fail - 1.0);
        let series = WaveSeries::new(bound, &literal.wave);
        let slots = literal.ring_degree / 2;
        let cts = &literal.coeffs_to_slots;
        let coeffs_to_slots = HomomorphicDft::new(
            coeffs_to_slots(slots, &cts.stages, 0.5 / series.bound),
            &literal.coeffs_to_slots_levels(primes),
            |limbs| literal.key_shape(limbs),
        );
        let mut circuit = Self {
            literal: literal.clone(),
            primes: primes.to_vec(),
            coeffs_to_slots,
            slots_to_coeffs: Vec::new(),
            series,
        };
        circuit.slots_to_coeffs = MODULI.iter().map(|&m| circuit.plan_slots_to_coeffs(m)).collect();
        circuit
    }

    /// SlotsToCoeffs for sums of bits that become fractions of m.
    fn plan_slots_to_coeffs(&self, m: u64) -> HomomorphicDft {
        let (literal, limbs) = (&self.literal, self.literal.input_limbs());
        let stc = &literal.slots_to_coeffs;
        let matrices = slots_to_coeffs(literal.ring_degree / 2, &stc.stages, 1.0 / m as f64);
        let levels = DftLevels {
            limbs,
            scale: self.scale_at(limbs),
            primes: &self.primes[1..limbs],
            target: self.primes[0],
            ring_slots: literal.ring_degree / 2,
            baby_steps: stc.baby_steps,
        };
        HomomorphicDft::new(matrices, &levels, |limbs| literal.key_shape(limbs))
    }

    /// The scale that bits have with so many limbs: after a bootstrap the next prime to be dropped, and from there on
    /// what products leave.
    pub(crate) fn scale_at(&self, limbs: usize) -> f64 {
        let top = self.literal.output_limbs();
        assert!((self.literal.input_limbs()..=top).contains(&limbs), "{limbs} of {top} limbs");
        (limbs..top)
            .rev()
            .fold(self.primes[top - 1], |scale, limbs| scale * scale / self.primes[limbs])
    }

    /// Lowers bits to fewer limbs and the scale that belongs there.
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

    /// Sums of bits in slots as fractions of m in coefficients, modulo q_0: the first step of both algorithms. Complex
    /// packing takes two ciphertexts and joins them.
    pub(crate) fn to_coefficients<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        m: u64,
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
        self.slots_to_coeffs_of(m).apply(arithmetic, matrices, joined)
    }

    /// The plan of SlotsToCoeffs for fractions of m.
    pub(crate) fn slots_to_coeffs_of(&self, m: u64) -> &HomomorphicDft {
        let index = MODULI.iter().position(|&other| other == m).expect("a modulus of bits");
        &self.slots_to_coeffs[index]
    }

    /// From a raised ciphertext to bits in slots: CoeffsToSlots, the real part (and the imaginary one), the wave. Lines
    /// 1 to 3 of Algorithm 2, 2 to 4 of Algorithm 3.
    pub(crate) fn half_bootstrap<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
        wave: &Wave,
    ) -> Vec<A::Ciphertext> {
        let phases = self.phases(arithmetic, matrices, raised);
        self.evaluate(arithmetic, phases, wave)
    }

    /// The phases x = t/K in slots, as one real ciphertext or two.
    fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
    ) -> Vec<A::Ciphertext> {
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, raised);
        real_parts(arithmetic, w, self.literal.packing.parts())
    }

    fn evaluate<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
        wave: &Wave,
    ) -> Vec<A::Ciphertext> {
        let scale = self.scale_at(self.literal.output_limbs());
        let evaluate = |x: A::Ciphertext| self.series.evaluate(arithmetic, &x, wave, scale);
        phases.into_par_iter().map(evaluate).collect()
    }

    /// Predicts a bootstrap of sums of bits that are fractions of m, slots in and slots out: its noise, counts and keys.
    ///
    /// Noise of the phase and what the wave's evaluation adds are told apart, because waves square the one.
    pub(crate) fn predict(&self, wave: &Wave, m: u64) -> BitPrediction {
        let dry_run = DryRun::new(self.literal.dry_run_parameters(&self.primes));
        for request in mod_raise::key_requests(self.literal.limbs()) {
            dry_run.request(request);
        }
        let summands = (m - 1) as f64;
        let limbs = self.literal.output_limbs();
        let scale = self.scale_at(limbs);
        // Bits that a gate has just made.
        let noise = SlotVariance(summands * dry_run.rounding_noise(scale).0);
        let power = SlotVariance(summands * summands);
        let sums = Shape { limbs, scale, power, noise, sources: NoiseSources::UNKNOWN };
        let plans = self.slots_to_coeffs_of(m).plans();
        let parts = vec![sums; self.literal.packing.parts()];
        let bottom = self.to_coefficients(&dry_run, &plans, m, &parts);
        // N coefficients share the noise of slots out.
        let input = bottom.noise.0 * self.primes[0].powi(2) / self.literal.ring_degree as f64;
        let secret = (self.literal.ring_degree, self.literal.sparse_weight);
        let limbs = self.literal.limbs();
        let raised = mod_raise::raised_shape(secret, limbs, self.primes[0], input);
        let mut phases = self.phases(&dry_run, &self.coeffs_to_slots.plans(), raised);
        let phase_noise = phases[0].noise.0 * self.series.bound * self.series.bound;
        phases.iter_mut().for_each(|x| x.noise = SlotVariance(0.0));
        let output = self.evaluate(&dry_run, phases, wave)[0];
        BitPrediction { phase_noise, output, dry_run }
    }

    /// Every key that bootstraps need: those of either modulus are the same.
    pub(crate) fn key_requests(&self) -> Vec<KeyRequest> {
        self.predict(&Wave::gate_boot(Gate::Nand), 3).dry_run.key_requests()
    }
}
