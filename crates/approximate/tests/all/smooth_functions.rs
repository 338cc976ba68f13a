//! Smooth functions in the bootstrap: fits, errors from both sides, inputs outside the interval, plans.

use std::f64::consts::PI;

use cryptable_approximate::{
    Complex64, Grid, LookupPlan, LookupRequest, SlotBounds, SlotFunction, SlotTable, SmoothFunction,
};
use cryptable_lattice::Result;
use cryptable_lattice::cost::CostModel;
use cryptable_ring::random::replay;

use crate::lookups::{Client, INSECURE, SPARSE, check_function, client};

/// A function and its series.
type Case = (fn(f64) -> f64, SmoothFunction);

fn encrypt((secret, _): &Client, values: &[f64]) -> cryptable_approximate::Ciphertext {
    let values: Vec<Complex64> = values.iter().map(|&x| x.into()).collect();
    secret.encrypt_within(&values, SlotBounds::of(&values)).unwrap()
}

/// `x·Φ(x)`, Φ by Simpson's rule.
fn gelu(x: f64) -> f64 {
    let density = |t: f64| (-t * t / 2.0).exp() / (2.0 * PI).sqrt();
    let step = x / 2000.0;
    let inner = (1..2000).map(|i| density(f64::from(i) * step) * f64::from(2 + 2 * (i % 2)));
    let integral = (density(0.0) + density(x) + inner.sum::<f64>()) * step / 3.0;
    x * (0.5 + integral)
}

fn softplus(x: f64) -> f64 {
    x.exp().ln_1p()
}

fn cases(tolerance: f64) -> Result<Vec<Case>> {
    Ok(vec![
        (gelu, SmoothFunction::gelu(8.0, tolerance)?),
        (|x| 1.0 / (1.0 + (-x).exp()), SmoothFunction::sigmoid(8.0, tolerance)?),
        (f64::tanh, SmoothFunction::tanh(4.0, tolerance)?),
        (f64::exp, SmoothFunction::exponential([-2.0, 1.0], tolerance)?),
        (f64::recip, SmoothFunction::reciprocal([0.5, 4.0], tolerance)?),
        (f64::sqrt, SmoothFunction::square_root([0.25, 4.0], tolerance)?),
        (softplus, SmoothFunction::fit(softplus, [-4.0, 6.0], tolerance)?),
        (|x| x, SmoothFunction::fit(|x| x, [-1.0, 1.0], tolerance)?),
    ])
}

/// Slots from one end of an interval to the other, both included, in both parts if they are complex.
fn slots(count: usize, [lower, upper]: [f64; 2], complex: bool) -> Vec<Complex64> {
    let at = |j: usize| lower + (upper - lower) * (j % count) as f64 / (count - 1) as f64;
    (0..count).map(|j| Complex64::new(at(j), if complex { at(7 * j + 5) } else { 0.0 })).collect()
}

/// Evaluates in the bootstrap and returns the ratio of the root mean square of errors to the expected one.
fn check(client: &Client, (f, function): &Case, complex: bool) -> f64 {
    let values = slots(client.1.parameters().slots(), function.interval(), complex);
    let map = |z: &Complex64| Complex64::new(f(z.re), if complex { f(z.im) } else { 0.0 });
    let expected: Vec<_> = values.iter().map(map).collect();
    check_function(client, function, 1, &values, &expected)
}

#[test]
fn insecure_functions_keep_to_their_errors() {
    for case in cases(1e-8).unwrap() {
        for complex in [false, true] {
            let ratio = check(&INSECURE, &case, complex);
            assert!((0.25..1.25).contains(&ratio), "{ratio}");
        }
    }
}

#[test]
fn insecure_functions_of_sparse_slots() {
    for case in &cases(1e-8).unwrap()[..2] {
        for complex in [false, true] {
            let ratio = check(&SPARSE, case, complex);
            assert!((0.25..1.25).contains(&ratio), "{ratio}");
        }
    }
}

/// A coarse series is off by its stated error, and results state it.
#[test]
fn insecure_fit_errors_are_part_of_results() {
    let case: Case = (gelu, SmoothFunction::gelu(8.0, 1e-2).unwrap());
    assert!(case.1.levels() <= 4 && case.1.error() > 1e-4);
    let ratio = check(&INSECURE, &case, false);
    assert!((0.8..1.25).contains(&ratio), "{ratio}");
}

