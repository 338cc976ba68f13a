//! Sums, differences and multiples of encrypted values: the tests that all engines share.
//!
//! The parent module names its engine's types, and measures noise.

use std::ops::Range;

use cryptable_lattice::{Error, Progress, Result, Table};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{Ciphertext, EvaluationKey, Parameters, SecretKey, measured_over_bound};

/// A client, its server's key, and a table x ↦ 3x + 1 from p to p.
pub struct Setting {
    pub secret: SecretKey,
    pub key: EvaluationKey,
    pub p: u64,
}

/// Returns the table's output.
pub fn affine(value: u64, p: u64) -> u64 {
    (3 * value + 1) % p
}

impl Setting {
    pub fn new(parameters: &Parameters) -> Self {
        let secret = SecretKey::generate(parameters);
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        Self { secret, key, p: parameters.input_modulus() }
    }

    /// Returns [`affine`] of every value, by a lookup.
    pub fn look_up(&self, x: &Ciphertext) -> Result<Ciphertext> {
        let table = self.key.prepare(&Table::from_fn(self.p, self.p, |v| affine(v, self.p))?)?;
        Ok(self.key.lookup_many(x, &[&table], Progress::silent())?.swap_remove(0))
    }

    /// Computes `terms·x` as a sum, by doubling and adding.
    pub fn sum_of(&self, x: &Ciphertext, terms: u64) -> Result<Ciphertext> {
        let mut sum: Option<Ciphertext> = None;
        for bit in (0..=terms.ilog2()).rev() {
            if let Some(half) = &sum {
                sum = Some(self.key.add(half, half)?);
            }
            if terms >> bit & 1 == 1 {
                sum = Some(match &sum {
                    Some(even) => self.key.add(even, x)?,
                    None => x.clone(),
                });
            }
        }
        Ok(sum.expect("at least one term"))
    }
}

/// Checks all operations on `cases` random lists of values.
pub fn check_operations(settings: &[Setting], cases: u32) {
    for Setting { secret, key, p } in settings {
        let values = || prop::collection::vec(0..*p, 10);
        let mut runner =
            TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(cases) });
        let inputs = (values(), values(), values(), any::<i64>());
        let result = runner.run(&inputs, |(a, b, constants, factor)| {
            let (x, y) = (secret.encrypt(&a).unwrap(), secret.encrypt(&b).unwrap());
            let check = |result: Result<Ciphertext>, of: &dyn Fn(i128, i128, i128) -> i128| {
                let plain = a.iter().zip(&b).zip(&constants);
                let plain = plain.map(|((&a, &b), &c)| {
                    of(a.into(), b.into(), c.into()).rem_euclid((*p).into()) as u64
                });
                let read = Ciphertext::from_bytes(&result.unwrap().to_bytes()).unwrap();
                assert_eq!(secret.decrypt(&read).unwrap(), plain.collect::<Vec<_>>());
                read
            };
            let sum = check(key.add(&x, &y), &|a, b, _| a + b);
            assert!(!sum.is_fresh());
            check(key.sub(&x, &y), &|a, b, _| a - b);
            check(key.negate(&x), &|a, _, _| -a);
            check(key.add_plain(&sum, &constants), &|a, b, c| a + b + c);
            check(key.mul_scalar(&x, factor), &|a, _, _| a * i128::from(factor));
            Ok(())
        });
        result.unwrap();
    }
}

/// Checks that bounds on noise hold and are close to the measured noise, for fresh values and for results of the first
/// `few` of them. For results, log2 of the ratio of measured noise to the bound must be within a range.
pub fn check_bounds(settings: &[Setting], count: u64, few: usize, results: &Range<f64>) {
    for setting in settings {
        let p = setting.p;
        let values: Vec<u64> = (0..count).map(|i| i * 7 % p).collect();
        let times = |factor: u64| values.iter().map(|v| factor * v % p).collect::<Vec<_>>();
        let x = setting.secret.encrypt(&values).unwrap();
        // Errors are exactly multiples of those of the terms, so that the bound is met up to chance and rounding.
        for (ciphertext, factor) in [
            (x.clone(), 1),
            (setting.key.add(&x, &x).unwrap(), 2),
            (setting.key.mul_scalar(&x, -2).unwrap(), p - 2),
            (setting.sum_of(&x, 13).unwrap(), 13),
        ] {
            let ratio = measured_over_bound(&setting.secret, &ciphertext, &times(factor));
            assert!(
                (-0.5..0.2).contains(&ratio),
                "p = {p}, {factor} times: 2^{ratio:.2} of the bound"
            );
        }
        // The bound of results is that of the worst table.
        let few = &values[..few];
        let result = setting.look_up(&setting.secret.encrypt(few).unwrap()).unwrap();
        let multiple = |factor| move |v: &u64| factor * affine(*v, p) % p;
        for (ciphertext, factor) in [
            (result.clone(), 1),
            (setting.key.add(&result, &result).unwrap(), 2),
            (setting.key.mul_scalar(&result, -2).unwrap(), p - 2),
        ] {
            let expected: Vec<u64> = few.iter().map(multiple(factor)).collect();
            let ratio = measured_over_bound(&setting.secret, &ciphertext, &expected);
            assert!(results.contains(&ratio), "p = {p}, {factor} times: 2^{ratio:.2}");
        }
    }
}

