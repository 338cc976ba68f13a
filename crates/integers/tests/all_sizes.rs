//! Every operation for every type, every digit size, and the least noise budget that parameters may have: on values in
//! the clear whose bounds on noise are followed as if they were encrypted.

mod common;

use common::{Clear, Setting, rng};
use cryptable_integers::{Evaluator, Integer};

const COUNT: usize = 40;

fn with_engines(check: impl Fn(&Setting<'_, Clear, Clear>)) {
    for modulus in [4, 16, 32, 64, 128, 256, 1024] {
        let base = 1u64 << (u64::ilog2(modulus) / 2);
        for terms in [base + 1, 4 * base] {
            let clear = Clear { modulus, terms, places: 64 };
            let server = Evaluator::new(&clear).unwrap();
            assert_eq!(server.terms(), terms);
            check(&Setting { server, secret: &clear, count: COUNT });
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
for_all_types!(comparisons_are_rusts, check_comparisons);
for_all_types!(tables_are_what_they_say, check_tables);

#[test]
fn lookups_of_small_integers() {
    with_engines(|setting| setting.check_lookup(&mut rng(2)));
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
            let clear = Clear { modulus, terms, places: 64 };
            let server = Evaluator::new(&clear).unwrap();
            let setting = Setting { server, secret: &clear, count: COUNT };
            merges::<u8>(&setting);
            merges::<i16>(&setting);
            merges::<u64>(&setting);
        }
    }
}
