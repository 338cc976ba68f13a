//! Packed values that go on as integers, their digits and leveled values, and back: every value, noise within its bounds,
//! files, and what is refused.

use std::sync::LazyLock;
use std::time::Instant;

use cryptable_conversion::bridges::{
    Bridge, IntegerBridge, IntegerParameters, LeveledBridge, LeveledParameters, Parameters, Target,
    TargetSecret,
};
use cryptable_conversion::power_of_two::from_power_of_two;
use cryptable_conversion::{Clients, RingExtractionKey, Secrets};
use cryptable_fhew::integers;
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::{Error, NoiseBound, Progress, ReadOptions, Result, Table};
use cryptable_leveled::lookup as leveled;
use cryptable_leveled::parameters::ParameterSet;
use cryptable_packed as packed;
use cryptable_packed::MultiplexerLiteral;
use cryptable_ring::random::replay;
use cryptable_ring::unit::measure_unit;

const SILENT: Progress<'static> = Progress::silent();

/// A client with secret keys at both ends, and its server.
struct Ends<T: Target, S, K> {
    packed: packed::SecretKey,
    single: S,
    server: packed::EvaluationKey,
    other: K,
    bridge: Bridge<T>,
}

type IntegerEnds = Ends<integers::Parameters, integers::SecretKey, integers::EvaluationKey>;
type LeveledEnds = Ends<leveled::Parameters, leveled::SecretKey, leveled::EvaluationKey>;

fn with_integers(parameters: &IntegerParameters) -> IntegerEnds {
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = integers::SecretKey::generate(parameters.target());
    let bridge = IntegerBridge::generate(parameters, &packed, &single).unwrap();
    let server = packed.evaluation_key(SILENT).unwrap();
    let other = single.evaluation_key(SILENT).unwrap();
    Ends { packed, single, server, other, bridge }
}

fn with_leveled(parameters: &LeveledParameters) -> LeveledEnds {
    let packed = packed::SecretKey::generate(parameters.packed());
    let single = leveled::SecretKey::generate(parameters.target());
    let bridge = LeveledBridge::generate(parameters, &packed, &single).unwrap();
    let server = packed.evaluation_key(SILENT).unwrap();
    let other = single.evaluation_key(SILENT).unwrap();
    Ends { packed, single, server, other, bridge }
}

/// From 8 bits to integers of 8.
static WHOLE: LazyLock<IntegerEnds> =
    LazyLock::new(|| with_integers(&IntegerParameters::insecure_toy(256, 8).unwrap()));

/// A multiplexer tree over three digits of 3 bits, 9 bits, to values modulo 8.
static DIGITS: LazyLock<IntegerEnds> = LazyLock::new(|| {
    let packed = tree(8, vec![8, 8, 8]);
    let target = integers::Parameters::insecure_toy(9).unwrap();
    with_integers(&Parameters::new(packed, target).unwrap())
});

/// A multiplexer tree over five digits of 2 bits, 10 bits, to digits of 2 bits.
static LEVELED: LazyLock<LeveledEnds> = LazyLock::new(|| {
    let packed = tree(4, vec![4; 5]);
    // Trees over as many digits admit less noise than the usual set's results have.
    let set = ParameterSet::TwoBitDepth117;
    let target = leveled::Parameters::insecure_toy_of(set, 1024, 1024).unwrap();
    with_leveled(&Parameters::new(packed, target).unwrap())
});

fn tree(output_modulus: u64, digits: Vec<u64>) -> packed::Parameters {
    let selectors = vec![1; digits.len()];
    let literal = MultiplexerLiteral { digits, selectors, ..Default::default() };
    packed::Parameters::insecure_toy_tree(output_modulus, 2048, 1024, literal, 0).unwrap()
}

fn options() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

impl<T: Target, S, K> Ends<T, S, K> {
    /// Results of tables on packed values.
    fn look_up(&self, input: &packed::Ciphertext, tables: &[Table]) -> Vec<packed::Ciphertext> {
        let prepared: Vec<_> = tables.iter().map(|t| self.server.prepare(t).unwrap()).collect();
        let prepared: Vec<_> = prepared.iter().collect();
        self.server.lookup_many(input, &prepared, SILENT).unwrap()
    }
}

