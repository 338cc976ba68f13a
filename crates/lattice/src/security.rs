//! Security of parameters, by published tables.
//!
//! The CSV files beside this one are embedded: `rlwe_128bit.csv` (dense secrets; lattice-estimator for
//! degrees up to 8192, Bossuat et al., "Security Guidelines for Implementing Homomorphic Encryption",
//! IACR CiC 1(4) 2025, Table 5.2, above), `sparse_128bit.csv` (fixed weights; Ogilvie, ePrint
//! 2026/279), `rlwe_estimates.csv` (levels near the limit) and `lwe_128bit.csv` (least LWE dimensions; both by
//! lattice-estimator, commit 27a581b, cost model MATZOV). All levels are classical, for errors of standard deviation
//! 3.19; ours is 3.24.
//!
//! The columns of the last two tables are log2 of the costs of attacks, by the estimator's names: `usvp` and `bdd`
//! (primal), `bdd_hybrid` and `bdd_mitm_hybrid` (primal hybrid, without and with meet in the middle) and
//! `dual_hybrid`. The least of a row is its level; an empty field was not computed. `shipped_sets.csv` has the same
//! for the weakest secrets of the sets that ship. `scripts/estimate_security.py` computes all of them again.

mod lwe_instance;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub use lwe_instance::LweInstance;

/// How a secret's coefficients are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        /// The smallest that is allowed.
        least: usize,
    },
    /// The tables do not say.
    #[error(
        "no LWE dimension is known to be secure for a modulus of {log2_modulus:.1} bits with a {secret:?} secret"
    )]
    UnknownDimension {
        /// The secret's distribution.
        secret: SecretDistribution,
        /// log2 of the modulus.
        log2_modulus: f64,
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

/// A row of the limits: degree, kind of secret, largest log2 of the modulus for 128 bits.
struct Limit {
    degree: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
}

/// A row of the estimates: the cheapest attack on one degree, kind of secret and modulus.
struct Estimate {
    degree: usize,
    secret: SecretDistribution,
    log2_modulus: f64,
    bits: f64,
}

/// The fields of an embedded table, header skipped.
fn fields(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

/// The cost of the cheapest attack of a row, in bits: fields that are empty were not computed.
fn cheapest(costs: &[&str]) -> f64 {
    let costs = costs.iter().filter(|cost| !cost.trim().is_empty());
    costs.map(|cost| number(cost)).fold(f64::INFINITY, f64::min)
}

/// A number of an embedded table.
fn number(field: &str) -> f64 {
    field.trim().parse().expect("embedded tables hold numbers")
}

/// The name of a dense secret in an embedded table.
fn dense(field: &str) -> SecretDistribution {
    match field {
        "ternary" => SecretDistribution::UniformTernary,
        "binary" => SecretDistribution::Binary,
        other => unreachable!("embedded tables know no {other} secret"),
    }
}

/// All limits, parsed once.
fn limits() -> &'static [Limit] {
    static LIMITS: OnceLock<Vec<Limit>> = OnceLock::new();
    LIMITS.get_or_init(|| {
        let row = |f: &[&str], secret| Limit {
            degree: number(f[0]) as usize,
            secret,
            log2_modulus: number(f[2]),
        };
        let weight = |field| SecretDistribution::FixedWeightTernary(number(field) as u32);
        fields(include_str!("security/rlwe_128bit.csv"))
            .map(|f| row(&f, dense(f[1])))
            .chain(
                fields(include_str!("security/sparse_128bit.csv")).map(|f| row(&f, weight(f[1]))),
            )
            .collect()
    })
}

/// All estimates, parsed once; moduli ascend for each degree and secret.
fn estimates() -> &'static [Estimate] {
    static ESTIMATES: OnceLock<Vec<Estimate>> = OnceLock::new();
    ESTIMATES.get_or_init(|| {
        fields(include_str!("security/rlwe_estimates.csv"))
            .map(|f| Estimate {
                degree: number(f[0]) as usize,
                secret: dense(f[2]),
                log2_modulus: number(f[1]),
                bits: cheapest(&f[3..]),
            })
            .collect()
    })
}

/// The largest log2 of a modulus that gives 128 bits; between two weights, that of the lower one.
///
/// A sparse secret of a degree beyond the tables has the limit of their largest: who breaks weight h in dimension 2n breaks
/// it in dimension n, by n random columns more, on which the secret is 0, and a random permutation of all.
///
/// `None` if the tables do not know the degree, or for a weight below 32.
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

/// The largest degree that the table of sparse secrets has.
fn sparse_degree() -> usize {
    let is_sparse = |row: &&Limit| matches!(row.secret, SecretDistribution::FixedWeightTernary(_));
    limits().iter().filter(is_sparse).map(|row| row.degree).max().unwrap_or(0)
}

/// Largest level that [`security_bits`] states: the estimate means nothing that far from the tables.
const MAX_BITS: f64 = 512.0;

/// Largest level that [`security_bits`] states for a modulus above the limit.
const MAX_BITS_ABOVE_LIMIT: f64 = 127.9;

/// An estimate of the level in bits, 0 if the tables do not know the degree or the weight.
///
/// Between two rows of the estimates, their interpolation. Elsewhere an approximation: the level is
/// inversely proportional to log2 of the modulus (the first-order law of lattice reduction at a fixed
/// degree), from the nearest row, or from 128 bits at the limit. At most 512; below 128 exactly if
/// [`check`] refuses; never increasing with the modulus.
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
    let log2_modulus = log2_modulus.max(1.0);
    let estimate = interpolate(ring_degree, secret, log2_modulus)
        .unwrap_or_else(|| 128.0 * limit / log2_modulus)
        .min(MAX_BITS);
    if log2_modulus > limit { estimate.min(MAX_BITS_ABOVE_LIMIT) } else { estimate }
}

