//! Arithmetic of words compared with that of integers, on random and on extreme values.

use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::{Circuit, CircuitBuilder, Signal, words};
use proptest::prelude::*;

/// A circuit of two words of `width` bits.
fn circuit(
    width: usize,
    build: impl Fn(&mut CircuitBuilder, &[Signal], &[Signal]) -> Vec<Signal>,
) -> Circuit {
    let mut builder = CircuitBuilder::new("test");
    let (x, y) = (builder.input("x", width).unwrap(), builder.input("y", width).unwrap());
    let result = build(&mut builder, &x, &y);
    builder.output("result", &result).unwrap();
    builder.finish()
}

/// Values near the ends and the middle of a range of `width` bits.
fn extremes(width: usize) -> Vec<u128> {
    let (all, half) = ((1u128 << width) - 1, 1u128 << (width - 1));
    let mut list = vec![0, 1, 2, all, all - 1, half, half - 1, half + 1, all / 3, all / 3 * 2];
    list.iter_mut().for_each(|value| *value &= all);
    list
}

fn one(circuit: &Circuit, x: u128, y: u128) -> u128 {
    circuit.evaluate_words(&[x, y]).unwrap()[0]
}

fn signed(value: u128, width: usize) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

#[test]
fn every_operation_of_every_narrow_width() {
    for width in 1..=5 {
        let mask = (1u128 << width) - 1;
        let add = circuit(width, words::add);
        let carry = circuit(width, |b, x, y| vec![words::add_with_carry(b, x, y, Signal::TRUE).1]);
        let subtract = circuit(width, words::subtract);
        let product = circuit(width, |b, x, y| words::multiply(b, x, y, 2 * width));
        let low = circuit(width, |b, x, y| words::multiply(b, x, y, width));
        let less = circuit(width, |b, x, y| vec![words::less_than(b, x, y)]);
        let signed_less = circuit(width, |b, x, y| vec![words::less_than_signed(b, x, y)]);
        let equal = circuit(width, |b, x, y| vec![words::equal(b, x, y)]);
        for x in 0..=mask {
            for y in 0..=mask {
                assert_eq!(one(&add, x, y), (x + y) & mask);
                assert_eq!(one(&carry, x, y), (x + y + 1) >> width);
                assert_eq!(one(&subtract, x, y), x.wrapping_sub(y) & mask);
                assert_eq!(one(&product, x, y), x * y, "{x}*{y} of {width} bits");
                assert_eq!(one(&low, x, y), (x * y) & mask);
                assert_eq!(one(&less, x, y) == 1, x < y);
                assert_eq!(one(&signed_less, x, y) == 1, signed(x, width) < signed(y, width));
                assert_eq!(one(&equal, x, y) == 1, x == y);
            }
        }
    }
}

fn check_32_bits(circuits: &[Circuit; 3], x: u32, y: u32) {
    let words = |k: usize| circuits[k].evaluate_words(&[x.into(), y.into()]).unwrap();
    assert_eq!(words(0), [u128::from(x.wrapping_add(y))]);
    let flags = [x < y, (x as i32) < (y as i32), x == y].map(u128::from);
    assert_eq!(words(1), flags, "{x} {y}");
    assert_eq!(words(2), [u128::from(x.wrapping_mul(y))]);
}

fn named() -> [Circuit; 3] {
    [NamedCircuit::Add32, NamedCircuit::Compare32, NamedCircuit::Multiply32].map(|c| c.build())
}

#[test]
fn extremes_of_32_bits() {
    let circuits = named();
    for &x in &extremes(32) {
        for &y in &extremes(32) {
            check_32_bits(&circuits, x as u32, y as u32);
        }
    }
}

#[test]
fn depths_are_those_of_the_trees() {
    for circuit in named() {
        println!("{circuit}");
    }
    let [add, compare, multiply] = named();
    // The adder has products, five operators, and the last XOR; the comparison by halves has five operators, too.
    assert_eq!((add.statistics().depth, compare.statistics().depth), (7, 6));
    // Partial products, eight stages of full adders, and a sum of 32 bits whose high bits arrive first: one level less.
    assert_eq!(multiply.statistics().depth, 1 + 8 * 2 + 7 - 1);
    assert_eq!(add.balanced().statistics().depth, 7);
    assert!(multiply.balanced().statistics().depth <= multiply.statistics().depth);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_words_of_32_bits(x: u32, y: u32) {
        static CIRCUITS: std::sync::OnceLock<[Circuit; 3]> = std::sync::OnceLock::new();
        check_32_bits(CIRCUITS.get_or_init(named), x, y);
    }

    #[test]
    fn wide_products_and_sums(width in 1usize..=48, x: u64, y: u64) {
        let mask = (1u128 << width) - 1;
        let (x, y) = (u128::from(x) & mask, u128::from(y) & mask);
        let product = circuit(width, |b, x, y| words::multiply(b, x, y, 2 * width));
        prop_assert_eq!(one(&product, x, y), x * y);
        prop_assert_eq!(one(&product.balanced(), x, y), x * y);
        let difference = circuit(width, words::subtract);
        prop_assert_eq!(one(&difference, x, y), x.wrapping_sub(y) & mask);
    }
}
