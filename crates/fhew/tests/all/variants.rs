//! Full-domain bootstraps without packing, and their parts, on toy parameters.

use crate::common;

use std::sync::OnceLock;

use common::{Setting, assert_ratio, check_every_value, check_noise, check_sparse_tables};
use cryptable_fhew::full_domain::{
    Comp, CompressContinuous, ContinuousFunction, EvalFunc, FdfbCompress, OddModulus,
};
use cryptable_fhew::multi_value::{
    UnscaledTest, boot_raw_factored, boot_raw_sparse, sparse_modulus,
};
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_ring::random::replay;
use rayon::prelude::*;

const EVEN_MODULI: [u64; 6] = [4, 8, 16, 32, 6, 10];

/// Returns the toy with half the LWE dimension, which halves the time, and other rotation digits.
fn toy_with(rotation: GadgetLiteral) -> Setting {
    let literal = ParametersLiteral {
        lwe_dimension: 32,
        rotation: rotation.into(),
        ..*Parameters::insecure_toy().literal()
    };
    Setting::new(&Parameters::insecure(literal).unwrap())
}

fn toy() -> &'static Setting {
    static TOY: OnceLock<Setting> = OnceLock::new();
    TOY.get_or_init(|| {
        let _replay = replay::begin();
        toy_with(GadgetLiteral { base_log2: 12, length: 3 })
    })
}

/// Returns a toy with finer digits, for methods that amplify the rotation's noise.
pub fn quiet() -> &'static Setting {
    static QUIET: OnceLock<Setting> = OnceLock::new();
    QUIET.get_or_init(|| {
        let _replay = replay::begin();
        toy_with(GadgetLiteral { base_log2: 9, length: 5 })
    })
}

#[test]
fn compress() {
    let _replay = replay::begin();
    let setting = Setting::new(&Parameters::insecure_toy());
    check_every_value(&setting, &FdfbCompress, &EVEN_MODULI);
    check_noise(&setting, &FdfbCompress, 16, 200);
}

#[test]
fn eval_func() {
    let _replay = replay::begin();
    check_every_value(toy(), &EvalFunc, &EVEN_MODULI);
    check_noise(toy(), &EvalFunc, 16, 200);
}

#[test]
fn comp() {
    let _replay = replay::begin();
    for (multi_value, setting) in [(false, toy()), (true, quiet())] {
        let method = Comp { multi_value };
        check_every_value(setting, &method, &EVEN_MODULI);
        check_noise(setting, &method, 16, 200);
    }
}

#[test]
fn odd_modulus() {
    let _replay = replay::begin();
    check_every_value(toy(), &OddModulus, &[3, 5, 7, 15, 31]);
    check_noise(toy(), &OddModulus, 15, 200);
}

/// A noisy rotation dominates the result's noise, so the norm is measured.
#[test]
fn multi_value_noise_is_that_of_the_norm() {
    let _replay = replay::begin();
    let setting = toy();
    let parameters = setting.parameters();
    let (n, two_n) = (parameters.ring_degree(), parameters.rotation_modulus());
    let model = NoiseModel::new(parameters);
    let modulus = 32;
    let step = |x: u64| x * 16 / n as u64;
    let tests = [
        UnscaledTest::from_fn(n, modulus, |x| step(x) * step(x) * 7 + 3),
        UnscaledTest::from_fn(n, modulus, |_| 5),
        UnscaledTest::from_fn(n, modulus, |x| step(x) % 2 * 16),
    ];
    let factored = tests.each_ref().map(UnscaledTest::factored);
    let samples = 300;
    let sums: Vec<f64> = (0..samples)
        .into_par_iter()
        .map(|sample| {
            let _part = replay::part(sample);
            let x = (sample * 37 + 64) % two_n;
            // Phases are in the middle of a slot, so the input's noise does not count.
            let x = x - x % 128 + 64;
            let phase = setting.secret.encrypt_phase(x, two_n);
            let raw = boot_raw_factored(&setting.key, &factored, &phase);
            tests
                .iter()
                .zip(raw)
                .map(|(test, raw)| {
                    let value = test.values()[x as usize % n];
                    let value = if x < n as u64 { value } else { (modulus - value) % modulus };
                    let expected = encode(value, modulus, parameters.prime());
                    setting.secret.phase_error(&raw, expected).unwrap().powi(2)
                })
                .collect::<Vec<f64>>()
        })
        .reduce(|| vec![0.0; 3], |a, b| a.iter().zip(b).map(|(x, y)| x + y).collect());
    for (index, (test, sum)) in factored.iter().zip(sums).enumerate() {
        let predicted = test.noise(&model);
        assert_ratio(&format!("test {index}"), sum / samples as f64, predicted);
    }
}

