//! CMUX_1 to CMUX_5 and AUTO_1 to AUTO_5 of Wang et al. (EUROCRYPT 2024, ePrint 2024/323, Tables 2 to 5) as printed, as far
//! as this library's primes and secrets allow: N = 2,048, n = 571 under a binary secret by CMUXes and n = 458 by
//! automorphisms, digits as in Table 5.
//!
//! The paper states 128 bits of security. By [`cryptable_lattice::security`] its LWE has fewer, so these sets are insecure
//! and only for research. They differ from the paper in two respects, and AUTO sets in a third:
//!
//! - Q is the largest prime below 2^50, while the paper's is near 2^54. The noise of rows is 2^4 times as large relative to
//!   Q, and depths are those that the noise model of `cryptable-leveled` predicts at 2^-64: 0 with CMUX_1 and CMUX_2, which
//!   have a single digit of 28 bits in scheme switching.
//! - Intermediate LWE ciphertexts have modulus 2^14 instead of 2^10, and are switched through a ring of degree 1,024, like
//!   those of this library's own sets.
//! - LWE secrets of AUTO sets are uniform ternary; the paper's are Gaussian of deviation 3.2, which this library does not
//!   have. At n = 458 they are weaker than the paper's.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::error::out_of_range;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Result, SecurityLevel};
use cryptable_leveled::parameters::{CircuitBootstrappingLiteral, CircuitBootstrappingParameters};

/// A row of Table 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedCmuxSet {
    /// The paper's name.
    pub name: &'static str,
    /// Bits per digit and number of digits of rotation keys, of the trace, of scheme switching and of RGSW ciphertexts.
    pub digits: [(u32, usize); 4],
    /// Longest chain of CMUXes.
    pub max_depth: u64,
}

/// All CMUX rows of Table 5.
pub const PUBLISHED_CMUX_SETS: [PublishedCmuxSet; 5] = {
    const fn row(
        name: &'static str,
        digits: [(u32, usize); 4],
        max_depth: u64,
    ) -> PublishedCmuxSet {
        PublishedCmuxSet { name, digits, max_depth }
    }
    [
        row("CMUX_1", [(26, 1), (17, 2), (28, 1), (5, 2)], 8),
        row("CMUX_2", [(17, 2), (17, 2), (28, 1), (6, 2)], 115),
        row("CMUX_3", [(17, 2), (17, 2), (19, 2), (7, 2)], 236),
        row("CMUX_4", [(17, 2), (13, 3), (19, 2), (8, 2)], 10_900),
        row("CMUX_5", [(17, 2), (11, 4), (19, 2), (8, 2)], 20_200),
    ]
};

/// A row of Table 5 for rotations by automorphisms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedAutoSet {
    /// The paper's name.
    pub name: &'static str,
    /// Bits per digit and number of digits of rotation keys, of automorphisms in rotations, of the trace, of scheme switching
    /// and of RGSW ciphertexts.
    pub digits: [(u32, usize); 5],
    /// Longest chain of CMUXes.
    pub max_depth: u64,
}

/// All AUTO rows of Table 5.
pub const PUBLISHED_AUTO_SETS: [PublishedAutoSet; 5] = {
    const fn row(
        name: &'static str,
        digits: [(u32, usize); 5],
        max_depth: u64,
    ) -> PublishedAutoSet {
        PublishedAutoSet { name, digits, max_depth }
    }
    [
        row("AUTO_1", [(26, 1), (26, 1), (17, 2), (28, 1), (6, 2)], 7),
        row("AUTO_2", [(17, 2), (17, 2), (17, 2), (28, 1), (6, 2)], 73),
        row("AUTO_3", [(17, 2), (17, 2), (17, 2), (19, 2), (7, 2)], 149),
        row("AUTO_4", [(17, 2), (17, 2), (13, 3), (19, 2), (8, 2)], 7_900),
        row("AUTO_5", [(17, 2), (17, 2), (11, 4), (19, 2), (8, 2)], 16_800),
    ]
};

/// θ of the sets: phases are multiples of 4, and exponents of rotations are 1 modulo 4.
const SPARSITY_LOG2: u32 = 2;

/// w of Table 2 for this θ at N = 2,048: automorphisms by up to this number of steps have keys.
const WINDOW: usize = 15;

