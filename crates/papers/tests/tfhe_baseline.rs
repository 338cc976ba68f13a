//! The TFHE circuit bootstrap, which crate `leveled`'s is compared with.

mod noise_checks;

use cryptable_fhew::keys::{EvaluationKey, SecretKey, conversion_key_bytes, evaluation_key_bytes};
use cryptable_fhew::parameters::{GadgetLiteral, ParametersLiteral};
use cryptable_lattice::SecurityLevel;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::bootstrapping::{bit_error, decrypt_bit, encrypt_bit, trivial_bit};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, ParameterSet,
};
use cryptable_leveled::tree::CmuxTree;
use cryptable_papers::tfhe_baseline::{
    MAX_KEY_BYTES, PrivateFunction, PrivateKeyForm, PrivateSwitchingKey, SeededPrivateSwitchingKey,
    TfheCircuitBootstrapping, TfheParameters,
};
use cryptable_ring::random::replay;
use rayon::prelude::*;

use PrivateKeyForm::{Precomputed, Products};
use noise_checks::{check_private_switching, private_errors};

struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
    private: PrivateSwitchingKey,
}

/// A ring of degree 512 and LWE of dimension 64. Not secure.
fn toy() -> CircuitBootstrappingParameters {
    let literal = ParameterSet::Aes128.literal();
    let fhew = ParametersLiteral {
        lwe_dimension: 64,
        ring_degree: 512,
        intermediate: None,
        ..literal.fhew
    };
    let (security, rgsw) = (SecurityLevel::Insecure, digits(7, 2));
    let literal = CircuitBootstrappingLiteral { security, rgsw, fhew, ..literal };
    CircuitBootstrappingParameters::new(literal).unwrap()
}

fn digits(base_log2: u32, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

impl Setting {
    fn new(parameters: &TfheParameters) -> Self {
        let secret = SecretKey::generate(parameters.circuit_bootstrapping().fhew());
        let key = EvaluationKey::expand(&secret.evaluation_key());
        let seeded = SeededPrivateSwitchingKey::generate(parameters, &secret);
        let private = PrivateSwitchingKey::expand(parameters, &seeded).unwrap();
        Self { secret, key, private }
    }

    fn circuit(&self) -> TfheCircuitBootstrapping<'_> {
        TfheCircuitBootstrapping::new(&self.key, &self.private)
    }

    /// The table's bits at `value`, and the sum of squares of their errors.
    fn lookup(&self, tree: &CmuxTree, value: u64, expected: u64) -> (u64, f64) {
        let circuit = self.circuit();
        let one = |i| circuit.bootstrap(&encrypt_bit(&self.secret, value >> i & 1 == 1)).unwrap();
        let selectors: Vec<RgswCiphertext> = (0..tree.input_bits()).map(one).collect();
        let results = tree.lookup(&selectors).unwrap();
        results.iter().enumerate().fold((0, 0.0), |(found, squares), (i, bit)| {
            let one = u64::from(decrypt_bit(&self.secret, bit).unwrap());
            let error = bit_error(&self.secret, bit, expected >> i & 1 == 1).unwrap();
            (found | one << i, squares + error.powi(2))
        })
    }
}

/// Some table of bytes.
fn table() -> Vec<u64> {
    (0..256u64).map(|x| (x * x * 167 + x * 29 + 13) / 7 % 256).collect()
}

#[test]
fn every_entry_of_a_table_of_bytes() {
    for (gadget, form) in [(digits(12, 2), Products), (digits(3, 7), Precomputed)] {
        let parameters = TfheParameters::new(&toy(), gadget, form).unwrap();
        let setting = Setting::new(&parameters);
        let (table, tree) = (table(), CmuxTree::new(&toy(), &table(), 8).unwrap());
        (0..256).into_par_iter().for_each(|value| {
            let expected = table[value as usize];
            assert_eq!(setting.lookup(&tree, value, expected).0, expected, "{form:?}, {value}");
        });
    }
}

#[test]
fn results_of_trees_have_the_predicted_noise() {
    let _replay = replay::begin();
    // Noise of blind rotation, of rounding, and of rows dominates in turn.
    let decompositions = [
        (digits(12, 2), Products),
        (digits(18, 1), Products),
        (digits(24, 1), Products),
        (digits(3, 8), Precomputed),
        (digits(3, 6), Precomputed),
    ];
    for (gadget, form) in decompositions {
        let parameters = TfheParameters::new(&toy(), gadget, form).unwrap();
        let setting = Setting::new(&parameters);
        let (table, tree) = (table(), CmuxTree::new(&toy(), &table(), 8).unwrap());
        let square = |i: u64| {
            let _part = replay::part(i);
            let value = i * 151 % 256;
            setting.lookup(&tree, value, table[value as usize]).1
        };
        let samples = 64;
        let sum: f64 = (0..samples).into_par_iter().map(square).sum();
        let predicted = tree.output_noise(&parameters.noise(), 0.5).variance();
        let ratio = sum / (8 * samples) as f64 / predicted;
        assert!((0.5..2.0).contains(&ratio), "{form:?}, {gadget:?}: {ratio}");
    }
}

