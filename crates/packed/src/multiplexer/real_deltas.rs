//! The Kronecker deltas of a digit in real slots, from the cosine and the sine of its phase.
//!
//! The delta of k is the Fejér kernel `F_p(θ - 2πk/p)`, `F_p(θ) = (sin(pθ/2)/(p·sin(θ/2)))²`, and
//! `F_{ab}(θ) = F_a(bθ)·F_b(θ)`. So it is the delta of `k mod a` for a digit of `a` values with the phase bθ, times a
//! combination of `2(b - 1)` cosines and sines. Digits of 16 values need 28 relinearizations, and 104 products with
//! constants instead of 480. The last factor of two is a square, `F_2(θ) = cos²(θ/2)`.
//!
//! Cosines and sines of multiples come from products of `cos θ + i·sin θ`. Errors of its modulus grow with the
//! multiple; with Chebyshev's recursion, errors of the cosine would grow with the square of the multiple.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use cryptable_ckks::Arithmetic;
use num_complex::Complex64;

use crate::multiplexer::kronecker_deltas::{cosine_deltas, levels};

/// Approximate number of products with constants that take as long as a relinearization.
const CONSTANTS_PER_RELINEARIZATION: usize = 50;

/// Largest ratio of the amplification of errors of modulus by deltas that are products to that by a single kernel, for
/// digits of up to 64 values.
const GAIN_OF_FACTORS: f64 = 1.38;

/// Ratio of the amplification of errors of modulus by deltas to that by single kernels: 1 in complex slots, where
/// deltas are single kernels.
pub(crate) fn gain_of_factors(real_slots: bool) -> f64 {
    if real_slots { GAIN_OF_FACTORS } else { 1.0 }
}

/// The factor `F_size(multiple·θ - 2πk/rows)` of deltas, for all k below `rows`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Kernel {
    size: u64,
    multiple: u64,
    rows: u64,
}

impl Kernel {
    /// Whether the kernel consists of the squares of a cosine and a sine.
    fn is_square(self) -> bool {
        self.rows == 2 && self.multiple.is_multiple_of(2)
    }

    /// The multiples of the phase that the kernel is made of.
    fn multiples(self) -> impl Iterator<Item = u64> {
        let (first, last) = match self.is_square() {
            true => (self.multiple / 2, self.multiple / 2),
            false => (self.multiple, self.multiple * (self.size - 1)),
        };
        (first..=last).step_by(self.multiple as usize)
    }

    /// Number of levels below the phase.
    fn levels(self) -> usize {
        depth(self.multiples().last().expect("a multiple")) + 1
    }

    /// Factors of cosines and sines of all multiples in row k. The constant is `1/size`.
    fn coefficients(self, k: u64) -> Vec<Complex64> {
        let Self { size, rows, .. } = self;
        let term = |j: u64| {
            let weight = 2.0 * (1.0 - j as f64 / size as f64) / size as f64;
            let (sine, cosine) = (TAU * ((j * k) % rows) as f64 / rows as f64).sin_cos();
            [weight * cosine, weight * sine].map(Complex64::from)
        };
        (1..size).flat_map(term).collect()
    }
}

/// Number of levels of a multiple of a phase.
fn depth(multiple: u64) -> usize {
    multiple.next_power_of_two().ilog2() as usize
}

/// The multiples of a phase that those of the kernels are computed from, including themselves.
fn closure(kernels: &[Kernel]) -> BTreeSet<u64> {
    let mut all = BTreeSet::from([1]);
    let mut open: Vec<u64> = kernels.iter().flat_map(|kernel| kernel.multiples()).collect();
    while let Some(multiple) = open.pop() {
        if all.insert(multiple) {
            open.extend([multiple / 2, multiple.div_ceil(2)]);
        }
    }
    all
}

/// All ways to write the deltas of p values as products of kernels, from the kernel of all rows to that of the fewest
/// rows.
fn factorizations(p: u64, multiple: u64) -> Vec<Vec<Kernel>> {
    let divisors = (2..=p).filter(|&size| p.is_multiple_of(size));
    let of_divisor = |size: u64| {
        let first = Kernel { size, multiple, rows: p };
        let rests = match p / size {
            1 => vec![Vec::new()],
            rest => factorizations(rest, multiple * size),
        };
        rests.into_iter().map(move |rest| [vec![first], rest].concat())
    };
    divisors.flat_map(of_divisor).collect()
}

/// Number of levels of a product of kernels.
fn levels_of(kernels: &[Kernel]) -> usize {
    let own = kernels[0].levels();
    if kernels.len() == 1 { own } else { 1 + own.max(levels_of(&kernels[1..])) }
}

