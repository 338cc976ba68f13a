//! Tables of up to eight bits: all arguments, both packings, noise by derivatives, refusals.

use crate::common;

use common::{check_noise, errors};
use cryptable_bits::{BitTable, EncryptedBits, EvaluationKey, Packing, Parameters, SecretKey};
use cryptable_lattice::{Error, Progress};
use rand::{Rng, SeedableRng, rngs::StdRng};

fn keys(parameters: &Parameters) -> (SecretKey, EvaluationKey) {
    let _replay = cryptable_ring::random::replay::begin();
    let secret = SecretKey::generate(parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    (secret, server)
}

/// Bit i of arguments that run through all of k bits.
fn arguments(parameters: &Parameters, inputs: usize) -> Vec<Vec<bool>> {
    let bit = |i: usize| (0..parameters.bits()).map(|x| x >> i & 1 == 1).collect();
    (0..inputs).map(bit).collect()
}

fn encrypt(secret: &SecretKey, bits: &[Vec<bool>]) -> Vec<EncryptedBits> {
    bits.iter().map(|bits| secret.encrypt(bits).unwrap()).collect()
}

fn images(parameters: &Parameters, table: &BitTable) -> Vec<bool> {
    (0..parameters.bits()).map(|x| table.evaluate(x % (1 << table.inputs()))).collect()
}

fn random_table(inputs: usize, rng: &mut StdRng) -> BitTable {
    let outputs: Vec<bool> = (0..1 << inputs).map(|_| rng.random()).collect();
    BitTable::new(&outputs).unwrap()
}

/// Random ones, constants, an input and its complement, parity, AND of all, one that depends on one half only.
fn tables(inputs: usize, rng: &mut StdRng) -> Vec<BitTable> {
    let all = (1 << inputs) - 1;
    let of = |output: &dyn Fn(usize) -> bool| BitTable::from_fn(inputs, output).unwrap();
    let mut tables = vec![
        of(&|_| false),
        of(&|_| true),
        of(&|x| x & 1 == 1),
        of(&|x| x >> (inputs - 1) == 0),
        of(&|x| x.count_ones() % 2 == 1),
        of(&|x| x == all),
        of(&|x| x % 4 == 2),
    ];
    tables.extend((0..3).map(|_| random_table(inputs, rng)));
    tables
}

#[test]
fn all_arguments_of_all_widths() {
    let _replay = cryptable_ring::random::replay::begin();
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = Parameters::insecure_toy_tables(packing).unwrap();
        let (secret, server) = keys(&parameters);
        let mut rng = StdRng::seed_from_u64(5);
        // A table of one bit has its noise alone; the margin is six deviations of the measured deviation of this many
        // Gaussian errors.
        let margin = 1.0 + 6.0 / (2.0 * parameters.bits() as f64).sqrt();
        for inputs in 1..=8 {
            let x = encrypt(&secret, &arguments(&parameters, inputs));
            let tables = tables(inputs, &mut rng);
            let outputs = server.tables(&tables, &x.iter().collect::<Vec<_>>()).unwrap();
            for (table, output) in tables.iter().zip(&outputs) {
                let expected = images(&parameters, table);
                assert!(secret.decrypt(output).unwrap() == expected, "{packing:?} {table:?}");
                let (deviation, largest) = errors(&secret, output, &expected);
                assert!(largest < 0.01, "{packing:?} {table:?}: {largest}");
                let bound = margin * output.noise().deviation();
                assert!(deviation <= bound, "{table:?}: {deviation:e} > {bound:e}");
                assert_eq!(output.levels(), x[0].levels() - table.levels());
            }
        }
    }
}

/// The result of a table does not depend on the tables evaluated along with it.
#[test]
fn tables_alone_and_together() {
    let parameters = Parameters::insecure_toy_tables(Packing::Real).unwrap();
    let (secret, server) = keys(&parameters);
    let x = encrypt(&secret, &arguments(&parameters, 5));
    for table in tables(5, &mut StdRng::seed_from_u64(6)) {
        let output = server.tables(&[table], &x.iter().collect::<Vec<_>>()).unwrap().remove(0);
        assert!(secret.decrypt(&output).unwrap() == images(&parameters, &table), "{table:?}");
        let boot = server.bin_boot(&output).unwrap();
        assert!(secret.decrypt(&boot).unwrap() == images(&parameters, &table), "{table:?}");
    }
}

/// Outputs have the error of every input with which they change, at most once, plus roundings. Computed from the
/// inputs' errors, only the roundings are unknown.
#[test]
fn errors_are_sums_of_those_of_sensitive_inputs_and_roundings() {
    let parameters = Parameters::insecure_toy_tables(Packing::Complex).unwrap();
    let (secret, server) = keys(&parameters);
    let mut rng = StdRng::seed_from_u64(7);
    let bits = arguments(&parameters, 8);
    let fresh = encrypt(&secret, &bits);
    // These bits have so much noise that tables add little of their own.
    let noisy: Vec<_> = fresh.iter().map(|x| server.bin_boot(x).unwrap()).collect();
    let table = random_table(8, &mut rng);
    let expected = images(&parameters, &table);
    let derivative = |x: usize, i: usize| {
        let at = |x: usize| f64::from(u8::from(table.evaluate(x)));
        at((x % 256) | (1 << i)) - at((x % 256) & !(1 << i))
    };
    for inputs in [fresh, noisy] {
        let errors_in: Vec<Vec<f64>> =
            inputs.iter().zip(&bits).map(|(x, bits)| secret.errors(x, bits).unwrap()).collect();
        let output = server.tables(&[table], &inputs.iter().collect::<Vec<_>>()).unwrap().remove(0);
        let errors_out = secret.errors(&output, &expected).unwrap();
        let (mut rest, mut all, mut first) = (0.0, 0.0, 0.0);
        for (x, error) in errors_out.iter().enumerate() {
            let sum: f64 = (0..8).map(|i| derivative(x, i) * errors_in[i][x]).sum();
            rest += (error - sum).powi(2);
            all += error.powi(2);
            first += sum.powi(2);
        }
        let count = errors_out.len() as f64;
        let [rest, all, first] = [rest, all, first].map(|square: f64| (square / count).sqrt());
        let roundings = parameters.noise_after_tables(&[table], &[Default::default(); 8], 4)[0];
        let ratio = (rest / roundings.deviation()).log2();
        println!("all 2^{:.2}, first order 2^{:.2}", all.log2(), first.log2());
        println!("rest 2^{:.2}, 2^{ratio:.2} of predicted roundings", rest.log2());
        assert!((-0.5..0.15).contains(&ratio), "2^{ratio:.2}");
        // On average half of the inputs are sensitive, and they are independent; predictions count all eight, as
        // dependent.
        check_noise("all", (all, 0.0), output.noise(), -3.5..0.0);
    }
}

