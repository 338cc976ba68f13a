//! Kernels of wide words for moduli of every number of bits, at the ends of every range.

use crate::kernels::tests::{
    Random, check_inner_product, check_largest_products, check_linear_combination, product,
};
use crate::kernels::{
    lift_centered, mul_scalar, mul_scalar_add_assign, mul_scalar_assign, reduce,
    sub_mul_scalar_assign,
};
use crate::{Isa, Modulus};

use super::sums::{MAX_FACTORS, combined_terms, multiplied_terms};

/// Lengths around groups of vectors.
const LENGTHS: [usize; 6] = [0, 3, 8, 31, 32, 75];

/// Returns the smallest and the largest odd number of every number of bits, on every instruction set with vectors.
fn moduli() -> Vec<Modulus> {
    let ends = |bits: u32| [(1 << (bits - 1)) + 1, (1 << bits) - 1];
    let all = (2..=62).flat_map(ends).filter(|&q| q > 2);
    let of = |q| Isa::available().into_iter().map(move |isa| Modulus::with_isa(q, isa));
    all.flat_map(of).map(|m| m.for_wide_words()).collect()
}

#[test]
fn bounds_of_terms() {
    // The bounds of both sums and their carry, by integers that are wide enough.
    for bits in 2..=62u32 {
        let (lower, upper) = (bits / 2, bits.div_ceil(2));
        let q = (1u128 << bits) - 1;
        let terms = combined_terms(bits) as u128;
        let halves = u128::from(u32::MAX) + (1 << 30) - 1;
        let low = terms * halves * ((1 << lower) - 1) + q - 1;
        let middle = terms * halves * ((1 << upper) - 1) + (low >> lower);
        assert!(terms >= 1 && low >> 64 == 0 && middle >> 64 == 0, "{bits} bits");
        assert_eq!((terms * halves * (q - 1) + q) >> (63 + 2 * lower), 0, "{bits} bits");
        let terms = multiplied_terms(bits) as u128;
        let low = terms * ((1 << lower) - 1u128).pow(2) + q - 1;
        let middle = 2 * terms * ((1 << lower) - 1) * ((1 << upper) - 1) + (low >> lower);
        assert!(terms >= 1 && low >> 64 == 0 && middle >> 64 == 0, "{bits} bits");
        assert_eq!((terms * (q - 1) * (q - 1) + q) >> (63 + 2 * lower), 0, "{bits} bits");
    }
}

/// Checks sums that fill their lanes: with the number of terms between reductions, with one less and one more.
#[test]
fn sums_at_their_bounds() {
    for m in moduli() {
        let terms = [combined_terms(m.bits()), multiplied_terms(m.bits()).min(600), MAX_FACTORS];
        for terms in terms {
            let around = [1, terms - 1, terms, terms + 1, 2 * terms + 1];
            around.into_iter().for_each(|terms| check_largest_products(&m, terms));
        }
    }
}

#[test]
fn sums_of_any_length() {
    let mut random = Random(5);
    for m in moduli() {
        let (len, q) = (LENGTHS[random.word() as usize % LENGTHS.len()], m.value());
        for terms in [0, 1, 2, 9, 26, 65] {
            let inputs: Vec<_> = (0..terms).map(|_| random.vector(len, 1 << 62)).collect();
            let coefficients = random.vector(terms, q);
            let acc = random.vector(len, q);
            check_linear_combination(&m, &inputs, &coefficients, &acc);
            let factors: Vec<_> = (0..2 * terms).map(|_| random.vector(len, q)).collect();
            let (a, b) = factors.split_at(terms);
            check_inner_product(&m, a, b, &acc, 0);
        }
        for log_run in 1..=5 {
            let (a, b) = (random.vector(len << log_run, q), random.vector(len, q));
            let acc = random.vector(len << log_run, q);
            check_inner_product(&m, &[a], &[b], &acc, log_run);
        }
    }
}

#[test]
fn words_by_themselves() {
    let mut random = Random(6);
    for m in moduli() {
        let (len, q) = (75, m.value());
        let mut wide = random.vector(len, 1 << 62);
        wide[..3].copy_from_slice(&[(1 << 62) - 1, 1 << 61, q]);
        let (a, b) = (random.vector(len, q), random.vector(len, q));
        for c in [0, 1, q / 2, q - 1, random.below(q)] {
            let mut outs = [a.clone(), a.clone(), a.clone(), a.clone()];
            mul_scalar(&m, &mut outs[0], &wide, c);
            mul_scalar_assign(&m, &mut outs[1], c);
            mul_scalar_add_assign(&m, &mut outs[2], &b, c);
            sub_mul_scalar_assign(&m, &mut outs[3], &b, c);
            for i in 0..len {
                let (a, b) = (a[i], b[i]);
                let expected = [
                    product(wide[i], c, q),
                    product(a, c, q),
                    (product(b, c, q) + a) % q,
                    product(a + q - b, c, q),
                ];
                assert_eq!([0, 1, 2, 3].map(|k| outs[k][i]), expected, "{m:?}: {a}, {b}, {c}");
            }
        }
        let mut out = vec![0; len];
        reduce(&m, &mut out, &wide);
        assert!(out.iter().zip(&wide).all(|(&x, &w)| x == w % q), "{m:?}");
    }
}

#[test]
fn lifts_between_all_sizes() {
    let mut random = Random(7);
    let outs = moduli();
    for m_in in outs.iter().filter(|m| m.bits() % 5 == 2) {
        let q_in = m_in.value();
        let mut input = random.vector(21, q_in);
        input[..3].copy_from_slice(&[q_in / 2, q_in / 2 + 1, q_in - 1]);
        for m in &outs {
            let mut out = vec![0; 21];
            lift_centered(m, &mut out, &input, m_in);
            for (&x, &residue) in input.iter().zip(&out) {
                let centred = i128::from(x) - if x > q_in / 2 { i128::from(q_in) } else { 0 };
                assert_eq!(i128::from(residue), centred.rem_euclid(m.value().into()), "{m:?}");
            }
        }
    }
}
