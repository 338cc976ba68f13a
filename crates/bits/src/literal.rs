//! All numbers of a parameter set of bits.

use cryptable_ckks::bootstrapping::homomorphic_dft::DftLevels;
use cryptable_ckks::dry_run::DryRunParameters;
use cryptable_lattice::{SecurityLevel, SwitchingKeyShape};
use cryptable_ring::Basis;
use serde::{Deserialize, Serialize};

/// How bits are packed into a ring of degree N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// N/2 bits in the real parts of slots: one wave a bootstrap, the least latency.
    Real,
    /// N bits in real and imaginary parts: two waves a bootstrap, the most bits a second.
    Complex,
}

impl Packing {
    /// Real ciphertexts that hold the bits of one bootstrap.
    #[must_use]
    pub const fn parts(self) -> usize {
        match self {
            Self::Real => 1,
            Self::Complex => 2,
        }
    }
}

/// How a homomorphic DFT is cut into matrices, and the primes that it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransformLiteral {
    /// Butterfly levels merged in each matrix, in order of application; their sum is log2(N/2).
    pub stages: Vec<u32>,
    /// log2 of the primes that the matrices share.
    pub primes: Vec<f64>,
    /// Baby steps a matrix: more are faster and need more keys.
    pub baby_steps: usize,
}

/// How the wave is evaluated: a Chebyshev series of `e^{iθ}` at least depth, squared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaveLiteral {
    /// log2 of the number of coefficients.
    pub log_length: u32,
    /// log2 of the baby steps.
    pub log_babies: u32,
    /// Doublings of the angle.
    pub doublings: u32,
    /// log2 of the primes, the last one used first: `log_length` for the series, one a doubling.
    pub primes: Vec<f64>,
}

/// All choices that make a parameter set. The chain of primes from the bottom up: base, SlotsToCoeffs, gates, wave,
/// CoeffsToSlots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Name, for people.
    pub name: String,
    /// What is claimed of the security; checked by construction.
    pub security: SecurityLevel,
    /// Ring degree N.
    pub ring_degree: usize,
    /// How bits are packed.
    pub packing: Packing,
    /// log2 of q_0.
    pub base: f64,
    /// SlotsToCoeffs.
    pub slots_to_coeffs: TransformLiteral,
    /// log2 of the primes between bootstraps, one a gate.
    pub gates: Vec<f64>,
    /// The wave that removes the overflow.
    pub wave: WaveLiteral,
    /// CoeffsToSlots.
    pub coeffs_to_slots: TransformLiteral,
    /// log2 of the special primes.
    pub special: Vec<f64>,
    /// Primes a digit of keys.
    pub digit_limbs: usize,
    /// Hamming weight of the encapsulated secret.
    pub sparse_weight: u32,
    /// Stated failure probability a bit, log2.
    pub log2_fail: f64,
}

impl ParametersLiteral {
    /// log2 of all primes of the chain, from the bottom up.
    pub(crate) fn chain(&self) -> Vec<f64> {
        let mut chain = vec![self.base];
        chain.extend(&self.slots_to_coeffs.primes);
        chain.extend(&self.gates);
        chain.extend(&self.wave.primes);
        chain.extend(&self.coeffs_to_slots.primes);
        chain
    }

    /// Limbs of the whole chain.
    pub(crate) fn limbs(&self) -> usize {
        self.wave_limbs() + self.coeffs_to_slots.primes.len()
    }

    /// Limbs of phases, where the wave begins.
    pub(crate) fn wave_limbs(&self) -> usize {
        self.output_limbs() + self.wave.primes.len()
    }

    /// Limbs of bits after a bootstrap.
    pub(crate) fn output_limbs(&self) -> usize {
        self.input_limbs() + self.gates.len()
    }

    /// Limbs that SlotsToCoeffs begins with.
    pub(crate) fn input_limbs(&self) -> usize {
        1 + self.slots_to_coeffs.primes.len()
    }

    /// Bits of one bootstrap.
    pub(crate) fn bits(&self) -> usize {
        self.packing.parts() * self.ring_degree / 2
    }

    /// The shape of keys at a level: digits of `digit_limbs` primes, and all special primes.
    pub(crate) fn key_shape(&self, limbs: usize) -> SwitchingKeyShape {
        let basis = Basis { main: limbs, special: self.special.len() };
        SwitchingKeyShape { basis, digit_limbs: self.digit_limbs }
    }

    /// What a dry run needs to know.
    pub(crate) fn dry_run_parameters(&self, primes: &[f64]) -> DryRunParameters {
        let shapes = |levels: &[usize]| levels.iter().map(|&limbs| self.key_shape(limbs)).collect();
        DryRunParameters {
            degree: self.ring_degree,
            primes: primes.to_vec(),
            relinearization: shapes(&[self.wave_limbs()]),
            automorphism: shapes(&[self.wave_limbs(), self.limbs()]),
            log2_special: self.special.iter().sum::<f64>() / self.special.len() as f64,
        }
    }

    /// Where CoeffsToSlots starts and ends.
    pub(crate) fn coeffs_to_slots_levels<'a>(&self, primes: &'a [f64]) -> DftLevels<'a> {
        let (top, end) = (self.limbs(), self.wave_limbs());
        DftLevels {
            limbs: top,
            scale: primes[0],
            primes: &primes[end..top],
            target: primes[end - 1],
            ring_slots: self.ring_degree / 2,
            baby_steps: self.coeffs_to_slots.baby_steps,
        }
    }
}
