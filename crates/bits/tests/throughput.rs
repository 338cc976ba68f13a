//! Parameters with many levels: 20 gates between bootstraps, on a toy ring and at full size.

mod common;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{EncryptedBits, Gate, Parameters};

/// Gates between cleanings, the last ones before a bootstrap.
const SEGMENTS: [usize; 3] = [7, 7, 6];

/// BinBoot of twenty gates, each of the result before and the other bits.
fn twenty_gates(parameters: &Parameters) {
    assert_eq!(parameters.levels_after_bootstrap(), 24);
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
    assert!(deviation <= noise.deviation() && largest <= noise.bias() + 40.0 * noise.deviation());
}

/// The worst case of predictions: every gate of equal operands, bootstrap after bootstrap.
#[test]
fn twenty_gates_fit_between_bootstraps_forever() {
    let parameters = Parameters::throughput_128().unwrap();
    let mut noise = parameters.noise_after_bin_boot(parameters.fresh_noise());
    for round in 0..10 {
        for (segment, gates) in SEGMENTS.into_iter().enumerate() {
            for _ in 0..gates {
                noise = parameters.noise_after_gate(Gate::Xor, noise, noise);
            }
            assert!(parameters.log2_fail(noise) < -1000.0, "round {round}, segment {segment}");
            if segment < 2 {
                noise = parameters.noise_after_cleaning(noise);
            }
        }
        noise = parameters.noise_after_bin_boot(noise);
    }
    assert!(noise.bias() < 1e-5 && noise.deviation() < 1e-5, "{noise:?}");
}

#[test]
fn scales_do_not_drift_and_sizes_are_told() {
    for parameters in [Parameters::throughput_128().unwrap(), Parameters::balanced_128().unwrap()] {
        let bytes = |levels| parameters.bits_memory_bytes(levels).unwrap();
        assert_eq!(bytes(0), 4 * 3 * parameters.literal().ring_degree * 8);
        assert!(parameters.bits_memory_bytes(25).is_err() && bytes(0) < bytes(1));
        let stated = parameters.literal().gates[0];
        for levels in 0..=parameters.levels_after_bootstrap() {
            let found = parameters.scale_of_bits(levels).unwrap().log2();
            assert!((found - stated).abs() < 1e-2, "{levels} levels: 2^{found}");
        }
    }
}

#[test]
fn twenty_gates_on_a_toy_ring() {
    twenty_gates(&Parameters::insecure_toy_throughput().unwrap());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn twenty_gates_at_full_size() {
    twenty_gates(&Parameters::throughput_128().unwrap());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn bootstraps_at_degree_32768() {
    let parameters = Parameters::balanced_128().unwrap();
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