/// The cheapest product of kernels for deltas of p values, within the levels that complex powers use.
fn kernels(p: u64) -> Vec<Kernel> {
    let cost = |kernels: &Vec<Kernel>| {
        let products: u64 = kernels[..kernels.len() - 1].iter().map(|kernel| kernel.rows).sum();
        let squares = kernels.iter().filter(|kernel| kernel.is_square()).count();
        let relinearizations = 2 * (closure(kernels).len() - 1 + squares) + products as usize;
        let constants: u64 = kernels.iter().map(|it| 2 * (it.size - 1) * it.rows).sum();
        CONSTANTS_PER_RELINEARIZATION * relinearizations + constants as usize
    };
    let served = factorizations(p, 1).into_iter().filter(|it| levels_of(it) <= levels(p));
    served.min_by_key(cost).expect("a single kernel has those levels")
}

/// Maximum number of limbs of the ciphertexts that [`real_deltas`] holds at once, if the phase has `limbs`: all
/// multiples, the first kernel before its rescaling, and the product of the others.
pub(crate) fn limbs_in_use(p: u64, limbs: usize) -> usize {
    if p == 2 {
        return 4 * limbs;
    }
    let kernels = kernels(p);
    let multiples: usize = closure(&kernels).iter().map(|&it| limbs - depth(it)).sum();
    let first = kernels[0].rows as usize * (limbs + 1 - kernels[0].levels());
    let others =
        kernels.get(1).map_or(0, |it| it.rows as usize * (limbs - levels_of(&kernels[1..])));
    2 * multiples + first + others
}

/// Computes the deltas of the digits `m` in real slots from `cos(2πm/p)` and `sin(2πm/p)`: p ciphertexts at the scale
/// of their last prime over 2^`spare_bits`, except for p = 2.
///
/// # Panics
/// If p is below 2 or the phase has too few limbs.
pub(crate) fn real_deltas<A: Arithmetic>(
    arithmetic: &A,
    mut phase: [A::Ciphertext; 2],
    p: u64,
    spare_bits: f64,
) -> Vec<A::Ciphertext> {
    if p == 2 {
        let [cosine, _] = phase;
        return cosine_deltas(arithmetic, cosine).into();
    }
    let kernels = kernels(p);
    arithmetic.begin_stage("delta_powers");
    // Errors of both parts of all multiples have one origin.
    phase.iter_mut().for_each(|part| arithmetic.declare_source(part, 0));
    let multiples = multiples(arithmetic, phase, &closure(&kernels));
    arithmetic.begin_stage("deltas");
    // Products have the scale of their last prime, except for the last product, the deltas.
    let scale = |index| if index == 0 { (-spare_bits).exp2() } else { 1.0 };
    let (last, others) = kernels.split_last().expect("a kernel");
    let mut deltas = values(arithmetic, *last, &multiples, None, scale(others.len()));
    for (index, kernel) in others.iter().enumerate().rev() {
        let factors = values(arithmetic, *kernel, &multiples, Some(&deltas[0]), scale(index));
        deltas = arithmetic.map_all(factors.into_iter().enumerate().collect(), |(k, factor)| {
            arithmetic.mul(&deltas[k % deltas.len()], &factor)
        });
        declare_bits(arithmetic, &mut deltas);
    }
    deltas
}

/// Tells a dry run that exactly one of the deltas is 1.
fn declare_bits<A: Arithmetic>(arithmetic: &A, deltas: &mut [A::Ciphertext]) {
    let power = 1.0 / deltas.len() as f64;
    deltas.iter_mut().for_each(|delta| arithmetic.declare_power(delta, power));
}

/// Computes the values of a kernel in all rows, at the scale for which products with `outer` have the scale of their
/// last prime times `factor`.
fn values<A: Arithmetic>(
    arithmetic: &A,
    kernel: Kernel,
    multiples: &BTreeMap<u64, [A::Ciphertext; 2]>,
    outer: Option<&A::Ciphertext>,
    factor: f64,
) -> Vec<A::Ciphertext> {
    if kernel.is_square() {
        let half = &multiples[&(kernel.multiple / 2)];
        let mut squares = half.each_ref().map(|part| arithmetic.mul(part, part));
        declare_bits(arithmetic, &mut squares);
        return squares.into();
    }
    let inputs: Vec<_> = kernel.multiples().flat_map(|multiple| &multiples[&multiple]).collect();
    let limbs = inputs.iter().map(|ct| arithmetic.limbs(ct)).min().expect("a multiple");
    let scale = factor
        * match outer {
            None => arithmetic.prime(limbs - 2),
            Some(outer) => {
                let below = (limbs - 1).min(arithmetic.limbs(outer));
                arithmetic.prime(below - 1) * arithmetic.prime(below - 2) / arithmetic.scale(outer)
            }
        };
    let rows: Vec<_> = (0..kernel.rows).map(|k| kernel.coefficients(k)).collect();
    let sums =
        arithmetic.linear_combinations(limbs, &inputs, &rows, scale * arithmetic.prime(limbs - 1));
    let constant = Complex64::from(1.0 / kernel.size as f64);
    // The mean square over all phases: 1/size² plus half the sum of the squares of coefficients.
    let half_squares: f64 = rows[0].iter().map(|c| c.norm_sqr() / 2.0).sum();
    arithmetic.map_all(sums, |sum| {
        let mut value = arithmetic.rescale(sum, 1);
        arithmetic.add_constant_assign(&mut value, constant);
        arithmetic.declare_power(&mut value, constant.norm_sqr() + half_squares);
        value
    })
}

