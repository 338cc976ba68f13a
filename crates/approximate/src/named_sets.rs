//! Named parameter sets.

use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::error::check_power_of_two;
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};
use cryptable_lattice::{Result, SecurityLevel};

use crate::literal::{BootstrappingLiteral, ParametersLiteral};
use crate::literal_choice::Sizes;
use crate::parameters::Parameters;

/// Fewest slots of a sparse set: two matrices need them.
const LEAST_SLOTS: usize = 4;

impl Parameters {
    /// Parameters with levels but without bootstrapping at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy() -> Result<Self> {
        let name = "insecure_toy".into();
        let (security, special) = (SecurityLevel::Insecure, vec![49.0; 2]);
        let toy = leveled(1 << 10, 6);
        Self::new(ParametersLiteral { name, security, special, ..toy })
    }

    /// Parameters with seven levels, without bootstrapping: ring degree 2^14, 8,192 complex slots, 128 bits of
    /// security.
    ///
    /// ```
    /// use cryptable_approximate::Parameters;
    /// let parameters = Parameters::leveled_128()?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert_eq!((parameters.slots(), parameters.levels()), (8192, 7));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn leveled_128() -> Result<Self> {
        Self::new(leveled(1 << 14, 7))
    }

    /// Parameters for bootstrapping of full packing: ring degree 2^16, 32,768 complex slots, 128 bits of security, 7
    /// levels of 40 bits after a bootstrap. For numbers whose parts are within 1, the root mean square of the errors of
    /// slots is at most 2^-23.8 by the noise model; a part is off by more than 2^-20 with probability less than 2^-40
    /// per slot.
    ///
    /// **Sizes.** The modulus allows few digits: 23 primes of 49.19 bits, below which transforms are fastest, in the
    /// chain of CoeffsToSlots, and twelve special ones, hence two digits there. Products of limbs are two thirds of the
    /// time, so that keys of the first chain have digits of five limbs: larger ones need fewer transforms and more
    /// products. A series of 16 coefficients and five doublings is one level longer than 32 and three, and 1.5 bits
    /// more precise for less work: steps of Chebyshev's recurrence amplify errors by 2.8 per doubling, squarings by 2.
    ///
    /// ```
    /// use cryptable_approximate::Parameters;
    /// let parameters = Parameters::bootstrapping_128()?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert_eq!((parameters.slots(), parameters.levels()), (32_768, 7));
    /// let error = parameters.bootstrap_error().expect("parameters with bootstrapping");
    /// assert!(error.bits() > 23.8 && error.largest(-40.0) < 2f64.powi(-20));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn bootstrapping_128() -> Result<Self> {
        Self::new(bootstrapping("bootstrapping_128", SecurityLevel::Bits128, 1 << 16))
    }

    /// Parameters with the prime sizes of [`Parameters::bootstrapping_128`] at ring degree 2^10, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_bootstrapping() -> Result<Self> {
        Self::new(bootstrapping("insecure_toy_bootstrapping", SecurityLevel::Insecure, 1 << 10))
    }

    /// Parameters for lookups of 16,384 complex slots at ring degree 2^15, 128 bits of security. Tables of 16 points
    /// leave two levels and values of 16 bits; a slot fails with probability at most 2^-80.
    ///
    /// Lookups clean their inputs, so phases need only some 20 bits. Plain bootstrapping would need more, by the bits
    /// of precision of its results; this set leaves 13 of them. Sizes were chosen by the dry run: CoeffsToSlots has
    /// three matrices, since four share 22 bits less.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn lookups_128() -> Result<Self> {
        Self::new(lookups("lookups_128", SecurityLevel::Bits128, 1 << 15))
    }

    /// Parameters with the prime sizes of [`Parameters::lookups_128`] at ring degree 2^10, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_lookups() -> Result<Self> {
        Self::new(lookups("insecure_toy_lookups", SecurityLevel::Insecure, 1 << 10))
    }

    /// Parameters for bootstrapping of `slots` slots, fewer than the 32,768 of [`Parameters::bootstrapping_128`], at
    /// its ring degree of 2^16 and with the sizes of its primes, at lower cost: matrices with fewer levels, one
    /// exponential for real and imaginary parts. 128 bits of security, 7 levels of 40 bits after a bootstrap.
    ///
    /// ```
    /// use cryptable_approximate::Parameters;
    /// let parameters = Parameters::sparse_bootstrapping_128(4096)?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert_eq!((parameters.slots(), parameters.levels()), (4096, 7));
    /// let transforms = |p: Parameters| p.bootstrap_counts().expect("parameters with bootstrapping").transforms;
    /// assert!(transforms(parameters) < transforms(Parameters::bootstrapping_128()?) * 3 / 4);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of slots is not a power of two from 4 to 16,384.
    pub fn sparse_bootstrapping_128(slots: usize) -> Result<Self> {
        let degree = 1 << 16;
        let secret = SecretDistribution::UniformTernary;
        let modulus = max_log2_modulus(degree, secret).expect("a degree of the tables");
        sparse("sparse_bootstrapping_128", SecurityLevel::Bits128, degree, slots, modulus)
    }

    /// Parameters with the prime sizes of [`Parameters::sparse_bootstrapping_128`] at ring degree 2^10, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// If the number of slots is not a power of two from 4 to 256.
    pub fn insecure_toy_sparse_bootstrapping(slots: usize) -> Result<Self> {
        let name = "insecure_toy_sparse_bootstrapping";
        sparse(name, SecurityLevel::Insecure, 1 << 10, slots, 1747.0)
    }
}

