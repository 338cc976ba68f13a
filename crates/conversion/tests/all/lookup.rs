//! Tests of single values that are looked up one by one and packed: equal results, bounds on noise, files, and
//! refusals.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use cryptable_conversion::lookup::{EvaluationKey, Parameters, SecretKey};
use cryptable_fhew::lookup as single;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::damaged_files::{check_refusals, forged};
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::{Error, NoiseBound, Progress, ReadOptions, Table};
use cryptable_packed as packed;
use cryptable_ring::random::replay;
use cryptable_ring::unit::measure_unit;

const SILENT: Progress<'static> = Progress::silent();

/// A client and its server, for tables from 4 to 4.
static TOY: LazyLock<(SecretKey, EvaluationKey)> = LazyLock::new(|| client(4, 4));

fn client(input_modulus: u64, output_modulus: u64) -> (SecretKey, EvaluationKey) {
    let parameters = Parameters::insecure_toy(input_modulus, output_modulus).unwrap();
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(SILENT).unwrap();
    (secret, server)
}

fn options() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

fn values(count: usize, modulus: u64) -> Vec<u64> {
    (0..count as u64).map(|i| i * i * 7 % 101 % modulus).collect()
}

#[test]
fn values_are_packed_in_their_order_and_taken_out_again() {
    let (secret, server) = &*TOY;
    for count in [1, 7, 1024] {
        let input = values(count, 4);
        let packed = server.pack(&secret.encrypt(&input).unwrap()).unwrap();
        assert_eq!(secret.packed().decrypt(&packed).unwrap(), input);
        assert_eq!(packed.key_id(), secret.packed().id());
        let single = server.unpack(&packed).unwrap();
        assert_eq!(secret.decrypt(&single).unwrap(), input);
        assert_eq!(single.key_id(), secret.id());
    }
}

/// Returns the sum of squares of errors against values of modulus p, as fractions of the ciphertext modulus.
fn squares(errors: impl Iterator<Item = f64>) -> f64 {
    errors.map(|e| (e - e.round()).powi(2)).sum()
}

/// Returns the errors of single values, as fractions of q.
fn single_errors(secret: &SecretKey, of: &single::Ciphertext, expected: &[u64]) -> Vec<f64> {
    let (list, p) = (of.values(), of.modulus() as f64);
    let lwe = secret.single().fhew().lwe_coefficients();
    let q = list.shape().modulus as f64;
    let error = |(i, &m): (usize, &u64)| phase(lwe, &list.ciphertext(i)) as f64 / q - m as f64 / p;
    expected.iter().enumerate().map(error).collect()
}

/// Returns the errors of packed values, as fractions of 2^k.
fn packed_errors(secret: &SecretKey, of: &packed::Ciphertext, expected: &[u64]) -> Vec<f64> {
    let half_step = 0.5 / of.modulus() as f64;
    let errors = secret.packed().errors(of, expected).unwrap();
    errors.into_iter().map(|e| e * half_step).collect()
}

/// Checks bounds on noise against measurements from both sides, with 24 keys and 1,024 values each. Values of one key
/// share its errors.
#[test]
fn noise_of_both_ways_is_that_of_its_bounds() {
    let _replay = replay::begin();
    let parameters = Parameters::insecure_toy(4, 4).unwrap();
    let (keys, count) = (24, 1024);
    let (mut packing, mut extraction) = (0.0, 0.0);
    let mut bounds = [0.0; 2];
    for _ in 0..keys {
        let secret = SecretKey::generate(&parameters);
        let server = secret.evaluation_key(SILENT).unwrap();
        let input = values(count, 4);
        let packed = server.pack(&secret.encrypt(&input).unwrap()).unwrap();
        packing += squares(packed_errors(&secret, &packed, &input).into_iter());
        let single = server.unpack(&packed).unwrap();
        extraction += squares(single_errors(&secret, &single, &input).into_iter());
        bounds = [packed.noise(), single.noise()].map(|noise| noise.deviation().powi(2));
    }
    for (name, sum, bound) in
        [("packing", packing, bounds[0]), ("extraction", extraction, bounds[1])]
    {
        let ratio = sum / (keys * count) as f64 / bound;
        println!("{name}: {ratio:.3} of the bound 2^{:.1}", bound.log2() / 2.0);
        assert!((0.88..1.12).contains(&ratio), "{name}: {ratio}");
    }
}

