//! All numbers of a parameter set of bits.

use cryptable_ckks::arithmetic::ratio_of_products;
use cryptable_ckks::bootstrapping::homomorphic_dft::{DftLevels, ScaleShares};
pub use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::dry_run::{DryRunParameters, PlannedChain};
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::{Owners, SecurityLevel, SwitchingKeyShape};
use cryptable_ring::{Basis, SharedLimbs};
use serde::{Deserialize, Serialize};

/// Index of the chain in which CoeffsToSlots runs.
pub(crate) const RAISED: usize = 1;

/// How bits are packed into a ring of degree N.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// N/2 bits in the real parts of slots: one exponential per bootstrap, the least latency.
    Real,
    /// N bits in real and imaginary parts: two exponentials per bootstrap, the most bits per second.
    Complex,
    /// This number of bits, a power of two from 16 to N/4, in the real parts of as many slots, which repeat:
    /// CoeffsToSlots has fewer levels, and one exponential serves all.
    Sparse(usize),
}

impl Packing {
    /// The fewest bits of [`Packing::Sparse`]: three matrices need them.
    pub(crate) const LEAST: usize = 16;

    /// The fewest bits that [`Packing::of_bits`] chooses. With fewer, the trace costs what the smaller matrices save.
    const LEAST_CHOSEN: usize = 256;

    /// Returns the packing that holds `bits` bits at once in a ring of this degree in the least time, or else the most
    /// bits that fit.
    ///
    /// ```
    /// use cryptable_bits::Packing;
    /// let packings = [1, 300, 4096, 4097, 100_000].map(|bits| Packing::of_bits(bits, 1 << 14));
    /// let [few, some, many] = [256, 512, 4096].map(Packing::Sparse);
    /// assert_eq!(packings, [few, some, many, Packing::Real, Packing::Complex]);
    /// ```
    #[must_use]
    pub fn of_bits(bits: usize, ring_degree: usize) -> Self {
        if bits > ring_degree / 2 {
            return Self::Complex;
        }
        let sparse = bits.next_power_of_two().max(Self::LEAST_CHOSEN);
        if sparse <= ring_degree / 4 { Self::Sparse(sparse) } else { Self::Real }
    }

    /// Number of real ciphertexts that hold the bits of one bootstrap.
    #[must_use]
    pub const fn parts(self) -> usize {
        match self {
            Self::Real | Self::Sparse(_) => 1,
            Self::Complex => 2,
        }
    }

    /// Number of slots of one ciphertext that hold bits of their own.
    #[must_use]
    pub const fn slots(self, ring_degree: usize) -> usize {
        match self {
            Self::Real | Self::Complex => ring_degree / 2,
            Self::Sparse(bits) => bits,
        }
    }

    /// Number of complex numbers that SlotsToCoeffs turns into coefficients. In sparse packing, their two parts are the
    /// bits of slots.
    pub(crate) const fn transformed(self, ring_degree: usize) -> usize {
        match self {
            Self::Real | Self::Complex => ring_degree / 2,
            Self::Sparse(bits) => bits / 2,
        }
    }

    /// Returns whether slots repeat.
    pub(crate) const fn is_sparse(self) -> bool {
        matches!(self, Self::Sparse(_))
    }

    /// The slot of bit i of a part. SlotsToCoeffs reads complex numbers in bit-reversed order, so that bit i goes to
    /// the i-th coefficient of those that hold bits.
    #[cfg(feature = "client")]
    pub(crate) fn slot(self, ring_degree: usize, i: usize) -> usize {
        let numbers = self.transformed(ring_degree);
        let reversed = (i % numbers).reverse_bits() >> (usize::BITS - numbers.ilog2());
        i / numbers * numbers + reversed
    }
}

