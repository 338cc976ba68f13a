//! Sets with names for lookups: a smaller ring than plain bootstrapping needs for its precision.

use cryptable_ckks::bootstrapping::literals::{ExponentialLiteral, TransformLiteral};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::{Result, SecurityLevel};

use crate::literal::{BootstrappingLiteral, ParametersLiteral};
use crate::parameters::Parameters;

impl Parameters {
    /// Lookups of 16,384 complex slots at ring degree 2^15, 128 bits of security: tables of 16 points leave two levels and
    /// values of 16 bits; a slot fails with at most 2^-80.
    ///
    /// Inputs of lookups are cleaned, so phases need only some 20 bits; plain bootstrapping would need more, by the bits of
    /// precision of its results, of which this set leaves 13. Sizes by the dry run: CoeffsToSlots in three matrices, since
    /// four share 22 bits less.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn lookups_128() -> Result<Self> {
        Self::new(lookups("lookups_128", SecurityLevel::Bits128, 1 << 15))
    }

    /// Sizes of primes of [`Parameters::lookups_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy_lookups() -> Result<Self> {
        Self::new(lookups("insecure_toy_lookups", SecurityLevel::Insecure, 1 << 10))
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
