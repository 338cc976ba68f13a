//! The bounds of every number of a literal, checked before anything is built of it: a file may claim anything.

use cryptable_ckks::bootstrapping::literals::{MAX_PRIMES, check_primes};
use cryptable_lattice::Result;
use cryptable_lattice::error::demand;

use crate::literal::{Packing, ParametersLiteral};

/// Longest name in bytes.
const MAX_NAME: usize = 128;

/// Checks every number, and what they make together.
///
/// # Errors
/// Names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    demand(
        literal.name.len() <= MAX_NAME,
        "bytes of the name",
        literal.name.len() as f64,
        "at most 128",
    )?;
    let degree = literal.ring_degree;
    let is_degree = degree.is_power_of_two() && (64..=1 << 16).contains(&degree);
    demand(is_degree, "ring degree", degree as f64, "a power of two from 64 to 65536")?;
    check_primes("log2 of the base prime", &[literal.base], degree)?;
    check_primes("log2 of a prime of gates", &literal.gates, degree)?;
    let raised = literal.coeffs_to_slots.primes.len();
    demand(raised > 0, "number of primes of CoeffsToSlots", raised as f64, "at least 1")?;
    check_primes("log2 of a special prime", &literal.special, degree)?;
    let specials = literal.special.len();
    demand(specials > 0, "number of special primes", specials as f64, "at least 1")?;
    check_packing(literal.packing, degree)?;
    let transformed = literal.transformed();
    literal.slots_to_coeffs.check_for(degree, transformed)?;
    literal.coeffs_to_slots.check_for(degree, transformed)?;
    literal.exponential.check(degree)?;
    let digit = literal.digit_limbs;
    check_limbs(literal)?;
    let limbs = literal.limbs.len();
    let limit = "1 to all of the chain";
    demand((1..=limbs).contains(&digit), "limbs per digit", digit as f64, limit)?;
    let digit = literal.raised_digit_limbs;
    let name = "limbs per digit of the second chain";
    demand((1..=raised).contains(&digit), name, digit as f64, limit)?;
    let weight = literal.sparse_weight;
    let is_weight = (1..=degree / 2).contains(&(weight as usize));
    demand(is_weight, "weight of the sparse secret", weight.into(), "1 to half the ring degree")?;
    let stated = literal.log2_fail;
    let is_stated = (-1000.0..=-1.0).contains(&stated);
    demand(is_stated, "log2 of the failure probability", stated, "from -1000 to -1")
}

/// A number of sparse bits that leaves slots to repeat.
fn check_packing(packing: Packing, degree: usize) -> Result<()> {
    let Packing::Sparse(bits) = packing else { return Ok(()) };
    let most = degree / 4;
    let is_sparse = bits.is_power_of_two() && (Packing::LEAST..=most).contains(&bits);
    let limit =
        format!("a power of two from {} to {most}, a quarter of the degree", Packing::LEAST);
    demand(is_sparse, "number of sparse bits", bits as f64, &limit)
}

/// Limbs of one prime or two, as many as the chain has.
fn check_limbs(literal: &ParametersLiteral) -> Result<()> {
    let chain = literal.chain();
    let primes = chain.len();
    demand(primes <= MAX_PRIMES, "primes of the chain", primes as f64, "at most 64")?;
    let mut rest = chain.as_slice();
    for &count in &literal.limbs {
        demand((1..=2).contains(&count), "primes of a limb", count as f64, "1 or 2")?;
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