/// A table for every digit of `of`, of this base.
fn digit_tables(p: u64, base: u64, digits: u32, of: impl Fn(u64) -> u64) -> Vec<Table> {
    let digit = |d: u32| Table::from_fn(p, base, |x| of(x) / base.pow(d) % base).unwrap();
    (0..digits).map(digit).collect()
}

#[test]
fn every_result_of_a_packed_lookup_is_an_integer_with_its_sign() {
    let ends = &*WHOLE;
    let inputs: Vec<u64> = (0..256).collect();
    let of = |x: u64| (x * 77 + 13) % 256;
    let tables = [Table::from_fn(256, 256, of), Table::from_fn(256, 256, |x| (x / 4 + 224) % 256)];
    let input = ends.packed.encrypt(&inputs).unwrap();
    let results = ends.look_up(&input, &tables.map(|table| table.unwrap()));
    let keys = (&ends.server, &ends.other);
    let signed = |x: u64| x as i64 - if x >= 128 { 256 } else { 0 };
    let expected: Vec<i64> = inputs.iter().map(|&x| signed(of(x))).collect();
    let whole = ends.bridge.to_integers(keys, &results[0], 0..256).unwrap();
    assert_eq!(ends.single.decrypt(&whole).unwrap(), expected);
    let signs = ends.other.sign(&whole, SILENT).unwrap();
    let found = ends.single.decrypt_small(&signs).unwrap();
    assert!(found.iter().zip(&expected).all(|(&sign, &x)| (sign == 1) == (x < 0)), "{found:?}");
    // A part, from the middle, and functions of two inputs: both of 7 bits.
    let range = 100..140;
    let x = ends.bridge.to_integers(keys, &results[1], range.clone()).unwrap();
    let y = ends.single.encrypt(&vec![-5; 40]).unwrap();
    let small = |x: usize| signed((x as u64 / 4 + 224) % 256);
    let less = ends.single.decrypt_small(&ends.other.less_than(&x, &y, SILENT).unwrap()).unwrap();
    let absolute = ends.single.decrypt(&ends.other.absolute(&x, SILENT).unwrap()).unwrap();
    let maximum = ends.single.decrypt(&ends.other.maximum(&x, &y, SILENT).unwrap()).unwrap();
    let radix = ends.other.to_radix(&x, SILENT).unwrap();
    for (index, value) in range.enumerate() {
        let value = small(value);
        assert_eq!(less[index] == 1, value < -5);
        assert_eq!(absolute[index], value.abs());
        assert!(value.max(-5) < 0 || maximum[index] == value.max(-5), "{value}");
        let digits = ends.single.decrypt_radix(&radix[index]).unwrap();
        assert_eq!(digits, value.rem_euclid(256) as u64, "digits of {value}");
    }
    // They come back from bytes with their noise.
    let read = integers::EncryptedIntegers::from_bytes(&whole.to_bytes()).unwrap();
    assert_eq!(read, whole);
}

