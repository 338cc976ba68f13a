//! Dictionaries and structured tables of words on toy rings, and a dictionary at full size.

use crate::common;

use std::collections::HashMap;
use std::time::Instant;

use common::{mixed, reports};
use cryptable_packed::{
    CostModel, Dictionary, Error, EvaluationKey, Parameters, Progress, Request, SecretKey,
    WordCircuit,
};
use cryptable_ring::random::replay;

struct Client {
    secret: SecretKey,
    keys: EvaluationKey,
}

impl Client {
    fn toy(p: u64) -> Self {
        let (secret, keys) = common::keys(&Parameters::insecure_toy(p, p).unwrap());
        Self { secret, keys }
    }

    /// Looks values up; checks that all results are those of `f`, and that noise is within its bounds.
    fn check(&self, circuit: &WordCircuit, values: &[u64], f: impl Fn(u64) -> u64) {
        let prepared = self.keys.prepare_words(circuit).unwrap();
        let input = self.secret.encrypt_words(values, circuit.input_words()).unwrap();
        let output = self.keys.lookup_words(&input, &prepared, Progress::silent()).unwrap();
        let expected: Vec<u64> = values.iter().map(|&x| f(x)).collect();
        assert!(self.secret.decrypt_words(&output).unwrap() == expected, "wrong values");
        let p = circuit.modulus();
        for (index, word) in output.iter().enumerate() {
            let place = p.pow(index as u32);
            let digits: Vec<u64> = expected.iter().map(|value| value / place % p).collect();
            let ratio = common::over_bound(&self.secret, word, &digits);
            assert!((0.0002..1.0).contains(&ratio), "{ratio}");
        }
    }
}

#[test]
fn dictionaries_of_two_and_four_words() {
    let _replay = replay::begin();
    for (p, words, value_modulus) in [(16, 2, 8), (16, 2, 256), (16, 4, 4)] {
        let client = Client::toy(p);
        let range = p.pow(words as u32);
        let entries: HashMap<u64, u64> =
            (0..p).map(|i| (mixed(0, i) % range, mixed(0, i + 99) % value_modulus)).collect();
        let default = value_modulus - 1;
        let sorted = entries.iter().map(|(&key, &value)| (key, value));
        let dictionary = Dictionary::new(p, words, value_modulus, sorted, default).unwrap();
        let circuit = dictionary.circuit().unwrap();
        // All present keys, and others.
        let values: Vec<u64> =
            entries.keys().copied().chain((0..1000).map(|i| mixed(0, i + 5) % range)).collect();
        client
            .check(&circuit, &values[..1000], |key| entries.get(&key).copied().unwrap_or(default));
    }
}

#[test]
fn structured_tables() {
    let _replay = replay::begin();
    let client = Client::toy(16);
    let values: Vec<u64> = (0..256).collect();
    let (g, h) = (|x: u64| x * x * 7 + x, |x: u64| x * 191 + 3);
    for q in [16, 256] {
        let circuit = WordCircuit::sum(16, q, g, h).unwrap();
        client.check(&circuit, &values, |x| (g(x % 16) + h(x / 16)) % q);
    }
    let factors = |a: u64| (0..16).map(|x| (a * x + 1) % 8).collect::<Vec<_>>();
    let circuit = WordCircuit::products(16, &[(factors(3), factors(5))]).unwrap();
    client.check(&circuit, &values, |x| (3 * (x % 16) + 1) % 8 * ((5 * (x / 16) + 1) % 8) % 16);
    let pieces = [(0, 200), (77, 3), (128, 255)];
    let circuit = WordCircuit::piecewise_constant(16, 256, &pieces).unwrap();
    client.check(&circuit, &values, |x| pieces.iter().rev().find(|it| it.0 <= x).unwrap().1);
}

