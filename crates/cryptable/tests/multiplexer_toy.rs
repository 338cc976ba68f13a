//! BMT, CMT and functional digit decomposition on toy rings: every input value, many kinds of tables.

use cryptable::{EvaluationKey, LookupTable, MultiplexerLiteral, Parameters, SecretKey};

fn literal(digits: &[u64], selectors: &[usize]) -> MultiplexerLiteral {
    MultiplexerLiteral {
        digits: digits.to_vec(),
        selectors: selectors.to_vec(),
        delta_cleanings: 0,
        cleaning_and: false,
    }
}

/// Every value of the input modulus, repeated over all slots.
fn every_value(parameters: &Parameters) -> Vec<u64> {
    let (p, slots) = (parameters.literal().input_modulus, parameters.literal().slots as u64);
    (0..slots).map(|i| (i + i / p) % p).collect()
}

/// Looks up every value in each table; checks all results, and that the measured noise is neither above
/// nor far below the predicted one.
fn check(parameters: &Parameters, tables: &[LookupTable]) -> (SecretKey, EvaluationKey) {
    let literal = parameters.literal();
    let secret = SecretKey::generate(parameters);
    let keys = secret.evaluation_key(&|_, _| ());
    let values = every_value(parameters);
    let input = secret.encrypt(&values).unwrap();
    let results = keys.lookup_many(&input, tables, &|_, _| ()).unwrap();
    for (table, result) in tables.iter().zip(&results) {
        let expected: Vec<u64> = values.iter().map(|&v| table.values()[v as usize]).collect();
        let decrypted = secret.decrypt(result).unwrap();
        let errors = secret.errors(result, &expected).unwrap();
        let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let wrong = decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
        let predicted = parameters.failure().noise_ratio;
        let bound = predicted + parameters.failure().bias_ratio;
        println!(
            "{}: measured 2^{:.1}, predicted 2^{:.1} + bias 2^{:.1}",
            literal.name,
            deviation.log2(),
            predicted.log2(),
            parameters.failure().bias_ratio.log2(),
        );
        assert_eq!(wrong, 0, "{}: noise 2^{:.1}", literal.name, deviation.log2());
    }
    (secret, keys)
}

fn tables(p: u64, output: u64) -> Vec<LookupTable> {
    let scrambled = |x: u64| (x * 7919 + x * x * 31 + 5) % output;
    vec![
        LookupTable::from_fn(p, output, scrambled).unwrap(),
        LookupTable::from_fn(p, output, |x| x % output).unwrap(),
        LookupTable::from_fn(p, output, |_| output - 1).unwrap(),
        LookupTable::from_fn(p, output, |x| if x == p - 1 { output / 2 } else { 0 }).unwrap(),
    ]
}

#[test]
fn two_digits() {
    for (digits, output) in [([4, 4], 16), ([4, 8], 32), ([16, 16], 256)] {
        let literal = literal(&digits, &[1, 1]);
        let parameters = Parameters::insecure_toy_tree(output, 1024, 1024, literal, 0).unwrap();
        check(&parameters, &tables(digits.iter().product(), output));
    }
}
