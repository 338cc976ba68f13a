//! The parameter sets of bits.

use cryptable_lattice::{Owners, Result, SecurityLevel};

use crate::literal::{ExponentialLiteral, Packing, ParametersLiteral, TransformLiteral};
use crate::parameters::Parameters;

/// log2 of the failure probability per bit: 2^-80 for all bits of a ciphertext of ring degree 2^16 or less, 2^-64 for
/// 65,536 ciphertexts of one circuit. AES-128 computes some 2^12 ciphertexts of degree 2^15.
const LOG2_FAIL: f64 = -96.0;

/// Hamming weight of the encapsulated secret: the least in the security tables.
const SPARSE_WEIGHT: u32 = 32;

impl Parameters {
    /// Parameters for the least latency: ring degree 2^14, 128 bits of security, no level for gates between bootstraps.
    ///
    /// The tables allow 430 bits in all for a dense secret. One special prime of 47 bits, about as large as a digit of
    /// keys, leaves 382. The first chain uses 323 of them, in primes of 22 to 33 bits that a search chose by the noise
    /// model. The second chain, in which CoeffsToSlots runs, has eight limbs of 47.75 bits.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::latency_128(Packing::Real)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 8192);
    /// assert!(parameters.gate_boot_precision().log2_fail_per_bit <= -96.0);
    /// // Few bits take less work.
    /// let few = Parameters::latency_128(Packing::Sparse(256))?;
    /// assert!(few.operation_counts().transforms * 4 < parameters.operation_counts().transforms * 3);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn latency_128(packing: Packing) -> Result<Self> {
        Self::new(secure("latency_128", 1 << 14, packing, &LATENCY))
    }

    /// Parameters like [`Parameters::latency_128`], with one level after a bootstrap. Use it for a gate by a product,
    /// or for functions of higher degree within the bootstrap, such as
    /// [`EvaluationKey::gate_boot_cleaning`](crate::EvaluationKey::gate_boot_cleaning). The level costs two bits of
    /// precision.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::functions_128(Packing::Complex)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.levels_after_bootstrap() == 1);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn functions_128(packing: Packing) -> Result<Self> {
        Self::new(secure("functions_128", 1 << 14, packing, &FUNCTIONS))
    }

    /// Parameters like [`Parameters::latency_128`], with the two levels after a bootstrap that a cleaning needs. They
    /// are for bits that come from other methods and go back to them, such as bits of FHEW gates. Primes of the
    /// exponential are small, since its errors are squared. Four pairs of the lowest primes share limbs, so that the
    /// two levels add no limbs.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::cleaning_128(Packing::Complex)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.levels_after_bootstrap() == 2);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn cleaning_128(packing: Packing) -> Result<Self> {
        Self::new(secure("cleaning_128", 1 << 14, packing, &CLEANING))
    }

    /// Parameters for the most bits per second: ring degree 2^16, 65,536 bits in complex packing, 128 bits of security,
    /// 21 levels for gates: 17 gates and two cleanings between bootstraps.
    ///
    /// **Where cleanings go.** With deviations that double at every gate, as for equal operands, an error ε becomes
    /// `2^g·ε` after g gates, at most `3ε²` and ten roundings after a cleaning, and `π²/4·ε²` and the exponential's own
    /// error after BinBoot. A round of 5, 6 and 6 gates with cleanings between them therefore turns 2^-x into about
    /// 2^-(8x - 93), which is below 2^-x from x = 13.3 on. In every round, BinBoot leaves at most 2^-14.2, except with
    /// probability 2^-92: half of it is noise of slots, 45 deviations of it, the rest is bias of the series and of
    /// squares. Bits are within 2^-8 of 0 and 1 before each cleaning and bootstrap.
    ///
    /// **Sizes.** Gates have scales of 36 bits, at which ten roundings of a cleaning are 2^-15. Smaller scales need
    /// more frequent cleaning, and use the same number of bits for more levels. Gates consume bits of the modulus, and
    /// digits of keys consume time: three digits and nine special primes allow fewer gates than five digits and six,
    /// and need fewer transforms per gate. Keys of 105 MB in place of 190 leave memory for more baby steps. Primes of
    /// the second chain and special primes are below 2^49.2, where transforms are fastest.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// let parameters = Parameters::throughput_128()?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 65_536);
    /// assert_eq!(parameters.levels_after_bootstrap(), 21);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn throughput_128() -> Result<Self> {
        Self::throughput_128_of(Owners::ONE)
    }

    /// Returns [`Parameters::throughput_128`] for a key of several owners, whose sum of sparse secrets has a larger
    /// overflow. The angle is doubled once more for two and three owners, and several times more for more of them. Each
    /// doubling uses up a level for gates.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// use cryptable_lattice::Owners;
    /// let parameters = Parameters::throughput_128_of(Owners::new(3).unwrap())?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.levels_after_bootstrap() == 20);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the sets are tested.
    pub fn throughput_128_of(owners: Owners) -> Result<Self> {
        let set = secure("throughput_128", 1 << 16, Packing::Complex, &THROUGHPUT);
        Self::new(of_owners(set, owners))
    }

    /// Returns [`Parameters::insecure_toy_throughput`] for a key of several owners, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the sets are tested.
    pub fn insecure_toy_throughput_of(owners: Owners) -> Result<Self> {
        let set = toy("insecure_toy_throughput", Packing::Complex, &THROUGHPUT);
        Self::new(of_owners(set, owners))
    }

    /// Parameters between latency and throughput: ring degree 2^15, 32,768 bits in complex packing, or fewer in other
    /// packings, 128 bits of security, 7 levels for gates.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::balanced_128(Packing::Complex)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 32_768);
    /// assert_eq!(parameters.levels_after_bootstrap(), 7);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn balanced_128(packing: Packing) -> Result<Self> {
        Self::new(secure("balanced_128", 1 << 15, packing, &BALANCED))
    }

    /// Parameters for tables of eight bits between bootstraps
    /// ([`EvaluationKey::tables`](crate::EvaluationKey::tables)): ring degree 2^15, 32,768 bits in complex packing, 128
    /// bits of security, 4 levels, three of which such a table consumes.
    ///
    /// A search by the noise model found the primes, for repeated BinBoots of a sum of tables of eight bits and a bit.
    /// Errors add up as deviations, since bits may depend on each other.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// let parameters = Parameters::tables_128()?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 32_768);
    /// assert_eq!(parameters.levels_after_bootstrap(), 4);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn tables_128() -> Result<Self> {
        Self::new(secure("tables_128", 1 << 15, Packing::Complex, &TABLES))
    }

    /// Parameters for long XORs of products: ring degree 2^15, 32,768 bits in complex packing, 128 bits of security, 6
    /// levels: four gates and a cleaning between bootstraps, and each bootstrap sums up to some 170 of their results.
    ///
    /// A cleaning after every bootstrap, 3ε² of an error ε, leaves ten roundings (2^-16) of the error 2^-11 after
    /// BinBoot. The exponential's primes can therefore be small, and the modulus saved allows digits of four and five
    /// limbs. Matrices of SlotsToCoeffs are as exact as two limbs allow, since their rounding errors grow with the
    /// sums.
    ///
    /// ```
    /// use cryptable_bits::Parameters;
    /// let parameters = Parameters::sums_128()?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.bits() == 32_768);
    /// assert_eq!(parameters.levels_after_bootstrap(), 6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn sums_128() -> Result<Self> {
        Self::new(secure("sums_128", 1 << 15, Packing::Complex, &SUMS))
    }

    /// Parameters with the prime sizes of [`Parameters::sums_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_sums() -> Result<Self> {
        Self::new(toy("insecure_toy_sums", Packing::Complex, &SUMS))
    }

    /// Parameters with the prime sizes of [`Parameters::throughput_128`] at ring degree 2^10, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_throughput() -> Result<Self> {
        Self::insecure_toy_throughput_of(Owners::ONE)
    }

    /// Parameters with the primes of [`Parameters::latency_128`], and two for gates, at ring degree 2^10, for tests
    /// only: **insecure**.
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn insecure_toy(packing: Packing) -> Result<Self> {
        Self::new(toy("insecure_toy", packing, &TOY))
    }

    /// Parameters with the prime sizes of [`Parameters::tables_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// If the number of sparse bits is not a power of two from 16 to a quarter of the degree.
    pub fn insecure_toy_tables(packing: Packing) -> Result<Self> {
        Self::new(toy("insecure_toy_tables", packing, &TABLES))
    }
}

