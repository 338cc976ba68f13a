//! The bounds of every number of a literal, checked before anything is built of it: a file may claim anything.

use cryptable_ckks::bootstrapping::literals::{MAX_PRIMES, check_primes};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::Result;
use cryptable_lattice::error::{check_power_of_two, check_real_within, check_within, demand};

use crate::literal::{BootstrappingLiteral, ParametersLiteral};

/// Longest name in bytes.
const MAX_NAME: u64 = 128;

/// Checks every number, and their combinations.
///
/// # Errors
/// Names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    check_within("bytes of the name", literal.name.len() as u64, ..=MAX_NAME)?;
    let (degree, slots) = (literal.ring_degree, literal.slots);
    check_power_of_two("ring degree", degree, 64..=1 << 17)?;
    check_power_of_two("number of slots", slots, 1..=degree / 2)?;
    check_primes("log2 of the base prime", &[literal.base], degree)?;
    check_primes("log2 of a prime of levels", &literal.levels, degree)?;
    check_within("number of levels", literal.levels.len() as u64, 1..)?;
    check_primes("log2 of a special prime", &literal.special, degree)?;
    check_within("number of special primes", literal.special.len() as u64, 1..)?;
    if let Some(bootstrapping) = &literal.bootstrapping {
        check_bootstrapping(bootstrapping, degree, slots)?;
    }
    let limbs = literal.chain().len() as u64;
    check_within("primes of the chain", limbs, ..=MAX_PRIMES as u64)?;
    check_within("limbs per digit", literal.digit_limbs as u64, 1..=limbs)
}

fn check_bootstrapping(literal: &BootstrappingLiteral, degree: usize, slots: usize) -> Result<()> {
    check_within("number of slots that are bootstrapped", slots as u64, 2..)?;
    literal.slots_to_coeffs.check_for(degree, slots)?;
    literal.coeffs_to_slots.check_for(degree, slots)?;
    check_primes("log2 of the prime that joins parts", &literal.joining, degree)?;
    let (joining, expected) = (literal.joining.len(), usize::from(2 * slots < degree));
    let limit = format!("{expected}, for {slots} slots of a ring of degree {degree}");
    demand(joining == expected, "primes that join parts", joining as f64, &limit)?;
    literal.exponential.check(degree)?;
    check_primes("log2 of a prime of the odd function", &literal.sines, degree)?;
    check_within("primes of the odd function", literal.sines.len() as u64, 1..=2)?;
    check_real_within("log2 of q_0 over the largest part", literal.log2_range, 2.0..=30.0)?;
    let (digit, raised) = (literal.raised_digit_limbs, literal.coeffs_to_slots.primes.len());
    check_within("limbs per digit of the second chain", digit as u64, 1..=raised as u64)?;
    let (halvings, most) = (literal.trace_halvings.0, TraceHalvings::MAX);
    check_within("halvings of a step of the trace", halvings.into(), 1..=most.into())?;
    let weight = literal.sparse_weight.into();
    check_within("weight of the sparse secret", weight, 1..=degree as u64 / 2)?;
    check_real_within("log2 of the failure probability", literal.log2_fail, -1000.0..=-1.0)
}
