//! Sums of products of wide words: products of parts are added up in separate lanes, and reduced once.

use std::ops::Range;

use super::lanes::WideLanes;
use super::modulus::{WideFactor, WideModulus};
use crate::Modulus;

/// Coefficients of a linear combination whose parts are stored at a time: 2 KiB.
pub(super) const MAX_FACTORS: usize = 64;

/// Vectors whose sums of a linear combination stay in registers over all terms: eight sums.
const COMBINED: usize = 4;

/// Returns the number of terms of a linear combination modulo a number of k = `bits` bits that are added up before a
/// reduction: with `g = ceil(k/2)`, at most `2^(34-g)/5`.
///
/// A word `x = u + 2^32·v < 2^62` is multiplied by c as `u·c + v·d`, with `d = 2^32·c mod q`. The parts of both c and d
/// are below `2^h` and `2^g`: a term is less than `(2^32 + 2^30)·2^h = 5·2^(30+h)` in the low sum, and less than
/// `5·2^(30+g)` in the middle one. Since 5 divides no power of two, t terms leave the sums at most `2^64 - 2^(30+g)`.
/// The low sum has room for the initial residue, below `2^k <= 2^(30+g)`, or, where `g = 31`, in addition to `5·2^61`
/// of one term. Its carry, below `2^(64-h) <= 2^(30+g)`, fits the middle one if `k >= 34`; below that, [`MAX_FACTORS`]
/// terms are far below `2^63`, and so is the carry. The total is below `5·2^30·t·q + q < 2^(64+h) <= 2^(63+2h)`.
pub(super) const fn combined_terms(bits: u32) -> usize {
    let terms = (1 << (34 - bits.div_ceil(2))) / 5;
    if terms < MAX_FACTORS { terms } else { MAX_FACTORS }
}

/// Returns the number of products of residues modulo a number of k = `bits` bits that are added up before a reduction:
/// at most `2^(62-k)`.
///
/// Lower parts have h bits, upper ones k - h. Low sums, with the initial residue, are below `t·2^(2h) + 2^k <= 2^63`.
/// Middle ones, of two products per term, are below `t·2^(k+1) <= 2^63`, to which a carry below `2^62` is added. The
/// total is below `t·q^2 < 2^(62+k) <= 2^(63+2h)`, since `(q - 1)^2 + q - 1 < q^2`.
pub(super) const fn multiplied_terms(bits: u32) -> usize {
    1 << (62 - bits)
}

/// The parts of coefficients c, and of `d = 2^32·c mod q`: lower and upper ones of c, followed by those of d.
pub(super) struct Factors([[u64; MAX_FACTORS]; 4]);

impl Factors {
    /// Prepares at most [`MAX_FACTORS`] coefficients.
    #[inline(always)]
    unsafe fn new<W: WideLanes>(m: &Modulus, v: WideModulus<W>, coefficients: &[u64]) -> Self {
        let radix = WideFactor::<W>::new(m.wide_constants().radix32);
        let mut parts = [[0; MAX_FACTORS]; 4];
        parts[0][..coefficients.len()].copy_from_slice(coefficients);
        for at in (0..coefficients.len()).step_by(W::LANES) {
            let c = W::load(parts[0][at..].as_ptr());
            let [c, d] = [v.split(c), v.split(v.mul(c, radix))];
            W::store(parts[0][at..].as_mut_ptr(), c[0]);
            W::store(parts[1][at..].as_mut_ptr(), c[1]);
            W::store(parts[2][at..].as_mut_ptr(), d[0]);
            W::store(parts[3][at..].as_mut_ptr(), d[1]);
        }
        Self(parts)
    }

    /// Returns the parts of coefficient `k < MAX_FACTORS` in every lane.
    #[inline(always)]
    unsafe fn get<W: WideLanes>(&self, k: usize) -> [W::Vector; 4] {
        let [c0, c1, d0, d1] = &self.0;
        [
            W::splat(*c0.get_unchecked(k)),
            W::splat(*c1.get_unchecked(k)),
            W::splat(*d0.get_unchecked(k)),
            W::splat(*d1.get_unchecked(k)),
        ]
    }
}

/// Computes `Σ_k c_k·x_k`, added to `out` if `ADD`, for the words in full groups of vectors, and returns their number.
/// See [`super::super::sums::linear_combination`].
///
/// # Safety
/// The processor must have the instruction set. Inputs must be as long as `out`, and their number that of coefficients,
/// at most [`MAX_FACTORS`].
#[inline(always)]
pub(super) unsafe fn linear_combination<W: WideLanes, const ADD: bool>(
    m: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    coefficients: &[u64],
) -> usize {
    let v = WideModulus::<W>::new(m);
    let factors = Factors::new(m, v, coefficients);
    let terms = combined_terms(m.bits());
    let group = COMBINED * W::LANES;
    let written = out.len() - out.len() % group;
    for start in (0..written).step_by(group) {
        let target = out.as_mut_ptr().add(start);
        let mut words = [W::splat(0); COMBINED];
        if ADD {
            for (i, word) in words.iter_mut().enumerate() {
                *word = W::load(target.add(i * W::LANES));
            }
        }
        for first in (0..inputs.len()).step_by(terms) {
            let last = inputs.len().min(first + terms);
            combine(v, &mut words, inputs, start, &factors, first..last);
        }
        for (i, &word) in words.iter().enumerate() {
            W::store(target.add(i * W::LANES), word);
        }
    }
    written
}

