//! Kernels that compute several sums of the same words at once.

use super::tests::{for_each_case, product, word_bound};
use super::{linear_combination, linear_combinations_of_two, tensor_products};
use crate::Modulus;

/// Checks that both combinations are what they are alone: with few terms and with many, with the largest words and with
/// random ones.
#[test]
fn combinations_of_two_moduli() {
    for_each_case(|m, len, random| {
        let moduli = [m, &Modulus::with_isa(97, m.isa())];
        for (terms, largest) in [0, 1, 4, 11, 12, 13, 40].map(|terms| (terms, terms % 4 == 0)) {
            let mut vector = |len, bound| match largest {
                true => vec![bound - 1; len],
                false => random.vector(len, bound),
            };
            let words: Vec<Vec<u64>> = (0..terms).map(|_| vector(len, word_bound(m))).collect();
            let inputs: Vec<&[u64]> = words.iter().map(|words| &words[..]).collect();
            let coefficients = moduli.map(|m| vector(terms, m.value()));
            let [mut out0, mut out1] = [(); 2].map(|()| vec![u64::MAX; len]);
            let of_two = coefficients.each_ref().map(|it| &it[..]);
            linear_combinations_of_two(moduli, [&mut out0, &mut out1], &inputs, of_two);
            for ((m, out), coefficients) in moduli.iter().zip([out0, out1]).zip(&coefficients) {
                let mut alone = vec![0; len];
                linear_combination(m, &mut alone, &inputs, coefficients);
                assert_eq!(out, alone, "{m:?}, {terms} terms");
            }
        }
    });
}

#[test]
fn products_of_pairs() {
    for_each_case(|m, len, random| {
        for count in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] {
            // The largest words are included: their sums are the largest.
            let mut words = || match random.word() % 3 {
                0 => vec![m.value() - 1; len],
                _ => random.vector(len, m.value()),
            };
            let pairs: Vec<[Vec<u64>; 4]> = (0..count).map(|_| [(); 4].map(|()| words())).collect();
            let operands: Vec<_> =
                pairs.iter().map(|pair| pair.each_ref().map(|words| &words[..])).collect();
            let [mut d0, mut d1, mut d2] = [(); 3].map(|()| vec![u64::MAX; len]);
            tensor_products(m, [&mut d0, &mut d1, &mut d2], &operands);
            for i in 0..len {
                let sum = |indices: &[[usize; 2]]| {
                    let terms = pairs.iter().flat_map(|pair| {
                        indices.iter().map(|&[j, k]| product(pair[j][i], pair[k][i], m.value()))
                    });
                    terms.fold(0, |sum, term| m.add(sum, term))
                };
                let expected = [sum(&[[0, 2]]), sum(&[[0, 3], [1, 2]]), sum(&[[1, 3]])];
                assert_eq!([d0[i], d1[i], d2[i]], expected, "{m:?}, {count} pairs");
            }
        }
    });
}
