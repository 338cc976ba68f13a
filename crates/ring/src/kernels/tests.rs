//! Every kernel on every instruction set of this processor, against 128-bit remainders.

use std::array;

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;
use crate::primes::ntt_primes;
use crate::{Isa, Modulus};

/// Lengths below, at and around one vector and one group of vectors, with and without tails.
const LENGTHS: [usize; 8] = [0, 1, 7, 8, 64, 100, 128, 200];

/// SplitMix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a word below `bound`; one in two of them is an extreme one.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        match self.word() % 8 {
            0 => 0,
            1 => 1 % bound,
            2 => bound - 1,
            3 => bound / 2,
            _ => self.word() % bound,
        }
    }

    pub(super) fn vector(&mut self, len: usize, bound: u64) -> Vec<u64> {
        (0..len).map(|_| self.below(bound)).collect()
    }
}

/// Returns primes of every size: the smallest, those around the powers of two where estimates are least exact, the
/// largest for all vector kernels, and some for those of wide words.
fn primes() -> Vec<u64> {
    let mut primes = vec![3, 97, 114_689];
    for (log2, count) in [(35.5, 1), (49.0, 4), (50.0, 2), (60.0, 2), (61.0, 1)] {
        primes.extend(ntt_primes(1024, log2, count, &[]));
    }
    primes.push((1 << 50) - 27);
    primes.push((1 << 62) - 57);
    primes
}

/// Returns every prime on every instruction set, and the short ones also for wide words.
fn moduli() -> Vec<Modulus> {
    let cases =
        primes().into_iter().flat_map(|q| Isa::available().into_iter().map(move |i| (q, i)));
    let both = |(q, isa)| {
        let m = Modulus::with_isa(q, isa);
        let is_short = m.isa() > Isa::Scalar;
        [m].into_iter().chain(is_short.then(|| m.for_wide_words()))
    };
    cases.flat_map(both).collect()
}

/// Runs `check` for every modulus and every length.
pub(super) fn for_each_case(check: impl Fn(&Modulus, usize, &mut Random)) {
    let mut random = Random(1);
    for m in moduli() {
        LENGTHS.iter().for_each(|&len| check(&m, len, &mut random));
    }
}

/// Returns the bound of the words in a linear combination modulo `m`.
pub(super) fn word_bound(m: &Modulus) -> u64 {
    if m.isa() == Isa::Scalar { 1 << 62 } else { 1 << 50 }
}

/// `x·y mod q`.
pub(super) fn product(x: u64, y: u64, q: u64) -> u64 {
    (u128::from(x) * u128::from(y) % u128::from(q)) as u64
}

/// Checks a kernel `a = f(a, b, c)`, where c is a constant, for random operands and for the largest ones.
fn check_words(
    kernel: impl Fn(&Modulus, &mut [u64], &[u64], u64),
    oracle: impl Fn(u128, u128, u128, u128) -> u128,
) {
    for_each_case(|m, len, random| {
        let q = m.value();
        for largest in [false, true] {
            let (mut a, b, c) = if largest {
                (vec![q - 1; len], vec![q - 1; len], q - 1)
            } else {
                (random.vector(len, q), random.vector(len, q), random.below(q))
            };
            let before = a.clone();
            kernel(m, &mut a, &b, c);
            for ((&x, &y), &result) in before.iter().zip(&b).zip(&a) {
                let expected = oracle(x.into(), y.into(), c.into(), q.into()) % u128::from(q);
                assert_eq!(u128::from(result), expected, "{m:?}: {x}, {y}, {c}");
            }
        }
    });
}

#[test]
fn sums_and_differences() {
    check_words(|m, a, b, _| add_assign(m, a, b), |a, b, _, _| a + b);
    check_words(|m, a, b, _| sub_assign(m, a, b), |a, b, _, q| a + q - b);
    check_words(|m, a, _, _| neg_assign(m, a), |a, _, _, q| q - a);
    check_words(|m, a, _, c| add_scalar_assign(m, a, c), |a, _, c, _| a + c);
}

