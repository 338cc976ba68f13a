//! The ring of lower degree through which LWE key switching may go: its parameters, and their checks.

use cryptable_lattice::Result;
use cryptable_lattice::error::{check_independent_secret, demand};
use cryptable_lattice::security::SecretDistribution;
use serde::{Deserialize, Serialize};

use crate::parameters::gadget_literal::GadgetLiteral;

/// A smaller ring on the way from the ring secret to the LWE secret: see [`crate::switching`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntermediateRing {
    /// Ring degree N', a divisor of N.
    pub degree: usize,
    /// log2 of the ring's prime, which is the nearest prime with a root of unity.
    pub log2_prime: f64,
    /// Distribution of the ring's secret.
    pub secret: SecretDistribution,
    /// Decomposition of the switch to the ring, modulo its prime.
    pub digits: GadgetLiteral,
}

impl IntermediateRing {
    /// Degree 1,024 with the largest prime that is secure at this degree.
    pub const SECURE_1024: Self = Self {
        degree: 1024,
        log2_prime: 24.9,
        secret: SecretDistribution::Binary,
        digits: GadgetLiteral { base_log2: 4, length: 6 },
    };

    /// Checks that the numbers lie between those of the ring and of LWE.
    pub(crate) fn check(
        &self,
        ring_degree: usize,
        log2_prime: f64,
        log2_lwe_modulus: u32,
    ) -> Result<()> {
        let degree = self.degree;
        demand(
            degree.is_power_of_two() && degree >= 32 && degree < ring_degree,
            "intermediate degree",
            degree as f64,
            "it must be a power of two from 32 to below the ring degree",
        )?;
        demand(
            self.log2_prime < log2_prime
                && self.log2_prime > f64::from(log2_lwe_modulus)
                && self.log2_prime >= 16.0,
            "intermediate log2_prime",
            self.log2_prime,
            "it must be between log2_lwe_modulus and log2_prime",
        )?;
        check_independent_secret(self.secret)?;
        let GadgetLiteral { base_log2, length } = self.digits;
        // One bit less than the prime nearest to 2^log2_prime can have.
        let (bits, limit) =
            ((base_log2 as usize).saturating_mul(length), self.log2_prime.floor() as usize);
        demand(
            base_log2 > 0 && length > 0 && bits <= limit,
            "intermediate digits",
            bits as f64,
            &format!("together they must have from 1 to {limit} bits"),
        )
    }
}
