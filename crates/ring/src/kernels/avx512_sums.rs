//! Sums of products for AVX-512 with IFMA, reduced once at the end; moduli below 2^50.
//!
//! Low and high halves of the 104-bit products are added up in separate 64-bit lanes, and reduced after the last term.
//! Words and factors are below 2^52, so the low halves of t terms add up to less than `t·2^52`.

use std::arch::x86_64::*;

use super::avx512::{LANES, VectorModulus, load, splat, store};
use super::scalar;
use crate::{Isa, Modulus};

/// Vectors whose sums stay in registers over all terms: 16 accumulators, which hide the latency of IFMA and leave half
/// of the 32 registers free.
const VECTORS: usize = 8;

/// The most terms that have code of their own; more terms are added up in parts.
pub(super) const MAX_UNROLLED: usize = 8;

/// Expands a statement for each term 0 to `TERMS - 1`, at most [`MAX_UNROLLED`] of them.
///
/// Each term thus has load instructions of its own. Prefetchers distinguish streams by the instructions that read them:
/// keys come from memory twice as fast as in a loop over terms. A closure instead of this macro would not always be
/// inlined, and sums would lie in memory.
macro_rules! add_terms {
    ($terms:ident, |$k:ident| $add:block) => {
        add_terms!($terms, $k, $add, [0, 1, 2, 3, 4, 5, 6, 7])
    };
    ($terms:ident, $k:ident, $add:block, [$($index:literal),*]) => {
        $(if $terms > $index {
            const $k: usize = $index;
            $add
        })*
    };
}
pub(super) use add_terms;

/// Calls one function for a number of terms known to the compiler, up to [`MAX_UNROLLED`], and another one for more
/// terms.
macro_rules! unrolled {
    ($terms:expr, |$n:ident| $done:expr, more: $more:expr) => {
        unrolled!($terms, $n, $done, $more, [0, 1, 2, 3, 4, 5, 6, 7, 8])
    };
    ($terms:expr, $n:ident, $done:expr, $more:expr, [$($count:literal),*]) => {
        match $terms {
            $($count => {
                const $n: usize = $count;
                $done
            })*
            _ => $more,
        }
    };
}
pub(super) use unrolled;

/// Words of a group of vectors.
pub(super) const GROUP: usize = VECTORS * LANES;

/// Returns whether kernels that compute several sums at once can process `words` words modulo `m`: they need whole
/// groups.
pub(super) fn serves_whole_groups(m: &Modulus, words: usize) -> bool {
    m.isa() == Isa::Avx512Ifma && words.is_multiple_of(GROUP)
}

/// Computes `Σ_k a_k·b_k`, added to `out` if `ADD`, for the words in full groups, and returns their number. See
/// [`super::sums::inner_product_runs`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn inner_product<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) -> usize {
    if log_run == 0 {
        return unrolled!(
            terms.len(),
            |N| inner_product_of::<ADD, N>(m, out, terms),
            more: {
                let (first, rest) = terms.split_at(MAX_UNROLLED);
                inner_product::<ADD>(m, out, first, 0);
                inner_product::<true>(m, out, rest, 0)
            }
        );
    }
    // Factors are below q, so high halves are below q²/2^52.
    let reducer = Reducer::new(m, terms.len(), m.value());
    let shift = _mm_cvtsi64_si128(i64::from(log_run));
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        for (a, b) in terms {
            let a = group(a, start);
            let run_start = start >> log_run;
            match log_run {
                1 | 2 => {
                    // A vector holds several runs: spreads the words that it needs from a vector of b.
                    let b = b[run_start..][..GROUP >> log_run].as_chunks::<LANES>().0;
                    sums.add_products(a, |i| {
                        let runs = _mm512_srl_epi64(word_indices(i), shift);
                        _mm512_permutexvar_epi64(runs, load(&b[i >> log_run]))
                    });
                }
                3..=5 => {
                    let b = &b[run_start..][..GROUP >> log_run];
                    sums.add_products(a, |i| splat(b[(i * LANES) >> log_run]));
                }
                _ => {
                    let b = splat(b[run_start]);
                    sums.add_products(a, |_| b);
                }
            }
        }
    })
}

/// Computes [`inner_product`] of exactly `TERMS` terms without runs, at most [`MAX_UNROLLED`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn inner_product_of<const ADD: bool, const TERMS: usize>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
) -> usize {
    let terms = &terms[..TERMS];
    let reducer = Reducer::new(m, terms.len(), m.value());
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        add_terms!(TERMS, |K| {
            let (a, b) = terms[K];
            let b: &[_; VECTORS] = group(b, start);
            sums.add_products(group(a, start), |i| load(&b[i]));
        });
    })
}