/// Adds some terms of a linear combination, few enough that none is reduced in between, to the residues of a group.
///
/// # Safety
/// The same as for [`linear_combination`]; the group must lie within the inputs.
#[inline(always)]
unsafe fn combine<W: WideLanes>(
    v: WideModulus<W>,
    words: &mut [W::Vector; COMBINED],
    inputs: &[&[u64]],
    start: usize,
    factors: &Factors,
    terms: Range<usize>,
) {
    let zero = W::splat(0);
    let (mut low, mut middle) = (*words, [zero; COMBINED]);
    for k in terms {
        let [c0, c1, d0, d1] = factors.get::<W>(k);
        let source = inputs.get_unchecked(k).as_ptr().add(start);
        for i in 0..COMBINED {
            let x = W::load(source.add(i * W::LANES));
            let upper = W::upper(x);
            low[i] = W::add(low[i], W::mul_lower(x, c0));
            middle[i] = W::add(middle[i], W::mul_lower(x, c1));
            low[i] = W::add(low[i], W::mul_lower(upper, d0));
            middle[i] = W::add(middle[i], W::mul_lower(upper, d1));
        }
    }
    for i in 0..COMBINED {
        words[i] = v.residue([low[i], middle[i], zero]);
    }
}

/// Computes `Σ_k a_k·b_k`, added to `out` if `ADD`, for the words in full groups of `VECTORS` vectors, and returns
/// their number. See [`super::super::sums::inner_product_runs`].
///
/// # Safety
/// The processor must have the instruction set. `a_k` must be as long as `out`, and `b_k` must be `2^log_run` times
/// shorter, or as long without `RUNS`.
#[inline(always)]
pub(super) unsafe fn inner_product<
    W: WideLanes,
    const VECTORS: usize,
    const ADD: bool,
    const RUNS: bool,
>(
    m: &Modulus,
    out: &mut [u64],
    terms: &[(&[u64], &[u64])],
    log_run: u32,
) -> usize {
    let v = WideModulus::<W>::new(m);
    let group = VECTORS * W::LANES;
    let written = out.len() - out.len() % group;
    for start in (0..written).step_by(group) {
        let target = out.as_mut_ptr().add(start);
        let mut words = [W::splat(0); VECTORS];
        if ADD {
            for (i, word) in words.iter_mut().enumerate() {
                *word = W::load(target.add(i * W::LANES));
            }
        }
        for terms in terms.chunks(multiplied_terms(m.bits())) {
            multiply::<W, VECTORS, RUNS>(v, &mut words, terms, start, log_run);
        }
        for (i, &word) in words.iter().enumerate() {
            W::store(target.add(i * W::LANES), word);
        }
    }
    written
}

/// Adds some terms of an inner product, few enough that none is reduced in between, to the residues of a group.
///
/// # Safety
/// The same as for [`inner_product`]; the group must lie within the operands.
#[inline(always)]
unsafe fn multiply<W: WideLanes, const VECTORS: usize, const RUNS: bool>(
    v: WideModulus<W>,
    words: &mut [W::Vector; VECTORS],
    terms: &[(&[u64], &[u64])],
    start: usize,
    log_run: u32,
) {
    let mut low = *words;
    let (mut middle, mut high) = ([W::splat(0); VECTORS], [W::splat(0); VECTORS]);
    for (a, b) in terms {
        for i in 0..VECTORS {
            let word = start + i * W::LANES;
            let b =
                if RUNS { load_runs::<W>(b, word, log_run) } else { W::load(b.as_ptr().add(word)) };
            let [a0, a1] = v.split(W::load(a.as_ptr().add(word)));
            let [b0, b1] = v.split(b);
            low[i] = W::add(low[i], W::mul_lower(a0, b0));
            middle[i] = W::add(middle[i], W::mul_lower(a0, b1));
            middle[i] = W::add(middle[i], W::mul_lower(a1, b0));
            high[i] = W::add(high[i], W::mul_lower(a1, b1));
        }
    }
    for i in 0..VECTORS {
        words[i] = v.residue([low[i], middle[i], high[i]]);
    }
}

/// Loads the vector from `word` on, of words that each stand for `2^log_run` equal ones.
///
/// # Safety
/// The slice must have words for the vector.
#[inline(always)]
unsafe fn load_runs<W: WideLanes>(b: &[u64], word: usize, log_run: u32) -> W::Vector {
    if W::LANES >> log_run <= 1 {
        return W::splat(*b.get_unchecked(word >> log_run));
    }
    let mut words = [0; 8];
    for (lane, out) in words.iter_mut().enumerate().take(W::LANES) {
        *out = *b.get_unchecked((word + lane) >> log_run);
    }
    W::load(words.as_ptr())
}
