//! Portable kernels, for every modulus below 2^62, with which the vector kernels are compared.

use super::packed_row::{self, Multiple, PackedRow};
use super::permutation::PermutationPart;
use crate::Modulus;
use crate::modulus::Factor;

/// Words whose double-word sums are computed at a time: enough to hide the latency of products.
const BLOCK: usize = 8;

/// The most products of two words below 2^62 whose sum fits a double word.
const LAZY_TERMS: usize = 16;

pub(super) fn add_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    map_assign(a, b, |a, b| m.add(a, b));
}

pub(super) fn sub_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    map_assign(a, b, |a, b| m.sub(a, b));
}

pub(super) fn neg_assign(m: &Modulus, a: &mut [u64]) {
    for a in a {
        *a = m.neg(*a);
    }
}

pub(super) fn add_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    for a in a {
        *a = m.add(*a, c);
    }
}

pub(super) fn mul_assign(m: &Modulus, a: &mut [u64], b: &[u64]) {
    map_assign(a, b, |a, b| m.mul(a, b));
}

pub(super) fn mul(m: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = m.mul(a, b);
    }
}

pub(super) fn mul_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    for ((acc, &a), &b) in acc.iter_mut().zip(a).zip(b) {
        *acc = m.add(*acc, m.mul(a, b));
    }
}

pub(super) fn mul_scalar_assign(m: &Modulus, a: &mut [u64], c: u64) {
    let c = Factor::new(m.value(), c);
    for a in a {
        *a = mul_factor(m, *a, c);
    }
}

pub(super) fn mul_scalar(m: &Modulus, out: &mut [u64], a: &[u64], c: u64) {
    mul_factor_to(m, out, a, Factor::new(m.value(), c));
}

/// `out = a·c`, for any words.
pub(super) fn mul_factor_to(m: &Modulus, out: &mut [u64], a: &[u64], c: Factor) {
    map_assign(out, a, |_, a| mul_factor(m, a, c));
}

pub(super) fn mul_scalar_add_assign(m: &Modulus, acc: &mut [u64], a: &[u64], c: u64) {
    let c = Factor::new(m.value(), c);
    map_assign(acc, a, |acc, a| m.add(acc, mul_factor(m, a, c)));
}

pub(super) fn sub_mul_scalar_assign(m: &Modulus, a: &mut [u64], b: &[u64], c: u64) {
    let c = Factor::new(m.value(), c);
    map_assign(a, b, |a, b| mul_factor(m, m.sub(a, b), c));
}

pub(super) fn add_mirrored_assign(m: &Modulus, a: &mut [u64], b: &mut [u64], c: u64) {
    let c = Factor::new(m.value(), c);
    for (a, b) in a.iter_mut().zip(b.iter_mut().rev()) {
        let products = [*b, *a].map(|word| mul_factor(m, word, c));
        (*a, *b) = (m.add(*a, products[0]), m.add(*b, products[1]));
    }
}

/// Computes `Σ_k a_k·b_k`, added to `out` if `ADD`, for all words, and returns their number. See
/// [`super::sums::inner_product_runs`].
pub(super) fn inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) -> usize {
    let len = out.len();
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let start = block * BLOCK;
        let mut sums = Sums::new::<ADD>(out);
        for group in terms.chunks(LAZY_TERMS - 1) {
            for (a, b) in group {
                for (i, (sum, &a)) in sums.0.iter_mut().zip(&a[start..]).enumerate() {
                    *sum += u128::from(a) * u128::from(b[(start + i) >> log_run]);
                }
            }
            sums.reduce(m);
        }
        sums.store(out);
    }
    len
}

/// Computes `Σ_k c_k·x_k`, added to `out` if `ADD`, for all words, and returns their number. See
/// [`super::sums::linear_combination`].
pub(super) fn linear_combination<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) -> usize {
    let len = out.len();
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let start = block * BLOCK;
        let mut sums = Sums::new::<ADD>(out);
        let groups = inputs.chunks(LAZY_TERMS - 1).zip(coefficients.chunks(LAZY_TERMS - 1));
        for (inputs, coefficients) in groups {
            for (input, &c) in inputs.iter().zip(coefficients) {
                for (sum, &x) in sums.0.iter_mut().zip(&input[start..]) {
                    *sum += u128::from(x) * u128::from(c);
                }
            }
            sums.reduce(m);
        }
        sums.store(out);
    }
    len
}

pub(super) fn reduce(m: &Modulus, out: &mut [u64], input: &[u64]) {
    map_assign(out, input, |_, x| m.reduce(x));
}

pub(super) fn lift_centered(m_out: &Modulus, out: &mut [u64], input: &[u64], m_in: &Modulus) {
    // x - q_in if x is above q_in/2, otherwise x; both are reduced first.
    let (half, wrap) = (m_in.value() / 2, m_out.reduce(m_in.value()));
    map_assign(out, input, |_, x| m_out.sub(m_out.reduce(x), if x > half { wrap } else { 0 }));
}

pub(super) fn from_signed(m: &Modulus, out: &mut [u64], input: &[i64]) {
    for (out, &x) in out.iter_mut().zip(input) {
        *out = m.reduce_i64(x);
    }
}

