//! Comparisons, maxima and similar operations on packed integers, on toy rings.

use crate::common;

use cryptable_packed::Signedness::{Signed, Unsigned};
use cryptable_packed::{
    Ciphertext, DigitList, EvaluationKey, Operation, Parameters, ParametersLiteral, Progress,
    Request, SecretKey, Signedness,
};
use cryptable_ring::random::replay;

/// Both keys, and integers x and y that cover extremes, neighbours and carries of every digit.
struct Setting {
    secret: SecretKey,
    key: EvaluationKey,
    signedness: Signedness,
    x: Vec<i64>,
    y: Vec<i64>,
}

impl Setting {
    fn new(parameters: &Parameters, signedness: Signedness) -> Self {
        let (secret, key) = common::keys(parameters);
        let range = signedness.range(parameters.input_modulus());
        let (least, most) = (*range.start(), *range.end());
        let size = most - least + 1;
        let mut pairs = vec![(least, most), (most, least), (least, least), (most, most), (0, 0)];
        for i in 0..1024 - pairs.len() as i64 {
            let x = least + (i * 2_654_435_761 + i / 7).rem_euclid(size);
            let y = match i % 4 {
                0 => x,
                1 => (x + 1).min(most),
                2 => (x - (1 << (i % 20))).max(least),
                _ => least + (i * i * 40_503 + 11).rem_euclid(size),
            };
            pairs.push((x, y));
        }
        let (x, y) = pairs.into_iter().unzip();
        Self { secret, key, signedness, x, y }
    }

    fn encrypt(&self, integers: &[i64]) -> Ciphertext {
        let modulus = self.key.parameters().input_modulus();
        self.secret.encrypt(&self.signedness.encode(integers, modulus).unwrap()).unwrap()
    }

    fn operands(&self) -> (Ciphertext, Ciphertext) {
        (self.encrypt(&self.x), self.encrypt(&self.y))
    }

    fn expected<T>(&self, f: impl Fn(i64, i64) -> T) -> Vec<T> {
        self.x.iter().zip(&self.y).map(|(&x, &y)| f(x, y)).collect()
    }

    fn assert_bits(&self, found: &Ciphertext, f: impl Fn(i64, i64) -> bool) {
        let expected = self.expected(|x, y| u64::from(f(x, y)));
        assert_eq!(self.secret.decrypt(found).unwrap(), expected);
    }

    fn assert_integers(&self, found: &DigitList, as_read: Signedness, f: impl Fn(i64, i64) -> i64) {
        let values = self.secret.decrypt_digits(found).unwrap();
        assert_eq!(as_read.decode(&values, found.modulus()), self.expected(f));
        self.assert_noise(found);
    }

    /// Checks that the bound on noise holds, and is not much too large.
    fn assert_noise(&self, found: &DigitList) {
        for digit in found.digits() {
            let values = self.secret.decrypt(digit).unwrap();
            let ratio = common::over_bound(&self.secret, digit, &values);
            assert!((0.002..1.2).contains(&ratio), "{ratio}");
        }
    }

    fn check_all(&self) {
        let (x, y) = self.operands();
        let (key, quiet) = (&self.key, Progress::silent());
        self.assert_bits(&key.less_than(&x, &y, quiet).unwrap(), |x, y| x < y);
        self.assert_bits(&key.greater_or_equal(&x, &y, quiet).unwrap(), |x, y| x >= y);
        self.assert_bits(&key.index_of_larger(&x, &y, quiet).unwrap(), |x, y| y > x);
        self.assert_bits(&key.equal(&x, &y, quiet).unwrap(), |x, y| x == y);
        let as_read = self.signedness;
        self.assert_integers(&key.digit_list(&x, quiet).unwrap(), as_read, |x, _| x);
        self.assert_integers(&key.maximum(&x, &y, quiet).unwrap(), as_read, i64::max);
        self.assert_integers(&key.minimum(&x, &y, quiet).unwrap(), as_read, i64::min);
        let (low, high) = (self.x[7].min(self.x[9]), self.x[7].max(self.x[9]));
        let clamped = key.clamp(&x, low..=high, quiet).unwrap();
        self.assert_integers(&clamped, as_read, |x, _| x.clamp(low, high));
        if as_read == Signed {
            self.assert_bits(&key.is_negative(&x, quiet).unwrap(), |x, _| x < 0);
            self.assert_integers(&key.relu(&x, quiet).unwrap(), Signed, |x, _| x.max(0));
            // The absolute value of the least integer is not a signed integer.
            let absolute = key.absolute_value(&x, quiet).unwrap();
            self.assert_integers(&absolute, Unsigned, |x, _| x.abs());
        }
    }
}

