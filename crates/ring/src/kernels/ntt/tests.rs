//! Transforms of every instruction set against evaluations by the definition, and against each
//! other.

use super::{Points, Transform};
use crate::kernels::tests::Random;
use crate::primes::ntt_primes;
use crate::roots::primitive_root;
use crate::{Isa, Modulus};

fn random(seed: u64, count: usize, bound: u64) -> Vec<u64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.word() % bound).collect()
}

/// Returns moduli for a degree: the largest primes below 2^50 and near 2^49, small ones, the largest product of two
/// primes, and a small one.
fn moduli(degree: usize) -> Vec<u64> {
    let mut moduli = ntt_primes(degree, 50.0, 2, &[]);
    moduli.extend(ntt_primes(degree, 49.0, 3, &[]));
    moduli.extend(ntt_primes(degree, 2.5 + (2.0 * degree as f64).log2(), 1, &[]));
    moduli.extend(ntt_primes(degree, 30.0, 1, &[]));
    for log2 in [24.999, 22.0] {
        let primes = ntt_primes(degree, log2, 2, &[]);
        moduli.push(primes[0] * primes[1]);
    }
    moduli.into_iter().filter(|&q| q < 1 << 50).collect()
}

fn degrees() -> Vec<usize> {
    (4..=13).map(|log2| 1 << log2).collect()
}

/// Returns every modulus for a degree on every instruction set.
fn cases(degree: usize) -> Vec<(u64, Isa)> {
    let all = |q| Isa::available().into_iter().map(move |isa| (q, isa));
    moduli(degree).into_iter().flat_map(all).collect()
}

/// Runs `check` on transforms at odd powers of a root.
fn for_each_transform(degree: usize, check: impl Fn(&Modulus, &Transform, u64)) {
    for (q, isa) in cases(degree) {
        let m = Modulus::with_isa(q, isa);
        let root = primitive_root(&m, 2 * degree as u64).unwrap();
        check(&m, &Transform::new(m, degree, Points::odd_powers(root)), root);
    }
}

/// Returns points of both kinds of rings modulo the same number, each with its first point and the step from one power
/// to the next.
fn points(m: &Modulus, degree: usize) -> [(Points, [u64; 2]); 2] {
    let root = primitive_root(m, 4 * degree as u64).unwrap();
    let [square, fourth] = [2, 4].map(|exponent| m.pow(root, exponent));
    [
        (Points::odd_powers(square), [square, fourth]),
        (Points::quarter_of_powers(m, root), [root, fourth]),
    ]
}

/// Returns words that keep numbers at the ends of their ranges, and random ones.
fn inputs(degree: usize, q: u64) -> Vec<Vec<u64>> {
    let mut delta = vec![0; degree];
    delta[degree - 1] = q - 1;
    let alternating = (0..degree as u64).map(|i| (q - 1) * (i & 1)).collect();
    let halves = (0..degree as u64).map(|i| q / 2 + (i & 1)).collect();
    let largest = vec![q - 1; degree];
    vec![vec![0; degree], delta, alternating, halves, largest, random(degree as u64, degree, q)]
}

#[test]
fn evaluations_by_the_definition() {
    for degree in degrees() {
        let levels = degree.ilog2();
        for (q, isa) in cases(2 * degree) {
            let m = Modulus::with_isa(q, isa);
            for (points, [first, step]) in points(&m, degree) {
                let transform = Transform::new(m, degree, points);
                for input in inputs(degree, q) {
                    let mut values = input.clone();
                    transform.forward_assign(&mut values);
                    for i in [0, 1, 2, degree / 2, degree - 1, degree / 4 + 1, 5 % degree] {
                        let power = i.reverse_bits() >> (usize::BITS - levels);
                        let point = m.mul(first, m.pow(step, power as u64));
                        let expected =
                            input.iter().rev().fold(0, |sum, &c| m.add(m.mul(sum, point), c));
                        assert_eq!(values[i], expected, "{m:?}, degree {degree}, evaluation {i}");
                    }
                }
            }
        }
    }
}

#[test]
fn all_instruction_sets_agree_and_invert() {
    for degree in degrees().into_iter().chain([1 << 14, 1 << 15, 1 << 16, 1 << 17]) {
        for q in moduli(2 * degree) {
            for kind in 0..2 {
                instruction_sets_agree(degree, q, kind);
            }
        }
    }
}

fn instruction_sets_agree(degree: usize, q: u64, kind: usize) {
    let transform = |isa| {
        let m = Modulus::with_isa(q, isa);
        Transform::new(m, degree, points(&m, degree)[kind].0)
    };
    let (oracle, normal) = (transform(Isa::Scalar), Modulus::new(q).inv(degree as u64));
    for input in inputs(degree, q) {
        let (mut expected, mut backward) = (input.clone(), input.clone());
        oracle.forward_assign(&mut expected);
        oracle.inverse_scaled_assign(&mut backward, q - 1);
        for isa in Isa::available() {
            let transform = transform(isa);
            let mut values = input.clone();
            transform.forward_assign(&mut values);
            assert!(values == expected, "{isa:?} modulo {q}, degree {degree}");
            transform.inverse_scaled_assign(&mut values, normal);
            assert!(values == input, "{isa:?} modulo {q}, degree {degree}");
            // Any words are valid evaluations.
            transform.inverse_scaled_assign(&mut values, q - 1);
            assert!(values == backward, "{isa:?} modulo {q}, degree {degree}");
            // From the source to words whose old values do not matter.
            values.fill(u64::MAX);
            transform.inverse_scaled(&mut values, &input, q - 1);
            assert!(values == backward, "{isa:?} modulo {q}, degree {degree}, apart");
        }
    }
}

/// Checks that threads that share the columns and blocks of large transforms write the same words.
#[test]
fn threads_share_a_transform() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
    for degree in [1 << 12, 1 << 13, 1 << 16] {
        for_each_transform(degree, |m, transform, _| {
            let input = random(7, degree, m.value());
            let (mut alone, mut shared) = (input.clone(), input.clone());
            transform.forward_assign(&mut alone);
            pool.install(|| transform.forward_assign(&mut shared));
            assert!(alone == shared, "forward, {m:?}, degree {degree}");
            transform.inverse_scaled(&mut alone, &input, 3);
            pool.install(|| transform.inverse_scaled(&mut shared, &input, 3));
            assert!(alone == shared, "backward, {m:?}, degree {degree}");
        });
    }
}

#[test]
fn transforms_are_linear_and_turn_products_negacyclic() {
    let degree = 128;
    for_each_transform(degree, |m, transform, _| {
        let [a, b] = [1, 2].map(|seed| random(seed, degree, m.value()));
        let mut product = vec![0; degree];
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate() {
                let term = m.mul(a, b);
                let out = &mut product[(i + j) % degree];
                *out = if i + j < degree { m.add(*out, term) } else { m.sub(*out, term) };
            }
        }
        let mut sum: Vec<u64> = a.iter().zip(&b).map(|(&a, &b)| m.add(a, b)).collect();
        let [mut a, mut b] = [a, b];
        for words in [&mut a, &mut b, &mut product, &mut sum] {
            transform.forward_assign(words);
        }
        for i in 0..degree {
            assert_eq!(sum[i], m.add(a[i], b[i]));
            assert_eq!(product[i], m.mul(a[i], b[i]));
        }
    });
}
