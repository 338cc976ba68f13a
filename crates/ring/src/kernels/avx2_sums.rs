//! Sums of products for AVX2 with FMA, reduced once at the end; moduli below 2^50.
//!
//! A fused multiply-add replaces the integer products that AVX2 lacks. For integers with `ab < 2^102`,
//! `fma(a, b, 2^103)` is `2^103 + 2^51·h` with `h = round(ab/2^51)`, because doubles from `2^103` to `2^104` are the
//! multiples of `2^51`. From it, `fma(a, b, 1.5·2^52 - 2^51·h)` is `2^52 + l` with `l = ab - 2^51·h + 2^51` in
//! `[2^50, 3·2^50]`, exactly. The low bits of the two doubles are therefore h and l: bit patterns are added up as
//! integers, minus the known sum of the exponents.
//!
//! [`super::sums`] handles tails and sums of too many terms, for this file and for its counterpart for AVX-512. The
//! rest differs in how products are split, spread and reduced. The loops around that are alike, but a common source
//! would need a trait whose methods inline across instruction sets.

use std::arch::x86_64::*;

use super::avx2::{LANES, TWO_52, VectorModulus, load, splat, store, to_double};
use crate::Modulus;

/// Vectors whose sums are kept in registers over all terms: 8 accumulators of 16 registers.
const VECTORS: usize = 4;

/// Words of a group of vectors.
pub(super) const GROUP: usize = VECTORS * LANES;

/// The double `2^103`.
const TWO_103: f64 = TWO_52 * TWO_51 as f64;

/// The weight of high halves.
const TWO_51: u64 = 1 << 51;

/// Computes `Σ_k a_k·b_k`, added to `out` if `ADD`, for the words in full groups, and returns their number. See
/// [`super::sums::inner_product_runs`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) -> usize {
    let reducer = Reducer::new(m, terms.len(), m.value());
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        for (a, b) in terms {
            let a = group(a, start);
            match log_run {
                0 => {
                    let b = vectors(group(b, start));
                    sums.add_products(a, |i| to_double(load(&b[i])));
                }
                1 => {
                    let b = &b[start >> 1..][..GROUP / 2];
                    sums.add_products(a, |i| {
                        let (x, y) = (b[2 * i] as f64, b[2 * i + 1] as f64);
                        _mm256_set_pd(y, y, x, x)
                    });
                }
                _ => sums
                    .add_products(a, |i| _mm256_set1_pd(b[(start + i * LANES) >> log_run] as f64)),
            }
        }
    })
}

/// Computes `Σ_k c_k·x_k`, added to `out` if `ADD`, for the words in full groups, and returns their number. See
/// [`super::sums::linear_combination`].
#[target_feature(enable = "avx2,fma")]
pub(super) fn linear_combination<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) -> usize {
    let reducer = Reducer::new(m, inputs.len(), 1 << 50);
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        for (x, &c) in inputs.iter().zip(coefficients) {
            let c = _mm256_set1_pd(c as f64);
            sums.add_products(group(x, start), |_| c);
        }
    })
}

/// The constants for reducing sums.
pub(super) struct Reducer {
    modulus: VectorModulus,
    /// The initial low sums: minus the exponents of all terms, plus a residue that compensates for the `2^51` in each.
    low: __m256i,
    /// The initial high sums: minus the exponents of all terms.
    high: __m256i,
    /// `2^51 mod q`.
    radix: __m256d,
    /// `2^102 mod q` if the high sum and the carry to it may reach `2^51`.
    radix_squared: Option<__m256d>,
}

