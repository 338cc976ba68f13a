//! Real and complex tables, tables per value and encrypted tables, on toy rings.

use crate::common;

use std::sync::Arc;

use common::{look_up, look_up_many, mixed, outputs, reports, root_mean_square};
use cryptable_lattice::damaged_files::{check_refusals, forged};
use cryptable_packed::{
    ComplexTable, EncryptedTables, EntryKind, Error, EvaluationKey, MultiplexerLiteral, Parameters,
    Progress, RealDecryption, RealTable, SecretKey, SlotTables, Table,
};
use cryptable_ring::random::replay;
use num_complex::Complex64;

fn toy(output: u64, slots: usize, digits: &[u64], selectors: &[usize]) -> Parameters {
    let multiplexer = MultiplexerLiteral {
        digits: digits.to_vec(),
        selectors: selectors.to_vec(),
        entry_levels: 1,
        ..Default::default()
    };
    Parameters::insecure_toy_tree(output, 1024, slots, multiplexer, 0).unwrap()
}

/// One client's keys.
struct Client {
    parameters: Parameters,
    secret: SecretKey,
    keys: EvaluationKey,
}

impl Client {
    fn new(parameters: Parameters) -> Self {
        let (secret, keys) = common::keys(&parameters);
        Self { parameters, secret, keys }
    }

    fn values(&self, count: usize) -> Vec<u64> {
        let p = self.parameters.literal().input_modulus;
        (0..count as u64).map(|i| (i + i / p) % p).collect()
    }

    /// Looks every value up in its own table, in the clear and encrypted. Checks results and, for tables of the given
    /// mean square, that noise is as predicted.
    fn check(&self, tables: &[Table], mean_square: Option<f64>) {
        let values = self.values(tables.len());
        let input = self.secret.encrypt(&values).unwrap();
        let expected: Vec<u64> =
            values.iter().zip(tables).map(|(&v, table)| table.values()[v as usize]).collect();
        let tables = SlotTables::new(tables.to_vec()).unwrap();
        let encrypted = self.secret.encrypt_tables(&tables).unwrap();
        for kind in [EntryKind::Plain, EntryKind::Encrypted] {
            let output = match kind {
                EntryKind::Plain => self.keys.lookup_slots(&input, &tables, Progress::silent()),
                _ => self.keys.lookup_encrypted(&input, &encrypted, Progress::silent()),
            };
            let output = output.unwrap();
            let name = &self.parameters.literal().name;
            let measured = common::deviation(&self.secret, &output, &expected);
            let worst = self.parameters.failure();
            assert!(measured < 1.3 * (worst.noise_ratio + worst.bias_ratio), "{name} {kind:?}");
            if let Some(mean_square) = mean_square {
                let predicted = self.parameters.predicted_deviation(kind, mean_square).unwrap();
                let ratio = measured / predicted;
                // Five times the scatter of the standard deviation of 64 values.
                assert!((0.5..1.45).contains(&ratio), "{name} {kind:?}: {ratio} times predicted");
            }
        }
    }
}

/// Returns a random table per value.
fn random_tables(count: usize, p: u64, output: u64) -> Vec<Table> {
    (0..count as u64)
        .map(|k| Table::from_fn(p, output, |x| mixed(0, k * p + x + 1) % output).unwrap())
        .collect()
}

#[test]
fn random_tables_for_every_value() {
    let _replay = replay::begin();
    let cases: [(&[u64], &[usize], usize); 5] = [
        (&[4, 4], &[1, 1], 1024),
        (&[4, 16], &[1, 1], 64),
        (&[2, 4, 4], &[1, 1, 1], 64),
        (&[2, 3, 2, 2, 2], &[2, 1, 2], 1024),
        (&[2, 3, 2, 2, 2], &[2, 1, 2], 512),
    ];
    for (digits, selectors, slots) in cases {
        // Outputs have 14 bits, so that noise is well above the errors that squared phase errors leave.
        let client = Client::new(toy(1 << 14, slots, digits, selectors));
        let tables = random_tables(slots, digits.iter().product(), 1 << 14);
        client.check(&tables, Some(28f64.exp2() / 12.0));
    }
}

#[test]
fn moduli_that_are_no_powers_of_two() {
    let _replay = replay::begin();
    for (digits, output, slots) in [([3, 5], 15, 1024), ([10, 6], 7, 32), ([6, 10], 100, 1024)] {
        let client = Client::new(toy(output, slots, &digits, &[1, 1]));
        client.check(&random_tables(slots, digits.iter().product(), output), None);
    }
}

