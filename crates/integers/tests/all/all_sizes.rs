//! Every operation for every type, every digit size, and the least noise budget that parameters may have, on values in
//! the clear with bounds on noise as if they were encrypted.

use crate::common;

use common::clear::Clear;
use common::{Setting, rng};
use cryptable_integers::{DryRun, Evaluator, Integer, insecure_packed_toy};

const COUNT: usize = 40;

fn with_engines(check: impl Fn(&Setting<'_, Clear, Clear>)) {
    for modulus in [4, 8, 16, 32, 64, 128, 256, 1024] {
        let base = 1u64 << (u64::ilog2(modulus) / 2);
        for terms in [base + 1, 4 * base] {
            let clear = || Clear::new(modulus, terms, 64);
            for clear in [clear(), clear().with_least_outputs()] {
                let server = Evaluator::new(&clear).unwrap();
                assert_eq!(server.terms(), terms);
                check(&Setting { server, secret: &clear, count: COUNT });
            }
        }
    }
}

macro_rules! for_all_types {
    ($name:ident, $check:ident) => {
        #[test]
        fn $name() {
            with_engines(|setting| {
                let mut rng = rng(1);
                setting.$check::<u8>(&mut rng);
                setting.$check::<u16>(&mut rng);
                setting.$check::<u32>(&mut rng);
                setting.$check::<u64>(&mut rng);
                setting.$check::<i8>(&mut rng);
                setting.$check::<i16>(&mut rng);
                setting.$check::<i32>(&mut rng);
                setting.$check::<i64>(&mut rng);
            });
        }
    };
}

for_all_types!(sums_are_rusts, check_arithmetic);
for_all_types!(products_are_rusts, check_products);
for_all_types!(shifts_and_conversions_are_rusts, check_shifts);
for_all_types!(shifts_by_encrypted_amounts_are_rusts, check_barrel_shifts);
for_all_types!(comparisons_are_rusts, check_comparisons);
for_all_types!(tables_are_what_they_say, check_tables);

#[test]
fn every_integer_of_eight_bits_shifted_by_every_amount() {
    let x: Vec<u8> = (0..=255).flat_map(|x| [x; 256]).collect();
    let amounts: Vec<u8> = (0..x.len()).map(|i| i as u8).collect();
    let signed: Vec<i8> = x.iter().map(|&x| x as i8).collect();
    for modulus in [4, 16, 64, 128, 256] {
        let clear = Clear::new(modulus, modulus, x.len());
        let server = Evaluator::new(&clear).unwrap();
        let setting = Setting { server, secret: &clear, count: x.len() };
        setting.check_shifts_by(&x, &amounts);
        setting.check_shifts_by(&signed, &amounts);
    }
}

#[test]
fn shifts_by_encrypted_amounts_take_a_lookup_a_digit_twice() {
    let parameters = insecure_packed_toy(3, 1024).unwrap();
    let dry_run = DryRun::new(&parameters, 1024);
    let server = Evaluator::new(&dry_run).unwrap();
    let (x, amount) = (dry_run.fresh::<u32>(&server), dry_run.fresh::<u8>(&server));
    server.shl_by(&x, &amount).unwrap();
    // Two lookups detect amounts of 64 and more.
    assert_eq!(dry_run.lookups().len(), 2 + 2 * 11, "{:?}", dry_run.lookups());
}

#[test]
fn lookups_of_small_integers() {
    with_engines(|setting| setting.check_lookup(&mut rng(2)));
}

#[test]
fn every_input_of_trees_of_tables() {
    for (modulus, bits) in [(4, 1), (4, 5), (16, 3), (16, 6), (64, 8), (64, 9), (256, 12)] {
        let clear = Clear::new(modulus, 1 + (modulus as f64).sqrt() as u64, 1 << bits);
        let server = Evaluator::new(&clear).unwrap();
        Setting { server, secret: &clear, count: 1 << bits }.check_tree(bits);
    }
}

fn merges<T: Integer>(setting: &Setting<'_, Clear, Clear>) {
    setting.check_merge::<T>(&mut rng(3));
    setting.check_full_merge::<T>(&mut rng(4));
}

#[test]
fn merges_sort() {
    for modulus in [16u64, 64, 256] {
        let base = 1 << (modulus.ilog2() / 2);
        for terms in [base + 1, 4 * base] {
            let clear = || Clear::new(modulus, terms, 64);
            for clear in [clear(), clear().with_least_outputs()] {
                let server = Evaluator::new(&clear).unwrap();
                let setting = Setting { server, secret: &clear, count: COUNT };
                merges::<u8>(&setting);
                merges::<i16>(&setting);
                merges::<u64>(&setting);
            }
        }
    }
}

fn searches<T: Integer>(setting: &Setting<'_, Clear, Clear>, counts: &[usize]) {
    setting.check_largest::<T>(&mut rng(5), counts);
    setting.check_argmax::<T>(&mut rng(6));
    setting.check_sort::<T>(&mut rng(7));
}

#[test]
fn columns_are_searched_and_sorted() {
    for modulus in [16u64, 32, 64, 256, 1024] {
        let base = 1 << (modulus.ilog2() / 2);
        for terms in [base + 1, 4 * base] {
            let clear = || Clear::new(modulus, terms, 64);
            for (clear, count) in [(clear(), 64), (clear().with_least_outputs(), COUNT)] {
                let server = Evaluator::new(&clear).unwrap();
                let setting = Setting { server, secret: &clear, count };
                searches::<u8>(&setting, &[1, 2, 5, 17, count / 2, count - 1, count]);
                searches::<i16>(&setting, &[1, 10, count / 3]);
                searches::<u32>(&setting, &[3]);
            }
        }
    }
}