pub(super) fn permute(out: &mut [u64], input: &[u64], permutation: PermutationPart<'_>) {
    for (out, place) in out.iter_mut().zip(permutation.places()) {
        *out = input[place];
    }
}

pub(super) fn permute_add_assign(
    m: &Modulus,
    acc: &mut [u64],
    input: &[u64],
    permutation: PermutationPart<'_>,
) {
    for (acc, place) in acc.iter_mut().zip(permutation.places()) {
        *acc = m.add(*acc, input[place]);
    }
}

pub(super) fn fractions_round(out: &mut [u64], ys: &[&[u64]], inverses: &[f64]) {
    for (block, out) in out.chunks_mut(BLOCK).enumerate() {
        let mut sums = [0.0; BLOCK];
        for (y, inverse) in ys.iter().zip(inverses) {
            for (sum, &y) in sums.iter_mut().zip(&y[block * BLOCK..]) {
                // Signed words convert in one instruction.
                *sum += y.cast_signed() as f64 * inverse;
            }
        }
        for (out, sum) in out.iter_mut().zip(sums) {
            *out = (sum + 0.5) as u64;
        }
    }
}

pub(super) fn automorphism(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    let mut position: usize = 0;
    for &word in source {
        // All ones if X^N is passed an odd number of times: -word is (word ^ sign) - sign.
        let sign = 0u64.wrapping_sub(u64::from(position & n != 0));
        out[position & (n - 1)] = (word ^ sign).wrapping_sub(sign);
        position = position.wrapping_add(exponent);
    }
}

/// `a = f(a, b)` in every word.
fn map_assign(a: &mut [u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = f(*a, b);
    }
}

/// Returns `a·c mod q` for any word a.
#[inline]
fn mul_factor(m: &Modulus, a: u64, c: Factor) -> u64 {
    m.subtract_once(c.mul_lazy(m.value(), a))
}

/// Double-word sums of one block. Between two [`Sums::reduce`]s a sum has room for `LAZY_TERMS - 1` products on top of
/// a reduced sum.
struct Sums([u128; BLOCK]);

impl Sums {
    /// Returns zeros, or the words of `out` if `ADD`.
    #[inline]
    fn new<const ADD: bool>(out: &[u64]) -> Self {
        let mut sums = [0; BLOCK];
        if ADD {
            for (sum, &out) in sums.iter_mut().zip(out) {
                *sum = u128::from(out);
            }
        }
        Self(sums)
    }

    #[inline]
    fn reduce(&mut self, m: &Modulus) {
        for sum in &mut self.0 {
            *sum = u128::from(m.reduce_u128(*sum));
        }
    }

    #[inline]
    fn store(&self, out: &mut [u64]) {
        for (out, &sum) in out.iter_mut().zip(&self.0) {
            *out = sum as u64;
        }
    }
}

/// Packs words like [`PackedRow::pack`], and returns their number.
pub(super) fn pack(out: &mut [u8], words: &[u64], bits: u32) -> usize {
    let blocks = words.as_chunks::<{ packed_row::BLOCK }>().0;
    for (out, words) in out.chunks_exact_mut(bits as usize).zip(blocks) {
        let (mut buffer, mut held, mut at) = (0u128, 0, 0);
        for &word in words {
            buffer |= u128::from(word) << held;
            held += bits;
            if held >= u64::BITS {
                out[at..at + 8].copy_from_slice(&(buffer as u64).to_le_bytes());
                buffer >>= u64::BITS;
                held -= u64::BITS;
                at += 8;
            }
        }
        let rest = (held / 8) as usize;
        out[at..].copy_from_slice(&(buffer as u64).to_le_bytes()[..rest]);
    }
    words.len()
}

/// See [`PackedRow::unpack`].
pub(super) fn unpack(out: &mut [u64], row: PackedRow<'_>) {
    // A word of any number of bits lies in the 16 bytes from the one that it begins in.
    let mut padded = [0u8; u64::BITS as usize + 16];
    let (bits, mask) = (row.bits() as usize, u64::MAX >> (u64::BITS - row.bits()));
    let blocks = out.as_chunks_mut::<{ packed_row::BLOCK }>().0;
    for (out, bytes) in blocks.iter_mut().zip(row.bytes().chunks_exact(bits)) {
        padded[..bits].copy_from_slice(bytes);
        for (j, out) in out.iter_mut().enumerate() {
            let (byte, shift) = (j * bits / 8, j * bits % 8);
            let near = *padded[byte..].first_chunk().expect("padded by 16 bytes");
            *out = (u128::from_le_bytes(near) >> shift) as u64 & mask;
        }
    }
}

/// Computes `Σ_k a_k·b_k` for packed rows, added to `out` if `ADD`, and returns the number of words. Unpacks one row at
/// a time.
pub(super) fn packed_inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], PackedRow<'_>)],
    multiple: Option<Multiple<'_>>,
) -> usize {
    if !ADD {
        out.fill(0);
    }
    if let Some((x, c)) = multiple {
        mul_scalar_add_assign(m, out, x, c);
    }
    let mut words = vec![0; out.len()];
    for (a, b) in terms {
        unpack(&mut words, *b);
        inner_product::<true>(m, out, &[(a, &words)], 0);
    }
    out.len()
}
