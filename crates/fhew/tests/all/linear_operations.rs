//! Sums, differences and multiples of single values: exact, within the bound on noise, and refused beyond it.

#[path = "../../../packed/tests/common/linear_operations.rs"]
mod common;

use common::{Setting, check_bounds, check_limits, check_operations, check_refusals};
use cryptable_fhew::lookup::{Ciphertext, EvaluationKey, Parameters, Request, SecretKey};
use cryptable_fhew::test_polynomial::encode;
use cryptable_ring::random::replay;

/// Returns log2 of the measured deviation divided by the bound, including its bias.
fn measured_over_bound(secret: &SecretKey, x: &Ciphertext, expected: &[u64]) -> f64 {
    let q = x.values().shape().modulus;
    let error = |(index, &value): (usize, &u64)| {
        let phase = encode(value, x.modulus(), q);
        secret.fhew().phase_error(&x.values().ciphertext(index), phase).unwrap()
    };
    let errors = expected.iter().enumerate().map(error);
    let mean_square = errors.map(|e| e * e).sum::<f64>() / expected.len() as f64;
    (mean_square.sqrt() / (x.noise().deviation() + x.noise().bias())).log2()
}

/// Tests an even modulus, an odd one, and one that is not a power of two.
fn toys() -> [Setting; 3] {
    [8, 5, 6].map(|p| Setting::new(&Parameters::insecure_toy(p, p).unwrap()))
}

#[test]
fn operations_are_those_of_integers_modulo_p() {
    let _replay = replay::begin();
    check_operations(&toys(), 100);
}

#[test]
fn bounds_hold_and_are_near_what_is_measured() {
    let _replay = replay::begin();
    check_bounds(&toys(), 1000, 64, &(-3.0..0.4));
}

#[test]
fn sums_are_right_up_to_their_limit_and_refused_beyond() {
    let _replay = replay::begin();
    check_limits(&toys(), 40);
}

#[test]
fn operands_that_do_not_belong_together_are_refused() {
    check_refusals();
}

/// Every 128-bit parameter set looks up its own results, any number of times.
#[test]
fn results_of_secure_parameters_are_inputs() {
    for p in [4, 6, 15, 16] {
        for parameters in Parameters::candidates(&Request::new(p, p)).unwrap() {
            let limits = parameters.sum_limits();
            let name = parameters.method_name();
            assert!(limits.fresh_lookup >= 1 && limits.result_lookup >= 1, "{p}, {name}: {limits}");
        }
    }
}
