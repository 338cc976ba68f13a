//! Measured noise against what is predicted, for both forms of the TFHE baseline.

use std::ops::Range;

use cryptable_papers::tfhe_baseline::{PrivateFunction, PrivateSwitchingNoise};

/// The mean of the squares of errors.
pub fn mean_square(errors: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) =
        errors.fold((0, 0.0), |(count, sum), error| (count + 1, sum + error * error));
    sum / f64::from(count)
}

/// Demands that a measured variance is a predicted one times a number within limits.
pub fn check(name: &str, measured: f64, predicted: f64, limits: Range<f64>) {
    let ratio = measured / predicted;
    println!("{name}: {ratio:.3} of 2^{:.2}", predicted.log2());
    assert!(limits.contains(&ratio), "{name}: {ratio}");
}

/// Phase of a result, every coefficient of it, minus what the function makes of the input's phase: all fractions of the
/// torus.
pub fn private_errors(
    function: PrivateFunction,
    secret: &[i8],
    phase: f64,
    result: impl Iterator<Item = f64>,
) -> Vec<f64> {
    let expected = |(i, &s): (usize, &i8)| match function {
        PrivateFunction::Identity => phase * f64::from(u8::from(i == 0)),
        PrivateFunction::TimesSecret => phase * f64::from(s),
    };
    let pairs = secret.iter().enumerate().map(expected).zip(result);
    pairs
        .map(|(expected, found)| {
            let difference = found - expected;
            difference - difference.round()
        })
        .collect()
}

/// Demands that private key switches of some 200 inputs, under a binary secret, have the predicted noise. What is rounded
/// away is one error an input, whose variance is known to a tenth of it; rows leave one in every coefficient.
pub fn check_private_switching(
    name: &str,
    errors: impl Fn(PrivateFunction) -> Vec<Vec<f64>>,
    noise: PrivateSwitchingNoise,
) {
    let identity = errors(PrivateFunction::Identity);
    let constant = mean_square(identity.iter().map(|errors| errors[0]));
    let all = noise.rounding + noise.rows;
    check(&format!("{name}, constant coefficient"), constant, all.0, 0.6..1.6);
    let others = mean_square(identity.iter().flat_map(|errors| errors[1..].to_vec()));
    check(&format!("{name}, other coefficients"), others, noise.rows.0, 0.9..1.1);
    let by_secret = mean_square(errors(PrivateFunction::TimesSecret).into_iter().flatten());
    let predicted = noise.rounding * 0.5 + noise.rows;
    check(&format!("{name}, times the secret"), by_secret, predicted.0, 0.6..1.6);
}
