//! Operations on encrypted integers, on toy rings of both engines.

use crate::common;

use common::{Setting, rng};
use cryptable_fhew::lookup as single;
use cryptable_integers::{Evaluator, insecure_packed_toy, insecure_packed_toy_of};
use cryptable_packed::{Parameters, Progress, SecretKey};
use cryptable_ring::random::replay;

fn with_packed(
    digit_bits: u32,
    slots: usize,
    count: usize,
    check: impl Fn(&Setting<'_, cryptable_packed::EvaluationKey, SecretKey>),
) {
    with_parameters(&insecure_packed_toy(digit_bits, slots).unwrap(), count, check);
}

fn with_parameters(
    parameters: &Parameters,
    count: usize,
    check: impl Fn(&Setting<'_, cryptable_packed::EvaluationKey, SecretKey>),
) {
    let _replay = replay::begin();
    let secret = SecretKey::generate(parameters);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    println!("{}, {} terms", parameters.literal().name, server.terms());
    check(&Setting { server, secret: &secret, count });
}

#[test]
fn two_bits_a_digit_on_an_insecure_toy() {
    with_packed(2, 1024, 1000, |setting| {
        setting.check_arithmetic::<u8>(&mut rng(1));
        setting.check_products::<i8>(&mut rng(1));
        setting.check_comparisons::<i8>(&mut rng(1));
        setting.check_shifts::<i8>(&mut rng(1));
        setting.check_barrel_shifts::<i8>(&mut rng(1));
        setting.check_tables::<u8>(&mut rng(1));
    });
}

#[test]
fn three_bits_a_digit_on_an_insecure_toy() {
    with_packed(3, 1024, 1024, |setting| {
        setting.check_arithmetic::<i16>(&mut rng(2));
        setting.check_products::<u8>(&mut rng(2));
        setting.check_comparisons::<u8>(&mut rng(2));
        setting.check_tables::<i8>(&mut rng(2));
        setting.check_tree(8);
    });
}

#[test]
fn four_bits_a_digit_on_an_insecure_toy() {
    with_packed(4, 4096, 600, |setting| {
        setting.check_arithmetic::<u16>(&mut rng(3));
        setting.check_comparisons::<u8>(&mut rng(3));
        setting.check_lookup(&mut rng(3));
    });
}

#[test]
fn four_bits_and_a_carry_on_an_insecure_toy() {
    with_parameters(&insecure_packed_toy_of(32, 1024).unwrap(), 1000, |setting| {
        setting.check_arithmetic::<u16>(&mut rng(7));
        setting.check_comparisons::<i8>(&mut rng(7));
        setting.check_products::<u8>(&mut rng(7));
        setting.check_shifts::<u8>(&mut rng(7));
    });
}

#[test]
fn merges_on_insecure_toys() {
    with_packed(2, 64, 64, |setting| setting.check_merge::<i8>(&mut rng(4)));
    with_packed(3, 64, 64, |setting| setting.check_merge::<u16>(&mut rng(5)));
}

#[test]
fn searches_and_sorts_on_insecure_toys() {
    with_packed(2, 64, 50, |setting| {
        setting.check_largest::<u8>(&mut rng(4), &[2, 20]);
        setting.check_sort::<u8>(&mut rng(4));
    });
    with_packed(3, 64, 64, |setting| {
        setting.check_largest::<i8>(&mut rng(5), &[3]);
        setting.check_argmax::<i8>(&mut rng(5));
    });
}

#[test]
fn single_values_on_an_insecure_toy() {
    let _replay = replay::begin();
    let secret = single::SecretKey::generate(&single::Parameters::insecure_toy(16, 16).unwrap());
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    println!("{} terms", server.terms());
    let setting = Setting { server, secret: &secret, count: 12 };
    setting.check_arithmetic::<u8>(&mut rng(6));
    setting.check_products::<u8>(&mut rng(6));
    setting.check_comparisons::<i8>(&mut rng(6));
    setting.check_shifts::<u8>(&mut rng(6));
    setting.check_tables::<i8>(&mut rng(6));
}
