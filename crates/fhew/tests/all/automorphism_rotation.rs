//! Blind rotation by automorphisms: exact on every kind of mask, with the noise and the number of automorphisms of
//! the formulas.

use crate::common;

use common::{
    Setting, assert_ratio, check_every_value, check_noise, check_sparse_tables, random_outputs,
};
use cryptable_fhew::full_domain::FdfbCompress;
use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::multi_value::sparse_modulus;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::{
    GadgetLiteral, Parameters, ParametersLiteral, RgswGadgetLiteral, RotationMethod,
};
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::rotation::{RotationAutomorphisms, Step, automorphism_count};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::security::SecretDistribution;
use cryptable_papers::wang_2024::AutomorphismSet;
use cryptable_ring::random::replay;
use rayon::prelude::*;

/// Returns the toy with rotations by automorphisms of all odd exponents.
fn toy(secret: SecretDistribution, window: usize) -> ParametersLiteral {
    toy_by(secret, odd(window))
}

fn odd(window: usize) -> RotationMethod {
    let digits = Parameters::insecure_toy().literal().automorphism;
    RotationMethod::Automorphism { window, digits }
}

/// Returns the rotation method of Algorithm 5.
fn sparse(sparsity_log2: u32, window: usize) -> RotationMethod {
    let digits = Parameters::insecure_toy().literal().automorphism;
    RotationMethod::SparseAutomorphism { sparsity_log2, window, digits }
}

fn toy_by(secret: SecretDistribution, rotation_method: RotationMethod) -> ParametersLiteral {
    ParametersLiteral {
        lwe_secret: secret,
        ring_secret: secret,
        rotation_method,
        ..*Parameters::insecure_toy().literal()
    }
}

fn setting(literal: ParametersLiteral) -> Setting {
    Setting::new(&Parameters::insecure(literal).unwrap())
}

const SECRETS: [SecretDistribution; 2] =
    [SecretDistribution::Binary, SecretDistribution::UniformTernary];

/// Returns masks of every kind that callers pass: rounded to odd numbers, exact, sparse, and with few products or none.
fn masks(dimension: usize, two_n: u64) -> Vec<Vec<u64>> {
    let random = |seed| random_outputs(dimension as u64, two_n, seed);
    let map = |seed, of: fn(u64) -> u64| random(seed).into_iter().map(of).collect();
    let one = |value: u64| {
        let mut mask = vec![0; dimension];
        mask[dimension / 2] = value;
        mask
    };
    vec![
        map(1, |a| a | 1),
        map(2, |a| a | 1),
        random(3),
        map(4, |a| a - a % 2),
        map(5, |a| a - a % 8),
        // Only -g^k, and only g^k: one half of the line is empty.
        map(6, |a| a | 3),
        map(7, |a| (a | 3) - 2),
        vec![0; dimension],
        vec![1; dimension],
        vec![two_n - 1; dimension],
        vec![two_n / 2; dimension],
        one(1),
        one(2),
        one(two_n - 1),
        one(two_n / 2 + 6),
    ]
}

/// Returns the largest error of any coefficient, as a fraction of Q.
fn largest_error(found: &[u64], expected: &[u64], q: u64) -> f64 {
    let fraction = |(&x, &y): (&u64, &u64)| {
        let difference = (x as f64 - y as f64) / q as f64;
        (difference - difference.round()).abs()
    };
    found.iter().zip(expected).map(fraction).fold(0.0, f64::max)
}

/// Returns a rotation of zero: an RLWE ciphertext of noise, with a mask.
fn encrypted_zero(setting: &Setting) -> RlweCiphertext {
    let parameters = setting.parameters();
    let ring = parameters.ring();
    let one = TestPolynomial::sign(ring, parameters.prime() / 4).to_rlwe(ring);
    let two_n = parameters.rotation_modulus();
    let mut mask = random_outputs(parameters.lwe_dimension() as u64, two_n, 9);
    mask.push(0);
    let phase = LweCiphertext::from_words(mask, two_n);
    let mut zero = setting.key.blind_rotate(&one, &phase);
    let exponent = (two_n - setting.secret.phase(&phase).unwrap()) % two_n;
    zero.sub_assign(ring, &one.times_monomial(ring, exponent as usize));
    assert!(zero.mask().iter().any(|&word| word != 0));
    zero
}

