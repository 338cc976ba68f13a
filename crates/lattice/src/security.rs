//! Security of parameters, by published tables.
//!
//! The CSV files beside this one are embedded. Two contain limits for 128 bits: `rlwe_128bit.csv` (dense secrets; for
//! degrees up to 8192 by lattice-estimator, above by Bossuat et al., "Security Guidelines for Implementing Homomorphic
//! Encryption", IACR CiC 1(4) 2025, Table 5.2) and `sparse_128bit.csv` (fixed weights; Ogilvie, ePrint 2026/279). Three
//! contain the costs of attacks: `lwe_128bit.csv` (least LWE dimensions), `rlwe_estimates.csv` (levels near the limit)
//! and `shipped_sets.csv` (the weakest secrets of the shipped sets), all by lattice-estimator, commit 27a581b, cost
//! model MATZOV. All levels are classical, for errors of standard deviation 3.19 or more; ours is 3.24.
//!
//! The columns of the last three tables are log2 of the costs of attacks, by the estimator's names: `usvp` and `bdd`
//! (primal), `bdd_hybrid` and `bdd_mitm_hybrid` (primal hybrid, without and with meet in the middle) and `dual_hybrid`.
//! The least cost in a row is its level; an empty field was not computed. `scripts/estimate_security.py` recomputes all
//! of them.
//!
//! **Nothing is extrapolated.** The level of a problem within the limits is that of an estimated problem which is no
//! harder: the same kind of secret, no more dimensions, no smaller modulus. If there is no estimate, the level is the
//! 128 bits of the limits.

mod lwe_instance;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use lwe_instance::LweInstance;

/// The distribution of a secret's coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SecretDistribution {
    /// Uniform over {-1, 0, 1}.
    UniformTernary,
    /// Uniform over {0, 1}.
    Binary,
    /// Exactly this many coefficients of ±1.
    FixedWeightTernary(u32),
    /// This number of blocks of equal length, each with one coefficient of 1, at a uniform place, and 0 elsewhere.
    Blocks(u32),
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
        /// The largest allowed log2.
        limit: f64,
    },
    /// The LWE dimension is too small.
    #[error(
        "LWE dimension {dimension}, but a modulus of {log2_modulus:.1} bits with a {secret:?} secret needs at \
         least {least} for 128-bit security"
    )]
    DimensionTooSmall {
        /// LWE dimension.
        dimension: usize,
        /// The secret's distribution.
        secret: SecretDistribution,
        /// log2 of the modulus.
        log2_modulus: f64,
        /// The least allowed dimension.
        least: usize,
    },
    /// The tables have no LWE dimension for this modulus and secret.
    #[error(
        "no LWE dimension is known to have 128-bit security for a modulus of {log2_modulus:.1} bits with a {secret:?} secret"
    )]
    UnknownDimension {
        /// The secret's distribution.
        secret: SecretDistribution,
        /// log2 of the modulus.
        log2_modulus: f64,
    },
    /// The tables have no limit for this degree and secret.
    #[error("no 128-bit limit is known for ring degree {ring_degree} with a {secret:?} secret")]
    Unknown {
        /// Ring degree.
        ring_degree: usize,
        /// The secret's distribution.
        secret: SecretDistribution,
    },
}

/// A row of the limits: degree, kind of secret, largest log2 of the modulus for 128 bits.
struct Limit {
    degree: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
}

/// A row of the estimates: the cheapest attack on one dimension, kind of secret and modulus.
struct Estimate {
    dimension: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
    bits: f64,
}

