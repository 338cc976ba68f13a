//! Errors of ciphertexts made by public keys, and the norms that bound them for every key.
//!
//! The phase of a ciphertext has the error `e·v + e_0 + e_1·s` (`ring_public_key`, `coefficient_ciphertext`). For a
//! fixed key, `e·v` and `e_1·s` are sums of N independent symmetric terms `e_i·v_j` and `(e_1)_i·s_j`. Uniform ternary
//! and centred binomial variables are strictly subgaussian: `E[exp(λv)] <= exp(λ²·Var(v)/2)`. The moment-generating
//! function of the sum is therefore at most that of a Gaussian of variance `(2/3)·|e|² + 10.5·|s|² + 10.5`, at every
//! distance, and the Gaussian tail is an upper bound. The key fixes both norms; generation keeps them within 1.25 of
//! their means. [`Owners::public_error_variance`](crate::Owners::public_error_variance) states the result for a key of
//! one owner or several.

use crate::ERROR_VARIANCE;
use crate::error::{Error, Result};
use crate::owners::{NORM_SLACK, Owners};
use cryptable_ring::random::RandomStream;
use zeroize::Zeroizing;

/// Checks that a secret's norm is within the bound on noise.
///
/// # Errors
/// [`Error::Unsupported`] if not, which happens to fewer than one secret in 2^80 from degree 1,024 on.
pub(crate) fn check_norm(secret: &[i8]) -> Result<()> {
    if !norm_is_bounded(secret) {
        let what = "a public key of this secret, whose norm is too large: generate another";
        return Err(Error::Unsupported(what.into()));
    }
    Ok(())
}

/// Returns whether a secret's norm is within the bound on noise.
pub(crate) fn norm_is_bounded(secret: &[i8]) -> bool {
    let mean = Owners::ONE.secret_variance() * secret.len() as f64;
    squared_norm(secret) <= NORM_SLACK * mean
}

/// Draws the error of a public key, whose squared norm is within the bound on noise.
pub(crate) fn bounded_error(degree: usize, stream: &mut RandomStream) -> Zeroizing<Vec<i8>> {
    loop {
        let error = stream.centered_binomial(degree);
        if squared_norm(&error) <= NORM_SLACK * ERROR_VARIANCE * degree as f64 {
            return error;
        }
    }
}

/// Returns the sum of squares of some coefficients.
fn squared_norm(coefficients: &[i8]) -> f64 {
    let squares = coefficients.iter().map(|&c| i64::from(c) * i64::from(c));
    squares.sum::<i64>() as f64
}
