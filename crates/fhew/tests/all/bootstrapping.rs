//! The functional bootstrap: exact on every phase, with the noise that the formulas predict.

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::{
    GadgetLiteral, IntermediateRing, Parameters, ParametersLiteral, RgswGadgetLiteral,
};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::random::replay;

/// Returns toys with every kind of secret.
fn toys() -> [Parameters; 3] {
    let binary = Parameters::insecure_toy();
    let ternary = ParametersLiteral {
        lwe_secret: SecretDistribution::UniformTernary,
        ring_secret: SecretDistribution::UniformTernary,
        rotation: RgswGadgetLiteral {
            body: GadgetLiteral { base_log2: 20, length: 1 },
            mask: GadgetLiteral { base_log2: 15, length: 2 },
        },
        ..*binary.literal()
    };
    let intermediate = IntermediateRing {
        degree: 512,
        log2_prime: 30.0,
        secret: SecretDistribution::UniformTernary,
        digits: GadgetLiteral { base_log2: 4, length: 7 },
    };
    let through = ParametersLiteral { intermediate: Some(intermediate), ..*binary.literal() };
    [binary, Parameters::insecure(ternary).unwrap(), Parameters::insecure(through).unwrap()]
}

#[test]
fn negacyclic_tables_are_exact_on_every_value() {
    for parameters in toys() {
        let secret = SecretKey::generate(&parameters);
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let (ring, two_n) = (parameters.ring(), parameters.rotation_modulus());
        let p = 16;
        let half = two_n / (2 * p);
        let outputs = [3, 9, 0, 15, 15, 1, 7, 12];
        let test = TestPolynomial::from_fn(ring, |x| {
            encode(outputs[(x * p / two_n) as usize], p, parameters.prime())
        });
        for value in 0..p {
            let input = secret.encrypt(value, p).unwrap();
            let mut phase = key.to_rotation_modulus(&input, two_n);
            phase.add_constant_assign(half);
            let output = secret.decrypt(&key.boot(&test, &phase), p).unwrap();
            let entry = outputs[value as usize % 8];
            assert_eq!(output, if value < 8 { entry } else { (p - entry) % p }, "input {value}");
        }
    }
}

#[test]
fn noise_is_that_of_the_formulas() {
    let _replay = replay::begin();
    for parameters in toys() {
        let secret = SecretKey::generate(&parameters);
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let model = NoiseModel::new(&parameters);
        let (ring, two_n) = (parameters.ring(), parameters.rotation_modulus());
        let value = parameters.prime() / 8;
        let test = TestPolynomial::sign(ring, value);
        let mut sums = [0.0; 3];
        let samples = 300;
        for sample in 0..samples {
            let input = secret.encrypt_phase(two_n / 4, two_n);
            let rotated = key.blind_rotate(&test.to_rlwe(ring), &input);
            // Uses several coefficients of one rotation, those that stay positive at a phase of N/2.
            let raw = rotated.extract(ring, sample % 64);
            let switched = key.key_switch(&raw);
            let phase = key.to_rotation_modulus(&switched, two_n);
            let error = |c, expected| secret.phase_error(c, expected).unwrap().powi(2);
            sums[0] += error(&raw, value);
            sums[1] += error(&switched, encode(1, 8, parameters.lwe_modulus()));
            sums[2] += error(&phase, two_n / 8);
        }
        let predicted = [
            model.blind_rotation(),
            model.blind_rotation() + model.key_switching(),
            model.bootstrap(),
        ];
        for (step, (sum, predicted)) in sums.iter().zip(predicted).enumerate() {
            let ratio = sum / samples as f64 / predicted.0;
            assert!((0.6..1.6).contains(&ratio), "step {step}: measured/predicted {ratio}");
        }
    }
}

#[test]
fn default_set_bootstraps() {
    let parameters = Parameters::default_128();
    let secret = SecretKey::generate(&parameters);
    let key = EvaluationKey::expand(&secret.evaluation_key());
    let two_n = parameters.rotation_modulus();
    let test = TestPolynomial::sign(parameters.ring(), parameters.prime() / 8);
    for (value, expected) in [(0, 1), (1, 1), (2, 7), (3, 7)] {
        let mut phase = key.to_rotation_modulus(&secret.encrypt(value, 4).unwrap(), two_n);
        phase.add_constant_assign(two_n / 8);
        let output = key.boot(&test, &phase);
        assert_eq!(secret.decrypt(&output, 8).unwrap(), expected);
    }
}
