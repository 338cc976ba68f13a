//! Security of parameters, by published tables.
//!
//! The CSV files beside this one are embedded: `rlwe_128bit.csv` (dense secrets; lattice-estimator for
//! degrees up to 8192, Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption",
//! IACR CiC 1(4) 2025, Table 5.2, above), `sparse_128bit.csv` (fixed weights; Ogilvie, ePrint
//! 2026/279) and `rlwe_estimates.csv` (levels near the limit). Error standard deviation 3.19.

use std::sync::OnceLock;

/// How a secret's coefficients are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretDistribution {
    /// Uniform over {-1, 0, 1}.
    UniformTernary,
    /// Uniform over {0, 1}.
    Binary,
    /// Exactly this many coefficients of ±1.
    FixedWeightTernary(u32),
}

/// Parameters that fall short of 128 bits.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SecurityError {
    /// The modulus is too large.
    #[error(
        "log2 of the modulus is {log2_modulus:.1}, but ring degree {ring_degree} with a {secret:?} \
         secret allows at most {limit} for 128-bit security"
    )]
    ModulusTooLarge {
        /// Ring degree.
        ring_degree: usize,
        /// The secret's distribution.
        secret: SecretDistribution,
        /// log2 of the modulus, special primes included.
        log2_modulus: f64,
        /// The largest that is allowed.
        limit: f64,
    },
    /// The tables do not say.
    #[error("no 128-bit limit is known for ring degree {ring_degree} with a {secret:?} secret")]
    Unknown {
        /// Ring degree.
        ring_degree: usize,
        /// The secret's distribution.
        secret: SecretDistribution,
    },
}

/// A row of the tables: degree, kind of secret, largest log2 of the modulus.
struct Row {
    degree: usize,
    secret: SecretDistribution,
    limit: f64,
}

/// All rows, parsed once.
fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let lines = |text: &'static str| text.lines().skip(1).map(|line| line.split(',').collect());
        let number = |field: &str| field.trim().parse::<f64>().expect("embedded table");
        let dense = lines(include_str!("security/rlwe_128bit.csv")).map(|f: Vec<&str>| Row {
            degree: number(f[0]) as usize,
            secret: match f[1] {
                "binary" => SecretDistribution::Binary,
                _ => SecretDistribution::UniformTernary,
            },
            limit: number(f[2]),
        });
        let sparse = lines(include_str!("security/sparse_128bit.csv")).map(|f: Vec<&str>| Row {
            degree: number(f[0]) as usize,
            secret: SecretDistribution::FixedWeightTernary(number(f[1]) as u32),
            limit: number(f[2]),
        });
        dense.chain(sparse).collect()
    })
}

/// The largest log2 of a modulus that gives 128 bits; between two weights, that of the lower one.
///
/// ```
/// use cryptable_rlwe::security::{max_log2_modulus, SecretDistribution::*};
/// assert_eq!(max_log2_modulus(65536, UniformTernary), Some(1747.0));
/// assert_eq!(max_log2_modulus(65536, FixedWeightTernary(40)), Some(349.0));
/// assert_eq!(max_log2_modulus(65536, FixedWeightTernary(31)), None);
/// ```
#[must_use]
pub fn max_log2_modulus(ring_degree: usize, secret: SecretDistribution) -> Option<f64> {
    let of_degree = rows().iter().filter(|row| row.degree == ring_degree);
    match secret {
        SecretDistribution::FixedWeightTernary(weight) => of_degree
            .filter_map(|row| match row.secret {
                SecretDistribution::FixedWeightTernary(w) if w <= weight => Some((w, row.limit)),
                _ => None,
            })
            .max_by_key(|&(w, _)| w)
            .map(|(_, limit)| limit),
        _ => of_degree.clone().find(|row| row.secret == secret).map(|row| row.limit),
    }
}

/// An estimate of the level in bits: 128 at the limit, and inversely proportional to log2 of the
/// modulus elsewhere (the first-order law of lattice reduction), at most 512. 0 if the tables do not
/// know the degree.
///
/// Never 128 or more above the limit, and never below it at or under the limit.
#[must_use]
pub fn security_bits(ring_degree: usize, secret: SecretDistribution, log2_modulus: f64) -> f64 {
    max_log2_modulus(ring_degree, secret)
        .map_or(0.0, |limit| (128.0 * limit / log2_modulus).min(512.0))
}

/// Demands 128 bits.
///
/// # Errors
/// If the modulus exceeds the limit, or the tables do not know it.
pub fn check(
    ring_degree: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
) -> Result<(), SecurityError> {
    let limit = max_log2_modulus(ring_degree, secret)
        .ok_or(SecurityError::Unknown { ring_degree, secret })?;
    if log2_modulus > limit {
        return Err(SecurityError::ModulusTooLarge { ring_degree, secret, log2_modulus, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_tables() {
        use SecretDistribution::{Binary, FixedWeightTernary, UniformTernary};
        assert_eq!(max_log2_modulus(32768, UniformTernary), Some(868.0));
        assert_eq!(max_log2_modulus(2048, Binary), Some(52.0));
        assert_eq!(max_log2_modulus(32768, FixedWeightTernary(32)), Some(164.0));
        assert_eq!(max_log2_modulus(32768, FixedWeightTernary(191)), Some(669.0));
        assert_eq!(max_log2_modulus(100, UniformTernary), None);
    }

    #[test]
    fn check_refuses_what_exceeds_the_limit() {
        let dense = SecretDistribution::UniformTernary;
        assert!(check(65536, dense, 1747.0).is_ok());
        let error = check(65536, dense, 1747.5).unwrap_err().to_string();
        assert!(error.contains("1747.5") && error.contains("1747 "), "{error}");
        assert!(check(512, dense, 10.0).is_err());
        assert!(security_bits(65536, dense, 1747.1) < 128.0);
        assert!(security_bits(65536, dense, 1600.0) > 128.0);
    }
}