#[test]
fn rotations_are_by_the_phase() {
    let [binary, ternary] = SECRETS;
    for (secret, method) in
        [(binary, odd(1)), (binary, sparse(2, 10)), (ternary, odd(10)), (ternary, sparse(3, 1))]
    {
        let setting = setting(toy_by(secret, method));
        let parameters = setting.parameters();
        let (ring, two_n) = (parameters.ring(), parameters.rotation_modulus());
        let (n, q) = (ring.degree(), parameters.prime());
        let values = random_outputs(n as u64, 1 << 10, 8);
        let test = TestPolynomial::from_fn(ring, |x| encode(values[x as usize], 1 << 10, q));
        let test = test.to_rlwe(ring);
        let zero = encrypted_zero(&setting);
        let masks = masks(parameters.lwe_dimension(), two_n);
        masks.par_iter().enumerate().for_each(|(index, mask)| {
            let mut words = mask.clone();
            words.push(index as u64 * 217);
            let phase = LweCiphertext::from_words(words, two_n);
            let exponent = (two_n - setting.secret.phase(&phase).unwrap()) % two_n;
            let expected = test.times_monomial(ring, exponent as usize);
            let mut masked = test.clone();
            masked.add_assign(ring, &zero);
            for (kind, accumulator) in [("plain", &test), ("masked", &masked)] {
                let rotated = setting.key.blind_rotate(accumulator, &phase);
                let found = setting.secret.rlwe_phase(&rotated);
                let error = largest_error(&found, expected.body(), q);
                assert!(error < 1e-4, "{secret:?}, {method:?}, {kind}, mask {index}: {error}");
            }
        });
    }
}

/// Measures a rotation of a constant at the phase N/2. Returns the variances of the result, after the key switch, and after
/// the switch to the next phase.
fn measure(setting: &Setting, rotations: u64) -> [f64; 3] {
    let parameters = setting.parameters();
    let (ring, two_n, q) =
        (parameters.ring(), parameters.rotation_modulus(), parameters.lwe_modulus());
    let value = parameters.prime() / 8;
    let test = TestPolynomial::sign(ring, value).to_rlwe(ring);
    let coefficients = 64;
    let squares = |rotation: u64| {
        let _part = replay::part(rotation);
        let input = setting.secret.encrypt_phase(q / 4, q);
        let phase = setting.key.to_rotation_modulus(&input, two_n);
        let spacing = parameters.mask_spacing_log2(two_n).unwrap();
        assert!(phase.mask().iter().all(|word| (word + 1) % (1 << spacing) == 0));
        let rotated = setting.key.blind_rotate(&test, &phase);
        let mut sums = [0.0; 3];
        for position in 0..coefficients {
            let raw = rotated.extract(ring, position);
            let switched = setting.key.key_switch(&raw);
            let phase = setting.key.to_rotation_modulus(&switched, two_n);
            let error = |c, expected| setting.secret.phase_error(c, expected).unwrap().powi(2);
            sums[0] += error(&raw, value);
            sums[1] += error(&switched, encode(1, 8, q));
            sums[2] += error(&phase, two_n / 8);
        }
        sums
    };
    let add = |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let sums = (0..rotations).into_par_iter().map(squares).reduce(|| [0.0; 3], add);
    sums.map(|sum| sum / (rotations * coefficients as u64) as f64)
}