/// The stated distance is not exceeded at a million points, and not much larger than the largest one found there.
#[test]
fn stated_distances_hold() {
    for (tolerance, highest) in [(1e-3, 4), (1e-6, 5), (1e-8, 6)] {
        for (f, function) in cases(tolerance).unwrap() {
            let [lower, upper] = function.interval();
            let count = if function.interval() == [-8.0, 8.0] { 3_000 } else { 1_000_000 };
            let at = |i: usize| lower + (upper - lower) * i as f64 / count as f64;
            let distance = |x: f64| (function.evaluate(x) - f(x)).abs();
            let found = (0..=count).map(at).map(distance).fold(0.0, f64::max);
            println!("{:?}, {tolerance}: {found:e} of {:e}", [lower, upper], function.error());
            assert!(found <= function.error() && function.error() <= tolerance);
            assert!(found > function.error() / 4.0 || function.error() < 1e-10);
            assert!(function.levels() <= highest, "{} levels", function.levels());
            let steepest = (1..count).map(|i| (f(at(i)) - f(at(i - 1))).abs());
            let steepest = steepest.fold(0.0, f64::max) * count as f64 / (upper - lower);
            let slope = function.slope();
            assert!(slope > 0.99 * steepest - 0.1 && slope < 1.4 * steepest + 0.1, "{slope}");
        }
    }
}

/// Inputs outside the interval yield the series' values, within the bounds that results state.
#[test]
fn insecure_inputs_outside_the_interval() {
    let (secret, server) = &*INSECURE;
    let function = SmoothFunction::reciprocal([0.5, 4.0], 1e-5).unwrap();
    let values: Vec<f64> = (0..64).map(|j| f64::from(j) / 8.0 - 4.0).collect();
    let output = server.lookup(&encrypt(&INSECURE, &values), &function).unwrap();
    let found = secret.decrypt_reals(&output).unwrap();
    for (x, y) in values.iter().zip(&found) {
        assert!((y - function.evaluate(*x)).abs() < 1e-3, "{x}: {y}");
        assert!(y.abs() <= output.bounds().re);
    }
    // Unused slots are 0.
    assert!((found[100] - function.evaluate(0.0)).abs() < 1e-3);
}

#[test]
fn functions_of_one_period_share_a_bootstrap() {
    let (secret, server) = &*INSECURE;
    let line = SmoothFunction::fit(|x| x / 8.0, [-8.0, 8.0], 1e-5).unwrap();
    let sigmoid = SmoothFunction::sigmoid(8.0, 1e-5).unwrap();
    let x = encrypt(&INSECURE, &[-3.0, 0.0, 7.5]);
    let error = server.lookup_many(&x, &[&line, &SmoothFunction::tanh(4.0, 1e-5).unwrap()]);
    assert!(error.unwrap_err().to_string().contains("period of a function"));
    if line.period().to_bits() == sigmoid.period().to_bits() {
        let [y, z] = &server.lookup_many(&x, &[&line, &sigmoid]).unwrap()[..] else { panic!() };
        assert!((secret.decrypt_reals(y).unwrap()[2] - 0.9375).abs() < 1e-3);
        assert!((secret.decrypt_reals(z).unwrap()[1] - 0.5).abs() < 1e-3);
    }
    // A table with the same period and first point is evaluated along with it.
    let [lower, upper] = sigmoid.interval();
    let step = sigmoid.period() / 16.0;
    let grid = Grid { first: f64::midpoint(lower, upper), step, count: 16 };
    let table = SlotTable::from_fn(grid, 1, |x| x).unwrap();
    let both = [SlotFunction::from(&table), SlotFunction::from(&sigmoid)];
    let at_point = encrypt(&INSECURE, &[grid.point(3)]);
    let [y, z] = &server.lookup_many(&at_point, &both).unwrap()[..] else { panic!() };
    assert!((secret.decrypt_reals(y).unwrap()[0] - grid.point(3)).abs() < 1e-3);
    let expected = sigmoid.evaluate(grid.point(3));
    assert!((secret.decrypt_reals(z).unwrap()[0] - expected).abs() < 1e-3);
}

