//! Helpers for tests of bits: keys, random bits, and errors of slots.
// Each test binary uses only a part of this module.
#![allow(dead_code)]

use cryptable_bits::{BitNoise, EncryptedBits, EvaluationKey, Gate, Parameters, SecretKey};
use cryptable_lattice::Progress;
use rand::{Rng, SeedableRng, rngs::StdRng};

pub struct Setup {
    pub secret: SecretKey,
    pub server: EvaluationKey,
    pub x: Vec<bool>,
    pub y: Vec<bool>,
}

pub fn setup(parameters: &Parameters) -> Setup {
    let _replay = cryptable_ring::random::replay::begin();
    let secret = SecretKey::generate(parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let mut rng = StdRng::seed_from_u64(7);
    let mut bits = || (0..parameters.bits()).map(|_| rng.random()).collect();
    Setup { secret, server, x: bits(), y: bits() }
}

/// Root mean square and largest error.
pub fn errors(secret: &SecretKey, bits: &EncryptedBits, expected: &[bool]) -> (f64, f64) {
    let errors = secret.errors(bits, expected).unwrap();
    let square = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
    (square.sqrt(), errors.iter().fold(0.0, |worst, e| e.abs().max(worst)))
}

pub fn gate(gate: Gate, x: &[bool], y: &[bool]) -> Vec<bool> {
    x.iter().zip(y).map(|(&x, &y)| gate.evaluate(x, y)).collect()
}

/// Checks that log2 of the measured deviation over the predicted one is within an interval, and that no error is beyond
/// the bound of the prediction.
pub fn check_noise(
    what: &str,
    (measured, largest): (f64, f64),
    predicted: BitNoise,
    interval: std::ops::Range<f64>,
) {
    let difference = (measured / predicted.deviation()).log2();
    println!(
        "{what}: 2^{:.2}, 2^{difference:.2} of the prediction, largest 2^{:.2}, bias 2^{:.2}",
        measured.log2(),
        largest.log2(),
        predicted.bias().log2()
    );
    assert!(interval.contains(&difference), "{what}: 2^{difference:.2} of the prediction");
    let bound = predicted.bias() + predicted.law().largest(-30.0);
    assert!(largest <= bound, "{what}: {largest:e}, at most {bound:e} in all but 2^-30");
}
