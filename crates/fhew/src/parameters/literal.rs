//! All numbers of a parameter set before validation, and the checks of their ranges.

use cryptable_lattice::error::{check_independent_secret, demand};
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Error, Result};
use cryptable_ring::prime_ring::MOST_KEYS;
use serde::{Deserialize, Serialize};

use super::gadget_literal::{GadgetLiteral, RgswGadgetLiteral};
use crate::rotation::method::RotationMethod;
use crate::switching::intermediate_ring::IntermediateRing;

/// log2 of the largest modulus of LWE ciphertexts, where the security table ends.
pub const MAX_LOG2_LWE_MODULUS: u32 = 35;

/// Numbers of a parameter set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametersLiteral {
    /// LWE dimension n.
    pub lwe_dimension: usize,
    /// Secret of LWE.
    pub lwe_secret: SecretDistribution,
    /// log2 of the modulus of LWE ciphertexts and of their key switching keys.
    pub log2_lwe_modulus: u32,
    /// Ring degree N.
    pub ring_degree: usize,
    /// log2 of the ring's prime Q, which is the nearest prime with a 2N-th root of unity.
    pub log2_prime: f64,
    /// Secret of the ring.
    pub ring_secret: SecretDistribution,
    /// Method of blind rotation.
    pub rotation_method: RotationMethod,
    /// Decomposition of blind rotation (modulo Q).
    pub rotation: RgswGadgetLiteral,
    /// Decompositions of further rotation keys, for bootstraps that must be more precise than with `rotation`
    /// (digit decomposition).
    pub finer_rotations: [Option<RgswGadgetLiteral>; 3],
    /// The ring of lower degree through which LWE key switching goes, if there is one.
    pub intermediate: Option<IntermediateRing>,
    /// Decomposition of LWE key switching (modulo the LWE modulus).
    pub key_switching: GadgetLiteral,
    /// Decomposition of automorphism keys, for packing by the trace (modulo Q).
    pub automorphism: GadgetLiteral,
    /// Decomposition of relinearization (modulo Q).
    pub relinearization: GadgetLiteral,
    /// Unused by algorithms, but part of the canonical bytes from which digests are computed.
    pub packing: GadgetLiteral,
}

/// Checks that all numbers are in range, except digits modulo the ring's prime ([`check_digits`]).
pub(super) fn check(literal: &ParametersLiteral) -> Result<()> {
    check_numbers(literal)?;
    check_factors(literal)?;
    literal.rotation_method.check(literal.ring_degree)?;
    match &literal.intermediate {
        None => Ok(()),
        Some(small) => {
            small.check(literal.ring_degree, literal.log2_prime, literal.log2_lwe_modulus)
        }
    }
}

/// Checks that dimensions, moduli and secrets are in their ranges.
fn check_numbers(literal: &ParametersLiteral) -> Result<()> {
    let n = literal.ring_degree;
    demand(
        n.is_power_of_two() && (32..=8192).contains(&n),
        "ring_degree",
        n as f64,
        "it must be a power of two from 32 to 8192",
    )?;
    demand(
        (1..=4096).contains(&literal.lwe_dimension),
        "lwe_dimension",
        literal.lwe_dimension as f64,
        "it must be from 1 to 4096",
    )?;
    let log2_lwe = literal.log2_lwe_modulus;
    demand(
        ((2 * n).ilog2()..=MAX_LOG2_LWE_MODULUS).contains(&log2_lwe),
        "log2_lwe_modulus",
        f64::from(log2_lwe),
        "it must be from log2(2N) to 35",
    )?;
    let log2_prime = literal.log2_prime;
    demand(
        (20.0..50.0).contains(&log2_prime) && log2_prime > f64::from(log2_lwe),
        "log2_prime",
        log2_prime,
        "it must be from 20 to below 50, and above log2_lwe_modulus",
    )?;
    check_independent_secret(literal.ring_secret)?;
    match literal.lwe_secret {
        SecretDistribution::Blocks(blocks) => check_blocks(literal, blocks as usize),
        secret => check_independent_secret(secret),
    }
}

/// Checks that the blocks of a secret have equal size, and that a block's step of a rotation uses no more keys than a
/// product allows.
fn check_blocks(literal: &ParametersLiteral, blocks: usize) -> Result<()> {
    let size = literal.lwe_dimension.checked_div(blocks).unwrap_or(0);
    demand(
        size * blocks == literal.lwe_dimension && (2..=MOST_KEYS + 1).contains(&size),
        "blocks of the LWE secret",
        blocks as f64,
        &format!(
            "they must divide the LWE dimension into 2 to {} coefficients each",
            MOST_KEYS + 1
        ),
    )?;
    demand(
        literal.rotation_method == RotationMethod::Cmux,
        "blocks of the LWE secret",
        blocks as f64,
        "a rotation by automorphisms needs a binary or uniform ternary secret",
    )
}

/// Checks that digits fit the moduli that they decompose.
pub(super) fn check_digits(literal: &ParametersLiteral, prime: u64) -> Result<()> {
    let finer = literal.finer_rotations.into_iter().flatten();
    let finer = finer.flat_map(|gadget| {
        [("finer rotation body digits", gadget.body), ("finer rotation mask digits", gadget.mask)]
    });
    let finer = finer.map(|(name, gadget)| (name, gadget, prime));
    let digits = literal.rotation_method.digits();
    let finer = finer.chain(digits.map(|g| ("rotation automorphism digits", g, prime)));
    let others = [
        ("rotation body digits", literal.rotation.body, prime),
        ("rotation mask digits", literal.rotation.mask, prime),
        ("key switching digits", literal.key_switching, 1 << literal.log2_lwe_modulus),
        ("automorphism digits", literal.automorphism, prime),
        ("relinearization digits", literal.relinearization, prime),
        ("packing digits", literal.packing, prime),
    ];
    for (name, gadget, modulus) in others.into_iter().chain(finer) {
        let bits = (gadget.base_log2 as usize).saturating_mul(gadget.length);
        let limit = (u64::BITS - (modulus - 1).leading_zeros()) as usize;
        demand(
            gadget.base_log2 > 0 && gadget.length > 0 && bits <= limit,
            name,
            bits as f64,
            &format!("together they must have from 1 to {limit} bits"),
        )?;
    }
    Ok(())
}

/// Checks that digits that multiply rows of machine words fit factors of 32 bits.
fn check_factors(literal: &ParametersLiteral) -> Result<()> {
    let value = literal.key_switching.base_log2;
    if value < i32::BITS {
        return Ok(());
    }
    let (name, limit) = ("bits of a key switching digit", "it must be at most 31".to_owned());
    Err(Error::Parameter { name, value: value.into(), limit })
}