/// Sizes of the primes of a set (log2), and everything else in which sets differ.
struct Sizes {
    base: f64,
    slots_to_coeffs: [f64; 2],
    gates: &'static [f64],
    /// log2 of the series' length, of its baby steps, and doublings.
    series: [u32; 3],
    exponential: [f64; 8],
    /// Number of primes in each of the lowest limbs; the others have one each.
    limbs: &'static [usize],
    /// Butterfly levels of the matrices of CoeffsToSlots at full size. At other sizes, three matrices merge levels as
    /// evenly as possible.
    stages: &'static [u32],
    /// Whether the first of four matrices of CoeffsToSlots raises.
    raising_matrix: bool,
    /// log2 of each prime of the second chain, and their number.
    raised: (f64, usize),
    /// log2 of each special prime, and their number.
    special: (f64, usize),
    /// Limbs per digit of keys of either chain.
    digit_limbs: [usize; 2],
    /// Stated failure probability per bit, log2.
    log2_fail: f64,
}

const LATENCY: Sizes = Sizes {
    base: 22.5,
    slots_to_coeffs: [27.4, 31.15],
    gates: &[],
    series: [4, 2, 4],
    exponential: [23.2, 26.75, 30.25, 32.0, 32.5, 32.25, 32.75, 32.5],
    limbs: &[2, 1, 2],
    stages: &[],
    raising_matrix: false,
    raised: (47.75, 8),
    special: (47.2, 1),
    digit_limbs: [1, 1],
    log2_fail: LOG2_FAIL,
};

