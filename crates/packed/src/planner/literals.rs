//! The literal of a request: every number but those that are searched for.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::overflow::bound_for;
use cryptable_lattice::SecurityLevel;

use crate::literal::{DftLiteral, ParametersLiteral};
use crate::planner::digit_choice::DigitChoice;
use crate::planner::request::Request;

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

/// The literal with `dnum` digits of keys and primes of `log2_scale` bits; of AKP if there is no choice of digits.
pub(crate) fn literal(
    request: &Request,
    dnum: usize,
    log2_scale: u32,
    choice: Option<&DigitChoice>,
) -> ParametersLiteral {
    let log2_scale = f64::from(log2_scale);
    let Request { input_modulus, output_modulus, .. } = *request;
    let log2_fail = request.failure_of_value().log2();
    let degree = request.degree();
    let slots = request.slots();
    let levels = (slots.max(2) / 2).trailing_zeros();
    let dft = |extra_primes| DftLiteral {
        stages: split_levels(levels),
        primes: split_levels(levels).len().min(2) + extra_primes,
        baby_steps: 8,
    };
    let extra_primes = choice.map_or([0, 0], |choice| choice.extra_primes);
    let exponential = match choice {
        Some(choice) => choice.exponential(SPARSE_WEIGHT, output_modulus, log2_fail),
        None => akp_exponential(input_modulus, output_modulus, log2_fail),
    };
    let (input_bits, output_bits) =
        (input_modulus.next_power_of_two().ilog2(), output_modulus.next_power_of_two().ilog2());
    let log2_ciphertext_modulus = match choice {
        Some(_) => (output_bits.max(input_bits) + 20).min(48),
        None => (output_bits.max(input_modulus.ilog2()) + 20).min(32),
    };
    let method = choice.map_or_else(|| "akp".into(), DigitChoice::name);
    ParametersLiteral {
        name: format!("{method}_{input_modulus}_to_{output_modulus}_n{degree}_s{slots}"),
        security: SecurityLevel::Bits128,
        ring_degree: degree,
        input_modulus,
        output_modulus,
        slots,
        log2_scale,
        log2_special: 50.0,
        dnum,
        coeffs_to_slots: dft(extra_primes[0]),
        slots_to_coeffs: dft(extra_primes[1]),
        chebyshev_log_length: exponential.log_length,
        chebyshev_log_babies: exponential.log_babies,
        doublings: exponential.doublings,
        exponential_cleanings: exponential.cleanings,
        multiplexer: choice.map(|choice| choice.multiplexer.clone()),
        log_babies: input_modulus.next_power_of_two().trailing_zeros().div_ceil(2).clamp(1, 5),
        constant_bits: if input_modulus == 2 { 0.0 } else { log2_scale / 2.0 },
        log2_ciphertext_modulus,
        sparse_weight: SPARSE_WEIGHT,
        log2_fail,
    }
}

/// The exponential of AKP: its error, amplified by up to p/3, may take 1/64 of half an output step.
fn akp_exponential(input_modulus: u64, output_modulus: u64, log2_fail: f64) -> ExponentialShape {
    let function =
        if input_modulus == 2 { PhaseFunction::Cosine } else { PhaseFunction::Exponential };
    let amplification = 1.0 + input_modulus as f64 / 3.0;
    let tolerance = 0.5 / output_modulus as f64 / amplification / 64.0;
    let bound = bound_for(SPARSE_WEIGHT, log2_fail - 1.0);
    Exponential::choose(function, bound, tolerance, 0)
}

/// Butterfly levels in matrices of at most five levels each, as even as possible.
fn split_levels(levels: u32) -> Vec<u32> {
    let count = levels.div_ceil(5).max(1);
    (0..count).map(|i| levels / count + u32::from(i < levels % count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_split_evenly() {
        assert_eq!(split_levels(15), [5, 5, 5]);
        assert_eq!(split_levels(14), [5, 5, 4]);
        assert_eq!(split_levels(9), [5, 4]);
        assert_eq!(split_levels(2), [2]);
    }
}