/// Returns the fields of an embedded table, without its header.
fn fields(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

/// Returns the cost of the cheapest attack of a row, in bits. Empty fields were not computed.
fn cheapest(costs: &[&str]) -> f64 {
    let costs = costs.iter().filter(|cost| !cost.trim().is_empty());
    costs.map(|cost| number(cost)).fold(f64::INFINITY, f64::min)
}

/// Parses a number of an embedded table.
fn number(field: &str) -> f64 {
    field.trim().parse().expect("embedded tables hold numbers")
}

/// Returns the secret that a field of an embedded table names: dense, a block secret, or of fixed weight.
fn secret(field: &str) -> SecretDistribution {
    match field {
        "ternary" => SecretDistribution::UniformTernary,
        "binary" => SecretDistribution::Binary,
        other => match other.strip_prefix("blocks") {
            Some(blocks) => SecretDistribution::Blocks(number(blocks) as u32),
            None => SecretDistribution::FixedWeightTernary(number(other) as u32),
        },
    }
}

/// Returns all limits, parsed once.
fn limits() -> &'static [Limit] {
    static LIMITS: OnceLock<Vec<Limit>> = OnceLock::new();
    LIMITS.get_or_init(|| {
        let rows = fields(include_str!("security/rlwe_128bit.csv"))
            .chain(fields(include_str!("security/sparse_128bit.csv")))
            .chain(fields(include_str!("security/blocks_128bit.csv")));
        rows.map(|f| Limit {
            degree: number(f[0]) as usize,
            secret: secret(f[1]),
            log2_modulus: number(f[2]),
        })
        .collect()
    })
}

/// Returns a row of estimates from its dimension, kind of secret, log2 of the modulus, and costs of attacks.
fn estimate([dimension, kind, log2_modulus]: [&str; 3], costs: &[&str]) -> Estimate {
    Estimate {
        dimension: number(dimension) as usize,
        secret: secret(kind),
        log2_modulus: number(log2_modulus),
        bits: cheapest(costs),
    }
}

/// Returns all estimates except those of least LWE dimensions, parsed once.
fn estimates() -> &'static [Estimate] {
    static ESTIMATES: OnceLock<Vec<Estimate>> = OnceLock::new();
    ESTIMATES.get_or_init(|| {
        let of_rings = fields(include_str!("security/rlwe_estimates.csv"))
            .map(|f| estimate([f[0], f[2], f[1]], &f[3..]));
        let shipped = fields(include_str!("security/shipped_sets.csv"))
            .map(|f| estimate([f[0], f[2], f[3]], &f[5..]));
        of_rings.chain(shipped).collect()
    })
}

/// Returns all least LWE dimensions, parsed once; moduli ascend for each kind of secret.
fn lwe_rows() -> &'static [Estimate] {
    static ROWS: OnceLock<Vec<Estimate>> = OnceLock::new();
    ROWS.get_or_init(|| {
        fields(include_str!("security/lwe_128bit.csv"))
            .map(|f| estimate([f[2], f[1], f[0]], &f[3..]))
            .collect()
    })
}

/// Returns the largest log2 of a modulus with 128 bits of security; between two weights, that of the lower one.
///
/// A sparse secret of a degree beyond the tables has the limit of their largest degree: anyone who breaks weight h in
/// dimension 2n breaks it in dimension n, by n additional random columns, on which the secret is 0, and a random
/// permutation of all.
///
/// Returns `None` if the tables do not contain the degree, or for a weight below 32.
///
/// ```
/// use cryptable_lattice::security::{max_log2_modulus, SecretDistribution::*};
/// assert_eq!(max_log2_modulus(65536, UniformTernary), Some(1747.0));
/// assert_eq!(max_log2_modulus(65536, FixedWeightTernary(40)), Some(349.0));
/// assert_eq!(max_log2_modulus(131_072, FixedWeightTernary(40)), Some(349.0));
/// assert_eq!(max_log2_modulus(65536, FixedWeightTernary(31)), None);
/// ```
#[must_use]
pub fn max_log2_modulus(ring_degree: usize, secret: SecretDistribution) -> Option<f64> {
    let of_degree = |degree| limits().iter().filter(move |row| row.degree == degree);
    match secret {
        SecretDistribution::FixedWeightTernary(weight) => {
            of_degree(ring_degree.min(sparse_degree()))
                .filter_map(|row| match row.secret {
                    SecretDistribution::FixedWeightTernary(w) if w <= weight => {
                        Some((w, row.log2_modulus))
                    }
                    _ => None,
                })
                .max_by_key(|&(w, _)| w)
                .map(|(_, limit)| limit)
        }
        _ => of_degree(ring_degree).find(|row| row.secret == secret).map(|row| row.log2_modulus),
    }
}

/// Returns the largest degree in the table of sparse secrets.
fn sparse_degree() -> usize {
    let is_sparse = |row: &&Limit| matches!(row.secret, SecretDistribution::FixedWeightTernary(_));
    limits().iter().filter(is_sparse).map(|row| row.degree).max().unwrap_or(0)
}

