//! Hidden tables: results are right, their noise is as predicted and the same for all tables, and requests that hiding
//! does not cover are refused.

use crate::common;

use common::look_up;
use cryptable_packed::{
    CostModel, EntryKind, Error, EvaluationKey, HermiteOrder, Method, Owners, Parameters,
    ParametersLiteral, Progress, Request, SecretKey, Table,
};

/// The flat table: every output is 0.
fn flat(p: u64) -> Table {
    Table::from_fn(p, p, |_| 0).unwrap()
}

/// The steep table: all outputs are at both ends of their range, except one that is 0 as well.
fn steep(p: u64) -> Table {
    Table::from_fn(p, p, |x| if x == 1 { 0 } else { p / 2 - x % 2 }).unwrap()
}

/// Encrypts values that are all 1, where both tables have the same output.
fn ones(parameters: &Parameters, secret: &SecretKey) -> cryptable_packed::Ciphertext {
    secret.encrypt(&vec![1; parameters.literal().slots]).unwrap()
}

/// Measures the mean squares of the noise of results of both tables, in half steps.
fn variances(parameters: &Parameters, lookups: usize) -> [f64; 2] {
    let (secret, key) = common::keys(parameters);
    let p = parameters.input_modulus();
    [flat(p), steep(p)].map(|table| {
        let outputs = vec![0; parameters.literal().slots];
        let mut sum = 0.0;
        for _ in 0..lookups {
            let result = look_up(&key, &ones(parameters, &secret), &table);
            sum += common::deviation(&secret, &result, &outputs).powi(2);
        }
        sum / lookups as f64
    })
}

#[test]
fn results_are_right_and_drawn_anew_each_time() {
    for (p, modulus) in [(2, 2), (3, 5), (16, 16), (20, 256)] {
        let parameters = Parameters::insecure_toy_hidden(p, modulus, 40).unwrap();
        let (secret, key) = common::keys(&parameters);
        let values: Vec<u64> = (0..1024).map(|i| i * 7 % p).collect();
        let input = secret.encrypt(&values).unwrap();
        let tables = [0u64, 3]
            .map(|shift| Table::from_fn(p, modulus, |x| (x * x * 5 + shift) % modulus).unwrap());
        let prepared = tables.each_ref().map(|table| key.prepare(table).unwrap());
        let [first, second] = &prepared;
        let found = key.lookup_many(&input, &[first, second], Progress::silent()).unwrap();
        for (found, table) in found.iter().zip(&tables) {
            let expected = common::outputs(table, &values);
            assert_eq!(secret.decrypt(found).unwrap(), expected, "{p} -> {modulus}");
        }
        let again = key.lookup(&input, first, Progress::silent()).unwrap();
        assert_ne!(again.to_bytes(), found[0].to_bytes());
        assert_eq!(secret.decrypt(&again).unwrap(), secret.decrypt(&found[0]).unwrap());
    }
}

/// The noise of plain results distinguishes a flat table from a steep one, that of hidden results does not, on inputs
/// where both have the same output.
#[test]
fn noise_tells_tables_apart_only_where_they_are_not_hidden() {
    let plain = Parameters::insecure_toy(16, 16).unwrap();
    let [flat, steep] = variances(&plain, 1);
    assert!(steep > 4.0 * flat, "{flat:e}, {steep:e}");
    for bits in [40, 64] {
        let hidden = Parameters::insecure_toy_hidden(16, 16, bits).unwrap();
        let lookups = 4;
        let [flat, steep] = variances(&hidden, lookups);
        // Each is a mean of the squares of Gaussian numbers, one per value.
        let deviation = (2.0 / (lookups * 1024) as f64).sqrt();
        let ratio = (steep / flat).ln();
        println!("{bits}: {flat:e}, {steep:e}");
        assert!(ratio.abs() < 5.0 * deviation * 2f64.sqrt(), "{bits}: {flat:e}, {steep:e}");
        let predicted = hidden.failure().typical_ratio.powi(2);
        assert!((flat / predicted).ln().abs() < 0.1, "{flat:e}, predicted {predicted:e}");
    }
}

#[test]
fn more_bits_take_more_noise_and_rarer_failures() {
    let ratio = |bits| {
        let parameters = Parameters::insecure_toy_hidden(16, 16, bits).unwrap();
        assert_eq!(parameters.hidden_bits(), Some(bits));
        parameters.failure().typical_ratio
    };
    assert!(ratio(20) < ratio(64));
    assert_eq!(Parameters::insecure_toy(16, 16).unwrap().hidden_bits(), None);
    // A value that fails with 2^-74 reveals more than 2^-128.
    let error = Parameters::insecure_toy_hidden(16, 16, 128).unwrap_err();
    assert!(matches!(error, Error::FailureProbability { .. }), "{error}");
}

