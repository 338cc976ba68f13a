//! Functions of large values and of digits.

use crate::common;

use std::sync::OnceLock;

use common::{Setting, decomposition_setting as setting, random_outputs};
use cryptable_fhew::decomposition::{algorithms, decrypt_large, encrypt_large};
use cryptable_fhew::full_domain::FdfbCompress;
use cryptable_fhew::functions::{
    ChainedTable, LargeFunctions, Radix, TreeTable, decrypt_radix, encrypt_radix,
};
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::Parameters;
use cryptable_ring::random::replay;
use rayon::prelude::*;

/// Returns a setting like [`setting`], without finer rotations.
fn small_setting() -> &'static Setting {
    static SETTING: OnceLock<Setting> = OnceLock::new();
    SETTING.get_or_init(|| Setting::new(&Parameters::insecure_toy()))
}

/// Reads a value as two's complement.
fn signed(value: u64, bits: u32) -> i64 {
    let value = value as i64;
    if value >> (bits - 1) == 0 { value } else { value - (1 << bits) }
}

fn unsigned(value: i64, bits: u32) -> u64 {
    value.rem_euclid(1 << bits) as u64
}

fn check_large(functions: &LargeFunctions<'_>, setting: &Setting, pair: [u64; 2], bits: u32) {
    let secret = &setting.secret;
    let encrypt = |value| encrypt_large(secret, value, bits).unwrap();
    let [x, y] = pair;
    let (cx, cy) = (encrypt(x), encrypt(y));
    let (sx, sy) = (signed(x, bits), signed(y, bits));
    let sign = secret.decrypt(&functions.sign(&cx, 4).unwrap(), 4).unwrap();
    assert_eq!(sign, u64::from(sx < 0), "sign of {sx}");
    let absolute = decrypt_large(secret, &functions.absolute(&cx).unwrap(), bits).unwrap();
    assert_eq!(absolute, unsigned(sx.abs(), bits), "|{sx}|");
    let relu = decrypt_large(secret, &functions.relu(&cx).unwrap(), bits - 1).unwrap();
    assert_eq!(relu, sx.max(0) as u64, "ReLU of {sx}");
    if signed(unsigned(sx - sy, bits), bits) != sx - sy {
        return;
    }
    let less = secret.decrypt(&functions.less_than(&cx, &cy, 16).unwrap(), 16).unwrap();
    assert_eq!(less, u64::from(sx < sy), "{sx} < {sy}");
    let maximum = decrypt_large(secret, &functions.maximum(&cx, &cy).unwrap(), bits - 1).unwrap();
    assert_eq!(maximum, unsigned(sx.max(sy), bits - 1), "max of {sx}, {sy}");
}

/// Checks `small` random values of 7 bits and `large` ones of 18 bits, and the extremes of both.
fn check_all_large(small: u64, large: u64) {
    let setting = setting();
    let fresh = NoiseModel::new(setting.parameters()).fresh_large();
    for &algorithm in algorithms() {
        for (bits, base_log2, count) in [(7, 4, small), (18, 4, large)] {
            let functions =
                LargeFunctions::new(&setting.key, algorithm, bits, base_log2, fresh, -40.0)
                    .unwrap();
            let mut values = random_outputs(count, 1 << bits, 3);
            values.extend([0, 1, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, 2]);
            let pairs: Vec<[u64; 2]> = values.chunks_exact(2).map(|v| [v[0], v[1]]).collect();
            pairs.par_iter().for_each(|&pair| check_large(&functions, setting, pair, bits));
        }
    }
}