#[test]
fn constant_identical_and_extreme_tables_side_by_side() {
    let _replay = replay::begin();
    for slots in [1024, 128] {
        let client = Client::new(toy(64, slots, &[4, 4], &[1, 1]));
        let kinds: [&dyn Fn(u64) -> u64; 6] =
            [&|x| x, &|_| 0, &|_| 63, &|_| 32, &|x| 31 + x % 2, &|x| if x == 15 { 32 } else { 0 }];
        let table = |k: usize| Table::from_fn(16, 64, kinds[k % kinds.len()]).unwrap();
        client.check(&(0..slots).map(table).collect::<Vec<_>>(), None);
        // The largest table of all in every slot.
        client.check(&vec![table(3); slots], None);
    }
}

#[test]
fn cleaned_deltas_and_joined_selectors() {
    let _replay = replay::begin();
    let tree = |digits, selectors, delta_cleanings| MultiplexerLiteral {
        digits,
        selectors,
        delta_cleanings,
        entry_levels: 1,
        ..Default::default()
    };
    for (multiplexer, slots) in
        [(tree(vec![4, 4], vec![1, 1], 1), 64), (tree(vec![2; 4], vec![2, 2], 0), 1024)]
    {
        let parameters = Parameters::insecure_toy_tree(256, 1024, slots, multiplexer, 0).unwrap();
        Client::new(parameters).check(&random_tables(slots, 16, 256), None);
    }
}

#[test]
fn integer_tables_and_digits_work_beside_tables_of_slots() {
    let client = Client::new(toy(16, 1024, &[4, 4], &[1, 1]));
    let values = client.values(1024);
    let table = &random_tables(1, 16, 16)[0];
    let input = client.secret.encrypt(&values).unwrap();
    let tables = SlotTables::new(vec![table.clone(); 1024]).unwrap();
    let once = look_up(&client.keys, &input, table);
    let same = client.keys.lookup_slots(&input, &tables, Progress::silent()).unwrap();
    let decrypted = client.secret.decrypt(&once).unwrap();
    assert_eq!(decrypted, client.secret.decrypt(&same).unwrap());
    // Results may be inputs of further lookups.
    let twice = client.keys.lookup_slots(&once, &tables, Progress::silent()).unwrap();
    assert_eq!(client.secret.decrypt(&twice).unwrap(), outputs(table, &decrypted));
}

