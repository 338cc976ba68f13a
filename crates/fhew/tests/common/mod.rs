//! Helpers for tests of tables and of large values.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use cryptable_fhew::full_domain::{EncodedTable, FullDomainMethod, TableKind};
use cryptable_fhew::keys::{
    BootstrappingParameters, ClientKey, EvaluationKey, SecretKey, ServerKey,
};
use cryptable_fhew::multi_value::boot_raw_sparse;
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_fhew::test_polynomial::{TestPolynomial, encode};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Progress, ReadOptions, Table};
use cryptable_ring::random::replay;
use rayon::prelude::*;

/// A client and a server.
pub struct Setting {
    pub secret: SecretKey,
    pub key: EvaluationKey,
}

impl Setting {
    pub fn new(parameters: &Parameters) -> Self {
        let secret = SecretKey::generate(parameters);
        let key = EvaluationKey::expand(&secret.evaluation_key());
        Self { secret, key }
    }

    pub fn parameters(&self) -> &Parameters {
        self.key.parameters()
    }
}

/// Returns a toy with finer rotations for large values.
pub fn decomposition_toy() -> Parameters {
    let gadget = |base_log2, length| Some(GadgetLiteral { base_log2, length }.into());
    Parameters::insecure(ParametersLiteral {
        finer_rotations: [gadget(9, 4), gadget(5, 8), None],
        ..*Parameters::insecure_toy().literal()
    })
    .unwrap()
}

/// Returns one client and one server of [`decomposition_toy`] for all tests of a binary.
pub fn decomposition_setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    SETTING.get_or_init(|| {
        let _replay = replay::begin();
        Setting::new(&decomposition_toy())
    })
}

/// Returns a client and a server of a face.
pub fn parties<P: BootstrappingParameters>(parameters: &P) -> (ClientKey<P>, ServerKey<P>) {
    let secret = ClientKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    (secret, key)
}

/// Returns the keys of a client as read from their files, which readers refuse unless insecure keys are allowed.
pub fn from_files<P: BootstrappingParameters + Debug>(
    secret: &ClientKey<P>,
) -> (ClientKey<P>, ServerKey<P>) {
    let (strict, toys) = (ReadOptions::default(), ReadOptions::default().allow_insecure());
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
    let refused = ServerKey::<P>::from_shared(Arc::new(file.clone()), strict);
    assert!(matches!(refused.unwrap_err(), Error::Insecure));
    let key = ServerKey::from_shared(Arc::new(file), toys).unwrap();
    let bytes = secret.to_bytes();
    assert!(matches!(ClientKey::<P>::from_bytes(&bytes, strict), Err(Error::Insecure)));
    let read = ClientKey::from_bytes(&bytes, toys).unwrap();
    assert_eq!((read.id(), key.key_id()), (secret.id(), secret.id()));
    (read, key)
}

/// Checks that a variance is within a factor of two of the predicted one.
pub fn assert_ratio(what: &str, measured: f64, predicted: Variance) {
    let ratio = measured / predicted.0;
    println!("{what}: measured/predicted {ratio:.3}");
    assert!((0.5..2.0).contains(&ratio), "{what}: measured/predicted {ratio}");
}

/// Draws table outputs from a seed by SplitMix64 (Steele, Lea, Flood 2014).
pub fn random_outputs(count: u64, modulus: u64, seed: u64) -> Vec<u64> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % modulus
        })
        .collect()
}

/// Returns random, negacyclic, constant, identity and extreme tables of p inputs and outputs.
pub fn tables(p: u64) -> Vec<Vec<u64>> {
    let random = random_outputs(p, p, p);
    let negacyclic: Vec<u64> = (0..p)
        .map(|x| {
            let entry = random[(x % (p / 2)) as usize];
            if x < p / 2 { entry } else { (p - entry) % p }
        })
        .collect();
    let extremes = (0..p).map(|x| if x % 2 == 0 { 0 } else { p - 1 }).collect();
    vec![random, negacyclic, vec![p - 1; p as usize], (0..p).collect(), extremes]
}

