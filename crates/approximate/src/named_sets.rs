//! Sets with names.

use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::{Result, SecurityLevel};

use crate::literal::{BootstrappingLiteral, ParametersLiteral};
use crate::parameters::Parameters;

impl Parameters {
    /// Levels without bootstrapping at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy() -> Result<Self> {
        Self::new(ParametersLiteral {
            name: "insecure_toy".into(),
            security: SecurityLevel::Insecure,
            ring_degree: 1 << 10,
            slots: 1 << 9,
            base: 49.0,
            levels: vec![40.0; 6],
            special: vec![49.0; 2],
            digit_limbs: 2,
            bootstrapping: None,
        })
    }

    /// Seven levels without bootstrapping: ring degree 2^14, 8,192 complex slots, 128 bits of security.
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
        Self::new(ParametersLiteral {
            name: "leveled_128".into(),
            security: SecurityLevel::Bits128,
            ring_degree: 1 << 14,
            slots: 1 << 13,
            base: 49.0,
            levels: vec![40.0; 7],
            special: vec![49.5; 2],
            digit_limbs: 2,
            bootstrapping: None,
        })
    }

    /// Bootstrapping of full packing: ring degree 2^16, 32,768 complex slots, 128 bits of security, 7 levels of 40 bits
    /// after a bootstrap. The root mean square of the errors of slots is at most 2^-23.8 by the noise model, of numbers
    /// whose parts are within 1; a part is off by more than 2^-20 with less than 2^-40 a slot.
    ///
    /// **Sizes.** The modulus pays for few digits: 23 primes of 49.19 bits, below which transforms are fastest, in the
    /// chain of CoeffsToSlots, and twelve special ones, hence two digits there. Products of limbs are two thirds of the
    /// time, so that keys of the first chain have digits of five limbs: larger ones take fewer transforms and more
    /// products. A series of 16 coefficients and five doublings is a level longer than 32 and three, and 1.5 bits more
    /// precise for less work: steps of Chebyshev's recurrence amplify errors by 2.8 a doubling, squarings by 2.
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

    /// Sizes of primes of [`Parameters::bootstrapping_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_bootstrapping() -> Result<Self> {
        Self::new(bootstrapping("insecure_toy_bootstrapping", SecurityLevel::Insecure, 1 << 10))
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