#[test]
fn digits_go_on_as_radix_integers_and_come_back() {
    let ends = &*DIGITS;
    let keys = (&ends.server, &ends.other);
    let inputs: Vec<u64> = (0..512).step_by(7).collect();
    let of = |x: u64| (x * 5 + 3) % 512;
    let input = ends.packed.encrypt(&inputs).unwrap();
    let results = ends.look_up(&input, &digit_tables(512, 8, 3, of));
    let radix = ends.bridge.to_radix(keys, &results, 0..inputs.len(), SILENT).unwrap();
    let expected: Vec<u64> = inputs.iter().map(|&x| of(x)).collect();
    let decrypt = |x: &integers::RadixInteger| ends.single.decrypt_radix(x).unwrap();
    assert_eq!(radix.iter().map(decrypt).collect::<Vec<_>>(), expected);
    // A sum, digit by digit, and a packed lookup of it in a table of 9 bits.
    let one = ends.single.encrypt_radix(1, 3).unwrap();
    let sums: Vec<_> = radix[..20].iter().map(|x| ends.other.radix_add(x, &one).unwrap()).collect();
    let packed = ends.bridge.pack_radix(keys, &sums, SILENT).unwrap();
    let table = Table::from_fn(512, 8, |x| (x * x + x / 8) % 8).unwrap();
    let prepared = ends.server.prepare(&table).unwrap();
    let output = ends.server.lookup_digits(&packed, &[&prepared], SILENT).unwrap().remove(0);
    let found = ends.packed.decrypt(&output).unwrap();
    let sum = |&x: &u64| table.values()[((x + 1) % 512) as usize];
    assert_eq!(found, expected[..20].iter().map(sum).collect::<Vec<_>>());
    // As small values: every value modulo 8, packed again modulo 8, 4 and 2.
    let small = ends.bridge.to_small(keys, &results[0], 0..inputs.len(), SILENT).unwrap();
    assert_eq!(small.modulus(), 16);
    for modulus in [8, 4, 3, 2] {
        let packed = ends.bridge.pack_small(keys, &small, modulus, SILENT).unwrap();
        let expected: Vec<u64> = expected.iter().map(|x| x % 8 % modulus).collect();
        assert_eq!(ends.packed.decrypt(&packed).unwrap(), expected, "modulo {modulus}");
    }
}

#[test]
fn signs_select_and_are_packed() {
    let ends = &*DIGITS;
    let keys = (&ends.server, &ends.other);
    let values: Vec<i64> = vec![-256, -1, 0, 1, 255, -100, 100];
    let integers = ends.single.encrypt(&values).unwrap();
    let signs = ends.other.sign(&integers, SILENT).unwrap();
    let expected: Vec<u64> = values.iter().map(|&x| u64::from(x < 0)).collect();
    for modulus in [2, 4, 8, 16] {
        let packed = ends.bridge.pack_small(keys, &signs, modulus, SILENT).unwrap();
        assert_eq!(ends.packed.decrypt(&packed).unwrap(), expected, "modulo {modulus}");
    }
    let read = integers::SmallValues::from_bytes(&signs.to_bytes()).unwrap();
    assert_eq!(read, signs);
    // A result of a packed lookup that is 0 or 1 selects.
    let table = Table::from_fn(512, 8, |x| u64::from(x > 300)).unwrap();
    let input = ends.packed.encrypt(&[301]).unwrap();
    let bit = ends.look_up(&input, &[table]).remove(0);
    let selector = ends.bridge.to_small(keys, &bit, 0..1, SILENT).unwrap();
    let [x, y] = [7, 444].map(|x| ends.single.encrypt_radix(x, 3).unwrap());
    let chosen = ends.other.radix_select(&selector, &x, &y).unwrap();
    assert_eq!(ends.single.decrypt_radix(&chosen).unwrap(), 7);
}

#[test]
fn digits_go_on_as_leveled_values_and_come_back() {
    let ends = &*LEVELED;
    let keys = (&ends.server, &ends.other);
    let inputs: Vec<u64> = (0..1024).step_by(11).collect();
    let of = |x: u64| (x * 9 + 700) % 1024;
    let input = ends.packed.encrypt(&inputs).unwrap();
    let results = ends.look_up(&input, &digit_tables(1024, 4, 5, of));
    let all = 0..inputs.len();
    let values = ends.bridge.to_leveled(keys, &results, (1024, all)).unwrap();
    let expected: Vec<u64> = inputs.iter().map(|&x| of(x)).collect();
    assert_eq!(ends.single.decrypt(&values).unwrap(), expected);
    // A leveled lookup of them, and a packed one of its results.
    let table = Table::from_fn(1024, 1024, |x| x * x % 1021).unwrap();
    let prepared = ends.other.prepare(&table).unwrap();
    let output = ends.other.lookup_many(&values, &[&prepared], SILENT).unwrap().remove(0);
    let expected: Vec<u64> = expected.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(ends.single.decrypt(&output).unwrap(), expected);
    let packed = ends.bridge.pack_leveled(keys, &output, SILENT).unwrap();
    assert_eq!(packed.len(), 5);
    let table = Table::from_fn(1024, 4, |x| x % 7 % 4).unwrap();
    let prepared = ends.server.prepare(&table).unwrap();
    let output = ends.server.lookup_digits(&packed, &[&prepared], SILENT).unwrap().remove(0);
    let expected: Vec<u64> = expected.iter().map(|&x| x % 7 % 4).collect();
    assert_eq!(ends.packed.decrypt(&output).unwrap(), expected);
}