/// All choices that define a parameter set.
///
/// There are two chains of primes. The first has, from the bottom up, base, SlotsToCoeffs, gates, exponential: one
/// prime per level, of the size that scales need, two of them in a limb where both are small. ModRaise raises to the
/// second chain, in which CoeffsToSlots runs. It has whole limbs of 50 bits, since its matrices drop nothing; its
/// result is switched to the first chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersLiteral {
    /// Name of the set, for display.
    pub name: String,
    /// Claimed security, checked by construction.
    pub security: SecurityLevel,
    /// Ring degree N.
    pub ring_degree: usize,
    /// How bits are packed.
    pub packing: Packing,
    /// log2 of q_0.
    pub base: f64,
    /// SlotsToCoeffs: its matrices, and the primes that they consume.
    pub slots_to_coeffs: TransformLiteral,
    /// log2 of the primes between bootstraps, one per gate.
    pub gates: Vec<f64>,
    /// The complex exponential of phases, which removes the overflow.
    // Files and literals of earlier versions use this name.
    #[serde(rename = "wave")]
    pub exponential: ExponentialLiteral,
    /// CoeffsToSlots: its matrices, and the limbs of the second chain.
    pub coeffs_to_slots: TransformLiteral,
    /// Whether the first matrix of CoeffsToSlots switches back from the encapsulated secret, by a key of one digit for
    /// every rotation. Literals of earlier versions lack this field.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raising_matrix: bool,
    /// Number of primes in each limb of the first chain, 1 or 2, from the bottom up.
    pub limbs: Vec<usize>,
    /// log2 of the special primes.
    pub special: Vec<f64>,
    /// Limbs per digit of keys of the first chain.
    pub digit_limbs: usize,
    /// Limbs per digit of keys of the second chain, whose limbs are larger.
    pub raised_digit_limbs: usize,
    /// Hamming weight of the encapsulated secret of each owner.
    pub sparse_weight: u32,
    /// Number of owners of the secret key. The key is the sum of their secrets, and so is the encapsulated secret.
    /// Default: one.
    #[serde(default, skip_serializing_if = "Owners::is_one")]
    pub owners: Owners,
    /// Stated failure probability per bit, log2.
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

    /// Number of limbs of phases, where the exponential begins.
    pub(crate) fn exponential_limbs(&self) -> usize {
        self.output_limbs() + self.exponential.primes.len()
    }

    /// Number of limbs of bits after a bootstrap.
    pub(crate) fn output_limbs(&self) -> usize {
        self.input_limbs() + self.gates.len()
    }

    /// Number of limbs with which SlotsToCoeffs begins.
    pub(crate) fn input_limbs(&self) -> usize {
        1 + self.slots_to_coeffs.primes.len()
    }

    /// Number of bits of one bootstrap.
    pub(crate) fn bits(&self) -> usize {
        self.packing.parts() * self.slots()
    }

    /// Number of slots of a part that hold bits of their own.
    pub(crate) fn slots(&self) -> usize {
        self.packing.slots(self.ring_degree)
    }

    /// Number of complex numbers that the homomorphic DFTs transform.
    pub(crate) fn transformed(&self) -> usize {
        self.packing.transformed(self.ring_degree)
    }

    /// The shape of keys at a level of the first chain.
    pub(crate) fn key_shape(&self, limbs: usize) -> SwitchingKeyShape {
        let basis = Basis::main(limbs).sharing(self.shared_limbs());
        SwitchingKeyShape::of_digits(basis, self.digit_limbs, self.special.len())
    }

    /// The shape of relinearization keys. If several owners make them in two rounds, errors are larger by some `√N`;
    /// special primes that exceed a digit by one limb make these errors vanish.
    fn relinearization_shape(&self) -> SwitchingKeyShape {
        let basis = Basis::main(self.exponential_limbs()).sharing(self.shared_limbs());
        let margin = usize::from(!self.owners.is_one());
        let digit_limbs = self.digit_limbs.saturating_sub(margin).max(1);
        SwitchingKeyShape::of_digits(basis, digit_limbs, self.special.len())
    }

    /// The shape of keys in the chain that CoeffsToSlots runs in.
    pub(crate) fn raised_key_shape(&self) -> SwitchingKeyShape {
        let (basis, special) = (self.raised_basis(), self.special.len());
        SwitchingKeyShape::of_digits(basis, self.raised_digit_limbs, special)
    }

    /// Returns the parameters of a dry run.
    pub(crate) fn dry_run_parameters(&self, [main, raised]: [&[f64]; 2]) -> DryRunParameters {
        let first = PlannedChain { primes: main.to_vec(), shared: self.shared_limbs() };
        let exponential = self.key_shape(self.exponential_limbs());
        // Both parts of sparse slots are joined at the bottom.
        let bottom = self.packing.is_sparse().then(|| self.key_shape(1));
        let automorphism = bottom.into_iter().chain([exponential, self.raised_key_shape()]);
        DryRunParameters {
            degree: self.ring_degree,
            noise_coefficients: self.ring_degree,
            chains: vec![first, PlannedChain::new(raised)],
            relinearization: vec![self.relinearization_shape()],
            automorphism: automorphism.collect(),
            log2_special: self.special.iter().sum::<f64>() / self.special.len() as f64,
            owners: self.owners,
        }
    }

    /// Where CoeffsToSlots starts and ends. It ends at the scale from which the switch to the first chain yields the
    /// scale of the exponential's first prime.
    pub(crate) fn coeffs_to_slots_levels(&self, [main, raised]: [&[f64]; 2]) -> DftLevels<'static> {
        let ratio = ratio_of_products(raised.iter().copied(), main.iter().copied());
        // The trace to sparse slots adds up this number of copies.
        let copies = self.ring_degree / 2 / self.transformed();
        DftLevels {
            limbs: raised.len(),
            scale: main[0] * copies as f64,
            primes: &[],
            target: main[main.len() - 1] * ratio,
            ring_slots: self.ring_degree / 2,
            baby_steps: self.coeffs_to_slots.baby_steps,
            shares: ScaleShares::ByRounding,
        }
    }
}
