//! Tests of bridges with 128-bit parameters: security, failure probability and every value.

use crate::bridge_ends;

use std::time::Instant;

use bridge_ends::{SILENT, digit_tables, packed_128, with_integers, with_leveled};
use cryptable_conversion::bridges::{LeveledTable, Parameters, Request, Returning, Target};
use cryptable_fhew::integers;
use cryptable_lattice::cost::CostModel;
use cryptable_lattice::{NoiseBound, ReadOptions, Result, Table};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;
use cryptable_ring::unit::measure_unit;

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
        let mut targets = leveled::Parameters::candidates(&request).unwrap().into_iter();
        let target =
            targets.find(|it| it.circuit_bootstrapping().bits_per_ciphertext() == 2).unwrap();
        check(Parameters::new(packed_128(1 << bits, 4, bits > 8), target));
    }
}

/// Runs packed lookups at full size, whose results become integers of 16 bits or digits and are packed again; checks
/// every value and prints the time of each step.
///
/// `cargo test --release -p cryptable-conversion --test all bridges_full_size -- --ignored --nocapture`
#[test]
#[ignore = "takes some minutes and several gigabytes"]
fn every_value_at_full_size() {
    let timed = timer();
    integers_at_full_size(&timed);
    digits_at_full_size(&timed);
}

/// Does the same for leveled values that are packed and looked up again, with the planner's parameters.
#[test]
#[ignore = "takes two minutes and several gigabytes"]
fn every_leveled_value_at_full_size() {
    let timed = timer();
    leveled_at_full_size(&timed);
}

/// Returns a function that prints the time since a start, in all and per value.
fn timer() -> impl Fn(&str, usize, Instant) {
    let unit = measure_unit();
    println!("u = {:.1} us", unit * 1e6);
    move |name: &str, count: usize, start: Instant| {
        let seconds = start.elapsed().as_secs_f64();
        let each = seconds / unit / count as f64;
        println!("{name}: {seconds:.3} s, {:.0} u, {each:.1} u a value", seconds / unit);
    }
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

/// Converts values of 9 bits to digits of 3 bits, adds them, and looks the sum up in a tree over such digits.
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
    // Results are packed to be looked up again, so the plan chooses a set with less noise than the fastest, and cleans
    // digits.
    let next = LeveledTable { input_modulus: 1 << 10, output_modulus: 1 << 10 };
    let request = Request {
        values: Some(512),
        taken_out: Some(32),
        returning: Returning::LookedUp,
        cost: Some(CostModel::default()),
        ..Request::new(1 << 10, next)
    };
    let plan = request.plan().unwrap();
    println!("{plan}");
    let ends = with_leveled(plan.parameters());
    let keys = (&ends.server, &ends.other);
    let inputs: Vec<u64> = (0..512).map(|x| x * 5 % 1024).collect();
    let of = |x: u64| (x * 405 + 17) % 1024;
    let input = ends.packed.encrypt(&inputs).unwrap();
    let start = Instant::now();
    let results = ends.look_up(&input, &digit_tables(1024, 4, 5, of));
    timed("packed lookup, five tables of 10 bits to digits", 512, start);
    let start = Instant::now();
    let values = ends.bridge.to_leveled(keys, &results, 1024, 0..32).unwrap();
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
