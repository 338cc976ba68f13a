//! Integers at full size: 128-bit parameters, every place used, every value checked.

use crate::common;

use common::{Setting, rng};
use cryptable_integers::{
    DryRun, Evaluator, packed_parameters, packed_parameters_for, single_parameters,
};
use cryptable_packed::{CostModel, Parameters, Progress, Request, SecretKey};
use cryptable_ring::random::replay;

#[test]
fn parameters_state_their_failures() {
    let packed = packed_parameters(3).unwrap();
    assert!(packed.security_bits() >= 128.0);
    assert!(packed.failure_probability().log2() <= -64.0);
    let dry_run = DryRun::new(&packed, 1 << 16);
    let server = Evaluator::new(&dry_run).unwrap();
    assert!(server.terms() > 8, "{server:?}");
    let (x, y) = (dry_run.fresh::<u32>(&server), dry_run.fresh::<u32>(&server));
    let larger = server.max(&x, &y).unwrap();
    assert_eq!(dry_run.lookups(), [1; 22]);
    let found = dry_run.failure_probability(larger.ciphertexts()).unwrap().log2();
    assert!((-62.0..-58.0).contains(&found), "{found}");
    // The definition: for a value, the union over its lookups and the decryption of its digits; for a ciphertext, the
    // union over all its values.
    let one = DryRun::new(&packed, 1);
    let server = Evaluator::new(&one).unwrap();
    let (x, y) = (one.fresh::<u32>(&server), one.fresh::<u32>(&server));
    let larger = server.max(&x, &y).unwrap();
    let of_value = one.failure_probability(larger.ciphertexts()).unwrap();
    assert!((of_value.log2() + 16.0 - found).abs() < 1e-9, "{of_value}");
    let lookups = packed.stated_log2_fail() + 22f64.log2();
    assert!((lookups..lookups + 0.5).contains(&of_value.log2()), "{of_value}");
    // A sum needs no lookup, but its digits may decrypt wrong because of their noise, in any of the values.
    let dry_run = DryRun::new(&packed, 1 << 16);
    let server = Evaluator::new(&dry_run).unwrap();
    let x = dry_run.fresh::<u32>(&server);
    let sum = server.add(&x, &x).unwrap();
    assert!(dry_run.lookups().is_empty());
    let p = packed.input_modulus();
    let of_digit = packed.fresh_noise(p).times(2).log2_fail(p);
    let found = dry_run.failure_probability(sum.ciphertexts()).unwrap().log2();
    let union = of_digit + (sum.digit_count() as f64).log2() + 16.0;
    assert!((found - union).abs() < 1e-6, "{found}, {union}");
    // Searches and sorts have predicted counts.
    let packed = packed_parameters(4).unwrap();
    let dry_run = DryRun::new(&packed, 1 << 16);
    let server = Evaluator::new(&dry_run).unwrap();
    server.largest(&dry_run.fresh::<u16>(&server), 10).unwrap();
    assert_eq!(dry_run.lookups().len(), 43, "{:?}", dry_run.lookups());
    let single = single_parameters(2).unwrap();
    assert!(single.security_bits() >= 128.0 && single.log2_fail() <= -64.0);
    let dry_run = DryRun::new(&single, 1);
    assert!(Evaluator::new(&dry_run).unwrap().terms() > 4);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn operations_on_65536_integers() {
    let _replay = replay::begin();
    let secret = SecretKey::generate(&packed_parameters(3).unwrap());
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let setting = Setting { server, secret: &secret, count: 1 << 16 };
    setting.check_arithmetic::<u32>(&mut rng(1));
    setting.check_comparisons::<i16>(&mut rng(2));
    setting.check_products::<u8>(&mut rng(3));
    setting.check_tables::<u16>(&mut rng(4));
}

#[test]
fn sums_and_comparisons_take_half_the_time_with_room_for_a_carry() {
    let lookups = |parameters: &Parameters| {
        let dry_run = DryRun::new(parameters, parameters.literal().slots);
        let server = Evaluator::new(&dry_run).unwrap();
        let [x, y] = [(); 2].map(|()| dry_run.fresh::<u32>(&server));
        let sum = server.reduce(&server.add(&x, &y).unwrap()).unwrap();
        let failure = dry_run.failure_probability(sum.ciphertexts()).unwrap().log2();
        assert!(failure <= -59.0, "{failure}");
        let of_sum = dry_run.lookups();
        server.lt(&sum, &y).unwrap();
        [of_sum.clone(), dry_run.lookups()[of_sum.len()..].to_vec()]
    };
    let (rooms, sums) = (packed_parameters(3).unwrap(), Request::new(32, 32));
    let sums = packed_parameters_for(4, &sums).unwrap();
    assert!(sums.security_bits() >= 128.0 && sums.failure_probability().log2() <= -64.0);
    assert_eq!(lookups(&sums), [vec![2, 2, 2, 2, 2, 2, 2, 1], vec![1; 8]]);
    assert_eq!(lookups(&rooms).map(|it| it.len()), [11, 11]);
    let seconds =
        |parameters: &Parameters| CostModel::default().seconds(&parameters.prediction_of(1).work);
    let half = (8.0 * seconds(&sums)) / (11.0 * seconds(&rooms));
    assert!((0.4..0.6).contains(&half), "{half}");
    // Fewer values have keys of their own, and digits of two bits also have room for a carry.
    let few = Request { count: Some(1024), ..Request::new(8, 8) };
    let few = packed_parameters_for(2, &few).unwrap();
    assert_eq!(lookups(&few)[1], vec![1; 16]);
    assert!(packed_parameters_for(3, &Request::new(16, 16)).unwrap().input_modulus() == 64);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn operations_on_65536_integers_with_room_for_a_carry() {
    let _replay = replay::begin();
    let parameters = packed_parameters_for(4, &Request::new(32, 32)).unwrap();
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let setting = Setting { server, secret: &secret, count: 1 << 16 };
    let [x, y] = setting.operands::<u32>(&mut rng(1));
    let (a, b, server) = (setting.encrypt(&x), setting.encrypt(&y), &setting.server);
    let pairs = || x.iter().zip(&y);
    let sum = server.reduce(&server.add(&a, &b).unwrap()).unwrap();
    setting.assert("sum", &sum, pairs().map(|(x, y)| x.wrapping_add(*y)));
    let less: Vec<bool> = pairs().map(|(x, y)| x.wrapping_add(*y) < *y).collect();
    assert_eq!(setting.flags(&server.lt(&sum, &b).unwrap()), less);
    setting.assert("max", &server.max(&a, &b).unwrap(), pairs().map(|(x, y)| *x.max(y)));
    let [x, y] = setting.operands::<u8>(&mut rng(2));
    let product = server.mul(&setting.encrypt(&x), &setting.encrypt(&y)).unwrap();
    let products = x.iter().zip(&y).map(|(x, y)| x.wrapping_mul(*y));
    setting.assert("product", &server.reduce(&product).unwrap(), products);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn ten_largest_of_65536_integers() {
    let _replay = replay::begin();
    let secret = SecretKey::generate(&packed_parameters(4).unwrap());
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let setting = Setting { server, secret: &secret, count: 1 << 16 };
    setting.check_largest::<u16>(&mut rng(1), &[10]);
    setting.check_argmax::<i8>(&mut rng(2));
}

#[test]
#[ignore = "slow: run by make test-all"]
fn sort_of_256_integers() {
    let _replay = replay::begin();
    let few = Request { count: Some(256), output_range: Some(31), ..Request::new(4, 4) };
    let secret = SecretKey::generate(&packed_parameters_for(3, &few).unwrap());
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let setting = Setting { server, secret: &secret, count: 256 };
    setting.check_sort::<u16>(&mut rng(1));
}

#[test]
#[ignore = "slow: run by make test-all"]
fn operations_on_single_integers() {
    let _replay = replay::begin();
    let parameters = single_parameters(2).unwrap();
    let secret = cryptable_fhew::lookup::SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let setting = Setting { server, secret: &secret, count: 12 };
    setting.check_arithmetic::<u32>(&mut rng(1));
    setting.check_comparisons::<i16>(&mut rng(2));
    setting.check_products::<u8>(&mut rng(3));
}
