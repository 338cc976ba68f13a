//! AKP functional bootstrapping: Algorithm 1 of Alexandru, Kim, Polyakov (CRYPTO 2025).
//!
//! ModRaise, CoeffsToSlots, the exponential of the phase, the table's trigonometric Hermite
//! interpolation, SlotsToCoeffs. The chain of primes, from the bottom up:
//!
//! | primes | used by |
//! |---|---|
//! | 1 | q_0, the modulus of the result |
//! | `slots_to_coeffs.primes` | SlotsToCoeffs and the constants of the interpolation, which share them |
//! | ceil(log2 p), 0 for p = 2 | the interpolation |
//! | `chebyshev_log_length + 1 + doublings` | the exponential |
//! | `coeffs_to_slots.primes` | CoeffsToSlots |

use cryptable_ckks::dft_factors::{
    coeffs_to_slots, coeffs_to_slots_sparse, slots_to_coeffs, slots_to_coeffs_sparse,
};
use cryptable_ckks::dry_run::{Shape, SlotVariance};
use cryptable_ckks::overflow::bound_for;
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_ring::Basis;
use cryptable_rlwe::{KeyRequest, SwitchingKeyShape};
use rayon::prelude::*;

use crate::packed::exponential::{Exponential, Wave};
use crate::packed::homomorphic_dft::{DftLevels, HomomorphicDft, key_shape};
use crate::packed::interpolation::{self, Interpolation};
use crate::packed::mod_raise;
use crate::parameters::ParametersLiteral;

/// The public, table-independent part of AKP for one parameter set.
#[derive(Clone, Debug)]
pub struct AkpCircuit {
    literal: ParametersLiteral,
    /// Bound K of the phase.
    pub bound: f64,
    /// CoeffsToSlots.
    pub coeffs_to_slots: HomomorphicDft,
    /// SlotsToCoeffs.
    pub slots_to_coeffs: HomomorphicDft,
    exponential: Exponential,
    primes: Vec<f64>,
}

/// What the dry run of a whole lookup finds.
#[derive(Debug)]
pub struct AkpPrediction {
    /// The wave of the phase, with the noise that it has beyond the phase's.
    pub wave: Shape,
    /// The phase x = t/K after CoeffsToSlots.
    pub phase: Shape,
    /// Outputs in slots, before SlotsToCoeffs.
    pub outputs: Shape,
    /// The result, outputs as fractions of P in its coefficients.
    pub result: Shape,
    /// Operation counts and key requests.
    pub dry_run: DryRun,
}

impl AkpCircuit {
    /// Plans the circuit over the given chain of primes.
    #[must_use]
    pub fn new(literal: &ParametersLiteral, primes: &[f64]) -> Self {
        let bound = bound_for(literal.sparse_weight, literal.log2_fail_overflow());
        let (degree, slots) = (literal.ring_degree, literal.slots / 2);
        let sparse = literal.slots < degree;
        let limbs = literal.limbs();
        let shape = |limbs| literal.transform_shape(limbs);
        let cts = &literal.coeffs_to_slots;
        let matrices = if sparse {
            coeffs_to_slots_sparse(slots, &cts.stages, 1.0 / bound)
        } else {
            coeffs_to_slots(slots, &cts.stages, 0.5 / bound)
        };
        let levels = DftLevels {
            limbs,
            scale: primes[0] * (degree / literal.slots) as f64,
            primes: &primes[limbs - cts.primes..],
            target: primes[limbs - cts.primes - 1],
            ring_slots: degree / 2,
            baby_steps: cts.baby_steps,
        };
        let coeffs_to_slots = HomomorphicDft::new(matrices, &levels, shape);
        let exponential = Exponential::new(
            literal.wave(),
            bound,
            literal.doublings,
            literal.chebyshev_log_length,
            literal.chebyshev_log_babies,
        );
        let mut circuit = Self {
            literal: literal.clone(),
            bound,
            coeffs_to_slots,
            slots_to_coeffs: HomomorphicDft { stages: Vec::new() },
            exponential,
            primes: primes.to_vec(),
        };
        circuit.slots_to_coeffs = circuit.plan_slots_to_coeffs();
        circuit
    }