#[test]
fn fewer_values_than_tables_than_slots() {
    for slots in [1024, 16] {
        let client = Client::new(toy(16, slots, &[4, 4], &[1, 1]));
        let tables = SlotTables::new(random_tables(7, 16, 16)).unwrap();
        let encrypted = client.secret.encrypt_tables(&tables).unwrap();
        assert_eq!(encrypted.count(), Some(7));
        // Column selectors have the limbs of SlotsToCoeffs, q_0, one row selector and the entries.
        let limbs = client.parameters.literal().slots_to_coeffs.primes + 3;
        assert_eq!(encrypted.memory_bytes(), 16 * limbs * 1024 * 8);
        let values = [15, 0, 3, 3, 9];
        let input = client.secret.encrypt(&values).unwrap();
        let expected: Vec<u64> =
            values.iter().enumerate().map(|(k, &v)| tables.output(k, v)).collect();
        let mut output = None;
        let seen = reports(|progress| {
            output = Some(client.keys.lookup_slots(&input, &tables, progress)?);
            Ok(())
        });
        let output = output.unwrap();
        assert_eq!(client.secret.decrypt(&output).unwrap(), expected);
        let output = client.keys.lookup_encrypted(&input, &encrypted, Progress::silent()).unwrap();
        assert_eq!(client.secret.decrypt(&output).unwrap(), expected);
        let total = seen[0].1;
        assert_eq!(seen, (0..=total).map(|done| (done, total)).collect::<Vec<_>>());
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let message = |error: Error| error.to_string();
    let tables = |count, p, output| SlotTables::new(random_tables(count, p, output)).unwrap();
    let client = Client::new(toy(16, 8, &[4, 4], &[1, 1]));
    let (secret, keys) = (&client.secret, &client.keys);
    let input = secret.encrypt(&[1, 2, 3]).unwrap();
    let look_up = |tables: &SlotTables| {
        keys.lookup_slots(&input, tables, Progress::silent()).map_err(message).unwrap_err()
    };

    assert!(message(SlotTables::new(vec![]).unwrap_err()).contains("number of tables is 0"));
    let mixed = [random_tables(2, 16, 16), random_tables(1, 16, 8)].concat();
    let error = message(SlotTables::new(mixed).unwrap_err());
    assert!(error.contains("table 2 has the output modulus 8"), "{error}");

    let error = look_up(&tables(2, 16, 16));
    assert!(error.contains("number of tables is 2, but must be at least 3"), "{error}");
    for (count, p, output, expected) in [
        (9, 16, 16, "number of tables is 9, but must be at most 8"),
        (3, 8, 16, "input modulus is 8"),
        (3, 16, 32, "output modulus is 32"),
    ] {
        let tables = tables(count, p, output);
        let error = look_up(&tables);
        assert!(error.contains(expected), "{error}");
        let error = message(secret.encrypt_tables(&tables).unwrap_err());
        assert!(error.contains(expected), "{error}");
        let mut out = Vec::new();
        let written = secret.write_encrypted_tables(&tables, &mut out, Progress::silent());
        assert!(message(written.unwrap_err()).contains(expected) && out.is_empty());
    }

    let few = secret.encrypt_tables(&tables(2, 16, 16)).unwrap();
    let error = message(keys.lookup_encrypted(&input, &few, Progress::silent()).unwrap_err());
    assert!(error.contains("number of tables is 2"), "{error}");
    let other = SecretKey::generate(&toy(16, 16, &[4, 4], &[1, 1]));
    let foreign = other.encrypt_tables(&tables(3, 16, 16)).unwrap();
    let error = message(keys.lookup_encrypted(&input, &foreign, Progress::silent()).unwrap_err());
    assert!(error.contains("tables was made under other parameters: digest"), "{error}");
    let foreign = other.encrypt(&[1]).unwrap();
    assert!(keys.lookup_slots(&foreign, &tables(3, 16, 16), Progress::silent()).is_err());
    let digit = secret.encrypt_digits(&[1], 4).unwrap();
    let error = keys.lookup_slots(&digit, &tables(3, 16, 16), Progress::silent()).unwrap_err();
    assert!(message(error).contains("modulus of the values is 4"));
}

/// Tables are written while they are encrypted, and remain in their file while they are used.
#[test]
fn one_encrypted_table_serves_all_values() {
    for slots in [1024, 64] {
        let client = Client::new(Parameters::insecure_toy_entries_of(15, 16, slots).unwrap());
        let table = &random_tables(1, 15, 16)[0];
        let tables = SlotTables::shared(table).unwrap();
        assert_eq!((tables.count(), tables.output(700, 3)), (None, table.values()[3]));
        let mut object = Vec::new();
        let seen = reports(|progress| {
            client.secret.write_encrypted_tables(&tables, &mut object, progress)
        });
        assert_eq!(seen, [(0, 1), (1, 1)]);
        let encrypted = EncryptedTables::from_shared(&client.keys, Arc::new(object)).unwrap();
        assert_eq!(encrypted.count(), None);
        for count in [1, slots] {
            let values = client.values(count);
            let input = client.secret.encrypt(&values).unwrap();
            let output =
                client.keys.lookup_encrypted(&input, &encrypted, Progress::silent()).unwrap();
            let plain = client.keys.lookup_slots(&input, &tables, Progress::silent()).unwrap();
            let expected = outputs(table, &values);
            assert_eq!(client.secret.decrypt(&output).unwrap(), expected);
            assert_eq!(client.secret.decrypt(&plain).unwrap(), expected);
        }
        let mut again = Vec::new();
        encrypted.write(&mut again).unwrap();
        assert_eq!(EncryptedTables::from_bytes(&client.keys, &again).unwrap().count(), None);
    }
}

#[test]
fn parameters_without_a_level_for_entries_are_refused() {
    let tree =
        MultiplexerLiteral { digits: vec![4, 4], selectors: vec![1, 1], ..Default::default() };
    let tree = Parameters::insecure_toy_tree(16, 1024, 8, tree, 0).unwrap();
    let tables = SlotTables::new(random_tables(3, 16, 16)).unwrap();
    for (parameters, reason) in [
        (tree, "entry_levels = 0"),
        (Parameters::insecure_toy(16, 16).unwrap(), "not a multiplexer tree"),
    ] {
        let client = Client::new(parameters);
        let input = client.secret.encrypt(&[1]).unwrap();
        let error = client.keys.lookup_slots(&input, &tables, Progress::silent()).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
        let error = client.secret.encrypt_tables(&tables).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
}

/// Returns values within ±0.49.
fn reals(count: u64, seed: u64) -> Vec<f64> {
    (0..count).map(|x| 0.98 * ((mixed(0, x + seed) % 99_991) as f64 / 99_991.0 - 0.5)).collect()
}

#[test]
fn real_tables_err_by_quantisation_and_noise() {
    let _replay = replay::begin();
    let tree =
        MultiplexerLiteral { digits: vec![8, 8], selectors: vec![1, 1], ..Default::default() };
    for log2_output in [12, 20] {
        let output = 1u64 << log2_output;
        let parameters = Parameters::insecure_toy_tree(output, 1024, 1024, tree.clone(), 0);
        let client = Client::new(parameters.unwrap());
        let input_values = client.values(1024);
        let values = reals(64, 5);
        let table = RealTable::new(64, &values, output).unwrap();
        let input = client.secret.encrypt(&input_values).unwrap();
        let result = look_up(&client.keys, &input, table.table());
        let integers = outputs(table.table(), &input_values);
        let noises = client.secret.errors(&result, &integers).unwrap();
        // Quantisation error of these values, and predicted noise of a table with their mean square, both in half
        // steps.
        let rounded = table.rounded();
        let half_steps = 2.0 * output as f64;
        let quantisation: Vec<f64> =
            values.iter().zip(&rounded).map(|(v, r)| (r - v) * half_steps).collect();
        let mean_square =
            rounded.iter().map(|v| v * v).sum::<f64>() / 64.0 * (output as f64).powi(2);
        let noise = client.parameters.predicted_deviation(EntryKind::Shared, mean_square).unwrap();
        let errors: Vec<f64> =
            input_values.iter().zip(&noises).map(|(&x, e)| e + quantisation[x as usize]).collect();
        let expected = root_mean_square(&quantisation).hypot(noise);
        let ratio = root_mean_square(&errors) / expected;
        assert!(
            (0.6..1.3).contains(&ratio),
            "{log2_output} bits: {ratio} times the expected error"
        );
        // With 20 bits, the client's modulus is large enough to make phase errors negligible.
        let ratio = root_mean_square(&noises) / noise;
        assert!(log2_output < 20 || (0.6..1.3).contains(&ratio), "{ratio} times the noise");
        assert!(errors.iter().all(|e| e.abs() < 1.0 + 6.5 * noise), "{log2_output} bits");
        // Rounding removes all noise.
        let reals = client.secret.decrypt_reals(&result, RealDecryption::default()).unwrap();
        let exact: Vec<f64> = input_values.iter().map(|&x| rounded[x as usize]).collect();
        assert_eq!(reals, exact);
        // Integers decrypt as usual.
        assert_eq!(client.secret.decrypt(&result).unwrap(), integers);
    }
}

#[test]
fn complex_tables_are_two_tables_on_the_same_selectors() {
    let _replay = replay::begin();
    let client = Client::new(toy(1 << 16, 64, &[4, 4], &[1, 1]));
    let parts: Vec<_> = reals(16, 1).into_iter().zip(reals(16, 1000)).collect();
    let values: Vec<_> = parts.iter().map(|&(re, im)| Complex64::new(re, im)).collect();
    let table = ComplexTable::new(16, &values, 1 << 16).unwrap();
    let inputs = client.values(64);
    let input = client.secret.encrypt(&inputs).unwrap();
    let results = look_up_many(&client.keys, &input, table.tables());
    let options = RealDecryption::default();
    let [re, im] =
        [0, 1].map(|part: usize| client.secret.decrypt_reals(&results[part], options).unwrap());
    for ((&x, re), im) in inputs.iter().zip(re).zip(im) {
        let error = Complex64::new(re, im) - values[x as usize];
        assert!(error.re.abs().max(error.im.abs()) < 16f64.exp2().recip(), "{x}: {error}");
    }
}

#[test]
fn encrypted_tables_travel_as_bytes() {
    let client = Client::new(toy(16, 32, &[4, 4], &[1, 1]));
    let tables = SlotTables::new(random_tables(32, 16, 16)).unwrap();
    let encrypted = client.secret.encrypt_tables(&tables).unwrap();
    let mut bytes = Vec::new();
    encrypted.write(&mut bytes).unwrap();
    assert!(bytes.len() < encrypted.memory_bytes() + 2048);
    let read = EncryptedTables::from_bytes(&client.keys, &bytes).unwrap();
    let input = client.secret.encrypt(&client.values(32)).unwrap();
    let outputs = [encrypted, read].map(|tables| {
        let output = client.keys.lookup_encrypted(&input, &tables, Progress::silent()).unwrap();
        client.secret.decrypt(&output).unwrap()
    });
    assert_eq!(outputs[0], outputs[1]);

    check_refusals(&bytes, 5000, |bytes| EncryptedTables::from_bytes(&client.keys, bytes));
    // Damage that a new checksum hides: words beyond their primes, a wrong number of tables, extra or missing bytes.
    let forged = |change: &dyn Fn(&mut Vec<u8>)| {
        let object = forged(&bytes, change);
        EncryptedTables::from_bytes(&client.keys, &object).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(forged(&|_| ()), Ok(()));
    assert!(forged(&|body| body[71] = 0xff).unwrap_err().contains("below their primes"));
    assert!(forged(&|body| body[16] = 33).unwrap_err().contains("number of tables"));
    assert!(forged(&|body| body.push(0)).is_err());
    assert!(forged(&|body| body.truncate(body.len() - 8)).is_err());
    let other = Client::new(toy(16, 16, &[4, 4], &[1, 1]));
    assert!(EncryptedTables::from_bytes(&other.keys, &bytes).is_err());
}
