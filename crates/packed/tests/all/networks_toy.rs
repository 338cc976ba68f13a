//! Networks on toy rings: every result of layers of sums and tables, noise within its bound, and refusals.

use cryptable_packed::{
    Error, EvaluationKey, Layer, Parameters, PreparedFormulas, Progress, SecretKey,
};
use cryptable_ring::random::replay;

use crate::common;
use crate::common::mixed;

/// Makes a layer of sums of several inputs, with factors from -2 to 2. Tables have outputs from 0 to `width`, and the
/// first one is constant.
fn layer(sums: u64, inputs: u64, seed: u64, tables: Option<(u64, u64)>) -> Layer {
    let weight = move |sum, input| (mixed(seed + sum, input) % 5) as i64 - 2;
    let weights =
        |sum| (0..inputs).map(move |input| if input == sum { 1 } else { weight(sum, input) });
    let output = |sum, x, width: u64| match sum {
        0 => 3,
        _ => (mixed(seed + 7 * sum, x) % (width + 1)) as i64,
    };
    let table =
        |sum, (modulus, width): (u64, u64)| (0..modulus).map(|x| output(sum, x, width)).collect();
    Layer {
        weights: (0..sums).map(|sum| weights(sum).collect()).collect(),
        constants: (0..sums).map(|sum| mixed(seed, sum) as i64 % 9 - 4).collect(),
        tables: tables.map_or(Vec::new(), |of| (0..sums).map(|sum| table(sum, of)).collect()),
    }
}

/// Checks every result of a network on full ciphertexts of columns, and the bound on its noise.
fn check(layers: &[Layer], modulus: u64, output_modulus: u64) {
    let _part = replay::part(output_modulus);
    let network = PreparedFormulas::network(layers, modulus).unwrap();
    let parameters = Parameters::insecure_toy_formulas(output_modulus, &network).unwrap();
    let (secret, key) = common::keys(&parameters);
    let slots = parameters.literal().slots as u64;
    let row = |index: u64| (0..network.columns() as u64).map(move |k| mixed(k, index) % modulus);
    let rows: Vec<Vec<u64>> = (0..slots).map(|index| row(index).collect()).collect();
    let found = common::evaluate_rows(&secret, &key, &rows, &network);
    let values = |row: &Vec<u64>| {
        let values = row.iter().map(|&value| value as i64).collect();
        layers.iter().fold(values, |values: Vec<i64>, layer| layer.values(&values, modulus))
    };
    let expected: Vec<Vec<i64>> = rows.iter().map(values).collect();
    assert_eq!(found.len(), network.formulas());
    for (k, found) in found.iter().enumerate() {
        let residue = |row: &Vec<i64>| row[k].rem_euclid(output_modulus as i64) as u64;
        let expected: Vec<u64> = expected.iter().map(residue).collect();
        let ratio = common::largest_over_bound(&secret, found, &expected);
        assert!(ratio > 0.001, "result {k}: {ratio}");
    }
}

#[test]
fn every_result_of_a_network_is_right() {
    let _replay = replay::begin();
    check(&[layer(3, 4, 1, Some((16, 3))), layer(2, 3, 2, None)], 16, 64);
    check(&[layer(4, 2, 3, Some((11, 1))), layer(3, 4, 4, None)], 11, 32);
}

#[test]
fn results_go_through_further_tables() {
    let _replay = replay::begin();
    let layers =
        [layer(3, 2, 5, Some((16, 2))), layer(3, 3, 6, Some((16, 2))), layer(2, 3, 7, None)];
    check(&layers, 16, 16);
    // Factors and constants of sums that are looked up are reduced by the modulus.
    let multiples = |layer: &Layer| {
        let far = |k: &i64| k + (i64::MAX / 32) * 16;
        let weights = layer.weights.iter().map(|row| row.iter().map(far).collect()).collect();
        Layer { weights, constants: layer.constants.iter().map(far).collect(), ..layer.clone() }
    };
    let far = [multiples(&layers[0]), multiples(&layers[1]), layers[2].clone()];
    let network = |layers: &[Layer]| PreparedFormulas::network(layers, 16).unwrap();
    assert_eq!(network(&far), network(&layers));
    let values = |layers: &[Layer; 3]| {
        layers.iter().fold(vec![5, 9], |values, layer| layer.values(&values, 16))
    };
    assert_eq!(values(&far), values(&layers));
    let deep = [
        layer(2, 2, 5, Some((8, 1))),
        layer(2, 2, 6, Some((8, 2))),
        layer(3, 2, 8, Some((8, 1))),
        layer(1, 3, 7, None),
    ];
    check(&deep, 8, 8);
}

