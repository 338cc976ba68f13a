//! Lookups at full size: 128-bit parameters, with every slot used, every input value, and exact results.

use crate::common;

use common::{look_up, look_up_many};
use cryptable_packed::{
    CostModel, Method, Parameters, ParametersLiteral, Progress, Request, Table,
};
use cryptable_ring::random::replay;

fn check(p: u64, ring_degree: usize, count: usize, table: &Table) {
    let request =
        Request { ring_degree: Some(ring_degree), count: Some(count), ..Request::new(p, p) };
    check_of(&Parameters::choose(&request).unwrap(), table);
}

fn check_of(parameters: &Parameters, table: &Table) {
    let (p, ring_degree) = (table.input_modulus(), parameters.literal().ring_degree);
    common::check_promises(parameters);
    let (secret, keys) = common::keys(parameters);
    let slots = parameters.literal().slots as u64;
    let values: Vec<u64> = (0..slots).map(|i| (i * 31 + i / p) % p).collect();
    let input = secret.encrypt(&values).unwrap();
    let start = std::time::Instant::now();
    let (output, stages) = cryptable_ckks::stages::timed(|| look_up(&keys, &input, table));
    println!("{parameters}: {:?}, {stages:?}", start.elapsed());
    let deviation = common::deviation(&secret, &output, &common::outputs(table, &values));
    let failure = parameters.failure();
    assert!(deviation < 1.2 * (failure.noise_ratio + failure.bias_ratio), "{deviation:e}");
    assert!(deviation > failure.noise_ratio / 16.0, "{deviation:e}");
    // Sizes per value of a full ciphertext: at most 8.5 bytes for a fresh one, at most 8 for a result.
    if slots as usize == ring_degree {
        assert!(input.to_bytes().len() as f64 / slots as f64 <= 8.5);
        assert!(output.to_bytes().len() as f64 / slots as f64 <= 8.0);
    }
}

fn scrambled(p: u64) -> Table {
    Table::from_fn(p, p, |x| (x * x * 17 + x * 101 + 3) % p).unwrap()
}

#[test]
fn eight_bits_on_65536_values() {
    let _replay = replay::begin();
    check(256, 1 << 16, 1 << 16, &scrambled(256));
}

#[test]
fn one_bit_on_32768_values() {
    let _replay = replay::begin();
    check(2, 1 << 15, 1 << 15, &Table::from_fn(2, 2, |x| 1 - x).unwrap());
}

#[test]
fn modulus_that_is_no_power_of_two_on_1024_values() {
    let _replay = replay::begin();
    check(10, 1 << 15, 1 << 10, &scrambled(10));
}

/// The secret of blocks is drawn for each key, so that `check` tests one of many.
#[test]
#[ignore = "a minute and 2 GB"]
fn few_values_under_a_secret_of_blocks() {
    let _replay = replay::begin();
    for (p, count) in [(256, 64), (256, 1 << 10), (16, 1 << 10)] {
        check(p, 1 << 15, count, &scrambled(p));
    }
}

/// Tables are evaluated in the half ring, by AKP and by a tree.
#[test]
#[ignore = "a minute and 3 GB"]
fn values_in_the_half_ring() {
    let _replay = replay::begin();
    for (p, count) in [(256, 1 << 14), (256, 1 << 12), (1 << 16, 1 << 12)] {
        let request = Request { count: Some(count), ..Request::new(p, p) };
        let parameters = Parameters::choose(&request).unwrap();
        assert!(parameters.literal().half_digits > 0);
        let whole = ParametersLiteral { half_digits: 0, ..parameters.literal().clone() };
        let units = |of: &Parameters| {
            let model = CostModel::default();
            model.seconds(&of.prediction().work) / model.unit()
        };
        let whole = units(&Parameters::new(whole).unwrap());
        println!("{:.0} u by count, {whole:.0} u in the whole ring", units(&parameters));
        check_of(&parameters, &scrambled(p));
    }
}

#[test]
fn twelve_bits_by_digits_on_65536_values() {
    check_digits(12);
}

#[test]
#[ignore = "a minute and 6 GB"]
fn sixteen_bits_by_digits_on_65536_values() {
    check_digits(16);
}

