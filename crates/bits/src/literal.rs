//! All numbers of a parameter set of bits.

use cryptable_ckks::arithmetic::ratio_of_products;
use cryptable_ckks::bootstrapping::homomorphic_dft::{DftLevels, ScaleShares};
pub use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::dry_run::{DryRunParameters, PlannedChain};
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::{Owners, SecurityLevel, SwitchingKeyShape};
use cryptable_ring::{Basis, SharedLimbs};
use serde::{Deserialize, Serialize};

/// The number of the chain that CoeffsToSlots runs in.
pub(crate) const RAISED: usize = 1;

/// How bits are packed into a ring of degree N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// N/2 bits in the real parts of slots: one exponential a bootstrap, the least latency.
    Real,
    /// N bits in real and imaginary parts: two exponentials per bootstrap, the most bits per second.
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

/// All choices that make a parameter set.
///
/// There are two chains of primes. The first has, from the bottom up, base, SlotsToCoeffs, gates, exponential: a prime
/// a level, as scales want it, two in a limb where both are small. The second is what ModRaise raises to and
/// CoeffsToSlots runs in: whole limbs of 50 bits, since its matrices drop nothing; its result is switched to the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Name, for people.
    pub name: String,
    /// Claimed security, checked by construction.
    pub security: SecurityLevel,
    /// Ring degree N.
    pub ring_degree: usize,
    /// How bits are packed.
    pub packing: Packing,
    /// log2 of q_0.
    pub base: f64,
    /// SlotsToCoeffs: its matrices, and the primes that they use up.
    pub slots_to_coeffs: TransformLiteral,
    /// log2 of the primes between bootstraps, one per gate.
    pub gates: Vec<f64>,
    /// The complex exponential of phases, which removes the overflow.
    // Files and literals of earlier versions have this name.
    #[serde(rename = "wave")]
    pub exponential: ExponentialLiteral,
    /// CoeffsToSlots: its matrices, and the limbs of the second chain.
    pub coeffs_to_slots: TransformLiteral,
    /// How many primes each limb of the first chain has, 1 or 2, from the bottom up.
    pub limbs: Vec<usize>,
    /// log2 of the special primes.
    pub special: Vec<f64>,
    /// Limbs a digit of keys of the first chain.
    pub digit_limbs: usize,
    /// Limbs a digit of keys of the second chain, whose limbs are larger.
    pub raised_digit_limbs: usize,
    /// Hamming weight of the encapsulated secret: of each owner's.
    pub sparse_weight: u32,
    /// Owners of the secret key, which is the sum of theirs, as the encapsulated secret is: one, if not stated.
    #[serde(default, skip_serializing_if = "Owners::is_one")]
    pub owners: Owners,
    /// Stated failure probability a bit, log2.
    pub log2_fail: f64,
}

impl ParametersLiteral {
    /// The secret of raised ciphertexts.
    pub(crate) fn encapsulated_secret(&self) -> EncapsulatedSecret {
        let Self { ring_degree: degree, sparse_weight: weight, owners, .. } = *self;
        EncapsulatedSecret { degree, weight, owners }
    }

    /// log2 of all primes of the first chain, from the bottom up.
    pub(crate) fn chain(&self) -> Vec<f64> {
        let mut chain = vec![self.base];
        chain.extend(&self.slots_to_coeffs.primes);
        chain.extend(&self.gates);
        chain.extend(&self.exponential.primes);
        chain
    }

    /// Which primes of the chain share limbs.
    pub(crate) fn shared_limbs(&self) -> SharedLimbs {
        SharedLimbs::of_limbs(&self.limbs)
    }

    /// The chain that CoeffsToSlots runs in.
    pub(crate) fn raised_basis(&self) -> Basis {
        Basis { chain: RAISED, ..Basis::main(self.coeffs_to_slots.primes.len()) }
    }

    /// Limbs of phases, where the exponential begins.
    pub(crate) fn exponential_limbs(&self) -> usize {
        self.output_limbs() + self.exponential.primes.len()
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

    /// The shape of keys at a level of the first chain.
    pub(crate) fn key_shape(&self, limbs: usize) -> SwitchingKeyShape {
        let basis = Basis::main(limbs).sharing(self.shared_limbs());
        self.key_shape_at(basis, self.digit_limbs)
    }

    /// The shape of relinearization keys. Those that several owners make in two rounds have errors larger by some `√N`, which
    /// special primes larger than a digit by a limb make vanish.
    fn relinearization_shape(&self) -> SwitchingKeyShape {
        let basis = Basis::main(self.exponential_limbs()).sharing(self.shared_limbs());
        let margin = usize::from(!self.owners.is_one());
        self.key_shape_at(basis, self.digit_limbs.saturating_sub(margin).max(1))
    }

    /// The shape of keys in the chain that CoeffsToSlots runs in.
    pub(crate) fn raised_key_shape(&self) -> SwitchingKeyShape {
        self.key_shape_at(self.raised_basis(), self.raised_digit_limbs)
    }

    /// Special primes are as many as limbs of a digit, where there are as many: a key of few limbs needs no more.
    fn key_shape_at(&self, basis: Basis, digit_limbs: usize) -> SwitchingKeyShape {
        let special = digit_limbs.min(basis.main_limbs()).min(self.special.len());
        SwitchingKeyShape { basis: Basis { special, ..basis }, digit_limbs }
    }

    /// Returns the parameters of a dry run.
    pub(crate) fn dry_run_parameters(&self, [main, raised]: [&[f64]; 2]) -> DryRunParameters {
        let first = PlannedChain { primes: main.to_vec(), shared: self.shared_limbs() };
        let exponential = self.key_shape(self.exponential_limbs());
        DryRunParameters {
            degree: self.ring_degree,
            noise_coefficients: self.ring_degree,
            chains: vec![first, PlannedChain::new(raised)],
            relinearization: vec![self.relinearization_shape()],
            automorphism: vec![exponential, self.raised_key_shape()],
            log2_special: self.special.iter().sum::<f64>() / self.special.len() as f64,
            owners: self.owners,
        }
    }

    /// Where CoeffsToSlots starts and ends: at the scale from which the switch to the first chain leaves that of the
    /// exponential's first prime.
    pub(crate) fn coeffs_to_slots_levels(&self, [main, raised]: [&[f64]; 2]) -> DftLevels<'static> {
        let ratio = ratio_of_products(raised.iter().copied(), main.iter().copied());
        DftLevels {
            limbs: raised.len(),
            scale: main[0],
            primes: &[],
            target: main[main.len() - 1] * ratio,
            ring_slots: self.ring_degree / 2,
            baby_steps: self.coeffs_to_slots.baby_steps,
            shares: ScaleShares::ByRounding,
        }
    }
}