/// Bounds on noise are what there is, from both sides: of fresh values, of which conversions make almost all noise, with 24
/// keys and 512 values each. Values of one key share its errors.
#[test]
fn noise_of_both_ways_is_that_of_its_bounds() {
    let _replay = replay::begin();
    let parameters = LeveledParameters::insecure_toy(4, 4).unwrap();
    let (keys, count) = (24, 512);
    let values: Vec<u64> = (0..count as u64).map(|i| i * i * 7 % 101 % 4).collect();
    let (mut outward, mut inward) = (0.0, 0.0);
    let mut bounds = [0.0; 2];
    for _ in 0..keys {
        let packed = packed::SecretKey::generate(parameters.packed());
        let single = leveled::SecretKey::generate(parameters.target());
        let bridge = LeveledBridge::generate(&parameters, &packed, &single).unwrap();
        let ends = (packed.evaluation_key(SILENT).unwrap(), single.evaluation_key(SILENT).unwrap());
        let keys = (&ends.0, &ends.1);
        let input = packed.encrypt(&values).unwrap();
        let secret = single.secret().fhew().ring_coefficients();
        let clients = Clients { lwe: single.id(), ring: packed.id() };
        let secrets = Secrets { lwe: secret, ring: packed.secret(), clients };
        let conversion = parameters.conversion();
        let extraction =
            RingExtractionKey::expand(&secrets.ring_extraction_key(conversion).unwrap());
        let body = ends.0.export(&input).unwrap();
        let phases = from_power_of_two(conversion, packed.id(), body).unwrap();
        let modulus = parameters.target().circuit_bootstrapping().lwe_shape().modulus;
        let list = extraction.extract(&phases, 0..count, modulus).unwrap();
        let modulus = modulus as f64;
        for (index, &value) in values.iter().enumerate() {
            let found = phase(secret, &list.ciphertext(index)) as f64 / modulus;
            let error = found - value as f64 / 4.0;
            outward += (error - error.round()).powi(2);
        }
        let back =
            bridge.pack_leveled(keys, &single.encrypt(&values).unwrap(), SILENT).unwrap().remove(0);
        inward +=
            packed.errors(&back, &values).unwrap().iter().map(|e| (e / 8.0).powi(2)).sum::<f64>();
        bounds = [parameters.taken_out_noise(input.noise()), back.noise()]
            .map(|noise| noise.deviation().powi(2));
    }
    for (name, sum, bound) in [("taken out", outward, bounds[0]), ("packed", inward, bounds[1])] {
        let ratio = sum / (keys * count) as f64 / bound;
        println!("{name}: {ratio:.3} of the bound 2^{:.1}", bound.log2() / 2.0);
        // 12,288 errors estimate a variance to within 1.3 % (standard deviation); the bound on packing is some 9 % high.
        assert!((0.84..1.08).contains(&ratio), "{name}: {ratio}");
    }
}

fn file<T: Target>(
    parameters: &Parameters<T>,
    packed: &packed::SecretKey,
    single: &impl TargetSecret<T>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.write_key((packed, single), &mut bytes, SILENT).unwrap();
    bytes
}