/// Checks that the largest admitted sums are correct in every value, and that one more term is refused.
pub fn check_limits(settings: &[Setting], count: u64) {
    for setting in settings {
        let Setting { secret, key, p } = setting;
        let parameters = key.parameters();
        let limits = parameters.sum_limits();
        assert!(limits.fresh_lookup > 1 && limits.result_lookup >= 1, "{limits}");
        let values: Vec<u64> = (0..count).map(|i| i * 7 % p).collect();
        let x = secret.encrypt(&values).unwrap();
        let times = |factor: u64| values.iter().map(|v| factor * v % p).collect::<Vec<_>>();

        let most = x.noise().terms(*p, parameters.stated_log2_fail());
        assert!(most > limits.fresh_lookup, "{most}, {limits}");
        let sum = setting.sum_of(&x, most).unwrap();
        assert_eq!(secret.decrypt(&sum).unwrap(), times(most));
        let error = key.add(&sum, &x).unwrap_err();
        assert!(matches!(error, Error::NoiseTooLarge { found, limit, .. } if found > limit));

        // Lookups of fresh values.
        let sum = setting.sum_of(&x, limits.fresh_lookup).unwrap();
        let sums = times(limits.fresh_lookup);
        let expected: Vec<u64> = sums.iter().map(|&v| affine(v, *p)).collect();
        assert_eq!(secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap(), expected);
        let sum = key.add(&sum, &x).unwrap();
        assert_eq!(secret.decrypt(&sum).unwrap(), times(limits.fresh_lookup + 1));
        let error = setting.look_up(&sum).unwrap_err();
        assert!(matches!(error, Error::NoiseTooLarge { operation: "a lookup", .. }), "{error}");

        // Lookups of results.
        let once = setting.look_up(&x).unwrap();
        let sum = setting.sum_of(&once, limits.result_lookup).unwrap();
        let of_sum = |&v: &u64| affine(limits.result_lookup * affine(v, *p) % p, *p);
        let expected: Vec<u64> = values.iter().map(of_sum).collect();
        assert_eq!(secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap(), expected);
        let error = key.add(&sum, &once).and_then(|sum| setting.look_up(&sum)).unwrap_err();
        assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    }
}

/// Checks that operands that do not belong together are refused, with a toy for tables from 8 to 4.
pub fn check_refusals() {
    let toy = Parameters::insecure_toy(8, 4).unwrap();
    let (own, other) = (Setting::new(&toy), Setting::new(&toy));
    let (key, x) = (&own.key, own.secret.encrypt(&[1, 2]).unwrap());
    let foreign = other.secret.encrypt(&[1, 2]).unwrap();
    for error in [
        key.add(&x, &foreign).unwrap_err(),
        key.sub(&foreign, &x).unwrap_err(),
        key.mul_scalar(&foreign, 2).unwrap_err(),
        key.negate(&foreign).unwrap_err(),
        key.add_plain(&foreign, &[1, 2]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
    let halves = key.prepare(&Table::from_fn(8, 4, |x| x / 2).unwrap()).unwrap();
    let result = key.lookup_many(&x, &[&halves], Progress::silent()).unwrap();
    let mixed = key.add(&x, &result[0]).unwrap_err();
    assert!(mixed.to_string().contains("modulus of the second operand's values"), "{mixed}");
    let count = key.add(&x, &own.secret.encrypt(&[1]).unwrap()).unwrap_err();
    assert!(count.to_string().contains("number of values"), "{count}");
    assert!(matches!(key.add_plain(&x, &[1]).unwrap_err(), Error::Mismatch { .. }));
    let range = key.add_plain(&x, &[1, 8]).unwrap_err();
    assert!(matches!(range, Error::ValueOutOfRange { index: 1, .. }), "{range}");
}
