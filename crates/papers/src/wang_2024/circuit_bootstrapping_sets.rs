//! CMUX_1 to CMUX_5 of Wang et al. (EUROCRYPT 2024, ePrint 2024/323, Tables 3 and 5) as printed, as far as this library's
//! primes allow: n = 571 under a binary secret, N = 2,048, digits as in Table 5.
//!
//! The paper states 128 bits of security. By [`cryptable_lattice::security`] its LWE has fewer, so that these sets are
//! insecure ones, for research. Three things are not the paper's:
//!
//! - Q is the largest prime below 2^50, the paper's near 2^54: noise of rows is 2^4 times as large relative to Q, and
//!   depths are what the noise model of `cryptable-leveled` says of that at 2^-64: 0 with CMUX_1 and CMUX_2, which have a
//!   single digit of 28 bits in scheme switching.
//! - LWE ciphertexts on the way have modulus 2^14 in place of 2^10, and are switched through a ring of degree 1,024, as
//!   those of this library's own sets.
//! - AUTO_1 to AUTO_5 have Gaussian LWE secrets, which this library does not: they are not here.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_lattice::error::out_of_range;
use cryptable_lattice::{Result, SecurityLevel};
use cryptable_leveled::parameters::{CircuitBootstrappingLiteral, CircuitBootstrappingParameters};

/// A row of Table 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedCmuxSet {
    /// The paper's name.
    pub name: &'static str,
    /// Bits and number of digits of rotation keys, of the trace, of scheme switching and of RGSW ciphertexts.
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

/// The set of this number, from 1 to 5: not secure by today's estimates, and says so.
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
    let row = (number as usize).checked_sub(1).and_then(|index| PUBLISHED_CMUX_SETS.get(index));
    let row = row.ok_or_else(|| out_of_range("number of the set", number.into(), "from 1 to 5"))?;
    let [rotation, automorphism, relinearization, rgsw] =
        row.digits.map(|(base_log2, length)| GadgetLiteral { base_log2, length });
    CircuitBootstrappingParameters::new(CircuitBootstrappingLiteral {
        security: SecurityLevel::Insecure,
        bits_per_ciphertext: 1,
        rgsw,
        fhew: ParametersLiteral {
            lwe_dimension: 571,
            log2_lwe_modulus: 14,
            // The nearest prime is the largest below 2^50.
            log2_prime: 49.999_999_999_99,
            rotation: rotation.into(),
            key_switching: GadgetLiteral { base_log2: 2, length: 5 },
            automorphism,
            relinearization,
            ..*Parameters::default_128().literal()
        },
    })
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
        assert!(insecure_cmux_set(0).is_err() && insecure_cmux_set(6).is_err());
    }
}