#[test]
fn noise_is_that_of_the_formulas() {
    let _replay = replay::begin();
    // With fine digits of the rotation, most of the noise comes from automorphisms; with coarse digits, from products.
    let fine = GadgetLiteral { base_log2: 9, length: 4 };
    let coarse = GadgetLiteral { base_log2: 15, length: 2 };
    let [binary, ternary] = SECRETS;
    for (secret, method, rotation) in [
        (binary, odd(1), fine),
        (ternary, odd(10), fine),
        (binary, odd(10), coarse),
        (ternary, sparse(2, 1), fine),
        (binary, sparse(2, 15), coarse),
        (binary, sparse(3, 8), fine),
    ] {
        let setting =
            setting(ParametersLiteral { rotation: rotation.into(), ..toy_by(secret, method) });
        let measured = measure(&setting, 24);
        let model = NoiseModel::new(setting.parameters());
        let automorphisms = method.automorphisms(2048, 64, 0);
        let share = automorphisms * model.automorphism().0 / model.blind_rotation().0;
        println!("{secret:?}, {method:?}: automorphisms are {share:.3} of the noise");
        let predicted = [
            model.blind_rotation(),
            model.blind_rotation() + model.key_switching(),
            model.bootstrap(),
        ];
        for (step, (measured, predicted)) in measured.into_iter().zip(predicted).enumerate() {
            assert_ratio(&format!("step {step}"), measured, predicted);
        }
    }
}

#[test]
fn compress() {
    let _replay = replay::begin();
    for method in [odd(10), sparse(2, 10)] {
        let setting = setting(toy_by(SecretDistribution::Binary, method));
        check_every_value(&setting, &FdfbCompress, &[4, 8, 16]);
        check_noise(&setting, &FdfbCompress, 16, 200);
    }
}

/// Algorithm 5 under 128-bit parameters, compared with LMKCDEY: every value of a table decrypts, and the number of
/// automorphisms and the noise are as predicted.
#[test]
fn functional_bootstraps_with_security() {
    let _replay = replay::begin();
    let sets = AutomorphismSet::ALL.into_iter().filter(|set| set.sparsity_log2.is_some());
    let counts: Vec<(AutomorphismSet, f64)> = sets.map(|set| (set, check_set(set))).collect();
    for pair in counts.windows(2).filter(|pair| pair[0].0.ring_degree == pair[1].0.ring_degree) {
        let sparser = pair[0].0.sparsity_log2 < pair[1].0.sparsity_log2;
        assert!(!sparser || pair[1].1 < 0.95 * pair[0].1, "{pair:?}");
    }
}

/// Checks a set, and returns the measured mean number of automorphisms.
fn check_set(set: AutomorphismSet) -> f64 {
    let parameters = set.parameters();
    assert!(parameters.security_bits() >= 128.0);
    let secret = SecretKey::generate(&parameters);
    let seeded = secret.evaluation_key();
    let window = parameters.rotation_automorphisms().unwrap();
    let words = window.key_count() * window.gadget.length() * parameters.ring_degree();
    assert_eq!(seeded.rotation_automorphisms.as_ref().unwrap().bodies().len(), words);
    let setting = Setting { key: EvaluationKey::expand(&seeded), secret };
    let (two_n, q) = (parameters.rotation_modulus(), parameters.lwe_modulus());
    let (p, test) = (4, TestPolynomial::padded_table(parameters.ring(), &[1, 3]));
    let ring = parameters.ring();
    let keys = ring.prepare_rows(window.key_count(), window.gadget.length(), |_, _| ());
    let automorphisms = RotationAutomorphisms::new(window, keys);
    let samples = 24;
    let sample = |sample: u64| {
        let _part = replay::part(sample);
        let value = sample % 2;
        let mut input = setting.secret.encrypt(value, p).unwrap();
        input.add_constant_assign(q / (2 * p));
        let phase = setting.key.to_rotation_modulus(&input, two_n);
        let rotated = setting.key.blind_rotate(&test.to_rlwe(ring), &phase);
        let output = setting.key.key_switch(&rotated.extract(ring, 0));
        let expected = [1, 3][value as usize];
        assert_eq!(setting.secret.decrypt(&output, p).unwrap(), expected, "{set:?}");
        let steps = automorphisms.steps(phase.mask());
        let products = steps.iter().filter(|step| matches!(step, Step::Product(_))).count();
        assert_eq!(products, parameters.lwe_dimension());
        let error = |position| {
            let raw = rotated.extract(ring, position);
            let expected = encode(expected, p, parameters.prime());
            setting.secret.phase_error(&raw, expected).unwrap().powi(2)
        };
        // Coefficients around the constant one belong to the same entry.
        let squares = (0..32).map(error).sum::<f64>() / 32.0;
        (automorphism_count(&steps) as f64 / samples as f64, squares / samples as f64)
    };
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let (count, noise) = (0..samples).into_par_iter().map(sample).reduce(|| (0.0, 0.0), add);
    let method = parameters.literal().rotation_method;
    let expected = method.automorphisms(parameters.ring_degree(), parameters.lwe_dimension(), 0);
    println!("{set:?}: {count:.1} automorphisms, expected {expected:.1}");
    assert!((count / expected - 1.0).abs() < 0.02);
    let model = NoiseModel::new(&parameters);
    assert_ratio("rotation", noise, model.blind_rotation());
    let tail = model.bootstrap().law().log2_exceeds(0.125);
    assert!(tail <= -64.0, "{tail}");
    count
}