/// Checks trees in real slots, which the planner chooses for these sizes, on a scrambled table and on a random one, for
/// which the noise model makes a prediction.
fn check_digits(bits: u32) {
    let _replay = replay::begin();
    let modulus = 1 << bits;
    let request = Request { method: Some(Method::Cmt), ..Request::new(modulus, modulus) };
    let parameters = common::choose(&request);
    assert!(parameters.literal().real_slots);
    let (secret, keys) = common::keys(&parameters);
    let values: Vec<u64> = (0..1 << 16).map(|i| (i * 31 + i / modulus) % modulus).collect();
    let input = secret.encrypt(&values).unwrap();
    let random = |x: u64| {
        x.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(x + 7) >> (64 - bits)
    };
    let tables = [scrambled(modulus), Table::from_fn(modulus, modulus, random).unwrap()];
    let start = std::time::Instant::now();
    let (outputs, stages) = cryptable_ckks::stages::timed(|| look_up_many(&keys, &input, &tables));
    println!("{parameters}: {:?}, {stages:?}", start.elapsed());
    for (table, output) in tables.iter().zip(&outputs) {
        let deviation = common::deviation(&secret, output, &common::outputs(table, &values));
        let typical = parameters.failure().typical_ratio;
        println!("deviation {deviation:e}, predicted {typical:e}");
        assert!((deviation / typical).log2().abs() < 1.0, "{deviation:e}, not {typical:e}");
    }
}

/// Checks HomFloor of 12 of 20 bits: all 256 remaining values occur, and all values of the lowest bits.
#[test]
#[ignore = "a minute and 3 GB"]
fn floor_of_twelve_bits_on_65536_values() {
    let _replay = replay::begin();
    let request = Request { digit_bits: Some(6), ..Request::new(2, 2) };
    let parameters = Parameters::for_floors(20, 12, &request).unwrap();
    assert_eq!(parameters.literal().digits, [64, 64, 4, 64]);
    common::check_promises(&parameters);
    let (secret, keys) = common::keys(&parameters);
    // Odd multiples reach all 2^12 values of the lowest bits in every block of 2^12, and all 2^8 of the others.
    let values: Vec<u64> = (0..1 << 16).map(|i| i * 0x9E375 % (1 << 20)).collect();
    let input = secret.encrypt(&values).unwrap();
    let floor = keys.floor(&input, 2, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|value| value >> 12).collect();
    assert_eq!(floor.modulus(), 1 << 8);
    let ratio = common::over_bound(&secret, &floor, &expected);
    assert!((0.02..1.05).contains(&ratio), "{ratio}");
    // The rest has the sign of the value.
    let signs = keys.sign(&floor, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|value| value >> 19).collect();
    assert_eq!(secret.decrypt(&signs).unwrap(), expected);
}

/// Computes the parity of 13 bits by an automaton of two states over digits of 16, 16 and 32 values, the last one in
/// two pieces.
#[test]
#[ignore = "a minute and 3 GB"]
fn parity_of_thirteen_bits_by_an_automaton() {
    let _replay = replay::begin();
    let request = Request { digit_bits: Some(5), ..Request::new(2, 2) };
    let parameters = Parameters::for_comparisons(12, &request).unwrap();
    assert_eq!(parameters.chain_pieces(2).unwrap(), [16, 16, 16, 2]);
    assert!(parameters.security_bits() >= 128.0);
    let (secret, keys) = common::keys(&parameters);
    let parity = |m: u64| (m % 2 + u64::from((m / 2).count_ones())) % 2;
    let tables = [32, 32, 32, 4].map(|inputs| Table::from_fn(inputs, 2, parity).unwrap());
    let values: Vec<u64> = (0..1 << 16).map(|i| i * 5 % (1 << 13)).collect();
    let input = secret.encrypt(&values).unwrap();
    let found = keys.lookup_chain(&input, 2, &tables, Progress::silent()).unwrap();
    let expected: Vec<u64> = values.iter().map(|x| u64::from(x.count_ones() % 2)).collect();
    let ratio = common::over_bound(&secret, &found, &expected);
    assert!((0.01..1.05).contains(&ratio), "{ratio}");
}