#[test]
fn products() {
    check_words(|m, a, b, _| mul_assign(m, a, b), |a, b, _, _| a * b);
    check_words(|m, a, b, _| mul(m, a, b, b), |_, b, _, _| b * b);
    check_words(|m, a, b, _| mul_add_assign(m, a, b, b), |a, b, _, _| a + b * b);
    check_words(|m, a, _, c| mul_scalar_assign(m, a, c), |a, _, c, _| a * c);
    check_words(mul_scalar_add_assign, |a, b, c, _| a + b * c);
    check_words(sub_mul_scalar_assign, |a, b, c, q| (a + q - b) * c);
}

/// Barrett's estimate is least exact where the fractions that it drops are largest: checks many products of operands
/// close to one another and to q.
#[test]
fn products_near_the_modulus() {
    for_each_case(|m, _, random| {
        let q = m.value();
        let mut near = || q - 1 - (random.word() >> (random.word() % 64)) % q;
        let a: [u64; 512] = array::from_fn(|_| near());
        let b: [u64; 512] = array::from_fn(|_| near());
        let mut out = [0; 512];
        mul(m, &mut out, &a, &b);
        for i in 0..512 {
            assert_eq!(out[i], product(a[i], b[i], q), "{m:?}: {} times {}", a[i], b[i]);
        }
    });
}

#[test]
fn words_of_other_moduli() {
    for_each_case(|m, len, random| {
        let (q, bound) = (m.value(), word_bound(m));
        let (a, c) = (random.vector(len, bound), random.below(q));
        let mut out = random.vector(len, q);
        mul_scalar(m, &mut out, &a, c);
        assert!(out.iter().zip(&a).all(|(&x, &a)| x == product(a, c, q)), "{m:?}");
        let wide = random.vector(len, 1 << 62);
        reduce(m, &mut out, &wide);
        assert!(out.iter().zip(&wide).all(|(x, w)| *x == w % q), "{m:?}");
    });
}

#[test]
fn signed_words() {
    for_each_case(|m, len, random| {
        let mut input: Vec<i64> =
            random.vector(len, u64::MAX).into_iter().map(u64::cast_signed).collect();
        for (word, extreme) in input.iter_mut().zip([i64::MIN, i64::MAX, -1, i64::MIN + 1, 0]) {
            *word = extreme;
        }
        let mut out = vec![0; len];
        from_signed(m, &mut out, &input);
        for (&x, &residue) in input.iter().zip(&out) {
            assert_eq!(i128::from(residue), i128::from(x).rem_euclid(m.value().into()), "{m:?}");
        }
    });
}

#[test]
fn centred_lifts() {
    for_each_case(|m, len, random| {
        for q_in in primes() {
            let m_in = Modulus::new(q_in);
            let mut input = random.vector(len, q_in);
            for (word, extreme) in input.iter_mut().zip([q_in / 2, q_in / 2 + 1, q_in - 1]) {
                *word = extreme;
            }
            let mut out = vec![0; len];
            lift_centered(m, &mut out, &input, &m_in);
            for (&x, &residue) in input.iter().zip(&out) {
                let centred = i128::from(x) - if 2 * x > q_in { i128::from(q_in) } else { 0 };
                let expected = centred.rem_euclid(m.value().into());
                assert_eq!(i128::from(residue), expected, "{m:?}, {x} modulo {q_in}");
            }
        }
    });
}

/// Returns `acc + Σ_k a_k·b_k mod q`, by arbitrary-precision arithmetic.
fn oracle_sum(q: u64, acc: u64, terms: impl Iterator<Item = (u64, u64)>) -> u64 {
    let sum = terms.fold(BigInt::from(acc), |sum, (a, b)| sum + BigInt::from(a) * b);
    u64::try_from(sum % q).unwrap()
}

/// Checks both inner products for the given operands, with `b[k]` in runs.
pub(super) fn check_inner_product(
    m: &Modulus,
    a: &[Vec<u64>],
    b: &[Vec<u64>],
    acc: &[u64],
    log_run: u32,
) {
    let terms: Vec<(&[u64], &[u64])> =
        a.iter().zip(b).map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
    let (mut out, mut sum) = (acc.to_vec(), acc.to_vec());
    if log_run == 0 {
        inner_product(m, &mut out, &terms);
        inner_product_add(m, &mut sum, &terms);
    } else {
        inner_product_runs(m, &mut out, &terms, log_run);
        inner_product_runs_add(m, &mut sum, &terms, log_run);
    }
    for i in 0..acc.len() {
        let pairs = || a.iter().zip(b).map(|(a, b)| (a[i], b[i >> log_run]));
        assert_eq!(out[i], oracle_sum(m.value(), 0, pairs()), "{m:?}, word {i}");
        assert_eq!(sum[i], oracle_sum(m.value(), acc[i], pairs()), "{m:?}, word {i}");
    }
}

