//! BinBoot and GateBoot: every gate, all packings, chains, noise, refusals.

use crate::common;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{Gate, Packing, Parameters, ParametersLiteral, SecretKey};
use cryptable_lattice::Error;

#[test]
fn every_gate_in_all_packings() {
    let sparse = [16, 64, 256].map(|bits| (Packing::Sparse(bits), bits));
    for (packing, count) in
        [(Packing::Real, 512), (Packing::Complex, 1024)].into_iter().chain(sparse)
    {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, y } = setup(&parameters);
        assert_eq!(x.len(), count);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        for kind in Gate::ALL {
            let result = server.gate_boot(kind, &a, &b).unwrap();
            assert!(secret.decrypt(&result).unwrap() == gate(kind, &x, &y), "{packing:?} {kind}");
        }
        let constant = |bit| secret.encrypt(&vec![bit; x.len()]).unwrap();
        for bit in [false, true] {
            let result = server.bin_boot(&constant(bit)).unwrap();
            assert_eq!(secret.decrypt(&result).unwrap(), vec![bit; x.len()]);
        }
    }
}

#[test]
fn results_are_inputs_again() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, x, y } = setup(&parameters);
    let (mut a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let mut expected = x;
    for round in 0..12 {
        let kind = Gate::ALL[round % 6];
        a = server.gate_boot(kind, &a, &b).unwrap();
        expected = gate(kind, &expected, &y);
        if round % 3 == 2 {
            a = server.bin_boot(&a).unwrap();
        }
        assert!(secret.decrypt(&a).unwrap() == expected, "round {round}");
        assert!(errors(&secret, &a, &expected).1 < 0.05);
    }
}

/// Checks the errors of both bootstraps against their predictions, which assume the largest amplification of each gate.
fn check_bootstraps(parameters: &Parameters) {
    let Setup { secret, server, x, y } = setup(parameters);
    let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let cleaned = server.bin_boot(&a).unwrap();
    check_noise("BinBoot", errors(&secret, &cleaned, &x), cleaned.noise(), -0.6..0.2);
    let parity = server.bin_boot_sum(&[&a, &b, &cleaned]).unwrap();
    let expected: Vec<bool> = y.clone();
    check_noise("XOR of three", errors(&secret, &parity, &expected), parity.noise(), -0.8..0.2);
    let result = server.gate_boot(Gate::Nand, &a, &b).unwrap();
    let expected = gate(Gate::Nand, &x, &y);
    check_noise("GateBoot", errors(&secret, &result, &expected), result.noise(), -1.5..0.2);
    if parameters.levels_after_bootstrap() > 0 {
        let result = server.gate_boot_cleaning(Gate::Nand, &a, &b).unwrap();
        check_noise("GateBoot'", errors(&secret, &result, &expected), result.noise(), -1.5..0.2);
    }
    // The prediction is for the largest sum, and a point of the largest slope: XOR has one there.
    let ones = vec![true; parameters.bits()];
    let a = secret.encrypt(&ones).unwrap();
    let result = server.gate_boot(Gate::Xor, &a, &a).unwrap();
    let errors = errors(&secret, &result, &gate(Gate::Xor, &ones, &ones));
    check_noise("GateBoot of ones", errors, result.noise(), -0.5..0.2);
}

#[test]
fn noise_is_as_predicted() {
    check_bootstraps(&Parameters::insecure_toy(Packing::Real).unwrap());
    check_bootstraps(&Parameters::insecure_toy(Packing::Complex).unwrap());
    check_bootstraps(&Parameters::insecure_toy(Packing::Sparse(64)).unwrap());
}

