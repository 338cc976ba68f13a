//! The bounds of every number of a literal, checked before anything is built of it: a file may claim anything.

use cryptable_ckks::bootstrapping::literals::{MAX_PRIMES, check_primes};
use cryptable_lattice::Result;
use cryptable_lattice::error::{check_power_of_two, check_real_within, check_within, demand};

use crate::literal::{Packing, ParametersLiteral};

/// Longest name in bytes.
const MAX_NAME: u64 = 128;

/// Checks every number, and their combinations.
///
/// # Errors
/// Names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    check_within("bytes of the name", literal.name.len() as u64, ..=MAX_NAME)?;
    let degree = literal.ring_degree;
    check_power_of_two("ring degree", degree, 64..=1 << 16)?;
    check_primes("log2 of the base prime", &[literal.base], degree)?;
    check_primes("log2 of a prime of gates", &literal.gates, degree)?;
    let raised = literal.coeffs_to_slots.primes.len() as u64;
    check_within("number of primes of CoeffsToSlots", raised, 1..)?;
    check_primes("log2 of a special prime", &literal.special, degree)?;
    check_within("number of special primes", literal.special.len() as u64, 1..)?;
    if let Packing::Sparse(bits) = literal.packing {
        // Slots repeat.
        check_power_of_two("number of sparse bits", bits, Packing::LEAST..=degree / 4)?;
    }
    let transformed = literal.transformed();
    literal.slots_to_coeffs.check_for(degree, transformed)?;
    literal.coeffs_to_slots.check_for(degree, transformed)?;
    literal.exponential.check(degree)?;
    check_limbs(literal)?;
    let limbs = literal.limbs.len() as u64;
    check_within("limbs per digit", literal.digit_limbs as u64, 1..=limbs)?;
    let digit = literal.raised_digit_limbs as u64;
    check_within("limbs per digit of the second chain", digit, 1..=raised)?;
    let weight = literal.sparse_weight.into();
    check_within("weight of the sparse secret", weight, 1..=degree as u64 / 2)?;
    check_real_within("log2 of the failure probability", literal.log2_fail, -1000.0..=-1.0)
}

/// Checks that limbs have one or two primes, and that all limbs together have the primes of the chain.
fn check_limbs(literal: &ParametersLiteral) -> Result<()> {
    let chain = literal.chain();
    let primes = chain.len();
    check_within("primes of the chain", primes as u64, ..=MAX_PRIMES as u64)?;
    let mut rest = chain.as_slice();
    for &count in &literal.limbs {
        check_within("primes per limb", count as u64, 1..=2)?;
        demand(
            count <= rest.len(),
            "primes of all limbs",
            primes as f64 + 1.0,
            "those of the chain",
        )?;
        rest = &rest[count..];
    }
    let covered = primes - rest.len();
    demand(rest.is_empty(), "primes of all limbs", covered as f64, "those of the chain")
}