/// A toy with primes to select digits in slots.
fn selecting(digits: &[u64], output_modulus: u64) -> Parameters {
    let toy = Parameters::insecure_toy_digits(digits, output_modulus).unwrap();
    let literal = ParametersLiteral { selection_primes: 2, ..toy.literal().clone() };
    Parameters::new(literal).unwrap()
}

#[test]
fn integers_in_digits() {
    let _replay = replay::begin();
    for bits in [5, 8, 12] {
        let parameters = Parameters::insecure_toy_comparisons(bits).unwrap();
        for signedness in [Unsigned, Signed] {
            Setting::new(&parameters, signedness).check_all();
        }
    }
}

#[test]
fn digits_of_other_sizes_and_no_power_of_two() {
    let _replay = replay::begin();
    for digits in [&[3, 9, 18][..], &[6, 3, 12], &[10, 20]] {
        let largest = *digits.last().unwrap();
        Setting::new(&selecting(digits, largest), Unsigned).check_all();
    }
}

#[test]
fn integers_in_one_table() {
    let _replay = replay::begin();
    for modulus in [64, 128, 60] {
        let parameters = Parameters::insecure_toy(modulus, modulus).unwrap();
        Setting::new(&parameters, Unsigned).check_all();
        Setting::new(&parameters, Signed).check_all();
    }
}

#[test]
fn integers_of_32_bits() {
    let digits = [64, 64, 32, 32, 16, 128];
    assert_eq!(digits.iter().product::<u64>(), 1 << 33);
    let setting = Setting::new(&selecting(&digits, 128), Signed);
    let (x, y) = setting.operands();
    let key = &setting.key;
    setting.assert_bits(&key.less_than(&x, &y, Progress::silent()).unwrap(), |x, y| x < y);
    setting.assert_bits(&key.equal(&x, &y, Progress::silent()).unwrap(), |x, y| x == y);
    let maxima = key.maximum(&x, &y, Progress::silent()).unwrap();
    setting.assert_integers(&maxima, Signed, i64::max);
}

#[test]
fn results_are_inputs_of_lookups() {
    let parameters = Parameters::insecure_toy_comparisons(8).unwrap();
    let setting = Setting::new(&parameters, Unsigned);
    let (x, y) = setting.operands();
    let maxima = setting.key.maximum(&x, &y, Progress::silent()).unwrap();
    assert_eq!(maxima.sizes(), [8, 8, 4]);
    let table = cryptable_packed::Table::from_fn(8, 16, |d| d * d % 16).unwrap();
    let prepared = setting.key.prepare(&table).unwrap();
    let squares = setting.key.lookup_digit(&maxima.digits()[1], &[&prepared], Progress::silent());
    let expected = setting.expected(|x, y| {
        let digit = x.max(y) as u64 / 8 % 8;
        digit * digit % 16
    });
    assert_eq!(setting.secret.decrypt(&squares.unwrap()[0]).unwrap(), expected);
}

#[test]
fn progress_is_that_of_the_whole_and_may_be_cancelled() {
    let parameters = Parameters::insecure_toy_comparisons(5).unwrap();
    let setting = Setting::new(&parameters, Signed);
    let (x, y) = setting.operands();
    let told = common::reports(|progress| setting.key.maximum(&x, &y, progress));
    assert!(told.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 == pair[1].1));
    let last = told[told.len() - 1];
    assert_eq!(last.0, last.1);
    let half = last.1 / 2 + 1;
    let error = common::stopped_after(half, |progress| setting.key.maximum(&x, &y, progress));
    assert!(matches!(error, cryptable_packed::Error::Cancelled { .. }), "{error}");
}

