//! Functions of sums of bits: all functions of three bits on all inputs, several on one exponential, more bits, GateBoot',
//! noise, refusals.

use crate::common;

use common::{Setup, check_noise, errors, gate, setup};
use cryptable_bits::{EncryptedBits, Gate, Packing, Parameters, SecretKey, SumGate};
use cryptable_lattice::Error;

/// k lists of bits that run through all inputs together, repeatedly.
fn all_inputs(k: usize, count: usize) -> Vec<Vec<bool>> {
    (0..k).map(|bit| (0..count).map(|i| i >> bit & 1 == 1).collect()).collect()
}

fn expected(gate: &SumGate, inputs: &[Vec<bool>]) -> Vec<bool> {
    let sum = |i: usize| inputs.iter().filter(|bits| bits[i]).count();
    (0..inputs[0].len()).map(|i| gate.outputs()[sum(i)]).collect()
}

fn encrypt(secret: &SecretKey, inputs: &[Vec<bool>]) -> Vec<EncryptedBits> {
    inputs.iter().map(|bits| secret.encrypt(bits).unwrap()).collect()
}

/// All functions of the sum of k bits.
fn all_gates(k: usize) -> Vec<SumGate> {
    let outputs = |table: u32| (0..=k).map(|sum| table >> sum & 1 == 1).collect::<Vec<bool>>();
    (1..(1 << (k + 1)) - 1).map(|table| SumGate::new(&outputs(table)).unwrap()).collect()
}

#[test]
fn every_function_of_up_to_three_bits_alone() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, .. } = setup(&parameters);
        for k in 1..=3 {
            let inputs = all_inputs(k, parameters.bits());
            let bits = encrypt(&secret, &inputs);
            let bits: Vec<&EncryptedBits> = bits.iter().collect();
            for kind in all_gates(k) {
                let kinds = [kind];
                let result = server.gate_boot_many(&kinds, &bits).unwrap().remove(0);
                assert!(
                    secret.decrypt(&result).unwrap() == expected(&kinds[0], &inputs),
                    "{kinds:?}"
                );
                let taken = parameters.levels_of_sum_gates(&kinds).unwrap();
                assert_eq!(result.levels(), parameters.levels_after_bootstrap() - taken);
                let noises: Vec<_> =
                    bits.iter().map(|x| parameters.noise_after_lowering(x.noise())).collect();
                let predicted = parameters.noise_after_sum_gates(&kinds, &noises).unwrap();
                assert_eq!(predicted, [result.noise()]);
                check_noise(
                    &format!("{kinds:?}"),
                    errors(&secret, &result, &expected(&kinds[0], &inputs)),
                    result.noise(),
                    -2.5..0.2,
                );
            }
        }
    }
}

#[test]
fn all_functions_of_three_bits_share_an_exponential() {
    let parameters = Parameters::insecure_toy(Packing::Complex).unwrap();
    let Setup { secret, server, .. } = setup(&parameters);
    for k in 1..=3 {
        let inputs = all_inputs(k, parameters.bits());
        let bits = encrypt(&secret, &inputs);
        let bits: Vec<&EncryptedBits> = bits.iter().collect();
        let kinds = all_gates(k);
        assert_eq!(parameters.levels_of_sum_gates(&kinds).unwrap(), 1);
        let results = server.gate_boot_many(&kinds, &bits).unwrap();
        assert_eq!(results.len(), kinds.len());
        for (kind, result) in kinds.iter().zip(&results) {
            let expected = expected(kind, &inputs);
            assert!(secret.decrypt(result).unwrap() == expected, "{kind:?}");
            assert_eq!(result.levels(), parameters.levels_after_bootstrap() - 1);
            check_noise(
                &format!("{kind:?}"),
                errors(&secret, result, &expected),
                result.noise(),
                -2.5..0.2,
            );
        }
    }
}

#[test]
fn a_full_adder_costs_little_more_than_a_gate() {
    let parameters = Parameters::functions_128(Packing::Real).unwrap();
    let (sum, carry) = (SumGate::parity(3).unwrap(), SumGate::at_least(2, 3).unwrap());
    // Either alone has degree 1.
    for alone in [&sum, &carry] {
        assert_eq!(parameters.levels_of_sum_gates(std::slice::from_ref(alone)).unwrap(), 0);
    }
    let one = parameters.sum_gate_counts(std::slice::from_ref(&carry)).unwrap();
    let both = parameters.sum_gate_counts(&[sum, carry]).unwrap();
    println!("{one:?}\n{both:?}");
    assert!(both.transforms < one.transforms * 21 / 20);
}

