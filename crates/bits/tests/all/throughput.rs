//! Parameters with many levels: 17 gates between bootstraps, on a toy ring and at full size.

use crate::common;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{BitNoise, EncryptedBits, Gate, Packing, Parameters};

/// Gates between cleanings, the last ones before a bootstrap.
const SEGMENTS: [usize; 3] = [5, 6, 6];

/// BinBoot of seventeen gates, each of the previous result and the other bits.
fn seventeen_gates(parameters: &Parameters) {
    assert_eq!(parameters.levels_after_bootstrap(), 21);
    let Setup { secret, server, x, y } = setup(parameters);
    let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let a = server.bin_boot(&a).unwrap();
    check_noise("BinBoot", errors(&secret, &a, &x), a.noise(), -1.5..0.2);
    let (mut result, mut expected) = (a, x);
    for (segment, gates) in SEGMENTS.into_iter().enumerate() {
        for index in 0..gates {
            let kind = Gate::ALL[(7 * segment + index) % 10];
            result = server.gate(kind, &result, &b).unwrap();
            expected = gate(kind, &expected, &y);
        }
        check(&secret, &result, &expected, "gates");
        if segment < 2 {
            result = server.clean(&result).unwrap();
            check(&secret, &result, &expected, "cleaned");
        }
    }
    assert_eq!(result.levels(), 0);
    let result = server.bin_boot(&result).unwrap();
    check_noise("BinBoot", errors(&secret, &result, &expected), result.noise(), -2.5..0.2);
    assert!(secret.decrypt(&result).unwrap() == expected);
    println!("evaluation key: {:.2} GB", server.memory_bytes() as f64 / 1e9);
}

fn check(secret: &cryptable_bits::SecretKey, bits: &EncryptedBits, expected: &[bool], what: &str) {
    assert!(secret.decrypt(bits).unwrap() == expected, "{what}");
    let (deviation, largest) = errors(secret, bits, expected);
    let noise = bits.noise();
    println!("{what}: 2^{:.2}, predicted 2^{:.2}", deviation.log2(), noise.deviation().log2());
    // On a toy ring, the root mean square of 1,024 errors of noise of slots is within a tenth.
    assert!(deviation <= 1.1 * noise.deviation());
    assert!(largest <= secret.parameters().largest_error(noise));
}

/// Runs the worst case of predictions: every gate of equal operands, bootstrap after bootstrap, with `segments` gates
/// between cleanings. Returns the noise after each round, and the largest probability, log2, that a bit was wrong
/// before a cleaning or bootstrap.
fn rounds(parameters: &Parameters, segments: [usize; 3]) -> (Vec<BitNoise>, f64) {
    let mut noise = parameters.noise_after_bin_boot(parameters.fresh_noise());
    let (mut after, mut log2_fail) = (Vec::new(), f64::NEG_INFINITY);
    for _ in 0..20 {
        for (segment, gates) in segments.into_iter().enumerate() {
            for _ in 0..gates {
                noise = parameters.noise_after_gate(Gate::Xor, noise, noise);
            }
            log2_fail = parameters.log2_fail_per_bit(noise).max(log2_fail);
            if segment + 1 < segments.len() {
                noise = parameters.noise_after_cleaning(noise);
            }
        }
        noise = parameters.noise_after_bin_boot(noise);
        after.push(noise);
    }
    (after, log2_fail)
}

#[test]
fn seventeen_gates_fit_between_bootstraps_forever() {
    let parameters = Parameters::throughput_128().unwrap();
    let (after, log2_fail) = rounds(&parameters, SEGMENTS);
    println!("failures 2^{log2_fail:.0}, after a round {:?}", after[19]);
    assert!(log2_fail < -1000.0, "2^{log2_fail}");
    assert!(after.iter().all(|noise| noise.bias() < 2f64.powi(-14)), "{after:?}");
    assert!(after.iter().all(|noise| noise.deviation() < 2f64.powi(-15)), "{after:?}");
    // Steady: what a round leaves does not depend on how many there were.
    assert!((after[19].bias() / after[18].bias() - 1.0).abs() < 1e-4, "{after:?}");
    // The bound is near: with two gates more, errors grow from round to round.
    let (_, log2_fail) = rounds(&parameters, [8, 6, 5]);
    assert!(log2_fail > -80.0, "2^{log2_fail}");
}

#[test]
fn scales_do_not_drift_and_sizes_are_told() {
    for parameters in
        [Parameters::throughput_128().unwrap(), Parameters::balanced_128(Packing::Complex).unwrap()]
    {
        let bytes = |levels| parameters.ciphertext_bytes(levels);
        assert_eq!(bytes(0), 4 * 3 * parameters.literal().ring_degree * 8);
        assert!(parameters.scale_of_bits(22).is_err() && bytes(0) < bytes(1));
        let stated = parameters.literal().gates[0];
        for levels in 0..=parameters.levels_after_bootstrap() {
            let found = parameters.scale_of_bits(levels).unwrap().log2();
            assert!((found - stated).abs() < 1e-2, "{levels} levels: 2^{found}");
        }
    }
}

#[test]
fn seventeen_gates_on_a_toy_ring() {
    seventeen_gates(&Parameters::insecure_toy_throughput().unwrap());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn seventeen_gates_at_full_size() {
    seventeen_gates(&Parameters::throughput_128().unwrap());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn bootstraps_at_degree_32768() {
    let parameters = Parameters::balanced_128(Packing::Complex).unwrap();
    let Setup { secret, server, x, y } = setup(&parameters);
    let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
    let clean = server.bin_boot(&a).unwrap();
    check_noise("BinBoot", errors(&secret, &clean, &x), clean.noise(), -1.5..0.2);
    let (mut result, mut expected) =
        (server.gate_boot(Gate::Nand, &clean, &b).unwrap(), gate(Gate::Nand, &x, &y));
    check_noise("GateBoot", errors(&secret, &result, &expected), result.noise(), -1.5..0.2);
    for kind in &Gate::ALL[..7] {
        result = server.gate(*kind, &result, &b).unwrap();
        expected = gate(*kind, &expected, &y);
    }
    check(&secret, &result, &expected, "gates");
}
