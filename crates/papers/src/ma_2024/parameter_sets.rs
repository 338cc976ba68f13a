//! The parameter sets of Ma, Huang, Wang, Zhou and Wang (TCHES 2024, Table 5).
//!
//! The LWE secrets are ternary: PARAM_decomp has n = 1340 and q_ks = 2^35, PARAM_fast has n = 760 and q_ks = 2^20.
//! The paper states 128 bits for both. By [`cryptable_lattice::security`] they have fewer, 127.4 and 126.8: the tables
//! require n >= 1350 and n >= 769. Sets with these dimensions and moduli can therefore only be made by
//! [`Parameters::insecure`], and their names say so.
//!
//! The paper's ring is N = 2^11 with ternary secrets and a prime Q near 2^53. Primes of this library are below
//! 2^50 ([`Parameters::insecure`]), so the sets here use the largest such prime. This has two consequences:
//!
//! - ⌈log_(B_g) Q⌉ digits cover 50 bits instead of 54, so B_g is 2^25 for two digits (2^27 in the paper), 2^16 for
//!   three (2^18), 2^12 for four (2^14), 2^10 for five (2^11). B_g/Q, the noise of a rotation, is up to twice the paper's.
//! - The ring has 137 bits of security; with Q near 2^53 it has 128.8, with 2^54 126.3.
//!
//! B_ks is 2^5 in the paper. At 2^20 it is 2^2 here: digits multiply rows in this library's key switch, and base 2^2
//! keeps its noise below that of the modulus switch, as in the paper.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::security::{SecretDistribution, lwe_security_bits};
use cryptable_lattice::{Error, Result};

use crate::ma_2024::noise::{DEFAULT_FDFB_KS_BASE_LOG2, PaperNumbers, SwitchNumbers};

/// log2 of Q in the paper: "primes that approximately equal to 2^53" (Appendix D).
pub const PAPER_LOG2_PRIME: f64 = 53.0;

/// σ of encryption errors that comparisons assume for the paper, which prints none; 3.19 is the default of its library.
pub const PAPER_STANDARD_DEVIATION: f64 = 3.19;

/// log2 of the key switching modulus of the lookups in Tables 11 and 12, under both sets.
pub const LOOKUP_LOG2_MODULUS: u32 = 20;

/// An LWE parameter set of Table 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LweSet {
    /// PARAM_decomp: digit decomposition, and lookups.
    Decomp,
    /// PARAM_fast: lookups.
    Fast,
}

impl LweSet {
    /// Both sets of Table 5.
    pub const ALL: [Self; 2] = [Self::Decomp, Self::Fast];

    /// Returns the paper's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Decomp => "PARAM_decomp",
            Self::Fast => "PARAM_fast",
        }
    }

    /// Returns the LWE dimension n.
    #[must_use]
    pub fn lwe_dimension(self) -> usize {
        match self {
            Self::Decomp => 1340,
            Self::Fast => 760,
        }
    }

    /// Returns log2 of q_ks, the largest modulus of the set.
    #[must_use]
    pub fn log2_modulus(self) -> u32 {
        match self {
            Self::Decomp => 35,
            Self::Fast => 20,
        }
    }

    /// Returns the estimated security of LWE in bits.
    ///
    /// ```
    /// use cryptable_papers::ma_2024::parameter_sets::LweSet;
    /// assert!(LweSet::Fast.security_bits() < 127.0 && LweSet::Decomp.security_bits() < 128.0);
    /// ```
    #[must_use]
    pub fn security_bits(self) -> f64 {
        let secret = SecretDistribution::UniformTernary;
        lwe_security_bits(self.lwe_dimension(), secret, f64::from(self.log2_modulus()))
    }

    /// Returns the paper's numbers for lookups (Tables 11 and 12) with B_g = `2^rotation_base_log2`: q_ks = 2^20,
    /// B_ks = B_pk = 2^5, q_pk = 2^25, Q = P = 2^53, B_rl = 2^27.
    #[must_use]
    pub fn numbers(self, rotation_base_log2: u32) -> PaperNumbers {
        PaperNumbers {
            lwe_dimension: self.lwe_dimension(),
            ring_degree: 2048,
            q: 4096.0,
            log2_prime: PAPER_LOG2_PRIME,
            error_variance: PAPER_STANDARD_DEVIATION * PAPER_STANDARD_DEVIATION,
            rotation_base_log2,
            key_switching: SwitchNumbers { log2_modulus: LOOKUP_LOG2_MODULUS, base_log2: 5 },
            packing: SwitchNumbers { log2_modulus: 25, base_log2: 5 },
            fdfb_ks_base_log2: DEFAULT_FDFB_KS_BASE_LOG2,
        }
    }

    /// Returns the paper's numbers for digit decomposition: those of lookups with B_g = 2^27, and keys switched modulo the
    /// set's largest modulus (Sec. 6 and Table 5).
    #[must_use]
    pub fn decomposition_numbers(self) -> PaperNumbers {
        let key_switching = SwitchNumbers { log2_modulus: self.log2_modulus(), base_log2: 5 };
        PaperNumbers { key_switching, ..self.numbers(27) }
    }
}