#[test]
fn ternary_secrets_and_finer_keys() {
    let finer = RgswGadgetLiteral {
        body: GadgetLiteral { base_log2: 11, length: 3 },
        mask: GadgetLiteral { base_log2: 9, length: 5 },
    };
    let setting = setting(ParametersLiteral {
        finer_rotations: [Some(finer), None, None],
        ..toy(SecretDistribution::UniformTernary, 10)
    });
    check_every_value(&setting, &FdfbCompress, &[8]);
    let parameters = setting.parameters();
    let (ring, two_n) = (parameters.ring(), parameters.rotation_modulus());
    let value = parameters.prime() / 8;
    let test = TestPolynomial::sign(ring, value).to_rlwe(ring);
    let phase = setting.secret.encrypt_phase(two_n / 4, two_n);
    let raw = setting.key.blind_rotate_by(1, &test, &phase).extract(ring, 0);
    assert!(setting.secret.phase_error(&raw, value).unwrap().abs() < 1e-4);
}

/// Sparse rounding makes all masks even.
#[test]
fn several_tables_by_one_rotation() {
    let _replay = replay::begin();
    let setting = setting(toy(SecretDistribution::Binary, 10));
    let predicted = NoiseModel::new(setting.parameters()).sparse_blind_rotation(2);
    check_sparse_tables(&setting, 8, 4, 64, predicted);
}

/// The phase after sparse rounding has the noise of Theorem 1 of Wang et al., without the mean, which is compensated.
#[test]
fn sparse_rounding_has_the_predicted_noise() {
    let _replay = replay::begin();
    for secret in SECRETS {
        let setting = setting(toy(secret, 10));
        let parameters = setting.parameters();
        let q = parameters.lwe_modulus();
        let model = NoiseModel::new(parameters);
        for tests in [2, 4, 8] {
            let modulus = sparse_modulus(setting.key.parameters(), tests);
            let square = |sample: u64| {
                let value = sample * 37 % modulus;
                let input = setting.secret.encrypt_phase(value * (q / modulus), q);
                let phase = setting.key.to_rotation_modulus(&input, modulus);
                setting.secret.phase_error(&phase, value).unwrap().powi(2)
            };
            let measured = (0..1000).map(square).sum::<f64>() / 1000.0;
            let predicted = model.lwe_modulus_switch(modulus) + model.fresh();
            assert_ratio(&format!("{secret:?}, {tests} tests"), measured, predicted);
        }
    }
}