#[test]
fn inner_products() {
    for_each_case(|m, len, random| {
        let q = m.value();
        for terms in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17] {
            let mut vectors =
                || (0..terms).map(|_| random.vector(len, q)).collect::<Vec<Vec<u64>>>();
            let (a, b) = (vectors(), vectors());
            check_inner_product(m, &a, &b, &random.vector(len, q), 0);
        }
    });
}

#[test]
fn inner_products_with_runs() {
    for_each_case(|m, runs, random| {
        let q = m.value();
        // Up to several groups of vectors each, for the shortest runs, too.
        for log_run in (1..=8).filter(|log_run| runs << log_run <= 600) {
            let len = runs << log_run;
            let a = [random.vector(len, q), random.vector(len, q)];
            let b = [random.vector(len >> log_run, q), random.vector(len >> log_run, q)];
            check_inner_product(m, &a, &b, &random.vector(len, q), log_run);
        }
    });
}

/// Checks both linear combinations.
pub(super) fn check_linear_combination(
    m: &Modulus,
    inputs: &[Vec<u64>],
    coefficients: &[u64],
    acc: &[u64],
) {
    let slices: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
    let (mut out, mut sum) = (acc.to_vec(), acc.to_vec());
    linear_combination(m, &mut out, &slices, coefficients);
    linear_combination_add(m, &mut sum, &slices, coefficients);
    for i in 0..acc.len() {
        let pairs = || inputs.iter().zip(coefficients).map(|(input, &c)| (input[i], c));
        assert_eq!(out[i], oracle_sum(m.value(), 0, pairs()), "{m:?}, word {i}");
        assert_eq!(sum[i], oracle_sum(m.value(), acc[i], pairs()), "{m:?}, word {i}");
    }
}

#[test]
fn linear_combinations() {
    for_each_case(|m, len, random| {
        let q = m.value();
        for terms in [0, 1, 3, 8, 12, 17] {
            let inputs: Vec<_> = (0..terms).map(|_| random.vector(len, word_bound(m))).collect();
            let coefficients = random.vector(terms, q);
            check_linear_combination(m, &inputs, &coefficients, &random.vector(len, q));
        }
    });
}

/// Lazy sums must not overflow: checks the largest operands, and numbers of terms around every limit.
#[test]
fn sums_of_many_largest_products() {
    let counts = [1, 3, 4, 5, 7, 8, 11, 12, 13, 15, 16, 17, 63, 64, 1024, 4095, 4096, 5000];
    for m in moduli() {
        counts.iter().for_each(|&terms| check_largest_products(&m, terms));
    }
}

/// Checks sums of `terms` products of the largest operands.
pub(super) fn check_largest_products(m: &Modulus, terms: usize) {
    let q = m.value();
    let acc = [q - 1; 65];
    let (vector, constants) = (vec![q - 1; 65], vec![q - 1; terms]);
    let a: Vec<(&[u64], &[u64])> = vec![(&vector, &vector); terms];
    let largest = vec![word_bound(m) - 1; 65];
    let inputs: Vec<&[u64]> = vec![&largest; terms];
    let count = u64::try_from(terms).unwrap();
    for (add, start) in [(false, 0), (true, q - 1)] {
        let (mut inner, mut combined) = (acc, acc);
        if add {
            inner_product_add(m, &mut inner, &a);
            linear_combination_add(m, &mut combined, &inputs, &constants);
        } else {
            inner_product(m, &mut inner, &a);
            linear_combination(m, &mut combined, &inputs, &constants);
        }
        let expected = |x: u64| {
            let sum = BigInt::from(count) * x * (q - 1) + start;
            u64::try_from(sum % q).unwrap()
        };
        assert_eq!(inner, [expected(q - 1); 65], "{m:?}, {terms} terms");
        assert_eq!(combined, [expected(largest[0]); 65], "{m:?}, {terms} terms");
    }
}

