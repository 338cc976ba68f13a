//! Checks every number of a literal against its bounds before anything is built from it: a file may claim anything.

use std::ops::RangeInclusive;

use cryptable_ckks::bootstrapping::exponential::{ExponentialShape, PhaseFunction};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_lattice::block_secret::BlockSecretShape;
use cryptable_lattice::error::{
    Error, Result, check_equal, check_power_of_two, check_real_within, check_within,
};

use crate::formulas::groups::Groups;
use crate::literal::{BlockSecretLiteral, DftLiteral, MultiplexerLiteral, ParametersLiteral};
use crate::parameters::hidden_tables::MAX_CONSTANT_BITS;

/// Largest modulus of values.
pub(crate) const MAX_MODULUS: u64 = 1 << 24;

/// Largest input modulus of AKP: 14 bits, at ring degree 2^17.
pub(crate) const MAX_AKP_MODULUS: u64 = 1 << 14;

/// Largest size of a digit that AKP processes.
const MAX_AKP_DIGIT: u64 = 1 << 12;

/// Largest log2 of the modulus of ciphertexts where AKP processes digits.
const MAX_LOG2_DIGITS_CIPHERTEXT: u64 = 56;

/// Maximum number of bits by which the scale of a selector stays below its prime.
const MAX_SPARE_BITS: u64 = 24;

/// Largest input modulus where AKP processes digits: 16 bits are left for noise.
pub(crate) const MAX_DIGITS_MODULUS: u64 = 1 << 40;

/// Lower bound on the largest digit: digits of two values would use the cosine, and need no decomposition.
const LEAST_DIGIT: u64 = 3;

/// Maximum number of digits of a multiplexer tree.
const MAX_DIGITS: u64 = 24;

/// Maximum number of entries of a selector of rows or columns: more than any machine has memory for.
const MAX_SELECTOR: u64 = 1 << 12;

/// Maximum number of table steps of a lookup: trees of bits with 2^24 entries in rows and columns need 2^13.
const MAX_TABLE_STEPS: u64 = 1 << 14;

/// Maximum number of primes of the chain. Security allows 54 primes of 32 bits at degree 2^16.
const MAX_LIMBS: usize = 96;

/// Maximum number of butterfly levels of one matrix: the number of diagonals grows as 2 to this power.
const MAX_STAGE: u64 = 8;

/// Maximum number of primes of products in formulas: for eight nested choices.
const MAX_FORMULA_PRIMES: u64 = 9;

/// Maximum number of ciphertexts of bits of a secret of blocks: 1,024 values need 128.
const MAX_BLOCK_BITS: u64 = 1 << 10;

/// Maximum log2 of a matrix's scale: coefficients must fit signed words.
const MAX_LOG2_MATRIX_SCALE: f64 = 60.0;

/// Least weight of the encapsulated secret that the security tables contain.
const LEAST_SECURE_WEIGHT: u64 = 32;

/// Name of the range of outputs in error messages.
pub(crate) const OUTPUT_RANGE: &str = "largest difference of two outputs";

/// Range of the bits κ of hidden tables.
pub(crate) const HIDDEN_BITS: RangeInclusive<u64> = 20..=128;

/// Largest input modulus of hidden tables.
const MAX_HIDDEN_MODULUS: u64 = 1 << 10;

/// Maximum length of a name in bytes.
const MAX_NAME: usize = 128;

/// Range of log2 of stated failure probabilities per value. Requests go down to 2^-1000 per ciphertext of up to 2^17
/// values.
const LOG2_FAIL_RANGE: RangeInclusive<f64> = -1017.0..=-1.0;

/// Checks every number, and their combinations.
///
/// # Errors
/// If a number is out of bounds. The error names the number, its value and its bounds.
pub(crate) fn check(literal: &ParametersLiteral) -> Result<()> {
    check_name(&literal.name)?;
    check_shape(literal)?;
    check_primes(literal)?;
    check_polynomials(literal)?;
    check_complex(literal)?;
    check_hidden(literal)?;
    check_real_slots(literal)?;
    match &literal.block_secret {
        Some(secret) => check_block_secret(literal, secret)?,
        None => {
            let levels = (literal.input_slots() / 2).trailing_zeros();
            check_dft(&literal.coeffs_to_slots, levels, literal.log2_scale)?;
        }
    }
    let levels = (literal.output_slots() / 2).trailing_zeros();
    check_dft(&literal.slots_to_coeffs, levels, literal.log2_scale)?;
    if let Some(multiplexer) = &literal.multiplexer {
        check_multiplexer(multiplexer, literal.input_modulus)?;
        check_table_bits(literal)?;
    }
    check_digits(literal)?;
    check_output_range(literal)?;
    check_half_ring(literal)?;
    check_relinearization(literal)?;
    // All numbers that the basis is computed from have been checked by now.
    let basis = literal.widest_basis();
    check_within("number of primes", basis.main as u64, 1..=MAX_LIMBS as u64)?;
    check_within("number of special primes", basis.special as u64, 1..=MAX_LIMBS as u64)
}