#[test]
fn keys_come_back_from_bytes() {
    let ends = &*LEVELED;
    let parameters = ends.bridge.parameters();
    let bytes = file(parameters, &ends.packed, &ends.single);
    let predicted = parameters.key_file_bytes();
    assert!((bytes.len() as u64).abs_diff(predicted) < 1 << 14, "{} and {predicted}", bytes.len());
    let read = LeveledBridge::from_bytes(&bytes, options()).unwrap();
    assert_eq!(read.clients(), ends.bridge.clients());
    assert_eq!(read.memory_bytes(), parameters.key_memory_bytes());
    assert_eq!(read.parameters().digest(), parameters.digest());
    let keys = (&ends.server, &ends.other);
    let values = ends.single.encrypt(&[1023, 7]).unwrap();
    let packed = read.pack_leveled(keys, &values, SILENT).unwrap();
    assert_eq!(ends.packed.decrypt(&packed[0]).unwrap(), [3, 3]);
    for length in (0..bytes.len()).step_by(bytes.len() / 40) {
        assert!(LeveledBridge::from_bytes(&bytes[..length], options()).is_err(), "{length} bytes");
    }
    for position in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[position] ^= 0x10;
        assert!(LeveledBridge::from_bytes(&damaged, options()).is_err(), "byte {position}");
    }
    let strict = LeveledBridge::from_bytes(&bytes, ReadOptions::default()).unwrap_err();
    assert!(matches!(strict, Error::Insecure), "{strict}");
    let small = options().max_memory(1 << 20);
    let error = LeveledBridge::from_bytes(&bytes, small).unwrap_err();
    assert!(matches!(error, Error::ReadingMemory { .. }), "{error}");
    let error = IntegerBridge::from_bytes(&bytes, options()).unwrap_err();
    assert!(error.to_string().contains("integers"), "{error}");
    let integers = &*WHOLE;
    let bytes = file(integers.bridge.parameters(), &integers.packed, &integers.single);
    let read = IntegerBridge::from_bytes(&bytes, options()).unwrap();
    assert_eq!(read.clients(), integers.bridge.clients());
}

#[test]
fn what_belongs_to_others_or_does_not_fit_is_refused() {
    let ends = &*WHOLE;
    let keys = (&ends.server, &ends.other);
    let stranger = integers::SecretKey::generate(ends.single.parameters());
    let values = ends.packed.encrypt(&[1, 2]).unwrap();
    let other = stranger.evaluation_key(SILENT).unwrap();
    let error =
        ends.bridge.to_integers((&ends.server, &other), &values, 0..2).map(drop).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let foreign = packed::SecretKey::generate(ends.packed.parameters()).encrypt(&[1]).unwrap();
    let error = ends.bridge.to_integers(keys, &foreign, 0..1).map(drop).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let error = ends.bridge.to_integers(keys, &values, 0..3).map(drop).unwrap_err();
    assert!(matches!(error, Error::TooLarge { value: 3, limit: 2, .. }), "{error}");
    // Values of another modulus, and more noise than functions of integers admit.
    let nibbles = ends.packed.encrypt_digits(&[1], 16).unwrap();
    let error = ends.bridge.to_integers(keys, &nibbles, 0..1).map(drop).unwrap_err();
    assert!(error.to_string().contains("modulus of the values is 16"), "{error}");
    let loud = loudest(&ends.server, &values);
    let error = ends.bridge.to_integers(keys, &loud, 0..2).map(drop).unwrap_err();
    assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    // Results of tables of digits have any noise.
    let radix = ends.single.encrypt_radix(5, 2).unwrap();
    let looked_up = ends.other.radix_lookup(&radix, &Table::from_fn(64, 16, |x| x % 16).unwrap());
    let error =
        ends.bridge.pack_small(keys, &looked_up.unwrap(), 16, SILENT).unwrap_err().to_string();
    assert!(error.contains("signs or comparisons"), "{error}");
    let signs = ends.other.sign(&ends.single.encrypt(&[1]).unwrap(), SILENT).unwrap();
    let error = ends.bridge.pack_small(keys, &signs, 17, SILENT).unwrap_err();
    assert!(matches!(error, Error::PlaintextModulus { modulus: 17, .. }), "{error}");
    let packed = packed::Parameters::insecure_toy_of(4, 31, 2048, 1024).unwrap();
    let error = Parameters::new(packed, ends.single.parameters().clone()).unwrap_err();
    assert!(matches!(error, Error::PlaintextModulus { modulus: 31, .. }), "{error}");
}

