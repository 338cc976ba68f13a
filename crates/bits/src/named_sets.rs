//! Parameter sets with names.

use cryptable_lattice::{Result, SecurityLevel};

use crate::literal::{Packing, ParametersLiteral, TransformLiteral, WaveLiteral};
use crate::parameters::Parameters;

/// log2 of the failure probability a bit: 2^-64 for all bits of a ciphertext of ring degree 2^16 or less.
const LOG2_FAIL: f64 = -80.0;

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

impl Parameters {
    /// Bits at the least latency: ring degree 2^14, 128 bits of security, two levels for gates after a bootstrap.
    ///
    /// The chain, 392 bits, is that of Param14 of Bae, Cheon, Kim, Stehlé (Table 5), cut otherwise: squarings of a short
    /// series need one level more than a long one and lose fewer bits, so that primes of 29 bits serve in place of 32.
    /// One special prime of 36 bits: the tables allow 430 bits in all for a dense secret, where the paper has weight 256.
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
        Self::new(literal("latency_128", SecurityLevel::Bits128, 1 << 14, packing))
    }

    /// The same primes at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// Never: the set is tested.
    pub fn insecure_toy(packing: Packing) -> Result<Self> {
        Self::new(literal("insecure_toy", SecurityLevel::Insecure, 1 << 10, packing))
    }
}

fn literal(
    name: &str,
    security: SecurityLevel,
    ring_degree: usize,
    packing: Packing,
) -> ParametersLiteral {
    let levels = (ring_degree / 2).ilog2();
    let transform = |primes: &[f64]| TransformLiteral {
        stages: vec![levels.div_ceil(2), levels / 2],
        primes: primes.to_vec(),
        baby_steps: 8,
    };
    ParametersLiteral {
        name: name.into(),
        security,
        ring_degree,
        packing,
        base: 28.0,
        slots_to_coeffs: transform(&[28.0]),
        gates: vec![26.0; 2],
        wave: WaveLiteral { log_length: 4, log_babies: 2, doublings: 4, primes: vec![29.0; 8] },
        coeffs_to_slots: transform(&[26.0; 2]),
        special: vec![36.0],
        digit_limbs: 1,
        sparse_weight: SPARSE_WEIGHT,
        log2_fail: LOG2_FAIL,
    }
}