#[test]
fn noise_is_as_predicted_at_full_size() {
    check_bootstraps(&Parameters::latency_128(Packing::Real).unwrap());
    check_bootstraps(&Parameters::functions_128(Packing::Complex).unwrap());
    check_bootstraps(&Parameters::latency_128(Packing::Sparse(256)).unwrap());
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, x, .. } = setup(&parameters);
    let own = secret.encrypt(&x).unwrap();
    let stranger = SecretKey::generate(&parameters).encrypt(&x).unwrap();
    assert!(matches!(server.bin_boot(&stranger), Err(Error::OtherClient { .. })));
    assert!(matches!(secret.decrypt(&stranger), Err(Error::OtherClient { .. })));
    let complex = Parameters::insecure_toy(Packing::Complex).unwrap();
    let other = SecretKey::generate(&complex).encrypt(&x).unwrap();
    assert!(matches!(server.bin_boot(&other), Err(Error::OtherParameters { .. })));
    let short = secret.encrypt(&x[1..]).unwrap();
    let error = server.gate_boot(Gate::And, &own, &short).unwrap_err().to_string();
    assert!(error.contains("number of bits is 511"), "{error}");
    assert!(matches!(secret.encrypt(&vec![true; 513]), Err(Error::TooLarge { limit: 512, .. })));
}

#[test]
fn security_is_checked() {
    let parameters = Parameters::latency_128(Packing::Complex).unwrap();
    assert!(parameters.security_bits() >= 128.0 && parameters.log2_modulus() <= 430.0);
    let mut literal = parameters.literal().clone();
    literal.special.push(40.0);
    assert!(matches!(Parameters::new(literal), Err(Error::Security(_))));
}

#[test]
fn literals_out_of_bounds_are_refused() {
    let literal = Parameters::insecure_toy(Packing::Real).unwrap().literal().clone();
    let refused = |change: &dyn Fn(&mut ParametersLiteral)| {
        let mut changed = literal.clone();
        change(&mut changed);
        let error = Parameters::new(changed).unwrap_err();
        let names_number = matches!(
            error,
            Error::Parameter { .. } | Error::TooSmall { .. } | Error::TooLarge { .. }
        );
        assert!(names_number, "{error}");
    };
    refused(&|it| it.ring_degree = 1000);
    for bits in [0, 8, 48, 512, usize::MAX] {
        refused(&|it| it.packing = Packing::Sparse(bits));
    }
    refused(&|it| it.base = 12.0);
    refused(&|it| it.gates = vec![f64::NAN]);
    refused(&|it| it.special.clear());
    refused(&|it| it.slots_to_coeffs.stages = vec![u32::MAX, 2]);
    refused(&|it| it.coeffs_to_slots.stages = vec![4, 4]);
    refused(&|it| it.coeffs_to_slots.baby_steps = 0);
    refused(&|it| it.exponential.doublings = 40);
    refused(&|it| it.exponential.primes.truncate(3));
    refused(&|it| it.digit_limbs = 0);
    refused(&|it| it.raised_digit_limbs = 0);
    refused(&|it| it.limbs = vec![1; 3]);
    refused(&|it| it.limbs = vec![3; 4]);
    refused(&|it| it.limbs[3..5].fill(2));
    refused(&|it| it.coeffs_to_slots.primes.clear());
    // No level is dropped there, so the matrices would have scales of 90 bits.
    refused(&|it| it.coeffs_to_slots.primes.extend([47.75; 4]));
    refused(&|it| it.sparse_weight = 0);
    refused(&|it| it.log2_fail = 1.0);
    let mut noisy = literal.clone();
    noisy.exponential.primes = vec![19.0; 8];
    assert!(matches!(Parameters::new(noisy), Err(Error::FailureProbability { .. })));
}

#[test]
fn sparse_bits_take_less_work() {
    let transforms = |packing| {
        let parameters = Parameters::latency_128(packing).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        parameters.operation_counts().transforms
    };
    let counts = [256, 1024, 4096].map(Packing::Sparse).map(transforms);
    assert!(counts.is_sorted(), "{counts:?}");
    let [real, complex] = [Packing::Real, Packing::Complex].map(transforms);
    assert!(
        counts[0] * 4 < real * 3 && counts[0] * 9 < complex * 5,
        "{counts:?}, {real}, {complex}"
    );
    assert!(counts[2] < real, "{counts:?}, {real}");
}