/// The same values with as much noise as decrypts.
fn loudest(server: &packed::EvaluationKey, values: &packed::Ciphertext) -> packed::Ciphertext {
    let body = server.export(values).unwrap();
    let noise = |bits: i32| NoiseBound::new(f64::from(bits).exp2(), 0.0);
    let import = |bits| server.import(body.clone(), noise(bits));
    (-40..0).rev().find_map(|bits| import(bits).ok()).unwrap()
}

#[test]
fn leveled_values_of_others_or_too_loud_are_refused() {
    let ends = &*LEVELED;
    let keys = (&ends.server, &ends.other);
    let digits = vec![ends.packed.encrypt_digits(&[1, 3], 4).unwrap(); 5];
    let values = ends.bridge.to_leveled(keys, &digits, (1024, 0..2)).unwrap();
    assert_eq!(ends.single.decrypt(&values).unwrap(), [0b01_0101_0101, 1023]);
    let error = ends.bridge.to_leveled(keys, &digits[..4], (1024, 0..2)).map(drop).unwrap_err();
    assert!(error.to_string().contains("number of digits is 4"), "{error}");
    let loud = ends.other.parameters().check_import(NoiseBound::new(0.02, 0.0)).unwrap_err();
    assert!(matches!(loud, Error::NoiseTooLarge { .. }), "{loud}");
    let wide = vec![ends.packed.encrypt_digits(&[1], 16).unwrap(); 5];
    let error = ends.bridge.to_leveled(keys, &wide, (1024, 0..1)).map(drop).unwrap_err();
    assert!(error.to_string().contains("modulus of the digits is 16"), "{error}");
}

/// Packed parameters of 128 bits for 512 values.
fn packed_128(p: u64, output: u64, tree: bool) -> packed::Parameters {
    let method = if tree { packed::Method::Cmt } else { packed::Method::Akp };
    let request = packed::Request {
        count: Some(512),
        method: Some(method),
        ..packed::Request::new(p, output)
    };
    packed::Parameters::candidates(&request).unwrap().swap_remove(0)
}