/// PARAM_fast: n = 760, q_ks = 2^20, N = 2^11, ternary secrets, with `rotation_digits` rotation digits (two to five in the
/// paper). Its LWE has 126.8 bits of security.
///
/// # Errors
/// If the number of rotation digits is 0 or above 50.
///
/// ```
/// use cryptable_papers::ma_2024::parameter_sets::insecure_param_fast;
/// let parameters = insecure_param_fast(2)?;
/// assert_eq!(parameters.lwe_dimension(), 760);
/// assert!(parameters.security_bits() < 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub fn insecure_param_fast(rotation_digits: usize) -> Result<Parameters> {
    Parameters::insecure(literal(LweSet::Fast, LOOKUP_LOG2_MODULUS, rotation_digits)?)
}

/// PARAM_decomp: n = 1340, q_ks = 2^35, N = 2^11, ternary secrets, with `rotation_digits` rotation digits (two to nine in
/// the paper). Its LWE has 127.4 bits of security.
///
/// # Errors
/// If the number of rotation digits is 0 or above 50.
pub fn insecure_param_decomp(rotation_digits: usize) -> Result<Parameters> {
    let set = LweSet::Decomp;
    Parameters::insecure(literal(set, set.log2_modulus(), rotation_digits)?)
}

/// PARAM_decomp as Table 11 uses it for lookups: n = 1340 with LWE ciphertexts and key switching modulo only 2^20.
/// The set has more than 128 bits of security, those of its ring.
///
/// # Errors
/// If the number of rotation digits is 0 or above 50.
pub fn param_decomp_lookups(rotation_digits: usize) -> Result<Parameters> {
    Parameters::new(literal(LweSet::Decomp, LOOKUP_LOG2_MODULUS, rotation_digits)?)
}

/// Returns the literal of a set at an LWE modulus.
fn literal(
    set: LweSet,
    log2_lwe_modulus: u32,
    rotation_digits: usize,
) -> Result<ParametersLiteral> {
    if !(1..=50).contains(&rotation_digits) {
        let limit = "it must be from 1 to 50".to_owned();
        let value = rotation_digits as f64;
        return Err(Error::Parameter { name: "number of rotation digits", value, limit });
    }
    let digits = |base_log2, length| GadgetLiteral { base_log2, length };
    let key_switching = if log2_lwe_modulus == LOOKUP_LOG2_MODULUS {
        digits(2, 10)
    } else {
        digits(5, log2_lwe_modulus as usize / 5)
    };
    Ok(ParametersLiteral {
        lwe_dimension: set.lwe_dimension(),
        lwe_secret: SecretDistribution::UniformTernary,
        log2_lwe_modulus,
        ring_degree: 2048,
        // The nearest prime is the largest below 2^50.
        log2_prime: 49.999_999_999_99,
        ring_secret: SecretDistribution::UniformTernary,
        rotation_method: RotationMethod::Cmux,
        rotation: digits(50 / rotation_digits as u32, rotation_digits).into(),
        finer_rotations: [None; 3],
        intermediate: None,
        key_switching,
        automorphism: digits(10, 5),
        relinearization: digits(25, 2),
        packing: digits(5, 5),
    })
}

#[cfg(test)]
mod tests {
    use cryptable_lattice::security::{least_lwe_dimension, security_bits};

    use super::*;

    #[test]
    fn levels_are_below_what_the_paper_states() {
        let ternary = SecretDistribution::UniformTernary;
        for (set, bits, least) in [(LweSet::Fast, 126.8, 769), (LweSet::Decomp, 127.4, 1350)] {
            assert!((set.security_bits() - bits).abs() < 0.06, "{set:?}: {}", set.security_bits());
            let found = least_lwe_dimension(ternary, f64::from(set.log2_modulus()));
            assert_eq!(found, Some(least));
        }
        assert_eq!(security_bits(2048, ternary, 53.0), 128.8);
        assert_eq!(security_bits(2048, ternary, 54.0), 126.3);
    }

    #[test]
    fn sets_construct() {
        for digits in 1..=9 {
            let fast = insecure_param_fast(digits).unwrap();
            assert!((126.7..126.9).contains(&fast.security_bits()), "{}", fast.security_bits());
            assert!(Parameters::new(*fast.literal()).is_err());
            let decomp = insecure_param_decomp(digits).unwrap();
            assert!((127.4..127.5).contains(&decomp.security_bits()), "{}", decomp.security_bits());
            assert!(Parameters::new(*decomp.literal()).is_err());
            let lookups = param_decomp_lookups(digits).unwrap();
            assert!(
                // The security of a ring of degree 1,024 at 25 bits; LWE has more dimensions and fewer bits.
                (136.7..136.9).contains(&lookups.security_bits()),
                "{}",
                lookups.security_bits()
            );
            assert_eq!(lookups.rotation_gadget().mask.length(), digits);
            assert_eq!(lookups.prime(), (1 << 50) - 16_383);
        }
        for digits in [0, 51] {
            let message = insecure_param_fast(digits).unwrap_err().to_string();
            assert!(message.contains("rotation digits"), "{message}");
        }
    }
}