/// Maximum number of relinearization keys.
const MAX_RELINEARIZATION_KEYS: u64 = 8;

/// Checks the relinearization keys: the widest of them must serve all products.
fn check_relinearization(literal: &ParametersLiteral) -> Result<()> {
    let keys = &literal.relinearization;
    let Some(most) = keys.iter().map(|&[limbs, _]| limbs).max() else { return Ok(()) };
    check_within("keys of relinearization", keys.len() as u64, 0..=MAX_RELINEARIZATION_KEYS)?;
    for &[limbs, digits] in keys {
        check_within("limbs of a key of relinearization", limbs as u64, 1..=MAX_LIMBS as u64)?;
        check_within("digits of a key of relinearization", digits as u64, 1..=limbs as u64)?;
    }
    let (least, limit) = (literal.product_limbs() as u64, literal.limbs() as u64);
    check_within("limbs of the widest key of relinearization", most as u64, least..=limit)
}

/// Returns an error for an unsupported combination, described by `what`, if the literal has it.
fn refuse(is_unserved: bool, what: &str) -> Result<()> {
    if is_unserved { Err(Error::Unsupported(what.into())) } else { Ok(()) }
}

/// Checks that the product of the digits is the input modulus.
fn check_product(digits: &[u64], input_modulus: u64) -> Result<()> {
    let product = digits.iter().try_fold(1u64, |product, &digit| product.checked_mul(digit));
    check_equal("product of the digits", product.unwrap_or(u64::MAX), input_modulus)
}

/// Checks that a name consists of printable ASCII only, since names reach terminals.
fn check_name(name: &str) -> Result<()> {
    let is_printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
    let is_unserved = name.len() > MAX_NAME || !name.bytes().all(is_printable);
    let what =
        format!("parameters whose name is longer than {MAX_NAME} characters or not printable");
    refuse(is_unserved, &what)
}

/// Checks moduli, degree, slots, the weight of the secret, and the failure probability.
fn check_shape(literal: &ParametersLiteral) -> Result<()> {
    let largest_input = match (&literal.multiplexer, literal.digits.is_empty()) {
        (Some(_), _) => MAX_MODULUS,
        (None, false) => MAX_DIGITS_MODULUS,
        (None, true) => MAX_AKP_MODULUS,
    };
    check_within("input modulus", literal.input_modulus, 2..=largest_input)?;
    check_within("output modulus", literal.output_modulus, 2..=MAX_MODULUS)?;
    check_power_of_two("ring degree", literal.ring_degree, 64..=1 << 17)?;
    check_power_of_two("values per ciphertext", literal.slots, 8..=literal.ring_degree)?;
    let halvings = literal.trace_halvings.0;
    check_within(
        "halvings of a step of the trace",
        halvings.into(),
        1..=TraceHalvings::MAX.into(),
    )?;
    let largest = literal.input_modulus.max(literal.output_modulus);
    let least = u64::from(largest.next_power_of_two().ilog2()) + 1;
    let bits = u64::from(literal.log2_ciphertext_modulus);
    let most = if literal.digits.is_empty() { 48 } else { MAX_LOG2_DIGITS_CIPHERTEXT };
    check_within("log2 of the ciphertext modulus", bits, least..=most)?;
    let least_weight = if literal.security.is_insecure() { 1 } else { LEAST_SECURE_WEIGHT };
    let most_weight = (literal.ring_degree as u64).min(1 << 10);
    let weight = u64::from(literal.sparse_weight);
    check_within("weight of the sparse secret", weight, least_weight..=most_weight)?;
    check_real_within("log2 of the failure probability", literal.log2_fail, LOG2_FAIL_RANGE)
}

/// Checks the sizes of primes, and the number of digits of keys.
fn check_primes(literal: &ParametersLiteral) -> Result<()> {
    check_real_within("log2 of the primes", literal.log2_scale, 25.0..=60.0)?;
    check_real_within("log2 of the special primes", literal.log2_special, 25.0..=60.0)?;
    check_real_within("bits of constants", literal.constant_bits, 0.0..=literal.log2_scale)?;
    check_within("number of digits (dnum) of keys", literal.dnum as u64, 1..=MAX_LIMBS as u64)
}