#[test]
fn wrong_arguments_are_named() {
    let parameters = Parameters::insecure_toy_comparisons(8).unwrap();
    let error = Unsigned.encode(&[256], parameters.input_modulus()).unwrap_err().to_string();
    assert!(error.contains("256") && error.contains("from 0 to 255"), "{error}");
    let error = Signed.encode(&[-129], parameters.input_modulus()).unwrap_err().to_string();
    assert!(error.contains("-129") && error.contains("from -128 to 127"), "{error}");
    let setting = Setting::new(&parameters, Signed);
    let (x, key) = (setting.encrypt(&[1]), &setting.key);
    let named = |low, high| key.clamp(&x, low..=high, Progress::silent()).unwrap_err().to_string();
    assert!(named(5, 4).contains("at most the upper bound, 4"));
    assert!(named(-200, 4).contains("from -128 to 255"));
    let error = key.maximum(&x, &setting.encrypt(&[1, 2]), Progress::silent()).unwrap_err();
    assert!(error.to_string().contains("number of values"), "{error}");

    // No primes for products in slots.
    let narrow = Setting::new(&Parameters::insecure_toy_digits(&[8, 8], 8).unwrap(), Unsigned);
    let (x, y) = narrow.operands();
    narrow.assert_bits(&narrow.key.less_than(&x, &y, Progress::silent()).unwrap(), |x, y| x < y);
    let error = narrow.key.maximum(&x, &y, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("no primes for products in slots"), "{error}");
    // Values are processed as a whole, and outputs have another modulus.
    let whole = Setting::new(&Parameters::insecure_toy(16, 2).unwrap(), Unsigned);
    let (x, y) = whole.operands();
    whole.assert_bits(&whole.key.less_than(&x, &y, Progress::silent()).unwrap(), |x, y| x < y);
    let error = whole.key.maximum(&x, &y, Progress::silent()).unwrap_err().to_string();
    assert!(error.contains("output modulus of the parameters is 2"), "{error}");
}

#[test]
#[ignore = "full size: minutes and some GB"]
fn full_size_maximum_of_12_bits() {
    let parameters = Parameters::for_comparisons(12, &Request::new(2, 2)).unwrap();
    let mut setting = Setting::new(&parameters, Signed);
    (setting.x, setting.y) = (setting.x.repeat(64), setting.y.repeat(64));
    let (x, y) = setting.operands();
    assert_eq!(setting.x.len(), 65_536);
    let start = std::time::Instant::now();
    let maxima = setting.key.maximum(&x, &y, Progress::silent()).unwrap();
    println!("maximum of 12 bits: {:?}", start.elapsed());
    setting.assert_integers(&maxima, Signed, i64::max);
    let start = std::time::Instant::now();
    let positive = setting.key.relu(&x, Progress::silent()).unwrap();
    println!("ReLU of 12 bits: {:?}", start.elapsed());
    setting.assert_integers(&positive, Signed, |x, _| x.max(0));
}

#[test]
fn requests_bound_whole_operations() {
    let request = Request::new(2, 2);
    for bits in [12, 39] {
        let parameters = Parameters::for_comparisons(bits, &request).unwrap();
        assert_eq!(parameters.input_modulus(), 2 << bits);
        assert!(parameters.security_bits() >= 128.0);
        for operation in Operation::ALL {
            let failure = parameters.operation_failure(operation).log2();
            assert!(failure <= -64.0, "{operation} of {bits} bits: {failure}");
            assert_eq!(operation.name().parse::<Operation>().unwrap(), operation);
        }
    }
    for (bits, limit) in [(3, "at least 4"), (40, "at most 39")] {
        let error = Parameters::for_comparisons(bits, &request).unwrap_err().to_string();
        assert!(error.contains(limit), "{error}");
    }
    assert!("larger".parse::<Operation>().is_err());
}
