//! Digits of two bits: two selectors per rotation, tables at Gray codes.

use crate::common;

use common::Setting;
use cryptable_fhew::noise::Variance;
use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::ReadOptions;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_leveled::bootstrapping::{
    Plaintext, decrypt_plaintext, encrypt_plaintext, gray_code, plaintext_error,
};
use cryptable_leveled::lookup;
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, ParameterSet,
};
use cryptable_leveled::tree::{Cmux, CmuxTree, LeveledCiphertext};
use cryptable_ring::random::replay;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

impl Setting {
    /// Encrypts a value of `bits` bits.
    fn encrypt(&self, value: u64, bits: usize) -> Vec<LweCiphertext> {
        let digit = |i| encrypt_plaintext(&self.secret, digit_of(value, i));
        (0..bits.div_ceil(2)).map(digit).collect()
    }

    fn decrypt(&self, digits: &[LweCiphertext]) -> u64 {
        let digit = |(i, digit)| decrypt_plaintext(&self.secret, digit, 2).unwrap() << (2 * i);
        digits.iter().enumerate().map(digit).sum()
    }
}

fn digit_of(value: u64, i: usize) -> Plaintext {
    Plaintext { value: value >> (2 * i) & 3, bits: 2 }
}

fn random(count: usize, modulus: u64, seed: u64) -> Vec<u64> {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    (0..count).map(|_| rng.random_range(0..modulus)).collect()
}

#[test]
fn every_entry_of_small_tables_and_some_of_large_ones() {
    let setting = Setting::new(ParameterSet::TwoBitDepth11.insecure_toy());
    let circuit = setting.circuit();
    for (bits, width) in [(1, 1), (2, 2), (3, 5), (6, 1), (7, 8), (8, 7), (11, 3), (12, 4), (13, 2)]
    {
        let table = random(1 << bits, 1 << width, bits as u64);
        let tree = CmuxTree::new(&setting.parameters, &table, width).unwrap();
        assert_eq!((tree.input_bits(), tree.width(), tree.depth()), (bits, width, bits));
        let step = if bits <= 8 { 1 } else { (1 << bits) / 24 + 1 };
        let inputs: Vec<u64> = (0..1 << bits).step_by(step).collect();
        let encrypted: Vec<_> = inputs.iter().map(|&x| setting.encrypt(x, bits)).collect();
        let results = tree.lookup_many(&circuit, &encrypted).unwrap();
        for (&input, result) in inputs.iter().zip(&results) {
            assert_eq!(result.len(), width.div_ceil(2));
            assert_eq!(setting.decrypt(result), table[input as usize], "{bits} bits, {input}");
        }
    }
}