/// Computes `Σ_k c_k·x_k`, added to `out` if `ADD`, for the words in full groups, and returns their number. See
/// [`super::sums::linear_combination`].
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
pub(super) fn linear_combination<const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) -> usize {
    if !ADD && inputs.len() <= FEW_TERMS {
        return combination_of_few(m, out, inputs, coefficients);
    }
    let reducer = Reducer::new(m, inputs.len(), 1 << 50);
    for_each_group::<ADD>(out, &reducer, |sums, start| {
        for (x, &c) in inputs.iter().zip(coefficients) {
            let c = splat(c);
            sums.add_products(group(x, start), |_| c);
        }
    })
}

/// The most terms of a combination with a sum below `3q·2^52`: each term is below `2^50·q`.
pub(super) const FEW_TERMS: usize = 12;

/// Returns the products of at most [`FEW_TERMS`] constants with the radix that [`VectorModulus::divide_by_radix`]
/// divides by.
pub(super) fn montgomery_factors(m: &Modulus, coefficients: &[u64]) -> [u64; FEW_TERMS] {
    let (radix, mut factors) = (m.radix52().radix, [0; FEW_TERMS]);
    for (factor, &c) in factors.iter_mut().zip(coefficients) {
        *factor = m.mul(c, radix);
    }
    factors
}

/// Computes [`linear_combination`] of at most [`FEW_TERMS`] terms, as base conversions have. For these, reductions
/// would take as long as products; Montgomery's method halves that. Constants are multiplied by the radix that it
/// divides by.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
fn combination_of_few(
    m: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) -> usize {
    let (modulus, factors) = (VectorModulus::new(m), montgomery_factors(m, coefficients));
    let add_terms = |sums: &mut Sums, start| {
        for (x, &c) in inputs.iter().zip(&factors) {
            let c = splat(c);
            sums.add_products(group(x, start), |_| c);
        }
    };
    write_groups::<false>(out, add_terms, |low, high| modulus.divide_by_radix(low, high))
}

/// Rounds sums of fractions; see [`super::fractions_round`].
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn fractions_round(out: &mut [u64], ys: &[&[u64]], inverses: &[f64]) {
    let half = _mm512_set1_pd(0.5);
    let (groups, tail) = out.as_chunks_mut::<GROUP>();
    let tail_start = groups.len() * GROUP;
    for (index, out) in groups.iter_mut().enumerate() {
        let mut sums = [_mm512_setzero_pd(); VECTORS];
        for (y, &inverse) in ys.iter().zip(inverses) {
            let (y, inverse) = (group(y, index * GROUP), _mm512_set1_pd(inverse));
            for (sum, y) in sums.iter_mut().zip::<&[_; VECTORS]>(y) {
                *sum = _mm512_add_pd(*sum, _mm512_mul_pd(_mm512_cvtepi64_pd(load(y)), inverse));
            }
        }
        for (out, sum) in out.as_chunks_mut().0.iter_mut().zip(sums) {
            store(out, _mm512_cvttpd_epi64(_mm512_add_pd(sum, half)));
        }
    }
    if !tail.is_empty() {
        let ys: Vec<_> = ys.iter().map(|y| &y[tail_start..]).collect();
        scalar::fractions_round(tail, &ys, inverses);
    }
}

/// Writes the residues of sums, which `add_terms` adds up for the group that begins at a word, added to `out` if `ADD`.
/// Returns the number of written words, which are those in full groups.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
#[inline]
pub(super) fn for_each_group<const ADD: bool>(
    out: &mut [u64],
    reducer: &Reducer,
    add_terms: impl Fn(&mut Sums, usize),
) -> usize {
    let add_up = |sums: &mut Sums, start| {
        add_terms(sums, start);
        reducer.narrow(sums);
    };
    write_groups::<ADD>(out, add_up, |low, high| reducer.residues(low, high))
}

/// Writes the results of `reduce` for the low and the high halves of sums, which `add_up` adds up for the group that
/// begins at a word, added to `out` if `ADD`. Returns the number of words in full groups.
#[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
#[inline]
fn write_groups<const ADD: bool>(
    out: &mut [u64],
    add_up: impl Fn(&mut Sums, usize),
    reduce: impl Fn(__m512i, __m512i) -> __m512i,
) -> usize {
    let groups = out.as_chunks_mut().0.as_chunks_mut().0;
    for (index, out) in groups.iter_mut().enumerate() {
        let mut sums: Sums = if ADD { Sums::from_words(out) } else { Sums::zero() };
        add_up(&mut sums, index * GROUP);
        sums.store(out, &reduce);
    }
    groups.len() * GROUP
}