/// Returns the words as a packed row.
fn packed(m: &Modulus, words: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; PackedRow::packed_bytes(words.len(), m.bits())];
    PackedRow::pack(m.wide_isa(), &mut bytes, words, m.bits());
    bytes
}

/// Does the same with packed rows, and with an additional multiple.
#[test]
fn packed_sums_of_many_largest_products() {
    const LEN: usize = 72;
    for m in moduli() {
        let q = m.value();
        let vector = [q - 1; LEN];
        let row = packed(&m, &vector);
        for count in [1, 7, 8, 9, 64, 3999, 4000, 4001] {
            let row = PackedRow::new(&row, m.bits());
            let (mut sum, mut alone, mut added) = ([0; LEN], [0; LEN], vector);
            let pairs = vec![(&vector[..], [row; 2]); count];
            let multiples = [Some((&vector[..], q - 1)), None];
            packed_inner_products(&m, [&mut sum, &mut alone], &pairs, multiples);
            packed_inner_product_add(&m, &mut added, &vec![(&vector[..], row); count]);
            // (q - 1)² is 1 modulo q.
            let count = count as u64;
            assert_eq!(sum, [(count + 1) % q; LEN], "{m:?}, {count} terms");
            assert_eq!(alone, [count % q; LEN], "{m:?}, {count} terms");
            assert_eq!(added, [(count - 1) % q; LEN], "{m:?}, {count} terms");
        }
    }
}

