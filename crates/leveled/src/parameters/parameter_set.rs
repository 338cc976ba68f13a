//! Named parameter sets: those of Wang et al. (EUROCRYPT 2024, ePrint 2024/323, Table 5), carried over to a prime of
//! 47 bits with 128-bit security, and sets for two bits per rotation.
//!
//! The paper's sets (Q near 2^54, n = 571 modulo 2^10) fall short of 128 bits under today's estimates. Here the prime
//! is the largest that the fastest kernel of blind rotation supports, and the LWE dimension is the least in the security
//! tables. Decompositions are chosen anew so that each set reaches the depth of the paper's.
//!
//! | set | bits per rotation | blind rotation | depth | of Wang et al. |
//! |---|---|---|---|---|
//! | `two-bit-depth-11` | 2 | CMUX | 11 | – |
//! | `two-bit-depth-24` | 2 | CMUX | 24; 8 at 2^-128 | – |
//! | `two-bit-depth-117` | 2 | CMUX | 24 at 2^-128 | – |
//! | `cmux-depth-2` | 1 | CMUX | 2 | CMUX_1 (8) |
//! | `cmux-depth-115` | 1 | CMUX | 115 | CMUX_2 |
//! | `cmux-depth-236` | 1 | CMUX | 236 | CMUX_3 |
//! | `cmux-depth-10900` | 1 | CMUX | 10,900 | CMUX_4 |
//! | `cmux-depth-20200` | 1 | CMUX | 20,200 | CMUX_5 |
//! | `auto-depth-2` | 1 | automorphisms | 2 | AUTO_1 (7) |
//! | `auto-depth-73` | 1 | automorphisms | 73 | AUTO_2 |
//! | `auto-depth-149` | 1 | automorphisms | 149 | AUTO_3 |
//! | `auto-depth-7900` | 1 | automorphisms | 7,900 | AUTO_4 |
//! | `auto-depth-16800` | 1 | automorphisms | 16,800 | AUTO_5 |
//! | `aes-128` | 1 | CMUX | 8, then sums of four | – |
//! | `aes-128-sure` | 1 | CMUX | the same at 2^-128 per block | – |
//!
//! Depth is the number of CMUXes that can follow one another before the next circuit bootstrap fails with probability
//! 2^-64. For sets of two bits, it is that of trees, in the worst case and for every ciphertext of a value. For the others
//! it is that of chains as the paper counts, on bits that are 0 and 1 equally often, with one selector per CMUX
//! ([`crate::noise::CircuitBootstrappingNoise::max_depth`]). Fewer selectors are used more often and allow only shorter
//! chains ([`crate::noise::CircuitBootstrappingNoise::max_depth_by`]): with 16 selectors, sets of one bit reach 81 to 91 %
//! of their depth. CMUX_1 and AUTO_1, with one digit per rotation, reach a depth of only 2, since the noise is a sum of
//! products, which the paper treats as Gaussian.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use cryptable_fhew::parameters::{
    GadgetLiteral, Parameters, ParametersLiteral, RgswGadgetLiteral, RotationMethod,
};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};
use cryptable_lattice::{Error, SecurityLevel};

use super::circuit_bootstrapping_parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, sparsity_log2,
};

/// LWE dimension of toys.
const TOY_LWE_DIMENSION: usize = 64;