    /// Plans SlotsToCoeffs for the scale at which the interpolation ends.
    fn plan_slots_to_coeffs(&self) -> HomomorphicDft {
        let literal = &self.literal;
        let output = self.predict(&Interpolation::new(&literal.worst_table())).outputs;
        let (degree, slots) = (literal.ring_degree, literal.slots / 2);
        let stc = &literal.slots_to_coeffs;
        let denominator = Interpolation::denominator(literal.input_modulus, literal.output_modulus);
        let matrices = if literal.slots < degree {
            slots_to_coeffs_sparse(slots, &stc.stages, 1.0 / denominator)
        } else {
            slots_to_coeffs(slots, &stc.stages, 1.0 / denominator)
        };
        let levels = DftLevels {
            limbs: output.limbs,
            scale: output.scale,
            primes: &self.primes[1..output.limbs],
            target: self.primes[0],
            ring_slots: degree / 2,
            baby_steps: stc.baby_steps,
        };
        HomomorphicDft::new(matrices, &levels, |limbs| literal.low_transform_shape(limbs))
    }

    /// A dry run over this circuit's chain and key shapes.
    #[must_use]
    pub fn dry_run(&self) -> DryRun {
        DryRun::new(self.literal.dry_run_parameters(&self.primes))
    }

    /// A raised ciphertext: t = m/p + I at scale q_0.
    ///
    /// Its slots have N·Var(t) of power, Var(t) = (h + 1)/12; noise is that of the input and of the
    /// two switches, about (N·2/3 + h)/12 a coefficient.
    #[must_use]
    pub fn raised_shape(&self) -> Shape {
        let n = self.literal.ring_degree as f64;
        let weight = f64::from(self.literal.sparse_weight);
        let scale = self.primes[0];
        let input = self.literal.input_noise(scale) + (weight + 1.0) / 12.0;
        let switching = n * (1.0 + 2.0 * n / 3.0) / 12.0 + n * input;
        Shape {
            limbs: self.literal.limbs(),
            scale,
            power: SlotVariance(n * (weight + 1.0) / 12.0),
            noise: SlotVariance(switching / (scale * scale)),
        }
    }

    /// Predicts a lookup of `table`, with keys, counts and noise.
    ///
    /// Noise is followed in three parts, because the table treats them differently: that of the
    /// phase (which the zero slopes of the interpolation square), that of the wave beyond it, and that
    /// which the interpolation and SlotsToCoeffs add themselves.
    #[must_use]
    pub fn predict(&self, table: &Interpolation) -> AkpPrediction {
        let dry_run = self.dry_run();
        for request in mod_raise::key_requests(self.literal.limbs()) {
            dry_run.request(request);
        }
        let mut phases = self.phases(&dry_run, &self.coeffs_to_slots.plans(), self.raised_shape());
        let phase = phases[0];
        phases.iter_mut().for_each(|x| x.noise = SlotVariance(0.0));
        let mut waves = self.waves(&dry_run, phases);
        let wave = waves[0];
        waves.iter_mut().for_each(|z| z.noise = SlotVariance(0.0));
        let outputs = self.look_up(&dry_run, waves, table);
        let result = self.finish(&dry_run, &self.slots_to_coeffs.plans(), outputs);
        AkpPrediction { wave, phase, outputs, result, dry_run }
    }

