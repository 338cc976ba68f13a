//! Sums of many products with one reduction at the end.

use super::elementwise::are_in_range;
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::{avx512_combinations, avx512_sums};
use crate::Modulus;

/// The most terms that a kernel adds up before it reduces, including a multiple of some words ([`super::packed_sums`]).
/// With AVX-512, low halves of products, below `2^52`, and an initial word stay below `2^64`; with AVX2, high halves,
/// at most `2^49`, stay below `2^61` as well.
pub(super) const MAX_TERMS: usize = 4000;

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
    sum_products::<false>(m, out, terms, log_run);
}

/// `acc += Σ_k a_k·b_k`; see [`inner_product_runs`].
pub fn inner_product_runs_add(
    m: &Modulus,
    acc: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) {
    check_terms(acc.len(), terms, log_run);
    sum_products::<true>(m, acc, terms, log_run);
}

/// `Σ_k a_k·b_k`, added to `out` if `ADD`, for checked operands.
fn sum_products<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) {
    let (first, rest) = terms.split_at(terms.len().min(MAX_TERMS));
    let written = dispatch!(
        of m,
        [avx2: avx2_sums, avx512: avx512_sums],
        inner_product::<ADD>(m, out, first, log_run)
    );
    let tail = &mut out[written..];
    if !tail.is_empty() {
        // Groups of vectors do not divide the length, so runs are shorter than a group and start again with the tail.
        let first: Vec<_> =
            first.iter().map(|(a, b)| (&a[written..], &b[written >> log_run..])).collect();
        scalar::inner_product::<ADD>(m, tail, &first, log_run);
    }
    if !rest.is_empty() {
        sum_products::<true>(m, out, rest, log_run);
    }
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
/// Words `x_k` may be residues of other moduli: below `2^50`, or below `2^62` if `m` is
/// [for wide words](Modulus::for_wide_words). This is the kernel of base conversion and of polynomial evaluation.
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
    combine::<false>(m, out, inputs, coefficients);
}

/// `out[s] = Σ_k c_ks·x_k` for two sums s, each modulo a number of its own, which may be the same: like two calls of
/// [`linear_combination`], with inputs read once.
///
/// ```
/// use cryptable_ring::{Modulus, kernels};
/// let moduli = [&Modulus::new(97), &Modulus::new(193)];
/// let [mut out0, mut out1] = [[0; 2]; 2];
/// let (inputs, coefficients) = ([&[1, 2][..], &[3, 4]], [&[10, 20][..], &[1, 192]]);
/// kernels::linear_combinations_of_two(moduli, [&mut out0, &mut out1], &inputs, coefficients);
/// assert_eq!([out0, out1], [[70, 3], [191, 191]]);
/// ```
///
/// # Panics
/// Panics like [`linear_combination`].
pub fn linear_combinations_of_two(
    m: [&Modulus; 2],
    out: [&mut [u64]; 2],
    inputs: &[&[u64]],
    coefficients: [&[u64]; 2],
) {
    for (sum, out) in out.iter().enumerate() {
        check_inputs(m[sum], out.len(), inputs, coefficients[sum]);
    }
    #[cfg(target_arch = "x86_64")]
    if m.iter().all(|m| avx512_sums::serves_whole_groups(m, out[0].len()))
        && inputs.len() <= MAX_TERMS
    {
        // SAFETY: the processor has the instruction set of `Modulus::isa`.
        unsafe { avx512_combinations::linear_combinations_of_two(m, out, inputs, coefficients) };
        return;
    }
    for (sum, out) in out.into_iter().enumerate() {
        combine::<false>(m[sum], out, inputs, coefficients[sum]);
    }
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
    combine::<true>(m, acc, inputs, coefficients);
}

/// `Σ_k c_k·x_k`, added to `out` if `ADD`, for checked operands.
fn combine<const ADD: bool>(m: &Modulus, out: &mut [u64], inputs: &[&[u64]], coefficients: &[u64]) {
    let (first, rest) = inputs.split_at(inputs.len().min(MAX_TERMS));
    let (factors, rest_factors) = coefficients.split_at(first.len());
    let written = dispatch!(
        of m,
        [avx2: avx2_sums, avx512: avx512_sums],
        linear_combination::<ADD>(m, out, first, factors)
    );
    let tail = &mut out[written..];
    if !tail.is_empty() {
        let first: Vec<_> = first.iter().map(|x| &x[written..]).collect();
        scalar::linear_combination::<ADD>(m, tail, &first, factors);
    }
    if !rest.is_empty() {
        combine::<true>(m, out, rest, rest_factors);
    }
}

/// Panics unless the lengths of a linear combination agree; in debug builds, also if words are too large for the vector
/// kernels.
fn check_inputs(m: &Modulus, len: usize, inputs: &[&[u64]], coefficients: &[u64]) {
    assert_eq!(inputs.len(), coefficients.len());
    assert!(inputs.iter().all(|input| input.len() == len));
    debug_assert!(inputs.iter().all(|input| are_in_range(m, input)), "words above 2^50");
}