const fn gadget(base_log2: u32, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

/// Decompositions of blind rotations by number of gadget digits of bodies and masks, with the bases of least noise.
const ONE_DIGIT: RgswGadgetLiteral = RgswGadgetLiteral { body: gadget(19, 1), mask: gadget(22, 1) };
const THREE_ROWS: RgswGadgetLiteral =
    RgswGadgetLiteral { body: gadget(20, 1), mask: gadget(15, 2) };
/// Three rows for secrets of blocks, for which digits have twice the noise.
const THREE_ROWS_OF_BLOCKS: RgswGadgetLiteral =
    RgswGadgetLiteral { body: gadget(19, 1), mask: gadget(15, 2) };
const TWO_DIGITS: RgswGadgetLiteral =
    RgswGadgetLiteral { body: gadget(13, 2), mask: gadget(15, 2) };

/// A named parameter set. All sets have at least 128 bits of security.
///
/// ```
/// use cryptable_leveled::parameters::ParameterSet;
/// let set: ParameterSet = "two-bit-depth-11".parse()?;
/// assert_eq!(set, ParameterSet::TwoBitDepth11);
/// assert_eq!(set.to_string(), "two-bit-depth-11");
/// assert_eq!(set.description(), "2 bits per rotation, depth 11");
/// assert!(set.parameters().security_bits() >= 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterSet {
    /// Two bits per rotation, tables of up to 11 bits.
    TwoBitDepth11,
    /// Two bits per rotation, tables of up to 24 bits; of up to 8 bits with failures below 2^-128.
    TwoBitDepth24,
    /// Two bits per rotation, tables of up to 24 bits with failures below 2^-128.
    TwoBitDepth117,
    /// One bit per rotation by CMUXes, depth 2: CMUX_1 of Wang et al.
    CmuxDepth2,
    /// One bit per rotation by CMUXes, depth 115: CMUX_2 of Wang et al.
    CmuxDepth115,
    /// One bit per rotation by CMUXes, depth 236: CMUX_3 of Wang et al.
    CmuxDepth236,
    /// One bit per rotation by CMUXes, depth 10,900: CMUX_4 of Wang et al.
    CmuxDepth10900,
    /// One bit per rotation by CMUXes, depth 20,200: CMUX_5 of Wang et al.
    CmuxDepth20200,
    /// One bit per rotation by automorphisms, depth 2: AUTO_1 of Wang et al.
    AutoDepth2,
    /// One bit per rotation by automorphisms, depth 73: AUTO_2 of Wang et al.
    AutoDepth73,
    /// One bit per rotation by automorphisms, depth 149: AUTO_3 of Wang et al.
    AutoDepth149,
    /// One bit per rotation by automorphisms, depth 7,900: AUTO_4 of Wang et al.
    AutoDepth7900,
    /// One bit per rotation by automorphisms, depth 16,800: AUTO_5 of Wang et al.
    AutoDepth16800,
    /// One bit per rotation by CMUXes, with a secret of blocks, for AES-128: tables of 8 bits, four results of which are added
    /// up. A block of 1,280 circuit bootstraps fails with a probability below 2^-64.
    Aes128,
    /// The tables of AES-128 with a binary secret and a larger LWE modulus and dimension: a block fails with a probability
    /// below 2^-128.
    Aes128Sure,
}

impl ParameterSet {
    /// All sets, those with two bits per rotation first.
    pub const ALL: [Self; 15] = [
        Self::TwoBitDepth11,
        Self::TwoBitDepth24,
        Self::TwoBitDepth117,
        Self::CmuxDepth2,
        Self::CmuxDepth115,
        Self::CmuxDepth236,
        Self::CmuxDepth10900,
        Self::CmuxDepth20200,
        Self::AutoDepth2,
        Self::AutoDepth73,
        Self::AutoDepth149,
        Self::AutoDepth7900,
        Self::AutoDepth16800,
        Self::Aes128,
        Self::Aes128Sure,
    ];

    /// CMUX_1 to CMUX_5 of Wang et al., Table 5.
    pub const WANG_CMUX: [Self; 5] = [
        Self::CmuxDepth2,
        Self::CmuxDepth115,
        Self::CmuxDepth236,
        Self::CmuxDepth10900,
        Self::CmuxDepth20200,
    ];

    /// AUTO_1 to AUTO_5 of Wang et al., Table 5.
    pub const WANG_AUTO: [Self; 5] = [
        Self::AutoDepth2,
        Self::AutoDepth73,
        Self::AutoDepth149,
        Self::AutoDepth7900,
        Self::AutoDepth16800,
    ];