/// Checks the sizes of polynomials.
fn check_polynomials(literal: &ParametersLiteral) -> Result<()> {
    check_within("log2 of the interpolation's baby steps", literal.log_babies.into(), 1..=8)?;
    if literal.block_secret.is_some() {
        return Ok(());
    }
    let length = u64::from(literal.chebyshev_log_length);
    let babies = u64::from(literal.chebyshev_log_babies);
    check_within("log2 of the Chebyshev coefficients", length, 1..=8)?;
    check_within("log2 of the Chebyshev baby steps", babies, 1..=length)?;
    let (left_out, half) = (u64::from(literal.chebyshev_left_out), 1 << (length - 1));
    check_within("Chebyshev coefficients omitted", left_out, 0..=half - 1)?;
    check_within("doublings of the angle", literal.doublings.into(), 0..=8)?;
    let cleanings = u64::from(literal.exponential_cleanings);
    check_within("cleanings of the exponential", cleanings, 0..=literal.doublings.into())?;
    let is_cosine = literal.phase_function() == PhaseFunction::Cosine;
    // A cosine has no modulus to clean.
    let most = if is_cosine { 0 } else { cleanings };
    check_within("cleanings of a cosine", cleanings, 0..=most)
}

/// Checks that a literal with real slots is a supported one: a tree on values of one owner that fill the ring.
fn check_real_slots(literal: &ParametersLiteral) -> Result<()> {
    if !literal.real_slots {
        return Ok(());
    }
    let name = "primes of CoeffsToSlots and of the way to real slots";
    check_within(name, literal.coeffs_to_slots.primes as u64, 2..=8)?;
    let unserved = literal.phase_function() != PhaseFunction::Parts
        || literal.slots != literal.ring_degree
        || literal.complex_outputs
        || literal.multiplexer.as_ref().is_none_or(|tree| tree.entry_levels > 0)
        || !literal.owners.is_one();
    let what = "real slots of AKP, or together with bits, fewer values than the ring degree, complex outputs, \
                entries of slots or several owners";
    refuse(unserved, what)
}

/// Checks that a literal with the half ring is a supported one: values of one owner in at most a quarter of the
/// coefficients.
fn check_half_ring(literal: &ParametersLiteral) -> Result<()> {
    if literal.half_digits == 0 {
        return Ok(());
    }
    check_within(
        "values of the half ring",
        literal.slots as u64,
        8..=literal.ring_degree as u64 / 4,
    )?;
    let digits = literal.half_digits as u64;
    check_within(
        "digits of keys of the half ring",
        digits,
        1..=literal.exponential_limbs() as u64,
    )?;
    let special = literal.widest_half_shape().basis.special as u64;
    check_within("special primes of the half ring", special, 1..=literal.special_primes() as u64)?;
    let unserved = literal.real_slots
        || literal.block_secret.is_some()
        || literal.hidden_bits.is_some()
        || literal.selection_primes > 0
        || literal.is_cosine_table()
        || literal.multiplexer.as_ref().is_some_and(|tree| tree.entry_levels > 0)
        || !literal.owners.is_one();
    let what = "the half ring together with real slots, two inputs, a secret of blocks, selections, formulas, \
                hidden tables, entries of slots or several owners";
    refuse(unserved, what)
}

/// Checks the secret of blocks. Only AKP of few values of one owner may have one, and the literal must not have numbers
/// for raising values.
fn check_block_secret(literal: &ParametersLiteral, secret: &BlockSecretLiteral) -> Result<()> {
    let unserved = literal.multiplexer.is_some()
        || !literal.digits.is_empty()
        || literal.complex_outputs
        || literal.selection_primes > 0
        || literal.is_cosine_table()
        || !literal.owners.is_one();
    let what = "a secret of blocks together with digits, formulas, complex outputs, two inputs or several owners";
    refuse(unserved, what)?;
    let (degree, slots, dimension) = (literal.ring_degree, literal.slots, secret.dimension);
    check_within("values per ciphertext", slots as u64, 8..=degree as u64 / 2)?;
    check_power_of_two("dimension of the secret of blocks", dimension, slots..=degree)?;
    check_power_of_two("blocks of the secret", secret.blocks, 2..=dimension / 2)?;
    let shape = BlockSecretShape {
        ring_degree: literal.ring_degree,
        dimension: secret.dimension,
        blocks: secret.blocks,
        slots: literal.slots,
        limbs: 1,
        log2_scale: literal.log2_scale,
    };
    let bits = shape.encrypted_bits() as u64;
    check_within("ciphertexts of bits of the secret of blocks", bits, 1..=MAX_BLOCK_BITS)?;
    check_real_within("log2 of the prime of the secret of blocks", secret.log2_prime, 20.0..=31.0)?;
    let is_raised = literal.raising_matrix
        || literal.coeffs_to_slots != DftLiteral::default()
        || literal.exponential_shape() != ExponentialShape::default();
    refuse(is_raised, "a secret of blocks together with numbers of CoeffsToSlots or of a series")
}

