//! Lookups in slots: every value of every table, errors from both sides, remaining levels.

use std::sync::LazyLock;

use cryptable_approximate::{
    Complex64, EvaluationKey, Grid, KeySet, LeveledTable, Parameters, SecretKey, SlotBounds,
    SlotFunction, SlotTable,
};
use cryptable_lattice::Progress;
use cryptable_ring::random::replay;
use rand::Rng;

pub(crate) type Client = (SecretKey, EvaluationKey);

/// Keys of complex slots.
pub(crate) static INSECURE: LazyLock<Client> = LazyLock::new(|| {
    let _replay = replay::begin();
    client(&Parameters::insecure_toy_bootstrapping().unwrap())
});

static SMALL: LazyLock<Client> = LazyLock::new(|| {
    let _replay = replay::begin();
    client(&Parameters::insecure_toy_lookups().unwrap())
});

/// Keys of sparse slots.
pub(crate) static SPARSE: LazyLock<Client> = LazyLock::new(|| {
    let _replay = replay::begin();
    client(&Parameters::insecure_toy_sparse_bootstrapping(128).unwrap())
});

pub(crate) fn client(parameters: &Parameters) -> Client {
    let secret = SecretKey::generate(parameters);
    let keys = KeySet::new().lookups();
    let server = secret.evaluation_key_for(&keys, Progress::silent()).unwrap();
    (secret, server)
}

/// Numbers of the points, each in turn, in both parts if slots are complex.
fn inputs(slots: usize, count: usize, complex: bool) -> Vec<[usize; 2]> {
    (0..slots).map(|j| [j % count, if complex { (j / 3 + 1) % count } else { 0 }]).collect()
}

/// Evaluates a function of values and checks every result. Returns the ratio of the root mean square of errors to the
/// expected one. Slots are real if no part of the values is imaginary.
pub(crate) fn check_function<'a>(
    (secret, server): &Client,
    function: impl Copy + Into<SlotFunction<'a>>,
    level: usize,
    values: &[Complex64],
    expected: &[Complex64],
) -> f64 {
    let complex = values.iter().any(|z| z.im != 0.0);
    let mut bounds = SlotBounds::of(values);
    bounds.im = if complex { bounds.im } else { 0.0 };
    let fresh = secret.encrypt_within(values, bounds).unwrap();
    let input = server.lower(&fresh, level).unwrap();
    let predicted = server.parameters().predict_lookup(&input, function).unwrap();
    let output = server.lookup(&input, function).unwrap();
    assert_eq!((output.level(), output.error()), (predicted.level, predicted.error));
    assert!(expected.iter().all(|z| z.re.abs() <= output.bounds().re));
    let errors = secret.errors(&output, expected).unwrap();
    let parts: Vec<f64> =
        errors.iter().flat_map(|z| if complex { vec![z.re, z.im] } else { vec![z.re] }).collect();
    let largest = parts.iter().fold(0f64, |a, x| a.max(x.abs()));
    let mean = (parts.iter().map(|x| x * x).sum::<f64>() / parts.len() as f64).sqrt();
    println!(
        "{complex}: root mean square 2^{:.2}, expected 2^{:.2}; largest 2^{:.2} of {predicted:?}",
        mean.log2(),
        predicted.expected_deviation.log2(),
        largest.log2(),
    );
    assert!(largest <= predicted.error.largest(-40.0), "{largest}");
    mean / predicted.expected_deviation
}

/// Looks up a table and checks every value, and the root mean square of errors from both sides.
fn check(client: &Client, table: &SlotTable, complex: bool) -> f64 {
    let grid = table.grid();
    let chosen = inputs(client.1.parameters().slots(), grid.count, complex);
    let slot = |[x, y]: [usize; 2], f: &dyn Fn(usize) -> f64| {
        Complex64::new(f(x), if complex { f(y) } else { 0.0 })
    };
    let values: Vec<_> = chosen.iter().map(|&m| slot(m, &|m| grid.point(m))).collect();
    let expected: Vec<_> = chosen.iter().map(|&m| slot(m, &|m| table.values()[m])).collect();
    // If the period divides the range of the bootstrap, inputs of the lowest level are enough.
    let level = usize::from(!grid.period().log2().fract().eq(&0.0) || grid.count > 32);
    check_function(client, table, level, &values, &expected)
}

/// A table that looks random.
fn random(p: usize, order: u64) -> SlotTable {
    let values: Vec<f64> = (0..p).map(|m| ((m * m * 7 + 3 * m + 1) % 23) as f64 / 23.0).collect();
    SlotTable::new(Grid::integers(p), order, &values).unwrap()
}

