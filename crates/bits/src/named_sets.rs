//! The parameter sets of bits.

use cryptable_lattice::{Result, SecurityLevel};

use crate::literal::{Packing, ParametersLiteral, TransformLiteral, WaveLiteral};
use crate::parameters::Parameters;

/// log2 of the failure probability a bit: 2^-64 for all bits of a ciphertext of ring degree 2^16 or less.
const LOG2_FAIL: f64 = -80.0;

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

impl Parameters {
    /// Bits at the least latency: ring degree 2^14, 128 bits of security, no level for gates between bootstraps.
    ///
    /// The tables allow 430 bits in all for a dense secret. One special prime of 47 bits, about as large as a digit of keys,
    /// leaves 382: for the first chain 323, in primes of 22 to 33 bits that a search chose by the noise model, and for the
    /// second one, where CoeffsToSlots runs, eight limbs of 47.75.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::latency_128(Packing::Real)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 8192);
    /// assert!(parameters.gate_boot_precision().log2_fail <= -80.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn latency_128(packing: Packing) -> Result<Self> {
        Self::new(literal("latency_128", SecurityLevel::Bits128, (1 << 14, packing), &LATENCY))
    }

    /// As [`Parameters::latency_128`], with one level after a bootstrap: for a gate by a product, or for functions of higher
    /// degree on the way, such as [`EvaluationKey::gate_boot_cleaning`](crate::EvaluationKey::gate_boot_cleaning). The level
    /// costs two bits of precision.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::functions_128(Packing::Complex)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.levels_after_bootstrap() == 1);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn functions_128(packing: Packing) -> Result<Self> {
        Self::new(literal("functions_128", SecurityLevel::Bits128, (1 << 14, packing), &FUNCTIONS))
    }

    /// Most bits a second: ring degree 2^16, 65,536 bits in complex packing, 128 bits of security, 24 levels for gates.
    ///
    /// Scales of 38 bits: with deviations that double at every gate, as for equal operands, 20 gates and two cleanings fit
    /// between bootstraps (after 7, 7 and 6 gates), and again after each. Smaller scales need cleaning more often, and take as
    /// many bits in more levels; primes of this size leave nothing of a limb to share. Keys have five digits of six limbs;
    /// three baby steps a matrix keep them small.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// let parameters = Parameters::throughput_128()?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 65_536);
    /// assert_eq!(parameters.levels_after_bootstrap(), 24);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn throughput_128() -> Result<Self> {
        Self::new(wide("throughput_128", SecurityLevel::Bits128, 1 << 16, &THROUGHPUT))
    }

    /// Between latency and throughput: ring degree 2^15, 32,768 bits in complex packing, 128 bits of security, 7 levels for
    /// gates.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// let parameters = Parameters::balanced_128()?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 32_768);
    /// assert_eq!(parameters.levels_after_bootstrap(), 7);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn balanced_128() -> Result<Self> {
        Self::new(wide("balanced_128", SecurityLevel::Bits128, 1 << 15, &BALANCED))
    }

    /// Sizes of primes of [`Parameters::throughput_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_throughput() -> Result<Self> {
        let security = SecurityLevel::Insecure;
        Self::new(wide("insecure_toy_throughput", security, 1 << 10, &THROUGHPUT))
    }

    /// The primes of [`Parameters::latency_128`], and two for gates, at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy(packing: Packing) -> Result<Self> {
        Self::new(literal("insecure_toy", SecurityLevel::Insecure, (1 << 10, packing), &TOY))
    }
}

/// log2 of the primes of a set, and how they share limbs.
struct Chains {
    base: f64,
    slots_to_coeffs: [f64; 2],
    gates: &'static [f64],
    wave: [f64; 8],
    limbs: &'static [usize],
    /// Primes of the second chain, and their number.
    raised: (f64, usize),
}

const LATENCY: Chains = Chains {
    base: 22.5,
    slots_to_coeffs: [27.4, 31.15],
    gates: &[],
    wave: [23.2, 26.75, 30.25, 32.0, 32.5, 32.25, 32.75, 32.5],
    limbs: &[2, 1, 2, 1, 1, 1, 1, 1, 1],
    raised: (47.75, 8),
};