/// Checks a homomorphic DFT over `levels` butterfly levels.
fn check_dft(dft: &DftLiteral, levels: u32, log2_scale: f64) -> Result<()> {
    check_within("primes of a homomorphic DFT", dft.primes as u64, 1..=8)?;
    check_within("baby steps of a homomorphic DFT", dft.baby_steps as u64, 1..=128)?;
    if let Some(keyed) = dft.keyed_babies {
        check_within("baby steps with keys", keyed as u64, 1..=dft.baby_steps as u64)?;
    }
    check_within("matrices of a homomorphic DFT", dft.stages.len() as u64, 1..=levels.into())?;
    if !dft.matrix_babies.is_empty() {
        let (matrices, lists) = (dft.stages.len() as u64, dft.matrix_babies.len() as u64);
        check_equal("matrices with baby steps of their own", lists, matrices)?;
    }
    for &[babies, keyed] in &dft.matrix_babies {
        check_within("baby steps of a matrix", babies as u64, 1..=128)?;
        check_within("baby steps of a matrix with keys", keyed as u64, 1..=babies as u64)?;
    }
    for &stage in &dft.stages {
        check_within("butterfly levels of a matrix", stage.into(), 1..=MAX_STAGE)?;
    }
    let sum: u32 = dft.stages.iter().sum();
    check_equal("butterfly levels of a homomorphic DFT", sum, levels)?;
    let log2_matrix = dft.primes as f64 * log2_scale / dft.stages.len() as f64;
    check_real_within("log2 of the scale of a matrix", log2_matrix, 0.0..=MAX_LOG2_MATRIX_SCALE)
}

/// Checks that the product of AKP's digits is the input modulus, and that one polynomial serves all digits.
fn check_digits(literal: &ParametersLiteral) -> Result<()> {
    let digits = &literal.digits;
    let most = match digits.is_empty() {
        true if literal.multiplexer.is_some() || literal.complex_outputs => 0,
        true => MAX_FORMULA_PRIMES,
        false => 2,
    };
    check_within("primes of selections", literal.selection_primes as u64, 0..=most)?;
    check_groups(literal)?;
    if digits.is_empty() {
        return Ok(());
    }
    check_within("number of digits", digits.len() as u64, 2..=MAX_DIGITS)?;
    // Trees have their own digits.
    let most = if literal.multiplexer.is_some() { 0 } else { MAX_DIGITS };
    check_within("number of digits beside those of a tree", digits.len() as u64, 0..=most)?;
    let largest = literal.interpolated_modulus();
    check_within("size of the largest digit", largest, LEAST_DIGIT..=MAX_AKP_DIGIT)?;
    for &digit in digits {
        check_within("size of a digit", digit, 2..=largest)?;
        check_equal("largest digit modulo a digit", largest % digit, 0)?;
    }
    check_product(digits, literal.input_modulus)
}

/// Checks that only formulas have groups, and that slots can be divided among the groups.
fn check_groups(literal: &ParametersLiteral) -> Result<()> {
    if literal.groups == 0 {
        return Ok(());
    }
    check_power_of_two("number of groups", literal.groups, 4..=literal.slots / 2)?;
    let rest = literal.input_modulus % literal.groups as u64;
    check_equal("modulus of columns modulo the groups", rest, 0)?;
    let (primes, most) = (literal.selection_primes as u64, MAX_FORMULA_PRIMES);
    check_within("primes of products for groups", primes, 1 + Groups::HEIGHT as u64..=most)?;
    check_within("number of digits of groups", literal.digits.len() as u64, 0..=0)
}

