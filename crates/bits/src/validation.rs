//! The bounds of every number of a literal, checked before anything is built of it: a file may claim anything.

use cryptable_lattice::Result;
use cryptable_lattice::error::demand;

use crate::literal::{ParametersLiteral, TransformLiteral};

/// Most primes of one part of the chain.
const MAX_PRIMES: usize = 64;

/// Most butterfly levels of one matrix: it has two diagonals to this power.
const MAX_STAGE: u32 = 8;

/// Most entries of one matrix, complex numbers of 16 bytes.
const MAX_ENTRIES: u64 = 1 << 21;

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
    check_primes("log2 of a prime of the wave", &literal.wave.primes, degree)?;
    let raised = literal.coeffs_to_slots.primes.len();
    demand(raised > 0, "number of primes of CoeffsToSlots", raised as f64, "at least 1")?;
    check_primes("log2 of a special prime", &literal.special, degree)?;
    let specials = literal.special.len();
    demand(specials > 0, "number of special primes", specials as f64, "at least 1")?;
    check_transform(&literal.slots_to_coeffs, degree)?;
    check_transform(&literal.coeffs_to_slots, degree)?;
    check_wave(literal)?;
    let digit = literal.digit_limbs;
    check_limbs(literal)?;
    let limbs = literal.limbs.len();
    let limit = "1 to all of the chain";
    demand((1..=limbs).contains(&digit), "limbs a digit", digit as f64, limit)?;
    let digit = literal.raised_digit_limbs;
    let name = "limbs a digit of the second chain";
    demand((1..=raised).contains(&digit), name, digit as f64, limit)?;
    let weight = literal.sparse_weight;
    let is_weight = (1..=degree / 2).contains(&(weight as usize));
    demand(is_weight, "weight of the sparse secret", weight.into(), "1 to half the ring degree")?;
    let stated = literal.log2_fail;
    let is_stated = (-1000.0..=-1.0).contains(&stated);
    demand(is_stated, "log2 of the failure probability", stated, "from -1000 to -1")
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

/// Sizes at which there are enough primes that are 1 modulo 2N, and that the vector kernels take.
fn check_primes(name: &'static str, sizes: &[f64], degree: usize) -> Result<()> {
    let count = sizes.len();
    demand(count <= MAX_PRIMES, "number of primes", count as f64, "at most 64")?;
    let least = f64::from(degree.ilog2()) + 8.0;
    for &size in sizes {
        let limit = "log2 of the ring degree plus 8 to 50";
        demand((least..=50.0).contains(&size), name, size, limit)?;
    }
    Ok(())
}

fn check_transform(transform: &TransformLiteral, degree: usize) -> Result<()> {
    check_primes("log2 of a prime of a transform", &transform.primes, degree)?;
    let primes = transform.primes.len();
    demand(primes > 0, "primes of a transform", primes as f64, "at least 1")?;
    for &stage in &transform.stages {
        demand((1..=MAX_STAGE).contains(&stage), "levels of a matrix", stage.into(), "1 to 8")?;
    }
    let outermost = transform.stages.iter().copied().max().unwrap_or(0);
    // The outermost matrix has two diagonals to the power of its levels, of half the degree each.
    let entries = (degree as u64 / 2) << outermost;
    let limit = "at most 2^21, 32 MiB";
    demand(entries <= MAX_ENTRIES, "entries of a matrix", entries as f64, limit)?;
    let levels = (degree / 2).ilog2();
    // Sixteen levels in stages of at least one: no sum of theirs overflows.
    let stages = transform.stages.len();
    demand(stages <= 16, "matrices of a transform", stages as f64, "at most 16")?;
    let sum: u32 = transform.stages.iter().sum();
    demand(sum == levels, "levels of all matrices", sum.into(), "log2 of half the ring degree")?;
    let babies = transform.baby_steps;
    demand((1..=256).contains(&babies), "baby steps", babies as f64, "1 to 256")
}

fn check_wave(literal: &ParametersLiteral) -> Result<()> {
    let wave = &literal.wave;
    let length = wave.log_length;
    demand((2..=8).contains(&length), "log2 of the wave's length", length.into(), "2 to 8")?;
    let babies = wave.log_babies;
    let is_babies = (1..=length).contains(&babies);
    demand(is_babies, "log2 of the wave's baby steps", babies.into(), "1 to that of its length")?;
    let doublings = wave.doublings;
    demand((1..=8).contains(&doublings), "doublings of the wave", doublings.into(), "1 to 8")?;
    let primes = wave.primes.len();
    let levels = (length + doublings) as usize;
    demand(primes == levels, "primes of the wave", primes as f64, "one a level")
}