/// Moduli of the estimates are rounded to a hundredth of a bit.
const ROUNDING: f64 = 0.01;

/// The level that the limits state.
const LIMIT_BITS: f64 = 128.0;

/// The largest level that is stated for problems beyond the limits.
const MAX_BITS_ABOVE_LIMIT: f64 = 127.9;

/// Returns log2 of the estimated cost of the cheapest attack: the largest cost among the rows that are no harder, with
/// the same kind of secret, no more dimensions and no smaller modulus. Returns `None` if there is no such row.
///
/// A ring counts as LWE of its degree. For secrets of fixed weight, too, problems with more dimensions are no easier:
/// see [`max_log2_modulus`].
///
/// ```
/// use cryptable_lattice::security::{estimated_bits, SecretDistribution::*};
/// // Meet in the middle, at 99 bits and at less:
/// assert_eq!(estimated_bits(32768, FixedWeightTernary(32), 99.0), Some(153.4));
/// assert_eq!(estimated_bits(32768, FixedWeightTernary(32), 90.0), Some(153.4));
/// assert_eq!(estimated_bits(32768, FixedWeightTernary(32), 120.0), None);
/// ```
#[must_use]
pub fn estimated_bits(
    dimension: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
) -> Option<f64> {
    let is_no_harder = |row: &&Estimate| {
        row.secret == secret
            && row.dimension <= dimension
            && row.log2_modulus >= log2_modulus - ROUNDING
    };
    let all = lwe_rows().iter().chain(estimates());
    all.filter(is_no_harder).map(|row| row.bits).reduce(f64::max)
}

/// Returns a level in bits: 128 or more exactly if the limits admit the problem, from the estimate if there is one;
/// otherwise `approximation`.
fn level(estimate: Option<f64>, is_admitted: bool, approximation: impl FnOnce() -> f64) -> f64 {
    if is_admitted {
        estimate.map_or(LIMIT_BITS, |bits| bits.max(LIMIT_BITS))
    } else {
        estimate.unwrap_or_else(approximation).min(MAX_BITS_ABOVE_LIMIT)
    }
}

/// Returns the level of RLWE in bits: that of [`estimated_bits`], the 128 bits of the limits if there is no estimate,
/// or 0 if the tables do not contain the degree or the weight.
///
/// The level is below 128 exactly if [`check`] refuses. Without an estimate it is then an approximation: inversely
/// proportional to log2 of the modulus, from 128 bits at the limit (the first-order law of lattice reduction at a fixed
/// degree).
///
/// ```
/// use cryptable_lattice::security::{security_bits, SecretDistribution::*};
/// // N = 2048 and a modulus of 54 bits with binary secrets, as in some papers:
/// assert_eq!(security_bits(2048, Binary, 54.0), 123.3);
/// ```
#[must_use]
pub fn security_bits(ring_degree: usize, secret: SecretDistribution, log2_modulus: f64) -> f64 {
    let Some(limit) = max_log2_modulus(ring_degree, secret) else { return 0.0 };
    if log2_modulus.is_nan() {
        return 0.0;
    }
    let estimate = estimated_bits(ring_degree, secret, log2_modulus);
    level(estimate, log2_modulus <= limit, || LIMIT_BITS * limit / log2_modulus)
}

/// Checks that an RLWE problem has 128 bits of security.
///
/// `log2_modulus` is that of the product of all primes under which anything is encrypted, special primes included.
///
/// # Errors
/// If the modulus exceeds the limit or is not a number, or if the tables have no limit.
pub fn check(
    ring_degree: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
) -> Result<(), SecurityError> {
    let limit = max_log2_modulus(ring_degree, secret)
        .ok_or(SecurityError::Unknown { ring_degree, secret })?;
    if log2_modulus.is_nan() || log2_modulus > limit {
        return Err(SecurityError::ModulusTooLarge { ring_degree, secret, log2_modulus, limit });
    }
    Ok(())
}

/// Returns the row that a modulus is checked against: between two rows, the stricter one.
fn lwe_row(secret: SecretDistribution, log2_modulus: f64) -> Option<&'static Estimate> {
    lwe_rows().iter().find(|row| row.secret == secret && row.log2_modulus >= log2_modulus)
}