#[test]
fn noise_of_sums_counts_their_factors() {
    let network = |factor: i64| {
        let tables = vec![(0..16).collect()];
        let first = Layer { weights: vec![vec![factor; 2]], constants: vec![0], tables };
        let last = Layer { weights: vec![vec![1]], constants: vec![0], tables: Vec::new() };
        PreparedFormulas::network(&[first, last], 16).unwrap()
    };
    // Factors are reduced by the modulus of columns.
    assert_eq!(network(1), network(17));
    let parameters = Parameters::insecure_toy_formulas(16, &network(1)).unwrap();
    let (secret, key) = common::keys(&parameters);
    // The column is so noisy that a multiple of it cannot be looked up.
    let mut column = secret.encrypt(&[0]).unwrap();
    let limit = parameters.stated_log2_fail();
    while parameters.lookup_log2_fail(column.noise().times(4)) <= limit {
        column = key.add(&column, &column).unwrap();
    }
    let evaluate = |factor| key.evaluate(&[&column, &column], &network(factor), Progress::silent());
    assert!(evaluate(1).is_ok());
    assert!(matches!(evaluate(8), Err(Error::NoiseTooLarge { .. })));
}

#[test]
fn what_does_not_fit_is_refused() {
    let new = |layers: &[Layer]| PreparedFormulas::network(layers, 16).unwrap_err().to_string();
    let (first, last) = (layer(3, 2, 1, Some((16, 3))), layer(2, 3, 2, None));
    assert!(new(&[]).contains("layers of a network"));
    for modulus in [0, 1, 4097, u64::MAX] {
        let found = PreparedFormulas::network(&[first.clone(), last.clone()], modulus);
        assert!(found.unwrap_err().to_string().contains("modulus of columns"), "{modulus}");
    }
    assert!(new(std::slice::from_ref(&last)).contains("layers of a network"));
    assert!(new(&[first.clone(), first.clone()]).contains("tables of the last layer"));
    assert!(new(&[last.clone(), last.clone()]).contains("tables of a layer"));
    let without = Layer { constants: vec![0], ..first.clone() };
    assert!(new(&[without, last.clone()]).contains("constants of sums"));
    let short = Layer { tables: vec![vec![0; 15]; 3], ..first.clone() };
    assert!(new(&[short, last.clone()]).contains("15"));
    let wide = Layer { weights: vec![vec![1; 4], vec![1; 4]], ..last.clone() };
    assert!(new(&[first.clone(), wide]).contains("factors of a sum"));
    let large = Layer { tables: vec![(0..16).map(|x| x << 24).collect(); 3], ..first.clone() };
    assert!(new(&[large, last.clone()]).contains("output of a layer's table"));
    let nothing = Layer { weights: vec![vec![0, 16]; 3], ..first.clone() };
    assert!(new(&[nothing, last.clone()]).contains("columns that a sum depends on"));
    let constant = Layer { tables: vec![vec![1; 16]; 3], ..first.clone() };
    assert!(new(&[constant, last.clone()]).contains("columns that a formula depends on"));

    // Results that are columns again must have the modulus of columns.
    let deep = PreparedFormulas::network(
        &[first, layer(2, 3, 3, Some((16, 1))), layer(1, 2, 4, None)],
        16,
    );
    let found = Parameters::insecure_toy_formulas(64, &deep.unwrap());
    assert!(found.unwrap_err().to_string().contains("columns of further formulas"));
}

/// Keys can be used with other networks whose sums are not noisier.
#[test]
fn keys_serve_other_networks() {
    let evaluate = |key: &EvaluationKey, secret: &SecretKey, network: &PreparedFormulas| {
        let columns = [secret.encrypt(&[1, 2]).unwrap(), secret.encrypt(&[3, 0]).unwrap()];
        key.evaluate(&columns.each_ref(), network, Progress::silent())
    };
    let network = |seed| {
        let layers = [layer(3, 2, seed, Some((16, 3))), layer(2, 3, seed + 1, None)];
        PreparedFormulas::network(&layers, 16).unwrap()
    };
    let (secret, key) = common::keys(&Parameters::insecure_toy_formulas(64, &network(1)).unwrap());
    assert!(evaluate(&key, &secret, &network(20)).is_ok());
    assert!(evaluate(&key, &secret, &network(1)).is_ok());
}