#[test]
fn insecure_tables_of_every_value() {
    let client = &*INSECURE;
    let last = |p: usize| {
        SlotTable::from_fn(Grid::integers(p), 1, move |m| f64::from(m as usize == p - 1))
    };
    let tables = [
        random(2, 1),
        random(3, 1),
        random(16, 1),
        random(16, 2),
        random(10, 3),
        random(64, 1),
        last(16).unwrap(),
        SlotTable::from_fn(Grid::integers(16), 1, |m| m).unwrap(),
        SlotTable::from_fn(Grid::integers(5), 2, |m| m).unwrap(),
    ];
    for table in &tables {
        for complex in [false, true] {
            let ratio = check(client, table, complex);
            assert!((0.3..1.25).contains(&ratio), "{ratio}");
        }
    }
    // A constant does not depend on the input.
    let constant = SlotTable::from_fn(Grid::integers(7), 1, |_| 0.5).unwrap();
    assert!(check(client, &constant, true) < 1.25);
}

#[test]
fn insecure_tables_of_sparse_slots() {
    for table in [random(2, 1), random(3, 1), random(16, 1), random(16, 2), random(10, 3)] {
        for complex in [false, true] {
            let ratio = check(&SPARSE, &table, complex);
            assert!((0.25..1.25).contains(&ratio), "{ratio}");
        }
    }
}

#[test]
fn insecure_tables_with_the_primes_of_the_small_set() {
    for table in [random(2, 1), random(7, 2), random(16, 1), random(16, 2)] {
        for complex in [false, true] {
            let ratio = check(&SMALL, &table, complex);
            assert!((0.3..1.25).contains(&ratio), "{ratio}");
        }
    }
}

#[test]
fn stated_failures_and_security() {
    for parameters in [Parameters::lookups_128().unwrap(), Parameters::bootstrapping_128().unwrap()]
    {
        assert!(parameters.security_bits() >= 128.0);
        let secret = SecretKey::generate(&parameters);
        let x = secret.encrypt_within(&[], SlotBounds { re: 15.0, im: 15.0 }).unwrap();
        let table = random(16, 1);
        let predicted = parameters.predict_lookup(&x, &table).unwrap();
        // Counts both parts of all slots.
        let values = (2 * parameters.slots()) as f64;
        assert!(predicted.log2_fail_per_slot + values.log2() <= -64.0);
        assert!(predicted.phase_error < 0.01 && predicted.level >= 2, "{predicted:?}");
        assert!(predicted.error.largest(-80.0) < 0.01, "{predicted:?}");
    }
}

#[test]
fn insecure_signs_and_steps_of_real_numbers() {
    let client = &*INSECURE;
    let grid = Grid { first: -1.0, step: 0.125, count: 16 };
    let sign = SlotTable::from_fn(grid, 2, |x| if x < 0.0 { -1.0 } else { 1.0 }).unwrap();
    let gelu = |x: f64| 0.5 * x * (1.0 + (0.797_884_560_8 * (x + 0.044_715 * x * x * x)).tanh());
    let activation = SlotTable::from_fn(grid, 1, gelu).unwrap();
    for table in [&sign, &activation] {
        let ratio = check(client, table, false);
        assert!((0.3..1.25).contains(&ratio), "{ratio}");
    }
    // Evaluates both at once, at the cost of one.
    let (secret, server) = client;
    let slots = server.parameters().slots();
    let values: Vec<f64> = (0..slots).map(|j| grid.point(j % 16)).collect();
    let input = secret.encrypt_reals(&values).unwrap();
    let outputs = server.lookup_many(&input, &[&sign, &activation]).unwrap();
    for (output, table) in outputs.iter().zip([&sign, &activation]) {
        for (j, y) in secret.decrypt_reals(output).unwrap().into_iter().enumerate() {
            assert!((y - table.values()[j % 16]).abs() < 1e-4);
        }
    }
}

#[test]
fn insecure_errors_of_inputs_leave_as_the_kernel_says() {
    let (secret, server) = &*INSECURE;
    for order in 1..=3 {
        let table = random(8, order);
        let grid = table.grid();
        for shift in [0.05, 0.2] {
            let slots = server.parameters().slots();
            let values: Vec<_> =
                (0..slots).map(|j| Complex64::from((j % 8) as f64 + shift)).collect();
            let input = secret.encrypt_within(&values, SlotBounds::real(8.0)).unwrap();
            let output = server.lookup(&input, &table).unwrap();
            let found = secret.errors(&output, &vec![Complex64::ZERO; slots]).unwrap();
            let kernel = cryptable_packed::HermiteKernel::new(
                8,
                cryptable_packed::HermiteOrder::new(order).unwrap(),
            );
            let off = kernel.errors(table.values(), shift / grid.period());
            let largest = off.iter().fold(0f64, |a, e| a.max(e.abs()));
            assert!(largest <= table.largest_deviation(shift));
            for (j, y) in found.iter().enumerate() {
                let expected = table.values()[j % 8] + off[j % 8];
                assert!((y.re - expected).abs() < 1e-5, "order {order}, shift {shift}, slot {j}");
            }
        }
    }
}