#[test]
fn functions_of_more_bits_by_powers() {
    let parameters = Parameters::insecure_toy(Packing::Real).unwrap();
    let Setup { secret, server, .. } = setup(&parameters);
    // Degree 2 for a sum of four bits as fractions of 5: alone by one product.
    let inputs = all_inputs(4, parameters.bits());
    let bits = encrypt(&secret, &inputs);
    let bits: Vec<&EncryptedBits> = bits.iter().collect();
    let kinds = [
        SumGate::at_least(3, 4).unwrap(),
        SumGate::new(&[true, false, false, false, true]).unwrap(),
    ];
    for some in [&kinds[..1], &kinds[1..], &kinds[..]] {
        let results = server.gate_boot_many(some, &bits).unwrap();
        for (kind, result) in some.iter().zip(&results) {
            let expected = expected(kind, &inputs);
            assert!(secret.decrypt(result).unwrap() == expected, "{kind:?}");
            check_noise(
                &format!("{kind:?}"),
                errors(&secret, result, &expected),
                result.noise(),
                -2.5..0.2,
            );
        }
    }
    // Degree 3 of five bits needs three levels, and these parameters have two.
    let inputs = all_inputs(5, parameters.bits());
    let bits = encrypt(&secret, &inputs);
    let bits: Vec<&EncryptedBits> = bits.iter().collect();
    let error =
        server.gate_boot_many(&[SumGate::at_least(1, 5).unwrap()], &bits).map(drop).unwrap_err();
    assert!(matches!(
        error,
        Error::TooSmall { name: "levels after a bootstrap", value: 2, limit: 3 }
    ));
    // The parity of any number of bits needs none.
    let result = server.gate_boot_many(&[SumGate::parity(5).unwrap()], &bits).unwrap().remove(0);
    assert_eq!(secret.decrypt(&result).unwrap(), expected(&SumGate::parity(5).unwrap(), &inputs));
}

#[test]
fn gate_boot_with_extrema_squares_errors() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let Setup { secret, server, x, y } = setup(&parameters);
        let (a, b) = (secret.encrypt(&x).unwrap(), secret.encrypt(&y).unwrap());
        for kind in Gate::ALL {
            let expected = gate(kind, &x, &y);
            let plain = server.gate_boot(kind, &a, &b).unwrap();
            let clean = server.gate_boot_cleaning(kind, &a, &b).unwrap();
            assert!(secret.decrypt(&clean).unwrap() == expected, "{kind}");
            assert_eq!(clean.levels() + 1, plain.levels());
            let (of_plain, of_clean) =
                (errors(&secret, &plain, &expected), errors(&secret, &clean, &expected));
            check_noise("GateBoot", of_plain, plain.noise(), -1.5..0.2);
            check_noise("GateBoot'", of_clean, clean.noise(), -1.5..0.2);
            assert!(of_clean.0 < of_plain.0, "{kind}: {of_clean:?} and {of_plain:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    assert!(matches!(SumGate::new(&[true]), Err(Error::Parameter { .. })));
    assert!(matches!(SumGate::new(&[true; 3]), Err(Error::Parameter { .. })));
    assert!(matches!(SumGate::new(&[false; 9]), Err(Error::Parameter { .. })));
    assert!(matches!(SumGate::parity(usize::MAX), Err(Error::Parameter { .. })));
    assert!(matches!(SumGate::at_least(4, 3), Err(Error::Parameter { .. })));
    let Setup { secret, server, x, .. } = setup(&Parameters::insecure_toy(Packing::Real).unwrap());
    let bits = secret.encrypt(&x).unwrap();
    let carry = [SumGate::at_least(2, 3).unwrap()];
    assert!(matches!(server.gate_boot_many(&carry, &[&bits; 2]), Err(Error::Mismatch { .. })));
    assert!(matches!(server.gate_boot_many(&[], &[&bits; 2]), Err(Error::TooSmall { .. })));
    assert!(matches!(server.gate_boot_many(&[], &[]), Err(Error::TooSmall { .. })));
}