/// Returns the least LWE dimension with 128 bits of security, or `None` above the table's last modulus, 2^35, or for a
/// secret of fixed weight.
///
/// ```
/// use cryptable_lattice::security::{least_lwe_dimension, SecretDistribution::*};
/// assert_eq!(least_lwe_dimension(Binary, 20.0), Some(820));
/// assert_eq!(least_lwe_dimension(Binary, 19.0), Some(820)); // between 18 and 20: the stricter row
/// assert_eq!(least_lwe_dimension(UniformTernary, 36.0), None);
/// ```
#[must_use]
pub fn least_lwe_dimension(secret: SecretDistribution, log2_modulus: f64) -> Option<usize> {
    lwe_row(secret, log2_modulus).map(|row| row.dimension)
}

/// Returns the level of LWE in bits, or 0 if the table does not contain the modulus.
///
/// The level is determined as in [`security_bits`], by the smallest tabulated dimension. For smaller dimensions it is
/// approximated in proportion to the dimension.
///
/// ```
/// use cryptable_lattice::security::{lwe_security_bits, SecretDistribution::*};
/// assert_eq!(lwe_security_bits(820, Binary, 20.0), 128.8);
/// // The sets of Ma et al. (TCHES 2024) fall short of what they state:
/// assert!(lwe_security_bits(760, UniformTernary, 20.0) < 128.0);
/// ```
#[must_use]
pub fn lwe_security_bits(dimension: usize, secret: SecretDistribution, log2_modulus: f64) -> f64 {
    let Some(row) = lwe_row(secret, log2_modulus) else { return 0.0 };
    let estimate = estimated_bits(dimension, secret, log2_modulus);
    let approximation = || row.bits * dimension as f64 / row.dimension as f64;
    level(estimate, dimension >= row.dimension, approximation)
}