#[test]
fn what_does_not_fit_is_named() {
    let client = Client::toy(16);
    let (secret, keys) = (&client.secret, &client.keys);
    let circuit = WordCircuit::sum(16, 16, |x| x, |x| x).unwrap();
    let prepared = keys.prepare_words(&circuit).unwrap();
    let message = |error: Error| error.to_string();
    let error = message(secret.encrypt_words(&[256], 2).unwrap_err());
    assert!(error.contains("256"), "{error}");
    let input = secret.encrypt_words(&[1, 2], 2).unwrap();
    let look_up = |input: &[_]| keys.lookup_words(input, &prepared, Progress::silent());
    let error = message(look_up(&input[..1]).unwrap_err());
    assert!(error.contains("number of words of the input is 1"), "{error}");
    let short = [input[0].clone(), secret.encrypt(&[1]).unwrap()];
    assert!(message(look_up(&short).unwrap_err()).contains("number of values"));
    let other = Client::toy(16).secret.encrypt_words(&[1, 2], 2).unwrap();
    assert!(look_up(&other).is_err());
    let error =
        message(keys.prepare_words(&WordCircuit::sum(8, 8, |x| x, |x| x).unwrap()).unwrap_err());
    assert!(error.contains("input modulus is 16"), "{error}");
    // Sums of too many terms are refused before anything is computed.
    let mut noisy = input[0].clone();
    while let Ok(sum) = keys.add(&noisy, &noisy) {
        noisy = sum;
    }
    let error = message(look_up(&[noisy, input[1].clone()]).unwrap_err());
    assert!(error.contains("a lookup of words"), "{error}");
    let seen = reports(|progress| keys.lookup_words(&input, &prepared, progress));
    assert!(seen.windows(2).all(|two| two[0].0 <= two[1].0));
    assert_eq!(seen.last().map(|last| last.0 == last.1), Some(true));
}

#[test]
fn a_table_without_structure_would_take_hours() {
    let request = Request::new(1 << 16, 1 << 16);
    let parameters = Parameters::choose(&request).unwrap();
    let work = parameters.arbitrary_table_work();
    let hours = CostModel::default().seconds(&work) / 3600.0;
    assert!((1.0..1000.0).contains(&hours), "{hours} hours");
    let toy = Parameters::insecure_toy(16, 16).unwrap();
    let error = toy.circuit_of_function(16, |x| x * x / 3).unwrap_err().to_string();
    assert!(error.contains("256 entries without structure") && error.contains("hours"), "{error}");
    assert_eq!(toy.circuit_of_function(256, |x| x).unwrap().lookups(), 4);
}

/// Checks a dictionary of 65,536 entries with keys of `16·words` bits, on 65,536 keys, half of which are present.
fn full_size(words: usize, value_modulus: u64) {
    let _replay = replay::begin();
    let (p, bits) = (1 << 16, 16 * words as u32);
    let key = |i: u64| mixed(0, i + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits);
    let entries: HashMap<u64, u64> =
        (0..p).map(|i| (key(i), mixed(0, i) % value_modulus)).collect();
    let list = entries.iter().map(|(&key, &value)| (key, value));
    let dictionary = Dictionary::new(p, words, value_modulus, list, 1).unwrap();
    let start = Instant::now();
    let circuit = dictionary.circuit().unwrap();
    println!("{} entries hashed in {:.1} s", entries.len(), start.elapsed().as_secs_f64());
    let parameters = Parameters::for_words(&circuit, &Request::new(2, 2)).unwrap();
    assert!(parameters.security_bits() >= 128.0);
    let failure = parameters.words_value_failure(&circuit).of_any(1 << 16);
    assert!(failure.log2() <= -64.0);
    let prediction = parameters.words_prediction(&circuit);
    let threads = rayon::current_num_threads();
    println!(
        "{} by {}: {} lookups, {failure} a ciphertext, predicted {:.0} s on {threads} threads, {:.1} GB",
        bits,
        parameters.literal().name,
        circuit.lookups(),
        prediction.duration(&CostModel::default(), 1 << 16, threads).as_secs_f64(),
        prediction.peak_bytes() as f64 / 1e9
    );
    let secret = SecretKey::generate(&parameters);
    let client = Client { keys: secret.evaluation_key(Progress::silent()).unwrap(), secret };
    let values: Vec<u64> = (0..p).map(|i| key(2 * i)).collect();
    let start = Instant::now();
    client.check(&circuit, &values, |key| entries.get(&key).copied().unwrap_or(1));
    println!("checked in {:.1} s", start.elapsed().as_secs_f64());
}

#[test]
#[ignore = "a minute and 8 GB"]
fn full_size_dictionary_of_32_bits() {
    full_size(2, 1 << 15);
}

#[test]
#[ignore = "minutes and 8 GB"]
fn full_size_dictionary_of_64_bits() {
    full_size(4, 1 << 14);
}
