//! Boolean gates: truth tables, circuits of gates, noise.

use crate::common;

use std::sync::OnceLock;

use common::{Setting, random_outputs};
use cryptable_fhew::gates::{Gate, Gates, decrypt_bit, encrypt_bit, noise};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::Error;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::random::replay;
use rayon::prelude::*;

/// Returns one client and one server, of full size, for all tests.
fn setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    SETTING.get_or_init(|| {
        let _replay = replay::begin();
        Setting::new(&Parameters::gates_128())
    })
}

const BITS: [bool; 2] = [false, true];

#[test]
fn truth_tables_on_results_of_gates() {
    let setting = setting();
    let gates = Gates::new(&setting.key);
    let decrypt = |c: &LweCiphertext| decrypt_bit(&setting.secret, c).unwrap();
    // Inputs are as noisy as results.
    let bit = |value: bool| {
        let (yes, any) = (encrypt_bit(&setting.secret, true), encrypt_bit(&setting.secret, value));
        let result = gates.evaluate(Gate::And, &yes, &any).unwrap();
        assert_eq!(decrypt(&result), value);
        result
    };
    for (a, b) in BITS.into_iter().flat_map(|a| BITS.map(|b| (a, b))) {
        for gate in Gate::ALL {
            let result = gates.evaluate(gate, &bit(a), &bit(b)).unwrap();
            assert_eq!(decrypt(&result), gate.apply(a, b), "{gate:?} of {a}, {b}");
        }
        assert_eq!(decrypt(&Gates::not(&bit(a))), !a);
        for c in BITS {
            let result = gates.mux(&bit(c), &bit(a), &bit(b)).unwrap();
            assert_eq!(decrypt(&result), if c { a } else { b }, "{c} ? {a} : {b}");
        }
    }
}

#[test]
fn an_adder() {
    let setting = setting();
    let gates = Gates::new(&setting.key);
    let encrypt = |value: u64| -> Vec<LweCiphertext> {
        (0..8).map(|i| encrypt_bit(&setting.secret, value >> i & 1 == 1)).collect()
    };
    for pair in random_outputs(6, 256, 1).chunks_exact(2) {
        let (a, b) = (encrypt(pair[0]), encrypt(pair[1]));
        let mut carry = encrypt_bit(&setting.secret, false);
        let mut sum = 0;
        for i in 0..8 {
            let both = gates.evaluate(Gate::Xor, &a[i], &b[i]).unwrap();
            let bit = gates.evaluate(Gate::Xor, &both, &carry).unwrap();
            sum |= u64::from(decrypt_bit(&setting.secret, &bit).unwrap()) << i;
            carry = gates.mux(&both, &carry, &a[i]).unwrap();
        }
        sum |= u64::from(decrypt_bit(&setting.secret, &carry).unwrap()) << 8;
        assert_eq!(sum, pair[0] + pair[1]);
    }
}

/// Checks the noise of `count` results of gates.
fn check_noise(count: u32) {
    let setting = setting();
    let model = NoiseModel::new(setting.parameters());
    let gates = Gates::new(&setting.key);
    let bit = |value| encrypt_bit(&setting.secret, value);
    let eighth = setting.parameters().lwe_modulus() / 8;
    let mean_square = |of: &(dyn Fn() -> LweCiphertext + Sync)| {
        let error = |sample: u32| {
            let _part = replay::part(sample.into());
            setting.secret.phase_error(&of(), eighth).unwrap().powi(2)
        };
        (0..count).into_par_iter().map(error).sum::<f64>() / f64::from(count)
    };
    let nand = mean_square(&|| gates.evaluate(Gate::Nand, &bit(true), &bit(false)).unwrap());
    let predicted = model.blind_rotation() + model.key_switching();
    assert!((0.5..2.0).contains(&(nand / predicted.0)), "NAND: {}", nand / predicted.0);
    let mux = mean_square(&|| gates.mux(&bit(true), &bit(true), &bit(false)).unwrap());
    assert!((0.5..2.0).contains(&(mux / noise(&model).0)), "MUX: {}", mux / noise(&model).0);
}

#[test]
fn results_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise(150);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn many_results_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise(400);
}

#[test]
fn ciphertexts_of_other_parameters_are_refused() {
    let setting = setting();
    let other = LweCiphertext::trivial(7, setting.parameters().lwe_modulus(), 0);
    let error = Gates::new(&setting.key).evaluate(Gate::And, &other, &other).unwrap_err();
    let Error::Mismatch { name, found, expected } = &error else { panic!("{error}") };
    let dimension = setting.parameters().lwe_dimension().to_string();
    assert_eq!((*name, found.as_str(), expected), ("LWE dimension", "7", &dimension));
}