/// Looks every input up in every table, in all tables at once and in one of them by itself; the plaintext moduli are those
/// that the method supports with these parameters.
pub fn check_every_value(setting: &Setting, method: &dyn FullDomainMethod, moduli: &[u64]) {
    for &p in moduli {
        let all: Vec<Table> =
            tables(p).into_iter().map(|of| Table::new(p, p, of).unwrap()).collect();
        let encode = |table| method.encode(setting.parameters(), table).unwrap();
        let encoded: Vec<EncodedTable> = all.iter().map(encode).collect();
        let encoded: Vec<&EncodedTable> = encoded.iter().collect();
        (0..p).into_par_iter().for_each(|value| {
            let check = |index: usize, output: &LweCiphertext| {
                let found = setting.secret.decrypt(output, p).unwrap();
                let (name, expected) = (method.name(), all[index].output(value));
                assert_eq!(found, expected, "{name}: p = {p}, table {index}, input {value}");
            };
            let input = setting.secret.encrypt(value, p).unwrap();
            let outputs = method.lookup_many(&setting.key, &encoded, &input).unwrap();
            assert_eq!(outputs.len(), all.len());
            outputs.iter().enumerate().for_each(|(index, output)| check(index, output));
            let one = value as usize % all.len();
            check(one, &method.lookup(&setting.key, &all[one], &input).unwrap());
        });
    }
}

/// Measures the result's noise for a random table, and compares it from both sides with the prediction for that table.
pub fn check_noise(setting: &Setting, method: &dyn FullDomainMethod, p: u64, samples: u64) {
    let outputs = random_outputs(p, p, 77);
    let table = Table::new(p, p, outputs).unwrap();
    let error = |sample| {
        let _part = replay::part(sample);
        let value = sample % p;
        let input = setting.secret.encrypt(value, p).unwrap();
        let output = method.lookup(&setting.key, &table, &input).unwrap();
        let expected = encode(table.output(value), p, setting.parameters().lwe_modulus());
        setting.secret.phase_error(&output, expected).unwrap().powi(2)
    };
    let measured = (0..samples).into_par_iter().map(error).sum::<f64>() / samples as f64;
    let model = NoiseModel::new(setting.parameters());
    let predicted = method.noise(&model, TableKind::Given(&table), model.fresh().law()).output;
    let ratio = measured / predicted.variance();
    println!("{}: p = {p}, measured/predicted {ratio}", method.name());
    // Keys are the same for all samples, so ratios vary from key to key: with eight keys, the ratios of FDFB-KS modulo Q
    // were from 0.50 to 0.77.
    assert!((0.4..2.0).contains(&ratio), "{}: p = {p}, measured/predicted {ratio}", method.name());
}

/// Checks the noise of `count` tables `x·(j + 1) + j` of `Z_p` that one rotation looks up, with sparse rounding.
pub fn check_sparse_tables(
    setting: &Setting,
    p: u64,
    count: u64,
    samples: u64,
    predicted: Variance,
) {
    let parameters = setting.parameters();
    let (two_n, prime) = (parameters.rotation_modulus(), parameters.prime());
    let entry = |slot: u64, j: u64| encode((slot * (j + 1) + j) % p, p, prime);
    let test = |j| TestPolynomial::from_fn(parameters.ring(), |x| entry(x * p / two_n, j));
    let tests: Vec<TestPolynomial> = (0..count).map(test).collect();
    let mean_square = |sample| {
        let _part = replay::part(sample);
        let value = sample % p;
        let mut input = setting.secret.encrypt(value, p).unwrap();
        input.add_constant_assign(parameters.lwe_modulus() / (2 * p));
        let results = boot_raw_sparse(&setting.key, &tests, &input);
        assert_eq!(results.len(), tests.len());
        let squares = (0..count).zip(results).map(|(j, raw)| {
            let entry = entry(value % (p / 2), j);
            let expected = if value < p / 2 { entry } else { (prime - entry) % prime };
            setting.secret.phase_error(&raw, expected).unwrap().powi(2)
        });
        squares.sum::<f64>() / count as f64
    };
    let measured = (0..samples).into_par_iter().map(mean_square).sum::<f64>() / samples as f64;
    assert_ratio("sparse rounding", measured, predicted);
}
