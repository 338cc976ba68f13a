//! The TFHE circuit bootstrap in three levels, at toy size.

mod noise_checks;

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_lattice::security::SecretDistribution::Binary;
use cryptable_leveled::tree::{Cmux, LeveledCiphertext};
use cryptable_papers::tfhe_baseline::three_levels::{
    LevelOneSecret, ThreeLevelBootstrapping, ThreeLevelKey, ThreeLevelLiteral, ThreeLevelNoise,
    ThreeLevelParameters,
};
use cryptable_papers::tfhe_baseline::{PrivateFunction, PrivateKeyForm};
use cryptable_papers::wang_2024::published_times::TFHE_DEPTHS;
use cryptable_ring::random::replay;
use rayon::prelude::*;

use PrivateKeyForm::{Precomputed, Products};
use noise_checks::{check, check_private_switching, mean_square, private_errors};

struct Setting {
    parameters: ThreeLevelParameters,
    top: SecretKey,
    secret: LevelOneSecret,
    rotation: EvaluationKey,
    key: ThreeLevelKey,
}

impl Setting {
    fn new(parameters: &ThreeLevelParameters) -> Self {
        let top = SecretKey::generate(parameters.level_2());
        let secret = LevelOneSecret::generate(parameters);
        let rotation = EvaluationKey::expand(&top.evaluation_key());
        let key = ThreeLevelKey::generate(&top, &secret);
        Self { parameters: parameters.clone(), top, secret, rotation, key }
    }

    /// A toy with other numbers. Not secure.
    fn insecure_toy(form: PrivateKeyForm, of: impl Fn(&mut ThreeLevelLiteral)) -> Self {
        let mut literal = *ThreeLevelParameters::insecure_toy(form).literal();
        of(&mut literal);
        Self::new(&ThreeLevelParameters::insecure(literal).unwrap())
    }

    fn circuit(&self) -> ThreeLevelBootstrapping<'_> {
        ThreeLevelBootstrapping::new(&self.rotation, &self.key)
    }

    /// A chain of CMUXes of selectors on a fresh 1, which moves from the constant coefficient to that of their number of
    /// ones. Modulo the prime of products.
    fn chain(&self, selectors: &[RgswCiphertext], ones: usize) -> LweCiphertext {
        let ring = self.parameters.level_1();
        let one = self.parameters.to_ring(&self.secret.encrypt_row(true));
        let mut moved = LeveledCiphertext::new(ring, &one);
        let mut cmux = Cmux::new(ring, self.parameters.rgsw_gadget());
        for selector in selectors {
            cmux.rotate_if_assign(selector, &mut moved, 1);
        }
        moved.extract(ring, [ones].into_iter()).remove(0)
    }
}