/// Computes cosines and sines of these multiples of a phase; multiple j is at depth `ceil(log2 j)`.
fn multiples<A: Arithmetic>(
    arithmetic: &A,
    phase: [A::Ciphertext; 2],
    wanted: &BTreeSet<u64>,
) -> BTreeMap<u64, [A::Ciphertext; 2]> {
    let mut found = BTreeMap::from([(1, phase)]);
    let deepest = wanted.last().map_or(0, |&multiple| depth(multiple));
    for level in 1..=deepest {
        let next: Vec<u64> = wanted.iter().copied().filter(|&it| depth(it) == level).collect();
        let products = arithmetic.map_all(next, |multiple| {
            let [high, low] = [multiple.div_ceil(2), multiple / 2].map(|half| &found[&half]);
            (multiple, arithmetic.sum_of_angles(high, low))
        });
        found.extend(products);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The products of kernels at a phase and a modulus, for all k.
    fn products(kernels: &[Kernel], theta: f64, modulus: f64) -> Vec<f64> {
        let power = |j: u64| Complex64::from_polar(modulus.powi(j as i32), j as f64 * theta);
        let value = |kernel: &Kernel, k: u64| {
            if kernel.is_square() {
                let half = power(kernel.multiple / 2);
                return if k == 0 { half.re * half.re } else { half.im * half.im };
            }
            let coefficients = kernel.coefficients(k);
            let terms = coefficients.chunks(2).zip(1..);
            let term = |(c, j): (&[Complex64], u64)| {
                let power = power(kernel.multiple * j);
                c[0].re * power.re + c[1].re * power.im
            };
            terms.map(term).sum::<f64>() + 1.0 / kernel.size as f64
        };
        let product =
            |k: u64| kernels.iter().map(|kernel| value(kernel, k % kernel.rows)).product();
        (0..kernels[0].rows).map(product).collect()
    }

    /// The largest factor by which tables within [-1/2, 1/2] amplify errors of modulus.
    fn largest_gain(kernels: &[Kernel], p: u64) -> f64 {
        let at = |m: u64| {
            let theta = TAU * m as f64 / p as f64;
            let [below, above] = [-1e-6, 1e-6].map(|step| products(kernels, theta, 1.0 + step));
            below.iter().zip(&above).map(|(a, b)| (b - a).abs() / 2e-6 / 2.0).sum()
        };
        (0..p).map(at).fold(0.0, f64::max)
    }

    #[test]
    fn factors_amplify_errors_of_modulus_little_more() {
        for p in (3..=32).chain([48, 64]) {
            let whole = Kernel { size: p, multiple: 1, rows: p };
            let ratio = largest_gain(&kernels(p), p) / largest_gain(&[whole], p);
            assert!((0.999..GAIN_OF_FACTORS).contains(&ratio), "{p}: {ratio}");
        }
    }

    #[test]
    fn products_of_kernels_are_deltas_with_zero_slope() {
        for p in 3..=32 {
            let kernels = kernels(p);
            for m in 0..p {
                let theta = TAU * m as f64 / p as f64;
                let [before, at, after] =
                    [-1e-5, 0.0, 1e-5].map(|step| products(&kernels, theta + step, 1.0));
                for k in 0..p as usize {
                    let expected = f64::from(u8::from(k as u64 == m));
                    assert!((at[k] - expected).abs() < 1e-12, "{kernels:?}, δ_{k}({m})");
                    assert!((after[k] - before[k]).abs() < 1e-9, "{kernels:?}, δ_{k}({m})");
                }
            }
        }
    }

    #[test]
    fn sixteen_values_take_three_factors() {
        let expected = [(4, 1, 16), (2, 4, 4), (2, 8, 2)];
        let found = kernels(16);
        let found: Vec<_> = found.iter().map(|it| (it.size, it.multiple, it.rows)).collect();
        assert_eq!(found, expected);
        assert_eq!(closure(&kernels(16)), BTreeSet::from([1, 2, 3, 4]));
        assert_eq!(kernels(31).len(), 1);
    }
}
