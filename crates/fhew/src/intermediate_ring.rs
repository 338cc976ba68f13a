//! The ring of lower degree through which LWE key switching may go: its numbers, and their checks.

use cryptable_lattice::security::SecretDistribution;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::parameters::{GadgetLiteral, ParametersLiteral};

/// A smaller ring on the way from the ring secret to the LWE secret: see [`crate::ring_dimension_switching`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntermediateRing {
    /// Its degree, a divisor of N.
    pub degree: usize,
    /// log2 of its prime: the nearest prime with a root of unity is taken.
    pub log2_prime: f64,
    /// Its secret.
    pub secret: SecretDistribution,
    /// Decomposition of the switch to it, modulo its prime.
    pub digits: GadgetLiteral,
}

impl IntermediateRing {
    /// Degree 1,024 with the largest prime that is secure there.
    pub const SECURE_1024: Self = Self {
        degree: 1024,
        log2_prime: 24.9,
        secret: SecretDistribution::Binary,
        digits: GadgetLiteral { base_log2: 4, length: 6 },
    };
}

/// Checks the ring of lower degree.
pub(crate) fn check_intermediate(
    small: &IntermediateRing,
    literal: &ParametersLiteral,
) -> Result<()> {
    let demand = |ok: bool, name: &'static str, value: f64, limit: &str| {
        if ok { Ok(()) } else { Err(Error::Parameter { name, value, limit: limit.to_owned() }) }
    };
    let degree = small.degree;
    demand(
        degree.is_power_of_two() && degree >= 32 && degree < literal.ring_degree,
        "intermediate degree",
        degree as f64,
        "it must be a power of two from 32 to below the ring degree",
    )?;
    demand(
        small.log2_prime < literal.log2_prime
            && small.log2_prime > f64::from(literal.log2_lwe_modulus)
            && small.log2_prime >= 16.0,
        "intermediate log2_prime",
        small.log2_prime,
        "it must be between log2_lwe_modulus and log2_prime",
    )?;
    if let SecretDistribution::FixedWeightTernary(weight) = small.secret {
        demand(false, "secret weight", weight.into(), "secrets are binary or uniform ternary")?;
    }
    let GadgetLiteral { base_log2, length } = small.digits;
    // One bit less than the prime nearest to 2^log2_prime may have.
    let (bits, limit) =
        ((base_log2 as usize).saturating_mul(length), small.log2_prime.floor() as usize);
    demand(
        base_log2 > 0 && length > 0 && bits <= limit,
        "intermediate digits",
        bits as f64,
        &format!("together they must have from 1 to {limit} bits"),
    )
}