const FUNCTIONS: Chains = Chains {
    base: 22.5,
    slots_to_coeffs: [24.9, 22.4],
    gates: &[24.9],
    wave: [24.2, 25.7, 27.5, 29.5, 30.75, 29.25, 29.25, 29.25],
    limbs: &[2, 2, 2, 1, 1, 1, 1, 1, 1],
    raised: (47.75, 8),
};

const TOY: Chains = Chains {
    gates: &[24.9, 24.9],
    limbs: &[2, 1, 2, 2, 1, 1, 1, 1, 1, 1],
    // No security limits the second chain.
    raised: (47.75, 9),
    ..LATENCY
};

fn literal(
    name: &str,
    security: SecurityLevel,
    (ring_degree, packing): (usize, Packing),
    chains: &Chains,
) -> ParametersLiteral {
    let levels = (ring_degree / 2).ilog2();
    let transform = |primes: Vec<f64>| TransformLiteral {
        stages: vec![levels.div_ceil(3), (levels + 1) / 3, levels / 3],
        primes,
        baby_steps: 8,
    };
    let (size, count) = chains.raised;
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        packing,
        base: chains.base,
        slots_to_coeffs: transform(chains.slots_to_coeffs.to_vec()),
        gates: chains.gates.to_vec(),
        wave: WaveLiteral {
            log_length: 4,
            log_babies: 2,
            doublings: 4,
            primes: chains.wave.to_vec(),
        },
        coeffs_to_slots: transform(vec![size; count]),
        limbs: chains.limbs.to_vec(),
        special: vec![47.2],
        digit_limbs: 1,
        sparse_weight: SPARSE_WEIGHT,
        log2_fail: LOG2_FAIL,
    }
}

/// Sizes of primes of the sets with many levels, log2: all primes of a part of a chain are alike.
struct Sizes {
    base: f64,
    /// Of each of the two primes of SlotsToCoeffs.
    slots_to_coeffs: f64,
    gates: f64,
    levels: usize,
    /// Of each of the eight primes of the wave.
    wave: f64,
    /// Of each prime of the second chain, and their number.
    raised: (f64, usize),
    special: f64,
    /// Special primes, and limbs a digit.
    digit_limbs: usize,
    /// Baby steps of CoeffsToSlots, whose keys are the largest.
    baby_steps: usize,
}

const THROUGHPUT: Sizes = Sizes {
    base: 41.0,
    slots_to_coeffs: 34.0,
    gates: 38.0,
    levels: 24,
    wave: 44.0,
    raised: (48.7, 30),
    special: 47.6,
    digit_limbs: 6,
    baby_steps: 3,
};

const BALANCED: Sizes = Sizes {
    base: 37.0,
    slots_to_coeffs: 30.0,
    gates: 33.0,
    levels: 7,
    wave: 40.0,
    raised: (47.2, 15),
    special: 47.2,
    digit_limbs: 3,
    baby_steps: 8,
};

/// Complex packing, matrices of a third of the levels each, and a series of 32 coefficients, whose error 16 would not bring
/// below that of scales from 32 bits on; with three doublings in place of four it takes no level more.
fn wide(
    name: &str,
    security: SecurityLevel,
    ring_degree: usize,
    sizes: &Sizes,
) -> ParametersLiteral {
    let levels = (ring_degree / 2).ilog2();
    let transform = |primes: Vec<f64>, baby_steps: usize| TransformLiteral {
        stages: vec![levels.div_ceil(3), (levels + 1) / 3, levels / 3],
        primes,
        baby_steps,
    };
    let (size, count) = sizes.raised;
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        packing: Packing::Complex,
        base: sizes.base,
        slots_to_coeffs: transform(vec![sizes.slots_to_coeffs; 2], 8),
        gates: vec![sizes.gates; sizes.levels],
        wave: WaveLiteral {
            log_length: 5,
            log_babies: 3,
            doublings: 3,
            primes: vec![sizes.wave; 8],
        },
        coeffs_to_slots: transform(vec![size; count], sizes.baby_steps),
        limbs: vec![1; 11 + sizes.levels],
        special: vec![sizes.special; sizes.digit_limbs],
        digit_limbs: sizes.digit_limbs,
        sparse_weight: SPARSE_WEIGHT,
        log2_fail: LOG2_FAIL,
    }
}