fn digits(base_log2: u32, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

/// Every bit goes round three times: circuit bootstrap, CMUX, and from its result again.
#[test]
fn bits_go_round() {
    for form in [Products, Precomputed] {
        let setting = Setting::insecure_toy(form, |_| {});
        let circuit = setting.circuit();
        (0..32).into_par_iter().for_each(|i| {
            let bit = i % 2 == 1;
            let mut input = setting.secret.encrypt_bit(bit);
            for round in 0..3 {
                let selector = circuit.bootstrap(&input).unwrap();
                let moved = setting.chain(&[selector], usize::from(bit));
                assert!(setting.secret.decrypt_bit(&moved).unwrap(), "{form:?}, {i}, {round}");
                // Back to the torus of 32 bits: a 1, less it for a 0.
                let mut result = moved.modulus_switch(1 << 32, Binary);
                if !bit {
                    result.add_constant_assign(1 << 31);
                }
                assert_eq!(setting.secret.decrypt_bit(&result).unwrap(), bit);
                input = result;
            }
        });
    }
}

/// Errors of every result's coefficients.
fn errors(setting: &Setting, function: PrivateFunction, inputs: &[LweCiphertext]) -> Vec<Vec<f64>> {
    let q = setting.parameters.level_2().prime() as f64;
    let results = setting.key.private().switch(function, inputs).unwrap();
    let error = |(input, result): (&LweCiphertext, &Vec<u32>)| -> Vec<f64> {
        let phase = setting.top.phase(input).unwrap() as f64 / q;
        let found = setting.secret.row_phase(result);
        let found = found.into_iter().map(|word| f64::from(word) / 2f64.powi(32));
        private_errors(function, setting.secret.coefficients(), phase, found)
    };
    inputs.iter().zip(&results).map(error).collect()
}

#[test]
fn private_key_switching_has_the_predicted_noise() {
    let _replay = replay::begin();
    // Errors of rows dominate, then both count, then what is rounded away dominates.
    for (form, private) in [
        (Products, digits(3, 10)),
        (Products, digits(8, 2)),
        (Products, digits(4, 3)),
        (Precomputed, digits(3, 10)),
        (Precomputed, digits(3, 5)),
        (Precomputed, digits(2, 6)),
    ] {
        let setting = Setting::insecure_toy(form, |literal| literal.private = private);
        let noise = ThreeLevelNoise::new(&setting.parameters).private_switching();
        let level_2 = setting.parameters.level_2();
        let encrypt = |i: u64| {
            cryptable_lattice::lwe_encryption::encrypt_phase(
                setting.top.ring_coefficients(),
                i * 12_345_678_901 % level_2.prime(),
                level_2.prime(),
            )
        };
        let inputs: Vec<LweCiphertext> = (0..300).map(encrypt).collect();
        let name = format!("{form:?}, {private:?}");
        check_private_switching(&name, |function| errors(&setting, function, &inputs), noise);
    }
}

/// Key switching to level 0 and rounding modulo 2N, each dominating in turn.
#[test]
fn phases_of_level_0_have_the_predicted_noise() {
    let _replay = replay::begin();
    for (key_switching, log2_deviation) in
        [(digits(2, 7), -15.0), (digits(2, 7), -12.0), (digits(2, 3), -15.0)]
    {
        let setting = Setting::insecure_toy(Products, |literal| {
            literal.key_switching = key_switching;
            literal.log2_deviations[0] = log2_deviation;
        });
        let noise = ThreeLevelNoise::new(&setting.parameters);
        let circuit = setting.circuit();
        let error = |i: u64| {
            let bit = i % 2 == 1;
            let input = setting.secret.encrypt_bit(bit);
            let phase = circuit.level_0_phase(&input).unwrap();
            assert!(phase.words().iter().all(|word| word % 4 == 0));
            let q = phase.modulus();
            let found = setting.top.phase(&phase).unwrap() as f64 / q as f64;
            let expected = 0.25 + 0.5 * f64::from(u8::from(bit));
            let difference = found - expected - setting.secret.bit_error(&input, bit).unwrap();
            difference - difference.round()
        };
        let measured = mean_square((0..2000).map(error));
        let predicted = noise.key_switching() + noise.sparse_rounding();
        let name = format!("{key_switching:?}, {log2_deviation}");
        check(&name, measured, predicted.0, 0.8..1.25);
    }
}

/// Chains of two CMUXes by bits that are 0 and 1 in turn.
#[test]
fn chains_have_the_predicted_noise() {
    let _replay = replay::begin();
    // Rows, blind rotation times the secret, and what CMUXes round away dominate in turn.
    let settings: [(_, fn(&mut ThreeLevelLiteral)); 4] = [
        (Products, |_| {}),
        (Precomputed, |_| {}),
        (Precomputed, |literal| literal.rotation = digits(20, 1)),
        (Precomputed, |literal| literal.rgsw = digits(5, 2)),
    ];
    let chain = 2;
    for (form, of) in settings {
        let (mut found, mut predicted) = (Vec::new(), 0.0);
        // Several keys, as the weights of toys' secrets differ.
        for _ in 0..4 {
            let setting = Setting::insecure_toy(form, of);
            let circuit = setting.circuit();
            let error = |i: u64| {
                let _part = replay::part(i);
                let one = |j| circuit.bootstrap(&setting.secret.encrypt_bit(j % 2 == 1)).unwrap();
                let selectors: Vec<RgswCiphertext> = (0..chain).map(one).collect();
                let result = setting.chain(&selectors, chain / 2);
                setting.secret.bit_error(&result, true).unwrap()
            };
            found.par_extend((0..64).into_par_iter().map(error));
            predicted = ThreeLevelNoise::new(&setting.parameters).cmux(0.5).0 * chain as f64;
        }
        check(&format!("{form:?}"), mean_square(found.into_iter()), predicted, 0.6..1.6);
    }
}

/// By our noise, a chain that a circuit bootstrap reads wrong with probability 2^-64 is shorter than published: a CMUX
/// adds to bodies and to masks, and pre-computed rows err five times as much as Table 7 has it.
#[test]
fn depths_are_below_the_published() {
    for (form, published) in [Products, Precomputed].into_iter().zip(TFHE_DEPTHS) {
        let noise = ThreeLevelNoise::new(&ThreeLevelParameters::insecure_tfhepp(form));
        let (rows, cmux) = (noise.rgsw().constant.0.log2(), noise.cmux(0.5).0.log2());
        println!("{form:?}: rows 2^{rows:.2}, a CMUX 2^{cmux:.2}, depth {}", noise.max_depth());
        println!("published: {published:?}");
        assert!((0.95..1.2).contains(&(cmux - rows - 20.0)), "{form:?}");
        assert!((1..published.max_depth).contains(&noise.max_depth()), "{form:?}");
        assert!((noise.log2_fail(noise.input_variance()) + 64.0).abs() < 0.01);
    }
}

#[test]
fn keys_have_the_computed_bytes() {
    let setting = Setting::insecure_toy(Products, |_| {});
    let parameters = &setting.parameters;
    assert_eq!(parameters.private_rows(), 512 * 10);
    assert_eq!(setting.key.private().bytes(), 2 * 5120 * 2 * 256 * 4);
    assert_eq!(setting.key.level_0().bytes(), 256 * 7 * 65 * 4);
    let rotation = 64 * 8 * 2 * 512 * 8;
    assert_eq!(setting.circuit().key_bytes(), rotation + setting.key.bytes());
    let sent = 64 * 8 * 512 * 46 / 8 + 2 * 5120 * 256 * 4 + 256 * 7 * 4 + 32;
    assert_eq!(parameters.key_file_bytes(), sent);
    let selector = setting.circuit().bootstrap(&setting.secret.encrypt_bit(true)).unwrap();
    assert_eq!(selector.bytes(), parameters.rgsw_bytes());
}

#[test]
fn other_ciphertexts_are_refused() {
    let setting = Setting::insecure_toy(Products, |_| {});
    let level_2 = setting.parameters.level_2();
    let of_level_2 = LweCiphertext::trivial(level_2.ring_degree(), level_2.prime(), 0);
    assert!(setting.circuit().bootstrap(&of_level_2).is_err());
    assert!(setting.secret.decrypt_bit(&of_level_2).is_err());
    let bit = setting.secret.encrypt_bit(true);
    assert!(setting.key.private().switch(PrivateFunction::Identity, &[bit]).is_err());
    assert!(setting.key.private().switch(PrivateFunction::Identity, &[of_level_2]).is_ok());
}