#[test]
fn sparse_rounding_looks_several_tables_up() {
    let _replay = replay::begin();
    let setting = toy();
    let predicted = NoiseModel::new(setting.parameters()).blind_rotation();
    check_sparse_tables(setting, 16, 3, 256, predicted);
}

/// The phase at which a sparse lookup happens has the noise of a switch to 2N/2^θ.
#[test]
fn sparse_rounding_adds_the_noise_of_its_modulus() {
    let _replay = replay::begin();
    let setting = toy();
    let parameters = setting.parameters();
    let (two_n, samples) = (parameters.rotation_modulus(), 200);
    // The tables are ramps, so results show the phase that was looked up.
    let ramp =
        TestPolynomial::from_fn(parameters.ring(), |x| x * (parameters.prime() / (2 * two_n)));
    let tests = vec![ramp; 4];
    let squares = (0..samples).into_par_iter().map(|sample: u32| {
        let _part = replay::part(sample.into());
        let input = setting.secret.encrypt(1, 4).unwrap();
        let raw = &boot_raw_sparse(&setting.key, &tests, &input)[3];
        // Twice the fraction, which has slope 1/2.
        2.0 * setting.secret.phase_error(raw, encode(1, 8, parameters.prime())).unwrap()
    });
    let measured = squares.map(|error| error * error).sum::<f64>() / f64::from(samples);
    let model = NoiseModel::new(parameters);
    let modulus = sparse_modulus(setting.key.parameters(), tests.len());
    assert_eq!(modulus, two_n / 4);
    assert_ratio("phase", measured, model.lwe_modulus_switch(modulus));
}

#[test]
fn continuous_functions() {
    let _replay = replay::begin();
    let setting = toy();
    let parameters = setting.parameters();
    let model = NoiseModel::new(parameters);
    let method = CompressContinuous::new(&model, -50.0).unwrap();
    let (two_n, q) = (parameters.rotation_modulus() as f64, parameters.lwe_modulus() as f64);
    let zero_extended = |v: f64| if v < 0.0 { v + two_n } else { v };
    let sine = |v: f64| (3.0 * v).sin();
    let step = |v: f64| if v < 0.0 { -1.0 } else { 1.0 };
    type Case<'a> = (&'a str, &'a (dyn Fn(f64) -> f64 + Sync), f64, f64, f64);
    let functions: [Case<'_>; 4] = [
        ("identity", &|v| v, 1.0 / two_n, 1.0 / two_n, 1.0),
        // The function of digit decomposition, with a larger gain.
        ("zero extension", &zero_extended, 1.0 / two_n, 16.0 / q, 1.0),
        // Maps [-4, 4) to [-1, 1].
        ("sine", &sine, 0.125, 0.25, 3.0),
        ("sign", &step, 0.5, 0.25, 0.0),
    ];
    for (name, function, input_scale, output_scale, lipschitz) in functions {
        let function = ContinuousFunction { function, input_scale, output_scale, lipschitz };
        let samples = 200;
        let squares = (0..samples).into_par_iter().map(|sample: u32| {
            let _part = replay::part(sample.into());
            // Stays away from the jumps at 0 and 1/2.
            let fraction = (f64::from(sample) + 0.5) / f64::from(samples) - 0.5;
            let fraction = fraction * 0.9 + 0.025 * fraction.signum();
            let phase = (fraction.rem_euclid(1.0) * two_n).round();
            let input = setting.secret.encrypt_phase((phase * q / two_n) as u64, q as u64);
            let output = method.evaluate(&setting.key, &function, &input).unwrap();
            let v = (phase / two_n - if phase < two_n / 2.0 { 0.0 } else { 1.0 }) / input_scale;
            let expected = (function.function)(v) * output_scale;
            let expected = (expected.rem_euclid(1.0) * q).round() as u64 % q as u64;
            setting.secret.phase_error(&output, expected).unwrap().powi(2)
        });
        let measured = squares.sum::<f64>() / f64::from(samples);
        let noise = method.noise(&model, &function, model.fresh().law(), parameters.lwe_modulus());
        let predicted = noise.output.variance();
        println!("{name}: {:.3}", measured / predicted);
        assert!(measured < 2.0 * predicted, "{name}: {}", measured / predicted);
        if name != "sine" {
            assert_ratio(name, measured, Variance(predicted));
        }
    }
}
