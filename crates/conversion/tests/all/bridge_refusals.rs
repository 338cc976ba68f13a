//! Tests that bridges refuse keys of others, files, too short lists, damage and too much noise.

use crate::bridge_ends;

use bridge_ends::{LEVELED, SILENT, WHOLE, options};
use cryptable_conversion::bridges::{ClientKey, IntegerBridge, LeveledBridge, Parameters, Target};
use cryptable_fhew::integers;
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, NoiseBound, ReadOptions, Table};
use cryptable_packed as packed;

fn file<T: Target>(
    parameters: &Parameters<T>,
    packed: &packed::SecretKey,
    single: &ClientKey<T>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    parameters.write_key(packed, single, &mut bytes, SILENT).unwrap();
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
    let step = bytes.len() / 40;
    check_refusals(&bytes, step, |bytes| LeveledBridge::from_bytes(bytes, options()));
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
    // Values of another modulus are refused, and those with more noise than functions of integers tolerate.
    let nibbles = ends.packed.encrypt_digits(&[1], 16).unwrap();
    let error = ends.bridge.to_integers(keys, &nibbles, 0..1).map(drop).unwrap_err();
    assert!(error.to_string().contains("modulus of the values is 16"), "{error}");
    let loud = loudest(&ends.server, &values);
    let error = ends.bridge.to_integers(keys, &loud, 0..2).map(drop).unwrap_err();
    assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    // Results of tables of digits are refused, since their noise is arbitrary.
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

/// Returns the same values with the most noise with which they still decrypt.
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
    let values = ends.bridge.to_leveled(keys, &digits, 1024, 0..2).unwrap();
    assert_eq!(ends.single.decrypt(&values).unwrap(), [0b01_0101_0101, 1023]);
    let error = ends.bridge.to_leveled(keys, &digits[..4], 1024, 0..2).map(drop).unwrap_err();
    assert!(error.to_string().contains("number of digits is 4"), "{error}");
    let loud = ends.other.parameters().check_import(NoiseBound::new(0.02, 0.0)).unwrap_err();
    assert!(matches!(loud, Error::NoiseTooLarge { .. }), "{loud}");
    let wide = vec![ends.packed.encrypt_digits(&[1], 16).unwrap(); 5];
    let error = ends.bridge.to_leveled(keys, &wide, 1024, 0..1).map(drop).unwrap_err();
    assert!(error.to_string().contains("modulus of the digits is 16"), "{error}");
}