#[test]
fn functions_of_small_and_of_large_values() {
    check_all_large(12, 2);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn functions_of_more_small_and_large_values() {
    check_all_large(40, 6);
}

#[test]
fn results_of_functions_have_the_predicted_noise() {
    let _replay = replay::begin();
    let setting = setting();
    let fresh = NoiseModel::new(setting.parameters()).fresh_large();
    let algorithm = algorithms()[2];
    let functions = LargeFunctions::new(&setting.key, algorithm, 12, 4, fresh, -40.0).unwrap();
    let modulus = setting.parameters().large_modulus();
    let squares: f64 = random_outputs(200, 1 << 12, 8)
        .par_iter()
        .enumerate()
        .map(|(sample, &value)| {
            let _part = replay::part(sample as u64);
            let x = encrypt_large(&setting.secret, value, 12).unwrap();
            let expected = unsigned(signed(value, 12).abs(), 12) * (modulus >> 12);
            let result = functions.absolute(&x).unwrap();
            setting.secret.phase_error(&result, expected).unwrap().powi(2)
        })
        .sum();
    let ratio = Variance(squares / 200.0).0 / functions.plan().output_noise().0;
    assert!((0.5..2.0).contains(&ratio), "{ratio}");
}

#[test]
fn full_size_functions() {
    let setting = Setting::new(&Parameters::decomposition_128());
    let fresh = NoiseModel::new(setting.parameters()).fresh_large();
    let functions =
        LargeFunctions::new(&setting.key, algorithms()[2], 20, 4, fresh, -64.0).unwrap();
    assert!(functions.plan().log2_fail() <= -64.0);
    check_large(&functions, &setting, [(1 << 20) - 123_456, 98_765], 20);
}

#[test]
fn integers_of_digits() {
    let setting = small_setting();
    let (base_log2, digits) = (3, 4);
    let radix = Radix::new(&setting.key, &FdfbCompress, base_log2, digits).unwrap();
    let encrypt = |value| encrypt_radix(&setting.secret, value, base_log2, digits).unwrap();
    let decrypt = |digits: &[_]| decrypt_radix(&setting.secret, digits, base_log2).unwrap();
    let mut values = random_outputs(16, 1 << 12, 4);
    values.extend([0, 0, 4095, 0, 2048, 4095, 7, 7, 512, 511]);
    for pair in values.chunks_exact(2) {
        let (x, y) = (pair[0], pair[1]);
        let (cx, cy) = (encrypt(x), encrypt(y));
        let less = setting.secret.decrypt(&radix.less_than(&cx, &cy).unwrap(), 16).unwrap();
        assert_eq!(less, u64::from(x < y), "{x} < {y}");
        assert_eq!(decrypt(&radix.maximum(&cx, &cy).unwrap()), x.max(y));
        let sx = signed(x, 12);
        assert_eq!(decrypt(&radix.relu(&cx).unwrap()), sx.max(0) as u64, "ReLU of {sx}");
        assert_eq!(decrypt(&radix.absolute(&cx).unwrap()), unsigned(sx.abs(), 12), "|{sx}|");
        assert_eq!(decrypt(&radix.negate(&cx).unwrap()), unsigned(-sx, 12), "-({sx})");
    }
    assert!(radix.relu(&encrypt(5)[1..]).is_err());
    assert!(encrypt_radix(&setting.secret, 1 << 12, base_log2, digits).is_err());
}

#[test]
fn thirty_two_bits() {
    let setting = small_setting();
    let radix = Radix::new(&setting.key, &FdfbCompress, 3, 11).unwrap();
    let encrypt = |value| encrypt_radix(&setting.secret, value, 3, 11).unwrap();
    for pair in random_outputs(4, 1 << 32, 4).chunks_exact(2) {
        let larger = radix.maximum(&encrypt(pair[0]), &encrypt(pair[1])).unwrap();
        assert_eq!(decrypt_radix(&setting.secret, &larger, 3).unwrap(), pair[0].max(pair[1]));
    }
}

#[test]
fn trees_of_tables() {
    let setting = setting();
    for (base, digits, p) in [(4, 1, 16), (4, 3, 16), (8, 2, 16), (16, 2, 16), (6, 2, 10)] {
        let tree = TreeTable::new(&setting.key, base, digits, p, -40.0).unwrap();
        let entries = base.pow(digits as u32);
        let table = random_outputs(entries, p, 2);
        (0..entries).step_by(3).collect::<Vec<_>>().into_par_iter().for_each(|x| {
            let digit = |i| setting.secret.encrypt(x / base.pow(i as u32) % base, base).unwrap();
            let digits: Vec<_> = (0..digits).map(digit).collect();
            let result = tree.lookup(&table, &digits).unwrap();
            let found = setting.secret.decrypt(&result, p).unwrap();
            assert_eq!(found, table[x as usize], "base {base}, {x}");
        });
    }
    let tree = TreeTable::new(&setting.key, 4, 2, 16, -40.0).unwrap();
    let digits = [1, 2].map(|digit| setting.secret.encrypt(digit, 4).unwrap());
    assert!(tree.lookup(&[0; 15], &digits).is_err());
    assert!(tree.lookup(&[16; 16], &digits).is_err());
    assert!(tree.lookup(&[0; 16], &digits[1..]).is_err());
}

#[test]
fn chains_of_tables() {
    let setting = small_setting();
    let chain = ChainedTable { method: &FdfbCompress, base: 4, states: 4 };
    // A random automaton.
    let moves = random_outputs(16, 4, 6);
    let next = |digit, state| moves[(digit + 4 * state) as usize];
    for word in random_outputs(8, 1 << 10, 7) {
        let plain: Vec<u64> = (0..5).map(|i| word >> (2 * i) & 3).collect();
        let digits: Vec<_> = plain.iter().map(|&d| setting.secret.encrypt(d, 4).unwrap()).collect();
        let result = chain.evaluate(&setting.key, next, 1, &digits).unwrap();
        let expected = plain.iter().fold(1, |state, &digit| next(digit, state));
        assert_eq!(setting.secret.decrypt(&result, 16).unwrap(), 4 * expected);
    }
    let digit = setting.secret.encrypt(1, 4).unwrap();
    assert!(chain.evaluate(&setting.key, |_, _| 4, 0, &[digit]).is_err());
    assert!(chain.evaluate(&setting.key, next, 0, &[]).is_err());
}
