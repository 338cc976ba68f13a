//! Products of integer matrices with words by VNNI of AVX-512, modulo small numbers ([`ResidueEntries`]).
//!
//! One instruction adds the products of four columns to sixteen sums of 32 bits, for one number. The products of a tile
//! with strips of both parts of a ciphertext use Strassen's algorithm in Winograd's form: seven products of half the
//! columns instead of eight. Sums are carried from one product to the next, so that `U2 = P1 + P6`, `U3 = U2 + P7` and
//! the sums that follow from them cost two additions and some loads.

use std::arch::x86_64::*;

use super::residue_entries::{PRODUCTS, RESIDUE_TILE_ROWS, ResidueEntries, STRIPE_ROWS, Stripe};
use super::residue_group::{Plane, SUM_OFFSET};
use super::residue_lift::{STRIP, broadcast, joined, remainder};

/// Vectors of sums of a strip.
const VECTORS: usize = 2;

/// Parts of a ciphertext.
pub(super) const PARTS: usize = 2;

/// Double words of a vector.
const LANES: usize = STRIP / VECTORS;

/// Groups of four columns of entries that are prefetched: 2 KiB.
const PREFETCHED: usize = 40;

/// The sums of a stripe and a strip modulo one number.
type Sums = [[__m512i; VECTORS]; STRIPE_ROWS];

/// The residues of the sums of a strip, one byte each.
pub(super) type ResidueStrip = [u8; STRIP];

/// Operands of the sums modulo one number.
pub(super) struct PlaneProduct<'a> {
    pub(super) entries: &'a ResidueEntries,
    pub(super) index: usize,
    pub(super) plane: &'a Plane,
    /// The words of all strips for each product, product after product.
    pub(super) words: &'a [[u32; STRIP]],
}

/// The intermediate sums of a tile.
struct Workspace {
    zero: Sums,
    offset: Sums,
    first: Sums,
    second: Sums,
    third: Sums,
    other: Sums,
    result: Sums,
}

/// Computes the residues of the products of all tiles with strips of both parts. From the number's place on, `out` has
/// `[row][part][strip]`, each `step` after the previous one.
///
/// # Safety
/// The processor must have VNNI and the instruction sets that are used with it.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) unsafe fn multiply(product: &PlaneProduct, out: &mut [ResidueStrip], step: usize) {
    let zero = [[_mm512_setzero_si512(); VECTORS]; STRIPE_ROWS];
    let offset = [[_mm512_set1_epi32(SUM_OFFSET); VECTORS]; STRIPE_ROWS];
    let [first, second, third, other, result] = [zero; 5];
    let mut sums = Workspace { zero, offset, first, second, third, other, result };
    let strip_words = PRODUCTS * product.entries.quads;
    let strips = product.words.len() / strip_words;
    let row_step = PARTS * strips * step;
    for (tile, out) in out.chunks_mut(RESIDUE_TILE_ROWS * row_step).enumerate() {
        for (strip, words) in product.words.chunks_exact(strip_words).enumerate() {
            let out = &mut out[strip * step..];
            tile_product(product, tile, words, &mut sums, out, [row_step, strips * step]);
        }
    }
}

/// Computes the residues of the products of a tile with a strip of both parts. Those of a row and part go to
/// `out[row·steps[0] + part·steps[1]]`.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
fn tile_product(
    product: &PlaneProduct,
    tile: usize,
    words: &[[u32; STRIP]],
    sums: &mut Workspace,
    out: &mut [ResidueStrip],
    steps: [usize; PARTS],
) {
    let PlaneProduct { entries, index, plane, .. } = *product;
    let mut put_stripe = |sums: &Sums, lower: usize, part: usize| {
        for (row, sums) in sums.iter().enumerate() {
            let place = (lower * STRIPE_ROWS + row) * steps[0] + part * steps[1];
            put_residues(&mut out[place], sums, plane);
        }
    };
    let operands = |product: usize| {
        let words = &words[product * entries.quads..][..entries.quads];
        (entries.stripes(tile, index, product), words)
    };
    let Workspace { zero, offset, first, second, third, other, result } = sums;
    add_products(first, offset, operands(0));
    add_products(result, first, operands(1));
    put_stripe(result, 0, 0);
    add_products(second, first, operands(2));
    add_products(third, second, operands(3));
    add_products(result, third, operands(4));
    put_stripe(result, 1, 0);
    add_products(other, zero, operands(5));
    add(third, other);
    put_stripe(third, 1, 1);
    add(second, other);
    add_products(result, second, operands(6));
    put_stripe(result, 0, 1);
}

/// Adds other sums to sums.
#[target_feature(enable = "avx512f")]
#[inline]
fn add(sums: &mut Sums, others: &Sums) {
    for (sums, others) in sums.iter_mut().zip(others) {
        for (sum, &other) in sums.iter_mut().zip(others) {
            *sum = _mm512_add_epi32(*sum, other);
        }
    }
}

/// Adds products of a stripe with a strip to sums.
///
/// Sums over 2,048 columns stay below 2^26, since unsigned bytes are multiplied with signed ones.
#[target_feature(enable = "avx512f,avx512vnni")]
#[inline(never)]
fn add_products(out: &mut Sums, from: &Sums, (stripes, words): (&[Stripe], &[[u32; STRIP]])) {
    let mut sums = *from;
    for (rows, words) in stripes.iter().zip(words) {
        // SAFETY: halves of an array are vectors, and loads need no alignment; prefetching accesses no memory.
        let (even, odd) = unsafe {
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(rows).wrapping_add(PREFETCHED).cast());
            (
                _mm512_loadu_si512(words[..LANES].as_ptr().cast()),
                _mm512_loadu_si512(words[LANES..].as_ptr().cast()),
            )
        };
        for ([even_sum, odd_sum], &row) in sums.iter_mut().zip(rows) {
            let entry = broadcast(row);
            *even_sum = _mm512_dpbusd_epi32(*even_sum, even, entry);
            *odd_sum = _mm512_dpbusd_epi32(*odd_sum, odd, entry);
        }
    }
    *out = sums;
}

/// Writes residues `r_p` of sums (`residue_group.rs`) of even words and of odd ones.
///
/// Sums are positive, and the products of their bytes with weights add up to less than 2^17.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
#[inline]
fn put_residues(out: &mut ResidueStrip, sums: &[__m512i; VECTORS], plane: &Plane) {
    let correction = _mm512_set1_epi32(plane.correction.into());
    let weights = broadcast(plane.reduction);
    let even = remainder(_mm512_dpbusd_epi32(correction, sums[0], weights), plane);
    let odd = remainder(_mm512_dpbusd_epi32(correction, sums[1], weights), plane);
    let bytes = _mm512_cvtepi32_epi16(joined(even, odd));
    // SAFETY: the reference is valid for 32 bytes, and the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), bytes) }
}
