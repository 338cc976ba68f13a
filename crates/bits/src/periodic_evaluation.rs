//! Periodic functions of phases from the complex exponential: the real part in lines 3 and 4 of Algorithms 2 and 3 of Bae,
//! Cheon, Kim, Stehlé (EUROCRYPT 2024, ePrint 2024/767), for functions of any degree and several at once.
//!
//! | functions | evaluation, z = e^{2πit} | levels after z |
//! |---|---|---|
//! | one of degree 1 | `Re c_1·z`: its phase is merged into z, its size into the scale of the result | 0 |
//! | one of degree 2 | `Re (w + γ)·w` with w = z·e^{iφ}, 2φ the phase of c_2 | 1 |
//! | several of degree 1 | constants, rounded to integers at the scale of a prime | 1 |
//! | several of degree 2, every `c_2` a Gaussian integer times the least one | `z·(n·z) + γ·z`, one product each | 1 |
//! | all others | powers of z, then constants | 1 + log2 of the degree |
//!
//! Several functions share z, which is nearly all of the work.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::bootstrapping::exponential_series::ExponentialSeries;
use num_complex::Complex64;

use crate::periodic_function::PeriodicFunction;

/// How functions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Evaluation {
    /// One of degree 1.
    Linear,
    /// One of degree 2.
    Square,
    /// Degrees 1 and 2, by products; `κ·c_2` is a Gaussian integer for all.
    Products(f64),
    /// Powers and constants.
    Powers,
}

/// Largest Gaussian integer that [`Evaluation::Products`] multiplies by: larger ones would cost precision.
const MAX_FACTOR: f64 = 4.0;

impl Evaluation {
    fn of(functions: &[PeriodicFunction]) -> Self {
        let degree = highest_degree(functions);
        match (functions.len(), degree) {
            (1, 1) => Self::Linear,
            (1, 2) => Self::Square,
            (_, 2) => gaussian_multiples(functions).map_or(Self::Powers, Self::Products),
            _ => Self::Powers,
        }
    }
}

fn highest_degree(functions: &[PeriodicFunction]) -> usize {
    functions.iter().map(PeriodicFunction::degree).max().expect("a function")
}

/// c_2, or 0.
fn second(function: &PeriodicFunction) -> Complex64 {
    function.coefficients().get(2).copied().unwrap_or_default()
}

/// Returns the κ that scales the smallest c_2 to size 1, if all `κ·c_2` are then small Gaussian integers.
fn gaussian_multiples(functions: &[PeriodicFunction]) -> Option<f64> {
    let sizes = functions.iter().map(|f| second(f).norm()).filter(|&size| size > 0.0);
    let factor = 1.0 / sizes.fold(f64::INFINITY, f64::min);
    let is_small_integer = |x: f64| (x - x.round()).abs() < 1e-9 && x.abs() <= MAX_FACTOR;
    let fits = |f: &PeriodicFunction| {
        let c = second(f) * factor;
        is_small_integer(c.re) && is_small_integer(c.im)
    };
    functions.iter().all(fits).then_some(factor)
}

/// Number of levels between the exponential and the functions' results.
pub(crate) fn levels_after_exponential(functions: &[PeriodicFunction]) -> usize {
    match Evaluation::of(functions) {
        Evaluation::Linear => 0,
        Evaluation::Square | Evaluation::Products(_) => 1,
        Evaluation::Powers => 1 + highest_degree(functions).next_power_of_two().ilog2() as usize,
    }
}