/// Packs, looks up, unpacks and looks up again at full size; checks every value and prints the noise and time of each
/// step.
///
/// `cargo test --release -p cryptable-conversion --test all lookup -- --ignored --nocapture`
#[test]
#[ignore = "takes half a minute and 5 GB"]
fn every_value_at_full_size() {
    for p in [16, 2] {
        let parameters =
            Parameters::candidates(&packed::Request::new(p, p)).unwrap().swap_remove(0);
        let secret = SecretKey::generate(&parameters);
        let server = secret.evaluation_key(SILENT).unwrap();
        let table = Table::from_fn(p, p, |x| (x * x * 5 + 4 * x + 1) % p).unwrap();
        let prepared = server.prepare(&table).unwrap();
        let input = values(secret.values_per_ciphertext(), p);
        let expected: Vec<u64> = input.iter().map(|&x| table.values()[x as usize]).collect();
        let unit = measure_unit();
        let timed = |name: &str, start: Instant| {
            let seconds = start.elapsed().as_secs_f64();
            println!("{p}: {name} {seconds:.3} s, {:.0} u", seconds / unit);
        };
        let single = secret.encrypt(&input).unwrap();
        for _ in 0..2 {
            let start = Instant::now();
            let packed = server.pack(&single).unwrap();
            timed("pack", start);
            let start = Instant::now();
            let output = server.packed().lookup(&packed, prepared.packed(), SILENT).unwrap();
            timed("lookup", start);
            let start = Instant::now();
            let result = server.unpack(&output).unwrap();
            timed("unpack", start);
            assert_eq!(secret.decrypt(&result).unwrap(), expected);
            for (name, errors, bound) in [
                ("packed", packed_errors(&secret, &packed, &input), packed.noise()),
                ("output", packed_errors(&secret, &output, &expected), output.noise()),
                ("taken out", single_errors(&secret, &result, &expected), result.noise()),
            ] {
                let deviation = (squares(errors.iter().copied()) / errors.len() as f64).sqrt();
                println!(
                    "{p}: {name} 2^{:.2}, bound 2^{:.2}",
                    deviation.log2(),
                    bound.deviation().log2()
                );
                assert!(deviation < 1.1 * bound.deviation() + bound.bias(), "{name}");
            }
            // The second time, values are computed ones, with masks instead of a seed.
            let again = server.lookup_many(&result, &[&prepared], SILENT).unwrap().swap_remove(0);
            let twice: Vec<u64> = expected.iter().map(|&x| table.values()[x as usize]).collect();
            assert_eq!(secret.decrypt(&again).unwrap(), twice);
        }
        let few = secret.encrypt(&input[..60]).unwrap();
        let start = Instant::now();
        let results = server.single().lookup_many(&few, &[prepared.single()], SILENT).unwrap();
        timed("60 one by one", start);
        assert_eq!(secret.decrypt(&results[0]).unwrap(), expected[..60]);
    }
}

#[test]
fn packed_results_go_on_as_single_values_and_the_other_way_round() {
    let (secret, server) = &*TOY;
    assert!(server.parameters().are_chainable());
    let table = Table::from_fn(4, 4, |x| (x * x + 1) % 4).unwrap();
    let prepared = server.prepare(&table).unwrap();
    let input = values(1000, 4);
    let mut expected = input.clone();
    let mut single = secret.encrypt(&input).unwrap();
    for _ in 0..2 {
        // Packed.
        let packed = server.pack(&single).unwrap();
        let output = server.packed().lookup(&packed, prepared.packed(), SILENT).unwrap();
        single = server.unpack(&output).unwrap();
        // One by one.
        single =
            server.single().lookup_many(&single, &[prepared.single()], SILENT).unwrap().remove(0);
        expected =
            expected.iter().map(|&x| table.values()[table.values()[x as usize] as usize]).collect();
        assert_eq!(secret.decrypt(&single).unwrap(), expected);
    }
}

