//! Homomorphic digit decomposition: every value of small widths, random values of large widths, ciphertexts without
//! gaps, noise.

use crate::common;

use common::{Setting, decomposition_setting as setting, random_outputs};
use cryptable_fhew::decomposition::{
    Decomposition, DigitDecomposition, algorithm, algorithms, encrypt_large, encrypt_large_phase,
};
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::random::replay;
use rayon::prelude::*;

fn plan(
    setting: &Setting,
    algorithm: &'static dyn DigitDecomposition,
    bits: u32,
    base_log2: u32,
) -> Decomposition {
    let model = NoiseModel::new(setting.parameters());
    Decomposition::plan(&model, algorithm, bits, base_log2, model.fresh_large(), -40.0).unwrap()
}

/// Returns the phase of a digit, in units of its slot.
fn slots(setting: &Setting, digit: &LweCiphertext, bits: u32) -> f64 {
    let phase = setting.secret.phase(digit).unwrap() as f64;
    phase * f64::from(1u32 << bits) / digit.modulus() as f64
}

/// Decrypts digits as later lookups read them: by the nearest slot.
fn value_of(setting: &Setting, plan: &Decomposition, digits: &[LweCiphertext]) -> u64 {
    let digit = |(i, digit): (usize, &LweCiphertext)| {
        let bits = plan.digit_bits(i);
        let value = slots(setting, digit, bits).round() as u64 % (1 << bits);
        value << (plan.digit_bits(0) * i as u32)
    };
    digits.iter().enumerate().map(digit).sum()
}

fn check(setting: &Setting, plan: &Decomposition, value: u64) {
    let input = encrypt_large(&setting.secret, value, plan.bits()).unwrap();
    let digits = plan.evaluate(&setting.key, &input).unwrap().into_lookup_inputs(&setting.key);
    assert_eq!(digits.len(), plan.digits());
    assert_eq!(value_of(setting, plan, &digits), value, "{plan:?}");
}

/// Checks every `step`-th value of these widths.
fn check_widths(widths: &[(u32, u32)], step: usize) {
    let setting = setting();
    for &algorithm in algorithms() {
        for &(bits, base_log2) in widths {
            let plan = plan(setting, algorithm, bits, base_log2);
            assert_eq!(plan.digits() as u32, bits.div_ceil(base_log2));
            let values: Vec<u64> = (0..1 << bits).step_by(step).collect();
            values.into_par_iter().for_each(|value| check(setting, &plan, value));
        }
    }
}

#[test]
fn every_value_of_small_widths() {
    check_widths(&[(4, 4), (6, 3), (5, 1)], 1);
}