    /// CoeffsToSlots: the phases x = t/K in slots, as one real ciphertext (sparse packing) or two.
    #[must_use]
    pub fn phases<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        raised: A::Ciphertext,
    ) -> Vec<A::Ciphertext> {
        let mut ct = raised;
        let mut period = self.literal.slots / 2;
        while period < self.literal.ring_degree / 2 {
            // The trace to the subring of the packing: it multiplies by N/n.
            let rotated = arithmetic.rotate(&ct, period);
            arithmetic.add_assign(&mut ct, &rotated);
            arithmetic.divide_slots_assign(&mut ct, 2.0);
            period *= 2;
        }
        let variance = f64::from(self.literal.sparse_weight + 1) / 12.0;
        arithmetic.declare_power(&mut ct, self.literal.slots as f64 * variance);
        let w = self.coeffs_to_slots.apply(arithmetic, matrices, ct);
        let conjugate = arithmetic.conjugate(&w);
        let mut real = w.clone();
        arithmetic.add_assign(&mut real, &conjugate);
        if self.literal.slots < self.literal.ring_degree {
            return vec![real];
        }
        // w = (x + iy)/2, so y = i·(conj(w) - w).
        let mut imaginary = conjugate;
        arithmetic.sub_assign(&mut imaginary, &w);
        arithmetic.mul_imaginary_unit_assign(&mut imaginary);
        vec![real, imaginary]
    }

    /// The waves `e^{2πit}` (`cos 2πt` for p = 2) of all phases, in parallel.
    #[must_use]
    pub fn waves<A: Arithmetic>(
        &self,
        arithmetic: &A,
        phases: Vec<A::Ciphertext>,
    ) -> Vec<A::Ciphertext> {
        phases.into_par_iter().map(|x| self.exponential.evaluate(arithmetic, &x)).collect()
    }

    /// The outputs of one table in slots.
    #[must_use]
    pub fn look_up<A: Arithmetic>(
        &self,
        arithmetic: &A,
        waves: Vec<A::Ciphertext>,
        table: &Interpolation,
    ) -> A::Ciphertext {
        let (log_babies, constant_bits) = (self.literal.log_babies, self.literal.constant_bits);
        interpolation::evaluate(arithmetic, waves, table, log_babies, constant_bits)
    }

    /// SlotsToCoeffs: outputs as fractions of P in coefficients, at scale q_0 modulo q_0.
    #[must_use]
    pub fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        outputs: A::Ciphertext,
    ) -> A::Ciphertext {
        let mut ct = self.slots_to_coeffs.apply(arithmetic, matrices, outputs);
        if self.literal.slots < self.literal.ring_degree {
            let rotated = arithmetic.rotate(&ct, self.literal.slots / 2);
            arithmetic.add_assign(&mut ct, &rotated);
        }
        ct
    }

    /// Every key that a lookup needs.
    #[must_use]
    pub fn key_requests(&self) -> Vec<KeyRequest> {
        self.predict(&Interpolation::new(&self.literal.worst_table())).dry_run.key_requests()
    }
}

/// Key shapes for all circuits of a literal.
impl ParametersLiteral {
    /// Limbs of the whole chain.
    #[must_use]
    pub fn limbs(&self) -> usize {
        1 + self.slots_to_coeffs.primes
            + self.interpolation_levels()
            + Exponential::levels(self.chebyshev_log_length, self.doublings)
            + self.coeffs_to_slots.primes
    }

    /// Which wave of the phase the tables are evaluated on.
    #[must_use]
    pub fn wave(&self) -> Wave {
        if self.input_modulus == 2 { Wave::Cosine } else { Wave::Exponential }
    }

    /// Levels of the interpolation: ceil(log2 p), none for p = 2.
    #[must_use]
    pub fn interpolation_levels(&self) -> usize {
        if self.input_modulus == 2 {
            return 0;
        }
        self.input_modulus.next_power_of_two().trailing_zeros() as usize
    }

    /// Keys of CoeffsToSlots.
    fn transform_shape(&self, limbs: usize) -> SwitchingKeyShape {
        key_shape(limbs, self.digits, self.log2_scale, self.log2_special)
    }

    /// Keys of SlotsToCoeffs: one digit.
    fn low_transform_shape(&self, limbs: usize) -> SwitchingKeyShape {
        key_shape(limbs, 1, self.log2_scale, self.log2_special)
    }

    /// Shapes for relinearization: one for the exponential, two for the interpolation.
    #[must_use]
    pub fn relinearization_shapes(&self) -> Vec<SwitchingKeyShape> {
        let top = self.limbs() - self.coeffs_to_slots.primes;
        let middle = 1 + self.slots_to_coeffs.primes + self.interpolation_levels();
        let mut shapes = vec![self.transform_shape(top)];
        if middle >= 8 {
            shapes.push(key_shape(middle, 2, self.log2_scale, self.log2_special));
        }
        shapes
    }

    /// The special primes that all keys together need.
    #[must_use]
    pub fn special_primes(&self) -> usize {
        self.transform_shape(self.limbs()).basis.special
    }

    /// The widest basis of any key: what security is checked for.
    #[must_use]
    pub fn widest_basis(&self) -> Basis {
        Basis { main: self.limbs(), special: self.special_primes() }
    }
}