const FUNCTIONS: Sizes = Sizes {
    slots_to_coeffs: [24.9, 22.4],
    gates: &[24.9],
    exponential: [24.2, 25.7, 27.5, 29.5, 30.75, 29.25, 29.25, 29.25],
    limbs: &[2, 2, 2],
    // Bits of this set are too noisy for a smaller probability: 2^-64 for 16,384 ciphertexts of 16,384 bits.
    log2_fail: -92.0,
    ..LATENCY
};

const CLEANING: Sizes = Sizes {
    base: 22.1,
    slots_to_coeffs: [22.85, 23.15],
    gates: &[27.3, 24.05],
    exponential: [22.4, 24.45, 25.45, 28.0, 28.35, 27.3, 30.1, 28.75],
    limbs: &[2, 2, 2, 2],
    // 2^-64 for all bits of a ciphertext of ring degree 2^14, with two bits to spare: FHEW circuits do not have
    // thousands of steps.
    log2_fail: -80.0,
    ..LATENCY
};

const TOY: Sizes = Sizes {
    gates: &[24.9, 24.9],
    limbs: &[2, 1, 2, 2],
    // Security does not limit the second chain.
    raised: (47.75, 9),
    ..LATENCY
};

/// Sixteen coefficients are exact to 2^-17 of a bit, enough for bits that are cleaned; 32 would need four more
/// relinearizations per part.
const THROUGHPUT: Sizes = Sizes {
    base: 33.0,
    slots_to_coeffs: [28.0, 29.0],
    gates: &[36.0; 21],
    exponential: [41.5, 41.5, 41.5, 41.5, 41.5, 43.0, 43.0, 43.0],
    limbs: &[],
    stages: &[4, 4, 4, 3],
    raised: (49.19, 26),
    special: (49.19, 9),
    digit_limbs: [12, 9],
    // Circuits of thousands of steps need this to reach 2^-64 for all words of a ciphertext.
    log2_fail: -92.0,
    ..LATENCY
};

/// Factor by which the series may reach further. Its bias after BinBoot is then 2^-13.3 for three owners, in place of
/// 2^-14.8.
const SERIES_ROOM: f64 = 1.1;

/// log2 of the prime for one more doubling of the angle.
const DOUBLING: f64 = 43.0;

const BALANCED: Sizes = Sizes {
    base: 37.0,
    slots_to_coeffs: [30.0, 30.0],
    gates: &[33.0; 7],
    series: [5, 2, 3],
    exponential: [40.0; 8],
    limbs: &[],
    stages: &[5, 5, 4],
    raised: (47.2, 15),
    special: (47.2, 3),
    digit_limbs: [3, 3],
    ..LATENCY
};

/// CoeffsToSlots has four matrices, for which its chain has room; the first one raises, and merges the most levels. The
/// series has 16 coefficients and four doublings. The base shares its limb with a prime of SlotsToCoeffs, so that bits
/// without levels have two limbs. Digits of the first chain are wider than the special primes: a rescale follows
/// relinearizations.
const TABLES: Sizes = Sizes {
    base: 23.0,
    slots_to_coeffs: [25.75, 47.0],
    gates: &[34.75, 34.5, 34.5, 34.5],
    exponential: [36.625, 36.125, 37.625, 40.125, 40.375, 40.125, 41.875, 40.875],
    limbs: &[2],
    raising_matrix: true,
    raised: (48.0, 13),
    special: (48.05, 5),
    digit_limbs: [7, 5],
    ..LATENCY
};

