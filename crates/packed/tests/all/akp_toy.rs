//! AKP functional bootstrapping on toy rings: every input value, many kinds of tables.

use crate::common;

use std::sync::Arc;

use common::{allowed, in_half_ring, look_up, outputs, tables};
use cryptable_lattice::KeyPurpose;
use cryptable_packed::{
    Ciphertext, EvaluationKey, HermiteOrder, Parameters, ParametersLiteral, Progress, SecretKey,
    Table, trigonometric_hermite,
};
use cryptable_ring::random::replay;
use num_complex::Complex64;

/// Looks up every value of Z_p, repeated over all slots, in each table; checks all results, and that the measured noise
/// is neither above nor far below the prediction.
fn check(parameters: &Parameters, tables: &[Table]) {
    let literal = parameters.literal();
    let (secret, keys) = common::keys(parameters);
    let p = literal.input_modulus;
    let values: Vec<u64> = (0..literal.slots as u64).map(|i| (i + i / p) % p).collect();
    let input = secret.encrypt(&values).unwrap();
    for table in tables {
        let result = look_up(&keys, &input, table);
        common::check_result(&secret, &result, table, &outputs(table, &values));
    }
}

#[test]
fn every_matrix_has_baby_steps_of_its_own() {
    let _replay = replay::begin();
    let toy = Parameters::insecure_toy_of(16, 16, 1024, 1024).unwrap();
    let mut literal = toy.literal().clone();
    let of_matrix = |index: usize| [[5, 5], [4, 2], [6, 3], [3, 3]][index % 4];
    for dft in [&mut literal.coeffs_to_slots, &mut literal.slots_to_coeffs] {
        dft.matrix_babies = (0..dft.stages.len()).map(of_matrix).collect();
    }
    let parameters = Parameters::new(literal).unwrap();
    assert_ne!(parameters.digest(), toy.digest());
    check(&parameters, &tables(16, 16));
}

#[test]
fn the_first_matrix_or_step_of_the_trace_raises() {
    let _replay = replay::begin();
    for (p, slots) in [(16, 1024), (4, 64), (2, 1024)] {
        let toy = Parameters::insecure_toy_of(p, p, 1024, slots).unwrap();
        let literal = ParametersLiteral { raising_matrix: true, ..toy.literal().clone() };
        let parameters = Parameters::new(literal).unwrap();
        let keys = SecretKey::generate(&parameters).evaluation_key(Progress::silent()).unwrap();
        let raises = |it: KeyPurpose| matches!(it, KeyPurpose::SparseGalois(_));
        assert!(keys.keys().iter().any(|(purpose, _)| raises(purpose)));
        check(&parameters, &tables(p, p));
    }
}

/// Copies hold all blocks or some of them, or there is one copy.
#[test]
fn secrets_of_blocks() {
    let _replay = replay::begin();
    for (p, slots, blocks) in [(16, 8, 16), (16, 64, 16), (5, 512, 8)] {
        check(&Parameters::insecure_toy_blocks(p, slots, blocks).unwrap(), &tables(p, p));
    }
}

