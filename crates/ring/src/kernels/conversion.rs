//! Conversion of words to residues of another modulus.

use crate::{Isa, Modulus};

/// `out = input mod q` for words below `2^62`.
///
/// # Panics
/// If lengths differ.
pub fn reduce(m: &Modulus, out: &mut [u64], input: &[u64]) {
    assert_eq!(out.len(), input.len());
    dispatch!(of m, [avx512: avx512], reduce(m, out, input));
}

/// Converts residues modulo `m_in`, read as integers in `[-(q_in-1)/2, (q_in-1)/2]`, to residues modulo `m_out`.
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let mut out = [0; 2];
/// kernels::lift_centered(&Modulus::new(97), &mut out, &[3, 16], &Modulus::new(17));
/// assert_eq!(out, [3, 96]);
/// ```
///
/// # Panics
/// If lengths differ.
pub fn lift_centered(m_out: &Modulus, out: &mut [u64], input: &[u64], m_in: &Modulus) {
    assert_eq!(out.len(), input.len());
    dispatch!(of m_out, [avx512: avx512], lift_centered(m_out, out, input, m_in));
}

/// `out = input mod q` for any signed words.
///
/// # Panics
/// If lengths differ.
pub fn from_signed(m: &Modulus, out: &mut [u64], input: &[i64]) {
    assert_eq!(out.len(), input.len());
    dispatch!(m.isa(), [avx512: avx512], from_signed(m, out, input));
}

/// `out[i] = round(Σ_k ys[k][i]·inverses[k])` in double precision: the overflow count of exact base
/// conversion.
///
/// Words must be below `2^63`, and sums in `[0, 2^51)`. On every instruction set, operations and their order are those
/// of the loop `sum += y as f64 * inverse` followed by `floor(sum + 0.5)`, so results agree to the bit.
///
/// # Panics
/// If the number of inverses is not that of inputs, or the processor lacks `isa`.
///
/// ```
/// use cryptable_ring::{Isa, kernels::fractions_round};
/// let mut out = [0; 2];
/// fractions_round(Isa::detect(), &mut out, &[&[3, 9], &[10, 4]], &[0.1, 0.125]);
/// assert_eq!(out, [2, 1]);
/// ```
pub fn fractions_round(isa: Isa, out: &mut [u64], ys: &[&[u64]], inverses: &[f64]) {
    assert_eq!(ys.len(), inverses.len());
    assert!(ys.iter().all(|y| y.len() == out.len()));
    assert!(isa.is_available(), "this processor lacks {isa:?}");
    dispatch!(isa, [avx512f: avx512_sums], fractions_round(out, ys, inverses));
}
