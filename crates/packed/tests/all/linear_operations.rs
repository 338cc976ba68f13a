//! Sums, differences and multiples of packed values: exact, within the bound on their noise, and refused beyond it.

use crate::common;

use cryptable_packed::{
    Ciphertext, Error, EvaluationKey, MultiplexerLiteral, Parameters, Progress, Request, SecretKey,
    Table,
};
use cryptable_ring::random::replay;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A client, its server's key, and a table x ↦ 3x + 1 from p to p.
struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
    p: u64,
}

fn affine(value: u64, p: u64) -> u64 {
    (3 * value + 1) % p
}

impl Setting {
    fn new(parameters: &Parameters) -> Self {
        let (secret, key) = common::keys(parameters);
        Self { secret, key, p: parameters.input_modulus() }
    }

    fn affine(&self, value: u64) -> u64 {
        affine(value, self.p)
    }

    /// [`Setting::affine`] of every value, by a lookup.
    fn look_up(&self, x: &Ciphertext) -> Result<Ciphertext, Error> {
        let table = Table::from_fn(self.p, self.p, |value| self.affine(value))?;
        self.key.lookup(x, &self.key.prepare(&table)?, Progress::silent())
    }

    /// Returns as many distinct values as there are slots.
    fn values(&self) -> Vec<u64> {
        (0..self.secret.values_per_ciphertext() as u64).map(|i| i * 7 % self.p).collect()
    }