    /// Returns the name that is printed and parsed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TwoBitDepth11 => "two-bit-depth-11",
            Self::TwoBitDepth24 => "two-bit-depth-24",
            Self::TwoBitDepth117 => "two-bit-depth-117",
            Self::CmuxDepth2 => "cmux-depth-2",
            Self::CmuxDepth115 => "cmux-depth-115",
            Self::CmuxDepth236 => "cmux-depth-236",
            Self::CmuxDepth10900 => "cmux-depth-10900",
            Self::CmuxDepth20200 => "cmux-depth-20200",
            Self::AutoDepth2 => "auto-depth-2",
            Self::AutoDepth73 => "auto-depth-73",
            Self::AutoDepth149 => "auto-depth-149",
            Self::AutoDepth7900 => "auto-depth-7900",
            Self::AutoDepth16800 => "auto-depth-16800",
            Self::Aes128 => "aes-128",
            Self::Aes128Sure => "aes-128-sure",
        }
    }

    /// Explains the name in a few words.
    #[must_use]
    pub fn description(self) -> String {
        match self {
            Self::Aes128 => return "1 bit by blocks".to_owned(),
            Self::Aes128Sure => return "1 bit a rotation, for AES-128 at 2^-128".to_owned(),
            _ => {}
        }
        let (kind, depth) = self.name().split_once("-depth-").expect("names have a depth");
        let rotation = match kind {
            "two-bit" => "2 bits per rotation",
            "auto" => "1 bit a rotation by automorphisms",
            _ => "1 bit a rotation",
        };
        format!("{rotation}, depth {depth}")
    }

    /// Returns the numbers of the set.
    #[must_use]
    pub fn literal(self) -> CircuitBootstrappingLiteral {
        // Digits of blind rotation; of the trace's automorphisms and of scheme switching; of RGSW ciphertexts.
        let (rotation, conversion, rgsw) = match self {
            Self::TwoBitDepth11 => (THREE_ROWS, [gadget(11, 3), gadget(16, 2)], gadget(3, 4)),
            Self::TwoBitDepth24 => (TWO_DIGITS, [gadget(9, 4), gadget(12, 3)], gadget(7, 2)),
            // The trace has one more digit, since it is the largest part of a selection's noise.
            Self::TwoBitDepth117 => (TWO_DIGITS, [gadget(8, 5), gadget(12, 3)], gadget(7, 2)),
            Self::CmuxDepth2 => (ONE_DIGIT, [gadget(15, 2), gadget(15, 2)], gadget(2, 6)),
            // A rotation by automorphisms has twice the noise. Only this set therefore needs a finer trace than by CMUXes.
            Self::AutoDepth2 => (
                RgswGadgetLiteral { mask: gadget(23, 1), ..ONE_DIGIT },
                [gadget(11, 3), gadget(16, 2)],
                gadget(2, 6),
            ),
            Self::CmuxDepth115 | Self::AutoDepth73 => {
                (THREE_ROWS, [gadget(9, 4), gadget(12, 3)], gadget(3, 5))
            }
            Self::CmuxDepth236 | Self::AutoDepth149 => {
                (THREE_ROWS, [gadget(12, 3), gadget(12, 3)], gadget(2, 7))
            }
            Self::CmuxDepth10900 => (TWO_DIGITS, [gadget(6, 7), gadget(10, 4)], gadget(4, 4)),
            Self::AutoDepth7900 => (TWO_DIGITS, [gadget(7, 6), gadget(10, 4)], gadget(4, 4)),
            Self::CmuxDepth20200 | Self::AutoDepth16800 => {
                (TWO_DIGITS, [gadget(7, 6), gadget(12, 3)], gadget(3, 6))
            }
            Self::Aes128 => (THREE_ROWS_OF_BLOCKS, [gadget(11, 3), gadget(16, 2)], gadget(3, 4)),
            Self::Aes128Sure => (THREE_ROWS, [gadget(11, 3), gadget(15, 2)], gadget(3, 4)),
        };
        let fhew = one_bit_literal(rotation, conversion);
        let literal = CircuitBootstrappingLiteral {
            security: SecurityLevel::Bits128,
            bits_per_ciphertext: 1,
            rgsw,
            fhew,
        };
        match self {
            Self::TwoBitDepth11 | Self::TwoBitDepth24 | Self::TwoBitDepth117 => {
                with_two_bits(literal)
            }
            Self::Aes128 => with_blocks(literal, 156),
            Self::Aes128Sure => with_modulus_of_16_bits(literal, gadget(3, 4)),
            // Table 2 of the paper has a window of 15 for θ = 2, and of 8 for θ = 3.
            Self::AutoDepth7900 => by_automorphisms(literal, 15),
            Self::AutoDepth2 | Self::AutoDepth73 | Self::AutoDepth149 | Self::AutoDepth16800 => {
                by_automorphisms(literal, 8)
            }
            _ => literal,
        }
    }

    /// Returns the validated parameters of the set.
    #[must_use]
    pub fn parameters(self) -> CircuitBootstrappingParameters {
        CircuitBootstrappingParameters::new(self.literal()).expect("a valid set")
    }

    /// Returns the set with an LWE dimension of 64, for tests: not secure, and marked so.
    #[must_use]
    pub fn insecure_toy(self) -> CircuitBootstrappingParameters {
        let literal = self.literal();
        let lwe_dimension = TOY_LWE_DIMENSION;
        let fhew = ParametersLiteral { lwe_dimension, ..literal.fhew };
        let fhew = match literal.fhew.lwe_secret {
            SecretDistribution::Blocks(_) => {
                in_blocks(fhew, TOY_LWE_DIMENSION.div_ceil(BLOCK_SIZE) as u32)
            }
            _ => fhew,
        };
        let literal =
            CircuitBootstrappingLiteral { security: SecurityLevel::Insecure, fhew, ..literal };
        CircuitBootstrappingParameters::new(literal).expect("a valid set")
    }

    /// Returns the set that has these numbers, if there is one.
    #[must_use]
    pub fn of_literal(literal: &CircuitBootstrappingLiteral) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.literal() == *literal)
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ParameterSet {
    type Err = Error;

    /// # Errors
    /// If there is no set of this name; the error names all sets.
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|set| set.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::Unsupported(format!("the name {name}: the sets are {names}"))
        })
    }
}