#[test]
fn insecure_results_go_on_being_computed_with() {
    // A table, its result squared, one more table of that, and a table without a bootstrap.
    let (secret, server) = &*INSECURE;
    let slots = server.parameters().slots();
    let mut rng = rand::rng();
    let values: Vec<usize> = (0..slots).map(|_| rng.random_range(0..8)).collect();
    let encoded: Vec<_> = values.iter().map(|&m| Complex64::from(m as f64)).collect();
    let x = secret.encrypt_within(&encoded, SlotBounds::real(7.0)).unwrap();
    let residues = SlotTable::from_fn(Grid::integers(8), 1, |m| (3.0 * m) % 4.0).unwrap();
    let y = server.lookup(&server.lower(&x, 1).unwrap(), &residues).unwrap();
    let square = server.mul(&y, &y).unwrap();
    let parity = SlotTable::from_fn(Grid::integers(10), 1, |m| m % 2.0).unwrap();
    let bits = server.lookup(&square, &parity).unwrap();
    let not = LeveledTable::of_integers(&[1.0, 0.0], 1).unwrap();
    let found = secret.decrypt_reals(&server.leveled_table(&bits, &not).unwrap()).unwrap();
    for (m, y) in values.iter().zip(found) {
        let expected = 1.0 - f64::from(((3 * m) % 4).pow(2) as u8 % 2);
        assert!((y - expected).abs() < 1e-3, "{m}: {y}");
    }
}

#[test]
fn insecure_bad_inputs_are_refused() {
    let (secret, server) = &*INSECURE;
    let table = random(8, 1);
    let x = secret.encrypt_reals(&[0.5]).unwrap();
    let message = |found: cryptable_lattice::Result<_>| {
        let found: cryptable_lattice::Result<cryptable_approximate::Ciphertext> = found;
        found.unwrap_err().to_string()
    };
    let bottom = server.lower(&x, 0).unwrap();
    let found = message(server.lookup(&bottom, &random(7, 1)));
    assert!(found.contains("level of a lookup's input is 0"), "{found}");
    let deep = random(1024, 1);
    let found = message(server.lookup(&x, &deep));
    assert!(found.contains("levels of the table"), "{found}");
    let fine = Grid { first: 0.0, step: 1e-8, count: 16 };
    let found = message(server.lookup(&x, &SlotTable::from_fn(fine, 1, |x| x).unwrap()));
    assert!(found.contains("error of a lookup's input"), "{found}");
    let found = server.lookup_many::<&SlotTable>(&x, &[]).unwrap_err().to_string();
    assert!(found.contains("number of tables is 0"), "{found}");
    let found = server.lookup_many(&x, &[&table, &random(4, 1)]).unwrap_err().to_string();
    assert!(found.contains("period of a function"), "{found}");
    let other = client(server.parameters());
    assert!(message(other.1.lookup(&x, &table)).contains("client"));
    let without = secret.evaluation_key_for(&KeySet::new(), Progress::silent()).unwrap();
    assert!(message(without.lookup(&x, &table)).contains("its keys"));
    let plain = Parameters::insecure_toy().unwrap();
    let secret = SecretKey::generate(&plain);
    let x = secret.encrypt_reals(&[0.5]).unwrap();
    let found = plain.predict_lookup(&x, &table).unwrap_err().to_string();
    assert!(found.contains("without bootstrapping"), "{found}");
    assert!(secret.evaluation_key_for(&KeySet::new().lookups(), Progress::silent()).is_err());
}

#[test]
#[ignore = "full size: half a minute"]
fn full_size_lookups_of_the_small_set_keep_to_their_errors() {
    let _replay = replay::begin();
    let client = client(&Parameters::lookups_128().unwrap());
    for (table, complex) in [(random(16, 1), false), (random(16, 1), true), (random(5, 2), true)] {
        let ratio = check(&client, &table, complex);
        assert!((0.3..1.25).contains(&ratio), "{ratio}");
    }
}

#[test]
#[ignore = "full size: two minutes and 5 GB"]
fn full_size_lookups_keep_to_their_errors() {
    let _replay = replay::begin();
    let client = client(&Parameters::bootstrapping_128().unwrap());
    for (table, complex) in [(random(16, 1), false), (random(16, 1), true), (random(64, 1), false)]
    {
        let ratio = check(&client, &table, complex);
        assert!((0.3..1.25).contains(&ratio), "{ratio}");
    }
}