#[test]
fn lookups_take_the_faster_way_and_several_ciphertexts() {
    let (secret, server) = &*TOY;
    let tables = [Table::from_fn(4, 4, |x| 3 - x), Table::from_fn(4, 4, |x| x * x % 4)];
    let tables = tables.map(|table| table.unwrap());
    let prepared = tables.each_ref().map(|table| server.prepare(table).unwrap());
    let prepared: Vec<_> = prepared.iter().collect();
    let crossing = server.parameters().crossing(&CostModel::default()).unwrap() as usize;
    assert!((2..1024).contains(&crossing), "{crossing}");
    assert!(!server.packs(crossing - 1) && server.packs(crossing));
    for count in [1, 1024, 2500] {
        let input = values(count, 4);
        let outputs =
            server.lookup_many(&secret.encrypt(&input).unwrap(), &prepared, SILENT).unwrap();
        for (output, table) in outputs.iter().zip(&tables) {
            let expected: Vec<u64> = input.iter().map(|&x| table.values()[x as usize]).collect();
            assert_eq!(secret.decrypt(output).unwrap(), expected, "{count} values");
            // Results of the two methods differ in their noise.
            let one_by_one = server.parameters().single().noise().result();
            assert_eq!(output.noise() == one_by_one, !server.packs(count), "{count} values");
        }
    }
}

#[test]
fn moduli_of_outputs_may_differ_and_be_odd() {
    for (p, output) in [(4, 2), (2, 4), (3, 3)] {
        let (secret, server) = client(p, output);
        let table = Table::from_fn(p, output, |x| (x + 1) % output).unwrap();
        let prepared = server.prepare(&table).unwrap();
        let input = values(600, p);
        let packed = server.pack(&secret.encrypt(&input).unwrap()).unwrap();
        let output = server.packed().lookup(&packed, prepared.packed(), SILENT).unwrap();
        let single = server.unpack(&output).unwrap();
        let expected: Vec<u64> = input.iter().map(|&x| table.values()[x as usize]).collect();
        assert_eq!(secret.decrypt(&single).unwrap(), expected, "{p}");
    }
}

#[test]
fn keys_come_back_from_bytes() {
    let (secret, _) = &*TOY;
    let read = SecretKey::from_bytes(&secret.to_bytes(), options()).unwrap();
    assert_eq!((read.id(), read.packed().id()), (secret.id(), secret.packed().id()));
    assert_eq!(*read.to_bytes(), *secret.to_bytes());
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, SILENT).unwrap();
    let predicted = secret.parameters().prediction().key_file_bytes;
    assert!(file.len().abs_diff(predicted) < 1 << 14, "{} and {predicted} bytes", file.len());
    let server = EvaluationKey::from_shared(Arc::new(file.clone()), options()).unwrap();
    assert_eq!(server.parameters().digest(), secret.parameters().digest());
    let prepared = server.prepare(&Table::from_fn(4, 4, |x| 3 - x).unwrap()).unwrap();
    let output = server.lookup_many(&secret.encrypt(&[1; 500]).unwrap(), &[&prepared], SILENT);
    assert_eq!(secret.decrypt(&output.unwrap()[0]).unwrap(), [2; 500]);
    check_refusals(&file, file.len() / 50, |bytes| {
        EvaluationKey::from_shared(Arc::new(bytes.to_vec()), options())
    });
    let bytes = secret.to_bytes();
    check_refusals(&bytes, bytes.len() / 50, |bytes| SecretKey::from_bytes(bytes, options()));
    let strict = SecretKey::from_bytes(&secret.to_bytes(), ReadOptions::default()).unwrap_err();
    assert!(matches!(strict, Error::Insecure), "{strict}");
    let small = options().max_memory(1 << 20);
    let error = EvaluationKey::from_shared(Arc::new(file), small).unwrap_err();
    assert!(matches!(error, Error::ReadingMemory { .. }), "{error}");
}