/// Every value of each digit is among them.
#[test]
fn some_values_of_larger_widths() {
    check_widths(&[(9, 4), (10, 5)], 11);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn every_value_of_larger_widths() {
    check_widths(&[(9, 4), (10, 5)], 1);
}

#[test]
fn random_values_of_large_widths_and_extremes() {
    let setting = setting();
    for &algorithm in algorithms() {
        for (bits, base_log2) in [(20, 4), (27, 4), (28, 5)] {
            let plan = plan(setting, algorithm, bits, base_log2);
            let most = (1u64 << bits) - 1;
            let mut values = random_outputs(12, most + 1, 5);
            values.extend([0, 1, most, most / 2, most / 2 + 1]);
            values.par_iter().for_each(|&value| check(setting, &plan, value));
        }
    }
}

#[test]
fn full_size() {
    let setting = Setting::new(&Parameters::decomposition_128());
    let model = NoiseModel::new(setting.parameters());
    for (name, bits, base_log2) in [("HomDecomp-Reduce", 27, 4), ("HomDecomp-FDFB", 28, 5)] {
        let algorithm = algorithm(name).unwrap();
        let plan =
            Decomposition::plan(&model, algorithm, bits, base_log2, model.fresh_large(), -64.0)
                .unwrap();
        for value in random_outputs(4, 1 << bits, 9) {
            check(&setting, &plan, value);
        }
    }
}

/// Phases are anywhere. All digits but the lowest are those of the phase rounded down or, next to a jump, those of a
/// neighbour.
#[test]
fn ciphertexts_without_gaps() {
    let setting = setting();
    let log2_modulus = setting.parameters().large_modulus().ilog2();
    for &algorithm in algorithms() {
        let plan = plan(setting, algorithm, 16, 4);
        random_outputs(100, 1 << log2_modulus, 3).par_iter().for_each(|&phase| {
            let input = encrypt_large_phase(&setting.secret, phase);
            let digits =
                plan.evaluate(&setting.key, &input).unwrap().into_lookup_inputs(&setting.key);
            let found = value_of(setting, &plan, &digits) >> 4;
            let position = phase as f64 / (1u64 << (log2_modulus - 12)) as f64;
            // Half a slot of the lowest digit is added to the phase before digits are rounded down.
            let distance = (found as f64 + 0.5 - position - 1.0 / 32.0).rem_euclid(4096.0);
            let distance = distance.min(4096.0 - distance);
            assert!(distance < 0.56, "{}: {found} at {position}", algorithm.name());
        });
    }
}

/// Checks the noise of every digit of values of `bits` bits, with 4 bits per digit.
fn check_noise(bits: u32) {
    let setting = setting();
    let model = NoiseModel::new(setting.parameters());
    for &algorithm in algorithms() {
        let plan = plan(setting, algorithm, bits, 4);
        let errors: Vec<Vec<f64>> = random_outputs(240, 1 << bits, 11)
            .par_iter()
            .enumerate()
            .map(|(sample, &value)| {
                let _part = replay::part(sample as u64);
                let input = encrypt_large(&setting.secret, value, bits).unwrap();
                let digits =
                    plan.evaluate(&setting.key, &input).unwrap().into_lookup_inputs(&setting.key);
                digits
                    .iter()
                    .enumerate()
                    .map(|(i, digit)| error(setting, &plan, i, digit, value))
                    .collect()
            })
            .collect();
        for digit in 0..plan.digits() {
            let squares: f64 = errors.iter().map(|errors| errors[digit].powi(2)).sum();
            let measured = Variance(squares / errors.len() as f64);
            let ratio = measured.0 / plan.digit_noise(&model, digit).variance();
            assert!((0.5..2.0).contains(&ratio), "{}, digit {digit}: {ratio}", algorithm.name());
        }
    }
}

/// Includes a lowest digit, one in the middle, and one of fewer bits.
#[test]
fn digits_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise(10);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn more_digits_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise(18);
}

/// Returns the error of a digit's phase, as a fraction of the modulus, around the digit plus the rest of the digit below.
fn error(
    setting: &Setting,
    plan: &Decomposition,
    index: usize,
    digit: &LweCiphertext,
    value: u64,
) -> f64 {
    let bits = plan.digit_bits(index);
    let left = if index == 0 { 0.0 } else { left_over(plan.algorithm(), value, index - 1) };
    let slot = (value >> (4 * index)) % (1 << bits);
    let error = (slots(setting, digit, bits) - slot as f64 - left) / f64::from(1u32 << bits);
    error - error.round()
}

/// Returns the rest of a digit of 4 bits after its window is cleared, as a fraction of the window: for HomDecomp-Reduce
/// its phase, with the rest of the digit below, moved to ±1/4.
fn left_over(algorithm: &dyn DigitDecomposition, value: u64, digit: usize) -> f64 {
    if algorithm.remainder() == 0.0 {
        return 0.0;
    }
    let below = if digit == 0 { 0.0 } else { left_over(algorithm, value, digit - 1) };
    let slot = (value >> (4 * digit)) % 16;
    let phase = (slot as f64 + below + 0.5) / 16.0;
    if phase < 0.5 { phase - 0.25 } else { phase - 0.75 }
}