/// Selectors encrypt the bits of the Gray code, lowest first; the highest digit of an odd number of bits has only one.
#[test]
fn selectors_are_of_gray_codes_and_have_the_predicted_noise() {
    let _replay = replay::begin();
    for set in [ParameterSet::TwoBitDepth11, ParameterSet::TwoBitDepth24] {
        let setting = Setting::new(set.insecure_toy());
        let (circuit, noise) =
            (setting.circuit(), CircuitBootstrappingNoise::new(&setting.parameters));
        let ring = setting.parameters.fhew().ring();
        let measure = |(sample, &value): (usize, &u64)| -> f64 {
            let _part = replay::part(sample as u64);
            let input = setting.encrypt(value, 7);
            let selectors = circuit.bootstrap_values(&input.iter().collect::<Vec<_>>(), 7).unwrap();
            assert_eq!(selectors.len(), 7);
            let mut cmux = Cmux::new(ring, setting.parameters.rgsw_gadget());
            let error = |(j, selector)| {
                // A fresh 1, moved from the constant coefficient to the next by a bit of 1.
                let one = Plaintext { value: 1, bits: 2 };
                let fresh = encrypt_plaintext(&setting.secret, one);
                let fresh = cryptable_fhew::rlwe::RlweCiphertext::embed(ring, &fresh);
                let mut moved = LeveledCiphertext::new(ring, &fresh);
                cmux.rotate_if_assign(selector, &mut moved, 1);
                let bit = gray_code(value as usize, 2) >> j & 1;
                let result = moved.extract(ring, [bit].into_iter()).remove(0);
                assert_eq!(
                    decrypt_plaintext(&setting.secret, &result, 2).unwrap(),
                    1,
                    "{value}, {j}"
                );
                plaintext_error(&setting.secret, &result, one).unwrap().powi(2)
            };
            selectors.iter().enumerate().map(error).sum()
        };
        let inputs = random(40, 128, 3);
        let squares: f64 = inputs.par_iter().enumerate().map(measure).sum();
        let ratio = squares / (7 * inputs.len()) as f64 / noise.cmux(0.5).variance();
        println!("measured/predicted {ratio:.3}");
        assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}

#[test]
fn results_have_the_predicted_noise() {
    let _replay = replay::begin();
    for (set, bits) in [(ParameterSet::TwoBitDepth11, 7), (ParameterSet::TwoBitDepth24, 12)] {
        let setting = Setting::new(set.insecure_toy());
        let noise = CircuitBootstrappingNoise::new(&setting.parameters);
        let table = random(1 << bits, 1 << bits, 5);
        let tree = CmuxTree::new(&setting.parameters, &table, bits).unwrap();
        let inputs = random(50, 1 << bits, 6);
        let encrypted: Vec<_> = inputs.iter().map(|&x| setting.encrypt(x, bits)).collect();
        let results = tree.lookup_many(&setting.circuit(), &encrypted).unwrap();
        let mut squares = 0.0;
        for (&input, result) in inputs.iter().zip(&results) {
            for (i, digit) in result.iter().enumerate() {
                let expected = digit_of(table[input as usize], i);
                squares += plaintext_error(&setting.secret, digit, expected).unwrap().powi(2);
            }
        }
        let measured = squares / (bits.div_ceil(2) * inputs.len()) as f64;
        let ratio = measured / tree.output_noise(&noise, 0.5).variance();
        println!("{bits} bits: measured/predicted {ratio:.3}");
        assert!((0.5..2.0).contains(&ratio), "{bits} bits: {ratio}");
    }
}

/// Inputs are so noisy that about one in five is read wrong.
#[test]
fn digits_fail_as_often_as_predicted() {
    let _replay = replay::begin();
    let setting = Setting::new(ParameterSet::TwoBitDepth11.insecure_toy());
    let (circuit, noise) = (setting.circuit(), CircuitBootstrappingNoise::new(&setting.parameters));
    let tree = CmuxTree::new(&setting.parameters, &[0, 1, 2, 3], 2).unwrap();
    let q = setting.parameters.fhew().prime();
    let mut rng = ChaCha20Rng::seed_from_u64(8);
    let (count, deviation) = (600, 0.1);
    let inputs: Vec<u64> = random(count, 4, 9);
    let noisy = |&x: &u64| {
        // The sum of twelve uniform numbers minus its mean has variance 1.
        let error: f64 = (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let mut digit = setting.encrypt(x, 2).remove(0);
        digit.add_constant_assign(((error * deviation).rem_euclid(1.0) * q as f64) as u64 % q);
        vec![digit]
    };
    let encrypted: Vec<_> = inputs.iter().map(noisy).collect();
    let results = tree.lookup_many(&circuit, &encrypted).unwrap();
    let wrong = inputs.iter().zip(&results).filter(|(x, result)| setting.decrypt(result) != **x);
    let measured = wrong.count() as f64 / count as f64;
    // The probability that parameters state is a bound, and close to 1 here.
    let model = noise.model();
    let switching = model.lwe_modulus_switch(setting.parameters.sparse_modulus());
    let read = Variance(deviation * deviation) + model.key_switching() + switching;
    let law = NoiseLaw::gaussian(read.0);
    let predicted = law.log2_exceeds_estimate(setting.parameters.margin()).exp2();
    assert!(noise.log2_fail(Variance(deviation * deviation)).exp2() >= predicted);
    println!("measured {measured:.3}, predicted {predicted:.3}");
    assert!((0.15..0.3).contains(&predicted), "{predicted}");
    assert!((0.75..1.33).contains(&(measured / predicted)), "{measured}, predicted {predicted}");
}

#[test]
fn integers_come_back_and_bytes_want_single_bits() {
    let toy = lookup::Parameters::insecure_toy(2, 2).unwrap();
    let secret = lookup::SecretKey::generate(&toy);
    for (bits, width) in [(1, 1), (5, 3), (24, 12), (64, 32)] {
        let values = random(5, if bits == 64 { u64::MAX } else { 1 << bits }, 2);
        let encrypted = secret.encrypt_values(bits, &values).unwrap();
        assert_eq!((encrypted.len(), encrypted.is_fresh()), (width * 5, true));
        assert_eq!(secret.decrypt_values(bits, &encrypted).unwrap(), values);
    }
    assert!(secret.encrypt_values(0, &[]).is_err() && secret.encrypt_values(65, &[]).is_err());
    assert!(secret.encrypt_values(3, &[7, 8]).is_err());
    let five_bits = secret.encrypt_values(5, &[9]).unwrap();
    assert!(secret.decrypt_values(8, &five_bits).is_err());
    // Bytes cannot be looked up by keys for two bits per ciphertext.
    let message = cryptable_leveled::aes::Parameters::new(toy.circuit_bootstrapping().clone())
        .unwrap_err()
        .to_string();
    assert!(message.contains("number of a ciphertext's bits is 2"), "{message}");
}

#[test]
fn bad_input_is_refused_by_name() {
    let setting = Setting::new(ParameterSet::TwoBitDepth11.insecure_toy());
    let circuit = setting.circuit();
    let input = setting.encrypt(9, 4);
    let digits: Vec<&LweCiphertext> = input.iter().collect();
    let message = |bits| circuit.bootstrap_values(&digits, bits).unwrap_err().to_string();
    assert!(message(5).contains("number of ciphertexts is 2; a value has 3"), "{}", message(5));
    assert!(message(0).contains("number of ciphertexts is 2; a value has 0"), "{}", message(0));
    for error in [
        circuit.bootstrap(&input[0]).map(drop).unwrap_err(),
        cryptable_leveled::aes::Aes::new(circuit).map(drop).unwrap_err(),
    ] {
        assert!(error.to_string().contains("this works on single bits only"), "{error}");
    }
    let set = ParameterSet::TwoBitDepth11;
    let of = |base_log2, bits_per_ciphertext| {
        let rgsw = GadgetLiteral { base_log2, length: 3 };
        let literal = CircuitBootstrappingLiteral { rgsw, bits_per_ciphertext, ..set.literal() };
        CircuitBootstrappingParameters::new(literal)
    };
    assert!(of(4, 2).is_ok() && of(4, 0).is_err() && of(4, 3).is_err());
    // A gadget digit of one bit cannot represent a quarter.
    assert!(of(1, 2).unwrap_err().to_string().contains("number of a ciphertext's bits is 2"));
    let (bytes, strict) = (set.parameters().to_bytes(), ReadOptions::default());
    let read = CircuitBootstrappingParameters::from_bytes(&bytes, strict).unwrap();
    assert_eq!(read, set.parameters());
    let text = String::from_utf8(bytes).unwrap();
    let forged = text.replace("\"bits_per_ciphertext\":2", "\"bits_per_ciphertext\":7");
    assert_ne!(forged, text);
    assert!(CircuitBootstrappingParameters::from_bytes(forged.as_bytes(), strict).is_err());
}
