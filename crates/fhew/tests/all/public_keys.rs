//! Values under public keys: their noise before and after the switch to the LWE secret, compared with its law from both
//! sides.

use std::ops::Range;

use cryptable_fhew::lookup::{Ciphertext, Parameters, Request, SecretKey};
use cryptable_fhew::test_polynomial::encode;
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, Progress, ReadOptions};

/// Numbers of ciphertexts, each one ring element, and of values per ciphertext: enough errors for a deviation of 2.2 % of
/// their variance.
///
/// Errors of a ring element depend on each other. A binary secret has a mean, which multiplies only the lowest frequencies of
/// the fresh error: one of them has a fifth of the variance.
const CIPHERTEXTS: usize = 128;
const VALUES: usize = 32;

/// Returns the errors of a ciphertext's phases.
fn errors(secret: &SecretKey, of: &Ciphertext, expected: &[u64]) -> Vec<f64> {
    let q = of.values().shape().modulus;
    let error = |(index, &value): (usize, &u64)| {
        let phase = encode(value, of.modulus(), q);
        secret.fhew().phase_error(&of.values().ciphertext(index), phase).unwrap()
    };
    expected.iter().enumerate().map(error).collect()
}

/// Checks the ratio of the variance of errors to that of the bound, and their kurtosis, which is 3 for sums of very many
/// terms.
fn check_noise(errors: &[f64], deviation: f64, ratios: Range<f64>) {
    let moment = |k| errors.iter().map(|e| e.powi(k)).sum::<f64>() / errors.len() as f64;
    let ratio = moment(2) / deviation.powi(2);
    assert!(ratios.contains(&ratio), "ratio of variances {ratio}");
    let kurtosis = moment(4) / moment(2).powi(2);
    assert!((2.7..3.3).contains(&kurtosis), "kurtosis {kurtosis}");
}

#[test]
fn noise_is_as_large_as_its_law_at_full_size() {
    for p in [4, 16, 15] {
        let secret = SecretKey::generate(&Parameters::choose(&Request::new(p, p)).unwrap());
        let public = secret.public_key().unwrap();
        let key = secret.evaluation_key(Progress::silent()).unwrap();
        let values: Vec<u64> = (0..VALUES as u64).map(|i| i * i % p).collect();
        let (mut fresh, mut switched) = (Vec::new(), Vec::new());
        let mut deviations = [0.0; 2];
        for _ in 0..CIPHERTEXTS {
            let input = public.encrypt(&values).unwrap();
            assert_eq!(secret.decrypt(&input).unwrap(), values);
            fresh.extend(errors(&secret, &input, &values));
            let output = key.export(&input).unwrap();
            assert_eq!(secret.decrypt(&output).unwrap(), values);
            switched.extend(errors(&secret, &output, &values));
            deviations = [input.noise().deviation(), output.noise().deviation()];
        }
        // Norms of key and secret are near their means, and bounded by 1.25 times the means; binary secrets have three
        // quarters of the norm of ternary ones.
        check_noise(&fresh, deviations[0], 0.6..0.9);
        check_noise(&switched, deviations[1], 0.75..1.1);
    }
}

#[test]
fn lists_are_compact_and_come_back_from_bytes() {
    let secret = SecretKey::generate(&Parameters::insecure_toy(8, 8).unwrap());
    let public = secret.public_key().unwrap();
    let degree = secret.parameters().ring_degree();
    let bytes = |count: usize| public.encrypt(&vec![5; count]).unwrap().to_bytes();
    let (one, full, more) = (bytes(1).len(), bytes(degree).len(), bytes(degree + 1).len());
    // One more value of a ring element adds a word; the first value of the next ring element also adds a mask.
    let word = (full - one) as f64 / (degree - 1) as f64;
    assert!((more - full) as f64 > 0.9 * word * degree as f64, "{one} {full} {more}");
    let input = public.encrypt(&[1, 2, 3]).unwrap();
    let read = Ciphertext::from_bytes(&input.to_bytes()).unwrap();
    assert_eq!(read, input);
    assert!(read.is_compact() && read.is_fresh());
    // Parts have masks of their own.
    let piece = Ciphertext::from_bytes(&read.slice(1..3).to_bytes()).unwrap();
    assert_eq!(secret.decrypt(&piece).unwrap(), [2, 3]);
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    assert_eq!(secret.decrypt(&key.add(&piece, &piece).unwrap()).unwrap(), [4, 6]);
    check_refusals(&input.to_bytes(), 7, Ciphertext::from_bytes);
}

#[test]
fn keys_of_others_are_refused() {
    let parameters = Parameters::insecure_toy(8, 8).unwrap();
    let (secret, other) = (SecretKey::generate(&parameters), SecretKey::generate(&parameters));
    let input = other.public_key().unwrap().encrypt(&[1]).unwrap();
    let error = secret.decrypt(&input).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    assert!(matches!(key.mul_scalar(&input, 2), Err(Error::OtherClient { .. })));
    let bytes = other.public_key().unwrap().to_bytes();
    let options = ReadOptions::default().allow_insecure();
    let read = cryptable_fhew::lookup::PublicKey::from_bytes(&bytes, options).unwrap();
    assert_eq!((read.id(), read.to_bytes()), (other.id(), bytes));
}