impl Reducer {
    /// Returns the constants for sums of `terms` products of a residue and a word below `bound`.
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new(m: &Modulus, terms: usize, bound: u64) -> Self {
        let radix = TWO_51 % m.value();
        // One more per term for rounding, and two for the carry from its low half.
        let high_half = ((u128::from(m.value()) * u128::from(bound)) >> 51) + 3;
        let wide = terms as u128 * high_half >= u128::from(TWO_51);
        let terms = terms as u64;
        let offset = m.neg(m.reduce(terms * TWO_51));
        Self {
            modulus: VectorModulus::new(m),
            low: splat(offset.wrapping_sub(terms.wrapping_mul(TWO_52.to_bits()))),
            high: splat(0u64.wrapping_sub(terms.wrapping_mul(TWO_103.to_bits()))),
            radix: _mm256_set1_pd(radix as f64),
            radix_squared: wide.then_some(_mm256_set1_pd(m.mul(radix, radix) as f64)),
        }
    }

    /// Returns the residues of sums, one vector of them.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn reduce(&self, low: __m256i, high: __m256i) -> __m256i {
        let (m, mask) = (&self.modulus, splat(TWO_51 - 1));
        let mut high = _mm256_add_epi64(high, _mm256_srli_epi64::<51>(low));
        let mut sum = m.reduce_lazy(to_double(_mm256_and_si256(low, mask)));
        if let Some(radix_squared) = self.radix_squared {
            let top = to_double(_mm256_srli_epi64::<51>(high));
            sum = _mm256_add_pd(sum, m.mul_lazy(top, radix_squared));
            high = _mm256_and_si256(high, mask);
        }
        // The three terms are below 2.1q, q and 0.84q, hence together below 4q <= 2^52.
        sum = _mm256_add_pd(sum, m.mul_lazy(to_double(high), self.radix));
        m.residue(m.reduce_lazy(sum))
    }
}

/// Writes the residues of sums, which `add_terms` adds up for the group that begins at a word, added to `out` if `ADD`.
/// Returns the number of written words, which are those in full groups.
#[target_feature(enable = "avx2,fma")]
#[inline]
pub(super) fn for_each_group<const ADD: bool>(
    out: &mut [u64],
    reducer: &Reducer,
    add_terms: impl Fn(&mut Sums, usize),
) -> usize {
    let groups = out.as_chunks_mut::<GROUP>().0;
    for (index, out) in groups.iter_mut().enumerate() {
        let out = out.as_chunks_mut::<LANES>().0;
        let mut sums = Sums { low: [reducer.low; VECTORS], high: [reducer.high; VECTORS] };
        if ADD {
            for (low, out) in sums.low.iter_mut().zip(&*out) {
                *low = _mm256_add_epi64(*low, load(out));
            }
        }
        add_terms(&mut sums, index * GROUP);
        for (i, out) in out.iter_mut().enumerate() {
            store(out, reducer.reduce(sums.low[i], sums.high[i]));
        }
    }
    groups.len() * GROUP
}

/// Returns the group of words that begins at `start`.
#[inline]
pub(super) fn group(words: &[u64], start: usize) -> &[u64; GROUP] {
    words[start..].first_chunk().expect("operands are as long as the output")
}

/// Returns the words of a group, vector by vector.
#[inline]
fn vectors(words: &[u64; GROUP]) -> &[[u64; LANES]] {
    words.as_chunks().0
}

/// Sums of low halves and of high halves for one group of words.
pub(super) struct Sums {
    low: [__m256i; VECTORS],
    high: [__m256i; VECTORS],
}

impl Sums {
    /// Adds the product of vector i of `x` with the integers `y(i)`, for all i.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(super) fn add_products(&mut self, x: &[u64; GROUP], y: impl Fn(usize) -> __m256d) {
        let x = vectors(x);
        let two_103 = _mm256_set1_pd(TWO_103);
        let bias = _mm256_set1_pd(TWO_103 + 1.5 * TWO_52);
        for i in 0..VECTORS {
            let (x, y) = (to_double(load(&x[i])), y(i));
            let high = _mm256_fmadd_pd(x, y, two_103);
            let low = _mm256_fmadd_pd(x, y, _mm256_sub_pd(bias, high));
            self.low[i] = _mm256_add_epi64(self.low[i], _mm256_castpd_si256(low));
            self.high[i] = _mm256_add_epi64(self.high[i], _mm256_castpd_si256(high));
        }
    }
}
