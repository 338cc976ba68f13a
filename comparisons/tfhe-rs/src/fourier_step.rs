//! Time of a step of blind rotation by `tfhe-fft`, the transform that tfhe-rs runs on: rows of digits forward, products
//! with a key of two columns, both sums backward and onto an accumulator. Decomposition is not part of it.

use std::time::Duration;

use dyn_stack::{PodBuffer, PodStack};
use tfhe_fft::c64;
use tfhe_fft::unordered::{Method, Plan};

use crate::{Measured, timed};

/// Steps of a run: the least time of them counts.
const STEPS: usize = 50;

/// A ring Z[X]/(X^N + 1) by transforms of N/2 complex numbers.
struct Ring {
    plan: Plan,
    scratch: PodBuffer,
    /// exp(i·pi·j/N)
    twists: Vec<c64>,
}

impl Ring {
    fn new(degree: usize) -> Self {
        let plan = Plan::new(degree / 2, Method::Measure(Duration::from_millis(50)));
        let scratch = PodBuffer::new(plan.fft_scratch());
        let angle = |j: usize| std::f64::consts::PI * j as f64 / degree as f64;
        let twists = (0..degree / 2).map(|j| c64::new(angle(j).cos(), angle(j).sin())).collect();
        Self { plan, scratch, twists }
    }

    fn forward(&mut self, out: &mut [c64], coefficients: &[i64]) {
        let (low, high) = coefficients.split_at(out.len());
        let pairs = low.iter().zip(high).zip(&self.twists);
        for (out, ((&low, &high), twist)) in out.iter_mut().zip(pairs) {
            *out = c64::new(low as f64, high as f64) * twist;
        }
        self.plan.fwd(out, PodStack::new(&mut self.scratch));
    }

    fn add_backward(&mut self, accumulator: &mut [i64], values: &mut [c64]) {
        self.plan.inv(values, PodStack::new(&mut self.scratch));
        let scale = 1.0 / values.len() as f64;
        let (low, high) = accumulator.split_at_mut(values.len());
        let pairs = low.iter_mut().zip(high).zip(&self.twists);
        for (value, ((low, high), twist)) in values.iter().zip(pairs) {
            let value = value * twist.conj() * scale;
            *low = low.wrapping_add(value.re.round() as i64);
            *high = high.wrapping_add(value.im.round() as i64);
        }
    }
}

/// sum += a*b
fn add_product(sum: &mut [c64], a: &[c64], b: &[c64]) {
    for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
        sum.re = a.re.mul_add(b.re, (-a.im).mul_add(b.im, sum.re));
        sum.im = a.re.mul_add(b.im, a.im.mul_add(b.re, sum.im));
    }
}

/// Coefficient 0 of a product modulo X^N + 1.
fn constant_of_product(a: &[i64], b: &[i64]) -> i128 {
    let wrapped = a[1..].iter().zip(b[1..].iter().rev());
    i128::from(a[0]) * i128::from(b[0])
        - wrapped.map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>()
}

pub fn measure(degree: usize, rows: usize, runs: usize) -> Measured {
    let ((mut ring, digits, keys), keygen_s) = timed(|| {
        let mut state = 1_i64;
        let mut draw = |limit: i64| {
            state = state * 48_271 % ((1 << 31) - 1);
            state % (2 * limit) - limit
        };
        let mut poly = |limit| (0..degree).map(|_| draw(limit)).collect::<Vec<i64>>();
        let digits: Vec<Vec<i64>> = (0..rows).map(|_| poly(32)).collect();
        let keys: Vec<Vec<i64>> = (0..2 * rows).map(|_| poly(1 << 24)).collect();
        (Ring::new(degree), digits, keys)
    });
    let half = degree / 2;
    let zero = c64::new(0.0, 0.0);
    let mut prepared = vec![zero; 2 * rows * half];
    for (out, key) in prepared.chunks_exact_mut(half).zip(&keys) {
        ring.forward(out, key);
    }
    let (mut values, mut sums) = (vec![zero; half], vec![zero; 2 * half]);
    let mut step = |accumulator: &mut [i64]| {
        sums.fill(zero);
        let (body, mask) = sums.split_at_mut(half);
        for (digits, key) in digits.iter().zip(prepared.chunks_exact(2 * half)) {
            ring.forward(&mut values, digits);
            add_product(body, &values, &key[..half]);
            add_product(mask, &values, &key[half..]);
        }
        for (sum, out) in [body, mask].into_iter().zip(accumulator.chunks_exact_mut(degree)) {
            ring.add_backward(out, sum);
        }
    };
    let mut accumulator = vec![0_i64; 2 * degree];
    step(&mut accumulator);
    let expected = |column: usize| -> i128 {
        (0..rows).map(|row| constant_of_product(&digits[row], &keys[2 * row + column])).sum()
    };
    let is_wrong = |column: usize| i128::from(accumulator[column * degree]) != expected(column);
    let wrong = (0..2).filter(|&column| is_wrong(column)).count();
    let mut least = || {
        let times = (0..STEPS).map(|_| timed(|| step(&mut accumulator)).1);
        times.fold(f64::INFINITY, f64::min)
    };
    let seconds = (0..runs).map(|_| least()).collect();
    let key_bytes = (prepared.len() * size_of::<c64>()) as u64;
    Measured {
        method: "step of blind rotation by tfhe-fft",
        keygen_s,
        key_bytes,
        seconds,
        wrong,
        checked: runs + 1,
    }
}