/// Checks that complex outputs are those of AKP or of a tree over tables of integers, and that the ring has room for
/// them.
fn check_complex(literal: &ParametersLiteral) -> Result<()> {
    if !literal.complex_outputs {
        return Ok(());
    }
    let what = "complex outputs with digit-by-digit inputs: use AKP of whole inputs or trees";
    refuse(!literal.digits.is_empty(), what)?;
    let tree = literal.multiplexer.as_ref();
    let has_entries = tree.is_some_and(|tree| tree.entry_levels > 0);
    refuse(has_entries, "complex outputs of tables with a level for entries")?;
    let half = literal.ring_degree as u64 / 2;
    let least = if tree.is_some() { half } else { 8 };
    check_within("values per ciphertext with complex outputs", literal.slots as u64, least..=half)
}

/// Checks that hidden tables are those of AKP of the first order, on inputs of few bits, with one owner.
fn check_hidden(literal: &ParametersLiteral) -> Result<()> {
    let Some(bits) = literal.hidden_bits else { return Ok(()) };
    check_within("bits of hidden tables", bits.into(), HIDDEN_BITS)?;
    check_within("input modulus of hidden tables", literal.input_modulus, 2..=MAX_HIDDEN_MODULUS)?;
    check_real_within(
        "bits of constants of hidden tables",
        literal.constant_bits,
        0.0..=MAX_CONSTANT_BITS,
    )?;
    let is_plain = literal.multiplexer.is_none()
        && literal.digits.is_empty()
        && literal.selection_primes == 0
        && !literal.complex_outputs
        && literal.hermite_order.is_first()
        && literal.block_secret.is_none()
        && literal.owners.is_one();
    let what = "hidden tables of digits, trees, formulas, complex outputs, higher orders, secrets of blocks or several owners";
    refuse(!is_plain, what)
}

/// Checks that tables with the output modulus may have this range of outputs. The failure model supports a range for
/// AKP only.
fn check_output_range(literal: &ParametersLiteral) -> Result<()> {
    let Some(range) = literal.output_range else { return Ok(()) };
    let what = format!("outputs that differ by at most {range}: inputs are processed in digits");
    refuse(literal.multiplexer.is_some() || !literal.digits.is_empty(), &what)?;
    check_within(OUTPUT_RANGE, range, 1..=literal.output_modulus - 1)
}

/// Checks the size of the primes of the table step, if the literal states its modulus.
fn check_table_bits(literal: &ParametersLiteral) -> Result<()> {
    let Some((_, log2)) = literal.narrow_primes() else { return Ok(()) };
    check_real_within("log2 of the primes of the table step", log2, 25.0..=literal.log2_scale - 1.0)
}

/// Checks that the product of the digits is the input modulus, that selectors use every digit, and that the number of
/// table steps is bounded.
fn check_multiplexer(multiplexer: &MultiplexerLiteral, input_modulus: u64) -> Result<()> {
    let MultiplexerLiteral { digits, selectors, delta_cleanings, entry_levels, .. } = multiplexer;
    check_within("number of digits", digits.len() as u64, 2..=MAX_DIGITS)?;
    for &digit in digits {
        check_within("size of a digit", digit, 2..=256)?;
    }
    check_product(digits, input_modulus)?;
    check_within("number of selectors", selectors.len() as u64, 2..=digits.len() as u64)?;
    for &count in selectors {
        check_within("digits of a selector", count as u64, 1..=digits.len() as u64)?;
    }
    let sum: usize = selectors.iter().sum();
    check_equal("digits of all selectors", sum as u64, digits.len() as u64)?;
    let what = "selectors that the cleaning polynomial of AND joins (cleaning_and): `delta_cleanings` clean deltas";
    refuse(multiplexer.cleaning_and, what)?;
    check_within("cleanings of deltas", (*delta_cleanings).into(), 0..=4)?;
    check_within("levels of entries", (*entry_levels).into(), 0..=1)?;
    let spare_bits = u64::from(multiplexer.spare_bits);
    check_within("spare bits of selectors", spare_bits, 0..=MAX_SPARE_BITS)?;
    if spare_bits.max(multiplexer.table_bits.into()) > 0 && !multiplexer.may_spare_bits() {
        let what = "spare bits of selectors, or bits of the table step, together with digits of 2 values, cleaned \
                    deltas, or a level for entries";
        return Err(Error::Unsupported(what.into()));
    }
    let rows = multiplexer.row_sizes();
    for size in rows.iter().copied().chain([multiplexer.columns()]) {
        check_within("entries of a selector", size as u64, 2..=MAX_SELECTOR)?;
    }
    let steps: usize = rows.iter().skip(2).product();
    check_within("table steps", steps as u64, 1..=MAX_TABLE_STEPS)
}
