//! Polynomial Hermite interpolation, compared with exact rational arithmetic.

use std::f64::consts::PI;

use cryptable_ckks::polynomial_hermite::HermitePolynomial;
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A fraction in lowest terms.
#[derive(Clone, Debug, PartialEq)]
struct Fraction(BigInt, BigInt);

impl Fraction {
    fn new(numerator: BigInt, denominator: BigInt) -> Self {
        let (mut a, mut b) = (numerator.abs(), denominator.abs());
        while !b.is_zero() {
            (a, b) = (b.clone(), a % b);
        }
        let sign = if denominator.is_negative() { -BigInt::one() } else { BigInt::one() };
        Self(numerator / &a * &sign, denominator / a * sign)
    }

    /// The exact value of a double.
    fn of(x: f64) -> Self {
        let (mut x, mut bits) = (x, 0);
        while x.fract() != 0.0 {
            (x, bits) = (x * 2.0, bits + 1);
        }
        Self::new(BigInt::from(x as i128), BigInt::one() << bits)
    }

    fn add(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.1 + &other.0 * &self.1, &self.1 * &other.1)
    }

    fn mul(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.0, &self.1 * &other.1)
    }

    fn sub(&self, other: &Self) -> Self {
        self.add(&Self(-&other.0, other.1.clone()))
    }

    fn div(&self, other: &Self) -> Self {
        Self::new(&self.0 * &other.1, &self.1 * &other.0)
    }

    fn to_f64(&self) -> f64 {
        // 200 bits after the point, then a division by a power of two.
        let shifted = (&self.0 << 200usize) / &self.1;
        shifted.to_f64().unwrap() * (-200f64).exp2()
    }
}

/// Newton's form by divided differences of points that each occur `order + 1` times, with vanishing derivatives.
struct Newton {
    nodes: Vec<Fraction>,
    differences: Vec<Fraction>,
}

impl Newton {
    fn new(points: &[f64], values: &[f64], order: usize) -> Self {
        let repeat = |x: &f64| vec![Fraction::of(*x); order + 1];
        let nodes: Vec<_> = points.iter().flat_map(repeat).collect();
        let mut column: Vec<_> = values.iter().flat_map(repeat).collect();
        let mut differences = vec![column[0].clone()];
        for width in 1..nodes.len() {
            let next = (0..nodes.len() - width).map(|i| {
                let step = nodes[i + width].sub(&nodes[i]);
                if step.0.is_zero() {
                    return Fraction::of(0.0);
                }
                column[i + 1].sub(&column[i]).div(&step)
            });
            column = next.collect();
            differences.push(column[0].clone());
        }
        Self { nodes, differences }
    }

    fn evaluate(&self, x: &Fraction) -> Fraction {
        let pairs = self.differences.iter().zip(&self.nodes).rev();
        pairs.fold(Fraction::of(0.0), |sum, (c, node)| sum.mul(&x.sub(node)).add(c))
    }
}

/// Points, values and an order.
type Case = (Vec<f64>, Vec<f64>, usize);

fn cases() -> Vec<Case> {
    let equidistant =
        |p: usize| (0..p).map(|k| 2.0 * k as f64 / (p - 1) as f64 - 1.0).collect::<Vec<_>>();
    // Zeros of Chebyshev polynomials, with few bits: fractions stay short.
    let zero = |p: usize, k: usize| ((2 * k + 1) as f64 * PI / (2 * p) as f64).cos();
    let zeros = |p: usize| (0..p).map(|k| (zero(p, k) * 256.0).round() / 256.0).collect();
    let values =
        |p: usize| (0..p).map(|k| ((k * k * 37 + 11 * k) % 17) as f64 / 8.0 - 1.0).collect();
    vec![
        (vec![0.25], vec![3.0], 4),
        (vec![0.0, 1.0], vec![0.0, 1.0], 1),
        (vec![-1.0, 1.0], vec![-1.0, 1.0], 6),
        (vec![0.5, -0.75, 0.0, 1.0, -0.125], values(5), 0),
        (vec![0.5, -0.75, 0.0, 1.0, -0.125], values(5), 3),
        (equidistant(5), values(5), 2),
        (equidistant(9), values(9), 3),
        (zeros(12), values(12), 3),
        (zeros(24), values(24), 1),
        (zeros(7), vec![1.0; 7], 5),
    ]
}