/// Evaluates functions on `x = t/K`. `exponential_scale` is the scale of bits where the exponential ends, `scale` that
/// of the results, [`levels_after_exponential`] levels lower.
pub(crate) fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    series: &ExponentialSeries,
    x: &A::Ciphertext,
    functions: &[PeriodicFunction],
    exponential_scale: f64,
    scale: f64,
) -> Vec<A::Ciphertext> {
    let exponential = |phase, scale| series.exponential(arithmetic, x, phase, scale);
    let limbs = arithmetic.limbs(x) - series.levels();
    match Evaluation::of(functions) {
        Evaluation::Linear => {
            let first = functions[0].coefficients()[1];
            let (phase, scale) = (first.arg(), scale * first.norm() / 2.0);
            let w = series.exponential_before_rescale(arithmetic, x, phase, scale);
            vec![finish(arithmetic, w, &functions[0], 2.0 / first.norm())]
        }
        Evaluation::Square => {
            let (first, second) = (functions[0].coefficients()[1], second(&functions[0]));
            let phase = second.arg() / 2.0;
            let wide = scale * second.norm() / 2.0 * arithmetic.prime(limbs - 1);
            let w = exponential(phase, wide.sqrt());
            let mut factor = w.clone();
            let shift = first / second.norm() * Complex64::from_polar(1.0, -phase);
            arithmetic.add_constant_assign(&mut factor, shift);
            // Upper bound of the factor: errors of w are multiplied by as much as w's square and its other factor
            // allow.
            arithmetic.declare_power(&mut factor, (1.0 + shift.norm()).powi(2));
            let product = arithmetic.relinearize(arithmetic.product(&w, &factor), 0);
            vec![finish(arithmetic, product, &functions[0], 2.0 / second.norm())]
        }
        Evaluation::Products(factor) => {
            let wide = scale / (2.0 * factor) * arithmetic.prime(limbs - 1);
            let z = exponential(0.0, wide.sqrt());
            let last = arithmetic.prime(limbs - 1);
            let value = |f: &PeriodicFunction| match f.degree() {
                1 => combination(arithmetic, limbs, scale * last, &[&z], f),
                _ => {
                    let product = square_and_multiple(arithmetic, &z, f, factor);
                    finish(arithmetic, product, f, 2.0 * factor)
                }
            };
            functions.iter().map(value).collect()
        }
        Evaluation::Powers => {
            let powers = powers(arithmetic, exponential(0.0, exponential_scale), functions);
            let powers: Vec<&A::Ciphertext> = powers.iter().collect();
            let least = powers.iter().map(|power| arithmetic.limbs(power)).min().expect("z");
            let wide = scale * arithmetic.prime(least - 1);
            functions.iter().map(|f| combination(arithmetic, least, wide, &powers, f)).collect()
        }
    }
}

/// Powers of z up to the highest one, at the least depth.
fn powers<A: Arithmetic>(
    arithmetic: &A,
    z: A::Ciphertext,
    functions: &[PeriodicFunction],
) -> Vec<A::Ciphertext> {
    let mut powers = vec![z];
    for k in 2..=highest_degree(functions) {
        let mut power = arithmetic.mul(&powers[k.div_ceil(2) - 1], &powers[k / 2 - 1]);
        arithmetic.declare_power(&mut power, 1.0);
        powers.push(power);
    }
    powers
}

/// `κ·(c_2·z² + c_1·z)` before its rescale, where `κ·c_2` is a Gaussian integer.
fn square_and_multiple<A: Arithmetic>(
    arithmetic: &A,
    z: &A::Ciphertext,
    function: &PeriodicFunction,
    factor: f64,
) -> A::Ciphertext {
    let (first, second) = (function.coefficients()[1] * factor, second(function) * factor);
    let mut turned = z.clone();
    arithmetic.mul_imaginary_unit_assign(&mut turned);
    let mut multiple = z.clone();
    arithmetic.mul_integer_assign(&mut multiple, second.re.round() as i64);
    if second.im.round() != 0.0 {
        let mut imaginary = turned.clone();
        arithmetic.mul_integer_assign(&mut imaginary, second.im.round() as i64);
        arithmetic.add_assign(&mut multiple, &imaginary);
    }
    let mut product = arithmetic.product(&multiple, z);
    for (operand, part) in [(z, first.re), (&turned, first.im)] {
        if part != 0.0 {
            arithmetic.product_add_assign(&mut product, operand, part);
        }
    }
    arithmetic.relinearize(product, 0)
}

/// A function as a linear combination of powers of z, with the limbs and scale that it has before a prime is dropped.
fn combination<A: Arithmetic>(
    arithmetic: &A,
    limbs: usize,
    wide: f64,
    powers: &[&A::Ciphertext],
    function: &PeriodicFunction,
) -> A::Ciphertext {
    let powers = &powers[..function.degree()];
    // The sum with the conjugate is twice the real part.
    let row = function.coefficients()[1..].iter().map(|c| c / 2.0).collect();
    let sum = arithmetic.linear_combinations(limbs, powers, &[row], wide).swap_remove(0);
    finish(arithmetic, sum, function, 1.0)
}

/// `c_0 + 2·Re(w)/widening`: w + conj(w), read at a larger scale.
///
/// The last prime is dropped after the conjugation, which also reduces the noise of its key switch.
fn finish<A: Arithmetic>(
    arithmetic: &A,
    mut w: A::Ciphertext,
    function: &PeriodicFunction,
    widening: f64,
) -> A::Ciphertext {
    let conjugate = arithmetic.conjugate(&w);
    arithmetic.add_assign(&mut w, &conjugate);
    let mut w = arithmetic.rescale(w, 1);
    arithmetic.divide_slots_assign(&mut w, widening);
    arithmetic.add_constant_assign(&mut w, Complex64::from(function.mean()));
    arithmetic.declare_power(&mut w, 1.0);
    w
}