#[test]
fn what_belongs_to_others_is_refused() {
    let (secret, server) = &*TOY;
    let other = SecretKey::generate(secret.parameters());
    let error = server.pack(&other.encrypt(&[1]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let error = server.unpack(&other.packed().encrypt(&[1]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    // The file contains parts of two clients' keys, with a correct checksum.
    let file = |secret: &SecretKey| {
        let mut file = Vec::new();
        secret.write_evaluation_key(&mut file, SILENT).unwrap();
        file
    };
    let (ours, theirs) = (file(secret), file(&other));
    assert_eq!(ours.len(), theirs.len());
    // The last part, of packed values, begins with the second half of the file.
    let places = || (64..ours.len() - 32).step_by(8);
    let start = places()
        .find(|&i| ours[i..].starts_with(b"CRYPTABL") && ours[i + 12..].first() == Some(&3));
    let start = start.or_else(|| places().rfind(|&i| ours[i..].starts_with(b"CRYPTABL"))).unwrap();
    let theirs = &theirs[start..theirs.len() - 32];
    let mixed = forged(&ours, |body| body[start - 64..].copy_from_slice(theirs));
    let error = EvaluationKey::from_shared(Arc::new(mixed), options()).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
}

#[test]
fn too_many_values_and_too_much_noise_are_refused() {
    let (secret, server) = &*TOY;
    let error = server.pack(&secret.encrypt(&[1; 1025]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { value: 1025, limit: 1024, .. }), "{error}");
    // The values have so much noise that they just decrypt, which is more than packed lookups tolerate.
    let parameters = server.parameters();
    let limit = parameters.input_noise_limit();
    let loud = NoiseBound::new(1.3 * limit.deviation(), 0.0);
    assert!(loud.log2_fail(4) <= parameters.single().stated_log2_fail(), "decrypts");
    let list = secret.encrypt(&[1; 1000]).unwrap().values().clone();
    let loud = server.single().import(list, 4, loud).unwrap();
    let prepared = server.prepare(&Table::from_fn(4, 4, |x| 3 - x).unwrap()).unwrap();
    let look_up = |packed| server.packed().lookup(&packed, prepared.packed(), SILENT);
    let error = server.pack(&loud).and_then(look_up).unwrap_err();
    assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    // Engines for different tables do not fit together.
    let (single, packed) = (
        single::Parameters::insecure_toy(4, 4).unwrap(),
        packed::Parameters::insecure_toy(8, 4).unwrap(),
    );
    let error = Parameters::new(single, packed).unwrap_err().to_string();
    assert!(error.contains("input modulus of packed values is 8"), "{error}");
}

#[test]
fn parameters_are_secure_sure_and_chainable() {
    for p in [2, 4, 16] {
        let request = packed::Request { count: Some(4096), ..packed::Request::new(p, p) };
        let found = Parameters::candidates(&request).unwrap().swap_remove(0);
        assert!(found.security_bits() >= 128.0, "{p}: {}", found.security_bits());
        assert!(found.log2_fail() <= -64.0, "{p}: {}", found.log2_fail());
        assert!(found.are_chainable(), "{p}");
        let crossing = found.crossing(&CostModel::default());
        let model = CostModel::default();
        let units = |work: &_| model.seconds(work) / model.unit();
        println!(
            "{p}: {} {:.0} u a value, packed {:.0} u, with conversions {:.0} u",
            found.single().method_name(),
            units(&found.single().prediction().work),
            units(&found.packed().prediction().work),
            units(&found.prediction().work),
        );
        println!(
            "{p}: {} n = {}, q = 2^{}, crossing {crossing:?}, limit 2^{:.2}, single result 2^{:.2}, unpacked 2^{:.2}",
            found.method_name(),
            found.conversion().literal().lwe_dimension,
            found.conversion().literal().log2_lwe_modulus,
            found.input_noise_limit().deviation().log2(),
            found.single().noise().result().deviation().log2(),
            found
                .single_noise(found.packed().result_noise(found.single().noise().fresh()))
                .deviation()
                .log2(),
        );
        assert!(crossing.is_some_and(|crossing| (20..300).contains(&crossing)), "{crossing:?}");
        let read = Parameters::from_bytes(&found.to_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(read.digest(), found.digest());
    }
}
