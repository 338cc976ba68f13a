//! The bounds of every number of a literal, checked before anything is built of it: a file may claim anything.

use cryptable_ckks::bootstrapping::literals::{MAX_PRIMES, check_primes};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::Result;
use cryptable_lattice::error::demand;

use crate::literal::{BootstrappingLiteral, ParametersLiteral};

/// Longest name in bytes.
const MAX_NAME: usize = 128;

/// Checks every number, and what they make together.
///
/// # Errors
/// Names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    let name = literal.name.len();
    demand(name <= MAX_NAME, "bytes of the name", name as f64, "at most 128")?;
    let degree = literal.ring_degree;
    let is_degree = degree.is_power_of_two() && (64..=1 << 17).contains(&degree);
    demand(is_degree, "ring degree", degree as f64, "a power of two from 64 to 131072")?;
    let slots = literal.slots;
    let is_slots = slots.is_power_of_two() && slots <= degree / 2;
    demand(
        is_slots,
        "number of slots",
        slots as f64,
        "a power of two, at most half the ring degree",
    )?;
    check_primes("log2 of the base prime", &[literal.base], degree)?;
    check_primes("log2 of a prime of levels", &literal.levels, degree)?;
    let levels = literal.levels.len();
    demand(levels > 0, "number of levels", levels as f64, "at least 1")?;
    check_primes("log2 of a special prime", &literal.special, degree)?;
    let specials = literal.special.len();
    demand(specials > 0, "number of special primes", specials as f64, "at least 1")?;
    if let Some(bootstrapping) = &literal.bootstrapping {
        check_bootstrapping(bootstrapping, degree, slots)?;
    }
    let limbs = literal.chain().len();
    demand(limbs <= MAX_PRIMES, "primes of the chain", limbs as f64, "at most 64")?;
    let digit = literal.digit_limbs;
    demand((1..=limbs).contains(&digit), "limbs per digit", digit as f64, "1 to all of the chain")
}

fn check_bootstrapping(literal: &BootstrappingLiteral, degree: usize, slots: usize) -> Result<()> {
    demand(slots > 1, "number of slots that are bootstrapped", slots as f64, "at least 2")?;
    literal.slots_to_coeffs.check_for(degree, slots)?;
    literal.coeffs_to_slots.check_for(degree, slots)?;
    check_primes("log2 of the prime that joins parts", &literal.joining, degree)?;
    let (joining, expected) = (literal.joining.len(), usize::from(2 * slots < degree));
    let limit = format!("{expected}, for {slots} slots of a ring of degree {degree}");
    demand(joining == expected, "primes that join parts", joining as f64, &limit)?;
    literal.exponential.check(degree)?;
    check_primes("log2 of a prime of the odd function", &literal.sines, degree)?;
    let sines = literal.sines.len();
    demand((1..=2).contains(&sines), "primes of the odd function", sines as f64, "1 or 2")?;
    let range = literal.log2_range;
    demand(
        (2.0..=30.0).contains(&range),
        "log2 of q_0 over the largest part",
        range,
        "from 2 to 30",
    )?;
    let (digit, raised) = (literal.raised_digit_limbs, literal.coeffs_to_slots.primes.len());
    let limit = "1 to all of the chain";
    let name = "limbs per digit of the second chain";
    demand((1..=raised).contains(&digit), name, digit as f64, limit)?;
    let halvings = literal.trace_halvings.0;
    let ok = (1..=TraceHalvings::MAX).contains(&halvings);
    demand(ok, "halvings of a step of the trace", halvings.into(), "from 1 to 4")?;
    let weight = literal.sparse_weight;
    let is_weight = (1..=degree / 2).contains(&(weight as usize));
    demand(is_weight, "weight of the sparse secret", weight.into(), "1 to half the ring degree")?;
    let stated = literal.log2_fail;
    let is_stated = (-1000.0..=-1.0).contains(&stated);
    demand(is_stated, "log2 of the failure probability", stated, "from -1000 to -1")
}