/// Returns the vectors of the group of words that begins at `start`.
#[inline]
pub(super) fn group<const V: usize>(words: &[u64], start: usize) -> &[[u64; LANES]; V] {
    words[start..].as_chunks().0.first_chunk().expect("operands are as long as the output")
}

/// Returns the indices in its group of the words of vector i.
#[target_feature(enable = "avx512f")]
#[inline]
fn word_indices(i: usize) -> __m512i {
    let lanes = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_add_epi64(lanes, splat((i * LANES) as u64))
}

/// The way to reduce sums of a certain number of terms.
pub(super) struct Reducer {
    modulus: VectorModulus,
    /// Whether the sum of high halves and carries may reach 2^52.
    wide: bool,
}

impl Reducer {
    /// Returns the reduction for sums of `terms` products of a residue and a word below `bound`.
    #[target_feature(enable = "avx512f")]
    pub(super) fn new(m: &Modulus, terms: usize, bound: u64) -> Self {
        let high_half = (u128::from(m.value()) * u128::from(bound)) >> 52;
        // The low halves, with the initial word, carry at most `terms`.
        let sum = (terms as u128) * (high_half + 1);
        Self { modulus: VectorModulus::new(m), wide: sum >= 1 << 52 }
    }

    /// Makes sums narrow enough for [`Reducer::residues`].
    #[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
    #[inline]
    pub(super) fn narrow<const V: usize>(&self, sums: &mut Sums<V>) {
        if self.wide {
            *sums = sums.narrow(&self.modulus);
        }
    }

    /// Returns the residues of a vector of low and of high halves.
    #[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
    #[inline]
    pub(super) fn residues(&self, low: __m512i, high: __m512i) -> __m512i {
        let (low, high) = self.modulus.carry(low, high);
        self.modulus.subtract_below_4q(self.modulus.fold_lazy(low, high))
    }
}

/// Sums of low halves and of high halves for one group of words, of V vectors.
#[derive(Clone, Copy)]
pub(super) struct Sums<const V: usize = VECTORS> {
    low: [__m512i; V],
    high: [__m512i; V],
}

impl<const V: usize> Sums<V> {
    /// Returns sums of zero.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn zero() -> Self {
        Self { low: [_mm512_setzero_si512(); V], high: [_mm512_setzero_si512(); V] }
    }

    /// Returns sums that start from the words of a group.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn from_words(words: &[[u64; LANES]; V]) -> Self {
        let mut sums = Self::zero();
        for (low, words) in sums.low.iter_mut().zip(words) {
            *low = load(words);
        }
        sums
    }

    /// Adds the product of vector i of `x` with `y(i)`, for all i.
    #[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
    #[inline]
    pub(super) fn add_products(&mut self, x: &[[u64; LANES]; V], y: impl Fn(usize) -> __m512i) {
        for i in 0..V {
            let (x, y) = (load(&x[i]), y(i));
            self.low[i] = _mm512_madd52lo_epu64(self.low[i], x, y);
            self.high[i] = _mm512_madd52hi_epu64(self.high[i], x, y);
        }
    }

    /// Stores the results of `reduce` for the low and the high halves.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(super) fn store(
        &self,
        out: &mut [[u64; LANES]; V],
        reduce: impl Fn(__m512i, __m512i) -> __m512i,
    ) {
        for (i, out) in out.iter_mut().enumerate() {
            store(out, reduce(self.low[i], self.high[i]));
        }
    }

    /// Returns the same sums modulo q, with high and low parts below 2^52.
    ///
    /// Out of line, and by value: the function is rarely called, and it must not keep the sums out of registers.
    #[target_feature(enable = "avx512f,avx512bw,avx512ifma,avx512vbmi")]
    #[cold]
    #[inline(never)]
    fn narrow(mut self, m: &VectorModulus) -> Self {
        for (low, high) in self.low.iter_mut().zip(&mut self.high) {
            let (low_part, sum) = m.carry(*low, *high);
            // The sum is below 4000·2^50 + 2^12 < 2^63; folded, it is below 4q < 2^52.
            let (middle, top) = m.carry(sum, _mm512_setzero_si512());
            (*low, *high) = (low_part, m.fold_lazy(middle, top));
        }
        self
    }
}