#[test]
fn what_cannot_be_fitted_is_refused_by_name_and_limit() {
    let message = |found: Result<SmoothFunction>| found.unwrap_err().to_string();
    let cases = [
        (message(SmoothFunction::fit(|x| x, [1.0, 1.0], 1e-3)), "length of the interval is 0"),
        (message(SmoothFunction::fit(|x| x, [0.0, f64::NAN], 1e-3)), "length of the interval"),
        (message(SmoothFunction::gelu(8.0, 0.0)), "tolerance of a smooth function is 0"),
        (message(SmoothFunction::gelu(8.0, f64::NAN)), "tolerance of a smooth function is NaN"),
        (message(SmoothFunction::fit(f64::abs, [-1.0, 1.0], 1e-6)), "no series of 256"),
        (message(SmoothFunction::fit(f64::ln, [-1.0, 1.0], 1e-3)), "value of a smooth function"),
        (message(SmoothFunction::reciprocal([0.0, 1.0], 1e-3)), "lower end of the interval is 0"),
        (
            message(SmoothFunction::square_root([-1.0, 1.0], 1e-3)),
            "lower end of the interval is -1",
        ),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message}");
    }
    let (secret, server) = &*INSECURE;
    let function = SmoothFunction::tanh(1.0, 1e-5).unwrap();
    let large = secret.encrypt_within(&[], SlotBounds::real(1.5)).unwrap();
    let found = server.lookup(&large, &function).unwrap_err().to_string();
    assert!(found.contains("bound of slots is 1.5") && found.contains("at most 1"), "{found}");
}

/// Errors on slots of a plan at a toy ring are those that it states.
#[test]
fn insecure_plans_hold() {
    let _replay = replay::begin();
    let function = SmoothFunction::gelu(8.0, 1e-7).unwrap();
    let request =
        LookupRequest { precision_bits: 17.0, levels: 1, ..LookupRequest::new(&function) };
    let plan = LookupPlan::insecure_toy(&request).unwrap();
    let best = plan.best();
    assert!(best.precision_bits >= 17.0 && best.prediction.level >= 1);
    println!("{plan}");
    let ratio = check(&client(&best.parameters), &(gelu, function), false);
    assert!((0.25..1.25).contains(&ratio), "{ratio}");
    let asked = LookupRequest { order: Some(1), ..request };
    let error = LookupPlan::new(&asked).unwrap_err().to_string();
    assert!(error.contains("smooth functions have none"), "{error}");
}

/// GELU on 32,768 real slots needs the work that the documentation states.
#[test]
fn gelu_takes_less_than_ten_thousand_units() {
    let best = full_size_gelu();
    let model = CostModel::default();
    let units = model.seconds(&best.work()) / model.unit();
    println!(
        "{units:.0} u, {:.1} bits, {:?}, {:?}",
        best.precision_bits, best.counts, best.prediction
    );
    assert!(units < 9_500.0, "{units}");
}

/// The distance of GELU and its series, small enough that the tolerance of 2^-20 is left to noise.
const GELU_TOLERANCE: f64 = 1.0 / (1u64 << 24) as f64;

fn full_size_gelu() -> cryptable_approximate::LookupCandidate {
    let function = SmoothFunction::gelu(8.0, GELU_TOLERANCE).unwrap();
    let request = LookupRequest {
        precision_bits: 20.0,
        levels: 1,
        ring_degree: Some(1 << 16),
        ..LookupRequest::new(&function)
    };
    let plan = LookupPlan::new(&request).unwrap();
    println!("{plan}{:?}", plan.best().parameters.literal());
    assert!(plan.best().parameters.security_bits() >= 128.0);
    assert_eq!(plan.best().parameters.slots(), 32_768);
    assert!(plan.best().log2_fail() <= -63.99 + 1.0);
    plan.best().clone()
}

#[test]
#[ignore = "full size: half a minute and 5 GB"]
fn full_size_gelu_keeps_to_its_errors() {
    let _replay = replay::begin();
    let client = client(&full_size_gelu().parameters);
    let case = (gelu as fn(f64) -> f64, SmoothFunction::gelu(8.0, GELU_TOLERANCE).unwrap());
    let ratio = check(&client, &case, false);
    assert!((0.25..1.25).contains(&ratio), "{ratio}");
}
