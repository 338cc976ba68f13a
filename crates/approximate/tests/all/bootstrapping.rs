//! Bootstrapping, on a toy ring and at full size.

use cryptable_approximate::{
    Complex64, EvaluationKey, KeySet, Parameters, SecretKey, SlotBounds, TraceHalvings,
};
use cryptable_lattice::Progress;
use cryptable_ring::random::replay;
use rand::Rng;

fn client(parameters: &Parameters) -> (SecretKey, EvaluationKey) {
    let secret = SecretKey::generate(parameters);
    let keys = KeySet::new().bootstrapping();
    let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
    (secret, server)
}

/// Bootstraps numbers of the unit square. The root mean square and the largest of the errors are as stated, from both
/// sides.
fn bootstraps(parameters: &Parameters) {
    bootstraps_in(&client(parameters), SlotBounds { re: 1.0, im: 1.0 });
}

/// Bootstraps numbers within these bounds.
fn bootstraps_in((secret, server): &(SecretKey, EvaluationKey), bounds: SlotBounds) {
    let parameters = secret.parameters();
    let mut rng = rand::rng();
    let mut part = |bound: f64| if bound == 0.0 { 0.0 } else { rng.random_range(-bound..bound) };
    let mut number = || Complex64::new(part(bounds.re), part(bounds.im));
    let values: Vec<_> = (0..parameters.slots()).map(|_| number()).collect();
    let fresh = secret.encrypt_within(&values, bounds).unwrap();
    let fresh = server.lower(&fresh, 0).unwrap();
    let mut ct = server.bootstrap(&fresh).unwrap();
    assert_eq!(ct.level(), parameters.levels());
    for round in 0..2 {
        let errors = secret.errors(&ct, &values).unwrap();
        let mean = errors.iter().map(Complex64::norm_sqr).sum::<f64>() / errors.len() as f64;
        let parts = errors.iter().flat_map(|z| [z.re, z.im]);
        let largest = parts.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let stated = ct.error();
        let mean_bits = errors.iter().map(|z| -z.norm().log2()).sum::<f64>() / errors.len() as f64;
        println!(
            "round {round}: root mean square 2^{:.2}, stated 2^{:.2} and bias 2^{:.2}; largest 2^{:.2}, stated 2^{:.2}; mean of bits {mean_bits:.2}",
            mean.sqrt().log2(),
            stated.deviation.log2(),
            stated.bias.log2(),
            largest.log2(),
            stated.largest(-40.0).log2()
        );
        assert!(mean.sqrt() < 1.2 * stated.deviation.hypot(stated.bias));
        assert!(mean.sqrt() > 0.25 * stated.deviation);
        assert!(largest < stated.largest(-40.0));
        ct = server.bootstrap(&server.lower(&ct, 0).unwrap()).unwrap();
    }
}

#[test]
fn insecure_bootstraps_keep_to_their_errors() {
    let _replay = replay::begin();
    bootstraps(&Parameters::insecure_toy_bootstrapping().unwrap());
}

#[test]
fn insecure_real_slots_take_one_exponential() {
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy_bootstrapping().unwrap();
    bootstraps_in(&client(&parameters), SlotBounds::real(1.0));
}

#[test]
fn insecure_sparse_slots_keep_to_their_errors() {
    let _replay = replay::begin();
    for slots in [4, 64, 256] {
        let parameters = Parameters::insecure_toy_sparse_bootstrapping(slots).unwrap();
        let client = client(&parameters);
        println!("{slots} slots");
        for bounds in [SlotBounds { re: 1.0, im: 1.0 }, SlotBounds::real(1.0)] {
            bootstraps_in(&client, bounds);
        }
    }
}

#[test]
fn sparse_sets_are_refused_by_name_and_limit() {
    for slots in [0, 2, 48, 1 << 15] {
        let error = Parameters::sparse_bootstrapping_128(slots).unwrap_err().to_string();
        assert!(error.contains("number of sparse slots") && error.contains("16384"), "{error}");
    }
    let mut literal = Parameters::insecure_toy_sparse_bootstrapping(64).unwrap().literal().clone();
    let bootstrapping = literal.bootstrapping.as_mut().unwrap();
    bootstrapping.joining.clear();
    let error = Parameters::new(literal).unwrap_err().to_string();
    assert!(error.contains("primes that join parts is 0"), "{error}");
}

#[test]
#[ignore = "full size: a minute and 4 GB"]
fn full_size_bootstraps_keep_to_their_errors() {
    let _replay = replay::begin();
    bootstraps(&Parameters::bootstrapping_128().unwrap());
}

#[test]
fn stated_precision() {
    for parameters in [
        Parameters::insecure_toy_bootstrapping().unwrap(),
        Parameters::bootstrapping_128().unwrap(),
        Parameters::sparse_bootstrapping_128(1 << 14).unwrap(),
        Parameters::sparse_bootstrapping_128(1 << 12).unwrap(),
        Parameters::sparse_bootstrapping_128(1 << 8).unwrap(),
    ] {
        let begin = std::time::Instant::now();
        Parameters::new(parameters.literal().clone()).unwrap();
        println!("{:?}", begin.elapsed());
        let error = parameters.bootstrap_error().unwrap();
        println!(
            "{}: 2^{:.2}, bias 2^{:.2}, {:?}, modulus {:.1}",
            parameters.literal().name,
            error.deviation.log2(),
            error.bias.log2(),
            parameters.bootstrap_counts().unwrap(),
            parameters.log2_modulus()
        );
    }
}

#[test]
fn hoisted_traces_take_fewer_transforms() {
    for slots in [4096, 256] {
        let hoisted = Parameters::sparse_bootstrapping_128(slots).unwrap();
        let mut literal = hoisted.literal().clone();
        let bootstrapping = literal.bootstrapping.as_mut().unwrap();
        bootstrapping.trace_halvings = TraceHalvings(1);
        let one_by_one = Parameters::new(literal).unwrap();
        let [after, before] = [hoisted, one_by_one].map(|it| it.bootstrap_counts().unwrap());
        println!("{slots} slots: {before:?}, hoisted {after:?}");
        let products = [&after, &before].map(|it| it.limb_products + it.conversion_products);
        assert!(after.transforms < before.transforms && products[0] < products[1]);
    }
}