/// Checks that an LWE dimension has 128 bits of security.
///
/// # Errors
/// If the dimension is too small, or if the table does not contain the modulus or the secret.
pub fn check_lwe(
    dimension: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
) -> Result<(), SecurityError> {
    let least = least_lwe_dimension(secret, log2_modulus)
        .ok_or(SecurityError::UnknownDimension { secret, log2_modulus })?;
    if dimension < least {
        return Err(SecurityError::DimensionTooSmall { dimension, secret, log2_modulus, least });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::SecretDistribution::{Binary, FixedWeightTernary, UniformTernary};
    use super::*;

    #[test]
    fn limits_are_those_of_the_tables() {
        for (degree, secret, limit) in [
            (1024, UniformTernary, 26.0),
            (2048, Binary, 52.0),
            (32768, UniformTernary, 868.0),
            (131_072, UniformTernary, 3523.0),
            (32768, FixedWeightTernary(32), 164.0),
            (32768, FixedWeightTernary(191), 669.0),
            (32768, FixedWeightTernary(192), 739.0),
            (65536, FixedWeightTernary(30_000), 1659.0),
            (131_072, FixedWeightTernary(32), 349.0),
        ] {
            assert_eq!(max_log2_modulus(degree, secret), Some(limit), "{degree} {secret:?}");
        }
        for (degree, secret) in [
            (512, UniformTernary),
            (100, UniformTernary),
            (16384, Binary),
            (65536, FixedWeightTernary(31)),
            (4096, FixedWeightTernary(64)),
        ] {
            assert_eq!(max_log2_modulus(degree, secret), None, "{degree} {secret:?}");
        }
        assert_eq!((limits().len(), estimates().len()), (37, 48));
    }

    #[test]
    fn check_refuses_what_exceeds_the_limit() {
        assert_eq!(check(65536, UniformTernary, 1747.0), Ok(()));
        let error = check(65536, UniformTernary, 1747.5).unwrap_err();
        assert_eq!(
            error.to_string(),
            "log2 of the modulus is 1747.5, but ring degree 65536 with a UniformTernary secret \
             allows at most 1747 for 128-bit security"
        );
        assert!(check(65536, UniformTernary, f64::NAN).is_err());
        // The papers' 1553 bits of weight 192 were broken by attacks of 2026.
        assert!(check(65536, FixedWeightTernary(192), 1553.0).is_err());
        let error = check(512, UniformTernary, 10.0).unwrap_err();
        assert!(matches!(error, SecurityError::Unknown { ring_degree: 512, .. }));
    }

    #[test]
    fn levels_are_those_of_estimates_that_are_no_harder() {
        for (degree, secret, log2_modulus, bits) in [
            (1024, UniformTernary, 25.0, 136.8),
            // Uses the row with the next larger modulus, or with fewer dimensions.
            (1024, UniformTernary, 25.5, 131.3),
            (1500, UniformTernary, 25.5, 131.3),
            (1024, UniformTernary, 12.5, 136.8),
            (131_072, UniformTernary, 1747.0, 128.0),
            (65_536, FixedWeightTernary(32), 90.0, 153.4),
            (16_384, FixedWeightTernary(32), 70.0, 139.9),
        ] {
            let found = estimated_bits(degree, secret, log2_modulus);
            assert_eq!(found, Some(bits), "{degree} {secret:?} {log2_modulus}");
        }
        for (degree, secret, log2_modulus) in [
            (32_768, FixedWeightTernary(32), 100.0),
            (32_768, FixedWeightTernary(64), 99.0),
            (16_384, FixedWeightTernary(32), 71.0),
            (131_072, UniformTernary, 3000.0),
        ] {
            assert_eq!(estimated_bits(degree, secret, log2_modulus), None);
            // The limits state no more than 128 bits.
            assert_eq!(security_bits(degree, secret, log2_modulus), LIMIT_BITS);
        }
        assert_eq!(security_bits(1024, UniformTernary, 26.5), 126.2);
        assert_eq!(security_bits(65536, UniformTernary, 2.0 * 1747.0), 64.0);
        assert_eq!(security_bits(65536, UniformTernary, f64::NAN), 0.0);
        assert_eq!(security_bits(512, UniformTernary, 10.0), 0.0);
    }

    #[test]
    fn levels_fall_with_the_modulus_and_agree_with_the_check() {
        for row in limits() {
            let mut last = f64::INFINITY;
            for step in 0..400 {
                let log2_modulus = row.log2_modulus * f64::from(step) / 200.0;
                let bits = security_bits(row.degree, row.secret, log2_modulus);
                assert!(bits <= last, "{} {:?} {log2_modulus}", row.degree, row.secret);
                let secure = check(row.degree, row.secret, log2_modulus).is_ok();
                assert_eq!(bits >= 128.0, secure, "{} {:?}", row.degree, row.secret);
                last = bits;
            }
        }
    }

    /// Checks that the hybrid attacks are not below the two by which the limits were first chosen.
    #[test]
    fn tables_name_their_attacks_and_the_cheapest_counts() {
        let tables =
            [include_str!("security/lwe_128bit.csv"), include_str!("security/rlwe_estimates.csv")];
        for table in tables {
            let header = table.lines().next().unwrap();
            assert!(
                header.ends_with(",usvp,bdd,bdd_hybrid,bdd_mitm_hybrid,dual_hybrid"),
                "{header}"
            );
            for row in fields(table) {
                assert_eq!(row.len(), 8, "{row:?}");
                assert_eq!(cheapest(&row[3..]), number(row[4]).min(number(row[7])), "{row:?}");
            }
        }
        // Each column counts.
        assert_eq!(cheapest(&["3", "", "2.5", "9", "4"]), 2.5);
    }

    #[test]
    fn lwe_dimensions_are_those_of_the_table() {
        assert_eq!(lwe_rows().len(), 23);
        for row in lwe_rows() {
            assert_eq!(least_lwe_dimension(row.secret, row.log2_modulus), Some(row.dimension));
            assert!(check_lwe(row.dimension, row.secret, row.log2_modulus).is_ok());
            assert!(lwe_security_bits(row.dimension, row.secret, row.log2_modulus) >= 128.0);
            assert!(lwe_security_bits(row.dimension - 1, row.secret, row.log2_modulus) < 128.0);
        }
        let error = check_lwe(760, UniformTernary, 20.0).unwrap_err().to_string();
        assert!(error.contains("760") && error.contains("at least 769"), "{error}");
        assert!(check_lwe(5000, Binary, 40.0).is_err());
        assert!(check_lwe(5000, FixedWeightTernary(64), 20.0).is_err());
        assert_eq!(lwe_security_bits(5000, Binary, 40.0), 0.0);
    }
}
