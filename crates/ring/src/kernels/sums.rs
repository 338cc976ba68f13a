//! Sums of many products with one reduction at the end.

use super::elementwise::are_in_range;
use crate::Modulus;

/// `out = Σ_k a_k·b_k`, term by term of the slices (0 for no terms).
///
/// Products are added up unreduced, so a term costs about a third of [`super::mul_add_assign`].
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let mut out = [0; 2];
/// kernels::inner_product(&Modulus::new(97), &mut out, &[(&[1, 2], &[3, 4]), (&[5, 6], &[7, 96])]);
/// assert_eq!(out, [38, 2]);
/// ```
pub fn inner_product(m: &Modulus, out: &mut [u64], terms: &[(&[u64], &[u64])]) {
    inner_product_runs(m, out, terms, 0);
}

/// `acc += Σ_k a_k·b_k`; see [`inner_product`].
pub fn inner_product_add(m: &Modulus, acc: &mut [u64], terms: &[(&[u64], &[u64])]) {
    inner_product_runs_add(m, acc, terms, 0);
}

/// `out = Σ_k a_k·b_k`, where a word of `b_k` stands for `2^log_run` equal consecutive ones.
///
/// Encodings of sparse or repeated slots have this form: their evaluations come in runs.
///
/// # Panics
/// If a `b_k` is not `2^log_run` times shorter than `out`.
pub fn inner_product_runs(m: &Modulus, out: &mut [u64], terms: &[(&[u64], &[u64])], log_run: u32) {
    check_terms(out.len(), terms, log_run);
    dispatch!(m.isa(), [avx2: avx2_sums, avx512: avx512_sums], inner_product::<false>(m, out, terms, log_run));
}

/// `acc += Σ_k a_k·b_k`; see [`inner_product_runs`].
pub fn inner_product_runs_add(
    m: &Modulus,
    acc: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) {
    check_terms(acc.len(), terms, log_run);
    dispatch!(m.isa(), [avx2: avx2_sums, avx512: avx512_sums], inner_product::<true>(m, acc, terms, log_run));
}

/// Panics unless the lengths of an inner product agree.
fn check_terms(len: usize, terms: &[(&[u64], &[u64])], log_run: u32) {
    assert!(log_run < usize::BITS, "runs of 2^{log_run}");
    for (a, b) in terms {
        assert_eq!(a.len(), len);
        assert!(b.len() == len >> log_run && b.len() << log_run == len, "runs of 2^{log_run}");
    }
}

/// `out = Σ_k c_k·x_k` for constants `c_k` in `[0, q)` (0 for no terms).
///
/// Words `x_k` may be residues of other moduli: below `2^50`, or below `2^62` if `m` is portable
/// ([`Modulus::portable`]). This is the kernel of base conversion and of polynomial evaluation.
///
/// # Panics
/// If the number of coefficients is not that of inputs.
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let mut out = [0; 2];
/// kernels::linear_combination(&Modulus::new(97), &mut out, &[&[1, 2], &[1000, 3]], &[5, 96]);
/// assert_eq!(out, [72, 7]);
/// ```
pub fn linear_combination(m: &Modulus, out: &mut [u64], inputs: &[&[u64]], coefficients: &[u64]) {
    check_inputs(m, out.len(), inputs, coefficients);
    dispatch!(m.isa(), [avx2: avx2_sums, avx512: avx512_sums], linear_combination::<false>(m, out, inputs, coefficients));
}

/// `acc += Σ_k c_k·x_k`; see [`linear_combination`].
///
/// # Panics
/// If the number of coefficients is not that of inputs.
pub fn linear_combination_add(
    m: &Modulus,
    acc: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) {
    check_inputs(m, acc.len(), inputs, coefficients);
    dispatch!(m.isa(), [avx2: avx2_sums, avx512: avx512_sums], linear_combination::<true>(m, acc, inputs, coefficients));
}

/// Panics unless the lengths of a linear combination agree; in debug builds, or if words are too large
/// for the vector kernels.
fn check_inputs(m: &Modulus, len: usize, inputs: &[&[u64]], coefficients: &[u64]) {
    assert_eq!(inputs.len(), coefficients.len());
    assert!(inputs.iter().all(|input| input.len() == len));
    debug_assert!(inputs.iter().all(|input| are_in_range(m, input)), "words above 2^50");
}