    /// `terms·x` as a sum, by doubling and adding.
    fn sum_of(&self, x: &Ciphertext, terms: u64) -> Result<Ciphertext, Error> {
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

    /// log2 of the measured deviation over the bound, its bias included.
    fn measured_over_bound(&self, x: &Ciphertext, expected: &[u64]) -> f64 {
        common::over_bound(&self.secret, x, expected).log2()
    }
}

fn toys() -> Vec<Setting> {
    let tree = |digits: &[u64]| MultiplexerLiteral {
        selectors: vec![1; digits.len()],
        digits: digits.to_vec(),
        ..Default::default()
    };
    [
        Parameters::insecure_toy(16, 16),
        Parameters::insecure_toy(10, 10),
        Parameters::insecure_toy_tree(16, 1024, 1024, tree(&[4, 4]), 0),
    ]
    .map(|toy| Setting::new(&toy.unwrap()))
    .into()
}

#[test]
fn operations_are_those_of_integers_modulo_p() {
    let _replay = replay::begin();
    for setting in toys() {
        let Setting { secret, key, p, .. } = &setting;
        let values = || prop::collection::vec(0..*p, 20);
        let mut runner =
            TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(40) });
        let inputs = (values(), values(), values(), any::<i64>());
        let result = runner.run(&inputs, |(a, b, constants, factor)| {
            let (x, y) = (secret.encrypt(&a).unwrap(), secret.encrypt(&b).unwrap());
            let check = |result: Result<Ciphertext, Error>,
                         of: &dyn Fn(i128, i128, i128) -> i128| {
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

#[test]
fn bounds_hold_and_are_near_what_is_measured() {
    let _replay = replay::begin();
    for setting in toys() {
        let p = setting.p;
        let values = setting.values();
        let times = |factor: u64| values.iter().map(|v| factor * v % p).collect::<Vec<_>>();
        let x = setting.secret.encrypt(&values).unwrap();
        // Errors are those of the sum's terms exactly, so that the bound is met but for chance and rounding.
        for (ciphertext, factor) in [
            (x.clone(), 1),
            (setting.key.add(&x, &x).unwrap(), 2),
            (setting.key.mul_scalar(&x, 5).unwrap(), 5),
            (setting.sum_of(&x, 29).unwrap(), 29),
        ] {
            let ratio = setting.measured_over_bound(&ciphertext, &times(factor));
            assert!(
                (-0.5..0.2).contains(&ratio),
                "p = {p}, {factor} times: 2^{ratio:.2} of the bound"
            );
        }
        // Results: the bound has the bias of the worst table, of an exponential that toys approximate coarsely.
        let result = setting.look_up(&x).unwrap();
        let multiple = |factor| move |v: &u64| factor * affine(*v, p) % p;
        for (ciphertext, factor) in [
            (result.clone(), 1),
            (setting.key.add(&result, &result).unwrap(), 2),
            (setting.key.mul_scalar(&result, -3).unwrap(), p - 3),
        ] {
            let expected: Vec<u64> = values.iter().map(multiple(factor)).collect();
            let ratio = setting.measured_over_bound(&ciphertext, &expected);
            assert!((-6.0..0.1).contains(&ratio), "p = {p}, {factor} times: 2^{ratio:.2}");
        }
    }
}

/// The largest sums that are admitted come out right in every value; one term more is refused.
#[test]
fn sums_are_right_up_to_their_limit_and_refused_beyond() {
    let _replay = replay::begin();
    for setting in toys() {
        let Setting { secret, key, p } = &setting;
        let (parameters, values) = (key.parameters(), setting.values());
        let limits = parameters.sum_limits();
        assert!(limits.fresh_lookup > 1 && limits.result_lookup > 1, "{limits}");
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
        let result = secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap();
        let sums = times(limits.fresh_lookup);
        assert_eq!(result, sums.iter().map(|&v| setting.affine(v)).collect::<Vec<_>>());
        let sum = key.add(&sum, &x).unwrap();
        assert_eq!(secret.decrypt(&sum).unwrap(), times(limits.fresh_lookup + 1));
        let error = setting.look_up(&sum).unwrap_err();
        assert!(matches!(error, Error::NoiseTooLarge { operation: "a lookup", .. }), "{error}");

        // Lookups of results.
        let once = setting.look_up(&x).unwrap();
        let sum = setting.sum_of(&once, limits.result_lookup).unwrap();
        let expected: Vec<u64> = values
            .iter()
            .map(|&v| setting.affine(limits.result_lookup * setting.affine(v) % p))
            .collect();
        assert_eq!(secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap(), expected);
        let error = key.add(&sum, &once).and_then(|sum| setting.look_up(&sum)).unwrap_err();
        assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    }
}

#[test]
fn operands_that_do_not_belong_together_are_refused() {
    let toy = Parameters::insecure_toy(16, 8).unwrap();
    let (own, other) = (Setting::new(&toy), Setting::new(&toy));
    let x = own.secret.encrypt(&[1, 2]).unwrap();
    let key = &own.key;
    let foreign = other.secret.encrypt(&[1, 2]).unwrap();
    for error in [
        key.add(&x, &foreign).unwrap_err(),
        key.sub(&foreign, &x).unwrap_err(),
        key.negate(&foreign).unwrap_err(),
        key.add_plain(&foreign, &[1, 2]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
    let table = key.prepare(&Table::from_fn(16, 8, |x| x / 2).unwrap()).unwrap();
    let result = key.lookup(&x, &table, Progress::silent()).unwrap();
    let mixed = key.add(&x, &result).unwrap_err();
    assert!(mixed.to_string().contains("modulus of the second operand's values"), "{mixed}");
    let longer = own.secret.encrypt(&[1, 2, 3]).unwrap();
    let count = key.add(&x, &longer).unwrap_err();
    assert!(count.to_string().contains("number of values"), "{count}");
    assert!(matches!(key.add_plain(&x, &[1]).unwrap_err(), Error::Mismatch { .. }));
    let range = key.add_plain(&x, &[1, 16]).unwrap_err();
    assert!(matches!(range, Error::ValueOutOfRange { index: 1, .. }), "{range}");
}

/// A file may claim any noise: less than any ciphertext has, or more than decrypts, is refused by whoever uses it.
#[test]
fn impossible_claims_of_noise_are_refused() {
    use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, ObjectType, write_object};
    let setting = Setting::new(&Parameters::insecure_toy(16, 16).unwrap());
    let x = setting.secret.encrypt(&[1, 2]).unwrap();
    let bytes = x.to_bytes();
    let claim = |deviation: f64| {
        let mut body = bytes[HEADER_BYTES..bytes.len() - CHECKSUM_BYTES].to_vec();
        body[16..24].copy_from_slice(&deviation.to_le_bytes());
        let mut forged = Vec::new();
        let object_type = ObjectType::PackedCiphertext;
        write_object(&mut forged, object_type, &x.parameter_digest(), &body).unwrap();
        Ciphertext::from_bytes(&forged)
    };
    let fresh = x.noise().deviation();
    assert_eq!(claim(fresh).unwrap(), x);
    let less = claim(fresh / 2.0).unwrap();
    let more = claim(0.1).unwrap();
    for (forged, is_less) in [(&less, true), (&more, false)] {
        for error in [
            setting.secret.decrypt(forged).unwrap_err(),
            setting.look_up(forged).unwrap_err(),
            setting.key.add(forged, &x).unwrap_err(),
        ] {
            assert_eq!(matches!(error, Error::Mismatch { .. }), is_less, "{error}");
            assert_eq!(matches!(error, Error::NoiseTooLarge { .. }), !is_less, "{error}");
        }
    }
    for deviation in [f64::NAN, f64::INFINITY, -fresh, 1.0] {
        assert!(matches!(claim(deviation).unwrap_err(), Error::Wire(_)), "{deviation}");
    }
}

/// 128-bit parameters, every slot used: the largest sum of results that is admitted, looked up again.
#[test]
#[ignore = "slow: run by make test-all"]
fn sums_of_results_at_full_size() {
    let _replay = replay::begin();
    let setting = Setting::new(&Parameters::choose(&Request::new(16, 16)).unwrap());
    let limits = setting.key.parameters().sum_limits();
    println!("{limits}");
    assert!(limits.result_lookup > 10 && limits.lookups_in_a_row.is_none(), "{limits}");
    let values = setting.values();
    let once = setting.look_up(&setting.secret.encrypt(&values).unwrap()).unwrap();
    let sum = setting.sum_of(&once, limits.result_lookup).unwrap();
    let result = setting.secret.decrypt(&setting.look_up(&sum).unwrap()).unwrap();
    let of_sum = |&v: &u64| setting.affine(limits.result_lookup * setting.affine(v) % 16);
    assert_eq!(result, values.iter().map(of_sum).collect::<Vec<_>>());
    let expected: Vec<u64> =
        values.iter().map(|&v| limits.result_lookup * setting.affine(v) % 16).collect();
    let ratio = setting.measured_over_bound(&sum, &expected);
    println!("measured 2^{ratio:.2} of the bound");
    assert!((-4.0..0.0).contains(&ratio), "2^{ratio:.2} of the bound");
}
