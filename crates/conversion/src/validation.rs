//! Bounds of every number of a literal, checked before anything is built from it, since a file may claim anything.

use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::Result;
use cryptable_lattice::error::{
    check_independent_secret, check_power_of_two, check_real_within, check_within, demand,
};
use cryptable_ring::primes::is_prime;

use crate::literal::{BlockLiteral, ParametersLiteral};

/// log2 of the largest sum of products of digits and key words, which are integers modulo a prime of 49.9 bits.
const MAX_LOG2_SUM: f64 = 48.0;

/// Checks every number, and combinations of them.
///
/// # Errors
/// If one is out of bounds; the error names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    check_within("LWE dimension", literal.lwe_dimension as u64, 1..=8192)?;
    for secret in [literal.lwe_secret, literal.extraction_secret] {
        check_independent_secret(secret)?;
    }
    let bits = literal.log2_lwe_modulus;
    check_within("log2 of the LWE modulus", bits.into(), 4..=32)?;
    let degree = literal.ring_degree;
    check_power_of_two("ring degree", degree, 64..=1 << 16)?;
    let q = literal.bottom_prime;
    let is_bottom = q < 1 << 50 && q % (2 * degree as u64) == 1 && is_prime(q);
    demand(is_bottom, "bottom prime", q as f64, "a prime below 2^50, 1 modulo 2N")?;
    check_block(&literal.packing, degree)?;
    check_block(&literal.extraction, degree)?;
    // Digits of columns are whole LWE words; the rest of the modulus is for noise.
    for block in [&literal.packing, &literal.extraction] {
        let is_above = block.log2_prime >= f64::from(bits) + 2.0;
        demand(is_above, "log2 of a block's prime", block.log2_prime, "2 more than that of q")?;
    }
    let Some(digits) = literal.key_switching else { return Ok(()) };
    check_digits("key switching digits", digits, bits)?;
    let GadgetLiteral { base_log2, length } = digits;
    if literal.rows_per_digit_size {
        let limit = "at most 6: with more, one row per size of a digit needs half a gigabyte";
        demand(base_log2 <= 6, "bits of key switching digits", base_log2.into(), limit)?;
    }
    let terms = (length * literal.extraction.degree) as f64;
    let sum = terms.log2() + f64::from(base_log2) + f64::from(bits);
    demand(sum <= MAX_LOG2_SUM, "log2 of a key switching sum", sum, "at most 48")
}

fn check_block(block: &BlockLiteral, ring_degree: usize) -> Result<()> {
    check_power_of_two("degree of a block", block.degree, 32..=ring_degree)?;
    let least = f64::from(ring_degree.ilog2()) + 4.0;
    check_real_within("log2 of a block's prime", block.log2_prime, least..=49.9)?;
    check_digits("switching digits", block.switching, block.log2_prime.floor() as u32)
}

fn check_digits(name: &'static str, digits: GadgetLiteral, limit: u32) -> Result<()> {
    let GadgetLiteral { base_log2, length } = digits;
    let bits = (base_log2 as usize).saturating_mul(length);
    let is_within = (1..=30).contains(&base_log2) && length > 0 && bits <= limit as usize;
    let expected = format!("digits of 1 to 30 bits each, together from 1 to {limit}");
    demand(is_within, name, bits as f64, &expected)
}
