//! Sums, differences and multiples of packed values: exact, within the bound on their noise, and refused beyond it.

#[path = "../common/linear_operations.rs"]
mod common;

use common::{Setting, affine, check_bounds, check_limits, check_operations, check_refusals};
use cryptable_packed::{
    Ciphertext, Error, EvaluationKey, MultiplexerLiteral, Parameters, Request, SecretKey,
};
use cryptable_ring::random::replay;

/// Returns log2 of the ratio of the measured standard deviation to the bound, including its bias.
fn measured_over_bound(secret: &SecretKey, x: &Ciphertext, expected: &[u64]) -> f64 {
    crate::common::over_bound(secret, x, expected).log2()
}

fn toys() -> [Setting; 3] {
    let tree = |digits: &[u64]| MultiplexerLiteral {
        selectors: vec![1; digits.len()],
        digits: digits.to_vec(),
        ..Default::default()
    };
    [
        Parameters::insecure_toy(16, 16),
        Parameters::insecure_toy(10, 10),
        Parameters::insecure_toy_tree(16, 1024, 1024, tree(&[4, 4]), 0),
    ]
    .map(|toy| Setting::new(&toy.unwrap()))
}

#[test]
fn operations_are_those_of_integers_modulo_p() {
    let _replay = replay::begin();
    check_operations(&toys(), 40);
}

#[test]
fn bounds_hold_and_are_near_what_is_measured() {
    let _replay = replay::begin();
    // The bound of results includes the bias of the worst table, for an exponential that toys approximate coarsely.
    check_bounds(&toys(), 1024, 1024, &(-6.0..0.1));
}

#[test]
fn sums_are_right_up_to_their_limit_and_refused_beyond() {
    let _replay = replay::begin();
    check_limits(&toys(), 1024);
}

#[test]
fn operands_that_do_not_belong_together_are_refused() {
    check_refusals();
}

/// A file may claim any noise. Whoever uses the ciphertext refuses claims of less noise than any ciphertext has, or of
/// too much to decrypt.
#[test]
fn impossible_claims_of_noise_are_refused() {
    use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, ObjectType, write_object};
    let setting = Setting::new(&Parameters::insecure_toy(16, 16).unwrap());
    let x = setting.secret.encrypt(&[1, 2]).unwrap();
    let bytes = x.to_bytes();
    let claim = |deviation: f64| {
        let mut body = bytes[HEADER_BYTES..bytes.len() - CHECKSUM_BYTES].to_vec();
        body[16..24].copy_from_slice(&deviation.to_le_bytes());
        let mut forged = Vec::new();
        let object_type = ObjectType::PackedCiphertext;
        write_object(&mut forged, object_type, &x.parameter_digest(), &body).unwrap();
        Ciphertext::from_bytes(&forged)
    };
    let fresh = x.noise().deviation();
    assert_eq!(claim(fresh).unwrap(), x);
    let less = claim(fresh / 2.0).unwrap();
    let more = claim(0.1).unwrap();
    for (forged, is_less) in [(&less, true), (&more, false)] {
        for error in [
            setting.secret.decrypt(forged).unwrap_err(),
            setting.look_up(forged).unwrap_err(),
            setting.key.add(forged, &x).unwrap_err(),
        ] {
            assert_eq!(matches!(error, Error::Mismatch { .. }), is_less, "{error}");
            assert_eq!(matches!(error, Error::NoiseTooLarge { .. }), !is_less, "{error}");
        }
    }
    for deviation in [f64::NAN, f64::INFINITY, -fresh, 1.0] {
        assert!(matches!(claim(deviation).unwrap_err(), Error::Wire(_)), "{deviation}");
    }
}

/// Looks up the largest admitted sum of results, with 128-bit parameters and every slot used.
#[test]
#[ignore = "slow: run by make test-all"]
fn sums_of_results_at_full_size() {
    let _replay = replay::begin();
    let setting = Setting::new(&Parameters::choose(&Request::new(16, 16)).unwrap());
    let limits = setting.key.parameters().sum_limits();
    println!("{limits}");
    assert!(limits.result_lookup > 10 && limits.lookups_in_a_row.is_none(), "{limits}");
    let values: Vec<u64> = (0..1 << 16).map(|i| i * 7 % 16).collect();
    let once = setting.look_up(&setting.secret.encrypt(&values).unwrap()).unwrap();
    let sum = setting.sum_of(&once, limits.result_lookup).unwrap();
    let result = setting.secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap();
    let of_sum = |&v: &u64| affine(limits.result_lookup * affine(v, 16) % 16, 16);
    assert_eq!(result, values.iter().map(of_sum).collect::<Vec<_>>());
    let expected: Vec<u64> =
        values.iter().map(|&v| limits.result_lookup * affine(v, 16) % 16).collect();
    let ratio = measured_over_bound(&setting.secret, &sum, &expected);
    println!("measured 2^{ratio:.2} of the bound");
    assert!((-4.5..0.0).contains(&ratio), "2^{ratio:.2} of the bound");
}