#[test]
fn predictions_count_what_is_done() {
    let parameters = Parameters::insecure_toy_tables(Packing::Real).unwrap();
    let mut rng = StdRng::seed_from_u64(8);
    let tables: Vec<_> = (0..11).map(|_| random_table(8, &mut rng)).collect();
    let one = parameters.table_counts(&tables[..1], 3, 0).unwrap();
    let all = parameters.table_counts(&tables, 3, 0).unwrap();
    // Two pairs and nine products of them per half; one relinearization per table.
    assert_eq!((one.key_switches, all.key_switches), (23, 33));
    let error = parameters.table_counts(&tables, 2, 0).unwrap_err();
    assert!(matches!(error, Error::Parameter { .. }), "{error}");
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let parameters = Parameters::insecure_toy_tables(Packing::Real).unwrap();
    let (secret, server) = keys(&parameters);
    let x = encrypt(&secret, &arguments(&parameters, 3));
    let refs: Vec<_> = x.iter().collect();
    let table = BitTable::from_fn(3, |x| x == 5).unwrap();
    assert!(matches!(server.tables(&[], &refs), Err(Error::TooSmall { .. })));
    assert!(matches!(server.tables(&[table], &[]), Err(Error::TooSmall { .. })));
    assert!(matches!(server.tables(&[table], &refs[..2]), Err(Error::Mismatch { .. })));
    let low = server.tables(&[table], &refs).unwrap().remove(0);
    let error = server.tables_at(&[table], &[&x[0], &low, &x[1]], 1).unwrap_err();
    assert!(matches!(error, Error::TooSmall { name: "number of levels left", .. }), "{error}");
    let stranger = SecretKey::generate(&parameters).encrypt(&[true]).unwrap();
    assert!(server.tables(&[table], &[&x[0], &x[1], &stranger]).is_err());
}

/// One round of AES at full size, three times in a row: 11 tables of eight bits at once (random ones stand for the
/// S-box and its double), and BinBoot of the sum of five tables and a bit.
#[test]
#[ignore = "a minute, 3 GB"]
fn rounds_of_tables_at_full_size() {
    let parameters = Parameters::tables_128().unwrap();
    let (secret, server) = keys(&parameters);
    println!("{} MB of keys", server.memory_bytes() >> 20);
    let mut rng = StdRng::seed_from_u64(9);
    let tables: Vec<_> = (0..11).map(|_| random_table(8, &mut rng)).collect();
    let mut bits: Vec<Vec<bool>> =
        (0..8).map(|_| (0..parameters.bits()).map(|_| rng.random()).collect()).collect();
    let mut inputs = encrypt(&secret, &bits);
    for round in 0..3 {
        let start = std::time::Instant::now();
        let outputs = server.tables_at(&tables, &inputs.iter().collect::<Vec<_>>(), 0).unwrap();
        println!("11 tables {:?}", start.elapsed());
        let argument =
            |x: usize| bits.iter().enumerate().map(|(i, bits)| usize::from(bits[x]) << i).sum();
        let arguments: Vec<usize> = (0..parameters.bits()).map(argument).collect();
        let images: Vec<Vec<bool>> = tables
            .iter()
            .map(|table| arguments.iter().map(|&x| table.evaluate(x)).collect())
            .collect();
        let found = secret.decrypt(&outputs[10]).unwrap();
        assert!(found == images[10], "round {round}");
        check_noise(
            "table",
            errors(&secret, &outputs[10], &images[10]),
            outputs[10].noise(),
            -3.5..0.2,
        );
        let sums: Vec<Vec<usize>> =
            (0..8).map(|k| vec![k, k + 1, k + 2, k + 3, (k + 7) % 11]).collect();
        let (mut next, mut next_bits) = (Vec::new(), Vec::new());
        let start = std::time::Instant::now();
        for sum in &sums {
            let terms: Vec<_> = sum.iter().map(|&k| &outputs[k]).collect();
            next.push(server.bin_boot_sum(&terms).unwrap());
            let xor = |x: usize| sum.iter().fold(false, |xor, &k| xor ^ images[k][x]);
            next_bits.push((0..parameters.bits()).map(xor).collect::<Vec<bool>>());
        }
        println!("8 BinBoots {:?}", start.elapsed());
        (inputs, bits) = (next, next_bits);
        for (bits, expected) in inputs.iter().zip(&bits) {
            assert!(secret.decrypt(bits).unwrap() == *expected, "round {round}");
        }
        check_noise("BinBoot", errors(&secret, &inputs[0], &bits[0]), inputs[0].noise(), -3.0..0.2);
    }
}