#[test]
fn rounded_fractions() {
    let mut random = Random(2);
    for isa in Isa::available() {
        for len in LENGTHS {
            for terms in [0, 1, 5, 40] {
                let moduli = random.vector(terms, 1 << 50);
                let ys: Vec<_> = moduli.iter().map(|&q| random.vector(len, q + 1)).collect();
                let inverses: Vec<f64> = moduli.iter().map(|&q| 1.0 / (q + 1) as f64).collect();
                let slices: Vec<&[u64]> = ys.iter().map(Vec::as_slice).collect();
                let mut out = vec![7; len];
                fractions_round(isa, &mut out, &slices, &inverses);
                for (i, &rounded) in out.iter().enumerate() {
                    let mut sum = 0.0;
                    for (y, inverse) in ys.iter().zip(&inverses) {
                        sum += y[i] as f64 * inverse;
                    }
                    assert_eq!(rounded as f64, (sum + 0.5).floor(), "{isa:?}");
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "assertion")]
fn lengths_must_agree() {
    add_assign(&Modulus::new(97), &mut [1, 2], &[1]);
}

#[test]
#[should_panic(expected = "runs of 2^2")]
fn runs_must_fill_the_output() {
    inner_product_runs(&Modulus::new(97), &mut [0; 6], &[(&[1; 6], &[1])], 2);
}

proptest! {
    /// Checks that all instruction sets agree with remainders, for any odd modulus, prime or not, and any operands.
    #[test]
    fn any_modulus(q in 1u64..1 << 49, bits in 2u32..50, a: [u64; 9], b: [u64; 9]) {
        let q = ((2 * q + 1) >> (50 - bits)) | 1;
        prop_assume!(q > 2);
        let (a, b) = (a.map(|a| a % q), b.map(|b| b % q));
        for isa in Isa::available() {
            let m = Modulus::with_isa(q, isa);
            let (mut multiplied, mut summed) = (a, a);
            mul_assign(&m, &mut multiplied, &b);
            inner_product_add(&m, &mut summed, &[(&a, &b), (&b, &b)]);
            for i in 0..9 {
                prop_assert_eq!(multiplied[i], product(a[i], b[i], q));
                let sum = [(a[i], b[i]), (b[i], b[i])];
                prop_assert_eq!(summed[i], oracle_sum(q, a[i], sum.into_iter()));
            }
        }
    }
}

/// Lengths of packed rows below, at and around one block, one vector group and the room that vectors need.
const PACKED_LENGTHS: [usize; 7] = [0, 8, 16, 64, 72, 128, 200];

#[test]
fn packed_rows_hold_their_words() {
    let mut random = Random(2);
    for (bits, isa) in
        (1..=64).flat_map(|bits| Isa::available().into_iter().map(move |i| (bits, i)))
    {
        let bound = u64::MAX >> (64 - bits);
        for len in PACKED_LENGTHS {
            let words: Vec<u64> = (0..len).map(|_| random.word() & bound).collect();
            let mut bytes = vec![0xFF; PackedRow::packed_bytes(len, bits)];
            PackedRow::pack(isa, &mut bytes, &words, bits);
            for (j, &word) in words.iter().enumerate() {
                for i in 0..bits as usize {
                    let bit = j * bits as usize + i;
                    assert_eq!(bytes[bit / 8] >> (bit % 8) & 1, (word >> i & 1) as u8, "{bits}");
                }
            }
            let row = PackedRow::new(&bytes, bits);
            let mut unpacked = vec![1; len];
            row.unpack(isa, &mut unpacked);
            assert!(unpacked == words && row.len() == len, "{bits} bits, {isa:?}");
            let largest = words.iter().copied().max().unwrap_or(0);
            assert!(largest == u64::MAX || row.is_below(isa, largest + 1));
            assert!(len == 0 || !row.is_below(isa, largest));
        }
    }
}

/// Returns the sum with these rows and a multiple. Checks that it does not depend on the other sum, and that the sum
/// with the rows in reverse order is what it is alone.
fn sum_with_multiple(
    m: &Modulus,
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: (&[u64], u64),
) -> Vec<u64> {
    let reversed: Vec<_> =
        terms.iter().zip(terms.iter().rev()).map(|((a, _), (_, b))| (*a, *b)).collect();
    let pairs: Vec<_> =
        terms.iter().zip(&reversed).map(|((a, b0), (_, b1))| (*a, [*b0, *b1])).collect();
    let [mut out0, mut out1, mut alone] = [(); 3].map(|()| vec![u64::MAX; multiple.0.len()]);
    packed_inner_product(m, &mut alone, &reversed);
    packed_inner_products(m, [&mut out0, &mut out1], &pairs, [Some(multiple), None]);
    assert_eq!(out1, alone, "{m:?}, {} terms", terms.len());
    packed_inner_products(m, [&mut out1, &mut alone], &pairs, [Some(multiple), Some(multiple)]);
    assert_eq!(out0, out1, "{m:?}, {} terms", terms.len());
    out0
}

#[test]
fn sums_of_products_with_packed_rows() {
    let mut random = Random(3);
    for m in moduli() {
        let q = m.value();
        for (terms, len) in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 17]
            .into_iter()
            .flat_map(|t| PACKED_LENGTHS.map(|l| (t, l)))
        {
            let words: Vec<[Vec<u64>; 2]> =
                (0..terms).map(|_| [random.vector(len, q), random.vector(len, q)]).collect();
            let rows: Vec<Vec<u8>> = words.iter().map(|[_, b]| packed(&m, b)).collect();
            let terms: Vec<_> = words
                .iter()
                .zip(&rows)
                .map(|([a, _], row)| (&a[..], PackedRow::new(row, m.bits())))
                .collect();
            let before = random.vector(len, q);
            let (mut sum, mut added) = (before.clone(), before.clone());
            packed_inner_product(&m, &mut sum, &terms);
            packed_inner_product_add(&m, &mut added, &terms);
            let (x, c) = (random.vector(len, q), random.vector(1, q)[0]);
            let with_multiple = sum_with_multiple(&m, &terms, (&x, c));
            for i in 0..len {
                let products = words.iter().map(|[a, b]| u128::from(product(a[i], b[i], q)));
                let expected = products.sum::<u128>();
                let q = u128::from(q);
                assert_eq!(u128::from(sum[i]), expected % q, "{m:?}, word {i}");
                assert_eq!(u128::from(added[i]), (expected + u128::from(before[i])) % q, "{m:?}");
                let multiple = u128::from(x[i]) * u128::from(c);
                assert_eq!(u128::from(with_multiple[i]), (expected + multiple) % q, "{m:?}");
            }
        }
    }
}
