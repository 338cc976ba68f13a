//! PBSmanyLUT (Chillotti, Ligier, Orfila, Tap, ASIACRYPT 2021, "CLOT21", Algorithm 6): several tables by one blind
//! rotation, without amplifying its noise.
//!
//! The phase is rounded to multiples of 2^θ ("sparse rounding" in Wang et al., EUROCRYPT 2024), so that 2^θ test
//! polynomials fit into one: coefficient x + j, for x a multiple of 2^θ, is coefficient x of the j-th polynomial. One
//! rotation brings all results to coefficients 0, …, 2^θ - 1.

use cryptable_lattice::lwe::LweCiphertext;

use crate::keys::evaluation_key::EvaluationKey;
use crate::parameters::Parameters;
use crate::test_polynomial::TestPolynomial;

/// Returns 2^θ, to multiples of which phases are rounded for `count` tests: the next power of two.
#[must_use]
pub fn sparsity(count: usize) -> u64 {
    count.next_power_of_two() as u64
}

/// BootRaw of several test polynomials by sparse rounding: returns one LWE ciphertext per test, modulo Q, of dimension N.
///
/// The input is of dimension n, modulo 2N/2^θ or any larger modulus, with half a slot already added.
///
/// Noise: each result has that of a blind rotation. The phase that is looked up has the noise of a switch to the
/// modulus 2N/2^θ, [`crate::noise::NoiseModel::lwe_modulus_switch`] of [`sparse_modulus`]: 4^θ times the variance of a
/// switch to 2N.
///
/// # Panics
/// If there is no test, there are more than N/2, or the input's dimension is not n.
#[must_use]
pub fn boot_raw_sparse(
    key: &EvaluationKey,
    tests: &[TestPolynomial],
    input: &LweCiphertext,
) -> Vec<LweCiphertext> {
    let ring = key.parameters().ring();
    let step = sparsity(tests.len());
    assert!(
        !tests.is_empty() && step <= ring.degree() as u64 / 2,
        "{} test polynomials",
        tests.len()
    );
    let interleaved = TestPolynomial::from_fn(ring, |x| {
        let (test, phase) = (x % step, x - x % step);
        tests.get(test as usize).map_or(0, |test| test.coefficients()[phase as usize])
    });
    let coarse = key.to_rotation_modulus(input, sparse_modulus(key.parameters(), tests.len()));
    let words = coarse.words().iter().map(|word| word * step).collect();
    let phase = LweCiphertext::from_words(words, key.parameters().rotation_modulus());
    let rotated = key.blind_rotate(&interleaved.to_rlwe(ring), &phase);
    (0..tests.len()).map(|position| rotated.extract(ring, position)).collect()
}

/// Returns 2N/2^θ, the modulus to which [`boot_raw_sparse`] rounds for `count` tests.
#[must_use]
pub fn sparse_modulus(parameters: &Parameters, count: usize) -> u64 {
    parameters.rotation_modulus() / sparsity(count)
}