/// Returns the literal common to sets of one bit per rotation.
fn one_bit_literal(
    rotation: RgswGadgetLiteral,
    [automorphism, relinearization]: [GadgetLiteral; 2],
) -> ParametersLiteral {
    static BASE: OnceLock<ParametersLiteral> = OnceLock::new();
    ParametersLiteral {
        lwe_dimension: 583,
        log2_lwe_modulus: 14,
        // The largest prime below 2^47, so that rounding errors are the smallest fractions of it.
        log2_prime: 46.99,
        rotation,
        key_switching: gadget(2, 5),
        automorphism,
        relinearization,
        ..*BASE.get_or_init(|| *Parameters::default_128().literal())
    }
}

/// Changes a literal to two bits per ciphertext. This halves the margin, and so needs a larger LWE modulus.
fn with_two_bits(literal: CircuitBootstrappingLiteral) -> CircuitBootstrappingLiteral {
    let literal = with_modulus_of_16_bits(literal, gadget(2, 6));
    CircuitBootstrappingLiteral { bits_per_ciphertext: 2, ..literal }
}

/// Changes a literal to a larger LWE modulus and the least dimension that is secure for it, for less noise of key
/// switching.
fn with_modulus_of_16_bits(
    literal: CircuitBootstrappingLiteral,
    key_switching: GadgetLiteral,
) -> CircuitBootstrappingLiteral {
    let fhew = ParametersLiteral {
        lwe_dimension: 662,
        log2_lwe_modulus: 16,
        key_switching,
        ..literal.fhew
    };
    CircuitBootstrappingLiteral { fhew, ..literal }
}

/// Number of coefficients per block of the LWE secret.
const BLOCK_SIZE: usize = 5;

/// Changes a literal to a secret of `blocks` blocks of [`BLOCK_SIZE`] coefficients, for which rotations need a step per
/// block.
fn with_blocks(literal: CircuitBootstrappingLiteral, blocks: u32) -> CircuitBootstrappingLiteral {
    CircuitBootstrappingLiteral { fhew: in_blocks(literal.fhew, blocks), ..literal }
}

fn in_blocks(literal: ParametersLiteral, blocks: u32) -> ParametersLiteral {
    let lwe_secret = SecretDistribution::Blocks(blocks);
    ParametersLiteral { lwe_dimension: BLOCK_SIZE * blocks as usize, lwe_secret, ..literal }
}

/// Changes a literal to rotations by automorphisms with a window, under a ternary secret. They need one external product
/// per coefficient, with a lower dimension than that of a binary secret of the same security, and 332 automorphisms (418 in
/// the set of depth 7,900, whose RGSW ciphertexts have only 4 rows). They have about twice the noise of CMUXes with the
/// same digits.
fn by_automorphisms(
    literal: CircuitBootstrappingLiteral,
    window: usize,
) -> CircuitBootstrappingLiteral {
    let secret = SecretDistribution::UniformTernary;
    let modulus = f64::from(literal.fhew.log2_lwe_modulus);
    let fhew = ParametersLiteral {
        lwe_dimension: least_lwe_dimension(secret, modulus).expect("a modulus of the tables"),
        lwe_secret: secret,
        rotation_method: RotationMethod::SparseAutomorphism {
            sparsity_log2: sparsity_log2(&literal),
            window,
            digits: gadget(15, 2),
        },
        ..literal.fhew
    };
    CircuitBootstrappingLiteral { fhew, ..literal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_numbers_tell_sets_apart() {
        for set in ParameterSet::ALL {
            assert_eq!(set.name().parse::<ParameterSet>().unwrap(), set);
            assert_eq!(ParameterSet::of_literal(&set.literal()), Some(set));
            assert_eq!(ParameterSet::of_literal(set.insecure_toy().literal()), None);
        }
        let message = "cmux-depth-9".parse::<ParameterSet>().unwrap_err().to_string();
        assert!(message.contains("cmux-depth-9") && message.contains("aes-128"), "{message}");
    }
}