/// The level by the estimates; `None` if there are none for this degree and secret.
fn interpolate(degree: usize, secret: SecretDistribution, log2_modulus: f64) -> Option<f64> {
    let rows: Vec<&Estimate> =
        estimates().iter().filter(|row| row.degree == degree && row.secret == secret).collect();
    let scaled = |row: &Estimate| row.bits * row.log2_modulus / log2_modulus;
    let (first, last) = (rows.first()?, rows.last()?);
    if log2_modulus <= first.log2_modulus {
        return Some(scaled(first));
    }
    let between = rows.windows(2).find(|pair| log2_modulus <= pair[1].log2_modulus);
    let Some(&[low, high]) = between else { return Some(scaled(last)) };
    let share = (log2_modulus - low.log2_modulus) / (high.log2_modulus - low.log2_modulus);
    Some(low.bits + share * (high.bits - low.bits))
}

/// Demands 128 bits.
///
/// `log2_modulus` is that of all primes together under which anything is encrypted, special primes
/// included.
///
/// # Errors
/// If the modulus exceeds the limit or is not a number, or the tables do not know the limit.
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

/// A row of the least LWE dimensions.
struct LweRow {
    log2_modulus: f64,
    secret: SecretDistribution,
    dimension: usize,
    bits: f64,
}

/// All least dimensions, parsed once; moduli ascend for each kind of secret.
fn lwe_rows() -> &'static [LweRow] {
    static ROWS: OnceLock<Vec<LweRow>> = OnceLock::new();
    ROWS.get_or_init(|| {
        fields(include_str!("security/lwe_128bit.csv"))
            .map(|f| LweRow {
                log2_modulus: number(f[0]),
                secret: dense(f[1]),
                dimension: number(f[2]) as usize,
                bits: cheapest(&f[3..]),
            })
            .collect()
    })
}

/// The row that a modulus is checked against: between two rows, the stricter one.
fn lwe_row(secret: SecretDistribution, log2_modulus: f64) -> Option<&'static LweRow> {
    lwe_rows().iter().find(|row| row.secret == secret && row.log2_modulus >= log2_modulus)
}

/// The least LWE dimension with 128 bits of security; `None` above the table's last modulus, 2^35, or for a
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

/// An estimate of the level of LWE in bits, 0 if the table does not know the modulus.
///
/// The level of the row that [`least_lwe_dimension`] takes, in proportion to the dimension (the first-order
/// law of lattice reduction); below 128 exactly if [`check_lwe`] refuses.
///
/// ```
/// use cryptable_lattice::security::{lwe_security_bits, SecretDistribution::*};
/// assert_eq!(lwe_security_bits(820, Binary, 20.0), 128.6);
/// // The sets of Ma et al. (TCHES 2024) fall short of what they state:
/// assert!(lwe_security_bits(760, UniformTernary, 20.0) < 128.0);
/// ```
#[must_use]
pub fn lwe_security_bits(dimension: usize, secret: SecretDistribution, log2_modulus: f64) -> f64 {
    let Some(row) = lwe_row(secret, log2_modulus) else { return 0.0 };
    let estimate = (row.bits * dimension as f64 / row.dimension as f64).min(MAX_BITS);
    if dimension < row.dimension { estimate.min(MAX_BITS_ABOVE_LIMIT) } else { estimate }
}

/// Demands 128 bits of an LWE dimension.
///
/// # Errors
/// If the dimension is too small, or the table does not know the modulus or the secret.
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
        assert_eq!((limits().len(), estimates().len()), (36, 28));
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
        // The papers' 1553 bits of weight 192 fell to attacks of 2026.
        assert!(check(65536, FixedWeightTernary(192), 1553.0).is_err());
        let error = check(512, UniformTernary, 10.0).unwrap_err();
        assert!(matches!(error, SecurityError::Unknown { ring_degree: 512, .. }));
    }

    #[test]
    fn levels_are_those_of_the_estimates_and_between() {
        assert_eq!(security_bits(1024, UniformTernary, 25.0), 136.8);
        let middle = security_bits(1024, UniformTernary, 25.5);
        assert!((middle - (136.8 + 131.3) / 2.0).abs() < 1e-9, "{middle}");
        assert_eq!(security_bits(1024, UniformTernary, 26.5), MAX_BITS_ABOVE_LIMIT);
        assert_eq!(security_bits(1024, UniformTernary, 27.0), 126.2);
        assert_eq!(security_bits(1024, UniformTernary, 12.5), 2.0 * 136.8);
        assert_eq!(security_bits(65536, UniformTernary, 1747.0), 128.0);
        assert_eq!(security_bits(65536, UniformTernary, 2.0 * 1747.0), 64.0);
        assert_eq!(security_bits(65536, UniformTernary, 0.0), MAX_BITS);
        assert_eq!(security_bits(65536, UniformTernary, f64::NAN), 0.0);
        assert_eq!(security_bits(512, UniformTernary, 10.0), 0.0);
    }

    #[test]
    fn levels_fall_with_the_modulus_and_agree_with_the_check() {
        for row in limits() {
            let mut last = MAX_BITS;
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

    /// The hybrid attacks do not come out below the two that the limits were first chosen by.
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
        assert_eq!(lwe_rows().len(), 22);
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