const SUMS: Sizes = Sizes {
    base: 24.0,
    slots_to_coeffs: [25.75, 49.0],
    gates: &[36.0; 6],
    exponential: [33.125, 32.625, 34.125, 36.625, 36.875, 36.625, 38.375, 37.375],
    raised: (48.0, 14),
    special: (48.0, 4),
    digit_limbs: [5, 4],
    ..TABLES
};

/// Adapts a set to a key of several owners. Their larger overflow needs more doublings, each of which replaces a level
/// of gates.
fn of_owners(mut literal: ParametersLiteral, owners: Owners) -> ParametersLiteral {
    if owners.is_one() {
        return literal;
    }
    let bound = |it: &ParametersLiteral| it.encapsulated_secret().bound_for(it.log2_fail - 1.0);
    let before = bound(&literal);
    literal.owners = owners;
    let ratio = bound(&literal) / before;
    let doublings = (ratio / SERIES_ROOM).log2().ceil() as u32;
    literal.exponential.doublings += doublings;
    for _ in 0..doublings {
        literal.gates.pop();
        literal.exponential.primes.push(DOUBLING);
    }
    literal.name = format!("{}_owners{owners}", literal.name);
    literal
}

/// Returns the literal of a set of 128 bits of security.
fn secure(name: &str, ring_degree: usize, packing: Packing, sizes: &Sizes) -> ParametersLiteral {
    literal(name, SecurityLevel::Bits128, ring_degree, packing, sizes)
}

/// Returns the literal of a set at ring degree 2^10.
fn toy(name: &str, packing: Packing, sizes: &Sizes) -> ParametersLiteral {
    literal(name, SecurityLevel::Insecure, 1 << 10, packing, sizes)
}

fn literal(
    name: &str,
    security: SecurityLevel,
    ring_degree: usize,
    packing: Packing,
    sizes: &Sizes,
) -> ParametersLiteral {
    let (coeffs_to_slots, slots_to_coeffs) = transforms(ring_degree, packing, sizes);
    let [log_length, log_babies, doublings] = sizes.series;
    // One prime of the base, two of SlotsToCoeffs, and the primes of the exponential and of gates.
    let primes = 3 + sizes.exponential.len() + sizes.gates.len();
    let others = primes - sizes.limbs.iter().sum::<usize>();
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        packing,
        base: sizes.base,
        slots_to_coeffs,
        gates: sizes.gates.to_vec(),
        exponential: ExponentialLiteral {
            log_length,
            log_babies,
            doublings,
            primes: sizes.exponential.to_vec(),
        },
        coeffs_to_slots,
        raising_matrix: sizes.raising_matrix,
        limbs: [sizes.limbs, &vec![1; others]].concat(),
        special: vec![sizes.special.0; sizes.special.1],
        digit_limbs: sizes.digit_limbs[0],
        raised_digit_limbs: sizes.digit_limbs[1],
        sparse_weight: SPARSE_WEIGHT,
        owners: Owners::ONE,
        log2_fail: sizes.log2_fail,
    }
}

/// Returns CoeffsToSlots and SlotsToCoeffs of a set, the latter in three matrices.
fn transforms(
    ring_degree: usize,
    packing: Packing,
    sizes: &Sizes,
) -> (TransformLiteral, TransformLiteral) {
    let levels = packing.transformed(ring_degree).max(1).ilog2();
    let mut thirds: Vec<u32> = (0..3).map(|k| (levels + 2 - k) / 3).collect();
    let mut stages = thirds.clone();
    // Toy rings and sparse packing have fewer levels than the matrices merge at full size.
    if sizes.stages.iter().sum::<u32>() == levels {
        stages = sizes.stages.to_vec();
    }
    if sizes.raising_matrix {
        let of_others = levels.saturating_sub(2).div_ceil(4);
        stages = vec![levels - 3 * of_others, of_others, of_others, of_others];
        thirds.reverse();
    }
    let baby_steps = if sizes.raising_matrix { 16 } else { 8 };
    let (size, count) = sizes.raised;
    let coeffs_to_slots = TransformLiteral { stages, primes: vec![size; count], baby_steps: 8 };
    let primes = sizes.slots_to_coeffs.to_vec();
    (coeffs_to_slots, TransformLiteral { stages: thirds, primes, baby_steps })
}
