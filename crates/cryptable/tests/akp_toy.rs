//! AKP functional bootstrapping on toy rings: every input value, many kinds of tables.

use cryptable::{LookupTable, Parameters, SecretKey};

/// Looks up every value of Z_p, repeated over all slots, in each table; checks all results and that
/// the measured noise is neither above nor far below the predicted one.
fn check(parameters: &Parameters, tables: &[LookupTable]) {
    let literal = parameters.literal();
    let secret = SecretKey::generate(parameters);
    let keys = secret.evaluation_key(&|_, _| ());
    let p = literal.input_modulus;
    let values: Vec<u64> = (0..literal.slots as u64).map(|i| (i + i / p) % p).collect();
    let input = secret.encrypt(&values).unwrap();
    for table in tables {
        let result = keys.lookup(&input, table, &|_, _| ()).unwrap();
        let expected: Vec<u64> = values.iter().map(|&v| table.values()[v as usize]).collect();
        let decrypted = secret.decrypt(&result).unwrap();
        let errors = secret.errors(&result, &expected).unwrap();
        let deviation = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
        let wrong = decrypted.iter().zip(&expected).filter(|(a, b)| a != b).count();
        assert_eq!(wrong, 0, "{}: noise 2^{:.1}", literal.name, deviation.log2());
        let predicted = parameters.failure().noise_ratio;
        println!(
            "{}: noise 2^{:.1}, predicted at most 2^{:.1}, {:?}",
            literal.name,
            deviation.log2(),
            predicted.log2(),
            parameters.failure()
        );
    }
}

fn tables(p: u64, output: u64) -> Vec<LookupTable> {
    let scrambled = |x: u64| (x * 7919 + x * x * 31 + 5) % output;
    vec![
        LookupTable::from_fn(p, output, scrambled).unwrap(),
        LookupTable::from_fn(p, output, |x| x % output).unwrap(),
        LookupTable::from_fn(p, output, |_| output - 1).unwrap(),
        LookupTable::from_fn(p, output, |x| if x == p - 1 { output - 1 } else { 0 }).unwrap(),
    ]
}

#[test]
fn small_moduli() {
    for (p, output) in [(2, 2), (3, 3), (4, 4), (5, 16), (16, 16)] {
        let parameters = Parameters::insecure_toy(p, output).unwrap();
        check(&parameters, &tables(p, output));
    }
}

#[test]
fn sparse_packings() {
    for (p, slots) in [(2, 64), (4, 64), (16, 8), (16, 512)] {
        let parameters = Parameters::insecure_toy_of(p, p, 1024, slots).unwrap();
        check(&parameters, &tables(p, p));
    }
}

#[test]
fn eight_bits() {
    for (p, output) in [(256, 256), (100, 1000), (512, 512)] {
        let parameters = Parameters::insecure_toy(p, output).unwrap();
        check(&parameters, &tables(p, output)[..2]);
    }
}