/// Errors of every result's coefficients.
fn errors(setting: &Setting, function: PrivateFunction, inputs: &[LweCiphertext]) -> Vec<Vec<f64>> {
    let secret = &setting.secret;
    let q = secret.parameters().prime() as f64;
    let results = setting.private.switch(function, inputs).unwrap();
    let error = |(input, result): (&LweCiphertext, _)| -> Vec<f64> {
        let phase = secret.phase(input).unwrap() as f64 / q;
        let found = secret.rlwe_phase(result).into_iter().map(|residue| residue as f64 / q);
        private_errors(function, secret.ring_coefficients(), phase, found)
    };
    inputs.iter().zip(&results).map(error).collect()
}

#[test]
fn private_key_switching_has_the_predicted_noise() {
    let _replay = replay::begin();
    let decompositions = [
        (digits(12, 2), Products),
        (digits(24, 1), Products),
        (digits(3, 8), Precomputed),
        (digits(3, 15), Precomputed),
    ];
    for (gadget, form) in decompositions {
        let parameters = TfheParameters::new(&toy(), gadget, form).unwrap();
        let setting = Setting::new(&parameters);
        let noise = parameters.private_switching_noise();
        let inputs: Vec<_> = (0..200).map(|i| encrypt_bit(&setting.secret, i % 2 == 1)).collect();
        let name = format!("{form:?}, {gadget:?}");
        check_private_switching(&name, |function| errors(&setting, function, &inputs), noise);
    }
}

#[test]
fn every_set_has_a_baseline_of_its_depth() {
    for set in ParameterSet::WANG_CMUX {
        let circuit = set.parameters();
        let depth = CircuitBootstrappingNoise::new(&circuit).max_depth();
        for form in [Products, Precomputed] {
            let baseline = TfheParameters::as_deep(&circuit, form).unwrap();
            assert!(baseline.noise().max_depth() >= depth);
            assert!(baseline.key_bytes() <= MAX_KEY_BYTES);
            let gadget = baseline.private_gadget();
            println!(
                "{set}, {form:?}: {}x{}, depth {} of {depth}, {} MB, sent {} MB",
                gadget.base_log2(),
                gadget.length(),
                baseline.noise().max_depth(),
                baseline.key_bytes() / 1_000_000,
                baseline.key_file_bytes() / 1_000_000
            );
        }
    }
}

#[test]
fn keys_have_the_computed_bytes() {
    for (gadget, form, rows) in
        [(digits(12, 2), Products, 2 * 512), (digits(3, 4), Precomputed, 4 * 4 * 512)]
    {
        let parameters = TfheParameters::new(&toy(), gadget, form).unwrap();
        let setting = Setting::new(&parameters);
        assert_eq!(parameters.rows(), rows);
        assert_eq!(parameters.key_bytes(), 2 * rows * 16 * 512);
        assert_eq!(setting.private.bytes() as u64, parameters.key_bytes());
        assert_eq!(parameters.key_file_bytes(), 2 * rows * 512 * 47 / 8 + 32);
        let key = &setting.key;
        let circuit = setting.circuit();
        assert_eq!(
            circuit.key_bytes(),
            key.bytes() - key.conversion_bytes() + setting.private.bytes()
        );
        let below = parameters.circuit_bootstrapping().fhew();
        // 9 automorphisms of 3 digits, and 2 rows of the secret's square; both are rounded up to bytes.
        assert_eq!(conversion_key_bytes(below), (9 * 3 + 2) * 512 * 47 / 8);
        let sent = (evaluation_key_bytes(below) - conversion_key_bytes(below)) as u64;
        assert_eq!(circuit.key_file_bytes(), sent + parameters.key_file_bytes());
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let new = |gadget, form| TfheParameters::new(&toy(), gadget, form);
    for gadget in [digits(0, 1), digits(1, 0), digits(24, 2), digits(33, 1)] {
        let message = new(gadget, Products).unwrap_err().to_string();
        assert!(message.contains("private switching digits"), "{message}");
    }
    let set = ParameterSet::CmuxDepth2.parameters();
    let message = TfheParameters::new(&set, digits(8, 3), Precomputed).unwrap_err().to_string();
    assert!(message.contains("51539607552; it must be at most 6000000000"), "{message}");
    assert!(new(digits(32, 1), Precomputed).is_err());

    let parameters = new(digits(12, 2), Products).unwrap();
    let setting = Setting::new(&parameters);
    let wrong = setting.secret.encrypt(1, 2).unwrap();
    assert!(setting.circuit().bootstrap(&wrong).is_err());
    assert!(setting.private.switch(PrivateFunction::Identity, &[wrong]).is_err());
    let bit = trivial_bit(setting.secret.parameters(), true);
    assert!(setting.private.switch(PrivateFunction::Identity, &[bit]).is_ok());
    let seeded = SeededPrivateSwitchingKey::generate(&parameters, &setting.secret);
    let longer = new(digits(12, 3), Products).unwrap();
    assert!(PrivateSwitchingKey::expand(&longer, &seeded).is_err());
    let mut swapped = seeded;
    swapped.rows.reverse();
    let message = PrivateSwitchingKey::expand(&parameters, &swapped).unwrap_err().to_string();
    assert!(message.contains("row domain"), "{message}");
}