fn leveled(ring_degree: usize, levels: usize) -> ParametersLiteral {
    ParametersLiteral {
        name: "leveled_128".into(),
        security: SecurityLevel::Bits128,
        ring_degree,
        slots: ring_degree / 2,
        base: 49.0,
        levels: vec![40.0; levels],
        special: vec![49.5; 2],
        digit_limbs: 2,
        bootstrapping: None,
    }
}

fn bootstrapping(name: &str, security: SecurityLevel, ring_degree: usize) -> ParametersLiteral {
    let levels = (ring_degree / 2).ilog2();
    let stages = |parts: u32| (0..parts).map(|k| (levels + parts - 1 - k) / parts).collect();
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        slots: ring_degree / 2,
        base: 47.0,
        levels: vec![40.0; 7],
        special: vec![49.19; 12],
        digit_limbs: 5,
        bootstrapping: Some(BootstrappingLiteral {
            trace_halvings: TraceHalvings::default(),
            log2_range: 5.0,
            slots_to_coeffs: TransformLiteral {
                stages: stages(3),
                primes: vec![46.0; 2],
                baby_steps: 16,
            },
            exponential: ExponentialLiteral {
                log_length: 4,
                log_babies: 2,
                doublings: 5,
                primes: vec![49.0; 9],
            },
            sines: vec![49.0; 2],
            joining: Vec::new(),
            coeffs_to_slots: TransformLiteral {
                stages: stages(4),
                primes: vec![49.19; 23],
                baby_steps: 8,
            },
            raised_digit_limbs: 12,
            sparse_weight: 32,
            log2_fail: -80.0,
        }),
    }
}

fn lookups(name: &str, security: SecurityLevel, ring_degree: usize) -> ParametersLiteral {
    let levels = (ring_degree / 2).ilog2();
    let stages: Vec<u32> = (0..3).map(|k| (levels + 2 - k) / 3).collect();
    let transform = |primes| TransformLiteral { stages: stages.clone(), primes, baby_steps: 8 };
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        slots: ring_degree / 2,
        base: 40.0,
        levels: vec![34.0; 5],
        special: vec![48.0; 3],
        digit_limbs: 3,
        bootstrapping: Some(BootstrappingLiteral {
            trace_halvings: TraceHalvings::default(),
            log2_range: 5.0,
            slots_to_coeffs: transform(vec![34.0; 2]),
            exponential: ExponentialLiteral {
                log_length: 5,
                log_babies: 2,
                doublings: 3,
                primes: vec![39.0; 8],
            },
            sines: vec![38.0],
            joining: Vec::new(),
            coeffs_to_slots: transform(vec![48.0; 15]),
            raised_digit_limbs: 3,
            sparse_weight: 32,
            log2_fail: -80.0,
        }),
    }
}

fn sparse(
    name: &str,
    security: SecurityLevel,
    ring_degree: usize,
    slots: usize,
    log2_modulus: f64,
) -> Result<Parameters> {
    check_power_of_two("number of sparse slots", slots, LEAST_SLOTS..=ring_degree / 4)?;
    let sizes = Sizes {
        ring_degree,
        slots,
        levels: (7, 40.0),
        base: 47.0,
        log2_range: 5.0,
        matrices: [33.0, 41.5],
        most_merged: 4,
        exponential: 49.0,
        series: (4, 5),
        sines: 2,
        baby_steps: 8,
        digit_limbs: 5,
        log2_fail: -80.0,
    };
    let literal = sizes.literal(name.into(), security, log2_modulus);
    Parameters::new(literal.expect("a modulus that is large enough"))
}