#[test]
fn sums_of_few_fresh_values_are_looked_up_and_noisier_inputs_refused() {
    let parameters = Parameters::insecure_toy_hidden(16, 16, 40).unwrap();
    let (secret, key) = common::keys(&parameters);
    let table = key.prepare(&Table::from_fn(16, 16, |x| 15 - x).unwrap()).unwrap();
    let input = secret.encrypt(&[1, 2, 3]).unwrap();
    let most = parameters.sum_limits().fresh_lookup;
    assert!((16..64).contains(&most), "{most}");
    let sums = |terms: u64| (1..terms).try_fold(input.clone(), |sum, _| key.add(&sum, &input));
    let found = key.lookup(&sums(most).unwrap(), &table, Progress::silent()).unwrap();
    let expected = [1, 2, 3].map(|x| 15 - x * most % 16);
    assert_eq!(secret.decrypt(&found).unwrap(), expected);
    let error = key.lookup(&sums(most + 1).unwrap(), &table, Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("inputs of hidden tables"), "{error}");
    // A result has the noise of flooding.
    let error = key.lookup(&found, &table, Progress::silent()).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. } | Error::NoiseTooLarge { .. }), "{error}");
}

#[test]
fn what_hiding_does_not_cover_is_refused_by_name() {
    let base = Request { hidden_bits: Some(40), ..Request::new(256, 256) };
    let refused = |request: Request, expected: &str| {
        let error = Parameters::candidates(&request).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(Request { hidden_bits: Some(19), ..base }, "20");
    refused(Request { hidden_bits: Some(129), ..base }, "128");
    refused(Request { entries: EntryKind::Plain, ..base }, "for every value");
    refused(Request { complex_outputs: true, ..base }, "complex outputs");
    refused(Request { lookups_in_a_row: 2, ..base }, "results of lookups");
    refused(Request { method: Some(Method::Cmt), ..base }, "use AKP");
    refused(Request { order: Some(HermiteOrder::Third), ..base }, "higher order");
    refused(Request { owners: Owners::new(2).unwrap(), ..base }, "several owners");
    refused(Request { input_modulus: 1 << 12, ..base }, "1024");
    let toy = Parameters::insecure_toy_hidden(16, 16, 40).unwrap();
    for literal in [
        ParametersLiteral { dnum: 1, ..toy.literal().clone() },
        ParametersLiteral { constant_bits: 47.0, ..toy.literal().clone() },
        ParametersLiteral { hermite_order: HermiteOrder::Second, ..toy.literal().clone() },
    ] {
        assert!(Parameters::new(literal).is_err());
    }
}

#[test]
fn parameters_keep_their_bytes_where_tables_are_not_hidden() {
    let plain = Parameters::insecure_toy(16, 16).unwrap();
    assert!(!String::from_utf8(plain.to_bytes()).unwrap().contains("hidden"));
    let hidden = Parameters::insecure_toy_hidden(16, 16, 64).unwrap();
    let options = common::allowed();
    let read = Parameters::from_bytes(&hidden.to_bytes(), options).unwrap();
    assert_eq!(read.hidden_bits(), Some(64));
}

/// Checks that work for 8 bits, by the cost model, is at most 1.6 times that of a plain lookup.
#[test]
fn eight_bits_are_planned_within_sixteen_tenths_of_a_plain_lookup() {
    let work = |hidden_bits| {
        let request = Request { hidden_bits, ..Request::new(256, 256) };
        let found = Parameters::choose(&request).unwrap();
        assert!(found.security_bits() >= 128.0 && found.log2_fail() <= -64.0);
        let prediction = found.prediction();
        println!(
            "{}: {:.0} MB of key, {:.0} MB of memory, deviation {:.4}, log2_fail {:.1}, security {:.1}, dnum {}",
            found.literal().name,
            prediction.key_file_bytes as f64 / 1e6,
            prediction.peak_bytes() as f64 / 1e6,
            found.failure().typical_ratio,
            found.log2_fail(),
            found.security_bits(),
            found.literal().dnum,
        );
        CostModel::default().seconds(&prediction.work)
    };
    let [plain, bits40, bits64] = [None, Some(40), Some(64)].map(work);
    println!("{plain} {} {}", bits40 / plain, bits64 / plain);
    assert!(bits40 < 1.6 * plain && bits64 < 1.6 * plain, "{plain} {bits40} {bits64}");
}

/// Checks all values of 8 bits at full size.
#[test]
#[ignore = "full-size keys, minutes"]
fn full_size_results_are_right_and_hide_their_tables() {
    for bits in [40, 64] {
        let request = Request { hidden_bits: Some(bits), ..Request::new(256, 256) };
        let parameters = Parameters::choose(&request).unwrap();
        let (secret, key) = common::keys(&parameters);
        let values: Vec<u64> = (0..65_536).map(|i| i * 89 % 256).collect();
        let table = Table::from_fn(256, 256, |x| x.wrapping_mul(x * 7919 + 5) % 256).unwrap();
        let found = look_up(&key, &secret.encrypt(&values).unwrap(), &table);
        assert_eq!(secret.decrypt(&found).unwrap(), common::outputs(&table, &values));
        let of_ones = |table: &Table, key: &EvaluationKey| {
            let result = look_up(key, &ones(&parameters, &secret), table);
            common::deviation(&secret, &result, &vec![0; 65_536]).powi(2)
        };
        let [flat, steep] = [flat(256), steep(256)].map(|table| of_ones(&table, &key));
        let predicted = parameters.failure().typical_ratio.powi(2);
        println!("{bits}: {flat:e}, {steep:e}, predicted {predicted:e}");
        assert!((flat / steep).ln().abs() < 5.0 * (4.0 / 65_536f64).sqrt());
        assert!((flat / predicted).ln().abs() < 0.1);
    }
}