/// Returns the CMUX set of this number, from 1 to 5: not secure by today's estimates, and marked so.
///
/// ```
/// use cryptable_papers::wang_2024::insecure_cmux_set;
/// let parameters = insecure_cmux_set(5)?;
/// assert!(parameters.fhew().security_bits() < 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If there is no such set, or its noise leaves a circuit bootstrap no margin.
pub fn insecure_cmux_set(number: u32) -> Result<CircuitBootstrappingParameters> {
    let row = of_number(&PUBLISHED_CMUX_SETS, number)?;
    let [rotation, automorphism, relinearization, rgsw] = row.digits.map(gadget);
    CircuitBootstrappingParameters::new(CircuitBootstrappingLiteral {
        security: SecurityLevel::Insecure,
        bits_per_ciphertext: 1,
        rgsw,
        fhew: ParametersLiteral {
            lwe_dimension: 571,
            rotation: rotation.into(),
            ..published(automorphism, relinearization)
        },
    })
}

/// Returns the AUTO set of this number, from 1 to 5: not secure, and marked so.
///
/// ```
/// use cryptable_papers::wang_2024::insecure_auto_set;
/// let parameters = insecure_auto_set(5)?;
/// assert!(parameters.fhew().security_bits() < 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
///
/// # Errors
/// If there is no such set, or its noise leaves a circuit bootstrap no margin.
pub fn insecure_auto_set(number: u32) -> Result<CircuitBootstrappingParameters> {
    let row = of_number(&PUBLISHED_AUTO_SETS, number)?;
    let [rotation, rotating, automorphism, relinearization, rgsw] = row.digits.map(gadget);
    CircuitBootstrappingParameters::new(CircuitBootstrappingLiteral {
        security: SecurityLevel::Insecure,
        bits_per_ciphertext: 1,
        rgsw,
        fhew: ParametersLiteral {
            lwe_dimension: 458,
            lwe_secret: SecretDistribution::UniformTernary,
            rotation_method: RotationMethod::SparseAutomorphism {
                sparsity_log2: SPARSITY_LOG2,
                window: WINDOW,
                digits: rotating,
            },
            rotation: rotation.into(),
            ..published(automorphism, relinearization)
        },
    })
}

/// Returns the row with a number from 1 on.
fn of_number<T>(rows: &[T; 5], number: u32) -> Result<&T> {
    let row = (number as usize).checked_sub(1).and_then(|index| rows.get(index));
    row.ok_or_else(|| out_of_range("number of the set", number.into(), "from 1 to 5"))
}

fn gadget((base_log2, length): (u32, usize)) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

/// Returns the literal common to all sets.
fn published(automorphism: GadgetLiteral, relinearization: GadgetLiteral) -> ParametersLiteral {
    ParametersLiteral {
        log2_lwe_modulus: 14,
        // The nearest prime is the largest below 2^50.
        log2_prime: 49.999_999_999_99,
        key_switching: gadget((2, 5)),
        automorphism,
        relinearization,
        ..*Parameters::default_128().literal()
    }
}

#[cfg(test)]
mod tests {
    use cryptable_leveled::noise::CircuitBootstrappingNoise;

    use super::*;

    #[test]
    fn sets_construct_and_are_below_128_bits() {
        for (number, row) in (1..).zip(PUBLISHED_CMUX_SETS) {
            let parameters = insecure_cmux_set(number).unwrap();
            let depth = CircuitBootstrappingNoise::new(&parameters).max_depth();
            let bits = parameters.fhew().security_bits();
            println!("{}: {bits:.1} bits, depth {depth}, printed {}", row.name, row.max_depth);
            assert!((120.0..128.0).contains(&bits), "{row:?}");
        }
        for (number, row) in (1..).zip(PUBLISHED_AUTO_SETS) {
            let parameters = insecure_auto_set(number).unwrap();
            let depth = CircuitBootstrappingNoise::new(&parameters).max_depth();
            let bits = parameters.fhew().security_bits();
            println!("{}: {bits:.1} bits, depth {depth}, printed {}", row.name, row.max_depth);
            assert!(bits < 128.0, "{row:?}");
        }
        for number in [0, 6] {
            assert!(insecure_cmux_set(number).is_err() && insecure_auto_set(number).is_err());
        }
    }
}