#[test]
fn parameters_are_secure_and_sure() {
    fn check<T: Target>(found: Result<Parameters<T>>) {
        let found = found.unwrap();
        println!(
            "{} bits, 2^{:.1}; taken out 2^{:.2} + 2^{:.2}, packing adds 2^{:.2}, key {} MB, file {} MB",
            found.security_bits(),
            found.log2_fail(),
            found.result_noise().deviation().log2(),
            found.result_noise().bias().log2(),
            found.packed_noise(NoiseBound::new(0.0, 0.0)).deviation().log2(),
            found.key_memory_bytes() >> 20,
            found.key_file_bytes() >> 20,
        );
        assert!(found.security_bits() >= 128.0 && found.log2_fail() <= -64.0);
        let read = Parameters::<T>::from_bytes(&found.to_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(read.digest(), found.digest());
    }
    for (p, output, tree, bits) in
        [(256, 256, false, 8), (1 << 16, 1 << 16, true, 16), (256, 16, false, 8), (512, 8, true, 9)]
    {
        let packed = packed_128(p, output, tree);
        check(Parameters::new(packed, integers::Parameters::new(bits).unwrap()));
    }
    for bits in [8, 16] {
        let request = leveled::Request::new(1 << bits, 1 << bits);
        let target = leveled::Parameters::candidates(&request).unwrap().swap_remove(0);
        check(Parameters::new(packed_128(1 << bits, 4, bits > 8), target));
    }
}

/// At full size: packed lookups that go on as integers of 16 bits, as digits and as leveled values, and back, with every value
/// checked and the times of each step.
///
/// `cargo test --release -p cryptable-conversion --test bridges -- --ignored --nocapture`
#[test]
#[ignore = "takes some minutes and several gigabytes"]
fn every_value_at_full_size() {
    let unit = measure_unit();
    println!("u = {:.1} us", unit * 1e6);
    let timed = |name: &str, count: usize, start: Instant| {
        let seconds = start.elapsed().as_secs_f64();
        let each = seconds / unit / count as f64;
        println!("{name}: {seconds:.3} s, {:.0} u, {each:.1} u a value", seconds / unit);
    };
    integers_at_full_size(&timed);
    digits_at_full_size(&timed);
    leveled_at_full_size(&timed);
}

type Timed<'a> = &'a dyn Fn(&str, usize, Instant);

fn integers_at_full_size(timed: Timed<'_>) {
    let parameters =
        Parameters::new(packed_128(1 << 16, 1 << 16, true), integers::Parameters::new(16).unwrap());
    let ends = with_integers(&parameters.unwrap());
    let keys = (&ends.server, &ends.other);
    let count = 64;
    let inputs: Vec<u64> = (0..512).map(|x| x * 1009 % 65536).collect();
    let of = |x: u64| (x * 40503 + 17) % 65536;
    let table = ends.server.prepare(&Table::from_fn(1 << 16, 1 << 16, of).unwrap()).unwrap();
    let input = ends.packed.encrypt(&inputs).unwrap();
    let start = Instant::now();
    let results = ends.server.lookup(&input, &table, SILENT).unwrap();
    timed("packed lookup, 16 bits", 512, start);
    let start = Instant::now();
    let whole = ends.bridge.to_integers(keys, &results, 0..512).unwrap();
    timed("taken out as integers", 512, start);
    let expected: Vec<i64> = inputs.iter().map(|&x| i64::from(of(x) as u16 as i16)).collect();
    assert_eq!(ends.single.decrypt(&whole).unwrap(), expected);
    let some = ends.bridge.to_integers(keys, &results, 0..count).unwrap();
    let start = Instant::now();
    let signs = ends.other.sign(&some, SILENT).unwrap();
    timed("signs", count, start);
    let expected: Vec<u64> = expected[..count].iter().map(|&x| u64::from(x < 0)).collect();
    assert_eq!(ends.single.decrypt_small(&signs).unwrap(), expected);
    let start = Instant::now();
    let packed = ends.bridge.pack_small(keys, &signs, 16, SILENT).unwrap();
    timed("signs packed", count, start);
    assert_eq!(ends.packed.decrypt(&packed).unwrap(), expected);
}

/// From 9 bits to digits of 3 bits, a sum, and back into a tree over such digits.
fn digits_at_full_size(timed: Timed<'_>) {
    let request = packed::Request {
        count: Some(512),
        method: Some(packed::Method::Cmt),
        ..packed::Request::new(512, 8)
    };
    let trees = packed::Parameters::candidates(&request).unwrap();
    let tree = trees.into_iter().find(|tree| {
        tree.literal().multiplexer.as_ref().is_some_and(|tree| tree.digits == vec![8; 3])
    });
    let parameters = Parameters::new(tree.unwrap(), integers::Parameters::new(9).unwrap());
    let ends = with_integers(&parameters.unwrap());
    let keys = (&ends.server, &ends.other);
    let (count, of) = (32, |x: u64| (x * 5 + 3) % 512);
    let inputs: Vec<u64> = (0..512).collect();
    let input = ends.packed.encrypt(&inputs).unwrap();
    let start = Instant::now();
    let results = ends.look_up(&input, &digit_tables(512, 8, 3, of));
    timed("packed lookup, three tables of 9 bits to digits", 512, start);
    let start = Instant::now();
    let radix = ends.bridge.to_radix(keys, &results, 0..count, SILENT).unwrap();
    timed("taken out as radix integers", count, start);
    let one = ends.single.encrypt_radix(1, 3).unwrap();
    let sums: Vec<_> = radix.iter().map(|x| ends.other.radix_add(x, &one).unwrap()).collect();
    let sum = |x: &u64| (of(*x) + 1) % 512;
    for (x, found) in inputs.iter().zip(&sums) {
        assert_eq!(ends.single.decrypt_radix(found).unwrap(), sum(x));
    }
    let start = Instant::now();
    let packed = ends.bridge.pack_radix(keys, &sums, SILENT).unwrap();
    timed("radix integers packed", count, start);
    let table = Table::from_fn(512, 8, |x| (x * x + x / 8) % 8).unwrap();
    let prepared = ends.server.prepare(&table).unwrap();
    let output = ends.server.lookup_digits(&packed, &[&prepared], SILENT).unwrap().remove(0);
    let expected: Vec<u64> =
        inputs[..count].iter().map(|x| table.values()[sum(x) as usize]).collect();
    assert_eq!(ends.packed.decrypt(&output).unwrap(), expected);
}

fn leveled_at_full_size(timed: Timed<'_>) {
    // Results are to be packed for a tree over five digits: a set with less noise than the fastest.
    let request =
        leveled::Request { log2_fail: Some(-200.0), ..leveled::Request::new(1 << 10, 1 << 10) };
    let target = leveled::Parameters::candidates(&request).unwrap().swap_remove(0);
    let request = packed::Request {
        count: Some(512),
        method: Some(packed::Method::Cmt),
        ..packed::Request::new(1 << 10, 4)
    };
    // Digits of the tree are those of leveled values.
    let trees = packed::Parameters::candidates(&request).unwrap();
    let tree = trees.into_iter().find(|tree| {
        tree.literal().multiplexer.as_ref().is_some_and(|tree| tree.digits == vec![4; 5])
    });
    let tree = tree.unwrap();
    println!("{}", tree.method_name());
    let ends = with_leveled(&Parameters::new(tree, target).unwrap());
    let keys = (&ends.server, &ends.other);
    let inputs: Vec<u64> = (0..512).map(|x| x * 5 % 1024).collect();
    let of = |x: u64| (x * 405 + 17) % 1024;
    let input = ends.packed.encrypt(&inputs).unwrap();
    let start = Instant::now();
    let results = ends.look_up(&input, &digit_tables(1024, 4, 5, of));
    timed("packed lookup, five tables of 10 bits to digits", 512, start);
    let start = Instant::now();
    let values = ends.bridge.to_leveled(keys, &results, (1024, 0..32)).unwrap();
    timed("taken out as leveled values", 32, start);
    let expected: Vec<u64> = inputs[..32].iter().map(|&x| of(x)).collect();
    assert_eq!(ends.single.decrypt(&values).unwrap(), expected);
    let table = Table::from_fn(1024, 1024, |x| x * x % 1021).unwrap();
    let prepared = ends.other.prepare(&table).unwrap();
    let start = Instant::now();
    let output = ends.other.lookup_many(&values, &[&prepared], SILENT).unwrap().remove(0);
    timed("leveled lookups", 32, start);
    let expected: Vec<u64> = expected.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(ends.single.decrypt(&output).unwrap(), expected);
    let start = Instant::now();
    let packed = ends.bridge.pack_leveled(keys, &output, SILENT).unwrap();
    timed("packed, five digits", 32, start);
    for (digit, packed) in packed.iter().enumerate() {
        let expected: Vec<u64> = expected.iter().map(|x| x >> (2 * digit) & 3).collect();
        assert_eq!(ends.packed.decrypt(packed).unwrap(), expected, "digit {digit}");
    }
    let table = Table::from_fn(1024, 4, |x| x % 7 % 4).unwrap();
    let prepared = ends.server.prepare(&table).unwrap();
    let start = Instant::now();
    let output = ends.server.lookup_digits(&packed, &[&prepared], SILENT).unwrap().remove(0);
    timed("packed lookup of five digits", 32, start);
    let expected: Vec<u64> = expected.iter().map(|&x| x % 7 % 4).collect();
    assert_eq!(ends.packed.decrypt(&output).unwrap(), expected);
}