#[test]
fn literals_of_a_secret_of_blocks_have_bounds() {
    let toy = Parameters::insecure_toy_blocks(16, 64, 16).unwrap();
    let refused = |change: &dyn Fn(&mut ParametersLiteral), expected: &str| {
        let mut literal = toy.literal().clone();
        change(&mut literal);
        let error = Parameters::new(literal).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    refused(&|it| it.block_secret.as_mut().unwrap().blocks = 12, "blocks of the secret");
    refused(&|it| it.block_secret.as_mut().unwrap().dimension = 32, "dimension");
    refused(&|it| it.block_secret.as_mut().unwrap().dimension = 2048, "dimension");
    refused(&|it| it.block_secret.as_mut().unwrap().log2_prime = 40.0, "prime");
    refused(&|it| it.slots = 1024, "values per ciphertext");
    refused(&|it| it.doublings = 1, "CoeffsToSlots or of a series");
    refused(&|it| it.owners = cryptable_lattice::Owners::new(2).unwrap(), "several owners");
    refused(&|it| it.input_modulus = 2, "two inputs");
    // The security tables do not contain this secret.
    refused(&|it| it.security = cryptable_lattice::SecurityLevel::Bits128, "modulus");
}

#[test]
fn small_moduli() {
    let _replay = replay::begin();
    for (p, output) in [(2, 2), (3, 3), (4, 4), (5, 16), (16, 16)] {
        let parameters = Parameters::insecure_toy(p, output).unwrap();
        check(&parameters, &tables(p, output));
    }
}

#[test]
fn higher_orders() {
    let _replay = replay::begin();
    for order in [HermiteOrder::Second, HermiteOrder::Third] {
        for (p, output) in [(2, 2), (3, 16), (5, 5), (16, 16), (100, 100)] {
            let parameters =
                Parameters::insecure_toy_of_order(p, output, 1024, 1024, order).unwrap();
            assert_eq!(parameters.method_name(), format!("AKP-{}", order.derivatives()));
            check(&parameters, &tables(p, output));
        }
        let sparse = Parameters::insecure_toy_of_order(4, 4, 1024, 64, order).unwrap();
        check(&sparse, &tables(4, 4));
    }
}

#[test]
fn few_values_in_the_half_ring() {
    let _replay = replay::begin();
    for (p, output, slots, order) in [
        (3, 16, 256, HermiteOrder::First),
        (100, 100, 256, HermiteOrder::First),
        (16, 16, 64, HermiteOrder::Second),
    ] {
        let whole = Parameters::insecure_toy_of_order(p, output, 1024, slots, order).unwrap();
        let half = in_half_ring(&whole);
        let [work, less] = [&whole, &half].map(|it| it.operation_counts(2));
        assert!(less.limb_products < work.limb_products);
        check(&half, &tables(p, output));
    }
    let full = Parameters::insecure_toy(16, 16).unwrap().literal().clone();
    let error = Parameters::new(ParametersLiteral { half_digits: 2, ..full }).unwrap_err();
    assert!(error.to_string().contains("values of the half ring"), "{error}");
}

/// `R(x) = Re Σ_k α_k·e^{2πikx}`.
fn interpolation(alpha: &[Complex64], x: f64) -> f64 {
    let term = |(k, alpha): (usize, &Complex64)| {
        (alpha * Complex64::from_polar(1.0, std::f64::consts::TAU * k as f64 * x)).re
    };
    alpha.iter().enumerate().map(term).sum()
}

#[test]
fn errors_of_inputs_leave_by_the_power_that_the_order_says() {
    let _replay = replay::begin();
    let p = 16u64;
    let table = &tables(p, p)[0];
    let fractions: Vec<f64> = table.centered().iter().map(|&v| v as f64 / p as f64).collect();
    for order in HermiteOrder::ALL {
        let parameters = Parameters::insecure_toy_of_order(p, p, 1024, 1024, order).unwrap();
        let (secret, keys) = common::keys(&parameters);
        let values: Vec<u64> = (0..1024).map(|i| i % p).collect();
        let expected = outputs(table, &values);
        let alpha = trigonometric_hermite(&fractions, order);
        let mut largest = [0.0; 2];
        for (size, largest) in [0.08, 0.16].into_iter().zip(&mut largest) {
            let shift = size / p as f64;
            let input = secret.encrypt_shifted(&values, shift).unwrap();
            let errors = secret.errors(&look_up(&keys, &input, table), &expected).unwrap();
            for (value, error) in values.iter().zip(errors) {
                let x = *value as f64 / p as f64;
                let predicted = interpolation(&alpha, x + shift) - fractions[*value as usize];
                let predicted = predicted * 2.0 * p as f64;
                assert!(
                    (error - predicted).abs() < 0.01,
                    "{order:?}, {value}: {error}, {predicted}"
                );
                *largest = predicted.abs().max(*largest);
            }
        }
        // Doubling the error of the input multiplies that of the output by 4, 8 and 16, where the leading term
        // prevails.
        let growth = (largest[1] / largest[0]).log2();
        let power = order.derivatives() as f64 + 1.0;
        assert!((growth - power).abs() < 0.25, "{order:?}: {growth}");
        assert!(largest[0] > 0.015, "{order:?}: {largest:?}");
    }
}

#[test]
fn sparse_packings() {
    let _replay = replay::begin();
    for (p, slots) in [(2, 64), (4, 64), (16, 8), (16, 512)] {
        let parameters = Parameters::insecure_toy_of(p, p, 1024, slots).unwrap();
        check(&parameters, &tables(p, p));
    }
}

#[test]
fn eight_bits() {
    let _replay = replay::begin();
    for (p, output) in [(256, 256), (100, 1000), (512, 512)] {
        let parameters = Parameters::insecure_toy(p, output).unwrap();
        check(&parameters, &tables(p, output)[..2]);
    }
}

#[test]
fn keys_and_ciphertexts_come_back_from_bytes() {
    let few = Parameters::insecure_toy_of(4, 4, 1024, 64).unwrap();
    for parameters in [Parameters::insecure_toy(4, 4).unwrap(), in_half_ring(&few)] {
        check_bytes(&SecretKey::generate(&parameters));
    }
}

fn check_bytes(secret: &SecretKey) {
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
    let secret = SecretKey::from_bytes(&secret.to_bytes(), allowed()).unwrap();
    let keys = EvaluationKey::from_shared(Arc::new(file.clone()), allowed()).unwrap();
    let table = Table::from_fn(4, 4, |x| 3 - x).unwrap();
    let input = secret.encrypt(&[0, 1, 2, 3, 2]).unwrap();
    let input = Ciphertext::from_bytes(&input.to_bytes()).unwrap();
    let output = look_up(&keys, &input, &table);
    let output = Ciphertext::from_bytes(&output.to_bytes()).unwrap();
    assert_eq!(secret.decrypt(&output).unwrap(), [3, 2, 1, 0, 1]);

    // A second lookup on the result: chains need no re-encryption.
    let twice = look_up(&keys, &output, &table);
    assert_eq!(secret.decrypt(&twice).unwrap(), [0, 1, 2, 3, 2]);

    let mut altered = file.clone();
    altered[1000] ^= 1;
    assert!(EvaluationKey::from_shared(Arc::new(altered), allowed()).is_err());
    assert!(
        EvaluationKey::from_shared(Arc::new(file[..file.len() - 1].to_vec()), allowed()).is_err()
    );
}

#[test]
fn wrong_arguments_are_named() {
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let secret = SecretKey::generate(&parameters);
    let message = |error: cryptable_packed::Error| error.to_string();
    let error = message(secret.encrypt(&[0, 1, 4]).unwrap_err());
    assert!(error.contains("value 4 at position 2") && error.contains("modulus 4"), "{error}");
    let error = message(secret.encrypt(&vec![0; 1025]).unwrap_err());
    assert!(error.contains("1025") && error.contains("1024"), "{error}");

    let other = SecretKey::generate(&Parameters::insecure_toy(2, 2).unwrap());
    let foreign = other.encrypt(&[1]).unwrap();
    assert!(message(secret.decrypt(&foreign).unwrap_err()).contains("digest"));
    let keys = secret.evaluation_key(Progress::silent()).unwrap();
    let table = Table::from_fn(5, 4, |_| 0).unwrap();
    let error = message(keys.prepare(&table).unwrap_err());
    assert!(error.contains("input modulus is 5") && error.contains('4'), "{error}");
    for error in [
        Table::new(4, 4, vec![0; 3]).unwrap_err(),
        Table::new(4, 4, vec![0, 1, 2, 4]).unwrap_err(),
        Table::new(1, 4, vec![0]).unwrap_err(),
    ] {
        assert!(!message(error).is_empty());
    }
}