#[test]
fn polynomials_are_those_of_exact_arithmetic() {
    for (points, values, order) in cases() {
        let found = HermitePolynomial::new(&points, &values, order).unwrap();
        let exact = Newton::new(&points, &values, order);
        assert_eq!(found.series().coefficients.len(), points.len() * (order + 1));
        let mut largest: f64 = 0.0;
        let mut relative: f64 = 0.0;
        for i in -16..=16 {
            let x = f64::from(i) / 16.0;
            let expected = exact.evaluate(&Fraction::of(x)).to_f64();
            largest = largest.max(expected.abs());
            let by_products = (found.evaluate(x) - expected).abs();
            let by_series = (found.series().evaluate(x).re - expected).abs();
            relative = relative.max(by_products.max(by_series) / found.magnitude());
        }
        let name = format!("{} points of order {order}", points.len());
        // A few roundings per point, independent of the condition of the points.
        let limit = 4e-16 * found.series().coefficients.len() as f64;
        assert!(relative < limit, "{name}: {relative:e} above {limit:e}");
        // The basis is well-conditioned: coefficients are no larger than the polynomial is.
        let factor = found.magnitude() / largest;
        assert!((0.9..20.0).contains(&factor), "{name}: magnitude {factor}");
    }
}

#[test]
fn errors_leave_with_the_power_of_the_order_from_both_sides() {
    // Constants leave no error at all.
    let varies = |values: &[f64]| values.iter().any(|value| *value != values[0]);
    for (points, values, order) in cases().into_iter().filter(|(_, f, m)| *m > 0 && varies(f)) {
        let found = HermitePolynomial::new(&points, &values, order).unwrap();
        let exact = Newton::new(&points, &values, order);
        let coefficients = found.error_coefficients();
        let largest = coefficients.iter().fold(0f64, |a, c| a.max(c.abs()));
        // Small enough that the next power is negligible in exact arithmetic.
        let epsilon = (-24f64).exp2();
        for (k, &point) in points.iter().enumerate() {
            let x = Fraction::of(point).add(&Fraction::of(epsilon));
            let error = exact.evaluate(&x).sub(&Fraction::of(values[k]));
            let scaled = (0..=order).fold(error, |e, _| e.div(&Fraction::of(epsilon))).to_f64();
            let (c, close) = (coefficients[k], 1e-3 * largest);
            assert!((scaled - c).abs() <= close, "order {order}, point {k}: {scaled} and {c}");
        }
        // Where the power dominates and doubles still resolve it, the largest deviation is that of the worst point.
        let epsilon = (1e-9 / largest).powf(1.0 / (order + 1) as f64);
        let ratio = found.largest_deviation(epsilon) / 1e-9;
        assert!((0.8..1.25).contains(&ratio), "order {order}: {ratio}");
        // E ε^(2M + 2) = (2M + 1)!!·σ^(2M + 2), on average over the points.
        let moment: f64 = (0..=order).map(|i| (2 * i + 1) as f64).product();
        let mean = coefficients.iter().map(|c| c * c).sum::<f64>() / points.len() as f64;
        let sigma = epsilon / 4.0;
        let expected = mean * moment * sigma.powi(2 * order as i32 + 2);
        let ratio = found.mean_square_deviation(sigma * sigma) / expected;
        assert!((0.6..1.7).contains(&ratio), "order {order}: mean square {ratio}");
    }
}

#[test]
fn bad_input_is_refused_by_name_and_limit() {
    let error = |points: &[f64], values: &[f64], order| {
        HermitePolynomial::new(points, values, order).unwrap_err().to_string()
    };
    let cases = [
        (error(&[], &[], 1), "number of points is 0"),
        (error(&[0.0], &[0.0, 1.0], 1), "number of values is 2"),
        (error(&[0.0, 0.0], &[0.0, 1.0], 1), "it must be there once only"),
        (error(&[0.0, 1.5], &[0.0, 1.0], 1), "1.5"),
        (error(&[0.0, f64::NAN], &[0.0, 1.0], 1), "from -1 to 1"),
        (error(&[0.0, 1.0], &[0.0, f64::INFINITY], 1), "finite"),
        (error(&[0.0, 1.0], &[0.0, 1.0], 16), "at most 15"),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message}");
    }
}
